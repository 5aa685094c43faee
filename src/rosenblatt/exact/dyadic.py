"""Floats as integers: x = m · 2^e, so sums and products of floats are those of integers; and numbers cut into limbs.

Nothing here rounds. Sizes are those of Python's integers, so the full range of float64 (1e-323 … 1e308) is fine.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.later import sparse as sp

__all__ = [
    "ZERO_EXPONENT",
    "carry",
    "float_limbs",
    "fraction",
    "integers",
    "joined",
    "low_bit",
    "mantissas",
    "whole_limbs",
]

ZERO_EXPONENT = 5000  # of a zero: above the exponent of any finite float, so that zeros never decide a minimum


def fraction(value: float) -> Fraction:
    """The rational number that a finite float is."""
    return Fraction(*float(value).as_integer_ratio())


def mantissas(values: npt.ArrayLike) -> tuple[Any, Any]:
    """int64 m and e with values = m · 2^e and m odd; zeros have m = 0 and e = ZERO_EXPONENT."""
    fractions, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    m = np.ldexp(fractions, 53).astype(np.int64)
    trailing = np.frexp((m & -m).astype(np.float64))[1] - 1
    trailing = np.where(m == 0, 0, trailing)
    return m >> trailing, np.where(m == 0, ZERO_EXPONENT, exponents.astype(np.int64) - 53 + trailing)


def low_bit(values: npt.ArrayLike) -> Any:
    """Exponent of the lowest bit set in each float; ZERO_EXPONENT for zeros."""
    return mantissas(values)[1]


def integers(values: npt.ArrayLike) -> tuple[Any, int]:
    """Python integers m (an object array of the same shape) and e with values = m · 2^e."""
    m, e = mantissas(values)
    lowest = int(e.min()) if e.size else 0
    if lowest == ZERO_EXPONENT:
        return m.astype(object), 0
    shift = np.where(m == 0, 0, e - lowest)
    return m.astype(object) << shift.astype(object), lowest


# ---------------------------------------------------------------------------------------------------------------- limbs
# Σ limb_k · 2^(top − k·bits), the highest limb first. Products of short limbs, and sums of many such products, stay
# below 2^53: float64 makes no error.

_NEAR_ONE = 300  # exponents that leave room for all limbs within float64
_TOGETHER = 1 << 16  # bits of numbers that are taken apart together
_MODERATE = 500  # bits up to which shifting whole numbers is quicker than taking them apart


def float_limbs(Z: Any, tops: Integers, bits: int, most: int | None = None) -> Iterator[Any]:
    """Limbs below 2^bits of Z (an array or CSR): column j is Σ limb_k · 2^(tops_j − k·bits), k from 1 on.

    There are as many as it takes, or the first `most` of them.
    """
    sparse = sp.issparse(Z)
    rest = np.array(Z.data if sparse else Z, dtype=np.float64)
    at = tops[Z.indices] if sparse else tops
    if most is not None and np.max(np.abs(tops), initial=0) < _NEAR_ONE and most * bits < _NEAR_ONE:
        yield from _few_limbs(rest, at, bits, most, Z if sparse else None)
        return
    k = 0
    while rest.any() and (most is None or k < most):
        k += 1
        shift = k * bits - at
        if np.max(np.abs(shift)) < 1000:  # the same, several times as fast
            limb = np.trunc(rest * np.ldexp(1.0, shift))
            rest -= limb * np.ldexp(1.0, -shift)
        else:
            limb = np.trunc(np.ldexp(rest, shift))
            rest -= np.ldexp(limb, -shift)
        yield sp.csr_array((limb, Z.indices, Z.indptr), Z.shape) if sparse else limb


def _few_limbs(rest: Floats, at: Integers, bits: int, most: int, sparse: "sp.csr_array | None") -> Iterator[Any]:
    """The same, in half the time: no limb is so small that float64 does not hold what is left below it."""
    rest *= np.ldexp(1.0, bits - at)
    for k in range(most):
        limb = np.trunc(rest)
        if k + 1 < most:
            rest -= limb
            rest *= 2.0**bits
        yield limb if sparse is None else sp.csr_array((limb, sparse.indices, sparse.indptr), sparse.shape)


def whole_limbs(factors: Sequence[int], bits: int) -> Floats:
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
    powers, length = 2.0 ** np.arange(bits), count * bits // 8 + 1
    step = max(1, _TOGETHER // (count * bits))
    for first in range(0, len(factors), step):
        some = [int(f) for f in factors[first : first + step]]
        octets = np.frombuffer(b"".join(abs(f).to_bytes(length, "little") for f in some), dtype=np.uint8)
        cut = np.unpackbits(octets.reshape(-1, length), axis=1, count=count * bits, bitorder="little")
        signs = np.array([-1.0 if f < 0 else 1.0 for f in some])
        out[::-1, first : first + step] = (cut.reshape(-1, count, bits) @ powers).T * signs
    return out


def carry(digits: Integers, bits: int) -> None:
    """Make every digit but the first, the highest, one of 0 … 2^bits − 1; the highest has the sign of the number."""
    for k in range(len(digits) - 1, 0, -1):
        digits[k - 1] += digits[k] >> bits
        digits[k] &= (1 << bits) - 1


def joined(digits: Integers, bits: int) -> list[int]:
    """Numbers of these digits, carried or not, a column each: neighbours are joined until one is left."""
    numbers: Any = digits.astype(object)
    while len(numbers) > 1:
        if len(numbers) % 2:
            numbers = np.vstack([np.zeros((1, numbers.shape[1]), dtype=object), numbers])
        numbers = (numbers[::2] << bits) + numbers[1::2]
        bits *= 2
    return [int(v) for v in numbers[0]]
