"""Eliminate equalities: all w with z·w = 0 on every equality are w = N·u, with fewer unknowns u.

A basis of the equalities, found exactly and without making sparse rows dense, leaves some columns free. Each free
column gives one direction v with z·v = 0 on all equalities; these are the columns of N. The inequalities A·w ≥ 0 become
(A·N)·u ≥ 0. A mixture of rows of A·N that is 0 is, in the columns of A, a combination of the equalities.

A·N is exact. Most of its sums are short, and floats hold them. Where a float does not hold a sum, what is missing is a
low part, as a model's rows have them.
"""

from fractions import Fraction
from math import ldexp
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Places
from rosenblatt.exact import SpanTest, low_bit, mantissas
from rosenblatt.regressions import Low
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Basis

__all__ = ["Direction", "Equalities", "Reduction"]

Direction = dict[int, int]  # whole numbers by their columns

_LONGEST = 160  # bits of a direction's numbers: three floats hold them
_PARTS = 4  # columns that one direction may need
_RANGE = 900  # exponents within which floats are neither too large nor too small
_NEVER = 5000  # above the exponent of any float
_BLOCK = 1 << 20  # values looked at in one step


class Equalities:
    """Rows on which z·w must be 0: a basis of them, and the columns that it leaves free."""

    def __init__(self, points: Points) -> None:
        self._points, self._rng = points, np.random.default_rng(0)
        self.basis = self._spanning()
        taken = set(self.basis.columns)
        self.free = [j for j in range(points.d) if j not in taken]

    def _spanning(self) -> Basis:
        """A basis of all rows: that of a sample, joined by rows outside its span until there are none."""
        points, most = self._points, self._points.sample_size
        rows = np.sort(self._rng.choice(points.n, min(points.n, most), replace=False))
        while True:
            points.context.check()
            basis = Basis.of(points, rows)
            outside = self._outside(basis) if basis.rows.size < points.d else rows[:0]
            if not outside.size:
                return basis
            # no more rows than weights: floats would choose among more, and drop rows that differ by less than rounding
            room = most if basis.sparse else points.d - basis.rows.size
            fresh = self._rng.choice(outside, min(outside.size, room), replace=False)
            rows = np.concatenate([basis.rows, fresh])

    def _outside(self, basis: Basis) -> Places:
        """Rows that the basis does not span. About once in 10^9 one is missed; the proof's check would notice it."""
        others = np.setdiff1d(np.arange(self._points.n), basis.rows)
        if basis.sparse:
            return basis.outside(others, self._rng)
        within = SpanTest(self._points.residues(basis.rows), self._rng)
        parts = np.array_split(others, 1 + others.size * self._points.d // _BLOCK)
        return np.concatenate([part[~within(self._points.residues(part))] for part in parts])

    def directions(self, longest: int | None = _LONGEST) -> list[Direction] | None:
        """N, a direction for each free column; None where a number has more than `longest` bits.

        A short direction is guessed first and checked on all rows; where that fails, one exact solve finds it.
        """
        rows, owner = self._points.exact_csr(np.arange(self._points.n)), self._points.parts.owner
        used = np.zeros(self._points.d, dtype=bool)
        used[owner[rows.indices]] = True
        short = [self.basis.short_direction(j) if used[j] else {j: 1} for j in self.free]
        tried = np.flatnonzero([v is not None for v in short])
        sure, sums = _product(rows, _as_columns([v for v in short if v is not None], owner))
        confirmed = set(tried[sure & (np.bincount(sums.indices, minlength=tried.size) == 0)].tolist())
        found = list[Direction]()
        for k, (j, v) in enumerate(zip(self.free, short, strict=True)):
            own = v if v is not None and k in confirmed else self._exactly(j)
            if longest is not None and max(map(abs, own.values())).bit_length() > longest:
                return None
            found.append(own)
        return found

    def _exactly(self, column: int) -> Direction:
        """The direction of one free column, by an exact solve."""
        v = self.basis.pass_through([int(i == column) for i in range(self._points.d)])
        return {i: a for i, a in enumerate(v) if a}

    def factors(self, target: list[Fraction]) -> tuple[dict[int, int], int]:
        """Whole ν on rows and a denominator > 0 with Σ ν·z = denominator · target; the rows must span the target."""
        x, denominator = self.basis.factors(target)
        return {int(i): v for i, v in zip(self.basis.rows, x, strict=True) if v}, denominator


class Reduction(NamedTuple):
    """A·N as floats, one column for each direction, and low parts."""

    values: Any  # CSR without zeros
    low: Low | None

    @property
    def nonzero(self) -> Places:
        """The rows that are not zero."""
        found = np.diff(self.values.indptr) > 0
        return np.flatnonzero(found if self.low is None else found | (np.diff(self.low.values.indptr) > 0))

    @classmethod
    def of(cls, A: Points, N: list[Direction]) -> "Reduction | None":
        """A·N; None where a value would need too many floats."""
        rows, owner = A.exact_csr(np.arange(A.n)), A.parts.owner
        sure, values = _product(rows, _as_columns(N, owner))
        unsure = np.flatnonzero(~sure)
        if not unsure.size:
            return cls(values, None)
        by_column, low, parts = sp.csc_array(rows), list[int](), list[Any]()
        values = sp.csc_array(values)
        columns = [values[:, [k]] for k in range(len(N))]
        for k in unsure.tolist():
            found = _in_parts(by_column, {at: N[k][j] for at, j in enumerate(owner.tolist()) if j in N[k]})
            if found is None:
                return None
            columns[k], *lower = found
            parts += lower
            low += [k] * len(lower)  # low parts of direction k
        made, further = (sp.csr_array(sp.hstack(some, "csr")) if some else None for some in (columns, parts))
        for one in (made, further):
            if one is not None:
                one.eliminate_zeros()
        return cls(made, None if further is None else Low(further, tuple(low)))


def _as_columns(N: list[Direction], owner: Places) -> Any:
    """Directions as columns of floats, in CSC, a row for each part of a value; long numbers are rounded."""
    columns = np.repeat(np.arange(len(N)), [len(v) for v in N])
    places, values = [j for v in N for j in v], [float(a) for v in N for a in v.values()]
    d = int(owner.max(initial=-1)) + 1
    by_weight = sp.csr_array((np.array(values), (np.array(places, dtype=np.int64), columns)), shape=(d, len(N)))
    return sp.csc_array(by_weight[owner])


def _product(A: sp.csr_array, N: sp.csc_array) -> tuple[Flags, Any]:
    """Which columns of A·N are surely exact in floats, and A·N in CSR without zeros; A is CSR, N is CSC.

    In such a column all terms are multiples of one power of two, and their sizes add up to less than 2^53 times it.
    """
    lowest = np.full(A.shape[1], _NEVER)
    np.minimum.at(lowest, A.indices, low_bit(A.data))
    bits = np.full(N.shape[1], _NEVER)
    np.minimum.at(bits, np.repeat(np.arange(N.shape[1]), np.diff(N.indptr)), lowest[N.indices])
    sizes, total = np.zeros(N.shape[1]), sp.csr_array(abs(A) @ abs(N))
    np.maximum.at(sizes, total.indices, total.data)
    made = sp.csr_array(A @ N)
    made.eliminate_zeros()
    whole = np.abs(N).max(axis=0).toarray().ravel() < 2.0**53 if N.shape[1] else np.zeros(0, dtype=bool)
    return whole & np.isfinite(sizes) & (np.frexp(sizes)[1] <= bits + 52), made


def _in_parts(A: sp.csc_array, v: Direction) -> list[Any] | None:
    """A·v (A in CSC) as columns of floats that add up to it; None where more than `_PARTS` would be needed."""
    rows = np.concatenate([A.indices[A.indptr[j] : A.indptr[j + 1]] for j in v])
    m, e = mantissas(np.concatenate([A.data[A.indptr[j] : A.indptr[j + 1]] for j in v]))
    factors = np.repeat(np.array(list(v.values()), dtype=object), [A.indptr[j + 1] - A.indptr[j] for j in v])
    lowest = int(e.min(initial=_NEVER)) if rows.size else 0
    if rows.size and (lowest < -_RANGE or int(e.max()) > _RANGE - _LONGEST):
        return None
    terms = (m.astype(object) << (e - lowest).astype(object)) * factors
    order = np.argsort(rows, kind="stable")
    places, starts = np.unique(rows[order], return_index=True)
    rest = np.add.reduceat(terms[order], starts).tolist() if rows.size else []
    found = list[Any]()
    while any(rest) or not found:
        if len(found) == _PARTS:
            return None
        nearest = [float(value) for value in rest]
        column = [ldexp(value, lowest) for value in nearest]
        found.append(sp.csc_array((column, (places, np.zeros(len(places), dtype=int))), shape=(A.shape[0], 1)))
        rest = [value - int(high) for value, high in zip(rest, nearest, strict=True)]
    return found
