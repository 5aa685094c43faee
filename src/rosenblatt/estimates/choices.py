"""The loss of choices: sets, in each of which one alternative was chosen, as in multinomial and Cox regression.

The loss of a set with alternatives a is c·log Σ ω_a·e^(r_a·v), where r_a is the row of a minus the row of the chosen
alternative (so r = 0 for the chosen one). Let p_a be the share of a, and u_a = r_a minus the mean of its set. The
information is Σ c·p·u uᵀ, and its derivative is Σ c·p·u⊗u⊗u, because the third cumulant of a set is its third central
moment. Jeffreys' penalty needs nothing else.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.threads import once

__all__ = ["ChoicePoint", "Choices"]


@dataclass(frozen=True)
class Choices(Loss):
    """The alternatives that were not chosen, sorted by their set; each set has at least one.

    `Z` has their rows r, `offset` log ω of each plus the caller's offset, `weights` c of each set.
    """

    set_of: Places  # the set of each alternative, numbered from 0 without gaps
    own: Floats  # the `offset` of each set's chosen alternative

    @once
    def starts(self) -> Places:
        """The first alternative of each set."""
        return np.flatnonzero(np.diff(self.set_of, prepend=-1))

    def total(self, values: Floats) -> Floats:
        """Sums over the alternatives of each set."""
        return np.add.reduceat(values, self.starts, axis=0) if len(values) else np.zeros((0, *values.shape[1:]))

    def at(self, v: Floats) -> "ChoicePoint":
        """Everything there is to know at these weights."""
        self._look()
        s = self.Z @ v + self.offset
        top = np.maximum(np.maximum.reduceat(s, self.starts), self.own) if s.size else self.own
        with np.errstate(under="ignore"):
            e, own = np.exp(s - top[self.set_of]), np.exp(self.own - top)
        size = self.total(e) + own
        return ChoicePoint(self, v, top + np.log(size), e / size[self.set_of], own / size)


@dataclass(frozen=True)
class ChoicePoint(AnyPoint):
    """The loss at the weights v: the logarithm of each set, the shares of alternatives and of the chosen ones."""

    of: Choices
    v: Floats
    logs: Floats
    shares: Floats
    chosen: Floats

    @once
    def likelihood_loss(self) -> float:
        """The negative log-likelihood."""
        return float(self.of.weights @ self.logs)

    @property
    def loss_error(self) -> float:
        """About how far rounding may have moved the loss."""
        return float(self.of.weights @ (1.0 + np.abs(self.logs))) * (self.of.d + 16) * 2.0**-53

    @once
    def _means(self) -> Floats:
        return self.of.total(self.shares[:, None] * self.of.Z)

    @property
    def scores(self) -> Floats:
        """c·mean of each set."""
        return np.asarray(self.of.weights[:, None] * self._means)

    @once
    def _centred(self) -> Floats:
        """u of all alternatives, then of the chosen ones."""
        return np.vstack([self.of.Z - self._means[self.of.set_of], -self._means])

    @once
    def _masses(self) -> Floats:
        """c·p of all alternatives, then of the chosen ones."""
        return np.concatenate([self.of.weights[self.of.set_of] * self.shares, self.of.weights * self.chosen])

    @once
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss: Σ c·p·u uᵀ."""
        return np.asarray(self._centred.T @ (self._centred * self._masses[:, None]))

    def part(self, units: Places) -> tuple[Floats, Floats]:
        """The same sums over some sets."""
        chosen = np.zeros(len(self.of.weights), dtype=bool)
        chosen[units] = True
        places = np.concatenate([chosen[self.of.set_of], chosen])
        u = self._centred[places]
        return np.asarray(u.T @ (u * self._masses[places, None])), np.asarray(self.scores[units].sum(axis=0))

    @once
    def gradient(self) -> Floats:
        """Σ c·mean, less what the penalty adds: ½·Σ c·p·(u·I⁻¹·u)·u."""
        gradient = self.of.weights @ self._means
        if self.of.penalised:
            gradient = gradient - 0.5 * (self._masses * self.spread_of(self._centred)) @ self._centred
        return np.asarray(gradient)
