"""Estimates with all intervals beside `firthmodels`."""

import numpy as np

import rosenblatt as rb
from benchmarks.timing import print_table, seconds

__all__ = ["firth"]


def firth() -> None:
    """Estimates, Firth and all profile intervals: beside firthmodels' fit with its profile intervals.

    *Ours* is the whole table: the verdict with proof, maximum likelihood with bracketed profile intervals, Firth with
    penalised profile intervals and p-values. *Theirs* is Firth with penalised profile intervals. Each once, one thread;
    below 1 ours is faster.
    """
    from firthmodels import FirthLogisticRegression

    rows = []
    for n, p in ((1_000, 10), (10_000, 30), (100_000, 30)):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        X[:, 0] = rng.random(n) < 0.02
        y = (X @ rng.normal(size=p) * 0.3 + rng.logistic(size=n) > 1.0).astype(int)

        def theirs(X=X, y=y):  # type: ignore[no-untyped-def]
            model = FirthLogisticRegression(max_iter=200).fit(X, y)
            return model.conf_int(method="pl", max_iter=200)

        if n == 1_000:
            rb.estimate(X, y)
            theirs()  # compile
        mine, other = seconds(lambda X=X, y=y: rb.estimate(X, y)), seconds(theirs)  # type: ignore[misc]
        rows.append([f"{n:,} × {p}", f"{mine:.1f} s", f"{other:.1f} s", f"{mine / other:.2f}"])
    print_table(["data", "ours", "firthmodels", "ours by theirs"], rows)
