"""The loss of a Cox regression: each event was chosen among all rows at risk at its time, by sums over risk sets.

A *time* is an instant at which a stratum has events. Let S be the sum of ω·e^(z·v) over the rows at risk there, D the
part of it that the events of that time are. Breslow's likelihood adds c·log S for each event, Efron's c·log(S − k/d·D)
for the k-th of d events (k from 0). So a look needs a few sums over each time's rows, however many events it has; and
where no row enters late, the rows at risk are those of the next time and some more, so that one pass makes all sums.

Let m be the mean of z in such a set, and M the mean of z zᵀ. The information is Σ c·(M − m mᵀ). Jeffreys' penalty has
the derivative ½·Σ c·E[(u·K·u)·u] with u = z − m and K the inverse of the information: the third central moment, which
is E[(z·K·z)·z] − 2·M·K·m − E[z·K·z]·m + 2·(m·K·m)·m.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.regressions import AtRisk, refuse_large
from rosenblatt.threads import once

__all__ = ["RiskLoss", "RiskSums"]

_FEW = 50  # times for each row up to which all pairs of a row and a time are kept
_SMALL = 1 << 16  # rows × sets up to which a dense matrix makes the sums
_LEAST = 1e-280  # a sum that is smaller than this part of its stratum's largest term has lost its digits


@dataclass(frozen=True)
class RiskSums:
    """Sums over the rows at risk at each time, the events of that time left out; and the same the other way round."""

    times: int
    last: Places  # of each row, the last time at which it is at risk; −1 where it never is
    starts: Places  # the first time of each stratum, and the number of times
    pairs: Any = None  # CSR, times × rows; None where no row enters late and there are many pairs

    @classmethod
    def of(cls, risk: AtRisk, strata: Places) -> "RiskSums":
        """The sums of these rows."""
        times = int(risk.at.max(initial=-1)) + 1
        spans = np.maximum(risk.last - risk.first + 1, 0)
        last = np.where(spans > 0, risk.last, -1)
        home = strata[risk.event[np.flatnonzero(np.diff(risk.at, prepend=-1))]]  # of each time
        starts = np.append(np.flatnonzero(np.diff(home, prepend=-1)), times)
        late = np.any(risk.first[last >= 0] != starts[np.searchsorted(starts, last[last >= 0], side="right") - 1])
        if not late and spans.sum() > _FEW * len(spans):
            return cls(times, last, starts)
        refuse_large(int(spans.sum()), 1)
        row = np.repeat(np.arange(len(spans)), spans)
        time = np.arange(row.size) - np.repeat(np.cumsum(spans) - spans, spans) + risk.first[row]
        return cls(times, last, starts, sp.csr_array((np.ones(row.size), (time, row)), shape=(times, len(spans))))

    def total(self, values: Floats) -> Floats:
        """Of each time, the sum over its rows."""
        if self.pairs is not None:
            return np.asarray(self.pairs @ values)
        found = np.zeros((self.times, *values.shape[1:]))
        np.add.at(found, self.last[self.last >= 0], values[self.last >= 0])
        for first, end in zip(self.starts, self.starts[1:], strict=False):
            found[first:end] = np.cumsum(found[first:end][::-1], axis=0)[::-1]
        return found

    def spread(self, values: Floats) -> Floats:
        """Of each row, the sum over its times."""
        if self.pairs is not None:
            return np.asarray(self.pairs.T @ values)
        sums = np.empty_like(values)
        for first, end in zip(self.starts, self.starts[1:], strict=False):
            sums[first:end] = np.cumsum(values[first:end], axis=0)
        found = sums[self.last]
        found[self.last < 0] = 0.0
        return found


@dataclass(frozen=True)
class RiskLoss(Loss):
    """`Z` has all rows, `weights` c of each set, `offset` of each row with log ω."""

    sums: RiskSums
    events: Any  # CSR, times × rows: the events of each time
    set_at: Places  # the time of each set
    part: Floats  # how much of the events of that time counts in it
    chosen: Floats  # Σ c·z over the events
    shift: float  # Σ c·offset over them
    stratum: Places  # of each row
    home: Places  # the stratum of each set
    plain: Floats  # the offset of each row without log ω

    @classmethod
    def of(
        cls, Z: Floats, risk: AtRisk, strata: Places, given: tuple[Floats, Floats], efron: bool, **more: Any
    ) -> "RiskLoss":
        """The loss of rows at risk; `given` are each row's offset and weight."""
        offset, weights = given
        event, at = risk.event, risk.at
        times = int(at.max(initial=-1)) + 1
        tied, c = np.bincount(at, minlength=times), weights[event]
        places, part = np.arange(times), np.ones(times)
        weight: Floats = np.bincount(at, c, times).astype(np.float64)
        if efron:  # the k-th of d events: 1 − k/d of them count, with their mean weight
            k = np.arange(at.size) - (np.cumsum(tied) - tied)[at]
            places, part, weight = at, 1.0 - k / tied[at], (weight / tied)[at]
        events = sp.csr_array((np.ones(at.size), (at, event)), shape=(times, len(Z)))
        chosen, shift = c @ Z[event], float(c @ offset[event])
        about = places, part, chosen, shift, strata, strata[event[np.searchsorted(at, places)]], offset
        return cls(Z, weight, offset + np.log(weights), RiskSums.of(risk, strata), events, *about, **more)

    @once
    def _whole(self) -> Floats | None:
        """How much each row counts in each set, sets × rows; None where that is a large matrix."""
        pairs = self.sums.pairs
        if pairs is None or self.set_at.size * len(self.Z) > _SMALL:
            return None
        return np.asarray(pairs.toarray()[self.set_at] + self.part[:, None] * self.events.toarray()[self.set_at])

    def total(self, values: Floats) -> Floats:
        """Of each set, the sum over its rows, each as much as it counts."""
        if self._whole is not None:
            return np.asarray(self._whole @ values)
        part = self.part.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(self.sums.total(values)[self.set_at] + part * (self.events @ values)[self.set_at])

    def spread(self, values: Floats) -> Floats:
        """Of each row, the sum over its sets, as much as it counts in each."""
        if self._whole is not None:
            return np.asarray(self._whole.T @ values)
        part = self.part.reshape(-1, *[1] * (values.ndim - 1))
        every, tied = np.zeros((2, self.sums.times, *values.shape[1:]))
        np.add.at(every, self.set_at, values)
        np.add.at(tied, self.set_at, part * values)
        return np.asarray(self.sums.spread(every) + self.events.T @ tied)

    def at(self, v: Floats) -> "RiskPoint":
        """Everything there is to know at these weights."""
        self._look()
        s = self.Z @ v + self.offset
        top = np.full(int(self.stratum.max(initial=-1)) + 1, -inf)
        np.maximum.at(top, self.stratum, s)
        with np.errstate(under="ignore"):
            e = np.exp(s - top[self.stratum])
            sizes = self.total(e)
        return RiskPoint(self, v, e, sizes, top[self.home])


