"""Verdicts, certificate and margin included, against a linear program on all rows."""

import numpy as np
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
    """Time to a proved verdict, against `scipy.optimize.linprog` on all rows (stopped after 60 s)."""
    rb.separability(*rb.datasets.xor())  # compile
    rows = []
    for n, p in ((10_000, 50), (100_000, 100), (1_000_000, 50)):
        for name, flips in (("thin", 0), ("one label flipped", 1)):
            X, y = _thin(n, p, flips)
            found = []
            ours = min(seconds(lambda X=X, y=y, found=found: found.append(rb.separability(X, y))) for _ in range(2))
            theirs = seconds(lambda X=X, y=y: _program(X, y)) if n <= 100_000 else None
            ratio = "not tried" if theirs is None else f"{'> ' if theirs >= _CAP else ''}{theirs / ours:.0f}×"
            rows.append([f"{n} × {p} {name}", found[0].kind, f"{ours:.2f} s", ratio])
    print_table(["data", "verdict", "time", "faster than linprog"], rows)
