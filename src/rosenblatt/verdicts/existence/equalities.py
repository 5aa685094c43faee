"""Equalities first: what the weights can still be, once z·w = 0 holds on every row of some.

The rows' rank, exactly and without writing sparse rows out, leaves some columns free: each gives one direction v with
z·v = 0 on all of them. With N these directions, w = N·u, and the other rows ask A·N of u: fewer and often far fewer
unknowns. A combination of the other rows that vanishes there is one of the equalities in the columns as they were.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.data.rows import as_rows
from rosenblatt.exact.dyadic import low_bit
from rosenblatt.exact.modular import SpanTest
from rosenblatt.verdicts.basis import Basis, few_values
from rosenblatt.verdicts.clock import check
from rosenblatt.verdicts.points import Places, Points

__all__ = ["Equalities", "product"]

_SAMPLE, _SAMPLE_EACH = 200, 4  # rows to begin with, and so many more for each weight
_BLOCK = 1 << 20  # values looked at in one step
_EXACT = 2.0**53  # whole numbers up to this are floats
_NEVER = 5000  # above the exponent of any float


class Equalities:
    """Rows z, dense or CSR, on which z·w = 0."""

    def __init__(self, Z: Any, deadline: float | None) -> None:
        self._points = Points(as_rows(Z), np.ones(Z.shape[0], dtype=np.int8), False)
        self._deadline, self._rng = deadline, np.random.default_rng(0)
        self.basis = self._spanning()
        taken = set(self.basis.columns)
        self.free = [j for j in range(Z.shape[1]) if j not in taken]

    def _spanning(self) -> Basis:
        """A basis of all rows: of a sample, and of rows outside its span until there are none."""
        points, most = self._points, _SAMPLE + _SAMPLE_EACH * self._points.d
        rows = np.sort(self._rng.choice(points.n, min(points.n, most), replace=False))
        while True:
            check(self._deadline)
            basis = Basis.of(points, rows, deadline=self._deadline)
            if rows.size == points.n or basis.rows.size == points.d:
                return basis
            outside = self._outside(basis, rows)
            if not outside.size:
                return basis
            fresh = self._rng.choice(outside, min(outside.size, most), replace=False)
            rows = np.concatenate([basis.rows, fresh])

    def _outside(self, basis: Basis, looked_at: Places) -> Places:
        """Rows that the basis does not span; about once in 10^9 one is missed, which the proof's check would notice."""
        others = np.setdiff1d(np.arange(self._points.n), looked_at)
        if few_values(self._points, basis.rows):
            return basis.outside(others, self._rng)
        within = SpanTest(self._points.exact(basis.rows), self._rng)
        parts = np.array_split(others, 1 + others.size * self._points.d // _BLOCK)
        return np.concatenate([some[~within(self._points.exact(some))] for some in parts])

    def directions(self) -> Any:
        """N, a column for each free column of the rows, as floats in CSC; None where its numbers are too long.

        First short ones, which rows confirm or refute; then one exact solve each.
        """
        rows = self._points.exact_csr(np.arange(self._points.n))
        used = np.zeros(self._points.d, dtype=bool)
        used[rows.indices] = True
        found = [self.basis.short_direction(j) if used[j] else {j: 1} for j in self.free]
        tried = np.flatnonzero([v is not None for v in found])
        if tried.size:
            N = self._columns([found[k] for k in tried])
            exact, sums = product(rows, N)
            for k in tried[~exact | (np.bincount(sums.indices, minlength=tried.size) > 0)]:
                found[k] = None
        for k, j in enumerate(self.free):
            if found[k] is None:
                found[k] = self._exactly(j)
        return None if None in found else self._columns(found)

    def _exactly(self, column: int) -> dict[int, int] | None:
        """By one exact solve; None where it is too long for floats."""
        v = self.basis.pass_through([int(i == column) for i in range(self._points.d)], self._deadline)
        return None if max(map(abs, v)) >= _EXACT else {i: a for i, a in enumerate(v) if a}

    def _columns(self, found: list[Any]) -> Any:
        columns = np.repeat(np.arange(len(found)), [len(v) for v in found])
        places, values = [j for v in found for j in v], [float(a) for v in found for a in v.values()]
        return sp.csc_array((values, (places, columns)), shape=(self._points.d, len(found)))

    def factors(self, target: list[Fraction]) -> tuple[dict[int, int], int]:
        """Whole ν on rows and a denominator > 0 with Σ ν·z = denominator · target, if that is spanned."""
        x, denominator = self.basis.factors(target, self._deadline)
        return {int(i): v for i, v in zip(self.basis.rows, x, strict=True) if v}, denominator


def product(A: Any, N: Any) -> tuple[npt.NDArray[np.bool_], Any]:
    """Which columns of A·N (A in CSR, N in CSC) floats are sure to hold exactly, and A·N in CSR without zeros.

    All terms of such a column are multiples of one power of two, and their sizes add up to less than 2^53 of it.
    """
    lowest = np.full(A.shape[1], _NEVER)
    np.minimum.at(lowest, A.indices, low_bit(A.data))
    bits = np.full(N.shape[1], _NEVER)
    np.minimum.at(bits, np.repeat(np.arange(N.shape[1]), np.diff(N.indptr)), lowest[N.indices])
    sizes, total = np.zeros(N.shape[1]), sp.csr_array(abs(A) @ abs(N))
    np.maximum.at(sizes, total.indices, total.data)
    made = sp.csr_array(A @ N)
    made.eliminate_zeros()
    return np.isfinite(sizes) & (np.frexp(sizes)[1] <= bits + 52), made
