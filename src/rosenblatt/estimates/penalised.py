"""Firth's estimates, with penalised profile intervals and likelihood-ratio tests."""

from dataclasses import replace
from math import nan

import numpy as np
from scipy.stats import chi2

from rosenblatt.estimates.arrays import Floats
from rosenblatt.estimates.crossing import ProfileLook, close_enough
from rosenblatt.estimates.design import Estimable, Problem
from rosenblatt.estimates.firth import root
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.optimum import HIDDEN, minimise
from rosenblatt.estimates.profile import Minimum, ends, held, lowest
from rosenblatt.estimates.table import Penalised
from rosenblatt.estimates.threads import each, once

__all__ = ["PenalisedLikelihood"]

_LOWER = 1e-7  # how much lower a penalised loss must be for rounding not to explain it


class PenalisedLikelihood:
    """Firth's penalised likelihood, on all rows and in columns that are independent."""

    def __init__(self, design: Estimable, half: float) -> None:
        self.design, self.half = design, half

    @once
    def fitted(self) -> tuple[Problem, AnyPoint, list[float]]:
        """The maximum, and the least loss with each weight held at 0.

        Where one of these turns out to be lower than the loss at the maximum, the search goes on from there.
        """
        problem, point = self._fit(None)
        while True:
            held = list(each(lambda j: _at_zero(point, j), range(len(point.v)), point.of.size))  # noqa: B023
            lowest = min(held, key=lambda one: one[0])
            found = minimise(problem.likelihood, lowest[1]) if lowest[0] < point.loss - _LOWER else point
            if found.loss >= point.loss:
                return problem, point, [loss for loss, _ in held]
            point = found

    @once
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
        value, off = nan, None
        try:
            problem, point, _ = self.fitted
            value, off = problem.weight(j, point.v, self.distances)
            return Penalised(value, off, *self._interval(j))
        except HIDDEN:
            return Penalised(value, off, nan, nan, nan)

    def _interval(self, j: int) -> tuple[float, float, float]:
        """Both ends, and the p-value of the penalised likelihood-ratio test of 0."""
        problem, point, at_zero = self.fitted
        if problem.holds(j):
            place = problem.place(j)
            loss = at_zero[place]
        else:
            problem, point = self._fit(j)
            place = problem.place(j)
            loss, _ = _at_zero(point, place)
        scale, nothing = float(problem.coordinates.scale[place]), Minimum.at(point)
        lower, upper = ends(point, place, nothing, point.loss, self.half)
        return lower.value * scale, upper.value * scale, float(chi2.sf(max(2.0 * (loss - point.loss), 0.0), 1))


def _at_zero(point: AnyPoint, j: int) -> tuple[float, Floats]:
    """The least loss with weight j held at 0, and where it is."""
    found = lowest(held(point, j, 0.0, close_enough(point.of)[1]), j)
    return ProfileLook(found, j).loss, found.v
