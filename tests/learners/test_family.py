"""Passive-aggressive, Adaline, logistic regression, least squares: each against an independent implementation."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier

import rosenblatt as rb
from tests import oracles
from tests.learners.test_perceptron import quiet, seed_of


def cloud(seed: int, n: int = 40, p: int = 5, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, size=p)
    y = np.where(X @ rng.normal(size=p) + noise * rng.normal(size=n) > 0, 1, -1)
    y[:2] = [-1, 1]
    return X, y


def weights_of(model: Any) -> np.ndarray:
    return np.append(model.coef_[0], model.intercept_[0]) if model.fit_intercept else model.coef_[0]


def augmented(X: np.ndarray, bias: bool) -> np.ndarray:
    return np.column_stack([X, np.ones(len(X))]) if bias else X


def incremental(Z: np.ndarray, y: np.ndarray, step: Any, order: str, passes: int, seed: int = 0) -> np.ndarray:
    """One example at a time, in plain NumPy."""
    w = np.zeros(Z.shape[1])
    for k in range(passes):
        for i in oracles.rows_of_pass(order, len(Z), seed, k):
            w = w + step(y[i], float(Z[i] @ w), Z[i]) * Z[i]
    return w


ORDERS = st.sampled_from(["cyclic", "shuffled", "random"])


@given(st.integers(0, 999), ORDERS, st.sampled_from(["I", "II"]), st.sampled_from([0.01, 1.0, 100.0]), st.booleans())
def test_passive_aggressive(seed: int, order: str, variant: str, C: float, bias: bool) -> None:
    X, y = cloud(seed)
    model = rb.PassiveAggressive(C=C, variant=variant, order=order, fit_intercept=bias, max_passes=4, random_state=seed)
    quiet(model, X, y)

    def step(label: float, s: float, z: np.ndarray) -> float:
        loss = max(0.0, 1 - label * s)
        return label * (min(C, loss / (z @ z)) if variant == "I" else loss / (z @ z + 0.5 / C))

    expected = incremental(augmented(X, bias), y, step, order, model.n_passes_, seed_of(seed, "zeros", 0)[0])
    assert np.allclose(weights_of(model), expected, rtol=1e-10, atol=1e-10)


def test_passive_aggressive_equals_scikit_learns() -> None:
    """Without an intercept: theirs leaves the intercept's one out of ‖x‖²."""
    X, y = cloud(3, n=200)
    for variant, theirs in (("I", "pa1"), ("II", "pa2")):
        sgd = SGDClassifier(
            loss="hinge",
            learning_rate=theirs,
            eta0=0.3,
            penalty=None,
            shuffle=False,
            fit_intercept=False,
            tol=None,
            max_iter=3,
        )
        how = {"variant": variant, "order": "cyclic", "fit_intercept": False, "max_passes": 3}
        ours = quiet(rb.PassiveAggressive(C=0.3, **how), X, y)
        assert np.allclose(ours.coef_, sgd.fit(X, y).coef_, rtol=1e-10)


def test_an_aggressive_step_is_the_smallest_that_suffices() -> None:
    X, y = cloud(1)
    model = rb.PassiveAggressive(C=1e9).partial_fit(X, y, classes=[-1, 1])
    before = weights_of(model).copy()
    i = int(np.argmin(y * (augmented(X, True) @ before)))
    model.partial_fit(X[i : i + 1], y[i : i + 1])
    z = augmented(X, True)[i]
    after = weights_of(model)
    assert y[i] * (after @ z) == pytest.approx(1)
    assert np.allclose(np.cross((after - before)[:3], z[:3]), 0, atol=1e-9)  # along the example, no other way


@given(st.integers(0, 999), ORDERS, st.booleans(), st.booleans())
def test_incremental_adaline_and_logistic(seed: int, order: str, bias: bool, logistic: bool) -> None:
    X, y = cloud(seed)
    learner = rb.Logistic if logistic else rb.Adaline
    model = learner(
        mode="incremental", eta=0.02, order=order, fit_intercept=bias, max_passes=3, random_state=seed, tol=0
    )
    quiet(model, X, y)

    def step(label: float, s: float, z: np.ndarray) -> float:
        return 0.02 * (label / (1 + np.exp(label * s)) if logistic else label - s)

    expected = incremental(augmented(X, bias), y, step, order, 3, seed_of(seed, "zeros", 0)[0])
    assert np.allclose(weights_of(model), expected, rtol=1e-10, atol=1e-10)


