"""The loss of sets of which several rows are cases, given how many (conditional logistic regression).

The loss of a set with responses s and m cases is log Σ e^(sum of s over A) over all A of m rows, less the sum of s over
the cases. Row by row, of all A with k of the rows so far: the logarithm of their sum, the mean and the covariance of
their sums of x (Gail, Lubin and Rubinstein 1981); a further row mixes those that have it with those that have it not.
Jeffreys' penalty needs third central moments M, contracted with A = I⁻¹: Σ A_ab·M_abc. Where most rows are cases, the
others are counted, with −x.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.threads import once

__all__ = ["SubsetLoss", "SubsetPoint"]


class _Sets(NamedTuple):
    """Sets of about the same size: their numbers, rows (−1 beyond the last), how many are counted, and x's sign."""

    which: Places
    rows: Places
    many: Places
    sign: Floats


@dataclass(frozen=True)
class SubsetLoss(Loss):
    """Each set has at least one case and one other row; weights are 1."""

    case: Flags
    set_of: Places  # the set of each row, numbered from 0 without gaps

    @once
    def groups(self) -> list[_Sets]:
        """The sets, those of about the same size together."""
        order = np.argsort(self.set_of, kind="stable")
        sizes = np.bincount(self.set_of)
        first, cases = np.cumsum(sizes) - sizes, np.bincount(self.set_of[self.case], minlength=len(sizes))
        found, magnitude = list[_Sets](), np.frexp(sizes)[1]
        for one in np.unique(magnitude):
            which = np.flatnonzero(magnitude == one)
            places = np.arange(sizes[which].max())
            rows = order[np.minimum(first[which, None] + places, len(order) - 1)]
            rows = np.where(places < sizes[which, None], rows, -1)
            few = cases[which] <= sizes[which] - cases[which]
            many = np.where(few, cases[which], sizes[which] - cases[which])
            found.append(_Sets(which, rows, many, np.where(few, 1.0, -1.0)))
        return found

    def at(self, v: Floats) -> "SubsetPoint":
        """Everything there is to know at these weights."""
        self._look()
        return SubsetPoint(self, v, self.Z @ v + self.offset)


@dataclass(frozen=True)
class SubsetPoint(AnyPoint):
    """The loss at the weights v, where rows have the responses s."""

    of: SubsetLoss
    v: Floats
    s: Floats

    def _counted(self, sets: _Sets, spread: bool, inverse: Floats | None) -> Iterator[Floats]:
        """Of each set: the logarithm of the sum, the mean, the covariance (`spread`), and the contracted moment."""
        n, d, most = len(sets.which), self.of.d, int(sets.many.max())
        logs = np.full((n, most + 1), -np.inf)
        logs[:, 0] = 0.0
        mean, third, C = np.zeros((n, most + 1, d)), np.zeros((n, most + 1, d)), np.zeros((n, most + 1, d, d))
        with np.errstate(under="ignore", invalid="ignore"):
            for row in sets.rows.T:
                here = row >= 0
                x, s = (sets.sign * here)[:, None] * self.of.Z[row], np.where(here, sets.sign * self.s[row], -np.inf)
                joined = s[:, None] + logs[:, :-1]
                total = np.logaddexp(logs[:, 1:], joined)
                w = np.where(np.isneginf(joined), 0.0, np.exp(joined - total))[:, :, None]
                step = mean[:, :-1] + x[:, None] - mean[:, 1:]
                both = w * (1.0 - w)
                if inverse is not None:
                    turned, apart = step @ inverse, C[:, :-1] - C[:, 1:]
                    length = (turned * step).sum(axis=2, keepdims=True)
                    own = apart.reshape(n, most, d * d) @ inverse.reshape(d * d, 1)
                    bent = (length * (1.0 - 2.0 * w) + own) * step + 2.0 * (apart @ turned[..., None])[..., 0]
                    third[:, 1:] += w * (third[:, :-1] - third[:, 1:]) + both * bent
                if spread:
                    product = both[..., None] * step[..., None] * step[:, :, None]
                    C[:, 1:] += w[..., None] * (C[:, :-1] - C[:, 1:]) + product
                mean[:, 1:] += w * step
                logs[:, 1:] = total
        each = np.arange(n), sets.many
        yield from (logs[each], mean[each], C[each], third[each])

    @once
    def _own(self) -> Floats:
        """Of each set, the sum of the responses of those that are counted."""
        sums = np.zeros(len(self.of.weights))
        for sets in self.of.groups:
            counted = self.of.case[sets.rows] == (sets.sign > 0)[:, None]
            sums[sets.which] = sets.sign * np.where(counted & (sets.rows >= 0), self.s[sets.rows], 0.0).sum(axis=1)
        return sums

    @once
    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Logarithms and means of all sets, and the sum of their covariances."""
        logs, means, total = np.zeros(len(self.of.weights)), np.zeros((len(self.of.weights), self.of.d)), 0.0
        for sets in self.of.groups:
            logs[sets.which], means[sets.which], C, _ = self._counted(sets, True, None)
            total = total + C.sum(axis=0)
        return logs, means, np.asarray(total)

    @once
    def likelihood_loss(self) -> float:
        """The negative log-likelihood."""
        return float((self._moments[0] - self._own).sum())

    @property
    def loss_error(self) -> float:
        """About how far rounding may have moved the loss."""
        return float((1.0 + np.abs(self._moments[0]) + np.abs(self._own)).sum()) * (self.of.d + 16) * 2.0**-53

    @property
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss: the covariances of the sets."""
        return self._moments[2]

    @once
    def _pulls(self) -> Floats:
        """Of each set, the mean of x over what is counted, less what was seen."""
        pulls = np.array(self._moments[1])
        for sets in self.of.groups:
            counted = (self.of.case[sets.rows] == (sets.sign > 0)[:, None]) & (sets.rows >= 0)
            seen = np.where(counted[:, :, None], self.of.Z[sets.rows], 0.0).sum(axis=1)
            pulls[sets.which] -= sets.sign[:, None] * seen
        return pulls

    @property
    def scores(self) -> Floats:
        """The gradient of each set, in the place of its first row: sets are what is independent."""
        found = np.zeros(self.of.Z.shape)
        found[np.unique(self.of.set_of, return_index=True)[1]] = self._pulls
        return found

    def part(self, units: Places) -> tuple[Floats, Floats]:
        """The sets whose first rows these are."""
        first = np.unique(self.of.set_of, return_index=True)[1]
        rows = np.flatnonzero(np.isin(self.of.set_of, np.flatnonzero(np.isin(first, units))))
        sets, of = np.unique(self.of.set_of[rows], return_inverse=True)
        found = SubsetLoss(
            self.of.Z[rows], np.ones(len(sets)), self.of.offset[rows], self.of.case[rows], of, context=self.of.context
        ).at(self.v)
        return found.information, found.gradient

    @once
    def gradient(self) -> Floats:
        """Means less what was seen, and what the penalty adds: −½·Σ A_ab·M_abc."""
        gradient = self._pulls.sum(axis=0)
        if self.of.penalised:
            inverse = self.solve(np.eye(self.of.d))
            third = (list(self._counted(sets, True, inverse))[3].sum(axis=0) for sets in self.of.groups)
            gradient = gradient - 0.5 * np.sum(list(third), axis=0)
        return np.asarray(gradient)
