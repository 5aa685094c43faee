"""Sums over risk sets: against the partial likelihood event by event, and both ways of adding up against each other."""

from dataclasses import replace

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.estimates.risk import RiskLoss, RiskSums
from rosenblatt.regressions.machinery.sets import AtRisk
from tests.estimates.choice_oracles import slow_cox


def _drawn(seed, late=False):
    r = np.random.default_rng(seed)
    n = int(r.integers(12, 30))
    X, strata = r.normal(size=(n, 2)), r.integers(0, 3, n)
    time, event = r.integers(2, 7, n).astype(float), r.random(n) < 0.7
    event[0] = True
    return X, time, event, (r.integers(0, 2, n).astype(float) if late else None), strata


def _loss(X, time, event, entry, strata, ties="efron", weights=None):
    given = np.zeros(len(X)), np.ones(len(X)) if weights is None else weights
    return RiskLoss.of(X, AtRisk.of(time, event, entry, strata), strata, given, ties == "efron")


@pytest.mark.parametrize("seed", range(8))
def test_the_loss_and_its_derivatives_are_those_of_the_definition(seed) -> None:
    X, time, event, entry, strata = _drawn(seed, late=seed % 2 == 0)
    ties = ("efron", "breslow")[seed % 3 == 0]
    loss, slow = _loss(X, time, event, entry, strata, ties), slow_cox(X, time, event, ties, entry, strata)
    for v in (np.zeros(2), np.array([0.7, -1.3])):
        point, (value, g, H) = loss.at(v), slow.moments(v)
        assert point.loss == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(point.gradient, g, atol=1e-10)
        np.testing.assert_allclose(point.information, H, atol=1e-10)
        penalised, step = loss.with_penalty(), 1e-5
        slopes = [(slow.penalised(v + step * e) - slow.penalised(v - step * e)) / (2 * step) for e in np.eye(2)]
        np.testing.assert_allclose(penalised.at(v).gradient, slopes, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_sums_in_one_pass_are_the_sums_of_pairs(seed) -> None:
    X, time, event, _, strata = _drawn(seed)
    loss = _loss(X, time, event, None, strata)
    quick = replace(loss, sums=RiskSums(loss.sums.times, loss.sums.last, loss.sums.starts))
    assert loss.sums.pairs is not None
    assert quick.sums.pairs is None
    v = np.array([0.4, 0.9])
    for a, b in ((loss, quick), (loss.with_penalty(), quick.with_penalty())):
        assert a.at(v).loss == pytest.approx(b.at(v).loss, rel=1e-13)
        np.testing.assert_allclose(a.at(v).gradient, b.at(v).gradient, atol=1e-12)
        np.testing.assert_allclose(a.at(v).information, b.at(v).information, atol=1e-12)


def test_a_table_of_many_ties_takes_sums_and_no_pairs() -> None:
    """1,800 rows with 43 different times have over a million pairs of an event and a row at risk."""
    r = np.random.default_rng(0)
    X = np.column_stack([r.integers(0, 2, (1800, 3)), r.normal(size=1800)]).astype(float)
    time = np.ceil(r.exponential(size=1800) * np.exp(-0.5 * X[:, 0]) * 8).clip(1, 43)
    event = r.random(1800) < 0.8
    found = rb.estimate(X, model="cox", time=time, event=event)
    assert [one.fate for one in found.coefficients] == ["finite"] * 4
    estimate = np.array([one.value for one in found.coefficients])
    score = np.zeros(4)  # by risk sets, at the estimate: nothing is left of it
    for t in np.unique(time[event]):
        risk, tied = time >= t, np.flatnonzero(event & (time == t))
        odds = np.exp(X @ estimate)
        for k in range(len(tied)):
            part = np.where(risk, odds, 0.0)
            part[tied] *= 1 - k / len(tied)
            score += X[tied[k]] - part @ X / part.sum()
    np.testing.assert_allclose(score, 0.0, atol=1e-8)


def test_sums_that_floats_lose_are_infinite_not_wrong() -> None:
    """The last row at risk is e^-2000 of the first one: its sum is 0 in floats, and the search takes shorter steps."""
    X, time = np.array([[1.0], [0.5], [-1.0], [-0.9]]), np.array([1.0, 2.0, 3.0, 4.0])
    point = _loss(X, time, np.ones(4, dtype=bool), None, np.zeros(4, dtype=np.int64)).at(np.array([1000.0]))
    assert point.loss == np.inf


def test_a_row_is_counted_in_the_plane_once() -> None:
    """The finite estimates rest on rows that are compared; a row that is at risk alone is none of them."""
    found = rb.estimate([[0.0], [1.0], [0.0], [1.0], [5.0]], model="cox", time=[1, 2, 3, 4, 9], event=[1, 1, 1, 0, 1])
    assert (found.n, found.plane) == (5, 5)
    alone = rb.estimate(
        [[0.0], [1.0], [0.0], [1.0]], model="cox", time=[1, 1, 2, 3], event=[1, 1, 1, 1], groups=[0, 0, 1, 2]
    )
    assert (alone.n, alone.plane) == (4, 2)
