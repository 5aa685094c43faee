"""Dichotomies counted against the same by exact verdicts; Cover's logarithm; quick answers against full verdicts."""

import itertools

import numpy as np
from scipy.stats import binom

import rosenblatt as rb
from benchmarks.timing import benchmark, best_times, print_table, ratio, seconds, some
from rosenblatt import cover
from rosenblatt.cover.quick import separable


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
    """One shuffled labeling, yes or no with proof, against a full verdict with its certificate."""
    rows = []
    rng = np.random.default_rng(0)
    for P, N in some(((60, 10), (200, 100))):
        X = rng.normal(size=(P, N))
        labels = [rng.choice([-1, 1], size=P).astype(np.int8) for _ in range(5)]
        calls = {
            "quick": lambda X=X, labels=labels: [separable(X, y, False) for y in labels],
            "full": lambda X=X, labels=labels: [
                rb.separability(X, y, fit_intercept=False, margin=False) for y in labels
            ],
        }
        times = best_times(calls, rounds=2)
        rows.append([f"{P} × {N}", f"{200 * times['quick']:.1f} ms", ratio(times["full"] / times["quick"])])
    print_table(["points", "one labeling", "faster than separability"], rows)
