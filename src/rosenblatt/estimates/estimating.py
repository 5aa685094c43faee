"""`estimate`: every coefficient's fate, its maximum-likelihood estimate, Firth's, and an interval for each."""

import time
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from rosenblatt.data.rows import as_rows, column_names
from rosenblatt.estimates.design import Design, Problem
from rosenblatt.estimates.firth import root
from rosenblatt.estimates.optimum import Ball, ball, minimise
from rosenblatt.estimates.profile import End, Minimum, end, held
from rosenblatt.estimates.table import Estimate, Estimates, Penalised
from rosenblatt.verdicts.threads import one_thread

__all__ = ["estimate"]

Floats = npt.NDArray[np.float64]

_MODELS = ("logistic", "binomial", "poisson")


def estimate(
    X: Any,
    y: Any,
    model: str = "logistic",
    *,
    trials: Any = None,
    offset: Any = None,
    exposure: Any = None,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    level: float = 0.95,
    firth: bool = True,
    time_limit: float | None = None,
) -> Estimates:
    """One honest table: of each coefficient what is proved, and the numbers that go with it.

    Parameters
    ----------
    X, y : rows of numbers, and two classes ("logistic"), successes ("binomial", of `trials`) or counts ("poisson")
    offset, exposure : array, optional
        Added to the responses; an exposure is the exponential of an offset.
    sample_weight : array, optional
        How often each row counts; 0: it is absent.
    level : float
        Of the intervals.
    firth : bool
        Also Firth's estimates, with penalised profile intervals and p-values.
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
    design, names = _design(X, y, model, trials, offset, exposure, sample_weight, fit_intercept, time_limit)
    half = float(chi2.ppf(level, 1)) / 2
    with one_thread():  # the matrices are small: threads would wait for each other
        rows = _rows(design, names, half, firth)
    return Estimates(rows, model, level, design.verdict, time.monotonic() - began)


def _rows(design: Design, names: list[str], half: float, firth: bool) -> list[Estimate]:
    likelihood = _Likely(design, half)
    penalised = _Penalised(design, half) if firth else None
    return [
        Estimate(
            name,
            design.fates[j],
            *likelihood.estimate(j),
            *likelihood.interval(j),
            None if penalised is None else penalised.estimate(j),
        )
        for j, name in enumerate(names)
    ]


class _Likely:
    """Maximum likelihood, by the limiting model where there is no maximum."""

    def __init__(self, design: Design, half: float) -> None:
        self.design, self.half = design, half
        self.plane = design.on_plane()
        self.problem = design.problem(self.plane)
        self.point = minimise(self.problem.likelihood, np.zeros(self.problem.likelihood.d))
        self.proved: Ball | None = ball(self.point)

    def estimate(self, j: int) -> tuple[float, float | None]:
        """The estimate, ±inf where it runs away, NaN where there is none; and how far it may be off, if proved."""
        fate = self.design.fates[j]
        if fate != "finite":
            return {"+inf": inf, "-inf": -inf}.get(fate, float("nan")), None
        at, w = self.problem.place(j), self.problem.coordinates.weights(self.point.v)
        if self.proved is None:
            return float(w[at]), None
        return float(w[at]), float(self.problem.coordinates.errors(self.point.v, self.proved.distances)[at])

    def interval(self, j: int) -> tuple[End, End]:
        """The profile-likelihood interval."""
        fate = self.design.fates[j]
        if fate in ("undetermined", "not identified"):
            return End.at_infinity(-1.0), End.at_infinity(1.0)
        if fate == "finite":
            problem = self.design.problem(self.plane, j)
            start = minimise(problem.likelihood, np.zeros(problem.likelihood.d)).v
            return self._end(problem, j, start, -1.0), self._end(problem, j, start, 1.0)
        others = np.array([k for k in range(self.design.d) if k != j], dtype=np.int64)
        problem = self.design.problem(self.design.on_plane(j), j, others)
        start = np.zeros(problem.likelihood.d)
        if fate == "+inf":
            return self._end(problem, j, start, -1.0), End.at_infinity(1.0)
        return End.at_infinity(-1.0), self._end(problem, j, start, 1.0)

    def _end(self, problem: Problem, j: int, start: Floats, sign: float) -> End:
        place = problem.place(j)
        found = end(problem.likelihood, place, start, Minimum.at(self.point), self.point.loss, self.half, sign)
        return found.scaled(float(problem.coordinates.scale[place]))


class _Penalised:
    """Firth's penalised likelihood, on all rows and in columns that are independent."""

    def __init__(self, design: Design, half: float) -> None:
        self.design, self.half = design, half
        self.problem, self.point = self._fit(None)
        self.distances = root(self.point)

    def _fit(self, coefficient: int | None) -> tuple[Problem, Any]:
        everything = np.arange(len(self.design.y))
        found = self.design.problem(everything, coefficient)
        problem = Problem(found.likelihood.with_penalty(), found.coordinates, found.columns)
        return problem, minimise(problem.likelihood, np.zeros(problem.likelihood.d))

    def estimate(self, j: int) -> Penalised | None:
        """Estimate, interval and p-value; None where the coefficient is not identified."""
        if self.design.fates[j] == "not identified":
            return None
        at, coordinates = self.problem.place(j), self.problem.coordinates
        w = float(coordinates.weights(self.point.v)[at])
        off = None if self.distances is None else float(coordinates.errors(self.point.v, self.distances)[at])
        problem, point = (self.problem, self.point)
        if coordinates.centre.any() and j == self.design.d - 1:
            problem, point = self._fit(j)
        place = problem.place(j)
        scale = float(problem.coordinates.scale[place])
        ends = [
            end(problem.likelihood, place, point.v, Minimum.at(point), point.loss, self.half, sign).scaled(scale)
            for sign in (-1.0, 1.0)
        ]
        statistic = 2.0 * (held(point, place, 0.0).loss - point.loss)
        return Penalised(w, off, ends[0].value, ends[1].value, float(chi2.sf(max(statistic, 0.0), 1)))


