"""The logistic loss of rows in blocks, by sums of whole numbers in the place of sums of floats.

Every row's part in loss, gradient and curvature is a float that depends on the row alone. It is cut off after the same
binary place for all rows, so the parts are whole numbers, which add up in any order: the steps of Newton's method have
the same bits whatever the blocks are, and whoever adds up.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import Blocks, Shard
from rosenblatt.data.numbers import as_rows
from rosenblatt.exact import Digits, added_digits, added_products, as_floats, limbs_for, tops_of
from rosenblatt.minimise.columns import UP, Columns, column_ranges
from rosenblatt.minimise.directions import Dependence
from rosenblatt.minimise.exact_squares import ExactSquares, add_all
from rosenblatt.minimise.losses import LogisticLoss, Point, RowTerms

__all__ = ["BlocksColumns", "BlocksLoss", "LossAt"]

_TERM = 64 * 2.0**-53  # relative error of one row's part, and of cutting it off


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


class BlocksLoss(LogisticLoss):
    """The logistic loss of all shards. `runs` says whose labels: one run's, or those of all classes at once."""

    def __init__(
        self, columns: Columns, shards: Blocks, squares: ExactSquares, runs: list[int], heaviest: float | None,
        regularizer: float,
    ) -> None:  # fmt: skip
        super().__init__(columns, np.empty(0, dtype=np.int64), max(2, len(runs)), None, regularizer)
        self.shards, self.squares, self.runs = shards, squares, runs
        self.heaviest = 1.0 if heaviest is None else heaviest
        self.scale = squares.total() * float(np.log(self.K))

    def asked(self, W: Floats) -> "LossAt":
        """What the shards are asked about."""
        columns = self.columns
        return LossAt(np.array(W), self.runs, columns.centre, columns.exponent, columns.largest)

    def at(self, W: Floats, curvature: bool = True) -> Point:
        """Everything there is to know at these weights."""
        asked, where = self.asked(W), "a step of Newton's method"
        found = Heights.joined(self.shards.map(heights, where, asked=asked))
        limbs = limbs_for(self.shards.n)
        common = {"asked": asked, "found": found, "limbs": limbs, "curvature": curvature}
        total = self.shards.add(sums, where, add_all, **common)
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
        nothing = np.empty((0, self.M))
        point = FarPoint(W, loss, nothing, nothing, nothing[:, 0], gradient, H, (others, residual), found.response)
        return self._with_ridge(point)

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
        return self.squares.dependence

    @cached_property
    def _lengths(self) -> Floats:
        return self.squares.lengths

    def _doubted(self, point: Point) -> tuple[float, float]:
        assert isinstance(point, FarPoint)
        return point.doubted

    def _largest_response(self, point: Point) -> float:
        assert isinstance(point, FarPoint)
        return point.largest_response


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


def sums(shard: Shard, asked: LossAt, found: Heights, limbs: int, curvature: bool) -> dict[str, Digits]:
    """Loss, gradient and curvature. Each row's part is a float, cut off after the same binary place in all shards."""
    loss = asked.loss(shard)
    terms = loss.row_terms(asked.W)
    one = np.ones(1, dtype=np.int64)
    scalars = _scalars(loss, terms)
    total = {"scalars": added_products(np.ones((len(scalars), 1)), scalars, one, tops_of(found.scalars), limbs)}
    tops, sides = tops_of(found.values), tops_of(found.curvature)
    parts: dict[str, list[Digits]] = {"gradient": []}
    for inside, Z in loss.columns.blocks():
        residuals: Any = terms.residuals[inside] * loss.weights[inside, None]
        residuals = sp.csr_array(residuals) if sp.issparse(Z) else residuals
        parts["gradient"].append(added_products(residuals, Z, tops_of(found.residuals), tops, limbs))
        for at, (k, m, factors) in enumerate(loss.curvature_factors(terms, inside) if curvature else ()):
            U = _rooted(Z, factors)
            parts.setdefault(f"{k} {m}", []).append(added_products(U, U, sides[at], sides[at], limbs))
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
