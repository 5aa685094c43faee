"""What those who minimise say at the end, read back and checked: CONVERGED, RECEDING, BUDGET and their numbers."""

import re
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.learners import least_squares
from tests.learners.test_perceptron import quiet

SHARED = Path(__file__).parents[3] / "shared" / "data"
AND = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
NEAR = re.compile(r"the loss(?: with the ridge \S+)?, (\S+), is within (\S+) of its (?:only )?minimum: proved by")
ABOVE = re.compile(r"the loss, (\S+), is at most (\S+) above its minimum")


def table(name: str) -> pd.DataFrame:
    if not (SHARED / name).exists():
        pytest.skip("no shared data")
    return pd.read_csv(SHARED / name)


def numbers(pattern: re.Pattern[str], outcome: Any) -> tuple[float, float]:
    """The loss and the bound that a sentence names."""
    found = pattern.search(outcome.sentence)
    assert found is not None, outcome.sentence
    return float(found[1]), float(found[2])


def proves_no_minimum(outcome: Any, X: Any, y: Any, bias: bool = True, weights: Any = None) -> bool:
    """z·v ≥ 0 on every row and > 0 on some, in fractions."""
    plane = outcome.hyperplane
    v = [Fraction(x) for x in plane.w.tolist()]
    assert bias or plane.b == 0
    values = []
    for i, (x, label) in enumerate(zip(np.asarray(X, dtype=np.float64).tolist(), y, strict=True)):
        if weights is None or weights[i]:
            s = sum((a * Fraction(b) for a, b in zip(v, x, strict=True)), Fraction(plane.b))
            values.append(s if label else -s)
    return min(values) >= 0 and max(values) > 0


def squared(model: Any, X: Any, y: Any) -> float:
    return float(0.5 * np.sum((np.where(y, 1, -1) - model.decision_function(X)) ** 2))


# -------------------------------------------------------------------------------- once said, and not true


def test_incremental_adaline_does_not_say_minimum_on_and() -> None:
    X, y = np.array(AND[0]), np.array(AND[1])
    with pytest.warns(ConvergenceWarning, match=r"A smaller eta with more passes comes nearer; LeastSquares\(\) goes"):
        model = rb.Adaline(eta=0.5, order="cyclic").fit(X, y)
    assert model.outcome_ == "BUDGET"
    assert "a fixed step ends beside the minimum" in model.outcome_.sentence
    assert numbers(ABOVE, model.outcome_) == (1.25, 0.76)  # the minimum is 0.5; a bound is rounded up
    assert squared(rb.LeastSquares().fit(X, y), X, y) == pytest.approx(0.5)


def test_incremental_adaline_does_not_say_minimum_on_raw_iris() -> None:
    X, y = load_iris(return_X_y=True)
    model = quiet(rb.Adaline(), X, y == 0)
    best = squared(rb.LeastSquares().fit(X, y == 0), X, y == 0)
    loss = squared(model, X, y == 0)
    assert "is within" not in model.outcome_.sentence
    said, bound = numbers(ABOVE, model.outcome_)
    assert said == pytest.approx(loss, rel=1e-5)
    assert loss - best <= bound <= 1.1 * (loss - best)


def test_logistic_on_raw_banknote() -> None:
    data = table("banknote_authentication.csv").to_numpy()
    X, y = data[:, :-1], data[:, -1]
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    newton = rb.Logistic().fit(X, y)
    assert newton.outcome_ == "CONVERGED"
    assert newton.coef_[0, 0] == pytest.approx(-7.859, abs=1e-3)
    assert np.allclose(newton.coef_, theirs.coef_, rtol=1e-3)
    loss, bound = numbers(NEAR, newton.outcome_)
    assert (loss, bound < 1e-15) == (24.9453, True)
    descent = quiet(rb.Logistic(mode="incremental"), X, y)
    assert descent.outcome_ == "BUDGET"
    assert "not proved to be near a minimum" in descent.outcome_.sentence


def test_damped_least_squares_on_its_way_does_not_say_minimum() -> None:
    X, y = np.array(AND[0], dtype=float), np.array(AND[1])
    with pytest.warns(ConvergenceWarning, match="Raise max_passes, or take regularizer=0"):
        model = rb.LeastSquares(regularizer=100, start=[1.0, 2.0, 3.0], penalize_bias=True).fit(X, y)
    assert model.outcome_ == "BUDGET"
    loss, bound = numbers(ABOVE, model.outcome_)
    assert loss == pytest.approx(squared(model, X, y), rel=1e-5)
    assert bound >= loss - 0.5 - 1e-3
    ridge = rb.LeastSquares(regularizer=100).fit(X, y)  # from zero one step is ridge regression's minimum
    assert ridge.outcome_ == "CONVERGED"
    assert "the loss with the ridge ½·100·‖w‖², " in ridge.outcome_.sentence


