"""Firth's estimates (Jeffreys' prior): roots of the penalised score, with profile intervals and likelihood-ratio tests.

The penalised likelihood is not known to be concave. So it is proved that a root of the score is near the estimate
(Newton and Kantorovich), but not that no other weights are more likely: the search goes uphill from zero.

The proof uses the norm of the information H at the root found in floats. Let κ² be the largest z·H⁻¹·z, and r the
radius of a ball around that root. In the ball no response changes by more than κr, and with d weights the third
derivatives of the penalised likelihood are at most L = e^(κr)·κ + 3·d·κ³·e^(1.5·κr). If η + ½·β·L·r² ≤ r, with β the
norm of the inverse curvature and η the length of the first step, a simplified Newton step from anywhere in the ball
stays in the ball, so a root is there.
"""

from dataclasses import replace
from math import exp, nan, sqrt

import numpy as np
from scipy.linalg import cho_factor, eigh, solve_triangular
from scipy.special import chdtrc

from rosenblatt.arrays import Floats
from rosenblatt.estimates.design import Estimable, Problem
from rosenblatt.estimates.likelihood import AnyPoint, LossPoint
from rosenblatt.estimates.optimum import HIDDEN, minimise, widest
from rosenblatt.estimates.profile import Minimum, ends, least, minima
from rosenblatt.estimates.results.table import Penalised
from rosenblatt.minimise import UP, ProvedInverse
from rosenblatt.threads import each, once

__all__ = ["PenalisedLikelihood"]

_LARGEST = 1 << 33  # n·d³ up to which the penalty's own curvature is worth its time: seconds, once for a table
_LOWER = 1e-7  # how much lower a penalised loss must be for rounding not to explain it


class PenalisedLikelihood:
    """Firth's penalised likelihood of all rows, in independent columns; `half` is half the χ² quantile."""

    def __init__(self, design: Estimable, half: float) -> None:
        self.design, self.half = design, half
        self.maxima: tuple[float, ...] = ()  # logarithms of the penalised likelihood, where it was maximised

    @once
    def fitted(self) -> tuple[Problem, AnyPoint, list[float]]:
        """The maximum, and the least loss with each weight held at 0.

        Where one of these losses turns out to be lower than that at the maximum, the search goes on from there.
        """
        problem, point = self._fit(None)
        found = minima(point)
        point = found[0] if found[0] is point else minimise(problem.likelihood, found[0].v)
        while True:
            at_zero = list(each(lambda j: least(point, j, 0.0), range(len(point.v)), point.of.size))  # noqa: B023
            lowest, where = min(at_zero, key=lambda found: found[0])
            better = minimise(problem.likelihood, where) if lowest < point.loss - _LOWER else point
            if better.loss >= point.loss:
                losses = [point.loss, *(one.loss for one in found if one.loss > point.loss + _LOWER)]
                # the information is in the table's units, too
                scale = float(np.linalg.slogdet(problem.coordinates.outward)[1])
                self.maxima = tuple(-loss - scale for loss in losses)
                return problem, point, [loss for loss, _ in at_zero]
            found, point = [better, *found], better

    @once
    def distances(self) -> Floats | None:
        """Bounds on the distance of a root of the score, in each weight; None where there is no proof."""
        return _root(self.fitted[1])

    def _fit(self, coefficient: int | None) -> tuple[Problem, AnyPoint]:
        found = self.design.whole if coefficient is None else self.design.problem(self.design.everything, coefficient)
        problem = replace(found, likelihood=found.likelihood.with_penalty())
        return problem, minimise(problem.likelihood, problem.likelihood.start)

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
        known = problem.holds(j)
        if not known:
            problem, point = self._fit(j)
        place = problem.place(j)
        loss = at_zero[place] if known else least(point, place, 0.0)[0]
        scale, nothing = float(problem.coordinates.scale[place]), Minimum.at(point)
        lower, upper = ends(point, place, nothing, point.loss, self.half)
        return lower.value * scale, upper.value * scale, float(chdtrc(1, max(2.0 * (loss - point.loss), 0.0)))


def _root(point: AnyPoint) -> Floats | None:
    """Bounds on the distance of a root of the penalised score from this point, in each weight; None without a proof."""
    if not isinstance(point, LossPoint) or not point.bounded:
        return None
    rounding = point.of.rounding + point.relative + (point.of.d + 16) * 2.0**-53
    inverse = ProvedInverse.of(point.information, rounding)
    if inverse is None:
        return None
    kappa = sqrt(widest(inverse, point.of.Z)) * UP
    d = point.of.d
    off = 8.0 * (rounding + inverse.doubt / inverse.least)  # bounds the relative error of anything made with H⁻¹
    (pull,), _ = inverse.forms(point.gradient[:, None], np.full(d, point.gradient_error + 0.5 * d * off))
    length = sqrt(float(pull)) * UP  # ‖H⁻¹ times the gradient‖ in the norm of H
    if len(point.of.Z) * d**3 <= _LARGEST:
        beta = _norm_of_inverse(point, off * (1.0 + d * kappa * kappa) * d)
        if beta is None:
            return None
        radius = 2.0 * beta * length * UP
        lipschitz = exp(kappa * radius) * kappa + 3.0 * d * kappa**3 * exp(1.5 * kappa * radius)
        holds = beta * length + 0.5 * beta * lipschitz * radius**2 * UP <= radius
    else:  # H stands in for the curvature, from which it differs by at most d·κ²·H
        radius = 2.0 * length * UP
        grown = exp(kappa * radius)
        holds = length + radius * (d * kappa * kappa * grown + grown - 1.0) * UP <= radius
    if not holds:
        return None
    return np.sqrt(inverse.forms(np.eye(d))[0]) * radius * UP


def _norm_of_inverse(point: LossPoint, off: float) -> float | None:
    """A bound on the inverse of the penalised curvature, in the norm of H."""
    C = np.tril(cho_factor(point.information, lower=True)[0])
    part = solve_triangular(C, point.penalty_curvature, lower=True)
    part = solve_triangular(C, part.T, lower=True)
    least = 1.0 - float(eigh((part + part.T) / 2, eigvals_only=True)[-1]) - off
    return None if least <= 0 else 1.0 / least * UP
