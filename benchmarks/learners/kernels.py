"""The perceptron on a kernel's features beside scikit-learn's support vector machine."""

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio, some

__all__ = ["against_svc"]

REPEATS = 3
FOLDS = 5
CONFIGURATIONS: dict[str, tuple[Any, Any]] = {
    "rbf": (rb.KernelPerceptron, SVC),
    "poly, degree 2": (lambda: rb.KernelPerceptron("poly", degree=2), lambda: SVC(kernel="poly", degree=2, coef0=1)),
    "poly, degree 3": (lambda: rb.KernelPerceptron("poly", degree=3), lambda: SVC(kernel="poly", degree=3, coef0=1)),
    "rbf, budget 50": (lambda: rb.KernelPerceptron(budget=50), SVC),
}


@benchmark("kernels")
def against_svc() -> None:
    """The kernel perceptron beside scikit-learn's SVC: right on rows not seen, time of a fit, rows kept.

    Both as they come (gamma="scale", columns scaled), on scikit-learn's bundled sets and sonar. Time, rows kept and the
    perceptron's outcome are of one fit on all rows.
    """
    warnings.simplefilter("ignore")
    rows, means = [], []
    for kernel, (ours, theirs) in some(CONFIGURATIONS.items()):
        right = []
        for name, (X, y) in some(_sets().items()):
            X = StandardScaler().fit_transform(X)
            right.append([_right(make, X, y) for make in (ours, theirs)])
            model, other = ours(), theirs()
            times = best_times({"ours": partial(model.fit, X, y), "svc": partial(other.fit, X, y)}, 3)
            each = [f"{one:.3f}" for one in right[-1]]
            took = f"{times['ours'] * 1e3:.1f} ms", ratio(times["ours"] / times["svc"])
            kept = f"{len(model.support_)} / {len(other.support_)}"
            rows.append([kernel, name, *each, *took, kept, str(model.outcome_)])
        mean = np.mean(right, axis=0)
        means.append([kernel, f"{mean[0]:.3f}", f"{mean[1]:.3f}", f"{mean[0] - mean[1]:+.3f}"])
    print_table(["kernel", "mean, ours", "mean, SVC", "difference"], means)
    print()
    print_table(["kernel", "data", "ours", "SVC", "a fit", "of SVC's", "rows kept, ours / SVC", "outcome"], rows)
    print(f"\n{REPEATS} × {FOLDS} folds.")


def _sets() -> dict[str, tuple[Any, Any]]:
    loaders = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits)
    found = {one.__name__.removeprefix("load_").replace("_", " "): one(return_X_y=True) for one in loaders}
    return {**found, "sonar": tuple(rb.datasets.sonar())}


def _right(make: Any, X: Any, y: Any) -> float:
    right = []
    for repeat in range(REPEATS):
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(X, y):
            right.append(make().fit(X[train], y[train]).score(X[test], y[test]))
    return float(np.mean(right))
