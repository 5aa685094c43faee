"""The loss of a model at given weights, with derivatives, Jeffreys' penalty, and bounds on rounding errors."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Self

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Context
from rosenblatt.kernels.likelihood import (
    DONE,
    DOUBTFUL,
    LIKELIHOOD,
    LOSS,
    MORE,
    PIECE,
    SIZE,
    CountLook,
    CountRows,
    search,
)
from rosenblatt.kernels.profiles import profile
from rosenblatt.minimise import UP, ProvedInverse
from rosenblatt.regressions import CountFamily
from rosenblatt.threads import once

__all__ = ["AnyPoint", "Likelihood", "Loss", "LossPoint"]

_UNIT = 2.0**-53
_EXP = 64 * _UNIT  # bounds the relative error of a mean whose response is exact, if exp is right within 8 ulp
_LARGEST_RESPONSE = 700.0  # beyond, means overflow float64
_DENSE = 1 << 28  # n·d³ up to which the penalty's own curvature is worth its time
_CLEAR = 50  # rows a weight beyond which steps without it are nearly as long, and cost much less
_LENT = 1 << 16  # values of a table from which a nearby point lends its information
_NEAR = 0.25  # change of any response up to which a point is nearby: no variance changes by more than e^0.25
_NEAR_BY = 1 << 14  # values that a processor has near it
_NONE = np.empty((0, 0))  # starts
_AT_ONCE = 1 << 28  # values × weights that the steps of one call look at: about a tenth of a second


def _slices(n: int, size: int = PIECE) -> Iterator[slice]:
    """The rows 0 … n − 1 in pieces of this size."""
    return (slice(first, first + size) for first in range(0, n, size))


def _farthest_of(values: Floats, other: Floats | None = None) -> float:
    """The largest absolute value, or difference; piece by piece, in memory that is near."""
    pieces = _slices(len(values), _NEAR_BY)
    each = [np.abs(values[at] if other is None else values[at] - other[at]).max() for at in pieces]
    return float(np.max(each, initial=0.0))


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

    @property
    def start(self) -> Floats:
        """Weights at which the loss is finite."""
        return np.zeros(self.d)

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
    """The loss of rows with counts y of `trials`; `kernels.likelihood` looks at the rows."""

    family: CountFamily
    y: Floats
    trials: Floats

    @once
    def rows(self) -> CountRows:
        """The rows as kernels take them, column after column."""
        columns = np.ascontiguousarray(self.Z.T).reshape(-1)
        return CountRows(
            columns, self.weights, self.offset, self.y, self.trials, self.family == "poisson", self.penalised
        )

    def at(self, v: Floats) -> "LossPoint":
        """Everything there is to know at these weights."""
        self._look()
        look = self.empty_look()
        search(self.rows, (look, look, look), np.array(v)[None, :], -1, True, 0, 0.0, inf, inf)
        return LossPoint(self, look)

    def empty_look(self) -> CountLook:
        """Room for a look at the rows."""
        n, d = self.Z.shape
        each, squares = np.empty((3, n)), np.empty((d + 7, d, d))
        own = np.empty((3, n if self.penalised else 0))
        s, residual, V = each
        V1, V2, spread = own
        information, factor, bend = squares[:3]
        rest = np.empty(d), information, factor, bend, np.zeros(5), np.empty((d + 3) * PIECE), squares[3:]
        return CountLook(np.empty(d), s, residual, V, V1, V2, spread, *rest)

    @once
    def spare(self) -> list[CountLook]:
        """Room for looks that nobody needs any more."""
        return []

    def room(self) -> CountLook:
        """Room for a look, perhaps used before."""
        try:
            return self.spare.pop()
        except IndexError:
            return self.empty_look()

    @once
    def farthest(self) -> float:
        """The largest offset."""
        return _farthest_of(self.offset)

    @once
    def full(self) -> bool:
        """Whether the penalty's own curvature is worth its n·d³ operations: it is about d/n of the likelihood's."""
        return self.penalised and len(self.Z) <= _CLEAR * self.d and len(self.Z) * self.d**3 <= _DENSE

    @once
    def rounding(self) -> float:
        """A bound on the relative error of sums over the rows."""
        pieces = -(-len(self.Z) // PIECE)
        return (min(len(self.Z), PIECE) + pieces + 32) * _UNIT * UP


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

    def part(self, units: Places) -> tuple[Floats, Floats]:
        """Information and gradient of the likelihood's loss of these alone; they are counted as `scores` are."""
        raise NotImplementedError

    @property
    def leverages(self) -> Floats | None:
        """Of each row, one copy of it, z·I⁻¹·z times its curvature; None where rows have several terms."""
        return None

    @property
    def full_curvature(self) -> Floats | None:
        """The second derivatives of the penalised loss; None where the penalty's part would take too long."""
        return None

    def moved(self, v: Floats) -> "AnyPoint":
        """The point at other weights; where that saves most of the time, nearby ones have this one's information."""
        return self.of.at(v)

    @once
    def plain(self) -> "AnyPoint":
        """The same weights without the penalty, for a look that takes less time."""
        return self.of.with_penalty(False).at(self.v)

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
        """Information⁻¹ g; LAPACK takes no matrix without rows."""
        if not self.of.d:
            return np.zeros_like(g)
        return np.asarray(dpotrs(self._factor, g, lower=1)[0])

    def spread_of(self, Z: Floats) -> Floats:
        """z·I⁻¹·z of each row of Z."""
        outward = np.ascontiguousarray(np.tril(dtrtri(self._factor, lower=1)[0]).T)
        spread = np.empty(len(Z))
        for rows in _slices(len(Z)):
            half = Z[rows] @ outward
            np.einsum("ij,ij->i", half, half, out=spread[rows])
        return spread


