"""Verdicts with what becomes of each coefficient, against the verdict alone, and float programs without a proof."""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio, some

_FEW = 500  # rows up to which the float programs are tried


def _programs(X: np.ndarray, y: np.ndarray) -> None:
    """Two programs a coefficient: w with y·(w·x + b) ≥ 1 on every row, and w_j ≤ 0 or w_j ≥ 0."""
    n, p = X.shape
    Z = np.column_stack([X, np.ones(n)]) * y[:, None]
    for j in range(p + 1):
        for ends in ((None, 0), (0, None)):
            bounds = [ends if k == j else (None, None) for k in range(p + 1)]
            linprog(np.zeros(p + 1), A_ub=-Z, b_ub=-np.ones(n), bounds=bounds)


def _tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    X, y = rb.datasets.sonar()
    yield "sonar, 208 × 60", X, np.where(y == y[0], 1, -1)
    rng = np.random.default_rng(0)
    for n, numbers, levels, pure in ((1000, 10, 16, 2), (4000, 8, 60, 5), (2000, 8, 200, 40)):
        level, y = rng.integers(0, levels, n), rng.choice([-1, 1], n, p=[0.7, 0.3])
        y[level < pure] = 2 * (level[level < pure] % 2) - 1
        X = np.hstack([rng.normal(size=(n, numbers)).round(3), np.eye(levels)[level][:, 1:]])
        yield f"{n:,} × {numbers} numbers and {levels} levels, {pure} of one class", X, y
    X = rng.normal(size=(100_000, 100))
    yield "100,000 × 100, labels at random", X, rng.choice([-1, 1], 100_000)
    yield "100,000 × 100, thin", X, np.where(X @ rng.normal(size=100) > 0, 1, -1)


@benchmark("coefficients")
def coefficients() -> None:
    """Time with all coefficients settled and proved, beside the verdict alone, and two float programs for each."""
    rows = []
    for name, X, y in some(_tables()):
        found: list[rb.Verdict] = []
        calls = {
            "verdict": lambda X=X, y=y: rb.separability(X, y),
            "all": lambda X=X, y=y, found=found: found.append(rb.separability(X, y, coefficients=True)),
        }
        if len(X) <= _FEW and rb.separability(X, y).kind == "complete":
            calls["programs"] = lambda X=X, y=y: _programs(X, y)
        times = best_times(calls, rounds=1 if len(X) > 10_000 else 3)
        extra = times["all"] - times["verdict"]
        floats = ratio(times["programs"] / extra) if "programs" in times else "not tried"
        rows.append([name, found[0].kind, f"{times['all']:.2f} s", ratio(times["all"] / times["verdict"]), floats])
    print_table(["data", "verdict", "with coefficients", "times the verdict", "faster than float programs"], rows)
