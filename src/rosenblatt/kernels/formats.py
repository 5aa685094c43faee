"""Rows of numbers, dense or sparse, and what the loops do with a row.

A format is a NamedTuple. Each function on it has one body for each format, and Numba picks the body when it compiles: a
loop is written once and runs on both formats.

**The order of summation is part of the contract.** `lanes.py` states it for dense rows; the stored values of a sparse
row are summed in eight lanes; the bias is added last.
"""

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, helper_inlined
from rosenblatt.kernels.kinds import CSR, Dense
from rosenblatt.kernels.lanes import lane_dot

__all__ = ["add_row", "bias_input", "n_columns", "respond", "row_norm", "row_sq"]

# Positions are unsigned: Numba looks at the sign of any other index, in case it counts from the end.
_U = np.uint64


# ------------------------------------------------------------------------------------------ a row and the weights


@helper_inlined
def respond(rows, i, w):
    """s = w · (x_i, 1): the neuron's weighted sum. The bias, where there is one, is the last weight."""
    s = row_dot(rows, i, w)
    p = n_columns(rows)
    if w.size > p:
        s += w[p]
    return s


@helper_inlined
def add_row(rows, i, a, w):
    """w += a · (x_i, 1); without the 1 where w has no bias."""
    row_axpy(rows, i, a, w)
    p = n_columns(rows)
    if w.size > p:
        w[p] += a


@helper_inlined
def bias_input(rows, w):
    """The input that belongs to the bias: 1, or 0 where w has no bias."""
    return 1.0 if w.size > n_columns(rows) else 0.0


@helper
def row_norm(rows, i, bias):
    """‖(x_i, bias)‖, right even if its square leaves the range of float64; 1 for a row of zeros (no direction)."""
    sq = row_sq(rows, i) + bias
    if 1e-280 < sq < 1e280:
        return np.sqrt(sq)
    largest = bias  # the square is too large or too small: divide by the largest value first
    for k in range(row_size(rows, i)):
        largest = max(largest, abs(row_value(rows, i, k)))
    if largest == 0.0:
        return 1.0
    sq = (bias / largest) ** 2
    for k in range(row_size(rows, i)):
        sq += (row_value(rows, i, k) / largest) ** 2
    return largest * np.sqrt(sq)


# ------------------------------------------------------------------------------------------- one body for each format


def n_columns(rows):
    """p, the number of columns."""


@overload(n_columns, jit_options=INLINE)
def _n_columns(rows):
    return {Dense: lambda rows: rows.X.shape[1], CSR: lambda rows: rows.columns}[rows.instance_class]


def row_dot(rows, i, w):
    """x_i · w over the p columns, without the bias."""


@overload(row_dot, jit_options=INLINE)
def _row_dot(rows, i, w):
    def dense(rows, i, w):
        X = rows.X  # no view X[i] of the row: to make one costs a tenth of the loop
        if X.shape[1] >= 8:
            return lane_dot(X, i * X.shape[1], w, 0, X.shape[1])
        s = 0.0
        for j in range(X.shape[1]):
            s += np.float64(X[i, j]) * w[j]
        return s

    def sparse(rows, i, w):
        data, indices = rows.data, rows.indices
        k, end = _U(rows.indptr[i]), _U(rows.indptr[i + 1])
        whole, rest = k + ((end - k) & ~_U(7)), (end - k) & _U(7)
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        while k < whole:
            s0 += data[k] * w[indices[k]]
            s1 += data[k + _U(1)] * w[indices[k + _U(1)]]
            s2 += data[k + _U(2)] * w[indices[k + _U(2)]]
            s3 += data[k + _U(3)] * w[indices[k + _U(3)]]
            s4 += data[k + _U(4)] * w[indices[k + _U(4)]]
            s5 += data[k + _U(5)] * w[indices[k + _U(5)]]
            s6 += data[k + _U(6)] * w[indices[k + _U(6)]]
            s7 += data[k + _U(7)] * w[indices[k + _U(7)]]
            k += _U(8)
        if rest & _U(4):
            s0 += data[k] * w[indices[k]]
            s1 += data[k + _U(1)] * w[indices[k + _U(1)]]
            s2 += data[k + _U(2)] * w[indices[k + _U(2)]]
            s3 += data[k + _U(3)] * w[indices[k + _U(3)]]
            k += _U(4)
        if rest & _U(2):
            s4 += data[k] * w[indices[k]]
            s5 += data[k + _U(1)] * w[indices[k + _U(1)]]
            k += _U(2)
        if rest & _U(1):
            s6 += data[k] * w[indices[k]]
        return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))

    return {Dense: dense, CSR: sparse}[rows.instance_class]


def row_axpy(rows, i, a, w):
    """w += a · x_i over the p columns."""


@overload(row_axpy, jit_options=INLINE)
def _row_axpy(rows, i, a, w):
    def dense(rows, i, a, w):
        X = rows.X
        for j in range(X.shape[1]):
            w[j] += a * X[i, j]

    def sparse(rows, i, a, w):
        for k in range(_U(rows.indptr[i]), _U(rows.indptr[i + 1])):
            w[rows.indices[k]] += a * rows.data[k]

    return {Dense: dense, CSR: sparse}[rows.instance_class]


def row_sq(rows, i):
    """‖x_i‖² over the p columns."""


@overload(row_sq, jit_options=INLINE)
def _row_sq(rows, i):
    def dense(rows, i):
        return row_dot(rows, i, rows.X[i])

    def sparse(rows, i):
        s = 0.0
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            s += np.float64(rows.data[k]) * rows.data[k]
        return s

    return {Dense: dense, CSR: sparse}[rows.instance_class]


def row_size(rows, i):
    """How many values of row i are stored."""


@overload(row_size, jit_options=INLINE)
def _row_size(rows, i):
    def dense(rows, i):
        return rows.X.shape[1]

    def sparse(rows, i):
        return rows.indptr[i + 1] - rows.indptr[i]

    return {Dense: dense, CSR: sparse}[rows.instance_class]


def row_value(rows, i, k):
    """The k-th stored value of row i, as float64."""


@overload(row_value, jit_options=INLINE)
def _row_value(rows, i, k):
    def dense(rows, i, k):
        return np.float64(rows.X[i, k])

    def sparse(rows, i, k):
        return np.float64(rows.data[rows.indptr[i] + k])

    return {Dense: dense, CSR: sparse}[rows.instance_class]
