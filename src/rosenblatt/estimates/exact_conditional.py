"""Exact conditional logistic regression: inference on one coefficient, given the totals of the other columns.

t_j = Σ y·x_j is all that y says about coefficient j. Given the totals of the other columns, the distribution of t_j
does not depend on the other coefficients: P(t) ∝ c(t)·e^(βt), where c(t) is the number of ways in which the successes
can fall with these totals (Cox 1970; Mehta and Patel 1995). Here c(t) is counted in whole numbers, row by row. Totals
from which the observed ones can no longer be reached are dropped on the way.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, inf, isnan, nan
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats
from rosenblatt.context import Unfinished
from rosenblatt.estimates.design import CountDesign, Estimable, Undecided

__all__ = ["MOST_TOTALS", "Exact", "ExactDesign", "TooManyTotals", "exact"]

MOST_TOTALS = 200_000  # different totals that are kept at a time: about a second a row


class TooManyTotals(Exception):
    """More than `MOST_TOTALS` different totals would have to be kept."""


@dataclass(frozen=True)
class Exact:
    """The median-unbiased estimate, the exact interval, and the exact p-value of 0 (probability test).

    Where the smallest or the largest possible total was observed, the estimate is the value that gives that total
    probability ½. `value` is NaN where the other totals leave only one possibility; all four numbers are NaN where
    there are too many totals to count.
    """

    value: float
    lower: float
    upper: float
    p: float

    @property
    def counted(self) -> bool:
        """Whether there were few enough totals."""
        return not isnan(self.p)


class ExactDesign:
    """A design whose coefficients are analysed one by one; refuses models and values that cannot be counted."""

    def __init__(self, design: Estimable, level: float) -> None:
        if not isinstance(design, CountDesign) or design.terms.family != "binomial":
            raise ValueError("an exact analysis is for logistic and binomial models: leave exact out.")
        terms = design.terms
        if terms.offset.any():
            raise ValueError("an exact analysis takes no offset: leave offset or exact out.")
        if any((column % 1).any() for column in (terms.y, terms.trials, terms.weights)):
            raise ValueError("an exact analysis counts: successes, trials and weights must be whole numbers.")
        self.terms, self.level, self.context = terms, level, design.context
        self.columns = np.hstack([terms.X, np.ones((len(terms.y), int(terms.bias)))])

    def estimate(self, j: int) -> Exact:
        """The analysis of one coefficient; a row of weight 3 is three rows."""
        y, trials = (column * self.terms.weights for column in (self.terms.y, self.terms.trials))
        try:
            return exact(self.columns, y, trials, j, self.level, self.context.check)
        except TooManyTotals:
            return Exact(nan, nan, nan, nan)
        except Unfinished as why:
            raise Undecided(f"the exact analysis was not finished: {why}.") from None


@dataclass(frozen=True)
class _Distribution:
    """In how many ways each total of one column occurs, and which was observed; totals are multiples of `unit`."""

    totals: list[int]
    counts: list[int]
    observed: int
    unit: Fraction

    @cached_property
    def _logs(self) -> Floats:
        return np.array([_log(c) for c in self.counts])

    @cached_property
    def _beyond(self) -> Floats:
        """Each total minus the observed one."""
        return np.array([float(t - self.observed) for t in self.totals])

    def at_least(self, beta: float) -> float:
        """P(T ≥ observed) for a coefficient in units of the totals."""
        return self._share(beta, self._beyond >= 0)

    def at_most(self, beta: float) -> float:
        """P(T ≤ observed) for a coefficient in units of the totals."""
        return self._share(beta, self._beyond <= 0)

    def _share(self, beta: float, chosen: Flags) -> float:
        logs = self._logs + beta * self._beyond
        weights = np.exp(logs - logs.max())
        return float(weights[chosen].sum() / weights.sum())

    def probability_test(self) -> Fraction:
        """The p-value of 0: the share of outcomes that are no more likely than the observed one."""
        own = self.counts[self.totals.index(self.observed)]
        return Fraction(sum(c for c in self.counts if c <= own), sum(self.counts))


def exact(X: Floats, y: Floats, trials: Floats, j: int, level: float, check: Callable[[], None]) -> Exact:
    """The exact analysis of column j of X (an intercept is a column of ones), given the totals of the other columns.

    Raises `TooManyTotals` where there are too many. `check` is called once a row, and may raise.

    >>> X = np.array([[0.0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1]])
    >>> exact(X, np.array([0.0, 0, 1, 1, 1, 1]), np.ones(6), 0, 0.95, lambda: None)
    Exact(value=1.19476..., lower=-1.59384..., upper=inf, p=0.4)
    """
    found = _total_of_column(X, y, trials, j, check)
    if len(found.totals) == 1:
        return Exact(nan, -inf, inf, 1.0)
    lowest, highest = found.observed == found.totals[0], found.observed == found.totals[-1]
    unit = float(found.unit)

    def ends(share: float) -> tuple[float, float]:
        """The coefficients at which P(T ≥ observed), and P(T ≤ observed), are equal to this share."""
        lower = -inf if lowest else _root(lambda b: found.at_least(b) - share) / unit
        return lower, inf if highest else _root(lambda b: share - found.at_most(b)) / unit

    (lower, upper), (below, above) = ends((1.0 - level) / 2), ends(0.5)
    middle = above if lowest else below if highest else (below + above) / 2
    return Exact(middle, lower, upper, float(found.probability_test()))


def _total_of_column(X: Floats, y: Floats, trials: Floats, j: int, check: Callable[[], None]) -> _Distribution:
    """The conditional distribution of column j's total."""
    whole, units = _in_whole_units(X)
    order = [*(k for k in range(X.shape[1]) if k != j), j]
    groups: dict[tuple[int, ...], int] = defaultdict(int)
    for row, m in zip(whole, trials, strict=True):
        groups[tuple(row[k] for k in order)] += int(m)
    rows = sorted(groups.items(), key=lambda one: one[0])
    goal = tuple(int(v) for v in (np.array(whole, dtype=object).T @ y.astype(int))[order])
    low, high = _reach(rows)
    states: Counter[tuple[int, ...]] = Counter({(0,) * len(order): 1})
    for i, (x, m) in enumerate(rows):
        check()
        after: Counter[tuple[int, ...]] = Counter()
        ways = [comb(m, k) for k in range(m + 1)]
        for state, count in states.items():
            for k in _successes(state, x, m, goal, low[i + 1], high[i + 1]):
                after[tuple(a + k * b for a, b in zip(state, x, strict=True))] += count * ways[k]
            if len(after) > MOST_TOTALS:
                raise TooManyTotals
        states = after
    last = sorted((state[-1], count) for state, count in states.items())
    return _Distribution([t for t, _ in last], [c for _, c in last], goal[-1], units[j])


