"""The names that statsmodels' users type, against statsmodels itself; tests, robust errors, predictions, hand-over."""

import itertools
import warnings
from math import inf, isnan

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp
from scipy.stats import norm

import rosenblatt as rb
from tests.estimates.choice_oracles import slow_cox

sm = pytest.importorskip("statsmodels.api")
R = np.random.default_rng(11)
N = 90
X = R.normal(size=(N, 2))
GROUPS = R.integers(0, 9, N)
COUNTS = R.poisson(np.exp(X @ [0.4, -0.3] + 0.2))
SIDES = (R.random(N) < 1 / (1 + np.exp(-X @ [1.0, 0.5]))).astype(int)
Z = np.column_stack([X, np.ones(N)])


def _separated():
    """Every row of the rare column has the outcome."""
    rare = (np.arange(N) < 8).astype(float)
    return pd.DataFrame({"rare": rare, "x": X[:, 0], "arm": np.array(list("abc"))[GROUPS % 3], "y": SIDES | (rare > 0)})


@pytest.mark.parametrize("model", ["poisson", "logistic"])
def test_the_numbers_are_statsmodels(model) -> None:
    y = COUNTS if model == "poisson" else SIDES
    found = rb.estimate(X, y, model, firth=False)
    theirs = (sm.Poisson if model == "poisson" else sm.Logit)(y, Z).fit(disp=0)
    for mine, other in (
        (found.params, theirs.params),
        (found.bse, theirs.bse),
        (found.zvalues, theirs.tvalues),
        (found.pvalues, theirs.pvalues),
        (found.cov_params(), theirs.cov_params()),
        (found.conf_int(method="wald"), theirs.conf_int()),
        (found.conf_int(0.2, "wald"), theirs.conf_int(0.2)),
        (found.predict(), theirs.predict()),
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-6)
    for name in ("llf", "llnull", "aic", "bic", "nobs", "df_model", "df_resid"):
        assert getattr(found, name) == pytest.approx(getattr(theirs, name), rel=1e-9), name
    assert found.glance()["lr_p"] == pytest.approx(theirs.llr_pvalue, rel=1e-6)
    np.testing.assert_allclose(found.conf_int(), [[one.lower.value, one.upper.value] for one in found.coefficients])
    assert found.conf_int(0.5).iloc[0, 0] > found.conf_int().iloc[0, 0]
    assert "std err" in found.summary()
    wald = theirs.wald_test(np.eye(3)[:2], scalar=True)
    mine = found.test("x0", "x1", method="wald")
    assert (mine.statistic, mine.p, mine.df) == pytest.approx((wald.statistic, wald.pvalue, 2), rel=1e-6)


def test_several_classes_are_statsmodels() -> None:
    y = GROUPS % 3
    found, theirs = rb.estimate(X, y, "multinomial", firth=False), sm.MNLogit(y, Z).fit(disp=0)
    assert (found.llf, found.llnull, found.aic) == pytest.approx((theirs.llf, theirs.llnull, theirs.aic), rel=1e-9)
    np.testing.assert_allclose(found.bse, np.ravel(theirs.bse, "F"), rtol=1e-6)
    robust = sm.MNLogit(y, Z).fit(disp=0, cov_type="HC0")
    np.testing.assert_allclose(rb.estimate(X, y, "multinomial", robust="HC0").bse, np.ravel(robust.bse, "F"), rtol=1e-6)
    assert found.test("x0").df == 2
    with pytest.raises(ValueError, match="say 'HC1'"):
        rb.estimate(X, y, "multinomial", robust="HC3").bse  # noqa: B018


def test_robust_errors_are_those_of_the_library() -> None:
    model = sm.GLM(COUNTS, Z, family=sm.families.Poisson())
    found = rb.estimate(X, COUNTS, "poisson", robust="HC0")
    np.testing.assert_allclose(found.bse, model.fit(cov_type="HC0").bse, rtol=1e-6)
    clustered = rb.estimate(X, COUNTS, "poisson", groups=GROUPS, robust="HC1")
    np.testing.assert_allclose(clustered.bse, model.fit(cov_type="cluster", cov_kwds={"groups": GROUPS}).bse, rtol=1e-6)
    assert np.roll(clustered.limit.bse, -1) == pytest.approx(clustered.bse.to_numpy(), rel=1e-6)
    assert (found.penalised, found.wald) == (False, True)
    assert "clustered by groups, 9 clusters; CR1, too small for so few" in str(clustered)
    # HC1 to HC3 by their definition, as R's package sandwich has them; statsmodels calls HC0 by these names
    b = found.params.to_numpy()
    mean = np.exp(Z @ b)
    A = np.linalg.inv(Z.T @ (mean[:, None] * Z))
    u, h = COUNTS - mean, mean * np.einsum("ij,jk,ik->i", Z, A, Z)
    for kind, factors in (("HC1", u**2 * N / (N - 3)), ("HC2", u**2 / (1 - h)), ("HC3", u**2 / (1 - h) ** 2)):
        V = A @ (Z.T @ (factors[:, None] * Z)) @ A
        np.testing.assert_allclose(rb.estimate(X, COUNTS, "poisson", robust=kind).bse, np.sqrt(np.diag(V)), rtol=1e-6)


