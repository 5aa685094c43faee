"""The logistic loss of rows in blocks, by sums of whole numbers in the place of sums of floats.

Every row's part in loss, gradient and curvature is a float that depends on the row alone. It is cut off after the same
binary place for all rows, so the parts are whole numbers, which add up in any order: the steps of Newton's method have
the same bits whatever the blocks are, and whoever adds up.

Far from the minimum few binary places are enough, and the places are known without a look at the rows: the first steps
cost little more than sums of floats. Only the last ones, and the proof, need all places.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import Blocks, Shard
from rosenblatt.data.numbers import as_rows
from rosenblatt.exact import BITS, Digits, added_digits, added_products, as_floats, limbs_for, tops_of
from rosenblatt.minimise.columns import UP, Columns, column_ranges
from rosenblatt.minimise.directions import Dependence
from rosenblatt.minimise.exact_squares import ExactSquares, add_all
from rosenblatt.minimise.losses import LogisticLoss, Point, RowTerms
from rosenblatt.minimise.solver import NEAR

__all__ = ["BlocksColumns", "BlocksLoss", "LossAt"]

_TERM = 64 * 2.0**-53  # relative error of one row's part, and of cutting it off
_MANY = 1 << 15  # rows from which rough sums are worth while
_SURELY = 0.02  # the least eigenvalue of an equilibrated matrix from which it is definite though its entries are rough
_CLOSE = 0.01  # the error of a rough curvature beside that eigenvalue, up to which a step leaves 1e-4 of the decrement
_NEARBY = (
    1e-8  # Q, the decrement as a share of the loss of w = 0, up to which a step is exact where the error is larger
)
_STILL, _DEAR = 1e-20, 1 << 15  # ten digits of the weights; rows from which another look for more is not worth while
_LONG = 1e4  # Q beside what a rough gradient may leave out of it, from which its step surely leads down
_ROUGH = (2, 1)  # limbs of a rough gradient and of a rough curvature


class BlocksColumns(Columns):
    """Columns of rows that are on the workers."""

    @classmethod
    def over(cls, shards: Blocks, p: int, bias: bool, sparse: bool) -> Columns:
        """The workers look at all rows once."""
        found = shards.map(ranges, "looking at the columns")
        low = np.min([one[0] for one in found], axis=0)
        high = np.max([one[1] for one in found], axis=0)
        return cls.within(as_rows(np.empty((0, p))), bias, low, high, centred=not sparse)

    @property
    def rounding(self) -> float:
        """The relative error of a sum: the sum is exact, only each row's part is rounded."""
        return _TERM * UP


@dataclass(frozen=True)
class FarPoint(Point):
    """The loss at some weights; of the rows it has only sums and largest values."""

    doubted: tuple[float, float]
    largest_response: float
    rough: bool
    doubts: tuple[Floats, Floats]  # what gradient and curvature may have left out, where they are rough


