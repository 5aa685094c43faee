"""The shortest k with which every value of a column is the float nearest to a decimal m/10^k: one pass over all values.

`powers[j]` is the k that did for all values of column j before, and grows where a value needs more; −1: none up to 15.
`largest[j]` is max |x|, `differ[j]` whether some x is not exactly its decimal: those that are have x·2^k whole.
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
    if np.rint(x) == x:  # with any k
        return
    while k <= 15 and np.rint(x * TENS[k]) / TENS[k] != x:  # two exact floats: their quotient is rounded once
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
