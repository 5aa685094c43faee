"""Covariances and log-likelihoods of the finite part: as statsmodels has them; suprema where nothing is finite."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

import rosenblatt as rb


def _table(n=120, p=3, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + np.arange(p) * 40.0
    return rng, X, (X[:, 0] + rng.logistic(size=n) > 0) * 1


def _compare(found, fitted, null=True):
    assert found.llf == pytest.approx(fitted.llf, rel=1e-10)
    if null:
        assert found.llnull == pytest.approx(fitted.llnull, rel=1e-8)
    np.testing.assert_allclose(found.covariance, np.asarray(fitted.cov_params()), rtol=1e-6)


def test_logistic_as_statsmodels():
    rng, X, y = _table()
    offset, Z = rng.normal(size=len(y)), np.column_stack([X, np.ones(len(y))])
    _compare(
        rb.estimate(X, y, offset=offset, firth=False).limiting, sm.Logit(y, Z, offset=offset).fit(disp=0, tol=1e-12)
    )
    _compare(rb.estimate(Z, y, fit_intercept=False, firth=False).limiting, sm.Logit(y, Z).fit(disp=0, tol=1e-12))


def test_counts_as_statsmodels():
    rng, X, _ = _table()
    y, m, Z = rng.poisson(3.0, size=len(X)), rng.integers(1, 6, size=len(X)), np.column_stack([X, np.ones(len(X))])
    _compare(rb.estimate(X, y, "poisson", firth=False).limiting, sm.Poisson(y, Z).fit(disp=0, tol=1e-12))
    k = rng.binomial(m, 0.4)
    fitted = sm.GLM(np.column_stack([k, m - k]), Z, family=sm.families.Binomial()).fit(tol=1e-12)
    _compare(rb.estimate(X, k, "binomial", trials=m, firth=False).limiting, fitted)


def test_choices_as_statsmodels():
    rng, X, _ = _table()
    X = X - X.mean(axis=0)
    y, Z = rng.integers(0, 3, size=len(X)), np.column_stack([X, np.ones(len(X))])
    _compare(rb.estimate(X, y, "multinomial", firth=False).limiting, sm.MNLogit(y, Z).fit(disp=0, tol=1e-12))
    time, event = rng.integers(1, 9, size=len(X)) * 1.0, rng.integers(0, 2, size=len(X))
    fitted = sm.PHReg(time, X, event, ties="efron").fit(disp=0)
    _compare(rb.estimate(X, model="cox", time=time, event=event, firth=False).limiting, fitted, null=False)


def _supremum(X, y, without=()):
    """The largest log-likelihood that a search without a limit finds, where some columns are left out."""
    Z = np.delete(np.column_stack([X, np.ones(len(y))]), without, axis=1) * (2.0 * y - 1.0)[:, None]
    if not Z.shape[1]:
        return -len(y) * np.log(2.0)
    found = minimize(
        lambda w: np.logaddexp(0, -Z @ w).sum(), np.zeros(Z.shape[1]), method="BFGS", options={"gtol": 1e-9}
    )
    return -found.fun


@pytest.mark.parametrize("seed", range(20))
def test_suprema_where_estimates_are_infinite(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(14, 3)).astype(float)
    y = rng.integers(0, 2, size=14)
    y[X[:, 1] > 0] = 1
    found = rb.estimate(X, y, firth=False).limiting
    for without in ([], [0], [1], [0, 2], [0, 1, 2], [0, 1, 2, 3]):
        assert found.llf_without(without) == pytest.approx(_supremum(X, y, without), abs=2e-3)
    assert found.llf == pytest.approx(found.llf_without([]), abs=1e-9)
    assert found.llnull == pytest.approx(found.llf_without([0, 1, 2]), abs=1e-9)


def test_the_finite_part_is_the_fit_of_its_rows_and_columns():
    X = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], dtype=float)
    y = np.array([0, 1, 0, 1, 1, 1])
    found = rb.estimate(X, y, sample_weight=[1, 1, 2, 1, 1, 1]).limiting
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.finite.tolist() == [False, True, True]
    Z = np.column_stack([X[:4, 1], np.ones(4)])[[0, 1, 2, 2, 3]]
    fitted = sm.Logit(y[[0, 1, 2, 2, 3]], Z).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(found.covariance[1:, 1:], fitted.cov_params(), rtol=1e-8)
    np.testing.assert_allclose(found.params[1:], fitted.params, rtol=1e-8)
    assert found.params[0] == np.inf
    assert np.isnan(found.covariance[0]).all()
    assert found.llf == pytest.approx(fitted.llf)


def test_rows_of_weight_zero_are_not_counted():
    _, X, y = _table()
    weights = (np.arange(len(y)) % 3 > 0) * 1.0
    found = rb.estimate(X, y, sample_weight=weights, firth=False).limiting
    assert found.rows.tolist() == np.flatnonzero(weights).tolist()
