"""Rows sorted by class: shards are named, rows are dealt, and what is mixed is as good as the local fit."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from distributed import Client
from rosenblatt.blocks import Here
from rosenblatt.blocks.dealing import Deal, DealtBlocks, OneClassWarning, are_uneven
from rosenblatt.blocks.shard import ShardSurvey
from tests.distributed.conftest import Inline

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(seed: int, n: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.sort((rng.random(n) < 0.4).astype(int))
    X = rng.normal(size=(n, 10))
    X[:, :3] += 0.8 * y[:, None]
    return X, y


def cut(X: Any, y: Any, shards: int) -> list[Any]:
    return [(X[some], y[some]) for some in np.array_split(np.arange(len(y)), shards)]


@pytest.mark.parametrize("shards", [2, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_sorted_shards_are_within_a_hundredth_of_the_local_fit(seed: int, shards: int) -> None:
    X, y = overlapping(seed)
    model = rb.Perceptron(average=True, max_passes=20)
    local = model.fit(X, y).score(X, y)
    with pytest.warns(OneClassWarning, match=r"^item 0 has rows of class 0 alone"):
        rb.distributed.fit(model, cut(X, y, shards), None, Inline())
    assert model.score(X, y) >= local - 0.01


def test_shards_of_one_class_are_named() -> None:
    X, y = overlapping(0)
    model = rb.Perceptron(max_passes=2)
    dealt = (
        r"^item 0 has rows of class 0 alone, and 4 more of the 6 shards have one class too: the rows are dealt across "
        r"the shards before they are learned from \(deal=False leaves them where they are\)\.$"
    )
    with pytest.warns(OneClassWarning, match=dealt):
        rb.distributed.fit(model, cut(X, y, 6), None, Inline())
    left = r"a pass over such a shard learns one answer \(deal=True deals the rows across the shards\)\.$"
    with pytest.warns(OneClassWarning, match=left):
        rb.distributed.fit(model, cut(X, y, 6), None, Inline(), deal=False)


def test_shards_alike_are_left_alone() -> None:
    X, y = overlapping(0)
    order = np.random.default_rng(0).permutation(len(y))
    model = rb.Perceptron(max_passes=3, random_state=0)
    found = [
        rb.distributed.fit(model, cut(X[order], y[order], 5), None, Inline(), deal=deal).coef_.tobytes()
        for deal in (None, False, True)
    ]
    assert found[0] == found[1] != found[2]


@given(st.lists(st.integers(1, 7), min_size=1, max_size=40), st.integers(0, 10**6))
def test_every_row_is_dealt_once_and_keeps_its_number(lengths: list[int], seed: int) -> None:
    shares = np.random.default_rng(seed).random((len(lengths), 2)).round(1)
    deal = Deal.of([survey(n, n) for n in lengths], shares)
    counts = [sum(deal.counts(s)) for s in range(len(lengths))]
    shards = DealtBlocks(Here(), [None] * len(lengths), counts, deal=deal)
    numbers = [shards.number(s, np.arange(n)) for s, n in enumerate(counts)]
    assert min(counts) >= 1
    assert sorted(np.concatenate(numbers).tolist()) == list(range(sum(lengths)))
    homes, places = shards.homes(np.arange(sum(lengths)))
    for s, own in enumerate(numbers):
        some = np.flatnonzero(homes == s)
        assert sorted(some.tolist()) == sorted(own.tolist())
        assert shards.number(s, places[some]).tolist() == some.tolist()


def survey(n: int, positive: int) -> ShardSurvey:
    counts = np.array([n - positive, positive])
    there = counts > 0
    return ShardSurvey(
        n,
        1,
        None,
        np.array([0, 1])[there],
        counts[there],
        counts[there],
        None,
        1.0,
        False,
        "",
        (),
        np.zeros(1, dtype=bool),
    )


def test_when_shards_are_uneven() -> None:
    classes = np.array([0, 1])
    assert are_uneven([survey(1000, 0), survey(1000, 1000)], classes)
    assert are_uneven([survey(1000, 300), survey(1000, 700)], classes)
    assert not are_uneven([survey(1000, 480), survey(1000, 520)], classes)
    assert not are_uneven([survey(1, 0), survey(1, 1), survey(2, 1)], classes)  # by chance


@pytest.mark.filterwarnings("ignore::rosenblatt.blocks.dealing.OneClassWarning")
@pytest.mark.parametrize("layout", ["dense", "csr", "weights"])
def test_traces_and_witnesses_keep_the_numbers_of_rows(layout: str, client: Client) -> None:
    X, y = rb.datasets.margin_cloud(300, 3, margin=0.05, random_state=0)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    shards: list[Any] = cut(sp.csr_matrix(X) if layout == "csr" else X, y, 3)
    if layout == "weights":
        shards = [(*shards[0], np.ones(100)), *shards[1:]]
    model = rb.distributed.fit(rb.Perceptron(trace=True), shards, None, client)
    assert model.outcome_ == "SEPARATED"
    w = model.trace_.weights_after(model.n_passes_, sp.csr_matrix(X) if layout == "csr" else X)
    assert w.tobytes() == np.append(model.coef_, model.intercept_).tobytes()


def test_a_witness_of_dealt_rows() -> None:
    X, y = rb.datasets.xor()
    X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    model = rb.distributed.fit(rb.Perceptron(order="cyclic"), cut(X, y, 2), None, Inline(), deal=True)
    assert model.outcome_ == "CYCLING"
    z = np.where(y == 1, 1, -1)[:, None] * np.column_stack([X, np.ones(8)])
    assert not np.any(np.array(model.witness_.multipliers) @ z[model.witness_.rows])


def test_patience_looks_at_one_w() -> None:
    X, y = overlapping(1)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    errors: list[int] = []
    model = rb.Perceptron(patience=3, max_passes=100, average=False)
    rb.distributed.fit(model, cut(X, y, 4), None, Inline())
    stopped = model.n_passes_
    for passes in range(1, stopped + 1):
        one = rb.distributed.fit(rb.Perceptron(max_passes=passes, average=False), cut(X, y, 4), None, Inline())
        errors.append(int(np.count_nonzero(one.predict(X) != y)))
    assert int(np.argmin(errors)) + 1 + 3 == stopped < 100
    assert "no pass beat the best for 3 passes" in model.outcome_.sentence
    assert "fewest" not in model.outcome_.sentence  # each shard's mistakes are those of other weights
    assert model.mistakes_per_pass_.tolist() == model.mistakes_per_shard_.sum(axis=1).tolist()
