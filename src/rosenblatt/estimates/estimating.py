"""`estimate`: every coefficient's fate, its maximum-likelihood estimate, Firth's, and an interval for each."""

import time
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from rosenblatt.data.table import Table
from rosenblatt.estimates.arguments import Columns, Given, as_design, given_table, given_values
from rosenblatt.estimates.design import Design, Problem
from rosenblatt.estimates.firth import root
from rosenblatt.estimates.formula import given_formula
from rosenblatt.estimates.likelihood import Point
from rosenblatt.estimates.optimum import Ball, ball, minimise
from rosenblatt.estimates.profile import End, Minimum, end, held
from rosenblatt.estimates.table import Estimate, Estimates, Penalised
from rosenblatt.verdicts.threads import one_thread

__all__ = ["estimate"]

Floats = npt.NDArray[np.float64]

_LOWER = 1e-7  # how much lower a penalised loss must be for rounding not to explain it
_HIDDEN = np.linalg.LinAlgError  # a matrix is singular in floats, though not in truth: rounding hides the answer


def estimate(
    X: Any,
    y: Any = None,
    model: str = "logistic",
    *,
    data: Any = None,
    trials: Any = None,
    offset: Any = None,
    exposure: Any = None,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    level: float = 0.95,
    firth: bool = True,
    exponentiate: bool = False,
    missing: str = "refuse",
    time_limit: float | None = None,
) -> Estimates:
    """One honest table: of each coefficient what is proved, and the numbers that go with it.

    Parameters
    ----------
    X, y : rows of numbers, and two classes ("logistic"), successes ("binomial", of `trials`) or counts ("poisson")
        X may also be a table of `rb.data.open_table`, without y: it has its own classes, weights, names and levels; or
        a formula, as "died ~ age + C(centre)", of the columns of `data` (needs formulaic: rosenblatt[formula]).
    data : frame, Arrow table or dictionary of columns
        With a formula. `trials`, `offset`, `exposure` and `sample_weight` may then be names of its columns.
    offset, exposure : array, optional
        Added to the responses; an exposure is the exponential of an offset.
    sample_weight : array, optional
        How often each row counts; 0: it is absent.
    level : float
        Of the intervals.
    firth : bool
        Also Firth's estimates, with penalised profile intervals and p-values.
    exponentiate : bool
        Show odds ratios (of counts: rate ratios), which are the exponentials of the coefficients.
    missing : "refuse" or "drop"
        Of a formula's data: what to do with rows that lack a value.
    time_limit : float, optional
        Seconds for the verdict.

    Examples
    --------
    >>> X, y = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], [0, 1, 0, 1, 1, 1]
    >>> table = estimate(X, y)
    >>> [(one.name, one.fate) for one in table.coefficients]
    [('x0', '+inf'), ('x1', 'finite'), ('(1)', 'finite')]
    """
    began = time.monotonic()
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; it is {level}.")
    columns = Columns(trials, offset, exposure, sample_weight)
    if isinstance(X, str):
        given, fit_intercept = _by_formula(X, y, data, columns, fit_intercept, missing)
    elif data is not None:
        raise TypeError("data goes with a formula: estimate('died ~ age', data=data).")
    else:
        given = given_table(X, y, columns) if isinstance(X, Table) else given_values(X, y, columns)
    design, outcome = as_design(given, model, fit_intercept, time_limit)
    names = [*(given.names or [f"x{j}" for j in range(design.X.shape[1])]), *["(1)"] * fit_intercept]
    half = float(chi2.ppf(level, 1)) / 2
    with one_thread():  # the matrices are small: threads would wait for each other
        rows = _rows(design, names, given, half, firth)
    seconds = time.monotonic() - began
    return Estimates(
        rows, model, level, design.verdict, seconds, outcome, len(design.y), len(design.on_plane()), exponentiate
    )


def _by_formula(text: str, y: Any, data: Any, columns: Columns, intercept: bool, missing: str) -> tuple[Given, bool]:
    """What a formula says, and whether it has an intercept."""
    if y is not None:
        raise TypeError("a formula names its outcome: leave y out.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing must be 'refuse' or 'drop'; it is {missing!r}.")
    return given_formula(text, data, columns, missing)


def _rows(design: Design, names: list[str], given: Given, half: float, firth: bool) -> list[Estimate]:
    likelihood = _Likely(design, half)
    penalised = _Penalised(design, half) if firth else None
    return [
        Estimate(
            name,
            design.fates[j],
            *likelihood.estimate(j),
            *likelihood.interval(j),
            None if penalised is None else penalised.estimate(j),
            given.levels.get(name, ""),
        )
        for j, name in enumerate(names)
    ]


