"""`check_fitted` on real fits of real libraries: the verdict is that of the data they were given."""

import warnings
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.regressions.machinery.libraries import question_of
from tests.claims.book import book

pd = pytest.importorskip("pandas")


def table(n: int = 24, separated: bool = False) -> Any:
    """Two numbers, a mark that only the second half may have, and outcomes that nothing predicts."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(2), "b": rng.integers(-3, 4, size=n).astype(float)})
    frame["yes"] = np.tile([0, 1], n // 2)
    frame["mark"] = (
        ((frame.index % 5 == 0) & (frame.yes == 1)).astype(float) if separated else (frame.index % 3 == 0) * 1.0
    )
    frame["count"] = np.where((frame.mark > 0) & separated, 0, frame.index % 4 + 1 - frame.yes)
    frame["kind"] = np.array(["u", "v", "w"])[frame.index // 2 % 3]
    return frame


def checked(fitted: Any, *data: Any, **more: Any) -> tuple[rb.Verdict, str]:
    """The verdict, and what was warned of; every sentence of that is on the page."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        verdict = rb.check_fitted(fitted, *data, **more)
    assert len(caught) <= 1
    said = str(caught[0].message) if caught else ""
    if said:
        assert caught[0].filename == __file__
        assert verdict.sentence in said
        rest = said.partition(": ")[2].replace(verdict.sentence, "")
        templates = book().templates["fitted"]
        for name in ("none", "penalised", "dropped", "dispersion", "counts"):
            rest = templates[name].regex.sub("", rest)
        assert not rest.strip(), rest
    return verdict, said


def fit(model: Any, **options: Any) -> Any:
    """Fit in silence: some of these have no estimate, and say so or not."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return model().fit(**options)


# -------------------------------------------------------------------------------------------------------- statsmodels


@pytest.mark.parametrize("separated", [False, True])
@pytest.mark.parametrize("name", ["Logit", "Probit", "Binomial", "Binomial CLogLog", "Poisson", "GLM Poisson"])
def test_statsmodels_of_counts(name: str, separated: bool) -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = table(separated=separated)
    X = sm.add_constant(frame[["a", "b", "mark"]])
    y = frame["count"] if "Poisson" in name else frame["yes"]
    families = {
        "Binomial": lambda: sm.families.Binomial(),
        "Binomial CLogLog": lambda: sm.families.Binomial(sm.families.links.CLogLog()),
        "GLM Poisson": lambda: sm.families.Poisson(),
    }
    make = (lambda: sm.GLM(y, X, family=families[name]())) if name in families else (lambda: getattr(sm, name)(y, X))
    options = {"maxiter": 8} if name in families else {"disp": 0, "maxiter": 8, "method": "bfgs"}
    fitted = fit(make, **options)
    verdict, said = checked(fitted)
    expected = rb.existence(X, y, "poisson" if "Poisson" in name else "logistic", fit_intercept=False)
    assert verdict.kind == expected.kind == ("quasi" if separated else "overlap")
    assert bool(said) == separated
    assert verdict.rows["strict"].tolist() == expected.rows["strict"].tolist()
    if separated:
        assert said.startswith("GLM: " if name in families else f"{name}: ")
        assert verdict.rows["strict"].tolist() == np.flatnonzero(frame.mark).tolist()
    if "Poisson" in name:
        assert verdict.model.weights == ("const", "a", "b", "mark")


@pytest.mark.parametrize("separated", [False, True])
@pytest.mark.parametrize("name", ["NegativeBinomial", "nb1", "NegativeBinomialP", "ZeroInflatedPoisson", "GLM"])
def test_counts_with_more_zeros_or_more_spread(name: str, separated: bool) -> None:
    """The verdict is Poisson's; and along a direction of it their own likelihood rises, whatever else they estimate."""
    sm = pytest.importorskip("statsmodels.api")
    frame = table(separated=separated)
    X, y = sm.add_constant(frame[["a", "b", "mark"]]), frame["count"]
    makes = {
        "NegativeBinomial": lambda: sm.NegativeBinomial(y, X),
        "nb1": lambda: sm.NegativeBinomial(y, X, loglike_method="nb1"),
        "NegativeBinomialP": lambda: sm.NegativeBinomialP(y, X),
        "ZeroInflatedPoisson": lambda: sm.ZeroInflatedPoisson(y, X),
        "GLM": lambda: sm.GLM(y, X, family=sm.families.NegativeBinomial(alpha=0.5)),
    }
    model = makes[name]()
    fitted = fit(lambda: model, maxiter=5, **({} if name == "GLM" else {"disp": 0}))
    verdict, said = checked(fitted)
    expected = rb.existence(X, y, "poisson", fit_intercept=False)
    assert verdict.kind == expected.kind == ("quasi" if separated else "overlap")
    assert ("about the coefficients, whatever the dispersion" in said) == name.lower().startswith(("n",))
    assert ("Only the part of the counts" in said) == name.startswith("Zero")
    assert verdict.finite_part is None
    if separated and name != "GLM":
        begin = np.array(fitted.params, dtype=float)
        begin[-1] = abs(begin[-1]) + 0.1 if not name.startswith("Zero") else begin[-1]  # a dispersion
        down = np.zeros(len(begin))
        down[list(model.exog_names).index("mark")] = -1.0
        with np.errstate(all="ignore"):
            far = [model.loglike(begin + t * down) for t in (0.0, 1.0, 5.0, 20.0)]
        assert far == sorted(far)
        assert far[1] > far[0]


