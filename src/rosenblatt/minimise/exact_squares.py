"""Least squares of rows in blocks, in exact arithmetic: Σ c·zzᵀ and Σ c·y·z are whole numbers, weights are fractions.

The sums do not depend on how rows are cut into blocks, and the weights are the exact solution, rounded once: they have
the same bits whatever the blocks are, and whoever adds up.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import Blocks, Shard
from rosenblatt.exact import (
    Digits,
    added_digits,
    added_products,
    as_whole,
    independent,
    null_space,
    rank,
    solve,
    tops_of,
    two_products,
)
from rosenblatt.minimise.columns import Columns, block, row_ranges
from rosenblatt.minimise.directions import Dependence, cleaned, silent

__all__ = ["ExactSquares", "add_all", "rounded"]

_SMALLEST = 1e-250  # the product of a weight and a value that is smaller has bits that float64 does not hold


@dataclass
class ExactSquares:
    """G = Σ c·zzᵀ, and for every run Σ c·y·z and Σ c·y², as whole numbers over one power of two.

    `numbers` is the matrix Σ c·(z, y)(z, y)ᵀ, with columns divided by 2^tops.
    """

    numbers: list[list[int]]
    tops: list[int]  # of z
    unit: int  # an entry of (z, y)(z, y)ᵀ is number · 2^(tops − unit)
    columns: Columns  # the coordinates in which floats look at them
    free_bias: bool = False  # whether a ridge leaves the last weight alone

    @classmethod
    def of(cls, shards: Blocks, columns: Columns, heaviest: float | None) -> "ExactSquares":
        """Added up by the workers."""
        tops = tops_of(columns.largest)
        found = shards.add(squares, "adding up squares", add_all, tops=tops, heaviest=heaviest)
        numbers, unit = as_whole(found["squares"])
        above = int(found["squares"].left[0] - found["squares"].right[0])  # of the weights
        return cls(numbers, tops.tolist(), unit - above, columns)

    @property
    def d(self) -> int:
        """Weights, the bias included."""
        return len(self.tops)

    def total(self) -> float:
        """Σ c, rounded once."""
        return float(self._scaled(self.numbers[-1][-1], 2))

    def slope(self, w: Floats, k: int) -> list[Fraction]:
        """Σ c·(y − s)·z / 2^tops, exactly."""
        _, G_v = self._through(w)
        return [b - g for b, g in zip(self._right(k), G_v, strict=True)]

    def loss(self, w: Floats, k: int, ridge: float = 0.0) -> Fraction:
        """½Σ c·(y − s)² + ½·ridge·‖w‖², exactly; ‖w‖ without a bias that is free."""
        v, G_v = self._through(w)
        cross = sum((a * (g - 2 * b) for a, g, b in zip(v, G_v, self._right(k), strict=True)), Fraction(0))
        held = w[:-1] if self.free_bias else w
        penalty = Fraction(ridge) * sum((Fraction(float(x)) ** 2 for x in held), Fraction(0))
        return (self._of_labels(k) + cross + penalty) / 2

    def least(self, k: int, ridge: float = 0.0) -> Fraction:
        """The smallest that the loss can be."""
        right = self._right(k)
        found = self._solution(right, ridge, self._all(ridge))
        return (self._of_labels(k) - sum((b * x for b, x in zip(right, found, strict=True)), Fraction(0))) / 2

    def step(self, w: Floats, k: int, delta: float, near: bool = False) -> Floats:
        """(G + δI)⁺ Σ c·(y − s)·z, each rounded once; where columns depend on each other, then made the shortest.

        `near`: columns count as dependent where float64 can tell no difference.
        """
        kept = sorted(set(range(self.d)) - set(self.dependence.dropped)) if near else self._all(delta)
        found = self._solution(self.slope(w, k), delta, kept)
        step = np.array([rounded(x / _power(t)) for x, t in zip(found, self.tops, strict=True)])
        return self.dependence.shortest(step, self.lengths) if near or len(kept) < self.d else step

    @cached_property
    def lengths(self) -> Floats:
        """Of the columns; 1 for one of zeros."""
        squares = [self._scaled(self.numbers[j][j], 0) for j in range(self.d)]
        return np.array([np.ldexp(np.sqrt(float(s)), t) if s else 1.0 for s, t in zip(squares, self.tops, strict=True)])

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others as far as float64 can tell, and whether they are so exactly."""
        found = silent(self.columns, self._in_coordinates())
        directions, dropped = [cleaned(self.columns, v) for v, _ in found], [pivot for _, pivot in found]
        if len(dropped) != self.d - len(self._kept):
            return Dependence(directions, dropped, False)
        true = null_space(self._gram, self.d) if dropped else []
        return Dependence(directions, dropped, rank([[v[j] for j in dropped] for v in true]) == len(dropped))

    def _in_coordinates(self) -> Floats:
        """G in the coordinates of `columns`, each entry rounded once."""
        exponents = [*self.columns.exponent.tolist(), 0]
        scale = np.array([_power(t - e) for t, e in zip(self.tops, exponents, strict=False)], dtype=object)
        G = np.array(self._gram, dtype=object) * np.outer(scale * _power(-self.unit), scale)
        if self.columns.centre.any():
            centre = [*self.columns.centre.tolist(), 0.0]
            m = np.array([Fraction(c) * _power(-e) for c, e in zip(centre, exponents, strict=True)], dtype=object)
            last = G[-1]  # of the bias, whose scale is 1
            G = G - np.outer(m, last) - np.outer(last, m) + np.outer(m, m * last[-1])
        return np.array(G, dtype=np.float64)

    @cached_property
    def _gram(self) -> list[list[int]]:
        """The numbers of G alone."""
        return [row[: self.d] for row in self.numbers[: self.d]]

    @cached_property
    def _kept(self) -> list[int]:
        """Independent columns that span the others, exactly."""
        return independent(self._gram)[0]

    def _all(self, ridge: float) -> list[int]:
        """The columns to solve for: all with a ridge, which makes them independent, else independent ones."""
        return list(range(self.d)) if ridge else self._kept

    def _solution(self, right: list[Fraction], ridge: float, kept: list[int]) -> list[Fraction]:
        """v·2^tops with (G + ridge·I)v = right·2^tops in these columns, zero in others."""
        if not kept:
            return [Fraction(0)] * self.d
        pull = [Fraction(ridge) / _power(2 * t - self.unit) for t in self.tops]
        if self.free_bias:
            pull[-1] = Fraction(0)
        below = max((x.denominator for x in pull), default=1)
        rows = [[self.numbers[i][j] * below + (int(pull[i] * below) if i == j else 0) for j in kept] for i in kept]
        wanted = [right[i] / _power(-self.unit) * below for i in kept]
        common = max(x.denominator for x in wanted)  # all are powers of two
        x, denominator = solve(rows, [int(v * common) for v in wanted])
        found = dict(zip(kept, x, strict=True))
        return [Fraction(found.get(j, 0), denominator * common) for j in range(self.d)]

    def _through(self, w: Floats) -> tuple[list[Fraction], list[Fraction]]:
        """v = w·2^tops, and G·v in columns divided by 2^tops."""
        v = [Fraction(float(x)) * _power(t) for x, t in zip(w, self.tops, strict=True)]
        below = max(x.denominator for x in v)
        moved = np.array(self._gram, dtype=object) @ np.array([int(x * below) for x in v], dtype=object)
        return v, [Fraction(m, below) * _power(-self.unit) for m in moved]

    def _right(self, k: int) -> list[Fraction]:
        """Σ c·y·z of run k, in columns divided by 2^tops."""
        return [self._scaled(row[self.d + k], 1) for row in self.numbers[: self.d]]

    def _of_labels(self, k: int) -> Fraction:
        """Σ c·y² of run k."""
        return self._scaled(self.numbers[self.d + k][self.d + k], 2)

    def _scaled(self, number: int, labels: int) -> Fraction:
        """An entry without the tops of its columns; those of labels are 1."""
        return number * _power(labels - self.unit)


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def rounded(x: Fraction) -> float:
    """The float nearest to x; inf beyond float64."""
    try:
        return float(x)
    except OverflowError:  # the learner refuses infinite weights
        return np.inf


