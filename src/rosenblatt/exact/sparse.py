"""Sparse rows of whole numbers: which are independent, and exact solutions with them.

Elimination modulo a prime finds independent rows and as many columns, pivots where few rows have a value, so that
little fills in. Its two triangles solve the system modulo the prime; lifting makes the solution exact.
"""

from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Integers
from rosenblatt.exact.lifting import Digits, lift
from rosenblatt.exact.limbs import whole_limbs
from rosenblatt.exact.modular import PRIME, short_fractions
from rosenblatt.kernels.modular import EliminationState, Triangle, eliminate, solve_across, solve_along, stand_on

__all__ = ["SparseBasis", "SparseRows", "TooDense"]

_STEPS = 1 << 24  # of elimination between two looks at the clock
_ROOM = 1 << 20  # values of the triangles to begin with
_LARGEST_ROOM = 1 << 28  # three gigabytes
_FIRST_BITS = 200  # with which a solution is tried first


class TooDense(Exception):
    """Elimination fills in too much."""


class SparseRows:
    """Whole numbers in CSR: `values` are Python's, whatever their length."""

    def __init__(self, values: Any, indices: Any, starts: Any, width: int) -> None:
        self.values = np.asarray(values, dtype=object)
        self.indices, self.starts = np.asarray(indices, dtype=np.int32), np.asarray(starts, dtype=np.int64)
        self.width = width

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, rows: Any, columns: Any) -> "SparseRows":
        """Some rows and columns, in that order."""
        places = sp.csr_array((np.arange(1, self.values.size + 1), self.indices, self.starts), (len(self), self.width))
        some = sp.csr_array(places[rows][:, columns])
        return SparseRows(self.values[some.data - 1], some.indices, some.indptr, len(columns))

    def transposed(self) -> "SparseRows":
        """Columns as rows."""
        places = sp.csr_array((np.arange(1, self.values.size + 1), self.indices, self.starts), (len(self), self.width))
        turned = sp.csr_array(places.T)
        return SparseRows(self.values[turned.data - 1], turned.indices, turned.indptr, len(self))

    def times(self, v: list[int]) -> list[int]:
        """Rows · v."""
        products = self.values * np.array(v, dtype=object)[self.indices]
        return [int(sum(products[a:b])) for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]


