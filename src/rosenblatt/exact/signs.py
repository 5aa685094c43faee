"""The exact sign of w · (x, 1) for many rows: a float sum with an error bound decides almost every row.

The rest, such as rows that lie on the hyperplane, is decided by sums that round nothing.
"""

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Signs
from rosenblatt.exact.dyadic import integers
from rosenblatt.exact.sums import response_signs

__all__ = ["row_signs"]

_UNIT = 2.0**-53


def row_signs(X: npt.ArrayLike, w: npt.ArrayLike) -> Signs:
    """Signs (−1, 0, +1) of x_i · w[:p] + bias for the rows of a dense X; the bias is w[p], where w has one."""
    X = np.asarray(X, dtype=np.float64)
    w = np.asarray(w, dtype=np.float64)
    n, p = X.shape
    if w.size > p:
        X = np.hstack([X, np.ones((n, 1))])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = X * w
        total = products.sum(axis=1)
        size = np.abs(products).sum(axis=1) * (1 + 1e-9)
        error = (w.size + 2) * _UNIT * size + w.size * 5e-324
        sure = np.isfinite(size) & (np.abs(total) > error)
    signs = np.where(sure, np.sign(np.nan_to_num(total)), 0).astype(np.int8)
    unsure = np.flatnonzero(~sure)
    if unsure.size:
        signs[unsure] = response_signs(X[unsure], integers(w)[0].tolist())
    return signs