class BlocksLoss(LogisticLoss):
    """The logistic loss of all shards. `runs` says whose labels: one run's, or those of all classes at once."""

    def __init__(
        self, columns: Columns, shards: Blocks, squares: Callable[[], ExactSquares], runs: list[int],
        heaviest: float | None, regularizer: float,
    ) -> None:  # fmt: skip
        super().__init__(columns, np.empty(0, dtype=np.int64), max(2, len(runs)), None, regularizer)
        self.shards, self.squares, self.runs = shards, squares, runs
        self.heaviest = 1.0 if heaviest is None else heaviest
        self.scale = (shards.n if heaviest is None else squares().total()) * float(np.log(self.K))
        self.still = _STILL if shards.n > _DEAR else 0.0
        self._values: Floats | None = None  # the largest of each column
        self._independent = False  # whether the columns are surely so
        self._latest: Point | None = None

    def asked(self, W: Floats) -> "LossAt":
        """What the shards are asked about."""
        columns = self.columns
        return LossAt(np.array(W), self.runs, columns.centre, columns.exponent, columns.largest)

    def at(self, W: Floats, curvature: bool = True) -> Point:
        """Everything there is to know at these weights: roughly where that is enough for a step, which W alone decides.

        So a fit that goes on from a checkpoint does what it would have done.
        """
        latest = self._latest
        if latest is not None and np.array_equal(latest.W, W) and curvature <= bool(latest.curvature.size):
            return latest
        rough = curvature and self.shards.n > _MANY
        point = self._added_up(W, curvature, rough)
        self._latest = point if rough and self._is_enough(point) else self._added_up(W, curvature) if rough else point
        return self._latest

    def _is_enough(self, rough: Point) -> bool:
        """Whether a step from there does not need to be exact: no direction of it is in doubt, and it is long.

        How long, depends on what the digits that were left out may add up to. The last step, which is made whatever the
        loss is then, may be as short as that: the point it leads to is looked at exactly.
        """
        assert isinstance(rough, FarPoint)
        H, g, (of_gradient, of_curvature) = rough.curvature, rough.gradient.ravel(), rough.doubts
        least = _least_eigenvalue(H)
        if least <= _SURELY:
            return False
        s = 1.0 / np.sqrt(H.diagonal())
        Q = float(g @ np.linalg.solve(H, g)) / self.scale
        unsure = float(np.sum((of_gradient.ravel() * s) ** 2)) / least / self.scale
        if np.linalg.norm(of_curvature * s * s[:, None]) > _CLOSE * least:
            return Q > _NEARBY
        return (_LONG if Q > NEAR else 1.0) * unsure < Q

    def _added_up(self, W: Floats, curvature: bool, rough: bool = False) -> Point:
        """The same, from sums over all rows; `rough` ones have few digits."""
        asked, where, every = self.asked(W), "a step of Newton's method", limbs_for(self.shards.n)
        if self._values is None or not rough:
            found = Heights.joined(self.shards.map(heights, where, asked=asked))
            self._values = found.values
        if rough:
            found = self._bounds(W, self._values)
        common = {"asked": asked, "found": found, "limbs": (every, *(_ROUGH if rough else (every, every)))}
        total = self.shards.add(sums, where, add_all, curvature=curvature, **common)
        (loss, others, residual), gradient = as_floats(total["scalars"])[0].tolist(), as_floats(total["gradient"])
        H = np.empty((0, 0))
        if curvature:
            d, M = self.columns.d, self.M
            blocks = np.zeros((M, d, M, d))
            for k in range(M):
                for l in range(k, M):  # noqa: E741
                    part = as_floats(total[f"{k} {l}"]) * (1.0 if k == l else -1.0)
                    blocks[k, :, l, :] = blocks[l, :, k, :] = part
            H = blocks.reshape(M * d, M * d)
            self._independent = self._independent or (not W.any() and _least_eigenvalue(blocks[0, :, 0, :]) > _SURELY)
        nothing = np.empty((0, self.M))
        doubts = self._left_out(found, H) if rough else (gradient * 0.0, H)
        more = ((others, residual), found.response, rough, doubts)
        return self._with_ridge(FarPoint(W, loss, nothing, nothing, nothing[:, 0], gradient, H, *more))

    def gap(self, point: Point) -> float | None:
        """A proved bound on loss − minimum, from exact sums; None where there is no proof."""
        assert isinstance(point, FarPoint)
        return super().gap(self._added_up(point.W, True) if point.rough else point)

    def _bounds(self, W: Floats, values: Floats) -> "Heights":
        """Sizes that no row exceeds, without a look at the rows."""
        c, pairs = self.heaviest, self.M * (self.M + 1) // 2
        response = float(UP * np.max(np.abs(W) @ self.columns.largest))
        scalars = np.array([c * (2 * response + np.log(self.K)), c, c]) * UP
        return Heights(
            scalars, np.full(self.M, c), np.tile(0.5 * np.sqrt(c) * UP * values, (pairs, 1)), values, response
        )

    def noise(self, W: Floats) -> float:
        """About the rounding error of the loss. Only its terms have one, their sum is exact."""
        size = max(self.columns.doubt(w) for w in W) / (self.columns.d + 16)
        return float(size * self.heaviest * np.sqrt(self.shards.n))

    def misplaced(self, W: Floats) -> int:
        """Rows of positive weight whose class does not respond most."""
        return sum(self.shards.map(misplaced, "counting mistakes", asked=self.asked(W)))

    def ahead(self, k: int, v: Floats) -> bool:
        """Whether v·z > 0 for every row of class k and positive weight, in exact arithmetic."""
        here = self.asked(np.zeros((self.M, self.columns.d)))
        return all(self.shards.map(ahead, "certifying the signs", asked=here, k=k, v=v))

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others."""
        return Dependence([], [], True) if self._independent else self.squares().dependence

    def _left_out(self, found: "Heights", H: Floats) -> tuple[Floats, Floats]:
        """What digits that rough sums leave out may add up to: M × d in the gradient, Md × Md in the curvature H.

        Of each factor of a row's product less than one unit of its last limb; sizes add up to √(n·Σ squares) at most.
        """
        n, M, d = self.shards.n, self.M, self.columns.d
        unit, sides = 2.0 ** (-BITS), np.ldexp(1.0, tops_of(found.curvature))
        residuals, values = (np.ldexp(1.0, tops_of(one)) for one in (found.residuals, found.values))
        gradient = 4.0 * n * unit ** _ROUGH[0] * np.outer(residuals, values)
        blocks, pairs = np.zeros((M, d, M, d)), ((k, l) for k in range(M) for l in range(k, M))  # noqa: E741
        for (k, l), side in zip(pairs, sides, strict=True):  # noqa: E741
            sizes = np.sqrt(n * np.abs(H.reshape(M, d, M, d)[k, :, l, :].diagonal())) + n * unit * side
            part = unit ** _ROUGH[1] * (np.outer(side, sizes) + np.outer(sizes, side))
            blocks[k, :, l, :] = blocks[l, :, k, :] = part
        return gradient, blocks.reshape(M * d, M * d)

    @cached_property
    def _lengths(self) -> Floats:
        return self.squares().lengths

    def _doubted(self, point: Point) -> tuple[float, float]:
        assert isinstance(point, FarPoint)
        return point.doubted

    def _largest_response(self, point: Point) -> float:
        assert isinstance(point, FarPoint)
        return point.largest_response


def _least_eigenvalue(H: Floats) -> float:
    """The least eigenvalue of H in equilibrated form; 0 where a diagonal entry is not positive."""
    diagonal = H.diagonal()
    if diagonal.min(initial=np.inf) <= 0:
        return 0.0
    return float(np.linalg.eigvalsh(H / np.sqrt(np.outer(diagonal, diagonal)))[0])


# ----------------------------------------------------------------------------------------------- what a block is asked


def ranges(shard: Shard) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each column."""
    return column_ranges(shard.rows)


