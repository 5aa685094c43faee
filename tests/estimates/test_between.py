"""Ordinal models and other links: against statsmodels, SciPy's minimum of the definition, and differences."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import logistic, norm

import rosenblatt as rb
from rosenblatt.estimates.design import design_of
from rosenblatt.regressions import REGRESSIONS
from rosenblatt.regressions.machinery.given import Given
from rosenblatt.regressions.machinery.terms import Link

LINKS: dict[Link, str] = {"logit": "Logit", "probit": "Probit", "cloglog": "CLogLog"}


def levels(number, n=80, p=2):
    r = np.random.default_rng(number)
    X = r.normal(size=(n, p)).round(2)
    return X, np.digitize(X[:, 0] - 0.5 * X[:, -1] + r.logistic(size=n), [-1.0, 0.5, 2.0]), r


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_ordinal_models_are_those_of_statsmodels(link):
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    X, y, _ = levels(1, 200)
    ours = rb.estimate(X, y, "ordinal", link=link)
    theirs = OrderedModel(y, X, distr=link).fit(method="bfgs", disp=0, gtol=1e-7)
    np.testing.assert_allclose(ours.params[:2], theirs.params[:2], rtol=1e-5)
    np.testing.assert_allclose(ours.params[2:], theirs.model.transform_threshold_params(theirs.params)[1:-1], rtol=1e-5)
    np.testing.assert_allclose(ours.bse[:2], theirs.bse[:2], rtol=1e-4)
    assert ours.llf == pytest.approx(theirs.llf, rel=1e-9)
    assert ours.llnull == pytest.approx(theirs.llnull, rel=1e-6)


@pytest.mark.parametrize("link", ["probit", "cloglog"])
@pytest.mark.parametrize("trials", [False, True])
def test_other_links_are_those_of_statsmodels(link, trials):
    import statsmodels.api as sm

    X, y, r = levels(2, 150)
    offset, weights = r.normal(size=150).round(1) / 4, r.integers(1, 3, 150)
    family = sm.families.Binomial(getattr(sm.families.links, LINKS[link])())
    if trials:
        m = r.integers(1, 6, 150)
        k = r.binomial(m, 0.4)
        ours = rb.estimate(X, k, "binomial", trials=m, offset=offset, sample_weight=weights, link=link)
        outcome = np.c_[k, m - k]
    else:
        outcome = (y > 1).astype(int)
        ours = rb.estimate(X, outcome, offset=offset, sample_weight=weights, link=link)
    model = sm.GLM(outcome, np.c_[X, np.ones(150)], family=family, offset=offset, freq_weights=weights)
    theirs = model.fit(tol=1e-14, tol_criterion="params", maxiter=200)
    np.testing.assert_allclose(ours.params, theirs.params, rtol=1e-8)
    np.testing.assert_allclose(ours.bse, theirs.bse, rtol=1e-6)
    assert ours.llf == pytest.approx(theirs.llf, rel=1e-9)


def test_the_logit_as_a_link_is_the_usual_model():
    X, y, _ = levels(3)
    one, other = (rb.estimate(X, y > 1, link=link).to_json() | {"seconds": 0} for link in (None, "logit"))
    assert one == other


@given(st.integers(0, 10_000), st.sampled_from(["logit", "probit", "cloglog"]))
def test_derivatives_are_those_of_the_loss(number, link):
    X, y, r = levels(number % 50, 30)
    name = "ordinal" if link != "cloglog" and number % 2 else "logistic"
    asked = {"y": y if name == "ordinal" else (y > 1).astype(int), "offset": r.normal(size=30).round(1)}
    regression, given_ = REGRESSIONS[name], Given.of(X, asked, {}, r.integers(1, 4, 30).astype(float))
    terms = regression.between(given_, regression.read(given_), link)
    problem = design_of(regression, given_, link=link)
    from rosenblatt.estimates.between import BetweenLoss

    loss = BetweenLoss(terms.Z, terms.weights, terms.offset, terms.upper, terms.lower, link, terms.expected)
    assert problem.d == loss.d
    v = loss.start + 0.2 * np.r_[r.normal(size=2), np.zeros(loss.d - 2)]
    point, h = loss.at(v), 1e-5
    for j, step in enumerate(h * np.eye(loss.d)):
        ahead, behind = loss.at(v + step), loss.at(v - step)
        assert point.gradient[j] == pytest.approx((ahead.loss - behind.loss) / (2 * h), rel=1e-5, abs=1e-5)
        slope = (ahead.gradient - behind.gradient) / (2 * h)
        np.testing.assert_allclose(point.observed[j], slope, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(point.scores.sum(axis=0), point.gradient, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10_000))
def test_the_limit_of_a_separated_ordinal_model_is_approached(number):
    """With the column that runs away held far out, SciPy's least loss of the definition is the supremum."""
    r = np.random.default_rng(number)
    n = int(r.integers(20, 50))
    x, sure = r.normal(size=n).round(2), np.zeros(n)
    y = np.digitize(x + r.logistic(size=n), [-0.7, 0.7])
    top = np.flatnonzero(y == 2)
    if top.size < 3 or len(np.unique(y)) < 3:
        return
    sure[top[:2]] = 1
    link = ("logit", "probit")[number % 2]
    found = rb.estimate(np.c_[x, sure], y, "ordinal", link=link)
    if [one.fate for one in found.coefficients] != ["finite", "+inf", "finite", "finite"]:
        return
    cdf = (logistic if link == "logit" else norm).cdf

    def loss(v):
        cuts = np.r_[-np.inf, v[1], v[1] + np.exp(v[2]), np.inf]
        s = x * v[0] + 60.0 * sure
        with np.errstate(divide="ignore"):
            return -np.log(np.maximum(cdf(cuts[y + 1] - s) - cdf(cuts[y] - s), 1e-300)).sum()

    theirs = minimize(loss, [1.0, -0.7, 0.3], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    assert found.llf == pytest.approx(-theirs.fun, abs=1e-6)
    ours = found.params.to_numpy()[[0, 2, 3]]
    np.testing.assert_allclose(ours, [theirs.x[0], theirs.x[1], theirs.x[1] + np.exp(theirs.x[2])], atol=1e-3)


@given(st.integers(0, 10_000), st.sampled_from(["probit", "cloglog"]))
def test_ends_are_where_the_profile_has_its_target(number, link):
    """The loss at an end, the other weights best, is that of the maximum and half a quantile."""
    r = np.random.default_rng(number)
    X = r.normal(size=(40, 2)).round(2)
    y = (X[:, 0] + r.normal(size=40) > 0.3).astype(int)
    found = rb.estimate(X, y, link=link)
    curve = norm.cdf if link == "probit" else lambda s: -np.expm1(-np.exp(s))

    def loss(v, b):
        p = curve(X @ [b, v[0]] + v[1])
        return -np.log(np.clip(np.where(y > 0, p, 1 - p), 1e-300, 1)).sum()

    one = found.coefficients[0]
    for end in (one.lower.value, one.upper.value):
        if np.isfinite(end):
            best = minimize(loss, [0.0, 0.0], (end,), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11}).fun
            assert best + found.llf == pytest.approx(1.920729410347062, abs=1e-5)


