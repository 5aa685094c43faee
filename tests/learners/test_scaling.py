"""Columns of one size for learning; the model, and all that is said of it, are about the columns as they are."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from rosenblatt.learners.shared.scaling import Scaling
from tests import oracles
from tests.learners.test_perceptron import quiet, small_data


def learned(X: Any, y: Any, weights: Any = None, **parameters: Any) -> tuple[rb.Perceptron, Any]:
    """A model learned from scaled rows and given back, and the scaled rows."""
    model = rb.Perceptron(**parameters)
    present = None if weights is None else np.asarray(weights) > 0
    scaling = Scaling.of(X, present, centre=model.fit_intercept)
    scaled = scaling.apply(X)
    quiet(model, scaled, y, sample_weight=weights)
    scaling.give_back(model, X, scaled, np.where(y == model.classes_[1], np.int8(1), np.int8(-1)), weights)
    return model, scaled


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("bias", [True, False])
def test_means_and_deviations(kind: Any, bias: bool) -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(50, 3)) * [1e6, 1e-3, 1.0] + [5e6, 0.0, 3.0]).astype(kind)
    X = np.column_stack([X, np.full(50, 0.1, dtype=kind), [0.0, 2.0] * 25]).astype(kind)  # constant; deviation 1
    scaling = Scaling.of(X, centre=bias)
    scaled = scaling.apply(X)
    assert scaled.dtype == kind
    varying = [0, 1, 2, 4]
    wide = X.astype(np.float64)
    assert np.allclose(scaling.size[varying], wide.std(axis=0)[varying])
    assert np.allclose(scaling.shift[varying], wide.mean(axis=0)[varying] if bias else 0.0)
    assert (scaling.shift[3], scaling.size[3]) == (0.0, 1.0)
    sparse = Scaling.of(sp.csr_matrix(X))
    assert not sparse.shift.any()
    assert np.allclose(sparse.apply(sp.csr_matrix(X)).toarray(), wide / sparse.size, rtol=1e-5)


@given(small_data(dims=3, size=12), st.integers(0, 2**31 - 1), st.booleans(), st.booleans())
def test_what_is_said_is_true_of_the_rows_themselves(data: Any, seed: int, bias: bool, weighted: bool) -> None:
    X, y = data
    rng = np.random.default_rng(seed)
    X = X * 10.0 ** rng.integers(-8, 9, size=X.shape[1]) + rng.choice([0.0, 1e3], size=X.shape[1])
    weights = rng.choice([0.0, 1.0], size=len(y)) if weighted else np.ones(len(y))
    weights[:2] = 1.0
    model, _ = learned(X, y, weights, fit_intercept=bias, max_passes=60)
    w = [*model.coef_[0], *model.intercept_[: int(bias)]]
    present = np.flatnonzero(weights)
    agreements = [int(y[i]) * oracles.exact_dot(X[i], w) for i in present]
    wrong = int(np.count_nonzero((model.predict(X) != y)[present]))
    if model.outcome_ == "SEPARATED":
        assert min(agreements) > 0
    elif model.outcome_ == "CYCLING":
        rows, multipliers = model.witness_
        Z = [[Fraction(int(y[i])) * Fraction(float(v)) for v in [*X[i], *[1.0] * bias]] for i in rows]
        assert not any(sum(m * z[j] for m, z in zip(multipliers, Z, strict=True)) for j in range(len(Z[0])))
        assert f"{wrong} of {len(present)} examples" in model.outcome_.sentence
    else:
        assert model.outcome_ == "BUDGET"
        if "in exact arithmetic" not in model.outcome_.sentence:
            assert f"{wrong} of {len(present)} examples are still classified wrongly" in model.outcome_.sentence
    assert model._states == []


def test_answers_are_those_of_the_scaled_run() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4)) * [1e5, 1.0, 1e-4, 30.0] + [1e6, 0.0, 0.0, -7.0]
    y = np.where(rng.random(300) < 0.3, 1, 0)
    model, scaled = learned(X, y, average=True, max_passes=20)
    run = quiet(rb.Perceptron(average=True, max_passes=20), scaled, y)
    assert model.predict(X).tolist() == run.predict(scaled).tolist()
    assert np.allclose(model.decision_function(X), run.decision_function(scaled), rtol=1e-9, atol=1e-9)


def test_a_tie_of_the_scaled_rows_is_not_told_of_these() -> None:
    """AND scaled has rows on the plane by tie='positive'; what is said is what holds of the rows themselves."""
    X, y = np.array([[0.0, 0.0], [0.0, 3.0], [7.0, 0.0], [7.0, 3.0]]), np.array([0, 0, 0, 1])
    model, _ = learned(X, y, tie="positive", random_state=1)
    agreements = [
        (1 if c else -1) * oracles.exact_dot(x, [*model.coef_[0], *model.intercept_]) for x, c in zip(X, y, strict=True)
    ]
    assert model.outcome_ == ("SEPARATED" if min(agreements) > 0 else "BUDGET")


# ---------------------------------------------------------------------------------------------------------- a sentence


def warned(model: Any, X: Any, y: Any) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(X, y)
    return str(caught[0].message) if caught else ""


@pytest.mark.parametrize("learner", [rb.Perceptron, rb.PassiveAggressive, rb.BatchPerceptron])
def test_columns_of_different_sizes_are_named(learner: Any) -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {"constant": np.full(60, 1e9), "income": rng.normal(size=60), "ratio": rng.normal(size=60)}
    table = pd.DataFrame(columns)
    y = rng.integers(0, 2, size=60)
    for scale, told in ((1000.0, True), (10.0, False)):
        table["income"] = np.linspace(-1, 1, 60) * scale
        table["ratio"] = np.linspace(1, -1, 60) ** 3
        text = warned(learner(max_passes=3), table, y)
        sentence = f"Column 1 ('income') reaches {scale:g} and column 2 ('ratio') only 1: scale the columns"
        assert (sentence in text) == told
        assert ("scale the columns" in text) == told


def test_sparse_columns_and_other_ends_are_silent_or_right() -> None:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(np.column_stack([np.arange(40.0) * 1e3, rng.integers(0, 2, size=40)]))
    y = rng.integers(0, 2, size=40)
    assert "Column 0 reaches 39000 and column 1 only 1" in warned(rb.Perceptron(max_passes=3), X, y)
    xor, labels = rb.datasets.xor()
    cycling = warned(rb.Perceptron(), np.asarray(xor) * [1.0, 1000.0], labels)
    assert cycling
    assert "scale the columns" not in cycling  # no scale helps there: it is proved


@pytest.mark.parametrize("learner", [rb.Perceptron(), rb.PassiveAggressive(max_passes=20), rb.BatchPerceptron()])
@pytest.mark.parametrize(("size", "said"), [(1e3, "reaches 99000 and"), (1e-5, "reaches only 0.00099 and")])
def test_a_column_far_from_the_intercepts_input_is_told(learner: Any, size: float, said: str) -> None:
    """One separable column of incomes, on which the run is no better than chance: following the advice mends it."""
    X = np.arange(10.0, 100.0, 1.0)[:, None] * size
    y = X[:, 0] > 55.5 * size
    sentence = warned(clone(learner), X, y)
    assert f"Column 0 {said} the input of the intercept is 1: scale the columns" in sentence
    assert clone(learner).set_params(max_passes=1000).fit(StandardScaler().fit_transform(X), y).outcome_ == "SEPARATED"
    assert "intercept is 1" not in warned(clone(learner).set_params(fit_intercept=False), X, y)
