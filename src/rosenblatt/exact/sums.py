"""Exact sums of many floats times whole numbers of any length, at the speed of matrix products.

Numbers are cut into limbs so short that products of limbs, and sums of as many products as there are rows, stay below
2^53: then float64 adds them without rounding, in any order.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["Sums", "combine", "least_response", "length_sq", "response_signs", "together", "whole_limbs"]

_MODERATE = 500  # bits up to which shifting whole numbers is quicker than taking them apart


class Sums(NamedTuple):
    """A number for each column: numbers_j · 2^units_j."""

    numbers: list[int]
    units: list[int]

    def times(self, factor: int) -> "Sums":
        """So many times these."""
        return Sums([factor * v for v in self.numbers], self.units)


def together(parts: Sequence[Sums], divisors: Sequence[int]) -> list[Fraction]:
    """The parts' sum, each column by its divisor: whole numbers are added, as fractions take many times as long."""
    units, numbers = (np.array([part[k] for part in parts], dtype=object).T for k in (1, 0))
    lowest = units.min(axis=1)
    totals = (numbers << (units - lowest[:, None])).sum(axis=1)
    return [
        Fraction(total << low, divisor) if low >= 0 else Fraction(total, divisor << -low)
        for total, low, divisor in zip(totals.tolist(), lowest.tolist(), divisors, strict=True)
    ]


def combine(factors: Sequence[int] | None, Z: Any) -> Sums:
    """Σ factors_i · Z_i for the rows of Z (an array or CSR), exactly, a number per column; without factors, Σ Z_i."""
    rows, d = Z.shape
    nothing = Sums([0] * d, [0] * d)
    if not rows or not d:
        return nothing
    bits = (52 - rows.bit_length()) // 2
    cut = np.ones((1, rows)) if factors is None else whole_limbs(factors, bits)
    tops, limbs = _float_limbs(Z, bits)
    if not limbs:
        return nothing
    digits = np.zeros((len(limbs) + len(cut) - 1, d), dtype=np.int64)  # the highest first, not yet carried
    for k, limb in enumerate(limbs):
        digits[k : k + len(cut)] += (limb.T @ cut.T).T.astype(np.int64)  # exact: see above
    _carry(digits, bits)
    return Sums(_joined(digits, bits), (tops - len(limbs) * bits).tolist())


def length_sq(vector: Sequence[Fraction]) -> Fraction:
    """The sum of squares: with one denominator, as fractions take time."""
    common = lcm(*(v.denominator for v in vector))
    return Fraction(sum((v.numerator * (common // v.denominator)) ** 2 for v in vector), common**2)


def response_signs(Z: Any, w: Sequence[int]) -> npt.NDArray[np.int8]:
    """The exact signs of Z·w (an array or CSR), for whole numbers w of any length; for a few rows at a time."""
    digits = _responses(Z, w)[0]
    return np.asarray(np.where(digits[0] < 0, -1, np.any(digits != 0, axis=0)), dtype=np.int8)


def least_response(Z: Any, w: Sequence[int]) -> Fraction:
    """The smallest of Z·w (an array or CSR), exactly, for whole numbers w of any length."""
    digits, bits, unit = _responses(Z, w)
    least = np.arange(Z.shape[0])
    for digit in digits:  # the highest first: who is not the smallest there is not the smallest
        least = least[digit[least] == digit[least].min()]
    return _joined(digits[:, least[:1]], bits)[0] * Fraction(2) ** unit


def _responses(Z: Any, w: Sequence[int]) -> tuple[npt.NDArray[np.int64], int, int]:
    """(digits, bits, unit): Z·w are these numbers, a column of carried digits each, the highest first, times 2^unit."""
    rows, d = Z.shape
    bits = (52 - d.bit_length()) // 2
    tops, limbs = _float_limbs(Z, bits)
    if not limbs or not any(w):
        return np.zeros((1, rows), dtype=np.int64), bits, 0
    lowest = int(tops.min())
    cut = whole_limbs([v << int(top - lowest) for v, top in zip(w, tops, strict=True)], bits)
    digits = np.zeros((len(limbs) + len(cut) - 1, rows), dtype=np.int64)
    for k, limb in enumerate(limbs):
        digits[k : k + len(cut)] += (limb @ cut.T).T.astype(np.int64)
    _carry(digits, bits)
    return digits, bits, lowest - len(limbs) * bits


def _joined(digits: npt.NDArray[np.int64], bits: int) -> list[int]:
    """Numbers of these carried digits, a column each: neighbours are joined until one is left."""
    numbers: Any = digits.astype(object)
    while len(numbers) > 1:
        if len(numbers) % 2:
            numbers = np.vstack([np.zeros((1, numbers.shape[1]), dtype=object), numbers])
        numbers = (numbers[::2] << bits) + numbers[1::2]
        bits *= 2
    return [int(v) for v in numbers[0]]


def _carry(digits: npt.NDArray[np.int64], bits: int) -> None:
    """Make every digit but the highest one of 0 … 2^bits − 1; the highest has the sign of the number."""
    for k in range(len(digits) - 1, 0, -1):
        digits[k - 1] += digits[k] >> bits
        digits[k] &= (1 << bits) - 1


def _float_limbs(Z: Any, bits: int) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """(tops, limbs): Z's columns are Σ limb_k · 2^(top − k·bits) for k = 1, 2, …, and limbs are below 2^bits."""
    sparse = sp.issparse(Z)
    sizes = np.zeros(Z.shape[1]) if sparse else np.max(np.abs(Z), axis=0, initial=0.0)
    if sparse:
        np.maximum.at(sizes, Z.indices, np.abs(Z.data))
    tops = np.frexp(sizes)[1].astype(np.int64)  # |Z| < 2^tops
    rest = Z.data.copy() if sparse else Z.copy()
    at = tops[Z.indices] if sparse else tops
    limbs: list[Any] = []
    while rest.any():
        shift = (len(limbs) + 1) * bits - at
        if np.max(np.abs(shift)) < 1000:  # the same, several times as fast
            limb = np.trunc(rest * np.ldexp(1.0, shift))
            rest -= limb * np.ldexp(1.0, -shift)
        else:
            limb = np.trunc(np.ldexp(rest, shift))
            rest -= np.ldexp(limb, -shift)
        limbs.append(sp.csr_array((limb, Z.indices, Z.indptr), Z.shape) if sparse else limb)
    return tops, limbs


def whole_limbs(factors: Sequence[int], bits: int) -> npt.NDArray[np.float64]:
    """Whole numbers cut up, the highest limb first, each limb with its number's sign."""
    longest = max(abs(int(f)).bit_length() for f in factors)
    count = max(1, -(-longest // bits))
    mask = (1 << bits) - 1
    out = np.zeros((count, len(factors)))
    if longest < _MODERATE:
        numbers: Any = np.array([int(f) for f in factors], dtype=np.int64 if longest < 63 else object)
        sizes, signs = np.abs(numbers), np.where(numbers < 0, -1.0, 1.0)
        for k in range(count):
            out[count - 1 - k] = signs * (sizes >> (k * bits) & mask).astype(np.float64)
        return out
    powers = 2.0 ** np.arange(bits)
    for i, f in enumerate(factors):
        octets = np.frombuffer(abs(int(f)).to_bytes(count * bits // 8 + 1, "little"), dtype=np.uint8)
        cut = np.unpackbits(octets, count=count * bits, bitorder="little").reshape(count, bits)
        out[::-1, i] = (-1.0 if f < 0 else 1.0) * (cut @ powers)
    return out