@pytest.mark.parametrize("mode", ["newton", "batch", "incremental"])
def test_separable_data_have_no_minimum(mode: str) -> None:
    with pytest.warns(ConvergenceWarning, match="More passes cannot help; a ridge can") as caught:
        model = rb.Logistic(mode=mode).fit(*AND)
    assert not any(word in str(caught[0].message) for word in ("Raise", "tol", "scale"))
    assert model.outcome_ == "RECEDING"
    assert model.outcome_.sentence.startswith("all 4 examples are on their side after ")
    assert "it falls for ever as x0 and x1 grow and the intercept falls" in model.outcome_.sentence
    assert "rb.separability(X, y, coefficients=True)" in model.outcome_.sentence
    assert proves_no_minimum(model.outcome_, *AND)


def test_endometrial_has_no_minimum_because_of_nv() -> None:
    data = table("sep_endometrial.csv")
    X, y = data[["NV", "PI", "EH"]], data["HG"].to_numpy()
    model = quiet(rb.Logistic(), X, y)
    assert model.outcome_ == "RECEDING"
    assert "it falls for ever as NV grows." in model.outcome_.sentence
    assert proves_no_minimum(model.outcome_, X, y)
    batch = quiet(rb.Logistic(mode="batch"), X, y)
    assert batch.outcome_ == "BUDGET"  # not proved there, and not called a minimum
    assert "is within" not in batch.outcome_.sentence


@pytest.mark.parametrize(
    ("name", "target", "outcome"),
    [
        ("sep_ds_counterexample.csv", "y", "RECEDING"),
        ("sep_ds_overlap4.csv", "y", "CONVERGED"),
        ("sep_ds_tiny6.csv", "y", "RECEDING"),
        ("sep_safe_complete.csv", "y", "RECEDING"),
        ("sep_safe_quasi.csv", "y", "RECEDING"),
        ("sep_silvapulle1981.csv", "y", "RECEDING"),
        ("sep_ucla_complete.csv", "Y", "RECEDING"),
        ("wdbc.csv", "y", "RECEDING"),
        ("sonar.csv", "-1", "RECEDING"),
    ],
)
def test_real_tables(name: str, target: str, outcome: str) -> None:
    data = table(name)
    column = data.columns[-1] if target == "-1" else target
    X, labels = data.drop(columns=column).to_numpy(dtype=float), data[column].to_numpy()
    y = labels == np.unique(labels)[1]
    for columns in (X, StandardScaler().fit_transform(X)):
        model = quiet(rb.Logistic(), columns, y)
        assert model.outcome_ == outcome
        if outcome == "RECEDING":
            assert proves_no_minimum(model.outcome_, columns, y)
        else:
            numbers(NEAR, model.outcome_)


@pytest.mark.parametrize("scaled", [False, True])
def test_twelve_fits_that_did_not_end_now_do(scaled: bool) -> None:
    """Iris, wdbc, digits: every class against the rest is at its minimum, or proved to have none."""
    for X, y in (load_iris(return_X_y=True), load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)):
        X = StandardScaler().fit_transform(X) if scaled else X
        model = quiet(rb.Logistic(), X, y)
        for outcome in getattr(model, "outcomes_", [model.outcome_]):
            assert outcome in ("CONVERGED", "RECEDING")
        assert model.n_passes_ < 40


# ------------------------------------------------------------------------------------------------------ small and ugly


