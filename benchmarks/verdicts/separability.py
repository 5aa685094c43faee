"""Verdicts, certificate and margin included, against a linear program on all rows."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import rosenblatt as rb
from benchmarks.timing import print_table, seconds

_CAP = 60.0  # seconds allowed to the linear program


def _thin(n: int, p: int, flips: int) -> tuple[np.ndarray, np.ndarray]:
    """A normal cloud cut by a hyperplane, margin about 1/n; `flips` labels are wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = np.where(X @ rng.normal(size=p) > 0, 1, -1)
    y[:flips] *= -1
    return X, y


def _program(X: np.ndarray, y: np.ndarray) -> None:
    """max t with y·(w·x + b) ≥ t, |w| ≤ 1, on all rows at once."""
    n, p = X.shape
    Z = np.column_stack([X, np.ones(n)]) * y[:, None]
    linprog(
        np.append(np.zeros(p + 1), -1.0),
        A_ub=np.column_stack([-Z, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * (p + 1) + [(None, None)],
        options={"time_limit": _CAP},
    )


def verdicts() -> None:
    """Time to a proved verdict, against `scipy.optimize.linprog` on all rows (stopped after 60 s) and one X @ w."""
    rb.separability(*rb.datasets.xor())  # compile
    rows = []
    for n, p in ((10_000, 50), (100_000, 100), (1_000_000, 50)):
        for name, flips in (("thin", 0), ("one label flipped", 1)):
            X, y = _thin(n, p, flips)
            found: list[rb.Verdict] = []
            ours = min(seconds(lambda X=X, y=y, found=found: found.append(rb.separability(X, y))) for _ in range(2))
            product = min(seconds(lambda X=X: X @ np.ones(X.shape[1])) for _ in range(5))
            theirs = seconds(lambda X=X, y=y: _program(X, y)) if n <= 100_000 else None
            ratio = "not tried" if theirs is None else f"{'> ' if theirs >= _CAP else ''}{theirs / ours:.0f}×"
            rows.append([f"{n} × {p} {name}", found[0].kind, f"{ours:.2f} s", ratio, f"{ours / product:.0f}"])
    print_table(["data", "verdict", "time", "faster than linprog", "times X @ w"], rows)


def verdicts_shapes() -> None:
    """Time to a proved verdict on data that are wide, of low rank, sparse, or have many columns."""
    rb.separability(*rb.datasets.xor())  # compile
    rows = []
    for name, X, y in _shapes():
        found: list[rb.Verdict] = []
        took = seconds(lambda X=X, y=y, found=found: found.append(rb.separability(X, y)))
        rows.append([name, found[0].kind, f"{took:.1f} s"])
    print_table(["data", "verdict", "time"], rows)


def _shapes() -> Iterator[tuple[str, object, np.ndarray]]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 5000)), rng.choice([-1, 1], size=2000)
    yield "2,000 × 5,000", X, y
    X[1], y[:2] = X[0], [1, -1]
    yield "2,000 × 5,000, contradictory duplicate", X, y
    low = rng.integers(-5, 6, size=(2000, 50)) @ rng.integers(-5, 6, size=(50, 5000)).astype(float)
    yield "2,000 × 5,000, rank 50", low, y
    n = 20_000
    columns = np.sort(np.array([rng.choice(n, size=50, replace=False) for _ in range(n)]), axis=1)
    S = sp.csr_array((rng.normal(size=50 * n), columns.ravel(), np.arange(0, 50 * n + 1, 50)), shape=(n, n))
    labels = rng.choice([-1, 1], size=n)
    yield "CSR 20,000 × 20,000, 50 non-zeros a row", S, labels
    labels[-1] = -labels[0]
    yield "the same, contradictory duplicate", sp.csr_array(sp.vstack([S[:-1], S[:1]])), labels
    pixels = rng.integers(0, 256, size=(14_000, 784)) * (rng.random((14_000, 784)) < 0.2) * (rng.random(784) < 0.8)
    P = pixels.astype(float)
    s = P @ rng.normal(size=784)
    y = np.where(s > np.median(s) + 1e-3, 1, -1)
    yield "14,000 × 784 pixels", P, y
    Q, t = P.copy(), y.copy()
    Q[100], t[7], t[100] = Q[7], 1, -1
    yield "14,000 × 784 pixels, contradictory duplicate", Q, t
    yield "14,000 × 784 pixels, random labels", P, rng.choice([-1, 1], size=14_000)


def verdicts_growth() -> None:
    """Time and memory as rows grow, at 30 columns."""
    rb.separability(*_thin(5000, 30, 0))  # compile
    rows = []
    for n in (100_000, 400_000, 1_600_000, 4_000_000):
        for name, flips in (("thin", 0), ("one label flipped", 1)):
            X, y = _thin(n, 30, flips)
            before = _resident()
            with open("/proc/self/clear_refs", "w") as peak:  # Linux: start a new peak
                peak.write("5")
            took = seconds(lambda X=X, y=y: rb.separability(X, y))
            extra = (_resident("VmHWM") - before) * 1024
            share = 1 + extra / X.nbytes
            rows.append([f"{n} × 30 {name}", f"{took:.2f} s", f"{1e9 * took / n:.0f} ns", f"{share:.2f}"])
    print_table(["data", "time", "a row", "memory / data"], rows)


def _resident(field: str = "VmRSS") -> int:
    """Kilobytes of this process in memory, now or at their peak."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))
