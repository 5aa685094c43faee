"""Estimates with all intervals beside `firthmodels`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import rosenblatt as rb
from benchmarks.timing import PROCESSOR, WALL, benchmark, print_table, ratio, seconds, some

__all__ = ["firth"]


@benchmark("firth")
def firth() -> None:
    """Estimates, Firth and all profile intervals: beside firthmodels' fit with its profile intervals.

    *Ours* is the whole table: the verdict with proof, maximum likelihood with bracketed profile intervals, Firth with
    penalised profile intervals and p-values. *Theirs* is Firth with penalised profile intervals, compiled, BLAS on one
    thread. Each once; below 1 ours is faster. Ours uses all cores for large tables: *by processor time* counts both.
    """
    from firthmodels import FirthLogisticRegression

    rows = []
    for n, p in some(((1_000, 10), (10_000, 30), (100_000, 30))):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        X[:, 0] = rng.random(n) < 0.02
        y = (X @ rng.normal(size=p) * 0.3 + rng.logistic(size=n) > 1.0).astype(int)

        def theirs(X: Any = X, y: Any = y) -> Any:
            model = FirthLogisticRegression(max_iter=200).fit(X, y)
            return model.conf_int(method="pl", max_iter=200)

        if n == 1_000:
            rb.estimate(X, y)
            theirs()  # compile
        mine, other = _both_times(lambda X=X, y=y: rb.estimate(X, y)), _both_times(theirs)  # type: ignore[misc]
        ratios = [ratio(a / b) for a, b in zip(mine, other, strict=True)]
        rows.append([f"{n:,} × {p}", f"{mine[0]:.1f} s", f"{other[0]:.1f} s", *ratios])
    print_table(["data", "ours", "firthmodels", "ours by theirs", "by processor time"], rows)


def _both_times(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the clock, and of all processors."""
    began = PROCESSOR()
    return seconds(call, WALL), PROCESSOR() - began