@pytest.mark.parametrize("separated", [False, True])
def test_counts_given_the_totals_of_groups(separated: bool) -> None:
    conditional = pytest.importorskip("statsmodels.discrete.conditional_models")
    frame = table(separated=separated)
    groups = np.arange(24) % 6
    frame.loc[groups == 2, "count"] = 0  # a group that says nothing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the group
        model = conditional.ConditionalPoisson(frame["count"], frame[["a", "mark"]], groups=groups)
    verdict, said = checked(model)
    kept = groups != 2
    expected = rb.existence(frame[["a", "mark"]][kept], frame["count"][kept], "poisson", fixed_effects=[groups[kept]])
    assert verdict.kind == expected.kind == ("quasi" if separated else "overlap")
    assert bool(said) == separated
    assert verdict.model.weights[:2] == ("a", "mark")
    if separated:
        far = [model.loglike(np.array([0.3, -t])) for t in (0.0, 1.0, 5.0, 20.0)]
        assert far == sorted(far)


def test_models_of_scikit_survival() -> None:
    """A stand-in with the class's name and attributes; where the package is there, its own."""
    r = np.random.default_rng(0)
    X, time, event = r.normal(size=(30, 2)), r.integers(1, 20, 30).astype(float), r.random(30) < 0.7
    X[:, 1], event[:5] = np.arange(30) < 5, False
    y = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    try:
        from sksurv.linear_model import CoxPHSurvivalAnalysis
    except ImportError:
        CoxPHSurvivalAnalysis = type(
            "CoxPHSurvivalAnalysis", (), {"__module__": "sksurv.linear_model.coxph", "alpha": 0.5}
        )
        fitted = CoxPHSurvivalAnalysis()
    else:
        fitted = CoxPHSurvivalAnalysis(alpha=0.5).fit(X, y)
    verdict, said = checked(fitted, X, y)
    assert verdict.kind == rb.existence(X, model="cox", time=time, event=event.astype(int)).kind == "quasi"
    assert "The fit is penalised (alpha=0.5): without" in said
    with pytest.raises(TypeError, match="CoxPHSurvivalAnalysis keeps no data: give X and y"):
        rb.check_fitted(fitted, X, time)


