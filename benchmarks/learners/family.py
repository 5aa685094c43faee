"""The other rules against the perceptron's: one dot and one axpy a row."""

import numpy as np

import rosenblatt as rb
from benchmarks.learners.perceptron import _dense
from benchmarks.timing import benchmark, per_pass, print_table, ratio, some


@benchmark("rules")
def rule_passes() -> None:
    """A pass of each rule, rows in turn, against a perceptron's that corrects every row and an ordinary one."""
    rows = []
    for n, p in some(((1_000_000, 20), (400_000, 100), (100_000, 500))):
        X, y = _dense(n, p, np.float64)
        times = per_pass(
            {
                "every row": lambda k, X=X, y=y: rb.Perceptron(order="cyclic", margin=1e6, max_passes=k).fit(X, y),
                "perceptron": lambda k, X=X, y=y: rb.Perceptron(order="cyclic", max_passes=k).fit(X, y),
                "passive-aggressive": lambda k, X=X, y=y: rb.PassiveAggressive(order="cyclic", max_passes=k).fit(X, y),
                "Adaline": lambda k, X=X, y=y: rb.Adaline(order="cyclic", tol=0, max_passes=k).fit(X, y),
                "logistic": lambda k, X=X, y=y: rb.Logistic(
                    mode="incremental", order="cyclic", tol=0, max_passes=k
                ).fit(X, y),
            },
            rounds=2,
        )
        for name, seconds in times.items():
            against = [ratio(seconds / times[other]) for other in ("every row", "perceptron")]
            rows.append([f"{n} × {p}", name, f"{seconds * 1e3:.1f} ms", *against])
    print_table(["data", "rule", "a pass", "of one that corrects every row", "of the perceptron's"], rows)
