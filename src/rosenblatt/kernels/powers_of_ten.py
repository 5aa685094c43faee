"""Which decimal a float64 stands for: m · 10^e with at most 15 digits, where one is nearest to it.

Floats tell decimals of 15 digits apart, so at most one of them is nearest to a float (but for sizes near the ends of
float64, which the caller reads by itself). In floats x · 10^−e is off by less than 0.34, so m is the whole number
nearest to it, and m · 10^e, rounded once, shows whether x is the float nearest to that decimal.

One pass over all values finds how many decimal places a column has. `places[j]` grows where a value needs more places,
and becomes NONE where a value is nearest to no such decimal. `largest[j]` is max |x|. `differ[j]` says whether some x
is not exactly its decimal. `extreme[j]` says whether some x is too small or too large for this.
"""

import numpy as np

from rosenblatt.kernels.compile import helper, kernel, kernel_inlined
from rosenblatt.kernels.decimals import nearest_bits
from rosenblatt.kernels.instructions import as_float
from rosenblatt.kernels.kinds import LEAST, MOST, NONE

__all__ = ["TENS", "decimal_parts", "raise_places_csr", "raise_places_dense"]

_EXACT = 22  # powers of ten up to this one are floats
TENS = np.array([10.0**k for k in range(_EXACT + 1)])
_ALL_TENS = np.array([float(f"1e{k}") for k in range(-307, 308)])  # the nearest floats
_WHOLE_TENS = np.array([10**k for k in range(9)], dtype=np.int64)


@helper
def _times_ten(m, e):
    """m · 10^e for 0 ≤ m ≤ 10^15, rounded once."""
    if 0 <= e <= _EXACT:
        return np.float64(m) * TENS[e]
    if -_EXACT <= e < 0:
        return np.float64(m) / TENS[-e]
    return as_float(nearest_bits(np.uint64(m), e))


@helper
def _near_decimal(x):
    """(m, e, found): the decimal of 15 digits to which x > 0 is the nearest float; m does not end in 0."""
    e = np.int64(np.floor(np.log10(x))) - 14
    m = np.int64(np.rint(x * _ALL_TENS[307 - e]))
    if m > 10**15:  # the logarithm was rounded, or x is next to a power of ten
        e += 1
        m = np.int64(np.rint(x * _ALL_TENS[307 - e]))
    elif m <= 10**14:
        e -= 1
        m = np.int64(np.rint(x * _ALL_TENS[307 - e]))
    if _times_ten(m, e) != x:
        return 0, 0, False
    for step in (8, 4, 2, 1):
        if m % _WHOLE_TENS[step] == 0:
            m //= _WHOLE_TENS[step]
            e += step
    return m, e, True


@helper
def _look_at_value(x, j, places, differ, extreme):
    """Take in a value that does not fit the places so far, or is long."""
    size = abs(x)
    if size < LEAST or size > MOST:
        extreme[j] = True
        return
    m, e, found = _near_decimal(size)
    if not found:
        places[j] = NONE
        return
    places[j] = max(places[j], -e)
    # x is exactly m · 10^e for whole numbers that floats hold; else only where 5^−e divides m, which 2^−e shows
    if e >= 0:
        differ[j] = differ[j] or e > _EXACT or np.float64(m) * TENS[e] >= 2.0**53
    elif not differ[j]:
        shifted = size * 2.0 ** np.float64(min(-e, 1000))
        differ[j] = shifted != np.rint(shifted)


@kernel_inlined
def _take_in(x, j, places, largest, differ, extreme):
    q = places[j]
    if q == NONE:
        return
    size = abs(x)
    largest[j] = max(largest[j], size)
    if size < 1e15 and np.rint(x) == x:  # a whole number: any places will do
        return
    if q <= _EXACT:
        m = np.rint(x * TENS[q])
        if abs(m) <= 1e15 and m / TENS[q] == x:  # m and 10^q are exact: their quotient is rounded once
            if not differ[j]:
                shifted = x * float(1 << q)
                differ[j] = shifted != np.rint(shifted)
            return
    _look_at_value(x, j, places, differ, extreme)


@kernel
def raise_places_dense(X, places, largest, differ, extreme, start, stop):
    """Take in the rows start..stop of a dense matrix."""
    for i in range(start, stop):
        for j in range(X.shape[1]):
            _take_in(np.float64(X[i, j]), j, places, largest, differ, extreme)


@kernel
def raise_places_csr(data, indices, places, largest, differ, extreme, start, stop):
    """Take in the values start..stop of a CSR matrix."""
    for at in range(start, stop):
        _take_in(np.float64(data[at]), indices[at], places, largest, differ, extreme)


@kernel
def decimal_parts(x, m, e):
    """The decimals m · 10^e of some floats; returns the place of the first that has none, or −1."""
    for i in range(x.shape[0]):
        size = abs(x[i])
        m[i], e[i] = 0, 0
        if size == 0.0:
            continue
        if size < LEAST or size > MOST:
            return i
        whole, power, found = _near_decimal(size)
        if not found:
            return i
        m[i] = whole if x[i] > 0 else -whole
        e[i] = power
    return -1
