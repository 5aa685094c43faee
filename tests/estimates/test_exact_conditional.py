"""Exact conditional logistic regression against all labelings, Fisher's test, and its own definition."""

from math import comb, exp, inf, isnan, log

import numpy as np
import pytest
from scipy.stats import fisher_exact

import rosenblatt as rb
from rosenblatt.context import Context
from rosenblatt.estimates import exact_conditional
from rosenblatt.estimates.design import design_of
from rosenblatt.estimates.exact_conditional import ExactDesign, TooManyTotals, exact
from rosenblatt.regressions import REGRESSIONS
from rosenblatt.regressions.machinery.given import Given
from tests.estimates.oracles import by_all_labelings, tail_share


@pytest.mark.parametrize("seed", range(60))
def test_against_all_labelings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3, 10)), int(rng.integers(1, 4))
    X = np.column_stack([rng.choice([-1.5, 0.0, 0.1, 1.0, 2.0], size=(n, p)), np.ones(n)])
    y = rng.integers(0, 2, n).astype(float)
    j = int(rng.integers(0, p + 1))
    counts, observed = by_all_labelings(X, y, j)
    found = exact(X, y, np.ones(n), j, 0.9, lambda: None)
    if len(counts) == 1:
        assert isnan(found.value)
        assert (found.lower, found.upper, found.p) == (-inf, inf, 1.0)
        return
    assert found.p == pytest.approx(
        sum(c for c in counts.values() if c <= counts[observed]) / sum(counts.values()), abs=1e-12
    )
    if observed > min(counts):
        assert tail_share(counts, observed, found.lower, True) == pytest.approx(0.05, abs=1e-9)
    else:
        assert found.lower == -inf
    if observed < max(counts):
        assert tail_share(counts, observed, found.upper, False) == pytest.approx(0.05, abs=1e-9)
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
    with pytest.raises(TooManyTotals):
        exact(X, np.arange(12.0) % 2, np.ones(12), 0, 0.95, lambda: None)


def test_one_huge_count_does_not_overflow() -> None:
    X = np.array([[0.0, 1.0], [1.0, 1.0]])
    found = exact(X, np.array([900.0, 1100.0]), np.array([2000.0, 2000.0]), 0, 0.95, lambda: None)
    assert 0.2 < found.lower < log((1100 / 900) / (900 / 1100)) < found.upper < 0.6


def test_the_table_has_it() -> None:
    X = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]])
    y, weights = np.array([0, 1, 0, 1, 1, 1]), np.array([1, 2, 1, 1, 1, 3])
    table = rb.estimate(X, y, sample_weight=weights, firth=False, exact=True, level=0.9)
    rows = np.repeat(np.c_[X, np.ones(6)], weights, axis=0).astype(float)
    own = [exact(rows, np.repeat(y, weights).astype(float), np.ones(9), j, 0.9, lambda: None) for j in range(3)]
    assert [one.exact for one in table.coefficients] == own
    assert table.to_json()["coefficients"][0]["exact"]["upper"] == "+inf"
    assert table.to_frame()["exact"].tolist() == [one.value for one in own]
    assert table.exponentiated().to_frame()["exact_lower"].iloc[0] == pytest.approx(exp(own[0].lower))
    assert "| exact | 90 % | p |" in table.to_markdown()
    assert table.to_latex().count("exact") == 1
    assert ">exact<" in table._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"model": "poisson"}, "is for logistic and binomial models"),
        ({"offset": [0.0, 0.5, 0.0, 0.0]}, "takes no offset"),
        ({"sample_weight": [1.0, 0.5, 1.0, 1.0]}, "must be whole numbers"),
    ],
)
def test_what_it_refuses(arguments, sentence) -> None:
    with pytest.raises(ValueError, match=sentence):
        rb.estimate([[1], [2], [3], [4]], [0, 1, 0, 1], exact=True, **arguments)


def test_its_time_limit_is_said() -> None:
    r = np.random.default_rng(0)
    given = Given.of(r.normal(size=(20, 2)), {"y": np.arange(20) % 2}, {}, None)
    design = design_of(REGRESSIONS["logistic"], given, Context.of(0.0))
    with pytest.raises(ValueError, match="the exact analysis was not finished: the time limit was reached"):
        ExactDesign(design, 0.95).estimate(0)