def test_shares_of_successes_are_none_some_or_all() -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = table(separated=True)
    X = sm.add_constant(frame[["a", "mark"]])
    won = np.where(frame.mark > 0, 5, frame.index % 4 + 1)
    two = fit(lambda: sm.GLM(np.column_stack([won, 5 - won]), X, family=sm.families.Binomial()), maxiter=5)
    one = fit(lambda: sm.GLM(won / 5, X, family=sm.families.Binomial(), var_weights=np.full(24, 5.0)), maxiter=5)
    expected = rb.existence(X, won, "binomial", trials=np.full(24, 5), fit_intercept=False)
    for fitted in (two, one):
        verdict, said = checked(fitted)
        assert verdict.kind == expected.kind == "quasi"
        assert (
            verdict.rows["strict"].tolist() == expected.rows["strict"].tolist() == np.flatnonzero(frame.mark).tolist()
        )
        assert "rows are predicted with certainty; drop them" in said
    kept = fit(
        lambda: sm.GLM(won / 5, X, family=sm.families.Binomial(), freq_weights=1.0 - frame.mark.to_numpy()), maxiter=5
    )
    verdict, said = checked(kept)  # the rows that were separated weigh nothing; their column is then not identified
    assert (verdict.kind, said) == ("overlap", "")


def test_the_finite_part_has_the_weights_offsets_and_trials_of_the_fit() -> None:
    """On the rows that are not separated, the library itself has an estimate: the finite part is the same."""
    sm = pytest.importorskip("statsmodels.api")
    frame = table(separated=True)
    kept = (frame.mark == 0).to_numpy()
    X, long = sm.add_constant(frame[["a", "b", "mark"]]), np.linspace(0.5, 4.0, 24)
    whole = frame.index.to_numpy() % 3 + 1.0
    won = np.where(kept, frame.index % 4 + 1, 5).astype(float)
    pair = np.column_stack([won, 5 - won])
    poisson, binomial = sm.families.Poisson(), sm.families.Binomial()
    cases: list[tuple[Any, Any, dict[str, Any], dict[str, Any]]] = [  # model, outcome, what stays, what rows have
        (sm.GLM, frame["count"], {"family": poisson}, {"exposure": long}),
        (sm.GLM, frame["count"], {"family": poisson}, {"offset": long, "freq_weights": whole}),
        (sm.Poisson, frame["count"], {}, {"exposure": long, "offset": whole}),
        (sm.Logit, frame.yes, {}, {"offset": long}),
        (sm.GLM, frame.yes, {"family": binomial}, {"freq_weights": whole / 2}),
        (sm.GLM, pair, {"family": binomial}, {}),
        (sm.GLM, won / 5, {"family": binomial}, {"var_weights": 5 * whole, "offset": long}),
    ]
    for make, y, fixed, rows in cases:
        verdict, _ = checked(make(y, X, **fixed, **rows))
        some = {name: column[kept] for name, column in rows.items()}
        left = fit(
            lambda make=make, y=y, fixed=fixed, some=some: make(
                np.asarray(y)[kept], X[kept].drop(columns="mark"), **fixed, **some
            ),
            **({} if make is sm.GLM else {"disp": 0, "method": "newton"}),
        )
        assert verdict.rows["strict"].tolist() == np.flatnonzero(~kept).tolist()
        assert np.allclose(verdict.finite_part.w[:3], left.params, rtol=1e-5, atol=1e-7), (make, fixed, rows)
    for model in (
        sm.Probit(frame.yes, X),
        sm.GLM(frame.yes, X, family=sm.families.Binomial(sm.families.links.CLogLog())),
        sm.GLM(won / 5.5, X, family=binomial),  # shares of nothing that is known
    ):
        assert checked(model)[0].finite_part is None  # not that of another link, or of other counts
    regularised = sm.Logit(frame.yes, X).fit_regularized(disp=0, alpha=1.0)
    assert "The fit is penalised (fit_regularized)" in checked(regularised)[1]


@pytest.mark.parametrize("names", [True, False])
def test_statsmodels_of_classes(names: bool) -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = table()
    X = sm.add_constant(frame[["a"]].assign(mark=(frame.kind == "w") & (frame.index > 11)).astype(float))
    y = frame.kind if names else frame.kind.map({"u": 3, "v": 4, "w": 5}).to_numpy()
    fitted = fit(lambda: sm.MNLogit(y, X if names else X.to_numpy()), disp=0, maxiter=8)
    verdict, said = checked(fitted)
    expected = rb.existence(X, y, "multinomial", fit_intercept=False)
    assert verdict.kind == expected.kind == "quasi"
    assert verdict.model.pairs.tolist() == expected.model.pairs.tolist()
    assert said.startswith("MNLogit: There is no maximum-likelihood estimate: ")
    assert verdict.model.against == (("u", "v", "w") if names else ("3", "4", "5"))


