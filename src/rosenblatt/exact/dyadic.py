"""Floats as integers: x = m · 2^e, so sums and products of floats are sums and products of integers.

Nothing here rounds. Sizes are those of Python's integers, so the full range of float64 (1e-323 … 1e308) is fine.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["dot", "fraction", "integers", "low_bit", "mantissas", "vanishes"]

_ZERO_EXPONENT = 5000  # above the exponent of any finite float: zeros never decide a minimum


def fraction(value: float) -> Fraction:
    """The rational number that a finite float is."""
    return Fraction(*float(value).as_integer_ratio())


def mantissas(values: Any) -> tuple[Any, Any]:
    """int64 m and e with values = m · 2^e and m odd or zero (where e is a large number)."""
    fractions, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    m = np.ldexp(fractions, 53).astype(np.int64)
    trailing = np.frexp((m & -m).astype(np.float64))[1] - 1
    trailing = np.where(m == 0, 0, trailing)
    return m >> trailing, np.where(m == 0, _ZERO_EXPONENT, exponents.astype(np.int64) - 53 + trailing)


def low_bit(values: Any) -> Any:
    """Exponent of the lowest bit set in each float; a large number for zeros."""
    return mantissas(values)[1]


def integers(values: Any) -> tuple[Any, int]:
    """Python integers m (an object array of the same shape) and e with values = m · 2^e."""
    m, e = mantissas(values)
    lowest = int(e.min()) if e.size else 0
    if lowest == _ZERO_EXPONENT:
        return m.astype(object), 0
    shift = np.where(m == 0, 0, e - lowest)
    return m.astype(object) << shift.astype(object), lowest


def dot(x: Any, w: Any) -> tuple[int, int]:
    """x · w of two float vectors as (m, e): the exact value is m · 2^e."""
    mx, ex = integers(x)
    mw, ew = integers(w)
    return int(sum((int(a) * int(b) for a, b in zip(mx, mw, strict=True)), 0)), ex + ew


def vanishes(multipliers: Sequence[int], X: Any, bias: Any = None) -> bool:
    """Whether Σ λ_i · (x_i, bias_i) = 0 exactly, for integers λ; without `bias` the last coordinate is left out."""
    values = np.asarray(X, dtype=np.float64)
    if bias is not None:
        values = np.hstack([values, np.asarray(bias, dtype=np.float64)[:, None]])
    lam = np.array([int(m) for m in multipliers], dtype=object)
    unsettled = np.ones(values.shape[1], dtype=bool)
    if max((abs(int(m)) for m in lam), default=0) < 2**53:
        rough = lam.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            total, size = rough @ values, np.abs(rough) @ np.abs(values) * (1 + 1e-9)
            # float sums far from zero are not zero; sums of short numbers are exact (see exact.signs)
            if np.any(np.abs(total) > (len(lam) + 2) * 2.0**-53 * size + len(lam) * 5e-324):
                return False
            quantum = np.min(low_bit(values), axis=0, initial=_ZERO_EXPONENT)
            unsettled = ~((quantum > -1000) & (size < np.ldexp(1.0, np.minimum(quantum + 53, 1000))))
        if np.any(total[~unsettled] != 0):
            return False
    return all(int(lam @ integers(values[:, j])[0]) == 0 for j in np.flatnonzero(unsettled))
