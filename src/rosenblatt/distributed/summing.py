"""What a worker adds up for learners that look at all rows before they move: whole numbers, which add in any order."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks.shard import Shard
from rosenblatt.exact.products import Digits, add, products, tops_of, two_products
from rosenblatt.minimise import Columns, LogisticLoss
from rosenblatt.minimise.columns import block, column_ranges, row_ranges
from rosenblatt.minimise.logistic_loss import RowTerms

__all__ = ["Heights", "LossAt", "add_all", "agreement", "ahead", "heights", "misplaced", "ranges", "squares", "sums"]

_SMALLEST = 1e-250  # the product of a weight and a value that is smaller has bits that float64 does not hold


def ranges(shard: Shard) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each column."""
    return column_ranges(shard.rows)


def add_all(parts: list[dict[str, Digits]]) -> dict[str, Digits]:
    """The sums of some shards together."""
    return {name: add([part[name] for part in parts]) for name in parts[0]}


# ------------------------------------------------------------------------------------------------------- least squares


def squares(shard: Shard, tops: Places, heaviest: float | None) -> dict[str, Digits]:
    """Σ c·(z, y)(z, y)ᵀ without any error: z = (x, 1), y the labels −1/+1 of every run, c the row weights."""
    right = np.append(tops, np.ones(len(shard.targets), dtype=np.int64))
    left = right if heaviest is None else right + tops_of(np.array([heaviest]))[0]
    labels = np.array(shard.targets, dtype=np.float64).T
    parts = []
    for first, stop in row_ranges(shard.rows):
        Z, y = block(shard.rows, first, stop, shard.bias), labels[first:stop]
        Z = sp.hstack([Z, sp.csr_array(y)], format="csr") if sp.issparse(Z) else np.hstack([Z, y])
        weights = shard.weights[first:stop]
        parts += [products(A, Z, left, right) for A in ([Z] if heaviest is None else _weighed(Z, weights))]
    return {"squares": add(parts)}


def _weighed(Z: Any, weights: Floats) -> list[Any]:
    """Two matrices whose sum is c·Z, without any error."""
    sparse = sp.issparse(Z)
    values = Z.data if sparse else Z
    c = np.repeat(weights, np.diff(Z.indptr)) if sparse else weights[:, None]
    c = c if weights.size else np.ones_like(values)
    high, low = two_products(values, np.broadcast_to(c, values.shape))
    if ((high != 0) & (np.abs(high) < _SMALLEST)).any() or ((values != 0) & (c != 0) & (high == 0)).any():
        raise ValueError(f"a row weight times a value is below {_SMALLEST:g}: scale the weights or the columns.")
    if not sparse:
        return [high, low] if low.any() else [high]
    made = [sp.csr_array((part, Z.indices, Z.indptr), Z.shape) for part in (high, low)]
    return made if low.any() else made[:1]


# ------------------------------------------------------------------------------------------------------------ logistic


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
        return LogisticLoss(columns, _codes(shard, self.runs), max(2, len(self.runs)), shard.weights)


def _codes(shard: Shard, runs: list[int]) -> Places:
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
        values = np.maximum(values, _largest(Z))
        for at, (_, _, factors) in enumerate(loss.curvature_factors(terms, inside)):
            curvature[at] = np.maximum(curvature[at], _largest(_rooted(Z, factors)))
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
    total = {"scalars": products(np.ones((len(scalars), 1)), scalars, one, tops_of(found.scalars), limbs)}
    tops, sides = tops_of(found.values), tops_of(found.curvature)
    parts: dict[str, list[Digits]] = {"gradient": []}
    for inside, Z in loss.columns.blocks():
        residuals: Any = terms.residuals[inside] * loss.weights[inside, None]
        residuals = sp.csr_array(residuals) if sp.issparse(Z) else residuals
        parts["gradient"].append(products(residuals, Z, tops_of(found.residuals), tops, limbs))
        for at, (k, m, factors) in enumerate(loss.curvature_factors(terms, inside) if curvature else ()):
            U = _rooted(Z, factors)
            parts.setdefault(f"{k} {m}", []).append(products(U, U, sides[at], sides[at], limbs))
    return total | {name: add(some) for name, some in parts.items()}


def _scalars(loss: LogisticLoss, terms: RowTerms) -> Floats:
    each = np.column_stack([terms.losses, terms.others, np.abs(terms.residuals).max(axis=1)])
    return np.asarray(each * loss.weights[:, None])


def _rooted(Z: Any, factors: Floats) -> Any:
    """√|f|·z', whose squares are the curvature."""
    root = np.sqrt(np.abs(factors))
    return Z.multiply(root[:, None]).tocsr() if sp.issparse(Z) else Z * root[:, None]


def _largest(Z: Any) -> Floats:
    found = abs(Z).max(axis=0)
    return np.asarray(found.toarray().ravel() if sp.issparse(found) else found)


# --------------------------------------------------------------------------------------------- looking for a direction


def agreement(shard: Shard, k: int, step: Floats) -> float:
    """The largest y·(response to a step) of the rows that are present."""
    responses = shard.targets[k] * shard.rows.respond(np.array(step))
    return float(responses[shard.present].max(initial=0.0))


def misplaced(shard: Shard, asked: LossAt) -> int:
    """Rows of positive weight whose class does not respond most."""
    return asked.loss(shard).misplaced(asked.W)


def ahead(shard: Shard, asked: LossAt, k: int, v: Floats) -> bool:
    """Whether v·z > 0 for every row of class k that is present, in exact arithmetic."""
    return asked.loss(shard).ahead(k, np.array(v))
