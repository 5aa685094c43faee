"""Defaults beside scikit-learn's: how often each is right on rows it has not seen."""

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn import datasets
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from benchmarks.learners.choice import choice
from benchmarks.timing import benchmark, print_table

__all__ = ["MEAN_BELOW", "ONE_BELOW", "accuracy"]

MEAN_BELOW = 0.02  # a learner may be so much worse than its counterpart, in the mean of all sets
ONE_BELOW = 0.05  # and on any one
REPEATS = 3
FOLDS = 5
SHARED = Path(__file__).parents[3] / "shared" / "data"  # beside a checkout; what is absent is left out


class LeastSquaresLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's `LinearRegression` (LAPACK's lstsq) on labels −1/+1: least squares without a penalty.

    `RidgeClassifier(alpha=0)` is not that: where columns are dependent it divides by singular values that are rounding.
    """

    def fit(self, X: Any, y: Any) -> "LeastSquaresLabels":
        """One column of labels for each class."""
        self.classes_ = np.unique(y)
        self.lines_ = LinearRegression().fit(X, 2.0 * (y[:, None] == self.classes_) - 1.0)
        return self

    def predict(self, X: Any) -> Any:
        """The class of the largest response."""
        return self.classes_[np.argmax(self.lines_.predict(X), axis=1)]


# ours and its counterpart, as they come
PAIRS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "Perceptron": (rb.Perceptron, Perceptron),
    "PassiveAggressive": (
        rb.PassiveAggressive,
        lambda: SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, random_state=0),
    ),
    "Logistic": (rb.Logistic, lambda: LogisticRegression(C=np.inf, max_iter=1000)),
    "LeastSquares": (rb.LeastSquares, LeastSquaresLabels),
    "Logistic, regularizer=1": (lambda: rb.Logistic(regularizer=1.0), lambda: LogisticRegression(C=1, max_iter=1000)),
    "LeastSquares, regularizer=1": (lambda: rb.LeastSquares(regularizer=1.0), RidgeClassifier),
}


@dataclass(frozen=True)
class Data:
    """Rows, labels and where they are from."""

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]


@benchmark("accuracy")
def accuracy() -> None:
    """Accuracy beside scikit-learn's: raw and scaled columns, rows sorted by class and shuffled.

    Every learner is as it comes. Both learn from the same rows and are asked about the same others. A set counts four
    times: its columns raw or divided by their standard deviation, its rows sorted by class or in a random order.
    A learner passes where it is not more than 0.02 below its counterpart in the mean, nor more than 0.05 on any one.
    The last table has `--learner auto` and what `fit` takes unasked, beside scikit-learn's linear models.
    """
    report(list(all_data()), PAIRS, REPEATS)
    print()
    choice()


def report(sets: list[Data], pairs: dict[str, Any], repeats: int, jobs: int | None = None) -> bool:
    """Print the tables; whether every learner is as good as it should be."""
    cells = [(data, scaled, in_order) for data in sets for scaled in (False, True) for in_order in (True, False)]
    found = Parallel(n_jobs=jobs or os.cpu_count())(delayed(compare)(*cell, pairs, repeats) for cell in cells)
    rows, good = [], True
    for number, name in enumerate(pairs):
        ours, theirs = np.array([cell[number] for cell in found]).T
        below = theirs - ours
        passed = bool(below.mean() <= MEAN_BELOW and below.max() <= ONE_BELOW)
        good = good and passed
        worst = int(np.argmax(below))
        mean = [f"{ours.mean():.3f}", f"{theirs.mean():.3f}", f"{-below.mean():+.3f}"]
        rows.append([name, *mean, f"{-below[worst]:+.3f}", _called(*cells[worst]), "pass" if passed else "FAIL"])
    print_table(
        ["learner", "ours", "theirs", "difference", "worst", "on", f"−{MEAN_BELOW} mean, −{ONE_BELOW} each"], rows
    )
    named = ", ".join(f"{data.name} ({data.X.shape[0]:,} × {data.X.shape[1]})" for data in sets)
    print(f"\n{repeats} × {FOLDS} folds of {len(sets)} sets: {named}.\n")
    table = [
        [_called(*cell), *(f"{ours:.3f} {ours - theirs:+.3f}" for ours, theirs in scores)]
        for cell, scores in zip(cells, found, strict=True)
    ]
    print_table(["accuracy, and above theirs", *pairs], table)
    return good


def compare(data: Data, scaled: bool, in_order: bool, pairs: dict[str, Any], repeats: int) -> list[tuple[float, float]]:
    """Mean accuracy of ours and theirs, pair by pair."""
    warnings.simplefilter("ignore")  # in this process too, which may be one of several
    right = np.zeros((len(pairs), 2))
    for repeat in range(repeats):
        order = np.random.default_rng(repeat).permutation(len(data.y))
        if in_order:
            order = order[np.argsort(data.y[order], kind="stable")]
        X, y = data.X[order], data.y[order]
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(X, y):
            scale = StandardScaler().fit(X[train]) if scaled else None
            seen, unseen = (scale.transform(X[part]) if scale else X[part] for part in (train, test))
            for number, pair in enumerate(pairs.values()):
                for side, make in enumerate(pair):
                    right[number, side] += np.mean(make().fit(seen, y[train]).predict(unseen) == y[test])
    return [tuple(pair) for pair in right / (repeats * FOLDS)]


def _called(data: Data, scaled: bool, in_order: bool) -> str:
    return f"{data.name}, {'scaled' if scaled else 'raw'}, {'sorted' if in_order else 'shuffled'}"


# ------------------------------------------------------------------------------------------------------------ the sets


def all_data() -> Iterator[Data]:
    """scikit-learn's, this package's, and those beside the checkout."""
    for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits):
        bunch = load()
        yield Data(load.__name__.removeprefix("load_").replace("_", " "), bunch.data, bunch.target)
    yield Data("sonar", *rb.datasets.sonar())
    tables = {
        "banknote_authentication.csv": ("banknote", "y"),
        "house_votes_84.csv": ("votes", "y"),
        "mushroom.csv": ("mushroom", "y"),
        "sep_endometrial.csv": ("endometrial", "HG"),
    }
    for file, (name, target) in tables.items():
        if (SHARED / file).exists():
            yield _table(SHARED / file, name, target)
    if (SHARED / "a1a.svm").exists():
        X, y = datasets.load_svmlight_file(str(SHARED / "a1a.svm"))
        yield Data("a1a", X.toarray(), y)


def _table(path: Path, name: str, target: str) -> Data:
    X, y, _ = rb.data.open_table(path=path, target=target, missing="level").arrays()
    return Data(name, X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64), np.asarray(y))
