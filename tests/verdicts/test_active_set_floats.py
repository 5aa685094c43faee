"""The shortest weights with z·u ≥ 1: against non-negative least squares, and by what makes them the shortest."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from rosenblatt.verdicts.margins.active_set import ActiveRows


def searched(Z: Any, side: Any, free: bool, steps: int) -> ActiveRows:
    """The active rows at the end; a search may stop after any number of steps and go on."""
    first = np.unique(side, return_index=True)[1] if free else np.zeros(1, dtype=np.int64)
    active, calls = ActiveRows(Z, side, free), 0
    assert active.begin(first)
    while active.settle(steps, lambda: False):
        calls += 1
        assert calls < 10_000
    active.refine()
    return active


def cloud(seed: int, n: int, d: int, spread: int) -> tuple[Any, Any]:
    """Rows z = y·(x, 1) of separable data whose columns differ in size by up to 10^spread; and y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d - 1)) * 10.0 ** rng.integers(-spread, spread + 1, size=d - 1)
    y = np.where(X @ (rng.normal(size=d - 1) / np.abs(X).max(axis=0)) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0] if len(set(y)) < 2 else y[:2]
    return np.column_stack([X, np.ones(n)]) * y[:, None], y


@pytest.mark.parametrize("steps", [1, 7, 1000])
@pytest.mark.parametrize("d", [2, 3, 9, 30])
def test_it_is_the_nearest_point_of_the_hull(d: int, steps: int) -> None:
    for seed in range(5):
        Z, y = cloud(seed, 12 * d, d, 0)
        active = searched(Z, y, False, steps)
        lam = nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(d), 1.0), maxiter=10**4)[0]
        point = Z.T @ (lam / lam.sum())
        assert np.linalg.norm(active.u) == pytest.approx(1 / np.linalg.norm(point), rel=1e-6)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("spread", [0, 4])
def test_what_makes_it_the_shortest(spread: int, free: bool) -> None:
    """z·u ≥ 1 everywhere; μ ≥ 0, z·u = 1 where it is positive, u = Σ μ z; of a free bias, Σ μ y = 0."""
    for seed in range(10):
        Z, y = cloud(seed, 200, 8, spread)
        if free:  # the bias comes apart, and its column makes rows independent
            Z[:, -1] = y * np.sqrt(np.mean(np.sum(Z[:, :-1] ** 2, axis=1)))
        active = searched(Z, y, free, 1000)
        rows, mu, u = active.rows, active.mu, active.u
        responses = Z @ u + (active.bias * y if free else 0.0)
        rounding = 2.0**-48 * (np.abs(Z) @ np.abs(u)).max() + 1e-11
        assert responses.min() >= 1 - rounding
        assert np.abs(responses[rows] - 1).max() <= rounding
        assert mu.min() >= -1e-9 * mu.max()
        scale = np.abs(Z[rows].T) @ np.abs(mu)
        assert np.all(np.abs(Z[rows].T @ mu - u) <= 1e-9 * scale)
        if free:
            assert abs(mu @ y[rows]) <= 1e-9 * mu.sum()
            assert u[-1] == 0


def test_equal_and_dependent_rows_do_not_stop_it() -> None:
    rng = np.random.default_rng(0)
    Z = np.repeat(rng.integers(1, 4, size=(6, 3)).astype(float), 20, axis=0)
    active = searched(Z, np.ones(len(Z)), False, 1000)
    assert (Z @ active.u).min() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("free", [False, True])
def test_any_rows_may_be_guessed(free: bool) -> None:
    """Wherever it begins, it ends at the same weights; a guess without rows of both sides is refused."""
    for seed in range(10):
        Z, y = cloud(seed, 100, 6, 1)
        if free:
            Z[:, -1] = y * np.sqrt(np.mean(np.sum(Z[:, :-1] ** 2, axis=1)))
        cold, rng = searched(Z, y, free, 1000), np.random.default_rng(seed)
        for guess in (cold.rows, cold.rows[::-1], rng.choice(100, size=4, replace=False), np.arange(100)):
            warm = ActiveRows(Z, y, free)
            if warm.begin(guess):
                assert warm.mu.min() > 0
                assert warm.settle(1000, lambda: False) == ""
                warm.refine()
                assert warm.u == pytest.approx(cold.u, rel=1e-6, abs=1e-9 * np.abs(cold.u).max())
        assert not ActiveRows(Z, y, free).begin(np.empty(0, dtype=np.int64))
        assert not (free and ActiveRows(Z, y, free).begin(np.flatnonzero(y > 0)))


def test_a_search_that_is_late_says_so() -> None:
    Z, y = cloud(0, 200, 8, 0)
    active = ActiveRows(Z, y, False)
    assert active.begin(np.zeros(1, dtype=np.int64))
    assert active.settle(1000, lambda: True) == "the time limit was reached"
    assert active.settle(1, lambda: False) == "float arithmetic went in circles"