class _Likely:
    """Maximum likelihood, by the limiting model where there is no maximum."""

    def __init__(self, design: Design, half: float) -> None:
        self.design, self.half = design, half
        self.plane = design.on_plane()
        self.problem = design.problem(self.plane)

    @cached_property
    def point(self) -> Point:
        """The maximum."""
        return minimise(self.problem.likelihood, np.zeros(self.problem.likelihood.d))

    @cached_property
    def proved(self) -> Ball | None:
        """How near it is."""
        return ball(self.point)

    def estimate(self, j: int) -> tuple[float, float | None]:
        """The estimate, ±inf where it runs away, NaN where there is none; and how far it may be off, if proved."""
        fate = self.design.fates[j]
        if fate != "finite":
            return {"+inf": inf, "-inf": -inf}.get(fate, nan), None
        try:
            at, w = self.problem.place(j), self.problem.coordinates.weights(self.point.v)
        except _HIDDEN:
            return nan, None
        if self.proved is None:
            return float(w[at]), None
        return float(w[at]), float(self.problem.coordinates.errors(self.point.v, self.proved.distances)[at])

    def interval(self, j: int) -> tuple[End, End]:
        """The profile-likelihood interval."""
        fate = self.design.fates[j]
        low, high = fate in ("finite", "+inf"), fate in ("finite", "-inf")  # ends that are finite
        lower, upper = End.at_infinity(-1.0), End.at_infinity(1.0)
        if not low and not high:
            return lower, upper
        try:
            problem, start = self._profiled(j)
            return self._end(problem, j, start, -1.0) if low else lower, self._end(
                problem, j, start, 1.0
            ) if high else upper
        except _HIDDEN:
            return End.nowhere() if low else lower, End.nowhere() if high else upper

    def _profiled(self, j: int) -> tuple[Problem, Floats]:
        """The likelihood with coefficient j as a coordinate, and where to begin."""
        if self.design.fates[j] == "finite":
            problem = self.design.problem(self.plane, j)
            return problem, minimise(problem.likelihood, np.zeros(problem.likelihood.d)).v
        others = np.array([k for k in range(self.design.d) if k != j], dtype=np.int64)
        problem = self.design.problem(self.design.on_plane(j), j, others)
        return problem, np.zeros(problem.likelihood.d)

    def _end(self, problem: Problem, j: int, start: Floats, sign: float) -> End:
        place = problem.place(j)
        found = end(problem.likelihood, place, start, Minimum.at(self.point), self.point.loss, self.half, sign)
        return found.scaled(float(problem.coordinates.scale[place]))


class _Penalised:
    """Firth's penalised likelihood, on all rows and in columns that are independent."""

    def __init__(self, design: Design, half: float) -> None:
        self.design, self.half = design, half

    @cached_property
    def fitted(self) -> tuple[Problem, Point]:
        """The maximum, from zero; from elsewhere, if the profile at zero of a coefficient turns out to be higher."""
        problem, point = self._fit(None)
        for j in range(len(point.v)):
            other = held(point, j, 0.0)
            if other.loss < point.loss - _LOWER:
                found = minimise(problem.likelihood, other.v)
                point = found if found.loss < point.loss else point
        return problem, point

    @cached_property
    def distances(self) -> Floats | None:
        """How near a root of the score is."""
        return root(self.fitted[1])

    def _fit(self, coefficient: int | None) -> tuple[Problem, Point]:
        everything = np.arange(len(self.design.y))
        found = self.design.problem(everything, coefficient)
        problem = Problem(found.likelihood.with_penalty(), found.coordinates, found.columns)
        return problem, minimise(problem.likelihood, np.zeros(problem.likelihood.d))

    def estimate(self, j: int) -> Penalised | None:
        """Estimate, interval and p-value; None where the coefficient is not identified."""
        if self.design.fates[j] == "not identified":
            return None
        try:
            value, off = self._value(j)
        except _HIDDEN:
            return Penalised(nan, None, nan, nan, nan)
        try:
            return Penalised(value, off, *self._interval(j))
        except _HIDDEN:
            return Penalised(value, off, nan, nan, nan)

    def _value(self, j: int) -> tuple[float, float | None]:
        problem, point = self.fitted
        at, coordinates = problem.place(j), problem.coordinates
        off = None if self.distances is None else float(coordinates.errors(point.v, self.distances)[at])
        return float(coordinates.weights(point.v)[at]), off

    def _interval(self, j: int) -> tuple[float, float, float]:
        """Both ends, and the p-value of the penalised likelihood-ratio test of 0."""
        problem, point = self.fitted
        if problem.coordinates.centre.any() and j == self.design.d - 1:
            problem, point = self._fit(j)
        place = problem.place(j)
        scale = float(problem.coordinates.scale[place])
        lower, upper = (
            end(problem.likelihood, place, point.v, Minimum.at(point), point.loss, self.half, sign).value * scale
            for sign in (-1.0, 1.0)
        )
        statistic = 2.0 * (held(point, place, 0.0).loss - point.loss)
        return lower, upper, float(chi2.sf(max(statistic, 0.0), 1))
