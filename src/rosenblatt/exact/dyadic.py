"""Floats as integers: x = m · 2^e, so sums and products of floats are sums and products of integers.

Nothing here rounds. Sizes are those of Python's integers, so the full range of float64 (1e-323 … 1e308) is fine.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ZERO_EXPONENT", "fraction", "integers", "low_bit", "mantissas"]

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