def test_formulas_keep_their_names() -> None:
    smf = pytest.importorskip("statsmodels.formula.api")
    frame = table(separated=True)
    frame.loc[2, "a"] = np.nan  # this row is dropped, and row numbers are those of the others
    fitted = fit(lambda: smf.poisson("count ~ a + C(kind) + mark", frame), disp=0, maxiter=8, method="bfgs")
    verdict, _ = checked(fitted)
    assert set(verdict.model.weights) == {"Intercept", "C(kind)[T.v]", "C(kind)[T.w]", "a", "mark"}
    left = frame.dropna().reset_index(drop=True)
    assert verdict.rows["strict"].tolist() == np.flatnonzero(left.mark).tolist()


def test_what_of_statsmodels_is_refused() -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = table()
    X = sm.add_constant(frame[["a"]])
    strange = [
        (sm.GLM(frame["count"] + 1.0, X, family=sm.families.Gamma(sm.families.links.Log())), "the family Gamma"),
        (sm.GLM(frame.yes, X), "the family Gaussian and the link Identity; decided are Poisson and"),
        (sm.GEE(frame.yes, X, frame.kind, family=sm.families.Binomial()), r"does not know a statsmodels\.\S+GEE\."),
        (sm.OLS(frame.a, X), r"does not know a statsmodels\.\S+OLS\. It knows statsmodels' Logit, Probit"),
        ([1, 2], "check_fitted does not know a builtins.list"),
    ]
    for model, sentence in strange:
        with pytest.raises((TypeError, ValueError), match=sentence):
            rb.check_fitted(model)
    fitted = fit(lambda: sm.Logit(frame.yes, X), disp=0)
    fitted.remove_data()
    with pytest.raises(TypeError, match="this Logit has no data any more: give its design matrix"):
        rb.check_fitted(fitted)
    assert checked(fitted, X, frame.yes)[0].kind == "overlap"


def ordered(frame: Any, levels: list[str]) -> Any:
    return pd.Series(pd.Categorical(frame.kind.map(dict(zip("uvw", levels, strict=True))), levels, ordered=True))


def test_arguments_of_ordered_models() -> None:
    models = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    frame = table()
    fitted = fit(
        lambda: models.OrderedModel(ordered(frame, ["low", "mid", "top"]), frame[["a", "b"]], distr="logit"),
        disp=0,
        method="bfgs",
        maxiter=5,
    )
    asked = question_of(fitted, None, None)
    assert (asked.arguments["model"], asked.arguments["levels"]) == ("ordinal", ["low", "mid", "top"])
    assert asked.arguments["y"].tolist() == frame.kind.map({"u": "low", "v": "mid", "w": "top"}).tolist()
    assert asked.arguments["X"].columns == ["a", "b"]
    assert "fit_intercept" not in asked.arguments


@pytest.mark.parametrize("separated", [False, True])
def test_ordered_models(separated: bool) -> None:
    models = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    frame = table()
    X = frame[["a"]].assign(rank=frame.kind.map({"u": 1.0, "v": 2.0, "w": 3.0})) if separated else frame[["a", "b"]]
    fitted = fit(
        lambda: models.OrderedModel(ordered(frame, ["low", "mid", "top"]), X), disp=0, method="bfgs", maxiter=5
    )
    verdict, said = checked(fitted)
    assert verdict.kind == ("complete" if separated else "overlap")
    assert bool(said) == separated


def test_arguments_of_hazards() -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = table()
    time, entry = frame.index.to_numpy() + 1.0, np.zeros(24)
    how = {"status": frame.yes, "entry": entry, "strata": frame.kind.map({"u": 0, "v": 1, "w": 2}).to_numpy()}
    asked = question_of(fit(lambda: sm.PHReg(time, frame[["a", "b"]], **how)), None, None).arguments
    assert (asked["model"], asked["time"].tolist()) == ("cox", time.tolist())
    assert asked["event"].tolist() == frame.yes.tolist()
    assert (asked["entry"].tolist(), asked["groups"].tolist()) == (entry.tolist(), how["strata"].tolist())
    plain = question_of(fit(lambda: sm.PHReg(time, frame[["a", "b"]])), None, None).arguments
    assert plain["event"].tolist() == [1] * 24
    assert not {"entry", "groups", "y"} & set(plain)


