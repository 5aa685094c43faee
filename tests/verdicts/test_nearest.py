"""The nearest point of a hull, against scipy's non-negative least squares on all rows at once; least squares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts.margins.active_set import Nearest
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import candidates


def nothing() -> None:
    pass


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4), st.sampled_from(["apart", "around", "whole"]))
def test_it_is_what_all_rows_at_once_give(seed: int, d: int, parts: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    nearest, rows = Nearest(d), np.empty((0, d))
    for _ in range(parts):
        fresh = rng.normal(size=(4, d)) + (3.0 if kind == "apart" else 0.0)
        fresh = rng.integers(-2, 3, size=(4, d)).astype(float) if kind == "whole" else fresh
        nearest.add(fresh)
        rows = np.vstack([rows, fresh])
        assert nearest.solve(nothing)
    lam = nearest.weights
    system, target = np.vstack([rows.T, np.ones(len(rows))]), np.append(np.zeros(d), 1.0)
    distance = nnls(system, target)[1]
    assert lam.min() >= 0
    assert np.linalg.norm(system @ lam - target) == pytest.approx(distance, abs=1e-9)
    assert np.linalg.matrix_rank(rows[lam > 0]) >= np.count_nonzero(lam) - 1  # one mixture of these rows at most


def test_it_looks_at_the_clock_at_every_step() -> None:
    asked = []

    def stop() -> None:
        asked.append(0)
        if len(asked) == 5:
            raise TimeoutError

    nearest = Nearest(20)
    nearest.add(np.random.default_rng(0).normal(size=(60, 20)))
    with pytest.raises(TimeoutError):
        nearest.solve(stop)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 13, 40])
def test_least_squares_on_more_columns_than_rows_in_pieces(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Gram matrix is made of pieces, half of each by symmetry: every response must be what was asked for."""
    monkeypatch.setattr(candidates, "_PIECE", 4)
    rng = np.random.default_rng(n)
    points = Points(as_rows(rng.normal(size=(n, 60))), rng.choice([-1, 1], size=n).astype(np.int8), True)
    open_rows = rng.random(n) < 0.7
    u = candidates.least_squares(points, open_rows)
    assert np.abs(points.respond(u) - open_rows).max() < 1e-8
    shortest = np.linalg.pinv(points.unit_rows(np.arange(n))) @ open_rows
    assert np.abs(u - shortest).max() < 1e-8
