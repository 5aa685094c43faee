"""Many outcomes on one table."""

import os
import time

import numpy as np
import numpy.typing as npt

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table, ratio, some
from rosenblatt.estimates.screening import screen

__all__ = ["screening"]

_OUTCOMES = 1000
_ALONE = 20  # outcomes that are decided one by one, for comparison


@benchmark("screening")
def screening() -> None:
    """Screening: 1,000 outcomes of 20,000 rows × 31 columns, each verdict and every coefficient's fate proved.

    The columns are a factor of 20 levels, six numbers and six exposures from common to rare (0.3 %); outcomes have from
    20 to 6,000 positives. *Alone*: `separability` of one outcome after another, of which some are timed, in one
    process. *Processor time a core* is about what the clock would say if nothing else ran on the machine; *by time
    alone* is the same by that of as many outcomes alone, so below 1 the screening is faster.
    """
    X, Y = _cohort(_OUTCOMES)
    screen(X[:500], Y[:500, :1], jobs=1)  # compile
    worked = _processor_time()
    for k in range(_ALONE):
        rb.separability(X, Y[:, k], margin=False, coefficients=True)
    alone = (_processor_time() - worked) * _OUTCOMES / _ALONE
    rows = []
    for jobs in some((1, 2)):
        outcomes = Y if jobs == 2 else Y[:, :100]
        began, worked = time.perf_counter(), _processor_time()
        found = screen(X, outcomes, jobs=jobs)
        took, worked = time.perf_counter() - began, _processor_time() - worked
        kinds = [line.verdict for line in found.lines[:: X.shape[1] + 1]]
        proved = sum(bool(line.certificate) for line in found.lines[:: X.shape[1] + 1])
        beside = ratio(worked / jobs / (alone * outcomes.shape[1] / _OUTCOMES))
        told = f"{kinds.count('overlap')} overlap, {kinds.count('quasi')} quasi", f"{proved:,}"
        rows.append([f"{outcomes.shape[1]:,}", f"{jobs}", f"{took:.0f} s", f"{worked / jobs:.0f} s", beside, *told])
    print_table(
        ["outcomes", "processes", "time", "processor time a core", "by time alone", "verdicts", "certificates"], rows
    )


def _processor_time() -> float:
    """Seconds of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def _cohort(outcomes: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rng, n = np.random.default_rng(0), 20_000
    level = rng.integers(0, 20, n)
    rare = rng.random((n, 6)) < [0.5, 0.3, 0.1, 0.05, 0.01, 0.003]
    X = np.column_stack([level[:, None] == np.arange(1, 20), rng.normal(size=(n, 6)), rare]).astype(np.float64)
    response = X[:, 19:] @ (0.3 * rng.normal(size=12))
    chance = np.exp(rng.uniform(np.log(0.001), np.log(0.3), outcomes))
    Y = rng.random((n, outcomes)) < 1.0 / (1.0 + np.exp(-(response[:, None] + np.log(chance / (1.0 - chance)))))
    return X, Y.astype(np.float64)
