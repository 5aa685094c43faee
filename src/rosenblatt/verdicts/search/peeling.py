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

from rosenblatt.arrays import Flags, Places, Signs
from rosenblatt.data.numbers import as_rows
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.points import Points

__all__ = ["Peeling", "peel"]

_SAMPLE = 1000  # rows that show most columns to have both signs
_LARGEST = 1 << 22  # values up to which rows are taken away: the core is a copy


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
            rows = points.rows.subset(self.rows).of_columns(inside)
        else:  # rows of zeros
            rows = as_rows(np.zeros((self.rows.size, 1)))
        return Points(rows, points.y[self.rows], bias, points.context)

    def weights(self, points: Points, w: list[int]) -> list[int]:
        """Weights for all columns from weights w of the core, such that all rows taken away are strict."""
        out = dict(zip(self.columns.tolist(), w, strict=False))
        for j, sign, rows in reversed(self.steps):  # each weight outweighs all that were chosen before it
            largest, least = points.sizes(rows, j)
            against = sum((abs(v) * largest[i] for i, v in out.items()), Fraction(0))
            out[j] = sign * (int(against / least) + 1)
        return primitive([out.get(j, 0) for j in range(points.d)])


def peel(points: Points) -> Peeling | None:
    """What can be taken away; None where nothing can, or where the copy of the remaining rows would be too large."""
    if points.n * points.d > _LARGEST or not _one_sign(points.column_signs(slice(0, _SAMPLE))).any():
        return None
    signs = points.column_signs()
    above, below = np.count_nonzero(signs > 0, axis=0), np.count_nonzero(signs < 0, axis=0)
    left, steps = np.ones(points.n, dtype=bool), list[_Step]()
    while (decisive := np.flatnonzero((above > 0) != (below > 0))).size:
        j = int(decisive[0])
        rows = np.flatnonzero(left & (signs[:, j] != 0))
        steps.append(_Step(j, int(signs[rows[0], j]), rows))
        above -= np.count_nonzero(signs[rows] > 0, axis=0)
        below -= np.count_nonzero(signs[rows] < 0, axis=0)
        left[rows] = False
    taken = [step.j for step in steps]
    return Peeling(steps, np.flatnonzero(left), np.setdiff1d(np.arange(points.d), taken)) if steps else None


def _one_sign(z: Signs) -> Flags:
    """Which columns may be decisive: those that do not have both signs in these rows."""
    return np.asarray(~(np.any(z > 0, axis=0) & np.any(z < 0, axis=0)))
