"""Maximum-likelihood estimates, profile intervals, covariances; where there is no maximum, those of the limiting model.

The limiting model rests on the rows that no direction of recession decides; all others fit perfectly in the limit and
add 0 to the log-likelihood. So the supremum of the likelihood is the limiting model's maximum.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isfinite, nan

import numpy as np
from scipy.special import gammaln

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.estimates.design import CountDesign, Estimable, Problem, Undecided
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.optimum import HIDDEN, Ball, ball, minimise, others
from rosenblatt.estimates.profile import End, Minimum, ends
from rosenblatt.threads import once, one_thread

__all__ = ["LimitingFit", "MaximumLikelihood", "unknown_interval"]


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


class LimitingFit:
    """What inference needs of a fit; each number is computed when it is first read."""

    def __init__(self, fit: MaximumLikelihood) -> None:
        self._fit = fit

    @property
    def design(self) -> Estimable:
        """The rows, the regression, and what is proved of them."""
        return self._fit.design

    @property
    def names(self) -> list[str]:
        """What the coefficients are called."""
        return self.design.names

    @property
    def rows(self) -> Places:
        """The rows of the limiting model, as the caller counts them."""
        rows = self.design.rows_of(self._fit.plane)
        return rows if (places := self.design.given.places) is None else places[rows]

    @property
    def columns(self) -> Places:
        """Coefficients of independent columns that say all that the limiting model says; the finite ones among them."""
        return self._fit.problem.columns

    @property
    def finite(self) -> Flags:
        """Which coefficients have a finite estimate."""
        return np.array([fate == "finite" for fate in self.design.fates], dtype=bool)

    @once
    def params(self) -> Floats:
        """Every coefficient's estimate: ±inf where it runs away, NaN where it has none."""
        return np.array([self._fit.estimate(j)[0] for j in range(self.design.d)])

    @once
    def covariance(self) -> Floats:
        """The inverse of the limiting model's information, by coefficient; NaN where one of two is not finite."""
        found = np.full((self.design.d, self.design.d), np.nan)
        try:
            T = self._fit.problem.coordinates.outward
            inverse = T @ self._fit.point.solve(np.ascontiguousarray(T.T))
        except HIDDEN:
            return found
        found[np.ix_(self.columns, self.columns)] = (inverse + inverse.T) / 2
        found[~self.finite] = found[:, ~self.finite] = np.nan
        return found

    @once
    def llf(self) -> float:
        """The log-likelihood's supremum, with its constants; NaN where rounding hides it."""
        return self._log_likelihood(lambda: self._fit.point)

    @once
    def llnull(self) -> float:
        """The same of the model without X's columns."""
        constants = set(self.design.constants.tolist())
        return self.llf_without([j for j in range(self.design.d) if j not in constants])

    def llf_without(self, columns: Sequence[int]) -> float:
        """The log-likelihood's supremum where these coefficients are 0; NaN where rounding hides it."""
        left = np.setdiff1d(np.arange(self.design.d), np.asarray(columns, dtype=np.int64))
        problem = self.design.problem(self.design.on_plane(columns), None, left)
        return self._log_likelihood(lambda: minimise(problem.likelihood, np.zeros(problem.likelihood.d)))

    def _log_likelihood(self, point: Callable[[], AnyPoint]) -> float:
        try:
            with one_thread():
                return self._constant - point().likelihood_loss
        except HIDDEN:
            return float("nan")

    @once
    def _constant(self) -> float:
        """What the log-likelihood has beside the loss: Poisson's −log y!, the number of ways of a binomial's."""
        if not isinstance(self.design, CountDesign):
            return 0.0
        y, m, c = self.design.terms.y, self.design.terms.trials, self.design.terms.weights
        ways = -gammaln(y + 1.0)
        counted = np.isfinite(m)
        ways[counted] += gammaln(m[counted] + 1.0) - gammaln(m[counted] - y[counted] + 1.0)
        return float(c @ ways)
