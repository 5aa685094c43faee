"""Sparse rows of whole numbers: which are independent, and exact solutions with them.

Elimination modulo a prime finds independent rows and as many columns, pivots where few rows have a value, so that
little fills in. Its two triangles solve the system modulo the prime; lifting makes the solution exact.
"""

from collections.abc import Callable
from math import log2

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Integers
from rosenblatt.exact.dyadic import whole_limbs
from rosenblatt.exact.lifting import Digits, lift
from rosenblatt.exact.modular import PRIME, short_fractions
from rosenblatt.kernels.modular import EliminationState, Triangle, eliminate, solve_across, solve_along, stand_on

__all__ = ["SparseBasis", "SparseRows", "TooDense"]

_STEPS = 1 << 24  # of elimination between two looks at the clock
_ROOM = 1 << 20  # values that a triangle has room for at first
_LARGEST_ROOM = 1 << 28  # values: three gigabytes
_FIRST_BITS = 200  # the first guess at the length of a solution's numbers


class TooDense(Exception):
    """Elimination fills in too much."""


class SparseRows:
    """Whole numbers in CSR: `values` are Python's integers, of any length."""

    def __init__(self, values: npt.ArrayLike, indices: npt.ArrayLike, starts: npt.ArrayLike, width: int) -> None:
        self.values = np.asarray(values, dtype=object)
        self.indices, self.starts = np.asarray(indices, dtype=np.int32), np.asarray(starts, dtype=np.int64)
        self.width = width

    def __len__(self) -> int:
        return len(self.starts) - 1

    def part(self, rows: Integers, columns: Integers) -> "SparseRows":
        """The given rows and columns, in the given order."""
        places = sp.csr_array((np.arange(1, self.values.size + 1), self.indices, self.starts), (len(self), self.width))
        part = sp.csr_array(places[rows][:, columns])
        return SparseRows(self.values[part.data - 1], part.indices, part.indptr, len(columns))

    def transposed(self) -> "SparseRows":
        """The transpose."""
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
        """A whole v, as {column: number}, with row · v = 0 for every row of the basis.

        Of the columns outside the basis, v uses this one only. It is found modulo 2^31 − 1, so the caller must confirm
        it. None where numbers are longer than 15 bits.
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
    """Eliminate all rows: the final state, and the two triangles."""
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
        lower, upper = (_with_room(triangle, r, max(r + 1, d)) for triangle in (lower, upper))
    r = int(rank[0])
    return state, _cut(lower, r), _cut(upper, r)


def _triangle(rows: int, room: int) -> Triangle:
    starts = np.zeros(rows + 1, dtype=np.int64)
    return Triangle(starts, np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64))


def _with_room(triangle: Triangle, rank: int, row: int) -> Triangle:
    """The triangle, made larger where it has no room for one more row of so many values."""
    starts, indices, values = triangle
    size = len(indices)
    if int(starts[rank]) + row <= size:
        return triangle
    if 2 * size > _LARGEST_ROOM:
        raise TooDense
    return Triangle(starts, np.resize(indices, 2 * size), np.resize(values, 2 * size))


def _cut(triangle: Triangle, rank: int) -> Triangle:
    """The triangle without the room that is not used."""
    used = int(triangle.starts[rank])
    return Triangle(triangle.starts[: rank + 1], triangle.indices[:used], triangle.values[:used])


class _System:
    """A square sparse matrix with the triangles of its elimination, or of its transpose's."""

    prime = PRIME

    def __init__(self, matrix: SparseRows, lower: Triangle, upper: Triangle, solver: Callable[..., None]) -> None:
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
        """Bits to try first, and bits that suffice: no determinant is above the product of the rows' lengths."""
        squares = np.add.reduceat(self._matrix.values**2, self._matrix.starts[:-1])
        lengths = sum(log2(square + t * t) / 2 for square, t in zip(squares, target, strict=True))
        return min(_FIRST_BITS, lengths), lengths

    def holds(self, x: list[int], denominator: int, target: list[int]) -> bool:
        """Whether A·x = denominator·target, exactly."""
        return self._matrix.times(x) == [denominator * t for t in target]
