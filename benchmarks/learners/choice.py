"""Which learner to take unasked, and whether `auto` finds a good one, on scikit-learn's bundled sets.

Every set as it comes. What scales its columns does so in each fold; `auto` chooses in each fold, by folds of its own.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import rosenblatt as rb
from benchmarks.timing import print_table

__all__ = ["BELOW", "choice"]

BELOW = 0.01  # so much may `auto` be below the best single model of scikit-learn, in the mean of the sets
REPEATS = 2
FOLDS = 5

Make = Callable[[Any, Any], Any]


def _scaled(learner: Callable[[], Any]) -> Make:
    return lambda X, y: make_pipeline(StandardScaler(), learner())


def _raw(learner: Callable[[], Any]) -> Make:
    return lambda X, y: learner()


OURS: dict[str, Make] = {
    "auto": lambda X, y: rb.choose(X, y).model,
    "logistic (the default)": _raw(rb.Logistic),
    "least-squares": _raw(rb.LeastSquares),
    "averaged": _raw(lambda: rb.Perceptron(average=True)),
    "pocket": _raw(lambda: rb.Perceptron(pocket=True)),
    "perceptron": _raw(rb.Perceptron),
    "pa": _raw(rb.PassiveAggressive),
    "logistic, regularizer 1, scaled": _scaled(lambda: rb.Logistic(regularizer=1.0)),
    "averaged, scaled": _scaled(lambda: rb.Perceptron(average=True)),
    "averaged, kesler, scaled": _scaled(lambda: rb.Perceptron(average=True, multiclass="kesler")),
}
THEIRS: dict[str, Make] = {
    "LogisticRegression": _raw(lambda: LogisticRegression(max_iter=1000)),
    "LogisticRegression, scaled": _scaled(lambda: LogisticRegression(max_iter=1000)),
    "LinearDiscriminantAnalysis": _raw(LinearDiscriminantAnalysis),
    "RidgeClassifier, scaled": _scaled(RidgeClassifier),
    "LinearSVC, scaled": _scaled(lambda: LinearSVC(random_state=0)),
    "SGDClassifier, scaled": _scaled(lambda: SGDClassifier(random_state=0)),
    "Perceptron, scaled": _scaled(Perceptron),
}


def choice() -> None:
    """`--learner auto` and the default beside scikit-learn's linear models on its bundled sets.

    `auto` passes where its mean is not more than 0.01 below that of the best single model of scikit-learn.
    """
    loads = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits)
    report({load.__name__.removeprefix("load_").replace("_", " "): load(return_X_y=True) for load in loads})


def report(sets: dict[str, Any], ours: Any = OURS, theirs: Any = THEIRS, repeats: int = REPEATS) -> bool:
    """Print the table; whether `auto` is as good as it should be."""
    found = {
        name: [_accuracy(make, *data, repeats) for data in sets.values()] for name, make in (ours | theirs).items()
    }
    best = max(theirs, key=lambda name: np.mean(found[name]))
    rows = []
    for name, values in found.items():
        whose = "ours" if name in ours else "scikit-learn's"
        rows.append([name, whose, f"{np.mean(values):.3f}", *(f"{value:.3f}" for value in values)])
    print_table(["learner", "", "mean", *sets], rows)
    below = float(np.mean(found[best]) - np.mean(found["auto"]))
    passed = below <= BELOW
    side = f"{abs(below):.3f} {'below' if below > 0 else 'above'}"
    verdict = "pass" if passed else "FAIL"
    print(f"\n{repeats} × {FOLDS} folds. auto is {side} scikit-learn's best, {best}: {verdict} (−{BELOW}).")
    return passed


def _accuracy(make: Make, X: Any, y: Any, repeats: int) -> float:
    """The part of rows that are right, each judged by a model that did not learn from it."""
    warnings.simplefilter("ignore")
    right = []
    for repeat in range(repeats):
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(X, y):
            model = make(X[train], y[train]).fit(X[train], y[train])
            right.append(np.mean(model.predict(X[test]) == y[test]))
    return float(np.mean(right))
