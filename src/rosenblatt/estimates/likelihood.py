"""The loss of a model at given weights, with derivatives, Jeffreys' penalty, and bounds on rounding errors."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from rosenblatt.arrays import Floats
from rosenblatt.context import Context
from rosenblatt.minimise import UP, product
from rosenblatt.regressions import CountFamily, Moments
from rosenblatt.threads import once

__all__ = ["AnyPoint", "Likelihood", "Loss", "LossPoint"]

_UNIT = 2.0**-53
_EXP = 64 * _UNIT  # bounds the relative error of a mean whose response is exact, if exp is right within 8 ulp
_LARGEST_RESPONSE = 700.0  # beyond, means overflow float64
_DENSE = 1 << 28  # n·d³ up to which the penalty's own curvature is worth its time
_PIECE = 1024  # rows of a partial sum: they fit a cache, and short sums have small error bounds
_ROWS = 8192  # rows whose moments are computed together
_LENT = 1 << 16  # values of a table from which steps use the information of a nearby point instead of their own
_NEAR = 0.25  # change of any response up to which a point is nearby: no variance changes by more than e^0.25


def _pieces(n: int, size: int = _PIECE) -> Iterator[slice]:
    """The rows 0 … n − 1 in pieces of this size."""
    return (slice(first, first + size) for first in range(0, n, size))


@dataclass(frozen=True)
class Loss(ABC):
    """A negative log-likelihood of d weights; `penalised` adds −½·log det of the information (Firth, Jeffreys)."""

    Z: Floats  # rows with |z_j| ≤ 1
    weights: Floats
    offset: Floats  # added to the response of each row
    penalised: bool = field(default=False, kw_only=True)
    context: Context = field(default_factory=Context, kw_only=True, compare=False)  # each look at the rows asks it

    @property
    def d(self) -> int:
        """How many weights there are."""
        return int(self.Z.shape[1])

    @property
    def size(self) -> int:
        """How many values the rows have in all."""
        return self.Z.size

    def with_penalty(self, penalised: bool = True) -> Self:
        """The same loss with Jeffreys' penalty, or without."""
        return replace(self, penalised=penalised)

    @abstractmethod
    def at(self, v: Floats) -> "AnyPoint":
        """Everything there is to know at these weights. Raises `Unfinished` where time is over."""

    def _look(self) -> None:
        """A look at the rows begins."""
        self.context.check()