def test_far_out_probabilities_keep_their_digits():
    """Rows of another size, with estimates in units of 1e-8; and thresholds in the tails."""
    X, y, _ = levels(5, 120)
    plain, moved = (rb.estimate(X * by, y, "ordinal", link="probit") for by in (1.0, 1e8))
    np.testing.assert_allclose(moved.params[:2] * 1e8, plain.params[:2], rtol=1e-6)
    rare = np.r_[np.zeros(5000, int), [1, 1, 2]]
    x = np.r_[np.random.default_rng(0).normal(size=5000), 0.1, -0.4, 0.3]
    found = rb.estimate(x[:, None], rare, "ordinal", link="probit")
    assert np.isfinite(found.params).all()
    assert found.params.iloc[1] == pytest.approx(norm.ppf(5000 / 5003), abs=0.02)


def test_what_goes_with_a_link_only():
    X, y, _ = levels(6)
    with pytest.raises(ValueError, match="link is 'probit', and poisson models have one link alone"):
        rb.estimate(X, y, "poisson", link="probit")
    with pytest.raises(ValueError, match="link is 'cloglog', and the links of ordinal models are logit, probit"):
        rb.estimate(X, y, "ordinal", link="cloglog")
    with pytest.raises(ValueError, match="no ratio"):
        rb.estimate(X, y > 1, link="probit", exponentiate=True)
    found = rb.estimate(X, y > 1, link="cloglog", exponentiate=True)
    assert "hazard ratio" in str(found)
    assert "with cloglog link" in str(found)
    assert "Firth's estimates are worked out for the logit link only" in str(found)