class LossAt(NamedTuple):
    """Where the logistic loss is looked at, and in which coordinates."""

    W: Floats
    runs: list[int]  # which run's labels; several: all classes at once
    centre: Floats
    exponent: Places
    largest: Floats

    def loss(self, shard: Shard) -> LogisticLoss:
        """The shard's part of it."""
        columns = Columns(shard.rows, shard.bias, self.centre, self.exponent, self.largest)
        return LogisticLoss(columns, _class_codes(shard, self.runs), max(2, len(self.runs)), shard.weights)


def _class_codes(shard: Shard, runs: list[int]) -> Places:
    """0 for a row of the first class, 1 of the second …; of one run, 0 for +1."""
    if len(runs) == 1:
        return np.where(shard.targets[runs[0]] > 0, 0, 1)
    return np.asarray(np.argmax([shard.targets[k] for k in runs], axis=0))


class Heights(NamedTuple):
    """The largest values among those to be added up: of a shard, or by `joined` of all shards."""

    scalars: Floats  # c·loss, c·(probability of other classes), c·(largest residual)
    residuals: Floats  # M: |c·residual|
    curvature: Floats  # pairs of classes × d: √|f|·|z'|
    values: Floats  # d: |z'|
    response: float  # of rows that are present

    @classmethod
    def joined(cls, parts: "list[Heights]") -> "Heights":
        """Of all shards."""
        return cls(*(np.max(each, axis=0) for each in zip(*parts, strict=True)))


