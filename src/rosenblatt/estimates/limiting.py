"""The finite part of a fit in numbers: covariances and log-likelihoods of the limiting model.

The limiting model rests on the rows that no direction of recession decides; all others fit perfectly in the limit and
add 0 to the log-likelihood. So the supremum of the likelihood is the limiting model's maximum.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import gammaln

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.estimates.design import CountDesign, Estimable
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.maximum import MaximumLikelihood
from rosenblatt.estimates.optimum import HIDDEN, minimise
from rosenblatt.estimates.threads import once
from rosenblatt.threads import one_thread

__all__ = ["LimitingFit"]


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
