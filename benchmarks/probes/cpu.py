"""Probes on the CPU: against loops over scikit-learn's estimators and over our own, and against the product rate."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as Theirs
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks.timing import WALL, benchmark, best_times, print_table, ratio, seconds, some
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


@benchmark("few-probes")
def few_probes() -> None:
    """32 logistic probes, n = 5,000, p = 1,024, float32, noisy labels; processor time, and AUROC on new rows."""
    random = np.random.default_rng(0)
    X = (
        random.normal(size=(10_000, 1024))
        @ (random.normal(size=(1024, 1024)) / 32 * np.linspace(0.1, 2, 1024)[:, None])
    ).astype(np.float32)
    signal = X @ random.normal(size=(1024, 32)).astype(np.float32)
    Y = signal / signal.std(axis=0) + random.normal(size=signal.shape) > 0
    X = (X - X[:5000].mean(axis=0)) / X[:5000].std(axis=0)
    found: dict[str, np.ndarray] = {}

    def ours(name: str, l2: float | None) -> Callable[[], Any]:
        return lambda: found.update(
            {name: rb.probes.fit(X[:5000], Y[:5000], l2=l2, device="cpu", random_state=0).weights}
        )

    calls = {
        "rb.probes.fit, λ = 0.01, measurements included": ours("rb.probes.fit, λ = 0.01, measurements included", 0.01),
        "rb.probes.fit, λ chosen for each": ours("rb.probes.fit, λ chosen for each", None),
    }
    if find_spec("torch"):
        name = "torch, L-BFGS on all probes at once, λ = 0.01"
        calls[name] = lambda: found.update({name: _torch(X[:5000], Y[:5000], 0.01)})
    times = best_times(calls, rounds=3)
    first = next(iter(times.values()))
    rows = []
    for name, spent in times.items():
        scores = X[5000:] @ found[name][:-1]
        reads = np.mean([roc_auc_score(y, s) for y, s in zip(Y[5000:].T, scores.T, strict=True)])
        rows.append([name, f"{spent / 32 * 1e3:.1f}", ratio(spent / first), f"{reads:.4f}"])
    print_table(["32 logistic probes, 5,000 × 1,024", "ms a probe", "times the first", "AUROC"], rows)


def _torch(X: np.ndarray, Y: np.ndarray, l2: float) -> np.ndarray:
    """All probes as one problem, by torch's L-BFGS with its line search, until no gradient is longer than 1e-5."""
    import torch

    torch.set_num_threads(1)
    rows, signs = torch.from_numpy(X), torch.from_numpy(np.where(Y, 1, -1).astype(np.float32))
    W = torch.zeros(X.shape[1] + 1, Y.shape[1], requires_grad=True)
    steps = torch.optim.LBFGS(
        [W], max_iter=500, history_size=10, tolerance_grad=1e-6, tolerance_change=0, line_search_fn="strong_wolfe"
    )

    def loss() -> Any:
        steps.zero_grad()
        value = (
            torch.nn.functional.softplus(-signs * (rows @ W[:-1] + W[-1])).mean(0).sum() + l2 / 2 * (W[:-1] ** 2).sum()
        )
        value.backward()
        if W.grad.norm(dim=0).max() <= 1e-5:
            W.grad.zero_()
        return value

    steps.step(loss)
    return np.asarray(W.detach().numpy())


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
