"""The columns of z = (x, 1) in coordinates that suit floats: no column has large values, none is far from zero.

z'_j = (x_j − m_j)·2^−e_j, so that |z'_j| ≤ 1. Scaling by a power of two is exact. A centre m_j other than 0 is taken
only where a column is far from zero for its spread, and there is a bias to make up for it; x_j − m_j is rounded once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.numbers import Rows
from rosenblatt.later import linalg
from rosenblatt.later import sparse as sp

__all__ = ["UP", "Columns", "block", "column_ranges", "positive_solution", "product", "row_ranges"]

UP = 1.0 + 1e-6  # a bound times this is above the few rounding errors of its own computation
_WORTH, _FEW = 200, 0.5  # the size and the share of values other than zero from which factors' levels are looked for
_PIECE_ROWS = 4096  # short sums have small error bounds
_PIECE_VALUES = 1 << 21
_LONG_ROW, _FEW_ROWS = 4096, 512  # values
_PLAIN = 400  # exponents up to which rows need not be scaled first
_SMALLEST, _LARGEST = -500, 1020  # exponents: float64 holds these powers of two, and the squares of the small ones


@dataclass(frozen=True)
class Columns:
    """Rows x_i, a column of ones where there is a bias, and the coordinates they are computed in."""

    rows: Rows
    bias: bool
    centre: Floats
    exponent: Integers
    largest: Floats  # max |x_j|, and 1 for the bias

    @classmethod
    def of(cls, rows: Rows, bias: bool) -> "Columns":
        """The coordinates for these rows, found in one pass over them."""
        return cls.within(rows, bias, *column_ranges(rows), centred=not rows.sparse)

    @classmethod
    def as_they_are(cls, rows: Rows, bias: bool) -> "Columns":
        """The caller's own coordinates."""
        nothing = np.zeros(rows.p)
        return cls(rows, bias, nothing, nothing.astype(np.int64), np.full(rows.p + bias, np.inf))

    @classmethod
    def within(cls, rows: Rows, bias: bool, low: Floats, high: Floats, centred: bool) -> "Columns":
        """Coordinates for columns with values from `low` to `high`; `centred` says whether columns may be moved."""
        with np.errstate(over="ignore"):
            middle = low / 2 + high / 2
            far = np.abs(middle) > high - low
        centre = np.where(far & (bias and centred), middle, 0.0)
        reach = np.maximum(np.abs(high - centre), np.abs(low - centre))
        exponent = np.where(reach > 0, np.frexp(reach)[1], 0)
        largest = np.append(np.maximum(np.abs(low), np.abs(high)), np.ones(int(bias)))
        return cls(rows, bias, centre, np.clip(exponent, _SMALLEST, _LARGEST).astype(np.int64), largest)

    @property
    def d(self) -> int:
        """Number of weights, the bias included."""
        return int(self.rows.p + self.bias)

    @cached_property
    def scale(self) -> Floats:
        """2^−e_j, and 1 for the bias."""
        return np.append(np.ldexp(1.0, -self.exponent), np.ones(int(self.bias)))

    def inward(self, g: Floats) -> Floats:
        """gᵀT, where w = T v: a gradient in the caller's weights becomes one in these coordinates."""
        found = g * self.scale
        if self.bias and self.centre.any():
            found[..., :-1] -= g[..., -1:] * (self.scale[:-1] * self.centre)
        return found

    def inward_size(self, g: Floats) -> Floats:
        """gᵀ|T|, for error bounds."""
        found = g * self.scale
        if self.bias and self.centre.any():
            found[..., :-1] += g[..., -1:] * np.abs(self.scale[:-1] * self.centre)
        return found

    def ridge(self, held: Floats) -> Floats:
        """Tᵀ diag(held) T: the curvature of ½·Σ held·w² in these coordinates."""
        found = np.diag(held * self.scale * self.scale)
        if self.bias and self.centre.any() and held[-1]:
            u = np.append(-self.scale[:-1] * self.centre, 1.0)
            found += held[-1] * np.outer(u, u)
            found[-1, -1] -= held[-1]
        return found

    def move(self, v: Floats) -> Floats:
        """w = T v, without the matrix."""
        w = np.array(v)
        with np.errstate(over="ignore", invalid="ignore"):  # a tiny column may need a weight that overflows: no step
            w[..., : self.rows.p] = np.ldexp(v[..., : self.rows.p], -self.exponent)
            if self.bias:
                w[..., -1] -= w[..., :-1] @ self.centre
        return w

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """The rows z' in blocks, sparse where the rows are."""
        for first, stop in row_ranges(self.rows):
            Z = block(self.rows, first, stop, self.bias)
            if self.centre.any():  # never for sparse rows
                Z = Z - np.append(self.centre, np.zeros(int(self.bias)))
            yield slice(first, stop), Z * self.scale

    @property
    def rounding(self) -> float:
        """γ: the relative error of a sum over all rows, of products of up to three rounded factors."""
        sizes = [stop - first for first, stop in row_ranges(self.rows)]
        return float((max(sizes, default=0) + len(sizes) + 32) * 2.0**-53 * UP)

    def doubt(self, w: Floats) -> float:
        """A bound on the rounding error of any response w·(x, 1), however it is summed."""
        with np.errstate(over="ignore"):
            return float((self.d + 16) * 2.0**-53 * UP * np.sum(self.largest * np.abs(w)))

    def transposed(self, R: Floats) -> Floats:
        """Σ r·z' over all rows, for each column of R: a row for each."""
        total, p = np.zeros((R.shape[1], self.d)), self.rows.p
        for inside, X in self.moved(row_ranges(self.rows)):
            total[:, :p] += np.asarray((X.T @ R[inside]).T)
            total[:, p:] += R[inside].sum(axis=0)[:, None]
        return total * self.left

    def moved(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[slice, Any]]:
        """x − m in blocks, without the bias; `left` is what is left to multiply. As they are, blocks cost no copies."""
        for first, stop in ranges:
            X = block(self.rows, first, stop, False)
            if self.centre.any():  # never for sparse rows
                X = X - self.centre
            yield slice(first, stop), X if self._plain else X * self.scale[: self.rows.p]

    @cached_property
    def _plain(self) -> bool:
        """Whether no square of a value leaves float64."""
        return bool(np.abs(self.exponent).max(initial=0) <= _PLAIN)

    @property
    def left(self) -> Floats:
        """The powers of two by which sums over `moved` are multiplied; exact."""
        return self.scale if self._plain else np.ones(self.d)

    def gram(self, weights: Floats) -> Floats:
        """Σ weight·z' z'ᵀ."""
        total, p = np.zeros((self.d, self.d)), self.rows.p
        for inside, X in self.moved(row_ranges(self.rows)):
            c = weights[inside]
            total[:p, :p] += product(X, c)
            if self.bias:
                total[:p, p] += X.T @ c
                total[p, p] += c.sum()
        total[p:, :p] = total[:p, p:].T
        return total * self.left * self.left[:, None]