@dataclass(frozen=True)
class RiskPoint(AnyPoint):
    """The loss at the weights v: e^(z·v) of each row, and each set's sum, in units of e^top of its stratum."""

    of: RiskLoss
    v: Floats
    e: Floats
    sizes: Floats
    top: Floats  # of each set

    @once
    def logs(self) -> Floats:
        """The logarithm of each set's sum."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.sizes) + self.top)

    @once
    def likelihood_loss(self) -> float:
        """The negative log-likelihood; inf where floats have lost a set's sum."""
        if self.sizes.size and not self.sizes.min() > _LEAST:
            return inf
        return float(self.of.weights @ self.logs) - float(self.of.chosen @ self.v) - float(self.of.shift)

    @property
    def loss_error(self) -> float:
        """About how far rounding may have moved the loss."""
        size = float(self.of.weights @ (1.0 + np.abs(self.logs))) + float(np.abs(self.of.chosen) @ np.abs(self.v))
        return size * (self.of.d + 16 + sqrt(len(self.e))) * 2.0**-53

    @once
    def _shares(self) -> Floats:
        """c divided by the sum, of each set."""
        return np.asarray(self.of.weights / self.sizes)

    @once
    def _means(self) -> Floats:
        return self.of.total(self.e[:, None] * self.of.Z) / self.sizes[:, None]

    @once
    def _masses(self) -> Floats:
        """Of each row, the sum of c·p over its sets."""
        return self.e * self.of.spread(self._shares)

    @once
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss: Σ c·(M − m mᵀ)."""
        Z, m = self.of.Z, self._means
        return np.asarray(Z.T @ (self._masses[:, None] * Z) - m.T @ (self.of.weights[:, None] * m))

    @property
    def scores(self) -> Floats:
        """What each row adds to the gradient as a process in time (Lin and Wei 1989), all its copies together."""
        of, Z = self.of, self.of.Z
        found = self._masses[:, None] * Z - self.e[:, None] * of.spread(self._shares[:, None] * self._means)
        share = of.weights / np.bincount(of.set_at, of.weights, of.sums.times)[of.set_at]  # of a time's sets
        mean = np.zeros((of.sums.times, of.d))
        np.add.at(mean, of.set_at, share[:, None] * self._means)
        tied = of.events.T  # rows × times
        own = np.exp(of.offset - of.plain) * np.asarray(tied.sum(axis=1)).ravel()
        return np.asarray(found + np.asarray(tied @ mean) * own[:, None] - own[:, None] * Z)

    @once
    def gradient(self) -> Floats:
        """Σ c·m − Σ c·z of the events, less what the penalty adds."""
        c, m, Z = self.of.weights, self._means, self.of.Z
        gradient = c @ m - self.of.chosen
        if self.of.penalised:
            q, Km = self.spread_of(Z), self.solve(np.ascontiguousarray(m.T)).T
            means = self.of.total(self.e * q) / self.sizes
            along = np.einsum("ij,ij->i", Z, self.of.spread(self._shares[:, None] * Km)) * self.e
            third = (self._masses * q - 2.0 * along) @ Z
            third += (c * (2.0 * np.einsum("ij,ij->i", m, Km) - means)) @ m
            gradient = gradient - 0.5 * third
        return np.asarray(gradient)
