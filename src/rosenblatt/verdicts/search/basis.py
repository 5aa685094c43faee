"""Independent rows that span others, and the two tasks that one exact solve with them does.

The rows, and as many columns in which they are still independent, make a square system of whole numbers. One solve
changes weights so that the hyperplane passes through all of these rows; another writes a vector as a combination of
the rows. Rows with few values other than zero stay sparse from beginning to end.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Context, Unfinished
from rosenblatt.exact import ZERO_EXPONENT, independent, mantissas, solve, vanishes_on
from rosenblatt.later import linalg
from rosenblatt.threads import aside
from rosenblatt.verdicts.points import Points, Whole

if TYPE_CHECKING:
    from rosenblatt.exact import SparseBasis

__all__ = ["LARGEST_TABLE", "Basis", "by_pivots", "few_values", "refuse_large_solve", "refuse_large_table", "too_large"]

_FEW = 0.1  # the share of values other than zero up to which rows are taken as sparse
_MANY = 100  # weights from which it is worth while to take rows as sparse
_FEW_ENTRIES = 1 << 12  # of a matrix that NumPy alone factorises at once
_SHORT = 1 << 16  # values of a matrix that is factorised in milliseconds: there is no need to look at the clock
_CUT_BITS = 128  # of a column's largest value when independent rows get responses of 1
_MOST_ROWS = 1 << 17  # rows that are looked at together: they are copied
LARGEST_TABLE = 60  # directions up to which an exact simplex is worth starting: a minute or two
_LARGEST_SOLVE = 2500  # rows of a system that is not sparse: a quarter of an hour in long numbers


class _WrittenOut:
    """The rows of a basis in whole numbers, each column in a unit of its own, and their square system."""

    def __init__(self, whole: Whole, columns: list[int]) -> None:
        self.whole = whole
        self._square = [[row[j] for j in columns] for row in whole.rows]

    def times(self, v: list[int]) -> list[int]:
        """Rows · v."""
        at = [j for j, a in enumerate(v) if a]
        return [sum(row[j] * v[j] for j in at) for row in self.whole.rows]

    def across(self, target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
        """Whole x, one for each column of the basis, and a denominator with rows · x = denominator · target."""
        return solve(self._square, target, between)

    def along(self, target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
        """Whole x, one for each row, and a denominator with Σ x · row = denominator · target."""
        return solve([list(column) for column in zip(*self._square, strict=True)], target, between)


class _SparseWhole(Whole):
    """Rows in CSR as whole numbers, in CSR too, with the same units."""

    def __init__(self, points: Points, rows: Places) -> None:
        from rosenblatt.exact import SparseRows  # loads Numba, as all elimination of sparse rows does

        z, parts = points.exact_csr(rows), points.parts
        m, e = mantissas(z.data)
        e, owner = e + parts.shift[z.indices], parts.owner[z.indices]
        lowest = np.full(points.d, ZERO_EXPONENT)
        np.minimum.at(lowest, owner, np.where(m == 0, ZERO_EXPONENT, e))
        self._take_units(lowest, points.tens, points.unit)
        values = m.astype(object) << np.where(m == 0, 0, e - lowest[owner]).astype(object)
        if z.shape[1] == points.d:
            self.sparse = SparseRows(values, z.indices, z.indptr, points.d)
            return
        row = np.repeat(np.arange(z.shape[0]), np.diff(z.indptr))
        order = np.lexsort((owner, row))
        starts = np.flatnonzero(np.diff(row[order], prepend=-1) | np.diff(owner[order], prepend=-1))
        sums, at = np.add.reduceat(values[order], starts) if starts.size else values, order[starts]
        indptr = np.searchsorted(row[at], np.arange(z.shape[0] + 1))
        self.sparse = SparseRows(sums, owner[at].astype(z.indices.dtype), indptr, points.d)


class _Sparse:
    """The same as `_WrittenOut` for sparse rows."""

    def __init__(self, whole: _SparseWhole, basis: "SparseBasis") -> None:
        self.whole, self.open_direction = whole, basis.open_direction
        self.times = whole.sparse.part(basis.rows, np.arange(whole.sparse.width)).times
        self.across, self.along, self.short_direction = basis.across, basis.along, basis.short_direction


def too_large(rows: int) -> bool:
    """Whether an exact solve of a dense system of so many rows would take too long."""
    return rows > _LARGEST_SOLVE


def refuse_large_solve(rows: int) -> None:
    """Raise Unfinished where such a solve would take too long."""
    if too_large(rows):
        raise _refusal(rows)


def refuse_large_table(directions: int) -> None:
    """Raise Unfinished where an exact simplex in so many directions would take too long."""
    if directions > LARGEST_TABLE:
        raise Unfinished(
            f"float arithmetic could not settle it, and an exact solution in {directions} dimensions is too large"
        )


def _refusal(rows: int) -> Unfinished:
    return Unfinished(f"an exact solution with {rows} rows would be too large")


def by_pivots(A: Floats, context: Context) -> Places:
    """A's columns in the order of their pivots in a float QR: the first ones are independent, to floats."""
    if A.size <= _FEW_ENTRIES:
        return _pivots_of(A)
    factorise = partial(linalg.qr, A, mode="r", pivoting=True)
    return np.asarray((factorise() if A.size <= _SHORT else aside(factorise, context))[1], dtype=np.int64)


