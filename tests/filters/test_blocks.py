"""Filters that learn block by block: against the textbook, each other, themselves in chunks, and on hard inputs."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt import filters
from rosenblatt.filters.uses.streaming import LineFilter
from tests.filters import naive
from tests.filters.test_rules import DTYPES, check_chunks, signals

BLOCKS = {
    "block": filters.BlockLMS(eta=1e-3),
    "partitioned": filters.PartitionedLMS(eta=0.7),
    "alternating": filters.PartitionedLMS(eta=0.7, constraint="alternating", smoothing=0.0),
    "unconstrained": filters.PartitionedLMS(eta=0.7, constraint="none", eps=0.1),
    "not normalized": filters.PartitionedLMS(eta=1e-3, normalized=False),
    "kalman": filters.PartitionedKalman(),
    "kalman that drifts": filters.PartitionedKalman(drift=1e-3, smoothing=0.3),
}
WHOLE = ("alternating", "unconstrained")  # these need a whole number of blocks


def make(name: str, taps: int, block: int, channels: int) -> Any:
    one = clone(BLOCKS[name]).set_params(block=block)
    return one.set_params(taps=channels * (-(-taps // block) * block if name in WHOLE else taps))


def oracle(one: Any, u: Any, d: Any) -> tuple[Any, Any]:
    wide = np.complex128 if u.dtype.kind == "c" else np.float64
    if isinstance(one, filters.BlockLMS):
        return naive.block_lms(one, u.astype(wide), d.astype(wide))
    return naive.partitioned(one, u.astype(wide), d.astype(wide))


@given(
    st.sampled_from(sorted(BLOCKS)),
    st.sampled_from(DTYPES),
    st.integers(0, 3),
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 90),
    st.integers(0, 2**31),
)
def test_textbook(name: str, dtype: Any, channels: int, taps: int, block: int, n: int, seed: int) -> None:
    u, d = signals(np.random.default_rng(seed), n, dtype, channels)
    one = make(name, taps, block, max(1, channels))
    run = one.run(u, d)
    y, w = oracle(one, u, d)
    near = 1e-5 if dtype in (np.float32, np.complex64) else 1e-9
    assert run.y.dtype == run.e.dtype == dtype
    assert run.w.dtype == (np.complex128 if u.dtype.kind == "c" else np.float64)
    assert one.n_samples_ == n
    assert abs(run.y - y).max(initial=0) < near * (1 + abs(y).max(initial=0))
    assert abs(run.e - (d - y)).max(initial=0) < near * (1 + abs(y).max(initial=0))
    assert abs(run.w - w).max() < 1e-9 * (1 + abs(w).max())


@given(
    st.sampled_from(sorted(BLOCKS)),
    st.sampled_from(DTYPES),
    st.integers(0, 2),
    st.integers(1, 20),
    st.integers(1, 12),
    st.lists(st.integers(0, 30), max_size=6),
    st.integers(1, 7),
    st.integers(0, 2**31),
)
def test_chunks_are_one_call(
    name: str, dtype: Any, channels: int, taps: int, block: int, cuts: list[int], every: int, seed: int
) -> None:
    n = sum(cuts) + 5
    u, d = signals(np.random.default_rng(seed), n, dtype, channels)
    check_chunks(make(name, taps, block, max(1, channels)), u, d, cuts, every)


@given(st.integers(1, 20), st.integers(1, 60), st.sampled_from([np.float64, np.complex128]), st.integers(0, 2**31))
def test_a_block_of_one_is_lms(taps: int, n: int, dtype: Any, seed: int) -> None:
    u, d = signals(np.random.default_rng(seed), n, dtype)
    lms = filters.LMS(taps, 0.1 / taps).run(u, d)
    for one in (
        filters.BlockLMS(taps, 0.1 / taps, block=1),
        filters.PartitionedLMS(taps, 0.1 / taps, block=1, normalized=False),
    ):
        run = one.run(u, d)
        assert abs(run.y - lms.y).max() < 1e-12 * (1 + abs(lms.y).max())
        assert abs(run.w - lms.w).max() < 1e-12 * (1 + abs(lms.w).max())


@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 3), st.integers(0, 2**31))
def test_partitioned_is_unpartitioned(taps: int, block: int, channels: int, seed: int) -> None:
    u, d = signals(np.random.default_rng(seed), 150, np.float64, channels)
    eta = 0.2 / (channels * taps + block)
    run = filters.BlockLMS(channels * taps, eta, block).run(u, d)
    same = filters.PartitionedLMS(channels * taps, eta, block, normalized=False).run(u, d)
    assert abs(run.y - same.y).max() < 1e-11 * (1 + abs(run.y).max())
    assert abs(run.w - same.w).max() < 1e-11 * (1 + abs(run.w).max())


def hard(kind: str, n: int, rng: np.random.Generator) -> Any:
    t = np.arange(n)
    return {
        "white": rng.normal(size=n),
        "sine": np.sin(rng.uniform(0, 3) * t),
        "sine and noise": np.sin(0.1 * t) + 1e-5 * rng.normal(size=n),
        "walk": np.cumsum(rng.normal(size=n)),
        "ramp": 1.0 * t,
        "growing": np.exp(t / 200),
        "constant and noise": 1 + 1e-6 * rng.normal(size=n),
        "clicks": 1.0 * (rng.random(n) < 0.02),
        "bursts": rng.normal(size=n) * (t // 100 % 3 == 0),
        "silence": np.zeros(n),
        "chirp": np.sin(1e-4 * t**2),
    }[kind]


KINDS = [
    "white",
    "sine",
    "sine and noise",
    "walk",
    "ramp",
    "growing",
    "constant and noise",
    "clicks",
    "bursts",
    "silence",
    "chirp",
]


@given(
    st.sampled_from(KINDS),
    st.sampled_from(["full", "alternating", "none"]),
    st.floats(0.01, 1.99),
    st.sampled_from([1e-12, 1e-4, 1.0]),
    st.integers(1, 4),
    st.integers(1, 20),
    st.integers(0, 2**31),
)
def test_weights_never_move_away(
    kind: str, constraint: str, eta: float, eps: float, partitions: int, block: int, seed: int
) -> None:
    """Without noise, on every input and with every step below 2: the claim of the docstring."""
    rng = np.random.default_rng(seed)
    taps = partitions * block
    u, h = hard(kind, 60 * block, rng), rng.normal(size=taps)
    d = np.convolve(u, h)[: len(u)]
    one = filters.PartitionedLMS(taps, eta, block, eps=eps, constraint=constraint)
    far = [np.linalg.norm(h)]
    for k in range(0, len(u), block):
        one.run(u[k : k + block], d[k : k + block])
        memory = one._memory
        spectra = np.fft.rfft(h.reshape(-1, block), 2 * block)[1:] - memory.tail[0]
        beyond = np.fft.irfft(spectra, 2 * block)  # with what lies outside the partitions, where it is not constrained
        far.append(np.hypot(np.linalg.norm(h[:block] - memory.w[0, :block]), np.linalg.norm(beyond)))
    assert all(after <= before * (1 + 1e-9) + 1e-12 for before, after in pairwise(far))


@pytest.mark.parametrize("name", sorted(BLOCKS))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [0, 2])
def test_goes_on_bit_for_bit(name: str, dtype: Any, channels: int, tmp_path: Path) -> None:
    u, d = signals(np.random.default_rng(0), 90, dtype, channels)
    whole, first = (make(name, 11, 4, max(1, channels)) for _ in range(2))
    for one in (whole, first):
        one.start = np.ones(one.taps)
    run = whole.run(u, d)
    first.run(u[:41], d[:41])
    rb.save(first, tmp_path / "filter")
    second = rb.load(tmp_path / "filter")
    assert repr(second) == repr(first)
    assert second.run(u[41:], d[41:]).e.tobytes() == run.e[41:].tobytes()
    assert second.w_.tobytes() == run.w.tobytes()
    assert second.reset().run(u, d).e.tobytes() == run.e.tobytes()


@pytest.mark.parametrize("name", ["partitioned", "alternating", "unconstrained", "kalman"])
def test_units_make_no_difference(name: str) -> None:
    rng = np.random.default_rng(3)
    u = rng.normal(size=600)
    u[:7], u[7:20], u[100:150], u[200:230] = 0, u[7:20] / 1000, 30 * u[100:150], 0
    d = np.convolve(u, rng.normal(size=12))[:600] + rng.normal(size=600) / 10
    one = make(name, 12, 8, 1)
    volts = one.run(u, d)
    for unit in (2.0**-40, 2.0**40):  # powers of two: bit for bit
        scaled = one.reset().run(u * unit, d * unit)
        assert scaled.w.tobytes() == volts.w.tobytes()
        assert (scaled.e / unit).tobytes() == volts.e.tobytes()
    other = one.reset().run(u * 2.0**-10, d * 2.0**5)
    assert (other.w / 2.0**15).tobytes() == volts.w.tobytes()


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_finds_a_complex_system_of_two_channels(name: str) -> None:
    rng = np.random.default_rng(6)
    u, _ = signals(rng, 20_000, np.complex128, 2)
    h = rng.normal(size=(2, 20)) + 1j * rng.normal(size=(2, 20))
    d = sum(np.convolve(u[:, k], h[k])[:20_000] for k in range(2))
    one = make(name, 20, 10, 2)
    w = one.run(u, d).w
    assert abs(w - h.ravel()).max() < (1e-2 if name == "unconstrained" else 1e-3)
    x = rng.normal(size=40)
    assert abs(one.predict(x) - w @ x) < 1e-9


def test_kalman_does_not_listen_to_somebody_else() -> None:
    """Double talk: near-end noise as loud as the echo, in the second half."""
    rng = np.random.default_rng(7)
    u, h = rng.normal(size=60_000), rng.normal(size=300) * 0.98 ** np.arange(300)
    d = np.convolve(u, h)[:60_000] + 1e-3 * rng.normal(size=60_000)
    d[30_000:] += np.std(d) * rng.normal(size=30_000)

    def far(one: Any) -> list[float]:
        halves = [one.run(u[part], d[part]).w for part in (slice(0, 30_000), slice(30_000, None))]
        return [20 * np.log10(np.linalg.norm(w - h) / np.linalg.norm(h)) for w in halves]

    lms, kalman = far(filters.PartitionedLMS(300, block=50)), far(filters.PartitionedKalman(300, block=50))
    assert lms[0] < -50
    assert lms[1] > -10
    assert kalman[0] < -40
    assert kalman[1] < -25


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: f.run(np.ones(9), np.ones(8)), "u has 9 samples and d has 8: they must have the same length"),
        (
            lambda f: f.run(np.ones((9, 2, 2)), np.ones(9)),
            r"u must be a signal \(1-D\) or signals side by side \(2-D\)",
        ),
        (lambda f: f.run(np.ones((9, 0)), np.ones(9)), r"u must be a signal \(1-D\) or signals side by side \(2-D\)"),
        (
            lambda f: f.run(np.ones((9, 4)), np.ones(9)),
            "4 channels share the filter's taps evenly: taps=6 is not a mult",
        ),
        (lambda f: f.run(np.ones(9), np.ones((9, 0))), r"d must be a signal \(1-D\) or signals side by side \(2-D\)"),
        (lambda f: f.run(np.full(9, np.nan), np.ones(9)), "u has NaN at sample 0; a filter would carry it on for ever"),
        (lambda f: f.run(np.ones(9), np.full(9, np.inf)), "d has an infinite value at sample 0"),
        (lambda f: f.run(np.ones(9), np.ones(9), history=0), "history=0 must be a whole number"),
        (lambda f: f.set_params(block=0).run(np.ones(9), np.ones(9)), "The 'block' parameter of PartitionedLMS"),
        (
            lambda f: f.set_params(constraint="none").run(np.ones(9), np.ones(9)),
            "constraint='none' needs a whole number of blocks: 6 taps are not a multiple of block=4",
        ),
        (
            lambda f: f.set_params(taps=4 * 10**15).run(np.ones(9), np.ones(9)),
            r"must be an int in the range \[1, 16777216\]",
        ),
        (lambda f: f.set_params(start=[1.0]).run(np.ones(9), np.ones(9)), "start must hold 6 finite weights"),
    ],
)
def test_refused_in_a_sentence(call: Any, words: str) -> None:
    one = filters.PartitionedLMS(6, block=4)
    with pytest.raises(ValueError, match=words) as caught:
        call(one)
    assert "\n" not in str(caught.value)
    assert one.n_samples_ == 0


def test_changes_midway() -> None:
    one = filters.PartitionedLMS(6, block=4)
    u, d = np.ones(9), np.ones(9)
    one.run(u, d)
    with pytest.raises(ValueError, match="has been fed 1 signals side by side, and now 2"):
        one.run(np.ones((9, 2)), d)
    with pytest.raises(ValueError, match="learned from real signals"):
        one.run(u * 1j, d)
    for change in ({"taps": 8}, {"block": 3}):
        with pytest.raises(ValueError, match="length was changed"):
            clone_of(one).set_params(**change).run(u, d)
    one.set_params(eta=0.1).run(u, d)


def clone_of(one: Any) -> Any:
    """A copy that has learned the same."""
    other = clone(one)
    other._memory = one._memory
    return other


def test_a_step_too_large_warns_and_divergence_is_named() -> None:
    rng = np.random.default_rng(0)
    u, d = signals(rng, 4000, np.float64)
    bound = 2 / (40 + 8 + 1) / np.mean(u**2)
    with pytest.warns(UserWarning, match=rf"above {bound:.3g}, the largest step that theory calls stable for BlockLMS"):
        filters.BlockLMS(40, 1.1 * bound, block=8).run(u, d)
    filters.BlockLMS(40, 0.7 * bound, block=8).run(u, d)  # warnings are errors here
    with pytest.warns(UserWarning, match="eta=2.5 is above 2, the largest stable step of every normalised filter"):
        filters.PartitionedLMS(40, 2.5, block=8).run(u[:48], d[:48])
    one = filters.BlockLMS(40, 1.0, block=8)
    with pytest.warns(UserWarning, match="above"), pytest.raises(OverflowError, match="BlockLMS diverged: "):
        one.run(np.ones(4000), np.ones(4000))
    assert one.n_samples_ == 0


def test_tasks_and_lines_take_them() -> None:
    rng = np.random.default_rng(1)
    U, d = rng.normal(size=(40_000, 3)), rng.normal(size=40_000)
    done = filters.cancel(d, U, filters.PartitionedLMS(60, block=64), history=1000)
    run = filters.PartitionedLMS(60, block=64).run(U, d, history=1000)
    assert done.e.tobytes() == run.e.tobytes()
    assert done.history.tobytes() == run.history.tobytes()
    assert done.w.shape == (3, 20)
    lines = LineFilter("cancel", filters.PartitionedLMS(60, block=64), ["0", "1", "2"], "3")
    answers = list(lines.run(",".join(map(repr, row)) for row in np.column_stack([U, d])[:50].tolist()))
    assert [float(one.split(",")[1]) for one in answers] == run.e[:50].tolist()


def test_extreme_values() -> None:
    huge, tiny = np.tile([1e300, -1e300, 1e300], 9), np.tile([5e-324, -0.0, 1e-310], 9)
    for name in sorted(BLOCKS):
        one = make(name, 5, 4, 1)
        assert np.isfinite(one.run(tiny, tiny).y).all()
        assert one.reset().run([], []).y.shape == (0,)
    assert np.isfinite(filters.PartitionedLMS(5, block=4).run(huge / 1e200, huge / 1e200).y).all()


@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: filters.PartitionedLMS(100, block=16),
        lambda: filters.PartitionedLMS(100, block=32),
        lambda: filters.PartitionedLMS(20, block=32, eta=1e-3, normalized=False),
        lambda: filters.PartitionedLMS(96, block=16, constraint="alternating"),
        lambda: filters.PartitionedLMS(12, block=16, freeze="two-path"),
        lambda: filters.BlockLMS(100, 1e-3, block=16),
        lambda: filters.PartitionedKalman(100, block=16),
    ],
)
def test_a_whole_recording_is_filtered_by_transforms(make, complex_):
    """The same up to rounding; chunks of whole blocks give the bits of one call, and other chunks go on as usual."""
    random = np.random.default_rng(0)
    u, d = random.normal(size=(2, 1000)) + (1j * random.normal(size=(2, 1000)) if complex_ else 0)
    plain, fast = make().run(u, d), make().run(u, d, offline=True)
    for one, other in zip(plain[:3], fast[:3], strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-9)
    again = make()
    parts = [again.run(u[k : k + 160], d[k : k + 160], offline=True) for k in range(0, 1000, 160)]
    assert np.array_equal(np.concatenate([part.y for part in parts]), fast.y)
    odd = make()
    mixed = [odd.run(u[a:b], d[a:b], offline=True).y for a, b in ((0, 7), (7, 500), (500, 1000))]
    np.testing.assert_allclose(np.concatenate(mixed), plain.y, rtol=1e-7, atol=1e-9)
    two = make().run(u, np.stack([d, 2 * d], axis=1), offline=True)
    np.testing.assert_allclose(two.y[:, 0], plain.y, rtol=1e-7, atol=1e-9)


@given(
    st.sampled_from((32, 64)),
    st.integers(1, 3),
    st.integers(1, 200),
    st.integers(1, 700),
    st.lists(st.integers(0, 700), max_size=4),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_the_compiled_blocks_are_those_of_the_textbook(
    block: int, channels: int, taps: int, n: int, cuts: list[int], normalized: bool, seed: int
) -> None:
    """Whole recordings beside the oracle; cut at blocks, saved in between or watched, they are the same bits."""
    u, d = signals(np.random.default_rng(seed), n, np.float64, channels)
    u *= 2.0 ** (seed % 41 - 20)  # quiet and loud: the step is a share of the power
    eta = 0.7 if normalized else 1e-3 / 4.0 ** (seed % 41 - 20)
    new = filters.PartitionedLMS(channels * taps, eta=eta, block=block, normalized=normalized)
    run = clone(new).run(u, d, offline=True)
    y, w = oracle(new, u, d)
    np.testing.assert_allclose(run.y, y, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(run.w, w, rtol=1e-8, atol=1e-9 * max(1e-300, float(abs(w).max())))
    one, parts = clone(new), []
    for first, last in pairwise([0, *sorted(min(cut, n) // block * block for cut in cuts), n]):
        parts.append(one.run(u[first:last], d[first:last], offline=True).y)
        one = type(one)._from_parts(*one._to_parts()) if one.n_samples_ else one
    assert np.array_equal(np.concatenate(parts), run.y)
    assert np.array_equal(one.w_, run.w)
    watched = clone(new).run(u, d, history=block // 2, offline=True)
    assert np.array_equal(watched.y, run.y)
    assert watched.history is not None
    assert len(watched.history) == -(-n // (block // 2))


@pytest.mark.parametrize("size", [1e-300, 1e150, 1e300])
def test_compiled_blocks_at_the_ends_of_the_numbers(size: float) -> None:
    """Silence, and powers that are no numbers any more: as block by block."""
    random = np.random.default_rng(0)
    u = size * random.normal(size=512)
    u[100:300] = 0.0
    with np.errstate(all="ignore"):
        for make in (lambda: filters.PartitionedLMS(128, block=64), lambda: filters.PartitionedLMS(128, 1.0, 32)):
            plain, fast = (make().run(u, u, offline=how) for how in (False, True))
            np.testing.assert_allclose(fast.y, plain.y, rtol=1e-6, atol=1e-9 * size)


def test_compiled_blocks_that_diverge_are_named() -> None:
    random = np.random.default_rng(0)
    wild = filters.PartitionedLMS(64, eta=1e10, block=32, normalized=False)
    with pytest.raises(OverflowError, match=r"PartitionedLMS diverged: .* within the first [\d,]+ samples"):
        wild.run(random.normal(size=4000), random.normal(size=4000), offline=True)
    assert wild.n_samples_ == 0