def _design(
    X: Any, y: Any, model: str, trials: Any, offset: Any, exposure: Any, sample_weight: Any, bias: bool, limit: Any
) -> tuple[Design, list[str]]:
    """The arguments as arrays, checked; and the coefficients' names."""
    if model not in _MODELS:
        raise ValueError(f"model must be one of {', '.join(_MODELS)}; it is {model!r}.")
    names = column_names(X)
    rows = as_rows(np.asarray(X) if names is not None or isinstance(X, list) else X)
    X = rows.take(slice(0, rows.n))
    n = len(X)
    if not np.isfinite(X).all():
        raise ValueError("X has a value that is not a finite number.")
    counts, trials = _counts(y, model, trials, n)
    weights = _column(sample_weight, n, "sample_weight", 1.0)
    if not (weights >= 0).all() or not weights.any():
        raise ValueError("sample_weight must not be negative, and not all zero.")
    offset = _column(offset, n, "offset", 0.0)
    if exposure is not None:
        exposure = _column(exposure, n, "exposure", 1.0)
        if not (exposure > 0).all():
            raise ValueError("exposure must be positive in every row: leave out rows of exposure 0.")
        offset = offset + np.log(exposure)
    kept = weights > 0
    labels = [*(names or [f"x{j}" for j in range(X.shape[1])]), *["(1)"] * bias]
    return Design(X[kept], counts[kept], trials[kept], weights[kept], offset[kept], model, bias, limit), labels


def _counts(y: Any, model: str, trials: Any, n: int) -> tuple[Floats, Floats]:
    """y and trials as numbers."""
    if model == "logistic":
        from rosenblatt.data.labels import two_class_signs

        return (two_class_signs(y, n) > 0).astype(np.float64), np.ones(n)
    counts = _column(y, n, "y", 0.0)
    if not (counts >= 0).all():
        raise ValueError(f"y must not be negative: row {int(np.argmin(counts))} has {counts.min():g}.")
    if model == "poisson":
        return counts, np.full(n, inf)
    if trials is None:
        raise ValueError("trials is missing: a binomial model needs how many trials each row had.")
    trials = _column(trials, n, "trials", 1.0)
    if not (counts <= trials).all() or not (trials > 0).all():
        bad = int(np.argmax((counts > trials) | (trials <= 0)))
        raise ValueError(f"row {bad} has {counts[bad]:g} successes of {trials[bad]:g} trials.")
    return counts, trials


def _column(values: Any, n: int, name: str, default: float) -> Floats:
    if values is None:
        return np.full(n, default)
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (n,) or not np.isfinite(column).all():
        raise ValueError(f"{name} must be {n} finite numbers.")
    return column
