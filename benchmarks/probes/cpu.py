"""Probes on the CPU: against loops over scikit-learn's estimators and over our own, and against the product rate."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as Theirs
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks.timing import WALL, benchmark, print_table, ratio, seconds, some
from rosenblatt.probes.devices import cpu

PASSES = 50


def _data(n: int, p: int, B: int, correlated: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A planted direction for every probe, and so much noise that none is separable.

    Correlated, as activations are: the k-th principal component has a standard deviation as 1/k. Otherwise white noise,
    on which a logistic regression needs a few steps only, so that a comparison with it looks quite different.
    """
    random = np.random.default_rng(0)
    turned, _ = np.linalg.qr(random.standard_normal((p, p)))
    X = (random.standard_normal((n, p)) / (np.arange(1, p + 1) if correlated else 1)) @ turned
    X = (X / X.std()).astype(np.float32)
    signal = X @ random.standard_normal((p, B), dtype=np.float32)
    return X, np.where(signal / signal.std(axis=0) + 0.3 * random.standard_normal((n, B)) > 0, 1, -1).astype(np.int8)


def _each(make: Callable[[], Any], X: np.ndarray, Y: np.ndarray, some: int) -> float:
    """Seconds a probe takes in a loop, by some of them."""
    make().fit(X[:50], Y[:50, 0])
    return seconds(lambda: [make().fit(X, Y[:, j]) for j in range(some)], WALL) / some


def many_probes(correlated: bool) -> None:
    """1,024 probes, n = 4,000, p = 128, float32, 50 passes; loops measured on 16 of the probes."""
    X, Y = _data(4000, 128, 1024, correlated)
    how = {"method": "perceptron", "order": "cyclic", "average": False, "device": "cpu"}
    rb.probes.fit(X[:100], Y[:100, :2], passes=1, **how)
    ours = min(seconds(lambda: rb.probes.fit(X, Y, passes=PASSES, **how), WALL) for _ in range(2)) / 1024
    loops = {
        "LogisticRegression (scikit-learn, defaults)": lambda: LogisticRegression(),
        "Perceptron (scikit-learn, 50 passes)": lambda: Theirs(max_iter=PASSES, tol=None, shuffle=False),
        "rb.Perceptron, 50 passes": lambda: rb.Perceptron(max_passes=PASSES),
    }
    rows = [["rb.probes.fit, measurements included", f"{ours * 1e3:.2f}", "1.0"]]
    for name, make in loops.items():
        theirs = _each(make, X, Y, 16)
        rows.append([name, f"{theirs * 1e3:.2f}", ratio(theirs / ours)])
    kind = "correlated columns" if correlated else "white noise"
    print_table([f"1,024 probes, 4,000 × 128, {kind}", "ms a probe", "times ours"], rows)


def logistic_probes(correlated: bool) -> None:
    """1,024 logistic probes, n = 4,000, p = 128, float32, λ = 1/n, scaled columns, to gradients as short as theirs."""
    X, Y = _data(4000, 128, 1024, correlated)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    how = {"method": "logistic", "l2": 1 / 4000, "device": "cpu"}
    probes = rb.probes.fit(X, Y[:, :2], **how)
    ours = min(seconds(lambda: rb.probes.fit(X, Y, **how), WALL) for _ in range(2)) / 1024
    rows = [["rb.probes.fit, measurements included", f"{ours * 1e3:.2f}", "1.0", f"{probes.gradient.max():.1e}"]]
    make = lambda: LogisticRegression(C=1.0, tol=1e-5, max_iter=5000)  # noqa: E731
    theirs = _each(make, X, Y, 16)
    length = max(_gradient(make().fit(X, Y[:, j]), X, Y[:, j]) for j in range(2))
    rows.append(["LogisticRegression (scikit-learn)", f"{theirs * 1e3:.2f}", ratio(theirs / ours), f"{length:.1e}"])
    kind = "correlated columns" if correlated else "white noise"
    print_table([f"1,024 logistic probes, 4,000 × 128, {kind}", "ms a probe", "times ours", "gradient"], rows)


def _gradient(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The length of the mean penalised loss's gradient where scikit-learn ended."""
    w = model.coef_[0].astype(np.float64)
    r = -y / (1.0 + np.exp(y * (X @ w + model.intercept_[0]))) / len(y)
    return float(np.linalg.norm(np.append(X.T @ r + w / len(y), r.sum())))


def wide_probes() -> None:
    """256 probes, n = 4,000, p = 2,048, float32: passes against our own Perceptron and the rate of matrix products."""
    X, Y = _data(4000, 2048, 256)
    cpu.train(X[:100], Y[:100], 1)
    ours, alone = (_pass(lambda passes, t=threads: cpu.train(X, Y, passes, threads=t)) / 256 for threads in (None, 1))
    own = _pass(lambda passes: [rb.Perceptron(max_passes=passes).fit(X, Y[:, j]) for j in range(8)]) / 8
    W = np.ones((2048, 256), dtype=np.float32)
    with threadpool_limits(1):
        products = 2 * min(seconds(lambda: X @ W, WALL) for _ in range(5)) / 256
    print_table(
        ["256 probes, 4,000 × 2,048", "ms a probe-pass", "times ours"],
        [
            ["blocked, all threads", f"{ours * 1e3:.3f}", "1.0"],
            ["rb.Perceptron, one after the other", f"{own * 1e3:.3f}", ratio(own / ours)],
            ["blocked, one thread", f"{alone * 1e3:.3f}", "1.0"],
            ["its two matrix products alone, one thread", f"{products * 1e3:.3f}", ratio(products / alone)],
        ],
    )


def _pass(fit: Callable[[int], object]) -> float:
    """Seconds a pass, without what comes before and after."""
    return (
        min(seconds(lambda: fit(4), WALL) for _ in range(2)) - min(seconds(lambda: fit(1), WALL) for _ in range(2))
    ) / 3


@benchmark("probes")
def probes() -> None:
    """Many probes at once: ratios to loops, and the part of the matrix products' rate."""
    for correlated in some((True, False)):
        many_probes(correlated)
        print()
        logistic_probes(correlated)
        print()
    wide_probes()