# ----------------------------------------------------------------------------------------------- what a block is asked


def add_all(parts: list[dict[str, Digits]]) -> dict[str, Digits]:
    """The sums of some shards together."""
    return {name: added_digits([part[name] for part in parts]) for name in parts[0]}


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
        parts += [added_products(A, Z, left, right) for A in ([Z] if heaviest is None else _weighed(Z, weights))]
    return {"squares": added_digits(parts)}


def _weighed(Z: Floats | sp.csr_array, weights: Floats) -> list[Floats | sp.csr_array]:
    """Two matrices whose sum is c·Z, without any error."""
    values = Z if isinstance(Z, np.ndarray) else Z.data
    c = weights[:, None] if isinstance(Z, np.ndarray) else np.repeat(weights, np.diff(Z.indptr))
    c = c if weights.size else np.ones_like(values)
    high, low = two_products(values, np.broadcast_to(c, values.shape))
    if ((high != 0) & (np.abs(high) < _SMALLEST)).any() or ((values != 0) & (c != 0) & (high == 0)).any():
        raise ValueError(f"a row weight times a value is below {_SMALLEST:g}: scale the weights or the columns.")
    if isinstance(Z, np.ndarray):
        return [high, low] if low.any() else [high]
    made = [sp.csr_array((part, Z.indices, Z.indptr), Z.shape) for part in (high, low)]
    return made if low.any() else made[:1]