@st.composite
def ugly(draw: st.DrawFn) -> tuple[Any, np.ndarray, bool, Any]:
    """Bits, small numbers, decimals, factors; duplicates, constants, scales, sorted labels, weights, float32, CSR."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, p = draw(st.integers(2, 24)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["bits", "small", "normal", "decimals", "factor"]))
    if kind == "factor":
        X = np.column_stack([np.eye(3)[rng.integers(0, 3, size=n)], rng.integers(0, 4, size=n)])
    else:
        X = {
            "bits": lambda: rng.integers(0, 2, size=(n, p)),
            "small": lambda: rng.integers(-3, 4, size=(n, p)),
            "normal": lambda: rng.normal(size=(n, p)),
            "decimals": lambda: rng.integers(0, 30, size=(n, p)) / 10,
        }[kind]()
    X = X.astype(float) * 10.0 ** draw(st.sampled_from([-8, 0, 0, 0, 8]))
    if draw(st.booleans()):
        X[:, 0] = 7.0
    y = rng.integers(0, 2, size=n)
    if draw(st.booleans()):
        y = (X @ rng.normal(size=X.shape[1]) > 0).astype(int)
    y[:2] = [0, 1]
    y = np.sort(y) if draw(st.booleans()) else y
    weights = rng.choice([0.0, 1.0, 2.5], size=n) if draw(st.booleans()) else None
    if weights is not None:
        weights[np.unique(y, return_index=True)[1]] = 1.0
    data = {"dense": X, "float32": X.astype(np.float32), "csr": sp.csr_array(X)}[
        draw(st.sampled_from(["dense", "dense", "float32", "csr"]))
    ]
    return data, y, draw(st.booleans()), weights


@settings(max_examples=max(60, settings.default.max_examples // 2))
@given(ugly())
def test_a_minimum_is_said_to_exist_where_the_verdict_proves_it(case: tuple[Any, np.ndarray, bool, Any]) -> None:
    data, y, bias, weights = case
    X = (data.toarray() if sp.issparse(data) else data).astype(float)
    kept = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    verdict = rb.separability(X[kept], y[kept], fit_intercept=bias, margin=False)
    model = rb.Logistic(fit_intercept=bias)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, y, weights)
    if model.outcome_ == "CONVERGED":
        assert verdict.kind == "overlap"
        loss, bound = numbers(NEAR, model.outcome_)
        assert bound <= 1e-6 * kept.sum() * 3
        losses = np.logaddexp(0, (1 - 2 * y) * model.decision_function(data))
        assert loss == pytest.approx(float(losses.sum() if weights is None else losses @ weights), rel=1e-4)
    elif model.outcome_ == "RECEDING":
        assert verdict.kind in ("complete", "quasi")
        assert proves_no_minimum(model.outcome_, X, y, bias, weights)
    else:
        assert model.outcome_ == "BUDGET"
        assert "not proved" in model.outcome_.sentence


@settings(max_examples=max(60, settings.default.max_examples // 2))
@given(ugly(), st.sampled_from(["squares", "adaline", "batch"]))
def test_squared_losses_are_as_far_from_their_minimum_as_they_say(
    case: tuple[Any, np.ndarray, bool, Any], which: str
) -> None:
    data, y, bias, weights = case
    model = {
        "squares": rb.LeastSquares(fit_intercept=bias),
        "adaline": rb.Adaline(fit_intercept=bias, max_passes=30),
        "batch": rb.Adaline(mode="batch", fit_intercept=bias, max_passes=300),
    }[which]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, y, weights)
    X = (data.toarray() if sp.issparse(data) else data).astype(float)
    Z = np.column_stack([X, np.ones(len(X))]) if bias else X
    root = np.ones(len(y)) if weights is None else np.sqrt(weights)
    lengths = np.linalg.norm(Z, axis=0)
    A = Z / np.where(lengths > 0, lengths, 1) * root[:, None]
    labels = np.where(y, 1, -1) * root
    best = 0.5 * np.sum((labels - A @ np.linalg.lstsq(A, labels)[0]) ** 2)
    loss = 0.5 * np.sum((labels - model.decision_function(data) * root) ** 2)
    sentence = model.outcome_.sentence
    if (found := NEAR.search(sentence) or ABOVE.search(sentence)) is not None:
        assert float(found[1]) == pytest.approx(loss, rel=1e-4, abs=1e-9)
        assert loss - best <= float(found[2]) + 1e-9
    else:
        assert "not proved to be near a minimum" in sentence
    if which == "squares":
        assert loss <= best + 1e-9


# ------------------------------------------------------------------------------------------------------- least squares


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_units_do_not_change_least_squares(dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of sizes 1e6 … 1e-3 in many pieces: the fitted values of lstsq on columns of length one."""
    rng = np.random.default_rng(0)
    scales = 10.0 ** np.linspace(6, -3, 8)
    X = (rng.normal(size=(20_000, 8)) * scales).astype(dtype)
    y = np.where(X / scales @ rng.normal(size=8) + rng.normal(size=len(X)) > 0, 1, -1)
    monkeypatch.setattr(least_squares, "_PIECE_VALUES", 1 << 12)
    model = rb.LeastSquares().fit(X, y)
    Z = np.column_stack([X, np.ones(len(X))]).astype(float)
    lengths = np.linalg.norm(Z, axis=0)
    fitted = Z / lengths @ np.linalg.lstsq(Z / lengths, y)[0]
    assert np.linalg.norm(model.decision_function(X) - fitted) <= 1e-10 * np.linalg.norm(y)
    assert model.outcome_ == "CONVERGED"


