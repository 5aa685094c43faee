"""Firth's estimates, with penalised profile intervals and likelihood-ratio tests."""

from dataclasses import replace
from functools import cached_property
from math import nan

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from rosenblatt.estimates.design import Estimable, Problem
from rosenblatt.estimates.firth import root
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.optimum import HIDDEN, minimise
from rosenblatt.estimates.profile import Minimum, end, held, lowest
from rosenblatt.estimates.table import Penalised

__all__ = ["PenalisedLikelihood"]

Floats = npt.NDArray[np.float64]

_LOWER = 1e-7  # how much lower a penalised loss must be for rounding not to explain it


class PenalisedLikelihood:
    """Firth's penalised likelihood, on all rows and in columns that are independent."""

    def __init__(self, design: Estimable, half: float) -> None:
        self.design, self.half = design, half

    @cached_property
    def fitted(self) -> tuple[Problem, AnyPoint]:
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

    def _fit(self, coefficient: int | None) -> tuple[Problem, AnyPoint]:
        found = self.design.problem(self.design.everything, coefficient)
        problem = replace(found, likelihood=found.likelihood.with_penalty())
        return problem, minimise(problem.likelihood, np.zeros(problem.likelihood.d))

    def estimate(self, j: int) -> Penalised | None:
        """Estimate, interval and p-value; None where the coefficient is not identified."""
        if self.design.fates[j] == "not identified":
            return None
        try:
            value, off = self._value(j)
        except HIDDEN:
            return Penalised(nan, None, nan, nan, nan)
        try:
            return Penalised(value, off, *self._interval(j))
        except HIDDEN:
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
        statistic = 2.0 * (lowest(held(point, place, 0.0), place).loss - point.loss)
        return lower, upper, float(chi2.sf(max(statistic, 0.0), 1))
