"""Maximum-likelihood estimates and profile intervals; where there is no maximum, those of the limiting model."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite, nan

import numpy as np

from rosenblatt.estimates.design import Estimable, Problem, Undecided
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.optimum import HIDDEN, Ball, ball, minimise, others
from rosenblatt.estimates.profile import End, Minimum, ends
from rosenblatt.estimates.threads import once

__all__ = ["MaximumLikelihood", "unknown_interval"]


def _finite_ends(fate: str) -> tuple[bool, bool]:
    """Whether the lower and the upper end of an interval are finite."""
    return fate in ("finite", "+inf"), fate in ("finite", "-inf")


def unknown_interval(fate: str) -> tuple[End, End]:
    """What is known of an interval without its numbers: which ends are infinite."""
    low, high = _finite_ends(fate)
    return End.nowhere() if low else End.at_infinity(-1.0), End.nowhere() if high else End.at_infinity(1.0)


class MaximumLikelihood:
    """The maximum of the likelihood, or of the limiting model's; `half` is half the χ² quantile of the intervals.

    `names` are those of the coefficients, for a refusal.
    """

    def __init__(self, design: Estimable, half: float, names: Sequence[str] | None = None) -> None:
        self.design, self.half = design, half
        self.plane = design.on_plane()
        self.problem = design.problem(self.plane)
        self._refuse_hidden_columns(names or [f"x{j}" for j in range(design.d)])

    def _refuse_hidden_columns(self, names: Sequence[str]) -> None:
        """Refuse columns that floats take for combinations of others, although exactly they are none."""
        kept = set(self.problem.columns.tolist())
        hidden = [names[j] for j, fate in enumerate(self.design.fates) if fate == "finite" and j not in kept]
        if hidden:
            what = f"{', '.join(hidden)} can be computed from other columns but for rounding"
            raise Undecided(f"the estimate exists, but floats cannot find it: {what}; drop what was calculated.")

    @once
    def point(self) -> AnyPoint:
        """The point where the likelihood has its maximum."""
        return minimise(self.problem.likelihood, np.zeros(self.problem.likelihood.d))

    @once
    def proved(self) -> Ball | None:
        """A ball around `point` that is proved to hold the maximum; None where there is no proof."""
        return ball(self.point)

    @once
    def best(self) -> Minimum:
        """The loss at the maximum, between bounds."""
        return Minimum.at(self.point)

    def estimate(self, j: int) -> tuple[float, float | None]:
        """The estimate (±inf where it runs away, NaN where there is none), and a bound on its error, if proved."""
        fate = self.design.fates[j]
        if fate != "finite":
            return {"+inf": inf, "-inf": -inf}.get(fate, nan), None
        try:
            return self.problem.weight(j, self.point.v, self.proved and self.proved.distances)
        except HIDDEN:
            return nan, None

    def interval(self, j: int) -> tuple[End, End]:
        """The profile-likelihood interval."""
        fate = self.design.fates[j]
        low, high = _finite_ends(fate)
        if not low and not high:
            return End.at_infinity(-1.0), End.at_infinity(1.0)
        try:
            problem, start = self.profiled(j)
            place = problem.place(j)
            lower, upper = ends(start, place, self.best, self.point.loss, self.half, low, high)
            return self._scaled(lower, problem, place), self._scaled(upper, problem, place)
        except HIDDEN:
            return unknown_interval(fate)

    def profiled(self, j: int) -> tuple[Problem, AnyPoint]:
        """The likelihood with coefficient j as a coordinate, and where to begin."""
        if self.design.fates[j] != "finite":
            problem = self.design.problem(self.design.on_plane([j]), j, others(self.design.d, j))
            return problem, problem.likelihood.at(np.zeros(problem.likelihood.d))
        if self.problem.holds(j):
            return self.problem, self.point
        problem = self.design.problem(self.plane, j)
        return problem, minimise(problem.likelihood, np.zeros(problem.likelihood.d))

    def _scaled(self, found: End, problem: Problem, place: int) -> End:
        """The end in the caller's units; rounded rows prove nothing."""
        found = found.scaled(float(problem.coordinates.scale[place]))
        return replace(found, proved=False) if problem.rounded and isfinite(found.value) else found