def test_dependent_columns_are_named() -> None:
    rng = np.random.default_rng(1)
    k = rng.integers(0, 3, size=40)
    X = pd.DataFrame({"a": k == 0, "b": k == 1, "c": k == 2, "x": rng.normal(size=40)}).astype(float)
    y = (X["x"] + rng.normal(size=40) > 0).to_numpy()
    model = rb.LeastSquares().fit(X, y)
    assert model.outcome_ == "CONVERGED"
    assert "; c is a combination of the other columns: " in model.outcome_.sentence
    Z = np.column_stack([X, np.ones(40)])
    lengths = np.linalg.norm(Z, axis=0)
    shortest = np.linalg.pinv(Z / lengths) @ np.where(y, 1, -1) / lengths
    assert np.allclose([*model.coef_[0], *model.intercept_], shortest)


def test_dependent_columns_have_the_shortest_weights_in_logistic_regression_too() -> None:
    rng = np.random.default_rng(1)
    k = rng.integers(0, 3, size=60)
    factor, x = np.eye(3)[k], rng.normal(size=60)
    X, coded = np.column_stack([factor, x]), np.column_stack([factor[:, 1:], x])
    y = (x + rng.logistic(size=60) > 0).astype(int)
    expected = rb.Logistic().fit(coded, y).predict_proba(coded)
    lengths = np.linalg.norm(np.column_stack([X, np.ones(60)]), axis=0)
    silent = np.array([1, 1, 1, 0, -1]) * lengths  # in the weights of columns of length one
    for data in (X, sp.csr_array(X)):
        model = rb.Logistic().fit(data, y)
        assert model.outcome_ == "CONVERGED"
        assert np.allclose(model.predict_proba(data), expected, atol=1e-9)
        w = np.array([*model.coef_[0], *model.intercept_]) * lengths
        assert abs(w @ silent) < 1e-8 * np.linalg.norm(w) * np.linalg.norm(silent)


def test_rounded_dependence_is_not_called_a_minimum() -> None:
    """Celsius and Fahrenheit: exact arithmetic could still lower the loss along the rounding errors."""
    rng = np.random.default_rng(0)
    celsius = rng.normal(size=50)
    X = np.column_stack([celsius, 1.8 * celsius + 32])
    y = (celsius + rng.normal(size=50) > 0).astype(int)
    for model in (rb.LeastSquares(), rb.Logistic()):
        quiet(model, X, y)
        assert model.outcome_ == "BUDGET"


# ------------------------------------------------------------------------------------------------------- other modes


def test_batch_descent_stops_where_the_minimum_is_proved() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + rng.logistic(size=80) > 0).astype(int)
    newton = rb.Logistic().fit(X, y)
    batch = rb.Logistic(mode="batch").fit(X, y)
    assert batch.outcome_ == "CONVERGED"
    assert batch.n_passes_ < 1000
    assert np.allclose(batch.coef_, newton.coef_, atol=1e-2)
    assert numbers(NEAR, batch.outcome_)[1] <= 1e-6 * 80 * np.log(2)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("C", [1.0, 1e-2])
def test_ridge_is_scikit_learns(K: int, C: float) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < K], y[y < K]
    ours = rb.Logistic(regularizer=1 / C, multiclass="multinomial").fit(X, y)
    theirs = LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert f"the loss with the ridge ½·{1 / C:g}·‖w‖², " in ours.outcome_.sentence
    numbers(NEAR, ours.outcome_)


def test_multinomial() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.array(["a", "b", "c"])[(X @ rng.normal(size=(3, 3)) + rng.gumbel(size=(200, 3))).argmax(axis=1)]
    model = rb.Logistic(multiclass="multinomial").fit(X, y)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    assert model.outcome_ == "CONVERGED"
    assert np.allclose(model.coef_, theirs.coef_, atol=1e-4)
    assert np.allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    wrong = np.count_nonzero(model.predict(X) != y)
    assert model.outcome_.sentence.startswith(f"{wrong} of 200 examples are not given to their class after ")
    iris = quiet(rb.Logistic(multiclass="multinomial"), *load_iris(return_X_y=True))
    assert iris.outcome_ == "RECEDING"
    assert "in the weights of class 0" in iris.outcome_.sentence
    X, y = load_iris(return_X_y=True)
    assert proves_no_minimum(iris.outcome_, X, y == 0)
    line = quiet(rb.Logistic(multiclass="multinomial"), [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2])
    assert line.outcome_ == "RECEDING"