def heights(shard: Shard, asked: LossAt) -> Heights:
    """How large the numbers are that `sums` is to add."""
    loss = asked.loss(shard)
    terms = loss.row_terms(asked.W)
    curvature, values = np.zeros((loss.M * (loss.M + 1) // 2, loss.columns.d)), np.zeros(loss.columns.d)
    for inside, Z in loss.columns.blocks():
        values = np.maximum(values, _largest_values(Z))
        for at, (_, _, factors) in enumerate(loss.curvature_factors(terms, inside)):
            curvature[at] = np.maximum(curvature[at], _largest_values(_rooted(Z, factors)))
    present = np.abs(loss.responses(asked.W)[loss.weights > 0]).max(initial=0.0)
    scalars = np.abs(_scalars(loss, terms)).max(axis=0, initial=0.0)
    residuals = np.abs(terms.residuals * loss.weights[:, None]).max(axis=0, initial=0.0)
    return Heights(scalars, residuals, curvature, values, float(present))


def sums(
    shard: Shard, asked: LossAt, found: Heights, limbs: tuple[int, int, int], curvature: bool
) -> dict[str, Digits]:
    """Loss, gradient and curvature. Each row's part is a float, cut off after the same binary place in all shards.

    `limbs` says after how many of them, in each of the three.
    """
    of_loss, of_gradient, of_curvature = limbs
    loss = asked.loss(shard)
    terms = loss.row_terms(asked.W)
    one = np.ones(1, dtype=np.int64)
    scalars = _scalars(loss, terms)
    total = {"scalars": added_products(np.ones((len(scalars), 1)), scalars, one, tops_of(found.scalars), of_loss)}
    tops, sides = tops_of(found.values), tops_of(found.curvature)
    parts: dict[str, list[Digits]] = {"gradient": []}
    for inside, Z in loss.columns.blocks():
        residuals: Any = terms.residuals[inside] * loss.weights[inside, None]
        residuals = sp.csr_array(residuals) if sp.issparse(Z) else residuals
        parts["gradient"].append(added_products(residuals, Z, tops_of(found.residuals), tops, of_gradient))
        for at, (k, m, factors) in enumerate(loss.curvature_factors(terms, inside) if curvature else ()):
            U = _rooted(Z, factors)
            parts.setdefault(f"{k} {m}", []).append(added_products(U, U, sides[at], sides[at], of_curvature))
    return total | {name: added_digits(some) for name, some in parts.items()}


def _scalars(loss: LogisticLoss, terms: RowTerms) -> Floats:
    each = np.column_stack([terms.losses, terms.others, np.abs(terms.residuals).max(axis=1)])
    return np.asarray(each * loss.weights[:, None])


def _rooted(Z: Floats | sp.csr_array, factors: Floats) -> Any:
    """√|f|·z', whose squares are the curvature."""
    root = np.sqrt(np.abs(factors))
    return Z * root[:, None] if isinstance(Z, np.ndarray) else Z.multiply(root[:, None]).tocsr()


def _largest_values(Z: Floats | sp.csr_array) -> Floats:
    found = abs(Z).max(axis=0)
    return np.asarray(found.toarray().ravel() if sp.issparse(found) else found)


def misplaced(shard: Shard, asked: LossAt) -> int:
    """Rows of positive weight whose class does not respond most."""
    return asked.loss(shard).misplaced(asked.W)


def ahead(shard: Shard, asked: LossAt, k: int, v: Floats) -> bool:
    """Whether v·z > 0 for every row of class k that is present, in exact arithmetic."""
    return asked.loss(shard).ahead(k, np.array(v))
