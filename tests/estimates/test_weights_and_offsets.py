"""Weights of a Cox model and offsets of a multinomial one, against their definitions; counts that are all the same."""

import numpy as np
import pytest
from scipy.optimize import minimize

import rosenblatt as rb


def partial_likelihood(v, X, time, event, weights, ties, offset):
    """As R's coxph has it: Σ ω·η over events, less the logarithms of each time times the mean weight of its events."""
    eta, total = X @ v + offset, 0.0
    for moment in np.unique(time[event == 1]):
        risk, dead = time >= moment, (time == moment) & (event == 1)
        all_, tied, d = (weights * np.exp(eta))[risk].sum(), (weights * np.exp(eta))[dead].sum(), int(dead.sum())
        logs = [np.log(all_ - (k / d if ties == "efron" else 0.0) * tied) for k in range(d)]
        total += weights[dead] @ eta[dead] - weights[dead].mean() * sum(logs)
    return total


def patients(seed, n=40):
    rng = np.random.default_rng(seed)
    X, event = rng.normal(size=(n, 2)).round(2), rng.integers(0, 2, n)
    return X, rng.integers(1, 9, n).astype(float), event, rng.uniform(0.2, 3.0, n).round(2), rng.normal(size=n).round(1)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("seed", range(4))
def test_cox_weights_are_those_of_the_partial_likelihood(ties: str, seed: int) -> None:
    X, time, event, weights, offset = patients(seed)
    about = (X, time, event, weights, ties, offset)
    best = minimize(lambda v: -partial_likelihood(v, *about), np.zeros(2), options={"gtol": 1e-8})
    told = {"time": time, "event": event, "sample_weight": weights, "ties": ties, "offset": offset}
    found = rb.estimate(X, model="cox", firth=False, **told)
    assert [one.value for one in found.coefficients] == pytest.approx(best.x, abs=1e-5)
    for j, one in enumerate(found.coefficients):
        for end in (one.lower.value, one.upper.value):
            other = minimize(lambda u, j=j, end=end: -partial_likelihood(np.insert(u, j, end), *about), best.x[1 - j])
            assert 2 * (other.fun - best.fun) == pytest.approx(3.841459, abs=1e-4)


def test_a_weight_of_two_is_two_rows_where_ties_are_breslows() -> None:
    X, time, event, _, offset = patients(5)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), weights)
    common = {"model": "cox", "ties": "breslow"}
    one = rb.estimate(X, time=time, event=event, sample_weight=weights, offset=offset, **common)
    many = rb.estimate(X[again], time=time[again], event=event[again], offset=offset[again], **common)
    for a, b in zip(one.coefficients, many.coefficients, strict=True):
        assert (a.value, a.lower.value, a.upper.value) == pytest.approx((b.value, b.lower.value, b.upper.value))
        assert (a.firth.value, a.firth.lower, a.firth.p) == pytest.approx((b.firth.value, b.firth.lower, b.firth.p))
    assert (one.n, many.n) == (int((weights > 0).sum()), int(weights.sum()))


def test_equal_weights_change_no_estimate() -> None:
    X, time, event, _, _ = patients(6)
    plain = rb.estimate(X, model="cox", time=time, event=event, firth=False)
    twice = rb.estimate(X, model="cox", time=time, event=event, firth=False, sample_weight=np.full(len(X), 2.0))
    for a, b in zip(plain.coefficients, twice.coefficients, strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-9)
        assert b.lower.value > a.lower.value  # twice as many events


def test_weighted_ties_that_run_away_have_a_limit() -> None:
    """Rows with x = 1 die first: its coefficient runs away, and the other's estimate is that of the limiting model."""
    X = np.array([[1, 0.5], [1, -1], [0, 1], [0, -0.5], [0, 2], [0, 0.0]])
    time, event = np.array([1.0, 1, 2, 2, 3, 3]), np.array([1, 1, 1, 1, 0, 1])
    weights = np.array([1.0, 2, 0.5, 3, 1, 2])
    found = rb.estimate(X, model="cox", time=time, event=event, sample_weight=weights, firth=False)
    assert [one.fate for one in found.coefficients] == ["+inf", "finite"]
    far = minimize(
        lambda v: -partial_likelihood(np.array([60.0, v[0]]), X, time, event, weights, "efron", np.zeros(6)), 0
    )
    assert found.coefficients[1].value == pytest.approx(far.x[0], abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_a_multinomial_offset_is_added_to_all_classes_but_the_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y, offset = rng.normal(size=(60, 1)).round(2), rng.integers(0, 3, 60), rng.normal(size=60).round(1)

    def loss(v):
        s = np.column_stack([np.zeros(60), v[0] * X[:, 0] + v[1] + offset, v[2] * X[:, 0] + v[3] + offset])
        return float((np.log(np.exp(s).sum(axis=1)) - s[np.arange(60), y]).sum())

    best = minimize(loss, np.zeros(4), options={"gtol": 1e-8})
    found = rb.estimate(X, y, "multinomial", offset=offset, firth=False)
    assert [one.value for one in found.coefficients] == pytest.approx(best.x, abs=1e-5)
    same = rb.estimate(X, y, "multinomial", offset=np.zeros(60), firth=False)
    assert [one.value for one in same.coefficients] == [
        one.value for one in rb.estimate(X, y, "multinomial", firth=False).coefficients
    ]


def test_counts_that_are_all_the_same_have_an_estimate() -> None:
    found = rb.estimate([[1.0], [2.0], [3.0], [5.0]], [3, 3, 3, 3], "poisson")
    slope, constant = found.coefficients
    assert (slope.fate, constant.fate) == ("finite", "finite")
    assert slope.value == pytest.approx(0.0, abs=1e-12)
    assert constant.value == pytest.approx(np.log(3.0))
    nothing = rb.estimate([[1.0], [2.0], [3.0], [5.0]], [0, 0, 0, 0], "poisson")
    assert nothing.coefficients[1].fate in ("-inf", "undetermined")
