"""Equalities first: what the weights can still be, once z·w = 0 holds on every row of some.

The rows' rank, exactly and without writing sparse rows out, leaves some columns free: each gives one direction v with
z·v = 0 on all of them. With N these directions, w = N·u, and the other rows ask A·N of u: fewer and often far fewer
unknowns. A combination of the other rows that vanishes there is one of the equalities in the columns as they were.
"""

from fractions import Fraction

import numpy as np

from rosenblatt.exact.modular import SpanTest
from rosenblatt.verdicts.basis import Basis
from rosenblatt.verdicts.clock import check
from rosenblatt.verdicts.existence.reduction import LONGEST, Direction, as_columns, product
from rosenblatt.verdicts.points import Places, Points

__all__ = ["Equalities"]

_SAMPLE, _SAMPLE_EACH = 200, 4  # rows to begin with, and so many more for each weight
_BLOCK = 1 << 20  # values looked at in one step


class Equalities:
    """Rows on which z·w = 0."""

    def __init__(self, points: Points, deadline: float | None) -> None:
        self._points, self._deadline, self._rng = points, deadline, np.random.default_rng(0)
        self.basis = self._spanning()
        taken = set(self.basis.columns)
        self.free = [j for j in range(points.d) if j not in taken]

    def _spanning(self) -> Basis:
        """A basis of all rows: of a sample, and of rows outside its span until there are none."""
        points, most = self._points, _SAMPLE + _SAMPLE_EACH * self._points.d
        rows = np.sort(self._rng.choice(points.n, min(points.n, most), replace=False))
        while True:
            check(self._deadline)
            basis = Basis.of(points, rows, deadline=self._deadline)
            outside = self._outside(basis) if basis.rows.size < points.d else rows[:0]
            if not outside.size:
                return basis
            # of more rows than weights floats would choose, and leave out what they cannot see
            room = most if basis.sparse else points.d - basis.rows.size
            fresh = self._rng.choice(outside, min(outside.size, room), replace=False)
            rows = np.concatenate([basis.rows, fresh])

    def _outside(self, basis: Basis) -> Places:
        """Rows that the basis does not span; about once in 10^9 one is missed, which the proof's check would notice."""
        others = np.setdiff1d(np.arange(self._points.n), basis.rows)
        if basis.sparse:
            return basis.outside(others, self._rng)
        within = SpanTest(self._points.exact(basis.rows), self._rng)
        parts = np.array_split(others, 1 + others.size * self._points.d // _BLOCK)
        return np.concatenate([some[~within(self._points.exact(some))] for some in parts])

    def directions(self, longest: int | None = LONGEST) -> list[Direction] | None:
        """N, a direction for each free column; None where a number has more bits than the `longest` may.

        First short ones, which rows confirm or refute; then one exact solve each.
        """
        rows = self._points.exact_csr(np.arange(self._points.n))
        used = np.zeros(self._points.d, dtype=bool)
        used[rows.indices] = True
        short = [self.basis.short_direction(j) if used[j] else {j: 1} for j in self.free]
        tried = np.flatnonzero([v is not None for v in short])
        sure, sums = product(rows, as_columns([v for v in short if v is not None], self._points.d))
        confirmed = set(tried[sure & (np.bincount(sums.indices, minlength=tried.size) == 0)].tolist())
        found = list[Direction]()
        for k, (j, v) in enumerate(zip(self.free, short, strict=True)):
            own = v if v is not None and k in confirmed else self._exactly(j)
            if longest is not None and max(map(abs, own.values())).bit_length() > longest:
                return None
            found.append(own)
        return found

    def _exactly(self, column: int) -> Direction:
        """By one exact solve."""
        v = self.basis.pass_through([int(i == column) for i in range(self._points.d)], self._deadline)
        return {i: a for i, a in enumerate(v) if a}

    def factors(self, target: list[Fraction]) -> tuple[dict[int, int], int]:
        """Whole ν on rows and a denominator > 0 with Σ ν·z = denominator · target, if that is spanned."""
        x, denominator = self.basis.factors(target, self._deadline)
        return {int(i): v for i, v in zip(self.basis.rows, x, strict=True) if v}, denominator
