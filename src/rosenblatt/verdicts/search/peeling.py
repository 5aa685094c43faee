"""Rows that one column alone decides are taken away with that column, again and again; what remains is the core.

Where z_j ≥ 0 on all rows, or z_j ≤ 0 on all, a large enough weight on column j makes every row with z_j ≠ 0 strict,
whatever the other weights are, and changes no other row. So these rows are strict in every verdict, and column j is
zero on all others. A level of a factor whose rows all have one class is such a column. Lexicographic stairs, where the
first coordinate that is not zero decides, are peeled away entirely; float arithmetic fails on them, because weights
grow from step to step.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Integers, Places
from rosenblatt.data.numbers import as_rows
from rosenblatt.exact import primitive
from rosenblatt.later import sparse as sp
from rosenblatt.verdicts.points import Points

__all__ = ["Peeling", "peel"]

_SAMPLE = 1000  # rows that show most columns to have both signs
_LARGEST = 1 << 25  # values up to which rows are taken away: the core is a copy


class _Step(NamedTuple):
    """`rows` that column j makes strict: z_j has this sign on each of them, and is zero on all that remain."""

    j: int
    sign: int
    rows: Places


class Peeling(NamedTuple):
    """The steps, and what remains: its rows and columns."""

    steps: list[_Step]
    rows: Places
    columns: Places

    def core(self, points: Points) -> Points:
        """What remains, as points of their own."""
        p, bias = points.rows.p, bool(np.any(self.columns == points.rows.p))
        inside = self.columns[self.columns < p]
        if self.columns.size:
            rows = points.rows.subset(self.rows).of_columns(inside, dense=False)
        else:  # rows of zeros
            rows = as_rows(np.zeros((self.rows.size, 1)))
        return Points(rows, points.y[self.rows], bias, points.context)

    def weights(self, points: Points, w: list[int]) -> list[int]:
        """Weights for all columns from weights w of the core, such that all rows taken away are strict."""
        out = dict(zip(self.columns.tolist(), w, strict=False))
        for j, sign, rows in reversed(self.steps):  # each weight outweighs all that were chosen before it
            largest, least = points.sizes(rows, j)
            against = sum((abs(out[i]) * size for i, size in largest.items() if out.get(i)), Fraction(0))
            out[j] = sign * (int(against / least) + 1)
        return primitive([out.get(j, 0) for j in range(points.d)])


def peel(points: Points) -> Peeling | None:
    """What can be taken away; None where nothing can, or where the copy of the remaining rows would be too large."""
    signs: _SparseSigns | _DenseSigns
    if points.rows.sparse:
        if points.hidden or points.rows.kernel.data.size > _LARGEST:
            return None
        signs = _SparseSigns(points)
    else:
        if points.n * points.d > _LARGEST or not _may_decide(points):
            return None
        signs = _DenseSigns(points)
    left, steps = np.ones(points.n, dtype=bool), list[_Step]()
    above, below = signs.counts(np.arange(points.n))
    while (decisive := np.flatnonzero((above > 0) != (below > 0))).size:
        for j in decisive.tolist():
            if (above[j] > 0) == (below[j] > 0):  # the columns before it have left it no row
                continue
            rows = signs.rows(j)
            rows = rows[left[rows]]
            steps.append(_Step(j, 1 if above[j] else -1, rows))
            fewer = signs.counts(rows)
            above, below = above - fewer[0], below - fewer[1]
            left[rows] = False
    taken = [step.j for step in steps]
    return Peeling(steps, np.flatnonzero(left), np.setdiff1d(np.arange(points.d), taken)) if steps else None


class _DenseSigns:
    """The signs of all values of z."""

    def __init__(self, points: Points) -> None:
        self._signs = points.column_signs()

    def rows(self, j: int) -> Places:
        """The rows in which column j is not zero, in their order."""
        return np.flatnonzero(self._signs[:, j])

    def counts(self, rows: Places) -> tuple[Integers, Integers]:
        """How many values of each column are above zero, and how many below it, in these rows."""
        some = self._signs[rows]
        return np.count_nonzero(some > 0, axis=0), np.count_nonzero(some < 0, axis=0)


class _SparseSigns:
    """The same of rows in CSR, without writing them out."""

    def __init__(self, points: Points) -> None:
        self._by_row = points.signs_csr()
        self._by_column = sp.csc_array(self._by_row)

    def rows(self, j: int) -> Places:
        """The rows in which column j is not zero, in their order."""
        first, stop = self._by_column.indptr[j : j + 2]
        return np.asarray(self._by_column.indices[first:stop], dtype=np.int64)

    def counts(self, rows: Places) -> tuple[Integers, Integers]:
        """How many values of each column are above zero, and how many below it, in these rows."""
        some = self._by_row if rows.size == self._by_row.shape[0] else self._by_row[rows]
        d = self._by_row.shape[1]
        above, below = (np.bincount(some.indices[some.data * sign > 0], minlength=d) for sign in (1, -1))
        return above, below


def _may_decide(points: Points) -> bool:
    """Whether some column of dense rows may be decisive, as it lacks a sign. Few rows rule out most columns."""
    few = points.column_signs(slice(0, _SAMPLE))
    maybe = np.flatnonzero(~(np.any(few > 0, axis=0) & np.any(few < 0, axis=0)))
    if not maybe.size or points.hidden or maybe[-1] == points.rows.p:  # the last: the bias, as one class comes first
        return bool(maybe.size)
    positive = points.y > 0
    X = points.rows.kernel.X[:, maybe]
    above, below = (np.any(np.where(positive, X.T, -X.T) * sign > 0, axis=1) for sign in (1, -1))
    return bool(np.any(above != below))
