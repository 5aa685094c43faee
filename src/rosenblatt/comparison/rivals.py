"""The regressions that a perceptron is compared with in a picture: their hyperplanes, and how many points they miss."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arrays import Floats, Signs
from rosenblatt.learners import Adaline, LeastSquares, Logistic
from rosenblatt.learners.shared.base import LinearClassifier

__all__ = ["RIVALS", "Rival", "fit_rival"]

RIVALS = ("least squares", "LMS", "logistic")


class Rival(NamedTuple):
    """A regression on some points; w with the bias last."""

    name: str
    w: list[float]
    wrong: int  # points on the wrong side, or on the plane
    sentence: str


def fit_rival(name: str, X: Floats, y: Signs) -> Rival:
    """The regression of this name; `y` is −1 or +1."""
    models: dict[str, Any] = {
        "least squares": LeastSquares(),
        "LMS": Adaline(order="cyclic", max_passes=200),
        "logistic": Logistic(),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the sentence says it
        model: LinearClassifier = models[name].fit(X, y)
    w = [*model.coef_[0].tolist(), float(model.intercept_[0])]
    wrong = int(np.sum(y * model.decision_function(X) <= 0))
    return Rival(name, w, wrong, model.outcome_.sentence)