def test_the_middle_of_three_recedes_only_jointly() -> None:
    """Classes at the corners of a triangle's halves: no class is alone, yet all rows can respond most to their own."""
    X = [[0.0, 0.0], [2.0, 2.0], [1.0, 0.9], [1.0, 1.1]]
    y = [0, 1, 2, 2]
    model = quiet(rb.Logistic(multiclass="multinomial"), X, y)
    assert model.outcome_ == "RECEDING"
    assert np.array_equal(model.predict(X), y)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    model = quiet(rb.Logistic(), *AND)
    rb.save(model, tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert repr(again.outcome_) == repr(model.outcome_)
    assert again.outcome_.hyperplane.w.tolist() == model.outcome_.hyperplane.w.tolist()
    X, y = load_iris(return_X_y=True)
    several = quiet(rb.Logistic(multiclass="multinomial"), X, y)
    rb.save(several, tmp_path / "k")
    assert np.array_equal(rb.load(tmp_path / "k").predict_proba(X), several.predict_proba(X))


@pytest.mark.parametrize("joint", [False, True])
def test_more_steps_from_a_warm_start(joint: bool) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = (X, y) if joint else (X[50:], y[50:])
    more: dict[str, Any] = {"multiclass": "multinomial", "regularizer": 0.1} if joint else {}
    model = quiet(rb.Logistic(max_passes=3, warm_start=True, **more), X, y)
    quiet(model.set_params(max_passes=100), X, y)
    whole = rb.Logistic(**more).fit(X, y)
    assert model.outcome_ == whole.outcome_ == "CONVERGED"
    assert np.allclose(model.coef_, whole.coef_, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e300, 1e154, 1e-160, 1e-300])
def test_the_ends_of_float64(scale: float) -> None:
    X, y = np.array([[0.0, 1], [1, 0], [1, 1], [2, 2], [0, 0]]) * scale, [0, 1, 0, 1, 1]
    squares, logistic = quiet(rb.LeastSquares(), X, y), quiet(rb.Logistic(), X, y)
    assert squares.outcome_.sentence.startswith(
        "1 of 5 examples are not on their side after 1 step; the loss, 1.3913, "
    )
    assert logistic.outcome_ in ("RECEDING", "BUDGET")
    if logistic.outcome_ == "RECEDING":
        assert proves_no_minimum(logistic.outcome_, X, y)


@pytest.mark.parametrize("learner", [rb.Logistic(), rb.LeastSquares(), rb.Adaline(), rb.Adaline(mode="batch")])
def test_rows_of_zeros(learner: Any) -> None:
    quiet(learner.set_params(fit_intercept=False), np.zeros((4, 2)), [0, 1, 1, 1])
    assert learner.outcome_ == "CONVERGED"
    assert learner.outcome_.sentence.startswith("4 of 4 examples are not on their side after ")


def test_columns_far_from_zero_do_not_keep_newton_busy() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([1e8 + np.arange(20.0), rng.normal(size=20)])
    model = rb.Logistic().fit(X, np.arange(20) % 3 == 0)
    assert model.outcome_ == "CONVERGED"
    assert model.n_passes_ < 20


def test_least_squares_with_too_many_columns_for_a_proof_does_not_speak_of_moving_weights() -> None:
    """It has solved its equations; nobody measures how well."""
    rng = np.random.default_rng(0)
    X, y = sp.random(20, 4000, 0.01, format="csr", random_state=0), rng.integers(0, 2, size=20)
    end = "all 20 examples are on their side after 1 step; how far the loss is from its minimum is not known."
    assert rb.LeastSquares().fit(X, y).outcome_.sentence == end


@pytest.mark.parametrize("mode", ["newton", "batch"])
def test_a_logistic_minimum_is_said_to_be_the_only_one_where_it_is(mode: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-9, 10, size=(60, 3)) / 8, rng.integers(0, 2, size=60)
        X = np.hstack([X, X.sum(axis=1, keepdims=True)]) if seed % 2 else X
        told = rb.Logistic(mode=mode, max_passes=5000).fit(X, y).outcome_.sentence
        rank = np.linalg.matrix_rank(np.column_stack([X, np.ones(60)]))
        assert ("its only minimum: proved" in told) == (rank == X.shape[1] + 1), told
