"""The exact sign of w · (x, 1) for many rows: cheap tests first, integers for what is left.

1. a float sum with an error bound decides almost every row;
2. where all products are multiples of one power of two q and their sizes add up to less than 2^53·q, the float sum is
   exact; this settles rows that lie exactly on the hyperplane of short numbers;
3. Python integers decide the rest.
"""

from typing import Any

import numpy as np

from rosenblatt.exact.dyadic import dot, low_bit

__all__ = ["row_signs"]

_UNIT = 2.0**-53


def row_signs(X: Any, w: Any) -> Any:
    """Signs (−1, 0, +1) of x_i · w[:p] + bias for the rows of a dense X; the bias is w[p], where w has one."""
    X = np.asarray(X, dtype=np.float64)
    w = np.asarray(w, dtype=np.float64)
    n, p = X.shape
    signs = np.zeros(n, dtype=np.int8)
    if not w.any():
        return signs
    if w.size > p:
        X = np.hstack([X, np.ones((n, 1))])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = X * w
        total = products.sum(axis=1)
        size = np.abs(products).sum(axis=1) * (1 + 1e-9)
        error = (w.size + 2) * _UNIT * size + w.size * 5e-324
        sure = np.isfinite(size) & (np.abs(total) > error)
        quantum = np.min(np.where(products != 0, low_bit(X) + low_bit(w), 5000), axis=1, initial=5000)
        nothing_lost = ~np.any((products == 0) & (X != 0) & (w != 0), axis=1)
        exact = (
            np.isfinite(size)
            & nothing_lost
            & (quantum > -1000)
            & (size < np.ldexp(1.0, np.minimum(quantum + 53, 1000)))
        )
    signs[:] = np.where(sure | exact, np.sign(np.nan_to_num(total)), 0)
    for i in np.flatnonzero(~(sure | exact)):
        m, _ = dot(X[i], w)
        signs[i] = (m > 0) - (m < 0)
    return signs
