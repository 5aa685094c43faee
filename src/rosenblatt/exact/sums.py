"""Exact sums of many floats times whole numbers of any length, as fast as matrix products; exact signs of w · (x, 1).

Numbers are cut into limbs so short that products of limbs, and sums of as many products as there are rows, stay below
2^53: then float64 adds them without rounding, in any order.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Integers, Matrix, Signs
from rosenblatt.exact.dyadic import carry, float_limbs, integers, joined, whole_limbs
from rosenblatt.later import sparse as sp

__all__ = ["Sums", "combine", "least_response", "length_sq", "response_signs", "row_signs", "together", "vanishes"]


_NOTHING = Fraction(0)


class Sums(NamedTuple):
    """A number for each column: numbers_j · 2^units_j."""

    numbers: list[int]
    units: list[int]

    def times(self, factor: int) -> "Sums":
        """These numbers times a factor."""
        return Sums([factor * v for v in self.numbers], self.units)


def together(parts: Sequence[Sums], divisors: Sequence[int]) -> list[Fraction]:
    """The sum of the parts, each column divided by its divisor; whole numbers add many times as fast as fractions."""
    units, numbers = (np.array([part[k] for part in parts], dtype=object).T for k in (1, 0))
    lowest = units.min(axis=1)
    totals = (numbers << (units - lowest[:, None])).sum(axis=1)
    return [
        _NOTHING if not total else Fraction(total << low, divisor) if low >= 0 else Fraction(total, divisor << -low)
        for total, low, divisor in zip(totals.tolist(), lowest.tolist(), divisors, strict=True)
    ]


def combine(factors: Sequence[int] | None, Z: Matrix) -> Sums:
    """Σ factors_i · Z_i for the rows of Z (an array or CSR), exactly, a number per column; without factors, Σ Z_i."""
    rows, d = Z.shape
    nothing = Sums([0] * d, [0] * d)
    if not rows or not d:
        return nothing
    bits = (52 - rows.bit_length()) // 2
    cut = np.ones((1, rows)) if factors is None else whole_limbs(factors, bits)
    tops = _tops(Z)
    limbs = list(float_limbs(Z, tops, bits))
    if not limbs:
        return nothing
    digits = np.zeros((len(limbs) + len(cut) - 1, d), dtype=np.int64)  # the highest first, of any size
    for k, limb in enumerate(limbs):
        digits[k : k + len(cut)] += (limb.T @ cut.T).T.astype(np.int64)  # exact: see above
    return Sums(joined(digits, bits), (tops - len(limbs) * bits).tolist())


def vanishes(multipliers: Sequence[int], X: npt.ArrayLike, bias: npt.ArrayLike | None = None) -> bool:
    """Whether Σ λ_i · (x_i, bias_i) = 0 exactly, for integers λ; without `bias` the last coordinate is left out."""
    values = np.asarray(X, dtype=np.float64)
    if bias is not None:
        values = np.column_stack([values, np.asarray(bias, dtype=np.float64)])
    return not any(combine(multipliers, values).numbers)


def length_sq(vector: Sequence[Fraction]) -> Fraction:
    """The sum of squares, over one common denominator: to add fractions one by one takes long."""
    common = lcm(*(v.denominator for v in vector))
    return Fraction(sum((v.numerator * (common // v.denominator)) ** 2 for v in vector), common**2)


def response_signs(Z: Matrix, w: Sequence[int]) -> Signs:
    """The exact signs of Z·w (an array or CSR), for whole numbers w of any length; for a few rows at a time."""
    digits = _whole_responses(Z, w)[0]
    return np.asarray(np.where(digits[0] < 0, -1, np.any(digits != 0, axis=0)), dtype=np.int8)


def least_response(Z: Matrix, w: Sequence[int]) -> Fraction:
    """The smallest of Z·w (an array or CSR), exactly, for whole numbers w of any length."""
    digits, bits, unit = _whole_responses(Z, w)
    least = np.arange(Z.shape[0])
    for digit in digits:  # from the highest digit on, keep the rows in which it is smallest
        least = least[digit[least] == digit[least].min()]
    return joined(digits[:, least[:1]], bits)[0] * Fraction(2) ** unit


def _whole_responses(Z: Matrix, w: Sequence[int]) -> tuple[Integers, int, int]:
    """(digits, bits, unit): column i has the digits of row i's response, the highest first, carried; times 2^unit."""
    rows, d = Z.shape
    bits = (52 - d.bit_length()) // 2
    tops = _tops(Z)
    limbs = list(float_limbs(Z, tops, bits))
    if not limbs or not any(w):
        return np.zeros((1, rows), dtype=np.int64), bits, 0
    lowest = int(tops.min())
    cut = whole_limbs([v << int(top - lowest) for v, top in zip(w, tops, strict=True)], bits)
    digits = np.zeros((len(limbs) + len(cut) - 1, rows), dtype=np.int64)
    for k, limb in enumerate(limbs):
        digits[k : k + len(cut)] += (limb @ cut.T).T.astype(np.int64)
    carry(digits, bits)
    return digits, bits, lowest - len(limbs) * bits


def _tops(Z: Any) -> Integers:
    """Exponents of two that the columns of Z (an array or CSR) stay below."""
    if not sp.issparse(Z):
        return np.asarray(np.frexp(np.max(np.abs(Z), axis=0, initial=0.0))[1], dtype=np.int64)
    sizes = np.zeros(Z.shape[1])
    np.maximum.at(sizes, Z.indices, np.abs(Z.data))
    return np.asarray(np.frexp(sizes)[1], dtype=np.int64)


_UNIT = 2.0**-53


def row_signs(X: npt.ArrayLike, w: npt.ArrayLike) -> Signs:
    """Signs (−1, 0, +1) of x_i · w[:p] + bias for the rows of a dense X; the bias is w[p], where w has one.

    A float sum with an error bound decides almost every row; the others, such as rows on the plane, are summed exactly.
    """
    X = np.asarray(X, dtype=np.float64)
    w = np.asarray(w, dtype=np.float64)
    n, p = X.shape
    if w.size > p:
        X = np.hstack([X, np.ones((n, 1))])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = X * w
        total = products.sum(axis=1)
        size = np.abs(products).sum(axis=1) * (1 + 1e-9)
        error = (w.size + 2) * _UNIT * size + w.size * 5e-324
        sure = np.isfinite(size) & (np.abs(total) > error)
    signs = np.where(sure, np.sign(np.nan_to_num(total)), 0).astype(np.int8)
    unsure = np.flatnonzero(~sure)
    if unsure.size:
        signs[unsure] = response_signs(X[unsure], integers(w)[0].tolist())
    return signs
