"""Losses with a penalty, minimised: whole fits beside scikit-learn's solvers, to the same minimum."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, RidgeClassifier

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio, some

_ROUNDS = 3
_DENSE = 200  # columns up to which Newton's method with a matrix of them is tried


@benchmark("logistic")
def logistic() -> None:
    """Logistic regression with regularizer=1, whole fits: beside scikit-learn's lbfgs and newton-cholesky.

    Processor time. *Ours* ends within a proved distance of the minimum, and says so; *gap* is by how much the peer's
    loss, where it stopped (tol=1e-4), is above ours, as a part of ours. Below 1× ours is faster.
    """
    rows = []
    for name, X, y in some(_tables()):
        fits: dict[str, Any] = {"ours": rb.Logistic(regularizer=1.0), "lbfgs": LogisticRegression(max_iter=1000)}
        if X.shape[1] <= _DENSE:
            fits["newton-cholesky"] = LogisticRegression(solver="newton-cholesky")
        ours, *theirs = (times := _times(fits, X, y)).values()
        above = _loss(fits["lbfgs"], X, y) / _loss(fits["ours"], X, y) - 1 if len(np.unique(y)) == 2 else None
        beside = [ratio(ours / one) for one in theirs] + ["not tried"] * (3 - len(times))
        gap = "–" if above is None else f"{above:.0e}"
        rows.append([name, str(fits["ours"].outcome_), f"{ours * 1e3:.0f} ms", *beside, gap])
    print_table(["data", "outcome", "a fit", "of lbfgs", "of newton-cholesky", "gap of lbfgs"], rows)


@benchmark("least-squares")
def least_squares() -> None:
    """Least squares with regularizer=1, whole fits: beside scikit-learn's RidgeClassifier. Processor time."""
    rows = []
    for n, p in some(((10_000, 20), (100_000, 100), (1_000_000, 50))):
        times = _times({"ours": rb.LeastSquares(regularizer=1.0), "ridge": RidgeClassifier()}, *_dense(n, p))
        rows.append([f"{n:,} × {p}", f"{times['ours'] * 1e3:.1f} ms", ratio(times["ours"] / times["ridge"])])
    print_table(["data", "a fit", "of RidgeClassifier's"], rows)


def _times(fits: dict[str, Any], X: Any, y: np.ndarray) -> dict[str, float]:
    calls: dict[str, Callable[[], Any]] = {name: partial(model.fit, X, y) for name, model in fits.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return best_times(calls, _ROUNDS)


def _loss(model: Any, X: Any, y: np.ndarray) -> float:
    """Σ log(1 + exp(−y·s)) + ‖w‖²/2, the intercept free."""
    s = np.where(y == model.classes_[1], 1.0, -1.0) * model.decision_function(X)
    return float(np.logaddexp(0.0, -s).sum() + (model.coef_**2).sum() / 2)


def _tables() -> Iterator[tuple[str, Any, np.ndarray]]:
    for n, p in ((10_000, 20), (100_000, 100), (1_000_000, 50)):
        yield f"{n:,} × {p}", *_dense(n, p)
    X, y = _dense(100_000, 100)
    yield "100,000 × 100, float32", X.astype(np.float32), y
    for n, p, classes in ((80_000, 100_000, 2), (8_000, 40_000, 20)):
        S = sp.random(n, p, density=50 / p, format="csr", random_state=np.random.default_rng(0))
        rng = np.random.default_rng(1)
        scores = S @ rng.normal(size=(p, classes)) + rng.gumbel(size=(n, classes))
        yield f"CSR {n:,} × {p:,}, {classes} classes", S, scores.argmax(axis=1)


def _dense(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=p) + rng.logistic(size=n) > 0).astype(int)
