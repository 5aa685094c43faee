"""K classes that learn together, beside K perceptrons of one class against the rest."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Theirs
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb
from benchmarks.timing import benchmark, per_pass, print_table, ratio, some

__all__ = ["classes_together"]


_LAYOUTS = (400_000, 20, 3, False), (100_000, 100, 10, False), (100_000, 10_000, 10, True)  # n, p, K, sparse


@benchmark("classes")
def classes_together() -> None:
    """A pass of K classes together, against K passes of one class against the rest; then what both find."""
    rows = []
    for n, p, K, sparse in some(_LAYOUTS):
        X, y = _several(n, p, K, sparse)
        times = per_pass(
            {
                "together": lambda k, X=X, y=y: rb.Perceptron(multiclass="kesler", max_passes=k).fit(X, y),
                "one against the rest": lambda k, X=X, y=y: rb.Perceptron(max_passes=k).fit(X, y),
                "scikit-learn's": lambda k, X=X, y=y: Theirs(tol=None, max_iter=k).fit(X, y),
            },
            rounds=2,
        )
        layout = f"{n} × {p}{', sparse' if sparse else ''}, {K} classes"
        for name, seconds in times.items():
            rows.append([layout, name, f"{seconds * 1e3:.1f} ms", ratio(seconds / times["together"])])
    print_table(["data", "learner", "a pass", "of one together"], rows)
    print()
    print_table(["data", "learner", "outcome", "corrections", "passes", "right in five folds"], _found())


def _several(n: int, p: int, K: int, sparse: bool) -> tuple[Any, Any]:
    """Classes by the highest of K random scores, one in fifty of them wrong."""
    rng = np.random.default_rng(0)
    X = sp.random(n, p, density=20 / p, format="csr", random_state=rng) if sparse else rng.normal(size=(n, p))
    y = np.argmax(X @ rng.normal(size=(p, K)), axis=1)
    noise = rng.random(n) < 0.02
    y[noise] = rng.integers(0, K, size=int(noise.sum()))
    return X, y


def _found() -> list[list[str]]:
    rows = []
    for name, load in (("iris", datasets.load_iris), ("wine", datasets.load_wine), ("digits", datasets.load_digits)):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        for called, learner in (("together", {"multiclass": "kesler"}), ("one against the rest", {})):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = rb.Perceptron(**learner).fit(X, y)
                right = cross_val_score(rb.Perceptron(**learner), X, y).mean()
            made = [str(model.outcome_), f"{model.n_updates_:,}", str(model.n_passes_), f"{right:.3f}"]
            rows.append([name, called, *made])
    return rows