class SparseBasis:
    """`rows` of a matrix that are independent, the first ones preferred, and `columns` in which they are."""

    def __init__(self, matrix: SparseRows, between: Callable[[], None]) -> None:
        state, self._lower, upper = _eliminated(matrix, between)
        r = int(state.rank[0])
        self.rows, self.columns = state.chosen[:r], state.pivots[:r]
        self._whole_upper, self._width = upper, matrix.width
        places = state.place[upper.indices]
        inside = np.concatenate([[0], np.cumsum(places >= 0)])
        self._upper = Triangle(inside[upper.starts], places[places >= 0].astype(np.int32), upper.values[places >= 0])
        self._square = matrix.part(self.rows, self.columns)

    def open_direction(self, rng: np.random.Generator) -> Integers:
        """A random v with row · v = 0 for every row of the basis, modulo 2^31 − 1."""
        v = rng.integers(0, PRIME, size=self._width)
        stand_on(PRIME, self._whole_upper, self.columns, v)
        return v

    def short_direction(self, column: int) -> dict[int, int] | None:
        """Whole v, by their columns, with row · v = 0 for every row of the basis, of the free columns in this one only.

        Modulo 2^31 − 1, so it is to be confirmed; None where its numbers are longer than 15 bits.
        """
        v = np.zeros(self._width, dtype=np.int64)
        v[column] = 1
        stand_on(PRIME, self._whole_upper, self.columns, v)
        at = np.flatnonzero(v)
        found = short_fractions(np.unique(v[at]))
        return None if found is None else {int(j): found[int(v[j])] for j in at}

    def across(self, target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
        """Whole x, one for each column, and a denominator > 0 with rows · x = denominator · target."""
        if not target:
            return [], 1
        return lift(_System(self._square, self._lower, self._upper, solve_across), target, between)

    def along(self, target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
        """Whole x, one for each row, and a denominator > 0 with Σ x · row = denominator · target."""
        if not target:
            return [], 1
        return lift(_System(self._square.transposed(), self._lower, self._upper, solve_along), target, between)


def _eliminated(matrix: SparseRows, between: Callable[[], None]) -> tuple[EliminationState, Triangle, Triangle]:
    """What elimination knows in the end, and its triangles."""
    n, d = len(matrix), matrix.width
    most = min(n, d)
    counts = np.bincount(matrix.indices, minlength=d)
    zeros = [np.zeros(size, dtype=np.int64) for size in (1, most, most, d, d, d, d)]
    rank, chosen, pivots, place, work, seen, touched = zeros
    place -= 1
    seen -= 1
    state = EliminationState(rank, chosen, pivots, place, counts, work, seen, touched)
    whole = Triangle(matrix.starts, matrix.indices, np.array([v % PRIME for v in matrix.values], dtype=np.int64))
    lower, upper = (_triangle(most, max(_ROOM, 2 * d)) for _ in range(2))
    row = 0
    while row < n:
        between()
        row = eliminate(PRIME, whole, state, lower, upper, row, _STEPS)
        r = int(rank[0])
        lower, upper = (_with_room(one, r, max(r + 1, d)) for one in (lower, upper))
    r = int(rank[0])
    return state, _cut(lower, r), _cut(upper, r)


def _triangle(rows: int, room: int) -> Triangle:
    starts = np.zeros(rows + 1, dtype=np.int64)
    return Triangle(starts, np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64))


def _with_room(one: Triangle, rank: int, row: int) -> Triangle:
    """The same with room for one more row at least."""
    used, size = int(one.starts[rank]), len(one.indices)
    if used + row <= size:
        return one
    if 2 * size > _LARGEST_ROOM:
        raise TooDense
    return Triangle(one.starts, np.resize(one.indices, 2 * size), np.resize(one.values, 2 * size))


def _cut(one: Triangle, rank: int) -> Triangle:
    used = int(one.starts[rank])
    return Triangle(one.starts[: rank + 1], one.indices[:used], one.values[:used])


class _System:
    """A square sparse matrix with the triangles of its elimination, or of its transpose's."""

    prime = PRIME

    def __init__(self, matrix: SparseRows, lower: Triangle, upper: Triangle, solver: Any) -> None:
        self.n, self._matrix, self._triangles, self._solver = len(matrix), matrix, (lower, upper), solver
        widest = int(np.diff(matrix.starts).max(initial=1))
        self.bits = 62 - 31 - widest.bit_length()  # sums of products of limbs and digits stay below 2^62
        limbs = whole_limbs(matrix.values.tolist(), self.bits)[::-1].astype(np.int64)  # the lowest first
        self.count = len(limbs)
        self._limbs = [sp.csr_array((limb, matrix.indices, matrix.starts), (self.n, self.n)) for limb in limbs]

    def solve(self, residues: Digits) -> Digits:
        """x with A·x = residues, modulo the prime."""
        x = residues.copy()
        self._solver(self.prime, *self._triangles, x)
        return x

    def times(self, x: Digits) -> Digits:
        """The limbs of A, the lowest first, times x."""
        return np.array([limb @ x for limb in self._limbs])

    def longest(self, target: list[int]) -> tuple[float, float]:
        """Bits to try, and bits that are sure to be enough: no determinant is above the product of lengths of rows."""
        squares = np.add.reduceat(self._matrix.values**2, self._matrix.starts[:-1])
        lengths = sum(log2(square + t * t) / 2 for square, t in zip(squares, target, strict=True))
        return min(_FIRST_BITS, lengths), lengths

    def holds(self, x: list[int], denominator: int, target: list[int]) -> bool:
        """Whether it is a solution."""
        return self._matrix.times(x) == [denominator * t for t in target]
