"""Ask the memory early for rows that will be shown soon, where the hardware does not do so by itself.

A row takes longer to arrive from memory than to be answered. The hardware guesses the next row where rows come in turn;
it cannot guess permuted rows, nor where the values of a sparse row begin.
"""

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE
from rosenblatt.kernels.formats import CSR, Dense
from rosenblatt.kernels.instructions import prefetch
from rosenblatt.kernels.orders import Cyclic, row_at

__all__ = ["fetch_ahead"]

_DENSE_AHEAD, _SPARSE_AHEAD = 8, 3  # rows
_U = np.uint64


def fetch_ahead(rows, order, t, end, pass_start):
    """At presentation t, ask for the rows of a few presentations later, before `end`."""


@overload(fetch_ahead, jit_options=INLINE)
def _fetch_ahead(rows, order, t, end, pass_start):
    def nothing(rows, order, t, end, pass_start):
        pass

    def dense(rows, order, t, end, pass_start):
        if t + _DENSE_AHEAD < end:
            i, p = _U(row_at(order, t + _DENSE_AHEAD, pass_start)), _U(rows.X.shape[1])
            for j in range(_U(0), p, _U(64 // rows.X.itemsize)):  # a cache line is 64 bytes
                prefetch(rows.X, i * p + j)

    def sparse(rows, order, t, end, pass_start):
        if t + 2 * _SPARSE_AHEAD < end:  # first where the row begins, later its values
            prefetch(rows.indptr, _U(row_at(order, t + 2 * _SPARSE_AHEAD, pass_start)))
        if t + _SPARSE_AHEAD < end:
            i = row_at(order, t + _SPARSE_AHEAD, pass_start)
            for k in range(_U(rows.indptr[i]), _U(rows.indptr[i + 1]), _U(8)):
                prefetch(rows.data, k)
                prefetch(rows.indices, k)

    if rows.instance_class is Dense and order.instance_class is Cyclic:
        return nothing
    return {Dense: dense, CSR: sparse}[rows.instance_class]