def test_effects_are_dummies_that_are_not_shown():
    """The same numbers as with a column for each value, and as pyfixest's where it is there."""
    r = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"x": r.normal(size=300).round(2), "firm": r.integers(0, 20, 300), "year": r.integers(0, 4, 300)}
    )
    frame["y"] = r.poisson(np.exp(0.4 * frame.x + r.normal(size=20)[frame.firm] - 1.0))
    frame["b"] = (frame.y > 0).astype(int)
    for outcome, model in (("y", "poisson"), ("b", "logistic")):
        short = rb.estimate(f"{outcome} ~ x | firm + year", data=frame, model=model)
        long = rb.estimate(f"{outcome} ~ x + C(firm) + C(year)", data=frame, model=model, firth=False)
        assert short.names == ["x"]
        assert short.params["x"] == pytest.approx(long.params["x"], rel=1e-9)
        assert short.bse["x"] == pytest.approx(long.bse["x"], rel=1e-9)
        assert short.llf == pytest.approx(long.llf, rel=1e-12)
        assert short.conf_int().to_numpy()[0] == pytest.approx(long.conf_int().loc["x"].to_numpy(), rel=1e-7)
        assert "20 effects of firm, 4 effects of year; they were estimated too, and are not shown" in " ".join(
            str(short).split()
        )
    pyfixest = pytest.importorskip("pyfixest")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about pyfixest
        theirs = pyfixest.fepois("y ~ x | firm + year", data=frame, vcov="iid")
    poisson = rb.estimate("y ~ x | firm + year", data=frame, model="poisson")
    assert poisson.params["x"] == pytest.approx(float(theirs.coef()["x"]), rel=1e-6)


def test_effects_of_pairs_gaps_and_bad_names():
    r = np.random.default_rng(8)
    frame = pd.DataFrame(
        {"x": r.normal(size=60), "a": r.integers(0, 3, 60), "b": list("uvw") * 20, "y": r.poisson(2, 60)}
    )
    both = rb.estimate("y ~ x | a^b", data=frame, model="poisson")
    cells = rb.estimate("y ~ x + C(a):C(b)", data=frame, model="poisson", firth=False)
    assert both.params["x"] == pytest.approx(cells.params["x"], rel=1e-8)
    with pytest.raises(ValueError, match="nowhere"):
        rb.estimate("y ~ x | nowhere", data=frame, model="poisson")
    frame.loc[3, "b"] = None
    with pytest.raises(ValueError, match="lacks a value in row 3"):
        rb.estimate("y ~ x | a + b", data=frame, model="poisson")
    assert rb.estimate("y ~ x | a + b", data=frame, model="poisson", missing="drop").n == 59
    with pytest.raises(TypeError, match="behind its bar"):
        rb.estimate("y ~ x | a", data=frame, model="poisson", fixed_effects=["b"])


def test_items_have_weights_of_their_own():
    """Bradley and Terry's model by items is that of their differences."""
    r = np.random.default_rng(9)
    a, b = r.integers(0, 4, 60), r.integers(0, 4, 60)
    b = np.where(a == b, (b + 1) % 4, b)
    y = r.choice([0.0, 0.5, 1.0], 60)
    X = (np.arange(1, 4) == a[:, None]).astype(float) - (np.arange(1, 4) == b[:, None])
    items, differences = rb.estimate(None, y, "paired", items=[a, b]), rb.estimate(X, y, "paired")
    assert items.names == ["1", "2", "3"]
    np.testing.assert_allclose(items.params, differences.params, rtol=1e-12)
    assert items.coefficients[0].firth.value == pytest.approx(differences.coefficients[0].firth.value)