def risky(separated: bool) -> Any:
    """Everyone with a mark dies before all others, or as often as they."""
    frame = table()
    frame["time"] = np.where(frame.mark > 0, 0.0, 50.0 * separated) + frame.index % 7 + 1.0
    frame["yes"] = np.where(separated & (frame.mark > 0), 1, frame.yes)
    return frame


@pytest.mark.parametrize("separated", [False, True])
def test_hazards(separated: bool) -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = risky(separated)
    fitted = fit(lambda: sm.PHReg(frame.time, frame[["a", "mark"]], status=frame.yes))
    verdict, said = checked(fitted)
    expected = rb.existence(frame[["a", "mark"]], None, "cox", time=frame.time, event=frame.yes)
    assert verdict.kind == expected.kind == ("quasi" if separated else "overlap")
    assert bool(said) == separated


def test_arguments_of_matched_sets() -> None:
    models = pytest.importorskip("statsmodels.discrete.conditional_models")
    frame = table()
    groups = frame.index.to_numpy() // 4
    fitted = fit(lambda: models.ConditionalLogit(frame.yes, frame[["a", "b"]], groups=groups), disp=0)
    asked = question_of(fitted, None, None).arguments
    assert (asked["model"], asked["y"].tolist(), asked["groups"].tolist()) == (
        "conditional",
        frame.yes.tolist(),
        groups.tolist(),
    )