def _pivots_of(A: Floats) -> Places:
    """The same of few numbers: always the column that is farthest from the span of those before it."""
    left, order = A.T.copy(), list[int]()
    for _ in range(min(A.shape)):
        squares = np.einsum("ij,ij->i", left, left)
        squares[order] = -1.0
        order.append(int(squares.argmax()))
        if squares[order[-1]] > 0:
            q = left[order[-1]] / np.sqrt(squares[order[-1]])
            left -= np.outer(left @ q, q)
    return np.append(np.array(order, dtype=np.int64), np.setdiff1d(np.arange(A.shape[1]), order))


def few_values(points: Points, rows: Places) -> bool:
    """Whether the rows are sparse enough, and wide enough, to be worked on as sparse rows."""
    return points.d > _MANY and bool(points.exact_csr(rows).nnz <= _FEW * rows.size * points.d)


class Basis:
    """Independent `rows`, and as many `columns` in which they are still independent."""

    def __init__(self, points: Points, rows: Places, columns: list[int], system: _Sparse | None = None) -> None:
        self._points, self.rows, self.columns = points, rows, columns
        self._system = _WrittenOut(points.whole(rows), columns) if system is None else system

    @classmethod
    def of(cls, points: Points, rows: Places, weights: Floats | None = None) -> "Basis":
        """A basis of what some rows span; rows of large weight are preferred.

        Floats put rows and columns in an order that is good for floats; which of them are independent is decided
        modulo a prime.
        """
        rows = np.asarray(rows, dtype=np.int64)
        if not rows.size:
            return cls(points, rows, [])
        if few_values(points, rows):
            return cls._of_sparse(points, rows, weights)
        refuse_large_solve(min(rows.size, points.d))
        Z = points.unit_rows(rows)
        if weights is not None:
            Z *= weights[:, None]
        rows = rows[by_pivots(Z.T, points.context)[: points.d]]
        order = by_pivots(points.unit_rows(rows), points.context)
        whole = points.whole(rows).rows
        chosen, columns = independent([[row[j] for j in order] for row in whole], points.context.check)
        return cls(points, rows[chosen], [int(order[j]) for j in columns])

    @classmethod
    def _of_sparse(cls, points: Points, rows: Places, weights: Floats | None) -> "Basis":
        """The same for sparse rows, by elimination modulo a prime alone; rows of large weight come first."""
        from rosenblatt.exact import SparseBasis, TooDense

        if weights is not None:
            rows = rows[np.argsort(-weights, kind="stable")]
        whole = _SparseWhole(points, rows)
        try:
            basis = SparseBasis(whole.sparse, points.context.check)
        except TooDense:
            raise _refusal(rows.size) from None
        return cls(points, rows[basis.rows], basis.columns.tolist(), _Sparse(whole, basis))

    @property
    def sparse(self) -> bool:
        """Whether the rows are kept sparse."""
        return isinstance(self._system, _Sparse)

    def outside(self, rows: Places, rng: np.random.Generator) -> Places:
        """The rows that a sparse basis does not span. About once in 10^9 it misses one; those it returns are sure."""
        assert isinstance(self._system, _Sparse)
        open_direction, (owner, shift) = self._system.open_direction, self._points.parts
        units = np.array(self._system.whole.exponents)[owner] - shift
        parts = np.array_split(rows, 1 + rows.size // _MOST_ROWS)
        spanned = [vanishes_on(self._points.exact_csr(some), open_direction(rng)[owner], units) for some in parts]
        return rows[~np.concatenate(spanned)]

    def short_direction(self, column: int) -> dict[int, int] | None:
        """A short whole v, as {column: number}, with z·v = 0 on the basis's rows.

        Of the columns outside the basis, v uses this one only. The caller must confirm it. None where the basis is not
        sparse, or numbers are not short.
        """
        found = self._system.short_direction(column) if isinstance(self._system, _Sparse) else None
        if found is None:
            return None
        whole = self._system.whole
        top = max(whole.exponents[j] for j in found)
        v = {j: a * whole.tens[j] << (top - whole.exponents[j]) for j, a in found.items()}
        common = gcd(*v.values())
        return {j: a // common for j, a in v.items()}

    def pass_through(self, w: list[int]) -> list[int]:
        """Change the weights of the basis's columns so that z·w = 0 on its rows; w is scaled to stay whole."""
        whole = self._system.whole
        v = whole.in_units(w)
        rest = list(v)
        for j in self.columns:
            rest[j] = 0
        target = [-t for t in self._system.times(rest)]
        if not any(target):  # for example where w is the level of a factor that none of the rows has
            return whole.weights(rest)
        x, denominator = self._system.across(target, self._points.context.check)
        sign = -1 if denominator < 0 else 1
        v = [a * denominator * sign for a in v]
        for j, a in zip(self.columns, x, strict=True):
            v[j] = a * sign
        return whole.weights(v) if any(v) else v

    def ahead(self) -> list[int]:
        """Short whole w with z·w > 0 on every row of the basis: the w with response 1 on all of them, rounded.

        Values far below the largest of their column are cut first, as long numbers take long to solve with. What is
        found so is confirmed; where it is wrong, the next solve cuts nothing.
        """
        rows = [[row[j] for j in self.columns] for row in self._points.whole(self.rows).rows]
        longest = [max(row[k].bit_length() for row in rows) for k in range(len(self.columns))]
        for bits in (_CUT_BITS, max(longest)):
            cuts = [max(0, size - bits) for size in longest]
            w = self._ahead([[a >> cut for a, cut in zip(row, cuts, strict=True)] for row in rows], cuts)
            if w and np.all(self._points.signs(w, self.rows)[self.rows] > 0):
                return w
        raise AssertionError("independent rows have a w with response 1")  # the last solve is exact

    def _ahead(self, rows: list[list[int]], cuts: list[int]) -> list[int]:
        """The same from rows whose columns were divided by 2^cuts; empty where that has made them dependent."""
        try:
            x, denominator = solve(rows, [1] * len(rows), self._points.context.check)
        except ZeroDivisionError:
            return []
        # a rounded weight is wrong by half a unit at most, so no response by more than a half
        unit = 1 << max(cuts) + max(sum(map(abs, row)) for row in rows).bit_length()
        v = [0] * self._points.d
        for j, a, cut in zip(self.columns, x, cuts, strict=True):
            v[j] = (2 * a * (unit >> cut) + denominator) // (2 * denominator)
        return self._system.whole.weights(v)

    def factors(self, target: list[Fraction]) -> tuple[list[int], int]:
        """Whole x and a denominator > 0 with Σ x·z = denominator · target, in the basis's columns at least."""
        units = self._system.whole.units
        right = [target[j] / units[j] for j in self.columns]
        common = lcm(*(t.denominator for t in right))
        x, denominator = self._system.along([int(t * common) for t in right], self._points.context.check)
        denominator *= common
        return (x, denominator) if denominator > 0 else ([-v for v in x], -denominator)
