"""Rows that single columns decide: verdicts with and without taking them away are the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import search
from rosenblatt.verdicts.search.peeling import peel
from tests.verdicts.test_tables import allowed_bits, longest_number


def points_of(Z: np.ndarray) -> Points:
    return Points(as_rows(Z), np.ones(len(Z), dtype=np.int8), False)


def stairs(p: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The first coordinate that is not zero decides, whatever follows."""
    rng = np.random.default_rng(seed)
    lead = rng.integers(0, p, size=n)
    X = rng.integers(-9, 10, size=(n, p)).astype(float)
    X[np.arange(p) < lead[:, None]] = 0.0
    X[np.arange(n), lead] = rng.choice([-1.0, 1.0], size=n)
    order = rng.permutation(p)
    return X[:, order], X[np.arange(n), lead]


@pytest.mark.parametrize("zeros", [False, True])
def test_stairs_of_45_coordinates(zeros: bool) -> None:
    X, y = stairs(45, 900, 0)
    if zeros:
        X, y = np.vstack([X, np.zeros((2, 45))]), np.append(y, [1, -1])
    verdict = rb.separability(X, y, margin=False, time_limit=60)
    assert verdict.kind == ("quasi" if zeros else "complete")
    assert verdict.certificate.verify(X, y).startswith(verdict.kind)
    assert longest_number(verdict.certificate.content) <= allowed_bits(X)
    if zeros:
        assert verdict.rows["plane"].tolist() == [900, 901]


tables = st.integers(1, 4).flatmap(
    lambda p: st.lists(st.lists(st.sampled_from([-3, -1, 0, 0, 1, 2]), min_size=p, max_size=p), min_size=1, max_size=9)
)


@given(tables)
def test_what_remains_is_what_no_column_decides(rows: list[list[int]]) -> None:
    Z = np.array(rows, dtype=float)
    found = peel(points_of(Z))
    left, columns = set(range(len(Z))), set(range(Z.shape[1]))
    while True:  # the naive way
        some = Z[sorted(left)]
        decisive = [j for j in columns if (some[:, j] > 0).any() != (some[:, j] < 0).any()]
        if not left or not decisive:
            break
        left = {i for i in left if not Z[i, decisive[0]]}
        columns.discard(decisive[0])
    if found is None:
        assert len(left) == len(Z)
        return
    assert set(found.rows.tolist()) == left
    away = np.setdiff1d(np.arange(len(Z)), found.rows)
    for w in itertools.product([-2, 0, 5], repeat=min(2, found.columns.size)):  # whatever the weights of the core are
        core = [*w, *[1] * (found.columns.size - len(w))]
        whole = np.array(found.weights(points_of(Z), core), dtype=object)
        assert np.all(Z[away].astype(int).astype(object) @ whole > 0)
        responses = Z[found.rows].astype(int).astype(object)
        given_core = responses[:, found.columns] @ np.array(core, dtype=object)
        assert np.array_equal(np.sign((responses @ whole).astype(float)), np.sign(given_core.astype(float)))


@settings(max_examples=settings.default.max_examples // 2)
@given(tables, st.data(), st.sampled_from([1.0, 0.1, 2.0**-60]))
def test_the_verdict_is_the_same_without(rows: list[list[int]], data: st.DataObject, unit: float) -> None:
    X = np.array(rows, dtype=float)
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X))))
    X[:, 0] *= unit
    found = rb.separability(X, y, margin=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "peel", lambda points: None)
        expected = rb.separability(X, y, margin=False)
    assert found.kind == expected.kind
    assert found.rows["plane"].tolist() == expected.rows["plane"].tolist()
    assert found.certificate.verify(X, y).startswith(found.kind)


def test_a_level_of_one_class_leaves_the_others_as_the_core() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)).round(2), rng.choice([-1, 1], 300)
    level = rng.integers(0, 5, 300)
    y[level == 4] = 1
    X = np.hstack([X, np.eye(5)[level][:, 1:]])
    verdict = rb.separability(X, y)
    assert verdict.kind == "quasi"
    assert verdict.rows["strict"].tolist() == np.flatnonzero(level == 4).tolist()
    assert sum(v != 0 for v in verdict.hyperplane.w) + (verdict.hyperplane.b != 0) == 1  # one weight says it all


def test_what_is_known_when_time_is_over_is_known_of_the_callers_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mixture of the core's rows that is known by then has the numbers of the table's rows."""
    X = np.array([[1.0, 5.0], [0.0, 1.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    y = np.array([1, 1, -1, 1, -1])

    def late(*_: object) -> None:
        raise search.Unfinished("the time limit was reached")

    monkeypatch.setattr(search.Search, "_at_once", late)
    verdict = rb.separability(X, y)
    assert verdict.kind == "unknown"
    assert verdict.witness
    z = np.column_stack([X, np.ones(5)]) * y[:, None]
    assert not np.any(sum(m * z[i] for i, m in verdict.witness.items()))