def _successes(
    state: tuple[int, ...], x: tuple[int, ...], m: int, goal: tuple[int, ...], low: list[int], high: list[int]
) -> range:
    """How many of m trials may succeed so that the rows that follow can still reach each total but the last."""
    least, most = 0, m
    for a, b, g, lowest, highest in zip(state, x, goal, low, high, strict=False):
        short, over = g - a - highest, g - a - lowest  # short ≤ k·b ≤ over
        if b < 0:
            b, short, over = -b, -over, -short
        if b:
            least, most = max(least, -(-short // b)), min(most, over // b)
        elif not short <= 0 <= over:
            return range(0)
    return range(least, most + 1)


def _reach(rows: list[tuple[tuple[int, ...], int]]) -> tuple[list[list[int]], list[list[int]]]:
    """The least and the largest total of each column but the last that rows i, i + 1, … can still add."""
    width = len(rows[0][0]) - 1
    low, high = [[0] * width], [[0] * width]
    for x, m in reversed(rows):
        low.append([a + m * min(b, 0) for a, b in zip(low[-1], x[:-1], strict=True)])
        high.append([a + m * max(b, 0) for a, b in zip(high[-1], x[:-1], strict=True)])
    return low[::-1], high[::-1]


def _in_whole_units(X: Floats) -> tuple[list[list[int]], list[Fraction]]:
    """The rows with each column as whole multiples of a unit, taken from its decimals; and these units."""
    columns, units = [], []
    for column in X.T:
        values = [Fraction(repr(float(v))) for v in column]
        common = int(np.lcm.reduce(np.array([v.denominator for v in values], dtype=object)))
        columns.append([int(v * common) for v in values])
        units.append(Fraction(1, common))
    return [list(row) for row in zip(*columns, strict=True)], units


def _root(rising: Callable[[float], float]) -> float:
    """Where a rising function of β is zero."""
    reach = 1.0
    while rising(reach) < 0 or rising(-reach) > 0:
        reach *= 2.0
    from scipy.optimize import brentq  # a fifth of a second, for what few ask

    root: Any = brentq(rising, -reach, reach, xtol=1e-13, rtol=1e-14)
    return float(root)


def _log(count: int) -> float:
    """The logarithm of a whole number of any length."""
    shift = max(0, count.bit_length() - 1000)
    return float(np.log(float(count >> shift))) + shift * float(np.log(2.0))