@dataclass(frozen=True)
class Likelihood(Loss):
    """The loss of rows with counts y of `trials`."""

    family: CountFamily
    y: Floats
    trials: Floats

    def at(self, v: Floats) -> "LossPoint":
        """Everything there is to know at these weights."""
        self._look()
        s = self.Z @ v + self.offset
        return LossPoint(self, v, s, self._moments(s))

    def _moments(self, s: Floats) -> Moments:
        """The moments of all rows, computed in pieces that fit a cache."""
        found = Moments(*np.empty((len(Moments._fields), len(s))))
        for rows in _pieces(len(s), _ROWS):
            for whole, part in zip(found, self.family(s[rows], self.y[rows], self.trials[rows]), strict=True):
                whole[rows] = part
        return found

    def gram(self, factors: Floats) -> Floats:
        """Σ factor·z zᵀ, in short sums."""
        total = np.zeros((self.d, self.d))
        for rows in _pieces(len(self.Z)):
            total += product(self.Z[rows], factors[rows])
        return total

    def sum(self, factors: Floats) -> Floats:
        """Σ factor·z, in short sums."""
        total = np.zeros(self.d)
        for rows in _pieces(len(self.Z)):
            total += factors[rows] @ self.Z[rows]
        return total

    @property
    def rounding(self) -> float:
        """A bound on the relative error of `gram` and `sum`."""
        pieces = -(-len(self.Z) // _PIECE)
        return (min(len(self.Z), _PIECE) + pieces + 32) * _UNIT * UP


class AnyPoint(ABC):
    """A loss at the weights v."""

    of: Loss
    v: Floats

    @property
    @abstractmethod
    def likelihood_loss(self) -> float:
        """The negative log-likelihood without its penalty."""

    @property
    @abstractmethod
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss."""

    @property
    @abstractmethod
    def gradient(self) -> Floats:
        """The gradient of the loss."""

    @property
    @abstractmethod
    def loss_error(self) -> float:
        """About how far rounding may have moved the loss."""

    @property
    @abstractmethod
    def scores(self) -> Floats:
        """The gradient of the likelihood's loss, row by row (of a set: by the row that chose)."""

    @property
    def leverages(self) -> Floats | None:
        """Of each row, one copy of it, z·I⁻¹·z times its curvature; None where rows have several terms."""
        return None

    @property
    def full_curvature(self) -> Floats | None:
        """The second derivatives of the penalised loss; None where the penalty's part would take too long."""
        return None

    @property
    def steering(self) -> Floats:
        """The information here or at a nearby point: good enough to choose steps."""
        return self.information

    @once
    def plain(self) -> "AnyPoint":
        """The same weights without the penalty, for a look that takes less time."""
        return self.of.with_penalty(False).at(self.v).lending()

    def lending(self) -> "AnyPoint":
        """The same point; points reached from here may use its information."""
        return self

    def moved(self, v: Floats) -> "AnyPoint":
        """The point at other weights."""
        return self.of.at(v)

    @once
    def loss(self) -> float:
        """The negative log-likelihood, with its penalty; inf where it leaves float64."""
        loss = self.likelihood_loss
        if self.of.penalised and np.isfinite(loss):
            loss -= 0.5 * self.log_det
        return loss if np.isfinite(loss) else float("inf")

    @once
    def _factor(self) -> Floats:
        # LAPACK directly: the matrices are small, and SciPy's checks before the call take longer than the call
        factor, failed = dpotrf(self.information, lower=1)
        if failed:
            raise np.linalg.LinAlgError("the information is singular in floats")
        return np.asarray(factor)

    @once
    def log_det(self) -> float:
        """The logarithm of the information's determinant; −inf where it is singular in floats."""
        try:
            return 2.0 * float(np.log(self._factor.diagonal()).sum())
        except np.linalg.LinAlgError:
            return float("-inf")

    def solve(self, g: Floats) -> Floats:
        """Information⁻¹ g."""
        return np.asarray(dpotrs(self._factor, g, lower=1)[0])

    def spread_of(self, Z: Floats) -> Floats:
        """z·I⁻¹·z of each row of Z."""
        outward = np.ascontiguousarray(np.tril(dtrtri(self._factor, lower=1)[0]).T)
        spread = np.empty(len(Z))
        for rows in _pieces(len(Z)):
            half = Z[rows] @ outward
            np.einsum("ij,ij->i", half, half, out=spread[rows])
        return spread


@dataclass(frozen=True)
class LossPoint(AnyPoint):
    """The loss of rows at the weights v."""

    of: Likelihood
    v: Floats
    s: Floats
    moments: Moments
    lender: "LossPoint | None" = None  # a nearby point whose information is used here for steps

    @property
    def steering(self) -> Floats:
        """The information, or the lender's."""
        return self.information if self.lender is None else self.lender.information

    def lending(self) -> "LossPoint":
        """The same point; nearby points may use its information, where computing it takes most of the time.

        A penalised loss needs the information of each point, so it never lends.
        """
        lends = not self.of.penalised and self.of.size >= _LENT
        return replace(self, lender=self) if lends else self

    def moved(self, v: Floats) -> "LossPoint":
        """The point at other weights, with the same lender if that is near."""
        new = self.of.at(v)
        if self.lender is None:
            return new
        return replace(new, lender=self.lender) if new.change(self.lender) <= _NEAR else new.lending()

    def change(self, other: "LossPoint") -> float:
        """A bound on the difference of any response at this point and at the other one."""
        most = float(np.abs(self.s - other.s).max(initial=0.0))
        return (most + self.response_error + other.response_error) * UP

    @once
    def likelihood_loss(self) -> float:
        """The negative log-likelihood."""
        return float(self.of.weights @ self.moments.loss)

    @once
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss: Σ c·V·z zᵀ."""
        return self.of.gram(self.of.weights * self.moments.V)

    @once
    def spread(self) -> Floats:
        """z·I⁻¹·z of each row."""
        return self.spread_of(self.of.Z)

    @once
    def gradient(self) -> Floats:
        """Σ c·(mean − y)·z, less what the penalty adds: ½·Σ h·V'/V·z with h = c·V·z·I⁻¹·z."""
        residual = self.of.weights * self.moments.residual
        if self.of.penalised:
            residual = residual - 0.5 * self.of.weights * self.moments.V1 * self.spread
        return self.of.sum(residual)

    @property
    def scores(self) -> Floats:
        """c·(mean − y)·z of each row."""
        return np.asarray((self.of.weights * self.moments.residual)[:, None] * self.of.Z)

    @property
    def leverages(self) -> Floats:
        """V·z·I⁻¹·z of each row."""
        return np.asarray(self.moments.V * self.spread)

    @property
    def full_curvature(self) -> Floats | None:
        """The second derivatives of the penalised loss; None where the n·d³ operations would take too long."""
        if not self.of.penalised or len(self.of.Z) * self.of.d**3 > _DENSE:
            return None
        return self.information - self.penalty_curvature

    @once
    def penalty_curvature(self) -> Floats:
        """Second derivatives of ½·log det I."""
        c, Z, d = self.of.weights, self.of.Z, self.of.d
        first = self.of.gram(0.5 * c * self.moments.V2 * self.spread)
        # I⁻¹·(∂I/∂v_j) for every j
        slopes = np.array([self.solve(self.of.gram(c * self.moments.V1 * Z[:, j])) for j in range(d)])
        return np.asarray(first - 0.5 * np.einsum("jab,kba->jk", slopes, slopes))

    # bounds on rounding errors

    @once
    def response_error(self) -> float:
        """A bound on the error of any response."""
        size = float(np.abs(self.v).sum()) + float(np.abs(self.of.offset).max(initial=0.0))
        return (self.of.d + 16) * _UNIT * UP * size

    @property
    def relative(self) -> float:
        """A bound on the relative errors of means, variances and the terms of residuals."""
        return (2.0 * self.response_error + _EXP) * UP

    @property
    def bounded(self) -> bool:
        """Whether these bounds hold: no response is near the limits of float64."""
        return bool(self.response_error < 1e-3 and np.abs(self.s).max(initial=0.0) < _LARGEST_RESPONSE)

    @property
    def loss_error(self) -> float:
        """A bound on the error of the likelihood's part of the loss."""
        c, m = self.of.weights, self.moments
        slopes = float(c @ m.doubtful) * 2.0 * self.response_error
        return (slopes + float(c @ m.size) * (_EXP + self.of.rounding)) * UP

    @property
    def gradient_error(self) -> float:
        """A bound on the error of each entry of the likelihood's gradient."""
        return float(self.of.weights @ self.moments.doubtful) * (self.relative + self.of.rounding) * UP