@pytest.mark.parametrize("separated", [False, True])
def test_matched_sets(separated: bool) -> None:
    models = pytest.importorskip("statsmodels.discrete.conditional_models")
    frame = table()
    X = frame[["a"]].assign(b=frame.yes * 1.0) if separated else frame[["a", "b"]]
    fitted = fit(lambda: models.ConditionalLogit(frame.yes, X, groups=frame.index // 4), disp=0, maxiter=5)
    verdict, said = checked(fitted)
    assert verdict.kind == ("complete" if separated else "overlap")
    assert bool(said) == separated


# ------------------------------------------------------------------------------- scikit-learn, lifelines and pyfixest


def test_logistic_regression_needs_its_data() -> None:
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

    frame = table(separated=True)
    X, y = frame[["a", "mark"]], frame.yes
    for model, penalised in ((LogisticRegression(C=2.0), True), (LogisticRegression(C=np.inf), False)):
        verdict, said = checked(fit(lambda model=model: model, X=X, y=y), X, y)
        assert (verdict.kind, "penalised (C=2.0)" in said) == ("quasi", penalised)
        assert said.startswith("LogisticRegression: there is no maximum-likelihood estimate. Quasi-separable")
    several = fit(LogisticRegression, X=X, y=frame.kind)
    verdict, _ = checked(several, X, frame.kind)
    expected = rb.existence(X, frame.kind, "multinomial")
    assert (verdict.kind, verdict.model.weights) == (expected.kind, expected.model.weights)
    chosen = fit(lambda: LogisticRegressionCV(cv=2), X=X, y=y)
    assert "The fit is penalised (C=" in checked(chosen, X, y)[1]
    with pytest.raises(TypeError, match="LogisticRegression keeps no data: give the rows and labels"):
        rb.check_fitted(several)
    with pytest.raises(ValueError, match="was fitted to 2 columns and one label a row"):
        rb.check_fitted(several, X[["a"]], frame.kind)
    with pytest.raises(ValueError, match="y has the label 0 in row 0; this model was fitted to the labels u, v, w"):
        rb.check_fitted(several, X, frame.yes)
    with pytest.raises(ValueError, match="this LogisticRegression is not fitted yet"):
        rb.check_fitted(LogisticRegression(), X, y)


def test_arguments_of_lifelines() -> None:
    lifelines = pytest.importorskip("lifelines")
    frame = risky(separated=False).assign(w=1.0, t0=0.0)
    columns = {"duration_col": "time", "event_col": "yes", "weights_col": "w", "entry_col": "t0", "strata": ["kind"]}
    fitted = fit(lifelines.CoxPHFitter, df=frame, formula="a + C(mark)", robust=False, **columns)
    asked = question_of(fitted, frame, None)
    assert asked.arguments["X"].columns == ["a", "C(mark)[T.1.0]"]
    assert np.asarray(asked.arguments["X"]).tolist() == frame[["a", "mark"]].to_numpy().tolist()
    for name, column in {"time": "time", "event": "yes", "sample_weight": "w", "entry": "t0"}.items():
        assert asked.arguments[name].tolist() == frame[column].tolist()
    assert asked.arguments["groups"].tolist() == frame.kind.map({"u": 0, "v": 1, "w": 2}).tolist()
    with pytest.raises(TypeError, match="CoxPHFitter keeps no covariates: give the table"):
        rb.check_fitted(fitted)
    ridge = fit(lambda: lifelines.CoxPHFitter(penalizer=0.5), df=frame[["a", "time"]], duration_col="time")
    assert question_of(ridge, frame, None).penalty == "penalizer=0.5"
    assert question_of(ridge, frame, None).arguments["event"].tolist() == [1] * 24


def test_lifelines() -> None:
    lifelines = pytest.importorskip("lifelines")
    frame = risky(separated=True)
    fitted = fit(
        lambda: lifelines.CoxPHFitter(penalizer=0.1),
        df=frame[["a", "mark", "time", "yes"]],
        duration_col="time",
        event_col="yes",
    )
    verdict, said = checked(fitted, frame)
    assert verdict.kind == "quasi"
    assert "The fit is penalised (penalizer=0.1): without" in said


def test_fepois_says_that_rows_were_dropped() -> None:
    pyfixest = pytest.importorskip("pyfixest")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.poisson(2, 80), "a": rng.normal(size=80), "firm": rng.integers(0, 8, 80)})
    frame["year"], frame["mark"] = rng.integers(0, 5, 80), (frame.y == 0) & (np.arange(80) > 20)
    frame["mark"] = frame.mark.astype(float)
    frame.loc[frame.firm == 3, "y"] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = pyfixest.fepois("y ~ a | firm + year", data=frame)
        marked = pyfixest.fepois("y ~ a + mark | firm + year", data=frame, separation_check=["fe"])
        bare = pyfixest.fepois("y ~ a + mark", data=frame)
        crossed = pyfixest.fepois("y ~ a*year | firm^year", data=frame)
        empty = pyfixest.fepois("y ~ a | firm", data=frame, store_data=False)
    dropped = int((frame.firm == 3).sum())
    verdict, said = checked(plain)
    assert verdict.kind == "overlap"
    assert said.endswith(
        f"fepois dropped {dropped} rows as separated before it fitted; this is about the {80 - dropped} that it kept."
    )
    kept = frame[frame.firm != 3].reset_index(drop=True)
    verdict, _ = checked(marked)
    expected = rb.existence(kept[["a", "mark"]], kept.y, "poisson", fixed_effects=[kept.firm, kept.year])
    assert verdict.kind == expected.kind == "quasi"
    assert verdict.rows["strict"].tolist() == expected.rows["strict"].tolist()
    assert verdict.model.weights == expected.model.weights
    verdict, said = checked(bare)
    assert (verdict.kind, verdict.model.weights) == ("quasi", ("Intercept", "a", "mark"))
    assert "dropped" not in said
    assert question_of(crossed, None, None).arguments["X"].columns == ["a", "a:year"]
    assert question_of(crossed, None, None).arguments["fixed_effects"][0].name == "firm^year"
    with pytest.raises(TypeError, match="this fepois fit has no data any more: fit it with store_data=True"):
        rb.check_fitted(empty)


def test_more_goes_on_to_existence() -> None:
    from sklearn.linear_model import LogisticRegression

    frame = table(separated=True)
    X, y = frame[["a", "mark"]], frame.yes
    fitted = fit(LogisticRegression, X=X, y=y)
    verdict, said = checked(fitted, X, y, sample_weight=1.0 - frame.mark)
    assert (verdict.kind, said) == ("overlap", "")
