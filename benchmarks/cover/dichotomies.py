"""Dichotomies counted against the same by exact verdicts; Cover's logarithm; quick answers against full verdicts."""

import itertools
import time

import numpy as np
from scipy.optimize import linprog
from scipy.stats import binom

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio, seconds, some
from rosenblatt import cover
from rosenblatt.cover.quick import separable_all


def _cube(n: int) -> np.ndarray:
    return np.array(list(itertools.product([0.0, 1.0], repeat=n)))


def _by_verdicts(X: np.ndarray) -> int:
    """One exact verdict for each of half of all labelings."""
    labelings = itertools.product([-1, 1], repeat=len(X) - 1)
    return 2 * sum(rb.separability(X, [1, *rest], margin=False).kind == "complete" for rest in labelings)


@benchmark("dichotomies")
def counting_dichotomies() -> None:
    """Dichotomies of the n-cube (14, 104, 1882, 94572, 15028134), against one verdict for each labeling up to n = 3."""
    cover.dichotomies(_cube(2))  # compile
    rows = []
    for n in some(range(2, 7)):
        X, found = _cube(n), []
        ours = seconds(lambda X=X, found=found: found.append(cover.dichotomies(X)))
        theirs = seconds(lambda X=X: _by_verdicts(X)) if n <= 3 else None
        beside = "not tried" if theirs is None else ratio(theirs / ours)
        rows.append([f"{n}-cube, {2**n} points", f"{found[0]:,}", f"{1e3 * ours:.1f} ms", beside])
    for P, p in some(((30, 4), (60, 4))):
        X, found = np.random.default_rng(0).normal(size=(P, p)), []
        ours = seconds(lambda X=X, found=found: found.append(cover.dichotomies(X)))
        assert found[0] == cover.count(P, p + 1)
        rows.append([f"{P} random points in {p} dimensions", f"{found[0]:,}", f"{1e3 * ours:.1f} ms", "not tried"])
    print_table(["points", "dichotomies", "time", "faster than a verdict each"], rows)


@benchmark("logarithms")
def logarithms() -> None:
    """log10 of Cover's probability against SciPy's binomial distribution: time, and the digits SciPy gets right."""
    rows = []
    for P, N in ((208, 61), (200_001, 100_000), (10_000_000, 1000), (10_000_000, 100_000)):
        calls = {
            "ours": lambda P=P, N=N: cover.log10_probability(P, N),
            "theirs": lambda P=P, N=N: binom.logcdf(N - 1, P - 1, 0.5) / np.log(10),
        }
        times = best_times(calls, rounds=2)
        exact, theirs = calls["ours"](), calls["theirs"]()
        wrong = abs(theirs / exact - 1) if np.isfinite(theirs) else np.inf
        digits = "none" if not wrong < 1 else f"{min(16, -np.log10(max(wrong, 1e-16))):.0f}"
        rows.append([f"P = {P:,}, N = {N:,}", f"{exact:.12g}", f"{1e3 * times['ours']:.2f} ms", digits])
    print_table(["", "log10 probability", "time", "digits right in scipy.stats.binom.logcdf"], rows)


@benchmark("shuffles")
def shuffles() -> None:
    """Shuffled labelings of the same points, separable or not with proof, against a linear program for each."""
    rows = []
    rng = np.random.default_rng(0)
    cases = ((60, 10, 30), (60, 10, 5), (200, 20, 100), (200, 60, 100), (200, 100, 100))
    for P, N, positive in some(cases):
        X = rng.normal(size=(P, N))
        y = np.where(np.arange(P) < positive, 1, -1).astype(np.int8)
        many = rng.permuted(np.tile(y, (1000, 1)), axis=1)
        separable_all(X, many[:2], False, None)
        began = time.process_time()
        found = separable_all(X, many, False, None)
        ours = len(many) / (time.process_time() - began)
        began = time.process_time()
        for labels in many[:20]:
            linprog(np.zeros(N), A_ub=-labels[:, None] * X, b_ub=-np.ones(P), bounds=(None, None))
        theirs = 20 / (time.process_time() - began)
        part = f"{100 * np.mean(np.array(found, dtype=bool)):.3g} %"
        rows.append([f"{P} × {N}, {positive} positive", part, f"{ours:,.0f}", f"{theirs:,.0f}", ratio(ours / theirs)])
    print_table(["points", "separable", "labelings a second, proved", "linprog, unproved", "ratio"], rows)