def test_incremental_equals_scikit_learns() -> None:
    X, y = cloud(5, n=300)
    common = {"learning_rate": "constant", "eta0": 0.01, "penalty": None, "shuffle": False, "tol": None, "max_iter": 4}
    for learner, loss in ((rb.Adaline, "squared_error"), (rb.Logistic, "log_loss")):
        theirs = SGDClassifier(loss=loss, **common).fit(X, y)
        ours = quiet(learner(mode="incremental", order="cyclic", eta=0.01, max_passes=4, tol=0), X, y)
        assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-10)
        assert np.allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)


@given(st.integers(0, 999), st.booleans(), st.booleans(), st.booleans())
def test_batch_descent(seed: int, bias: bool, logistic: bool, sparse: bool) -> None:
    X, y = cloud(seed)
    weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.0], size=len(y))
    weights[:2] = 1.0
    learner = rb.Logistic if logistic else rb.Adaline
    model = learner(mode="batch", eta=0.001, fit_intercept=bias, max_passes=7, tol=0)
    quiet(model, sp.csr_array(X) if sparse else X, y, sample_weight=weights)
    Z, w = augmented(X, bias), np.zeros(X.shape[1] + bias)
    for _ in range(7):
        s = Z @ w
        slope = y / (1 + np.exp(y * s)) if logistic else y - s
        w = w + 0.001 * Z.T @ (weights * slope)
    assert np.allclose(weights_of(model), w, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("bias", [True, False])
def test_batch_logistic_is_the_maximum_likelihood_estimate(bias: bool) -> None:
    X, y = cloud(2, n=400, p=4)
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, fit_intercept=bias).fit(X, y)
    ours = rb.Logistic(mode="batch", tol=1e-11, max_passes=100_000, fit_intercept=bias).fit(X, y)
    assert ours.outcome_ == "CONVERGED"
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_batch_adaline_tends_to_least_squares() -> None:
    X, y = cloud(4, n=200)
    descent = rb.Adaline(mode="batch", tol=1e-13, max_passes=100_000).fit(X, y)
    assert np.allclose(weights_of(descent), weights_of(rb.LeastSquares().fit(X, y)), rtol=1e-9)


def test_incremental_adaline_stays_near_least_squares() -> None:
    X, y = cloud(4, n=500)
    model = quiet(rb.Adaline(eta=1e-4, order="cyclic", tol=1e-9, max_passes=3000), X, y)
    exact = weights_of(rb.LeastSquares().fit(X, y))
    assert model.outcome_ == "BUDGET"  # a fixed step ends beside the minimum, and says so
    assert "a fixed step ends beside the minimum" in model.outcome_.sentence
    assert np.linalg.norm(weights_of(model) - exact) < 0.02 * np.linalg.norm(exact)


# ------------------------------------------------------------------------------------------------------ least squares


@given(st.integers(0, 999), st.booleans(), st.booleans())
def test_one_step_from_anywhere_is_the_pseudo_inverse(seed: int, bias: bool, sparse: bool) -> None:
    X, y = cloud(seed)
    start = np.random.default_rng(seed).normal(size=X.shape[1] + bias)
    model = rb.LeastSquares(start=start, fit_intercept=bias).fit(sp.csr_array(X) if sparse else X, y)
    expected = np.linalg.pinv(augmented(X, bias)) @ y
    assert np.allclose(weights_of(model), expected, rtol=1e-10, atol=1e-10)


