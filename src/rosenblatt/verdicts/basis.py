"""Rows that span others, and the two questions that one exact solve with them answers.

The rows, and as many columns in which they are still independent, make a square system of whole numbers. It levels
weights, so that they pass through all of these rows; and it writes a vector as a combination of them.
"""

from fractions import Fraction
from functools import partial
from math import lcm

import numpy as np
from scipy.linalg import qr

from rosenblatt.exact.linear import independent, solve
from rosenblatt.verdicts.clock import check
from rosenblatt.verdicts.points import Floats, Places, Points

__all__ = ["Basis"]


class Basis:
    """Independent rows, and columns in which they are independent."""

    def __init__(self, points: Points, rows: Places, columns: list[int]) -> None:
        self.rows, self.columns = rows, columns
        self._whole = points.whole(rows)

    @classmethod
    def of(cls, points: Points, rows: Places, weights: Floats | None = None) -> "Basis":
        """A basis of what some rows span; rows of large weight are preferred.

        Floats put rows and columns in an order that is good for floats; which of them are independent is decided
        modulo a prime.
        """
        rows = np.asarray(rows, dtype=np.int64)
        if not rows.size:
            return cls(points, rows, [])
        Z = points.unit_rows(rows)
        if weights is not None:
            Z *= weights[:, None]
        rows = rows[qr(Z.T, mode="r", pivoting=True)[1][: points.d]]
        order = qr(points.unit_rows(rows), mode="r", pivoting=True)[1]
        whole = points.whole(rows).rows
        chosen, columns = independent([[row[j] for j in order] for row in whole])
        return cls(points, rows[chosen], [int(order[j]) for j in columns])

    def level(self, w: list[int], deadline: float | None = None) -> list[int]:
        """Change as few weights as there are rows here, so that w passes through them."""
        v = self._whole.in_units(w)
        at = set(self.columns)
        rest = [j for j in range(len(v)) if j not in at and v[j]]
        target = [-sum(row[j] * v[j] for j in rest) for row in self._whole.rows]
        if not any(target):  # as with a level of a factor that no row has
            return self._whole.weights([0 if j in at else a for j, a in enumerate(v)])
        x, denominator = solve(
            [[row[j] for j in self.columns] for row in self._whole.rows], target, partial(check, deadline)
        )
        sign = -1 if denominator < 0 else 1
        v = [a * denominator * sign for a in v]
        for j, a in zip(self.columns, x, strict=True):
            v[j] = a * sign
        return self._whole.weights(v) if any(v) else v

    def factors(self, target: list[Fraction], deadline: float | None = None) -> tuple[list[int], int]:
        """Whole x and a denominator > 0 with Σ x·z = denominator · target, as far as the basis's columns tell."""
        units = self._whole.units
        right = [target[j] / units[j] for j in self.columns]
        common = lcm(*(t.denominator for t in right))
        system = [[row[j] for row in self._whole.rows] for j in self.columns]
        x, denominator = solve(system, [int(t * common) for t in right], partial(check, deadline))
        denominator *= common
        return (x, denominator) if denominator > 0 else ([-v for v in x], -denominator)