def test_errors_of_few_clusters_are_larger() -> None:
    """CR3: what one Newton step without each cluster changes; wide clusters and narrow ones take other ways."""
    model = sm.GLM(COUNTS, Z, family=sm.families.Poisson()).fit()
    A = Z.T @ (model.mu[:, None] * Z)
    for groups in (GROUPS, np.arange(N) // 2):
        moved = []
        for one in np.unique(groups):
            rows = groups == one
            rest = A - Z[rows].T @ (model.mu[rows, None] * Z[rows])
            moved.append(np.linalg.solve(rest, Z[rows].T @ (COUNTS - model.mu)[rows]))
        many = len(moved)
        found = rb.estimate(X, COUNTS, "poisson", groups=groups)
        np.testing.assert_allclose(found.bse**2, np.square(moved).sum(axis=0) * (many - 1) / many, rtol=1e-6)
        np.testing.assert_allclose(found.bse, rb.estimate(X, COUNTS, "poisson", cluster=groups).bse)
        assert found.test("x0", method="wald").p == pytest.approx(found.pvalues.iloc[0])
        assert (found.pvalues > 2 * norm.sf(abs(found.params / found.bse))).all()


def _efron(time, event, X, w):
    """Minus the logarithm of Efron's partial likelihood, time by time."""
    s, total = np.exp(X @ w), 0.0
    for t in np.unique(time[event]):
        died, at_risk = event & (time == t), time >= t
        d = int(died.sum())
        total -= np.log(s[died]).sum()
        total += sum(np.log(s[at_risk].sum() - k / d * s[died].sum()) for k in range(d))
    return total


def _choosing(scores, chosen):
    return np.log(np.exp(scores).sum(axis=1)).sum() - scores[np.arange(len(chosen)), chosen].sum()


def _of_sets(X, case, w):
    """Sets of five rows: which of them are the cases, given how many."""
    total = 0.0
    for s, mine in zip((X @ w).reshape(-1, 5), case.reshape(-1, 5), strict=True):
        ways = [sum(s[list(one)]) for one in itertools.combinations(range(5), int(mine.sum()))]
        total += np.log(np.exp(ways).sum()) - s[mine].sum()
    return total


def _newton_step(loss, w, information=None):
    """By differences of the loss."""
    h, eye = 1e-4, np.eye(len(w))
    gradient = np.array([loss(w + h * e) - loss(w - h * e) for e in eye]) / (2 * h)
    ends = [[loss(w + h * (e + f)) - loss(w + h * (e - f)) for f in eye] for e in eye]
    back = [[loss(w - h * (e - f)) - loss(w - h * (e + f)) for f in eye] for e in eye]
    bent = (np.array(ends) - np.array(back)) / (4 * h * h) if information is None else information
    return -np.linalg.solve(bent, gradient)


@pytest.mark.parametrize("model", ["multinomial", "ordinal", "probit", "cox", "conditional", "several cases"])
def test_errors_of_clusters_are_what_leaving_each_out_changes(model) -> None:
    """CR3 by its definition: one Newton step on the loss, written down by loops, of all rows but those of a cluster."""
    r, clusters = np.random.default_rng(5), np.repeat(np.arange(7), (5, 10, 15, 10, 5, 20, 10))
    n = len(clusters)
    X, sets = r.normal(size=(n, 2)), np.arange(n) // 5
    s, more = X @ [0.8, -0.4] + r.normal(size=7)[clusters] / 2, {}
    if model == "multinomial":
        y = np.argmax(np.c_[0 * s, s, -s / 2] + r.gumbel(size=(n, 3)), axis=1)

        def loss(rows, w):
            both = np.c_[X, np.ones(n)][rows] @ w.reshape(2, 3).T
            return _choosing(np.c_[np.zeros(len(both)), both], y[rows])

    elif model == "ordinal":
        y = ((s + r.logistic(size=n))[:, None] > [-1.0, 1.0]).sum(axis=1)

        def loss(rows, w):
            below = np.c_[np.zeros(n), 1 / (1 + np.exp(X @ w[:2, None] - w[2:])), np.ones(n)]
            return -np.log(np.diff(below)[np.arange(n), y][rows]).sum()

    elif model == "probit":
        y, more = (s + r.normal(size=n) > 0) * 1, {"link": "probit"}

        def loss(rows, w):
            return -norm.logcdf(np.where(y > 0, 1, -1) * (np.c_[X, np.ones(n)] @ w))[rows].sum()

    elif model == "cox":
        y, T = None, np.round(r.exponential(np.exp(-s)), 1) + 0.1
        more = {"time": T, "event": r.random(n) < 0.7}

        def loss(rows, w):
            return _efron(T[rows], more["event"][rows], X[rows], w)

    else:
        y = (np.argsort(np.argsort(-(s + r.gumbel(size=n)).reshape(-1, 5))) < 1 + (model != "conditional")).ravel()
        more = {"groups": sets}

        def loss(rows, w):
            return _of_sets(X[rows], y[rows], w)

    name = {"probit": "logistic", "several cases": "conditional"}.get(model, model)
    found = rb.estimate(X, y if y is None else y * 1, name, cluster=clusters, firth=False, **more)
    w = found.params.to_numpy()
    steps = []
    for one in range(7):
        rows, bent = clusters != one, None
        if model == "probit":
            Z = np.c_[X, np.ones(n)][rows]
            bent = Z.T @ ((norm.pdf(Z @ w) ** 2 / norm.cdf(Z @ w) / norm.sf(Z @ w))[:, None] * Z)
        steps.append(_newton_step(lambda v, rows=rows: loss(rows, v), w, bent))
    np.testing.assert_allclose(found.bse**2, np.square(steps).sum(axis=0) * 6 / 7, rtol=1e-4)
    assert found.limiting.degrees.max() <= 6


@pytest.mark.parametrize(("effects", "cluster"), [("a", "a"), ("a", "b"), ("a + b", "a"), ("a + c", "b"), ("c", "a")])
def test_effects_inside_clusters_cost_them_nothing(effects: str, cluster: str) -> None:
    """As pyfixest counts coefficients: those of effects that are nested in the clusters are left out."""
    pyfixest, rng = pytest.importorskip("pyfixest"), np.random.default_rng(3)
    data = pd.DataFrame({"x": rng.normal(size=200), "a": rng.integers(0, 20, 200), "c": rng.integers(0, 5, 200)})
    data = data.assign(b=data.a // 4, y=rng.poisson(np.exp(0.3 * data.x + 0.1 * (data.a % 5))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pyfixest.fepois(f"y ~ x | {effects}", data=data, vcov={"CRV1": cluster}, iwls_tol=1e-11)
    found = rb.estimate(f"y ~ x | {effects}", data=data, model="poisson", cluster=cluster, robust="HC1")
    np.testing.assert_allclose(found.bse, theirs.se(), rtol=1e-5)
    assert f"clustered by {cluster}, " in str(found)


def test_rows_that_count_often_are_rows() -> None:
    often, rows = GROUPS % 3, np.repeat(np.arange(N), GROUPS % 3)
    for how in ({"robust": "HC1"}, {"robust": "HC3"}, {}):
        one = rb.estimate(X, SIDES, sample_weight=often, firth=False, **how)
        other = rb.estimate(X[rows], SIDES[rows], firth=False, **how)
        np.testing.assert_allclose(one.bse, other.bse, rtol=1e-6)
        assert (one.nobs, one.aic) == pytest.approx((other.nobs, other.aic))
    one = rb.estimate(X, SIDES, sample_weight=often, cluster=GROUPS)
    np.testing.assert_allclose(one.bse, rb.estimate(X[rows], SIDES[rows], cluster=GROUPS[rows]).bse, rtol=1e-6)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_robust_errors_of_times_by_the_definition(ties) -> None:
    """Each event's row less the mean of its sets, less what the row's share in all sets adds (Lin and Wei 1989)."""
    time, event = np.ceil(R.exponential(size=30) * 4), np.ones(30, dtype=int)
    event[::4] = 0
    found = rb.estimate(X[:30], model="cox", time=time, event=event, ties=ties, robust="HC0")
    b, H = found.params.to_numpy(), slow_cox(X[:30], time, event, ties).moments(found.params.to_numpy())[2]
    odds, scores = np.exp(X[:30] @ b), np.zeros((30, 2))
    for t in np.unique(time[event == 1]):
        risk, tied = time >= t, np.flatnonzero((time == t) & (event == 1))
        for k in range(len(tied)):
            part = np.where(risk, odds, 0.0)
            part[tied] *= 1 - k / len(tied) if ties == "efron" else 1.0
            mean = part @ X[:30] / part.sum()
            scores -= (part / part.sum())[:, None] * (X[:30] - mean)
            scores[tied] += (X[tied] - mean) / len(tied)
    A = np.linalg.inv(H)
    np.testing.assert_allclose(found.bse, np.sqrt(np.diag(A @ scores.T @ scores @ A)), rtol=1e-6)


def test_errors_of_times_without_ties_are_lifelines() -> None:
    """CoxPHFitter().fit(…, robust=True) and cluster_col= of lifelines 0.30.3."""
    r = np.random.default_rng(3)
    table = pd.DataFrame({"a": r.normal(size=100), "b": r.integers(0, 2, 100) * 1.0, "t": r.exponential(size=100)})
    event, group = (r.random(100) < 0.7).astype(int), r.integers(0, 12, 100)
    how = {"model": "cox", "time": table["t"], "event": event}
    robust = rb.estimate(table[["a", "b"]], robust="HC0", **how).bse
    clustered = rb.estimate(table[["a", "b"]], cluster=group, robust="HC1", **how).bse
    np.testing.assert_allclose(robust, [0.10176945, 0.24570896], rtol=1e-5)
    np.testing.assert_allclose(clustered, [0.08607673, 0.20252744], rtol=1e-5)


def test_infinite_estimates_leave_the_finite_ones_their_errors() -> None:
    table = _separated()
    found = rb.estimate("y ~ rare + x + C(arm)", data=table, firth=False)
    kept = table[table["rare"] == 0]
    columns = pd.get_dummies(kept[["x", "arm"]], dtype=float).iloc[:, [0, 2, 3]]
    theirs = sm.Logit(kept["y"].astype(int), sm.add_constant(columns)).fit(disp=0)
    assert found.params["rare"] == inf
    assert [isnan(found.bse["rare"]), isnan(found.pvalues["rare"])] == [True, True]
    np.testing.assert_allclose(found.bse.iloc[1:4], theirs.bse.iloc[1:], rtol=1e-6)
    np.testing.assert_allclose(found.limit.params.rename({"Intercept": "(1)"})[found.names[1:]], found.params.iloc[1:])
    np.testing.assert_allclose(np.sort(found.limit.bse), np.sort(found.bse.iloc[1:]), rtol=1e-6)
    assert found.limit.model.formula == "outcome ~ x + C(arm) + 1"  # what marginal effects need
    assert found.llf == pytest.approx(theirs.llf)
    factor, without = found.test("C(arm)"), rb.estimate("y ~ rare + x", data=table, firth=False)
    assert (factor.names, factor.df) == (("C(arm)[T.b]", "C(arm)[T.c]"), 2)
    assert found.test(without) == factor
    rare = found.test("rare")
    assert rare.statistic == pytest.approx(2 * (found.llf - rb.estimate("y ~ x + C(arm)", data=table).llf))
    assert isnan(found.test("rare", method="wald").p)
    robust = rb.estimate("y ~ rare + x", data=table, robust="HC1").coefficients[0]
    assert (robust.upper.value, isnan(robust.lower.value)) == (inf, True)


def test_limiting_models_of_other_libraries() -> None:
    """Columns of any name; effects by pyfixest; weighted times by lifelines."""
    table = _separated().rename(columns={"x": "2 x"})
    found = rb.estimate(table[["rare", "2 x"]], table["y"], firth=False)
    assert found.limit.model.formula == "y ~ x2_x + 1"
    np.testing.assert_allclose(np.roll(found.limit.params, -1), found.params.iloc[1:])
    pytest.importorskip("pyfixest")
    for model, how in (
        ("poisson", {}),
        ("poisson", {"groups": GROUPS, "robust": "HC1"}),
        ("logistic", {"robust": "HC1"}),
    ):
        y = COUNTS if model == "poisson" else SIDES
        beside = rb.estimate(X, y, model, fixed_effects=[GROUPS % 4, GROUPS % 3], **how)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = beside.limit
            np.testing.assert_allclose(theirs.coef(), beside.params, rtol=1e-5)
            assert len(how) == 0 or theirs.se().to_numpy() == pytest.approx(beside.bse.to_numpy(), rel=1e-4)
    pytest.importorskip("lifelines")
    often = GROUPS % 3 + 1
    times = rb.estimate(X, model="cox", time=np.arange(N), event=SIDES, sample_weight=often, firth=False)
    np.testing.assert_allclose(times.limit.params_, times.params, rtol=1e-5)


def test_predictions_have_limits() -> None:
    table = _separated()
    found = rb.estimate("y ~ rare + x", data=table, firth=False)
    new = pd.DataFrame({"rare": [1.0, 0.0, -1.0, 1.0], "x": [0.0, 0.3, 0.0, -9.0]})
    said = found.predict(new, interval=True)
    assert said["mean"].tolist()[::2] == [1.0, 0.0]
    assert said["mean"][3] == 1.0
    assert said["lower"][1] < said["mean"][1] < said["upper"][1]
    plain = sm.Logit(table["y"][8:].astype(int), sm.add_constant(table[["x"]][8:])).fit(disp=0)
    assert said["mean"][1] == pytest.approx(float(plain.predict([[1.0, 0.3]])[0]), rel=1e-6)
    np.testing.assert_allclose(found.predict()[:8], 1.0)
    # nobody has both: the data leave open what such a row would be
    both = pd.DataFrame({"a": [1.0, 0, 0, 0, 0, 0], "b": [0.0, 1, 0, 0, 0, 0], "y": [1, 0, 0, 1, 0, 1]})
    with pytest.raises(ValueError, match="no coefficient has a finite estimate"):
        rb.estimate([[1.0], [2.0], [3.0]], [0, 1, 1]).limit  # noqa: B018
    doses = pd.DataFrame({"dose": [0, 0, 1, 1, 2, 2], "new": [0, 1] * 3})
    tried = rb.estimate(doses, [1, 0, 2, 0, 3, 0], "binomial", trials=[5] * 6, firth=False)
    moved = rb.estimate(doses - [2, 1], [1, 0, 2, 0, 3, 0], "binomial", trials=[5] * 6, firth=False)
    upper = moved.coefficients[-1].upper.value
    assert tried.predict(interval=True)["upper"][5] == pytest.approx(1 / (1 + np.exp(-upper)), rel=1e-6)
    open_ = rb.estimate("y ~ a + b", data=both, firth=False).predict(pd.DataFrame({"a": [1.0], "b": [1.0]}))
    assert isnan(open_[0])


def test_predictions_with_other_links_are_statsmodels() -> None:
    links, offset = sm.families.links, np.linspace(-1, 1, N)
    for link, other in (("probit", links.Probit()), ("cloglog", links.CLogLog())):
        theirs = sm.GLM(SIDES, Z, family=sm.families.Binomial(other)).fit(tol=1e-12)
        wanted = theirs.get_prediction().summary_frame()[["mean", "mean_ci_lower", "mean_ci_upper"]]
        found = rb.estimate(X, SIDES, link=link)
        np.testing.assert_allclose(found.predict(interval=True), wanted, rtol=1e-6)
        np.testing.assert_allclose(found.predict(X[:5]), wanted["mean"][:5], rtol=1e-6)
        moved = rb.estimate(X, SIDES, link=link, offset=offset)
        np.testing.assert_allclose(moved.predict(), moved.predict(X, offset=offset), rtol=1e-12)
    with pytest.raises(ValueError, match="leave X out"):
        rb.estimate(X, SIDES, fixed_effects=[GROUPS % 4]).predict(X)
    with pytest.raises(ValueError, match="are worked out where the estimate exists"):
        rb.estimate(X[:, :1], X[:, 0] > 0, link="probit").predict()


def test_each_class_has_its_probability_and_an_interval() -> None:
    """Of several classes and of ordered levels as statsmodels; intervals by slopes that differences give."""
    ordered = pytest.importorskip("statsmodels.miscmodels.ordinal_model").OrderedModel
    y, new = GROUPS % 3, X[:4]
    several = rb.estimate(X, y, "multinomial", firth=False)
    np.testing.assert_allclose(several.predict(), sm.MNLogit(y, Z).fit(disp=0).predict(), rtol=1e-8)
    for link in ("logit", "probit"):
        found = rb.estimate(X, y, "ordinal", link=link)
        theirs = ordered(y, X, distr=link).fit(method="bfgs", disp=0, gtol=1e-9)
        np.testing.assert_allclose(found.predict(new), theirs.predict(new), rtol=1e-6)
    for found in (several, rb.estimate(X, y, "ordinal"), rb.estimate(X, y, "ordinal", link="probit")):
        said, b, h = found.predict(new, interval=True), found.limiting.weights, 1e-6

        def odds(change: np.ndarray, found=found, b=b) -> np.ndarray:
            found.limiting.__dict__["weights"] = b + change
            p = found.predict(new).to_numpy().ravel()
            return np.log(p / (1 - p))

        slopes = np.array([(odds(h * one) - odds(-h * one)) / (2 * h) for one in np.eye(len(b))])
        error = np.sqrt(np.einsum("ji,jk,ki->i", slopes, found.cov_params().to_numpy(), slopes))
        s = odds(0 * b)
        for name, sign in (("lower", -1), ("upper", 1)):
            np.testing.assert_allclose(said[name], 1 / (1 + np.exp(-s - sign * 1.959964 * error)), rtol=1e-5)
        assert said.index.names == ["row", "class"]
    named = rb.estimate(X, np.array(["low", "mid", "high"])[y], "multinomial", firth=False)
    assert list(named.predict().columns) == ["high", "low", "mid"]


def test_hazards_are_relative_to_a_row_of_means() -> None:
    time, event = R.exponential(np.exp(-X[:, 0])) + 0.01, (X[:, 1] > -1).astype(int)
    found = rb.estimate(X, time=time, event=event, firth=False)
    said, centred = found.predict(X[:5], interval=True), X[:5] - X.mean(axis=0)
    error = np.sqrt(np.einsum("ij,jk,ik->i", centred, found.cov_params(), centred))
    s = centred @ found.params.to_numpy()
    wanted = np.exp(np.column_stack([s, s - 1.959964 * error, s + 1.959964 * error]))
    np.testing.assert_allclose(said, wanted, rtol=1e-6)
    np.testing.assert_allclose(found.predict()[:5], said["mean"])


@pytest.mark.parametrize(
    ("X", "y", "model", "beside", "said"),
    [
        ([[0], [1], [2], [3]], [0, 1, 1, 0], "conditional", {"groups": [0, 0, 1, 1]}, "take result.params"),
        ([[0], [1], [2], [3], [1], [2]], [0, 1, 1, 0, 1, 2], "sequential", {}, "take result.params"),
    ],
)
def test_what_is_not_predicted_says_what_to_take(X, y, model, beside, said) -> None:
    with pytest.raises(ValueError, match=said):
        rb.estimate(np.array(X, dtype=float), y, model, firth=False, **beside).predict()


def _highest(gain, loss, least: float, d: int, r: np.random.Generator) -> float:
    """The highest gain of weights whose loss is no more than a 95 % interval allows, by a general search."""
    limit = {"type": "ineq", "fun": lambda b: least + 1.9207294 - loss(b)}
    tries = [minimize(lambda b: -gain(b), r.normal(size=d), method="SLSQP", constraints=limit) for _ in range(6)]
    return max(-one.fun for one in tries if loss(one.x) < least + 1.9208)


@pytest.mark.parametrize("seed", [2, 5])
def test_two_classes_or_levels_have_the_limits_of_a_logistic_model(seed: int) -> None:
    r = np.random.default_rng(seed)
    rows, y = r.integers(0, 3, (14, 2)), r.integers(0, 2, 14)
    y[rows[:, 0] == 2] = 1
    wanted = rb.estimate(rows, y, firth=False).predict(interval=True)
    assert (wanted["mean"] == 1).any()
    for model in ("multinomial", "ordinal"):
        found = rb.estimate(rows, y, model, firth=False)
        for new in (None, rows[:5]):
            said = found.predict(new, interval=True).xs("1", level="class")
            np.testing.assert_allclose(said, wanted[: len(said)], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("model", "seed"), [("multinomial", 1), ("multinomial", 2), ("ordinal", 0), ("ordinal", 5)])
def test_limits_of_several_classes_have_ends_that_a_general_search_finds(model: str, seed: int) -> None:
    r = np.random.default_rng(seed)
    rare, x = r.integers(0, 3, 16) == 2, r.integers(-1, 2, 16).astype(float)
    X, y = np.column_stack([rare, x]), np.where(rare, 2, r.integers(0, 3, 16))
    if seed == 0:
        y = np.where(rare, 2, x > 0)  # complete
    found = rb.estimate(X, y, model, firth=False)
    said = found.predict(interval=True)
    np.testing.assert_allclose(said, found.predict(X, interval=True), rtol=1e-7, atol=1e-9)
    Z, d = np.column_stack([X, np.ones(16)]), 6 if model == "multinomial" else 4

    def logs(b: np.ndarray, Z: np.ndarray) -> np.ndarray:
        if model == "multinomial":
            s = np.column_stack([np.zeros(len(Z)), Z @ b.reshape(2, 3).T])
            return s - logsumexp(s, axis=1, keepdims=True)
        low, high, s = b[2], b[2] + np.exp(b[3]), Z[:, :2] @ b[:2]
        middle = log_expit(high - s) + log_expit(s - low) + np.log(-np.expm1(low - high))
        return np.column_stack([log_expit(low - s), middle, log_expit(s - high)])

    assert said["mean"].isin([0.0, 1.0]).sum() > 4
    for i in {int(np.flatnonzero(rare)[0]), 0}:
        for k in range(3):
            mean, lower, upper = said.loc[(i, str(k))]
            if mean in (0.0, 1.0):
                others = [k] if mean == 0 else [j for j in range(3) if j != k]
                best = _highest(
                    lambda b, i=i, others=others: logsumexp(logs(b, Z[i : i + 1])[0][others]),
                    lambda b: -logs(b, Z)[np.arange(16), y].sum(), -found.llf, d, r,
                )  # fmt: skip
                assert (upper if mean == 0 else 1 - lower) == pytest.approx(np.exp(best), rel=2e-3)
                assert (lower == 0) if mean == 0 else (upper == 1)


def test_infinite_hazards_have_one_finite_end() -> None:
    r = np.random.default_rng(2)
    X = np.column_stack([r.integers(0, 2, 14), r.integers(-1, 2, 14)]).astype(float)
    time, event = r.permutation(14) + 1.0, X[:, 0] == 1
    found = rb.estimate(X, time=time, event=event.astype(int), firth=False)
    said, Z = found.predict(interval=True), X - X.mean(axis=0)

    def loss(b: np.ndarray) -> float:
        s = X @ b
        return sum(logsumexp(s[time >= time[i]]) - s[i] for i in np.flatnonzero(event))

    for i in (0, 1, 5):
        mean, lower, upper = said.loc[i]
        sign = 1.0 if mean == 0 else -1.0
        best = _highest(lambda b, i=i, sign=sign: sign * Z[i] @ b, loss, -found.llf, 2, r)
        assert mean in (0.0, np.inf)
        assert (lower == 0) if mean == 0 else (upper == np.inf)
        assert np.log(upper if mean == 0 else lower) == pytest.approx(sign * best, rel=1e-3, abs=1e-4)
    # in strata of their own, with late entry, the pseudo-rows are compared with each other alone
    strata = rb.estimate(X, time=time, event=event.astype(int), groups=GROUPS[:14] % 2, entry=time - 9, firth=False)
    late = strata.predict(X[:3], interval=True)
    finite = late["mean"].between(1e-9, 1e9)
    np.testing.assert_array_equal((late["lower"] > 0) & (late["upper"] < inf), finite)
    assert (late[["lower", "mean", "upper"]].diff(axis=1).iloc[:, 1:].fillna(0) >= 0).all(axis=None)


def test_what_the_data_leave_open_is_nan_and_what_loses_for_sure_is_0() -> None:
    """Nobody has both. Of one alone nothing decides between the classes that lose, and it does not matter."""
    X, y = [[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0]], [0, 0, 1, 1, 2, 2]
    found = rb.estimate(X, y, "multinomial", firth=False)
    assert [one.fate for one in found.coefficients].count("undetermined") == 2
    said = found.predict([[1, 1], [1, 0], [0, 0]], interval=True)
    assert said.loc[0].isna().all(axis=None)
    assert said["mean"].loc[1].tolist() == [0, 0, 1]
    assert said["mean"].loc[2].tolist() == [1, 0, 0]
    np.testing.assert_allclose(said.loc[1], found.predict(interval=True).loc[4], rtol=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_a_limit_of_0_or_1_has_one_finite_end(seed: int) -> None:
    """Where x is moved to the row, its response is the intercept, whose profile interval has a proved end."""
    r = np.random.default_rng(seed)
    model = "poisson" if seed % 3 == 0 else "logistic"
    rows, y = r.integers(0, 3, (14, 2)), r.integers(0, 2, 14)
    y[rows[:, 0] == 2] = 0 if model == "poisson" else 1
    offset = r.normal(size=14).round(1) if seed % 2 else np.zeros(14)
    found = rb.estimate(rows, y, model, offset=offset, firth=False)
    said, checked = found.predict(rows, offset=offset, interval=True), 0
    np.testing.assert_allclose(said, found.predict(interval=True), rtol=1e-6, atol=1e-12)
    for x, beside, (mean, lower, upper) in zip(rows, offset, said.to_numpy(), strict=True):
        if mean in (0.0, 1.0):
            end = rb.estimate(rows - x, y, model, offset=offset, firth=False).coefficients[-1]
            ends = np.array([end.lower.value, end.upper.value]) + beside
            wanted = np.exp(ends) if model == "poisson" else 1 / (1 + np.exp(-ends))
            assert [lower, upper] == pytest.approx(wanted.tolist(), rel=1e-6)
            assert (lower, upper) != (0.0, 1.0)
            checked += 1
    assert checked or found.verdict.kind == "overlap"
    if model == "logistic":  # rows of one trial, several of them together
        often = np.ones(14, dtype=int)
        by_trials = rb.estimate(rows, y, "binomial", trials=often, offset=offset, firth=False)
        np.testing.assert_allclose(by_trials.predict(interval=True), said, rtol=1e-6, atol=1e-12)
    # without an intercept another column stands for the response
    X = np.column_stack([rows, np.ones(14)])
    bare = rb.estimate(X, y, model, offset=offset, firth=False, fit_intercept=False)
    np.testing.assert_allclose(bare.predict(X, offset=offset, interval=True), said, rtol=1e-6, atol=1e-12)


def test_a_poisson_model_of_fractions_has_the_same_interval_in_every_unit() -> None:
    values = COUNTS * 1.37
    one, other = rb.estimate(X, values, "poisson"), rb.estimate(X, values * 1024, "poisson", robust="HC1")
    np.testing.assert_allclose(one.conf_int().iloc[:2], other.conf_int().iloc[:2], rtol=1e-6)
    model = sm.GLM(values, Z, family=sm.families.Poisson()).fit(cov_type="HC0")
    np.testing.assert_allclose(one.bse, model.bse * np.sqrt(N / (N - 3)), rtol=1e-6)
    assert one.wald
    assert not one.penalised
    assert str(one).count("not whole") == 1
    assert "spread 2" in str(rb.estimate(X, COUNTS * 20, "poisson", firth=False))


def test_what_there_is_no_number_for_is_said() -> None:
    found = rb.estimate(X, SIDES, firth=False)
    with pytest.raises(ValueError, match="no coefficient 'age'"):
        found.test("age")
    with pytest.raises(ValueError, match="not nested: x1 is only in the smaller one"):
        rb.estimate(X[:, :1], SIDES, firth=False).test(found)
    with pytest.raises(ValueError, match="their rows or outcomes differ"):
        found.test(rb.estimate(X[:, :1], 1 - SIDES, firth=False))
    with pytest.raises((TypeError, ValueError), match="robust must be one of HC0, HC1, HC2, HC3"):
        rb.estimate(X, SIDES, robust="HC9")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not go with robust errors"):
        rb.estimate(X, SIDES, robust="HC1").test("x0")
    with pytest.raises(ValueError, match="cluster must have one value for each row"):
        rb.estimate(X, SIDES, cluster=GROUPS[:5])
    with pytest.raises(ValueError, match="groups must have one value for each row"):
        rb.estimate(X, SIDES, groups=GROUPS[:5])
    with pytest.raises(ValueError, match="groups and cluster are two names"):
        rb.estimate(X, SIDES, groups=GROUPS, cluster=GROUPS)
    with pytest.raises(ValueError, match="method is 'score'"):
        found.test("x0", method="score")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rb.estimate(X, GROUPS % 3, "multinomial", firth=False).test("x1").df == 2


@pytest.mark.parametrize("trials", [False, True])
def test_predictions_after_firth_have_the_mean_of_the_outcomes(trials: bool) -> None:
    """FLIC and FLAC have it by their intercepts' scores; FLAC's are those of statsmodels on pseudo-rows."""
    sm = pytest.importorskip("statsmodels.api")
    r = np.random.default_rng(3)
    X = np.c_[r.normal(size=60) * 50 + 1000, np.arange(60) < 6]
    m = r.integers(1, 4, 60) if trials else np.ones(60, dtype=int)
    y = r.binomial(m, np.where(X[:, 1] > 0, 0.999999, 0.2))  # separated
    found = rb.estimate(X, y, "binomial", trials=m) if trials else rb.estimate(X, y)
    shares = {name: found.predict(method=name) for name in ("firth", "flic", "flac")}
    assert abs(m @ shares["firth"] - y.sum()) > 0.01
    for name in ("flic", "flac"):
        assert m @ shares[name] == pytest.approx(y.sum(), abs=1e-7)
        assert ((shares[name] > 0) & (shares[name] < 1)).all()
    odds = {name: np.log(p / (1 - p)) for name, p in shares.items()}
    assert np.ptp(odds["flic"] - odds["firth"]) == pytest.approx(0.0, abs=1e-9)  # but for the intercept
    Z = np.c_[X, np.ones(60)]
    V = m * shares["firth"] * (1 - shares["firth"])
    h = V * np.einsum("ij,jk,ik->i", Z, np.linalg.inv(Z.T @ (V[:, None] * Z)), Z)
    outcome = np.c_[np.r_[y, h / 2], np.r_[m - y, h / 2]]
    model = sm.GLM(outcome, np.c_[np.r_[Z, Z], np.repeat([0.0, 1.0], 60)], family=sm.families.Binomial())
    theirs = model.fit(tol=1e-13, maxiter=200).params
    np.testing.assert_allclose(odds["flac"], Z @ theirs[:3], atol=1e-5)
    np.testing.assert_allclose(found.predict(X[:5], method="flac"), shares["flac"][:5], rtol=1e-12)


def test_what_predictions_after_firth_need() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="no Firth's estimates of all coefficients"):
        rb.estimate(X, y, firth=False).predict(method="flic")
    with pytest.raises(ValueError, match="leave interval or method out"):
        rb.estimate(X, y).predict(method="flac", interval=True)
    with pytest.raises(ValueError, match="logistic and binomial models with an intercept"):
        rb.estimate(X, y, "poisson").predict(method="flic")
