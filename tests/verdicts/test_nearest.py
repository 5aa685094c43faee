"""The nearest point of a hull, against scipy's non-negative least squares on all rows at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from rosenblatt.verdicts.nearest import Nearest


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
