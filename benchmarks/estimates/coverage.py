"""How often intervals hold the truth, by simulation."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from math import inf
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from benchmarks.timing import benchmark, print_table
from rosenblatt.arrays import Floats
from rosenblatt.context import SILENT
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven, as_design
from rosenblatt.estimates.exact_conditional import ExactDesign
from rosenblatt.estimates.maximum import Errors, LimitingFit, MaximumLikelihood
from rosenblatt.estimates.penalised import PenalisedLikelihood
from rosenblatt.threads import one_thread

__all__ = ["CASES", "coverage", "lines_of"]

_DRAWS = 2_000
_SIZES = (20, 50, 200)
_LEVEL = 0.95
_EXACT_ROWS = 20  # up to which the exact analysis is quick


class Case(NamedTuple):
    """A model to draw from: so many exposed rows, whose coefficient is drawn between two truths."""

    n: int
    exposed: int
    truths: tuple[float, float]
    constant: float

    def draws(self) -> Iterator[tuple["Case", float, RowsGiven]]:
        """Tables of an exposure and an age of five values (coefficient 0.5)."""
        rng = np.random.default_rng(self.n + self.exposed)
        exposure, n = (np.arange(self.n) < self.exposed).astype(float), self.n
        for _ in range(_DRAWS):
            low, high = self.truths
            truth = low if low == high else rng.uniform(low, high)
            X = np.column_stack([exposure, rng.integers(-2, 3, n)])
            y = rng.random(n) < 1 / (1 + np.exp(-(X @ [truth, 0.5] + self.constant)))
            yield self, truth, RowsGiven(X, y.astype(np.int64), BesideColumns())


CASES = [Case(n, n // 2, (-1.0, 1.0), 0.0) for n in _SIZES]
CASES += [Case(n, 5, (2.0, 2.0), -1.0) for n in _SIZES]


@benchmark("coverage")
def coverage() -> None:
    """How often 95 % intervals hold the truth: 20, 50 and 200 rows, with and without separation, 2,000 draws each.

    The model is logistic with an exposure, an age of five values (coefficient 0.5) and an intercept; the table is about
    the exposure. Where half of the rows are exposed, its coefficient is drawn anew each time, between −1 and 1, and
    hardly any table is separated; where five rows are, it is 2, and in a fifth of the draws its estimate is infinite.
    *Holds*: the share of draws whose interval has the truth in it;
    *below*, *above*: whose interval lies below it, or above it (2.5 % each would be right). *Finite*: intervals with
    two finite ends. Robust intervals are estimates ± 1.96 errors (HC1), and those of finite estimates alone are
    counted. What holds 95 % comes out between 94.0 and 96.0 % in 19 of 20 runs.
    """
    head = ["model", "rows", "exposed", "interval", "holds", "below", "above", "finite"]
    print_table(head, [line for case in CASES for line in lines_of(case)])


def lines_of(case: Case) -> list[list[str]]:
    """The lines of the page about one case."""
    ends: dict[str, list[tuple[float, float, float]]] = {}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for found in pool.map(_judge, case.draws(), chunksize=50):
            for name, interval in found.items():
                ends.setdefault(name, []).append(interval)
    return [_line(case, name, np.array(some)) for name, some in ends.items()]


def _judge(draw: tuple[Case, float, RowsGiven]) -> dict[str, tuple[float, float, float]]:
    """Each kind of interval of the exposure, and the truth."""
    case, truth, given = draw
    half = float(chi2.ppf(_LEVEL, 1)) / 2
    with one_thread():
        design, _ = as_design(given, "logistic", True, SILENT)
        if design.names[0] != "x0" or design.fates[0] in ("undetermined", "not identified"):
            return {}
        likelihood, penalised = MaximumLikelihood(design, half), PenalisedLikelihood(design, half)
        lower, upper = likelihood.interval(0)
        found = {"profile": (lower.value, upper.value, truth)}
        firth = penalised.estimate(0)
        if firth is not None:
            found["Firth, profile"] = firth.lower, firth.upper, truth
        if case.n <= _EXACT_ROWS:
            exact = ExactDesign(design, _LEVEL).estimate(0)
            found["exact"] = exact.lower, exact.upper, truth
        low, high = LimitingFit(likelihood, Errors("HC1")).wald(_LEVEL)[0]
        if np.isfinite([low, high]).all():
            found["robust (HC1)"] = low, high, truth
    return found


def _line(case: Case, name: str, ends: Floats) -> list[str]:
    lower, upper, truth = ends.T
    below, above = upper < truth, lower > truth
    finite = (lower > -inf) & (upper < inf)
    shares = [f"{100 * one.mean():.1f} %" for one in (~below & ~above, below, above, finite)]
    return ["logistic", str(case.n), str(case.exposed), name, *shares]
