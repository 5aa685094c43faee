"""A filter behind a sound card: the bits of one long run, constant memory, one sentence for what cannot be filtered."""

import copy
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from rosenblatt import filters


@pytest.mark.parametrize(
    "one",
    [
        filters.NLMS(12),
        filters.AffineProjection(12),
        filters.BlockLMS(12, 1e-3, 8),
        filters.PartitionedLMS(12, block=4),
    ],
)
@pytest.mark.parametrize("inputs", [[0], [2, 0, 3]])
def test_calls_are_one_run(one: Any, inputs: list[int]) -> None:
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(400, 4))
    stream = filters.Stream(one.reset(), block=16, inputs=inputs)
    out, k = np.empty((400, 2)), 0
    while k < 400:
        n = int(rng.integers(0, 60))
        stream(frames[k : k + n], out[k : k + n], n, None, "input overflow" if k == 0 else None)
        k += n
    u = frames[:, inputs[0]] if len(inputs) == 1 else frames[:, inputs]
    if u.ndim == 2 and not isinstance(one, (filters.BlockLMS, filters.PartitionedLMS)):
        u = filters.delay_line(u, 4)
    run = one.reset().run(u, frames[:, 1])
    assert out[:, 0].tobytes() == out[:, 1].tobytes() == run.e.tobytes()
    assert stream.lost_ == 1
    answer = filters.Stream(one.reset(), inputs=inputs, output="y").process(frames)
    assert answer.tobytes() == run.y.tobytes()


def test_memory_does_not_grow() -> None:
    stream = filters.Stream(filters.PartitionedLMS(1024, block=64), inputs=[0, 2])
    frames, out = np.random.default_rng(0).normal(size=(64, 3)), np.empty((64, 1))
    for _ in range(20):
        stream(frames, out, 64, None, None)
    tracemalloc.start()
    try:
        for _ in range(100):
            stream(frames, out, 64, None, None)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 20_000


def test_what_cannot_be_filtered_goes_out_as_silence() -> None:
    stream = filters.Stream(filters.NLMS(4))
    frames, out = np.ones((8, 2)), np.full((8, 2), 9.0)
    stream(frames, out)
    frames[3, 0], before = np.nan, stream.filter.w_.copy()
    with pytest.raises(ValueError, match="u has NaN at sample 3"):
        stream(frames, out)
    assert not out.any()
    assert stream.filter.w_.tobytes() == before.tobytes()
    with pytest.raises(ValueError, match=r"frames must have a column 1, counted from 0; their shape is \(8, 1\)"):
        stream(frames[:, :1], out)
    for call, words in (
        (lambda: filters.Stream(filters.NLMS(4), block=0), "block=0 must be a whole number of frames, at least 1"),
        (lambda: filters.Stream(filters.NLMS(4), output="d"), "output='d' must be"),
        (lambda: filters.Stream(filters.NLMS(4), inputs=[0, 2, 3]), "3 channels share the filter's taps evenly"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="a stream needs a filter that learns while it runs, not LeastSquaresFilter"):
        filters.Stream(filters.LeastSquaresFilter(4))


def test_the_quick_way_sees_every_change() -> None:
    """`adapt` keeps what it hands to the kernel: never that of other parameters, another memory or another filter."""
    rng = np.random.default_rng(1)
    X, d = rng.normal(size=(40, 3)), rng.normal(size=40)

    def learn(one: Any, rows: range) -> None:
        for k in rows:
            one.adapt(X[k], float(d[k]))

    one = filters.NLMS(3)
    learn(one, range(10))
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        learn(other, range(10, 20))
        assert other.w_.tobytes() == filters.NLMS(3).run(X[:20], d[:20]).w.tobytes()
    assert one.w_.tobytes() == filters.NLMS(3).run(X[:10], d[:10]).w.tobytes()  # its copies learned for themselves
    learn(one.reset(), range(5))
    assert one.w_.tobytes() == filters.NLMS(3).run(X[:5], d[:5]).w.tobytes()
    one.eta = 0.1
    learn(one, range(5, 9))
    two = filters.NLMS(3)
    two.run(X[:5], d[:5])
    assert one.w_.tobytes() == two.set_params(eta=0.1).run(X[5:9], d[5:9]).w.tobytes()
    with pytest.raises(ValueError, match="X has 2 columns and the filter 3 taps"):
        one.adapt(X[0, :2], 1.0)
    assert one.adapt(X[9], 1) == two.run(X[9:10], [1.0]).e[0]
    assert one.adapt(X[10].astype(np.float32), 1.0) == pytest.approx(two.run(X[10:11], [1.0]).e[0], rel=1e-5)
