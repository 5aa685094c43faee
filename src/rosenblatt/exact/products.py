"""Sums of products AᵀB over many rows as whole numbers, so that rows may be added in any order, anywhere.

Each column is cut into limbs of 19 bits below a power of two that is agreed on beforehand. Products of limbs, and sums
of 4096 of them, stay below 2^53: matrix products in float64 make no error. Sums of blocks, and of machines, are sums of
whole numbers, digit by digit. Without a limit on the limbs nothing is lost; with one, each value is first cut off at a
place that depends on its column alone, and products that lie below are left out, for every row alike.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.exact.dyadic import carry, float_limbs, joined
from rosenblatt.later import sparse as sp

__all__ = [
    "BITS",
    "Digits",
    "added_digits",
    "added_products",
    "as_floats",
    "as_whole",
    "distilled",
    "limbs_for",
    "tops_of",
    "two_products",
    "two_sum",
]

BITS = 19
_ROWS = 4096  # rows of a block: (2^19)² · 4096 = 2^50, and float64 adds a few of those exactly
_SPARE = 56  # bits that limited limbs keep, beside those of the number of rows


class Digits(NamedTuple):
    """Numbers Σ_k value[k]·2^(left_i + right_j − (k + 1)·BITS): all but the first digit are in 0 … 2^BITS − 1."""

    value: Places  # levels × columns of A × columns of B
    left: Places  # tops of A's columns
    right: Places


def tops_of(largest: Floats) -> Places:
    """The powers of two that columns with these largest sizes stay below."""
    return np.frexp(largest)[1].astype(np.int64)


def limbs_for(n: int) -> int:
    """Limbs that keep sums over n rows right to the last bits of a float."""
    return -(-(_SPARE + n.bit_length()) // BITS)


def added_products(A: Any, B: Any, left: Places, right: Places, limbs: int | None = None) -> Digits:
    """Σ_i A_i B_iᵀ over the rows of two arrays, or two sparse matrices; all sizes are below 2^left and 2^right.

    >>> found = added_products(np.array([[0.5], [3.0]]), np.array([[0.25], [1.0]]), np.array([2]), np.array([1]))
    >>> as_floats(found)
    array([[3.125]])
    """
    same = B is A
    A, B = ((one.tocsr() if sp.issparse(one) else one) for one in (A, B))
    total = np.zeros((1, A.shape[1], B.shape[1]), dtype=np.int64)
    for first in range(0, A.shape[0], _ROWS):
        some = slice(first, first + _ROWS)
        cut_a = list(float_limbs(A[some], left, BITS, limbs))
        cut_b = cut_a if same else list(float_limbs(B[some], right, BITS, limbs))
        total = _plus(total, _of_block(cut_a, cut_b, total.shape[1:], limbs))
    return Digits(total, left, right)


def added_digits(parts: list[Digits]) -> Digits:
    """The sum of sums."""
    total = reduce(_plus, (part.value for part in parts))
    return Digits(total, parts[0].left, parts[0].right)


def as_whole(digits: Digits) -> tuple[list[list[int]], int]:
    """(numbers, unit): entry (i, j) is numbers_ij · 2^(left_i + right_j − unit)."""
    levels, *shape = digits.value.shape
    numbers = np.array(joined(digits.value.reshape(levels, -1), BITS), dtype=object)
    return numbers.reshape(shape).tolist(), BITS * levels


def as_floats(digits: Digits) -> Floats:
    """The numbers as floats, each rounded once."""
    numbers, unit = as_whole(digits)
    places = (digits.left[:, None] + digits.right - unit).tolist()
    near = [[_rounded(v, e) for v, e in zip(*row, strict=True)] for row in zip(numbers, places, strict=True)]
    return np.array(near).reshape(digits.value.shape[1:])


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """high + low = a + b without error (Knuth's TwoSum)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def distilled(parts: list[Floats]) -> list[Floats]:
    """The same sum, exactly, with the float nearest to it first (but for its last bit), and what that misses after it.

    Sums of neighbours replace them, from the smallest to the largest, until nothing changes (Priest 1991).

    >>> [part.tolist() for part in distilled([np.array([2.0**60]), np.array([1.0]), np.array([-(2.0**60)])])]
    [[1.0], [0.0], [0.0]]
    """
    parts = [part.copy() for part in parts]
    while True:
        before = [part.copy() for part in parts]
        for k in range(len(parts) - 1, 0, -1):
            parts[k - 1], parts[k] = two_sum(parts[k - 1], parts[k])
        if all(np.array_equal(a, b) for a, b in zip(before, parts, strict=True)):
            return parts


def two_products(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """high + low = a·b without error (Dekker 1971), for sizes whose products float64 holds with bits to spare."""
    high = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _rounded(number: int, exponent: int) -> float:
    """number · 2^exponent; Python rounds a quotient of whole numbers once."""
    return float(number << exponent) if exponent >= 0 else number / (1 << -exponent)


def _of_block(cut_a: list[Any], cut_b: list[Any], shape: tuple[int, ...], limbs: int | None) -> Places:
    """The digits of few rows, carried."""
    levels = len(cut_a) + len(cut_b) if limbs is None else limbs + 1
    digits = np.zeros((max(1, levels), *shape), dtype=np.int64)
    for k, a in enumerate(cut_a):
        for m, b in enumerate(cut_b):
            if k + m + 1 >= len(digits) or (cut_a is cut_b and m < k):
                continue
            found = a.T @ b
            part = (found.toarray() if sp.issparse(found) else found).astype(np.int64)
            digits[k + m + 1] += part + part.T if cut_a is cut_b and m > k else part
    carry(digits, BITS)
    return digits


def _plus(a: Places, b: Places) -> Places:
    """The sum, carried; the shorter number has zeros at its end."""
    total = np.zeros((max(len(a), len(b)), *a.shape[1:]), dtype=np.int64)
    total[: len(a)] += a
    total[: len(b)] += b
    carry(total, BITS)
    return total