@settings(max_examples=settings.default.max_examples // 3)  # each makes three thousand steps
@given(st.integers(0, 999), st.sampled_from([0.01, 1.0, 50.0]))
def test_regularised_steps_are_ridge_then_tend_to_least_squares(seed: int, delta: float) -> None:
    X, y = cloud(seed)
    lecture = rb.LeastSquares(regularizer=delta, penalize_bias=True).fit(X, y)
    ridge = Ridge(alpha=delta, fit_intercept=False, solver="cholesky").fit(augmented(X, True), y).coef_
    assert np.allclose(weights_of(lecture), ridge, rtol=1e-10, atol=1e-10)
    one, theirs = rb.LeastSquares(regularizer=delta).fit(X, y), Ridge(alpha=delta, solver="cholesky").fit(X, y)
    assert np.allclose(weights_of(one), np.append(theirs.coef_, theirs.intercept_), rtol=1e-10, atol=1e-10)
    exact = np.linalg.pinv(augmented(X, True)) @ y
    distances = [
        np.linalg.norm(weights_of(quiet(rb.LeastSquares(regularizer=delta, max_passes=k), X, y)) - exact)
        for k in (1, 3, 3000)
    ]
    assert distances[0] >= distances[1] >= distances[2]
    assert distances[2] < 1e-8


def test_a_ridge_does_not_mind_where_the_zero_of_a_column_is() -> None:
    X, y = load_iris(return_X_y=True)
    here, there = (quiet(rb.LeastSquares(regularizer=10.0), X + shift, y) for shift in (0.0, 1000.0))
    theirs = RidgeClassifier(alpha=10.0).fit(X, y)
    assert (here.score(X, y), there.score(X + 1000.0, y)) == (theirs.score(X, y),) * 2
    assert np.allclose(here.coef_, theirs.coef_)
    assert "‖w‖², " in here.outcome_.sentence


@pytest.mark.parametrize("shape", [(6, 20), (30, 8)])
def test_dependent_columns_are_solved_by_the_pseudo_inverse(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    X[:, -1] = X[:, 0] + X[:, 1]
    y = np.arange(shape[0]) % 2 * 2 - 1
    model = quiet(rb.LeastSquares(), X, y)
    Z = augmented(X, True)
    lengths = np.linalg.norm(Z, axis=0)  # the shortest weights for columns of length one, whatever the units
    assert np.allclose(weights_of(model), np.linalg.pinv(Z / lengths) @ y / lengths, atol=1e-9)


@pytest.mark.parametrize("limit", [4000, 0])
@pytest.mark.parametrize("sparse", [False, True])
def test_every_way_of_solving_agrees(limit: int, sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.learners import least_squares

    X, y = cloud(6, n=300, p=8)
    X[:, -1] = X[:, 0]  # dependent
    weights = np.random.default_rng(0).choice([0.0, 1.0, 3.0], size=300)
    data = sp.csr_array(X) if sparse else X
    expected = [weights_of(rb.LeastSquares(regularizer=d).fit(data, y, sample_weight=weights)) for d in (0.0, 2.0)]
    monkeypatch.setattr(least_squares, "_PIECE_VALUES", 100)
    monkeypatch.setattr(least_squares, "_LARGEST_DENSE", limit)
    monkeypatch.setattr(least_squares, "_LARGEST_SPARSE", limit)
    found = [weights_of(rb.LeastSquares(regularizer=d).fit(data, y, sample_weight=weights)) for d in (0.0, 2.0)]
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-8)


# ---------------------------------------------------------------------------------------------- safe steps, truth


@given(st.integers(0, 999), st.sampled_from([1e-3, 1.0, 1e3]), st.booleans(), st.sampled_from(["incremental", "batch"]))
def test_automatic_steps_are_safe(seed: int, scale: float, logistic: bool, mode: str) -> None:
    X, y = cloud(seed, n=30, p=3)
    X = X * scale
    X[0] *= 30  # an outlier
    learner = rb.Logistic if logistic else rb.Adaline
    few, many = (quiet(learner(mode=mode, max_passes=k, tol=0), X, y) for k in (1, 300))
    loss = (lambda s: np.logaddexp(0, -y * s).sum()) if logistic else (lambda s: ((y - s) ** 2).sum())
    assert np.isfinite(weights_of(many)).all()
    # a constant step one example at a time hovers about the minimum; a batch descends all the way
    assert loss(many.decision_function(X)) <= loss(np.zeros(30)) * (1.5 if mode == "incremental" else 1)
    if mode == "batch":
        assert loss(many.decision_function(X)) <= loss(few.decision_function(X)) * (1 + 1e-12)


@pytest.mark.parametrize("mode", ["incremental", "batch"])
def test_divergence_is_named(mode: str) -> None:
    X, y = cloud(0)
    with pytest.raises(ValueError, match=r"eta=1000 is too large for these data"):
        rb.Adaline(eta=1000.0, mode=mode).fit(X * 10, y)


def test_outcomes_of_those_who_minimise() -> None:
    X, y = cloud(7, n=300)
    assert rb.LeastSquares().fit(X, y).outcome_ == "CONVERGED"
    wrong = np.count_nonzero(rb.LeastSquares().fit(X, y).predict(X) != y)
    assert rb.LeastSquares().fit(X, y).outcome_.sentence.startswith(f"{wrong} of 300 examples are not on their side")
    with pytest.warns(ConvergenceWarning, match="not proved to be near a minimum|above its minimum"):
        assert rb.Logistic(mode="batch", max_passes=3).fit(X, y).outcome_ == "BUDGET"
    easy = rb.datasets.margin_cloud(100, 3, 0.5, random_state=0)
    assert rb.LeastSquares().fit(*easy).outcome_ == "SEPARATED"


def test_probabilities() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + np.repeat([[0, 3], [3, 0], [-3, -3]], 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    model = quiet(rb.Logistic(max_passes=50), X, y)
    p = model.predict_proba(X)
    assert p.shape == (90, 3)
    assert np.allclose(p.sum(axis=1), 1)
    assert np.array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    assert np.allclose(np.exp(model.predict_log_proba(X)), p)
    two = quiet(rb.Logistic(max_passes=50), X[:60], y[:60])
    assert np.allclose(two.predict_proba(X)[:, 1], 1 / (1 + np.exp(-two.decision_function(X))), rtol=1e-14)


@given(st.floats(-800, 800))
def test_logistic_function(v: float) -> None:
    from rosenblatt.kernels.exponential import logistic

    expected = 1 / (1 + np.exp(-v)) if v > -700 else 0.0
    assert logistic(v) == pytest.approx(expected, rel=1e-15, abs=1e-300)


def test_contradictions_are_refused() -> None:
    X, y = cloud(0)
    with pytest.raises(ValueError, match='average=True is for mode="incremental"'):
        rb.Adaline(mode="batch", average=True).fit(X, y)
    for mode in ("batch", "newton"):
        with pytest.raises(AttributeError, match="no attribute 'partial_fit'") as refused:
            rb.Logistic(mode=mode).partial_fit(X, y, classes=[-1, 1])
        assert str(refused.value.__cause__).startswith(f'mode="{mode}" needs all rows at once; partial_fit needs mode=')
    with pytest.raises(ValueError, match=r'eta=0\.1 is a step of mode="batch" or mode="incremental"'):
        rb.Logistic(eta=0.1).fit(X, y)
    for more in ({"mode": "incremental", "regularizer": 1.0}, {"mode": "batch", "multiclass": "multinomial"}):
        with pytest.raises(ValueError, match='is for mode="newton"'):
            rb.Logistic(**more).fit(X, y)
    assert not hasattr(rb.LeastSquares(), "partial_fit")


def test_features_make_xor_separable() -> None:
    """S2.2: the perceptron on a feature map."""
    X, y = rb.datasets.xor()
    phi = np.column_stack([X, X[:, 0] * X[:, 1]])
    assert rb.Perceptron().fit(phi, y).outcome_ == "SEPARATED"
    assert rb.LeastSquares().fit(phi, y).outcome_ == "SEPARATED"


def test_rows_sorted_by_class_are_no_trap_for_the_defaults() -> None:
    """In turn, the last rows of a pass are all of one class, and pull the weights their way."""
    X, y = load_iris(return_X_y=True)  # sorted by class, as it comes
    virginica = y == 2
    in_turn, shuffled = (quiet(rb.Adaline(**order), X, virginica) for order in ({"order": "cyclic"}, {}))
    assert shuffled.score(X, virginica) > 0.9 > in_turn.score(X, virginica)
    again = quiet(rb.Adaline(), X, virginica)
    assert np.array_equal(shuffled.coef_, again.coef_)  # the seed is fixed
