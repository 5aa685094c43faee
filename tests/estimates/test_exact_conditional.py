"""Exact conditional logistic regression against all labelings, Fisher's test, and its own definition."""

from itertools import product
from math import comb, exp, inf, isnan, log

import numpy as np
import pytest
from scipy.stats import fisher_exact

from rosenblatt.estimates import exact_conditional
from rosenblatt.estimates.exact_conditional import exact
from rosenblatt.verdicts.clock import Unfinished


def _by_all_labelings(X, y, j):
    """How often each total of column j occurs among the labelings that have the observed other totals."""
    others = [k for k in range(X.shape[1]) if k != j]
    goal = np.round(y @ X, 9)
    counts: dict[float, int] = {}
    for labels in product((0, 1), repeat=len(y)):
        totals = np.round(np.array(labels) @ X, 9)
        if np.array_equal(totals[others], goal[others]):
            counts[float(totals[j])] = counts.get(float(totals[j]), 0) + 1
    return counts, float(goal[j])


def _tail(counts, observed, beta, up):
    weights = {t: c * exp(beta * (t - observed)) for t, c in counts.items()}
    return sum(v for t, v in weights.items() if (t >= observed if up else t <= observed)) / sum(weights.values())


@pytest.mark.parametrize("seed", range(60))
def test_against_all_labelings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3, 10)), int(rng.integers(1, 4))
    X = np.column_stack([rng.choice([-1.5, 0.0, 0.1, 1.0, 2.0], size=(n, p)), np.ones(n)])
    y = rng.integers(0, 2, n).astype(float)
    j = int(rng.integers(0, p + 1))
    counts, observed = _by_all_labelings(X, y, j)
    found = exact(X, y, np.ones(n), j, 0.9, lambda: None)
    if len(counts) == 1:
        assert isnan(found.value)
        assert (found.lower, found.upper, found.p) == (-inf, inf, 1.0)
        return
    assert found.p == pytest.approx(
        sum(c for c in counts.values() if c <= counts[observed]) / sum(counts.values()), abs=1e-12
    )
    if observed > min(counts):
        assert _tail(counts, observed, found.lower, True) == pytest.approx(0.05, abs=1e-9)
    else:
        assert found.lower == -inf
    if observed < max(counts):
        assert _tail(counts, observed, found.upper, False) == pytest.approx(0.05, abs=1e-9)
    else:
        assert found.upper == inf
    if min(counts) < observed < max(counts):
        assert found.lower < found.value < found.upper


@pytest.mark.parametrize(("a", "b", "c", "d"), [(3, 0, 1, 2), (7, 2, 3, 8), (0, 9, 5, 4), (12, 5, 6, 13)])
def test_a_table_of_two_by_two_is_fishers_test(a: int, b: int, c: int, d: int) -> None:
    X = np.array([[1.0, 1.0], [0.0, 1.0]])
    found = exact(X, np.array([a, c], dtype=float), np.array([a + b, c + d], dtype=float), 0, 0.95, lambda: None)
    assert found.p == pytest.approx(fisher_exact([[a, b], [c, d]]).pvalue, abs=1e-10)


def test_groups_are_the_same_as_their_rows() -> None:
    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    trials, y = np.array([4.0, 3.0, 5.0]), np.array([1.0, 2.0, 3.0])
    rows = np.repeat(X, trials.astype(int), axis=0)
    labels = np.concatenate([np.arange(m) < k for m, k in zip(trials, y, strict=True)]).astype(float)
    grouped = exact(X, y, trials, 0, 0.95, lambda: None)
    single = exact(rows, labels, np.ones(12), 0, 0.95, lambda: None)
    assert grouped == single


def test_units_only_change_the_unit() -> None:
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 4, 12), np.ones(12)]).astype(float)
    y = rng.integers(0, 2, 12).astype(float)
    one = exact(X, y, np.ones(12), 0, 0.95, lambda: None)
    cents = exact(X * [0.01, 1.0], y, np.ones(12), 0, 0.95, lambda: None)
    assert cents.value == pytest.approx(one.value * 100, rel=1e-9)
    assert cents.p == one.p


def test_at_the_edge_the_estimate_makes_the_observation_as_likely_as_not() -> None:
    X, y = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([3.0, 0.0])
    found = exact(X, y, np.array([3.0, 2.0]), 0, 0.95, lambda: None)
    counts = {t: comb(3, t) * comb(2, 3 - t) for t in (1, 2, 3)}
    share = counts[3] * exp(3 * found.value) / sum(c * exp(t * found.value) for t, c in counts.items())
    assert share == pytest.approx(0.5)
    assert found.upper == inf
    assert found.value > log(1.0)


def test_too_many_totals_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_conditional, "MOST_TOTALS", 10)
    X = np.column_stack([2.0 ** np.arange(12), np.ones(12)])
    with pytest.raises(Unfinished, match="more than 10 different totals"):
        exact(X, np.arange(12.0) % 2, np.ones(12), 0, 0.95, lambda: None)