def column_ranges(rows: Rows, chosen: Flags | None = None) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each column, over all rows or over the `chosen` ones."""
    low, high = np.full(rows.p, np.inf), np.full(rows.p, -np.inf)
    if rows.sparse:
        _widen(low, high, rows, chosen)
        return low, high
    for first, stop in row_ranges(rows):
        X = block(rows, first, stop, False)
        X = X if chosen is None else X[chosen[first:stop]]
        if len(X):
            low = np.minimum(low, _over_rows(np.minimum, X))
            high = np.maximum(high, _over_rows(np.maximum, X))
    return low, high


def _widen(low: Floats, high: Floats, rows: Rows, chosen: Flags | None) -> None:
    """Widen the ranges to the values of sparse rows; where a row has no entry, its value is zero."""
    data, indices, indptr, p = rows.kernel
    entries, present = np.zeros(p, dtype=np.int64), rows.n if chosen is None else int(np.count_nonzero(chosen))
    for first, stop in row_ranges(rows, max(1, int(_PIECE_VALUES / 4 / max(1.0, rows.width)))):  # places take 8 bytes
        inside = slice(indptr[first], indptr[stop])
        values, places = data[inside].astype(np.float64, copy=False), indices[inside].astype(np.int64)
        if chosen is not None:
            kept = np.repeat(chosen[first:stop], np.diff(indptr[first : stop + 1]))
            values, places = values[kept], places[kept]
        np.minimum.at(low, places, values)
        np.maximum.at(high, places, values)
        entries += np.bincount(places, minlength=p)
    gaps = entries < present
    low[gaps], high[gaps] = np.minimum(low[gaps], 0.0), np.maximum(high[gaps], 0.0)


def _over_rows(function: np.ufunc, X: Floats) -> Floats:
    """The smallest or the largest of each column. Several rows are taken for a long one: short rows take longer."""
    n, p = X.shape
    if n <= _FEW_ROWS:
        return np.asarray(function.reduce(X, axis=0))
    several = max(1, min(n, _LONG_ROW // max(1, p)))
    whole = n // several * several
    found = function.reduce(X[:whole].reshape(whole // several, several * p), axis=0).reshape(several, p)
    return np.asarray(function.reduce(np.vstack([found, X[whole:]]), axis=0))


def row_ranges(rows: Rows, most: int = _PIECE_ROWS) -> Iterator[tuple[int, int]]:
    """Ranges of at most so many rows (first, stop), short enough for small error bounds and little memory."""
    size = max(1, min(most, int(_PIECE_VALUES / max(1.0, rows.width))))
    for first in range(0, rows.n, size):
        yield first, min(rows.n, first + size)


def product(Z: "Floats | sp.csr_array", d: Floats) -> Floats:
    """Zᵀ diag(d) Z, dense."""
    if not isinstance(Z, np.ndarray):
        return np.asarray((Z.T @ Z.multiply(d[:, None]).tocsr()).toarray())
    if (d == 1).all():
        return np.asarray(Z.T @ Z)
    if (d >= 0).all():  # half the work: NumPy notices a product of a matrix with its own transpose
        Z = Z * np.sqrt(d)[:, None]
        return np.asarray(Z.T @ Z)
    return np.asarray(Z.T @ (Z * d[:, None]))


def positive_solution(A: Floats, b: Floats) -> Floats:
    """A⁻¹·b for a positive definite A. Raises `np.linalg.LinAlgError` where floats see no such A.

    No row has two levels of a factor, so ZᵀZ is diagonal in them: they are eliminated first, at no cost.
    """
    apart = _diagonal_part(A)
    rest = np.delete(np.arange(len(A)), apart)
    D, B = A.diagonal()[apart], A[np.ix_(apart, rest)]
    if D.min(initial=1.0) <= 0:
        raise np.linalg.LinAlgError("a diagonal entry is not positive")
    shares = B / D[:, None]
    x = np.empty(len(A))
    if rest.size:
        left = A[np.ix_(rest, rest)] - B.T @ shares
        factor = linalg.cho_factor(left, lower=True, overwrite_a=True, check_finite=False)
        x[rest] = linalg.cho_solve(factor, b[rest] - shares.T @ b[apart], check_finite=False)
    x[apart] = b[apart] / D - shares @ x[rest]
    return x


def _diagonal_part(A: Floats) -> Integers:
    """Places between which A is 0, where it is worth while: those with few neighbours first, each that is left."""
    found = list[int]()
    if len(A) >= _WORTH and np.count_nonzero(A) <= _FEW * A.size:
        there = A != 0
        left = np.ones(len(A), dtype=bool)
        for j in np.argsort(np.count_nonzero(there, axis=0), kind="stable").tolist():
            if left[j]:
                found.append(j)
                left &= ~there[j]
    return np.array(found if len(found) > len(A) / 8 else [], dtype=np.int64)


def block(rows: Rows, first: int, stop: int, bias: bool) -> Any:
    """Rows first … stop − 1 as float64, with a column of ones where there is a bias; sparse where the rows are."""
    ones = np.ones((stop - first, 1))
    if not rows.sparse:
        X = rows.kernel.X[first:stop].astype(np.float64, copy=False)
        return np.hstack([X, ones]) if bias else X
    data, indices, indptr, p = rows.kernel
    inside = slice(indptr[first], indptr[stop])
    values, columns = data[inside].astype(np.float64, copy=False), indices[inside].view(np.int32)
    X = sp.csr_array((values, columns, indptr[first : stop + 1] - inside.start), shape=(stop - first, p))
    return sp.hstack([X, sp.csr_array(ones)], format="csr") if bias else X
