"""How many decimal places a column has: the smallest k such that each value is the float nearest to some m/10^k.

One pass over all values finds it. `powers[j]` is the k of column j so far: it grows where a value needs more places,
and becomes −1 where 15 places are not enough. `largest[j]` is max |x|. `differ[j]` says whether some x is not exactly
its decimal m/10^k; it is exactly that where x·2^k is a whole number.
"""

import numpy as np

from rosenblatt.kernels.compile import kernel, kernel_inlined

__all__ = ["TENS", "raise_powers_csr", "raise_powers_dense"]

TENS = np.array([float(10**k) for k in range(16)])  # exact


@kernel_inlined
def _take_in(x, j, powers, largest, differ):
    k = powers[j]
    if k < 0:
        return
    largest[j] = max(largest[j], abs(x))
    if np.rint(x) == x:  # a whole number: any k will do
        return
    while k <= 15 and np.rint(x * TENS[k]) / TENS[k] != x:  # m and 10^k are exact: their quotient is rounded once
        k += 1
    powers[j] = k if k <= 15 else -1
    if k <= 15 and not differ[j]:
        shifted = x * float(1 << k)
        differ[j] = shifted != np.rint(shifted)


@kernel
def raise_powers_dense(X, powers, largest, differ, start, stop):
    """Take in the rows start..stop of a dense matrix."""
    for i in range(start, stop):
        for j in range(X.shape[1]):
            _take_in(np.float64(X[i, j]), j, powers, largest, differ)


@kernel
def raise_powers_csr(data, indices, powers, largest, differ, start, stop):
    """Take in the values start..stop of a CSR matrix."""
    for at in range(start, stop):
        _take_in(np.float64(data[at]), indices[at], powers, largest, differ)
