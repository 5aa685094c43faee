"""Verdicts, certificate and margin included, against a linear program on all rows."""

import sys
import time
from collections.abc import Iterator
from itertools import chain
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import rosenblatt as rb
from benchmarks.timing import print_table, seconds
from benchmarks.verdicts.families import shapes

_CAP = 60.0  # seconds allowed to the linear program
_DUAL_CAP = 40.0  # and to its dual form
_LIMIT = 900.0  # of a verdict, on the clock of the wall: a busy machine takes long for few seconds of its own


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
    """Time to a proved verdict on data that are wide, of low rank, sparse, or have many columns.

    Seconds of processor time, margins left out. *Float program*: HiGHS on the dual form, Σ λz = 0 with λ ≥ 1, which is
    feasible where rows overlap; it has 40 s, and proves nothing. *Proof*: a certificate that was checked, or floats
    with every rounding bounded.
    """
    for X, y in (rb.datasets.xor(), (sp.csr_array(np.eye(4)), np.array([0, 1, 0, 1]))):
        rb.separability(X, y)  # compile
    rows = []
    for name, X, y in chain(_shapes(), shapes()):
        begun = time.process_time()
        verdict = rb.separability(X, y, margin=False, time_limit=_LIMIT)
        ours = time.process_time() - begun
        theirs, answer = _dual_program(X, y)
        kind = verdict.kind if verdict.proof else f"{verdict.kind}: {verdict.reason}"
        ratio = "–" if answer is None else f"{ours / theirs:.2g}"
        said = "not in 40 s" if answer is None else f"{theirs:.3g} s, {answer}"
        rows.append([name, kind, verdict.proof, f"{ours:.3g} s", said, ratio])
        print(" · ".join(rows[-1]), file=sys.stderr, flush=True)
    print_table(["data", "verdict", "proof", "time", "float program", "ratio"], rows)


def _dual_program(X: Any, y: np.ndarray) -> tuple[float, str | None]:
    """Processor time of the float program, and what it says; None where it was stopped."""
    begun = time.process_time()
    signs = np.where(np.asarray(y) > 0, 1.0, -1.0)
    A = sp.csr_array(sp.diags_array(signs) @ sp.hstack([sp.csr_array(X), np.ones((len(signs), 1))]))
    n, d = A.shape
    program, lp = highspy.Highs(), highspy.HighsLp()
    for option, value in {"output_flag": False, "threads": 1, "time_limit": _DUAL_CAP}.items():
        program.setOptionValue(option, value)
    lp.num_col_, lp.num_row_ = n, d
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(n), np.ones(n), np.full(n, highspy.kHighsInf)
    lp.row_lower_ = lp.row_upper_ = np.zeros(d)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise  # rows of A are columns here
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
    program.passModel(lp)
    program.run()
    said = {highspy.HighsModelStatus.kOptimal: "overlap", highspy.HighsModelStatus.kInfeasible: "no overlap"}
    return time.process_time() - begun, said.get(program.getModelStatus())


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
