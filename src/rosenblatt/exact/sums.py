"""Exact sums of many floats times whole numbers of any length, at the speed of matrix products.

Numbers are cut into limbs so short that products of limbs, and sums of as many products as there are rows, stay below
2^53: then float64 adds them without rounding, in any order.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

__all__ = ["combine"]


def combine(factors: Sequence[int] | None, Z: npt.NDArray[np.float64]) -> list[Fraction]:
    """Σ factors_i · Z_i for the rows of Z, exactly, a number per column; factors of one where there are none."""
    rows, d = Z.shape
    if not rows or not d:
        return [Fraction(0)] * d
    bits = (52 - rows.bit_length()) // 2
    cut = np.ones((1, rows)) if factors is None else _limbs(factors, bits)
    tops = np.frexp(np.max(np.abs(Z), axis=0))[1].astype(np.int64)  # |Z| < 2^tops
    rest = Z.copy()
    totals = [0] * d
    count = 0
    while rest.any():
        count += 1
        limb = np.trunc(np.ldexp(rest, count * bits - tops))
        rest -= np.ldexp(limb, tops - count * bits)
        sums = cut @ limb  # exact: see above
        for j in range(d):
            part = 0
            for value in sums[:, j]:
                part = (part << bits) + int(value)
            totals[j] = (totals[j] << bits) + part
    return [t * Fraction(2) ** (int(top) - count * bits) for t, top in zip(totals, tops, strict=True)]


def _limbs(factors: Sequence[int], bits: int) -> npt.NDArray[np.float64]:
    """Whole numbers cut up, the highest limb first, each limb with its number's sign."""
    count = max(1, -(-max(abs(int(f)).bit_length() for f in factors) // bits))
    mask = (1 << bits) - 1
    out = np.zeros((count, len(factors)))
    for i, f in enumerate(factors):
        size, sign = abs(int(f)), -1.0 if f < 0 else 1.0
        for k in range(count - 1, -1, -1):
            out[k, i] = sign * (size & mask)
            size >>= bits
    return out
