"""A few plain rows are answered at once, with the very answers, warnings and refusals of the long way round."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import rosenblatt as rb

MODELS: dict[str, Any] = {
    "perceptron": rb.Perceptron(max_passes=5),
    "averaged": rb.Perceptron(max_passes=5, average=True),
    "no intercept": rb.Perceptron(max_passes=5, fit_intercept=False),
    "positive ties": rb.Perceptron(max_passes=5, tie="positive"),
    "logistic": rb.Logistic(),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_same_bits_as_the_long_way(name: str, classes: int) -> None:
    rng = np.random.default_rng(1)
    X = np.ascontiguousarray(rng.normal(size=(40, 7)))
    y = np.array(["a", "b", "c"])[np.arange(40) % classes]
    model = MODELS[name].fit(X, y)
    long = model.decision_function(np.asfortranarray(X))
    for k in range(40):
        assert np.array_equal(model.decision_function(X[k : k + 1]), long[k : k + 1])
        assert model.predict(X[k : k + 1])[0] == model.predict(np.asfortranarray(X))[k]
    assert np.array_equal(model.decision_function(X.tolist()), long)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_refusals_are_those_of_the_long_way() -> None:
    X = np.arange(12.0).reshape(4, 3)
    model = rb.Perceptron(max_passes=3).fit(X, [0, 1, 0, 1])
    for bad, words in (
        (np.array([[1.0, np.nan, 2.0]]), "X has NaN in row 0, column 1"),
        (np.array([[np.inf, 1.0, 2.0]]), "X has inf in row 0, column 0"),
        (np.ones((1, 2)), "2 features"),
        (np.ones(3), "2D"),
        (np.ones((0, 3)), "0 sample"),
    ):
        with pytest.raises(ValueError, match=words):
            model.predict(bad)
    model.coef_[0] = 0.0
    with pytest.raises(ValueError, match="X has inf in row 0, column 0"):
        model.predict(np.array([[np.inf, 1.0, 2.0]]))  # 0·inf
    with pytest.raises(NotFittedError):
        rb.Perceptron().predict(X)
    with pytest.raises(NotFittedError):
        rb.Perceptron().decision_function(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_names_that_are_missing_are_still_warned_of() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
    model = rb.Perceptron(max_passes=3).fit(frame, [0, 1, 1])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.to_numpy())


def test_a_stream_answers_with_the_weights_it_has_now() -> None:
    X = np.arange(12.0).reshape(4, 3)
    model = rb.Perceptron()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row, label in zip(X, [0, 1, 0, 1], strict=True):
            model.partial_fit(row[None, :], [label], classes=[0, 1])
            expected = X @ model.coef_[0] + model.intercept_[0]
            assert np.allclose([model.decision_function(X[k : k + 1])[0] for k in range(4)], expected)