@dataclass(frozen=True)
class LossPoint(AnyPoint):
    """The loss of rows at the weights v."""

    of: Likelihood
    look: CountLook
    lender: "LossPoint | None" = None  # a nearby point, whose information stands here for this one's

    @property
    def v(self) -> Floats:  # type: ignore[override]
        """The weights."""
        return self.look.v

    @property
    def s(self) -> Floats:
        """The response of each row."""
        return self.look.s

    @property
    def loss(self) -> float:
        """The negative log-likelihood, with its penalty; inf where it leaves float64."""
        return float(self.look.sums[LOSS])

    @property
    def likelihood_loss(self) -> float:
        """The negative log-likelihood."""
        return float(self.look.sums[LIKELIHOOD])

    @property
    def information(self) -> Floats:
        """The second derivatives of the likelihood's loss: Σ c·V·z zᵀ."""
        return self.look.information

    @property
    def gradient(self) -> Floats:
        """Σ c·(mean − y)·z, less what the penalty adds: ½·Σ h·V'/V·z with h = c·V·z·I⁻¹·z."""
        return self.look.gradient

    def moved(self, v: Floats) -> "LossPoint":
        """The point at other weights. A penalised loss needs the information of each point."""
        of, source = self.of, self.lender or self
        if of.penalised or of.size < _LENT:
            return of.at(v)
        of.context.check()
        look = of.empty_look()
        search(of.rows, (look, look, look), np.array(v)[None, :], -1, False, 0, 0.0, inf, inf)
        new = LossPoint(of, look, source)
        if new.change(source) <= _NEAR:
            look.information[:] = source.information
            return new
        search(of.rows, (look, look, look), _NONE, -1, False, 0, 0.0, inf, inf)
        return LossPoint(of, look)

    @once
    def _factor(self) -> Floats:
        return self.lender._factor if self.lender else super()._factor

    def change(self, other: "LossPoint") -> float:
        """A bound on the difference of any response at this point and at the other one."""
        return (_farthest_of(self.s, other.s) + self.response_error + other.response_error) * UP

    @property
    def scores(self) -> Floats:
        """c·(mean − y)·z of each row."""
        return np.asarray((self.of.weights * self.look.residual)[:, None] * self.of.Z)

    @property
    def leverages(self) -> Floats:
        """V·z·I⁻¹·z of each row."""
        return np.asarray(self.look.V * self.spread_of(self.of.Z))

    @property
    def full_curvature(self) -> Floats | None:
        """The second derivatives of the penalised loss; None where the n·d³ operations would take too long."""
        return self.information - self.penalty_curvature if self.of.full else None

    @once
    def penalty_curvature(self) -> Floats:
        """Second derivatives of ½·log det I."""
        search(self.of.rows, (self.look,) * 3, _NONE, -1, True, 0, 0.0, inf, inf)
        return self.look.bend

    def improved(self, fixed: int | None, enough: float, steps: int, scoring: bool) -> "tuple[LossPoint, bool]":
        """`optimum.improve` by compiled steps: the last point, and whether rounding does not hide it."""
        of, place, point, last = self.of, -1 if fixed is None else fixed, self, inf
        full = of.full and not scoring
        at_once = max(1, int(_AT_ONCE / max(1, of.size * of.d * (of.d if full else 1))))
        for made in range(0, steps, at_once):
            of.context.check()
            rooms = [of.room(), of.room()]
            many, looks = min(at_once, steps - made), (point.look, *rooms)
            how, moves, last, _ = search(of.rows, looks, _NONE, place, full, many, enough, last, inf)
            point = LossPoint(of, rooms.pop(1 - moves % 2)) if moves else point
            of.spare.extend(rooms)
            if how != MORE:
                return point, how == DONE
        return point, True

    def lower(self, starts: Floats, fixed: int, enough: float, steps: int, below: float) -> "LossPoint | None":
        """The lowest point under `below` that Fisher's steps from these starts find; `starts` are used up."""
        of = self.of
        looks = of.empty_look(), of.empty_look(), of.empty_look()
        least = search(of.rows, looks, starts, fixed, False, steps, enough, inf, below)[3]
        return of.at(starts[0]) if least < below else None

    def profiled(
        self, j: int, target: float, sign: float, deep: bool, exact: tuple[float, float]
    ) -> "tuple[LossPoint, Floats, float, float] | None":
        """A look at the profile of weight j by compiled steps: the point, the model there, its Q and its curvature."""
        of, d = self.of, self.of.d
        of.context.check()
        if of.full:
            _ = self.penalty_curvature
        looks = [of.room() for _ in range(9 if deep else 3)]
        more = (tuple(looks[k : k + 3]) for k in ((0, 3, 6) if deep else (0, 0, 0)))
        bounds = of.farthest, _EXP + of.rounding
        starts, found = np.empty((d + 11 if deep else 0, d)), np.empty((5, d))
        well, at, Q, _, curvature = profile(
            of.rows, self.look, *more, j, of.full, target, sign, exact, bounds, starts, found
        )
        here = looks.pop(at) if well else None
        of.spare.extend(looks)
        return here and (LossPoint(of, here), found[:2], Q, curvature)

    # bounds on rounding errors

    @once
    def proved_inverse(self) -> ProvedInverse | None:
        """Bounds on the inverse of the information; None without a proof."""
        if not self.bounded:
            return None
        return ProvedInverse.of(self.information, self.of.rounding + self.relative + (self.of.d + 16) * _UNIT)

    @once
    def response_error(self) -> float:
        """A bound on the error of any response."""
        size = float(np.abs(self.v).sum()) + self.of.farthest
        return (self.of.d + 16) * _UNIT * UP * size

    @property
    def relative(self) -> float:
        """A bound on the relative errors of means, variances and the terms of residuals."""
        return (2.0 * self.response_error + _EXP) * UP

    @once
    def bounded(self) -> bool:
        """Whether these bounds hold: no response is near the limits of float64."""
        return bool(self.response_error < 1e-3 and _farthest_of(self.s) < _LARGEST_RESPONSE)

    @property
    def loss_error(self) -> float:
        """A bound on the error of the likelihood's part of the loss."""
        sums = self.look.sums
        slopes = float(sums[DOUBTFUL]) * 2.0 * self.response_error
        return (slopes + float(sums[SIZE]) * (_EXP + self.of.rounding)) * UP

    @property
    def gradient_error(self) -> float:
        """A bound on the error of each entry of the likelihood's gradient."""
        return float(self.look.sums[DOUBTFUL]) * (self.relative + self.of.rounding) * UP
