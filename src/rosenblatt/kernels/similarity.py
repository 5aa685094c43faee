"""Kernels in the sense of support vector machines: how alike two rows are, as the inner product of their features.

A function is a NamedTuple. `similarity` has one body for each function; `pair_dot` and `pair_distance_sq` have one for
each format of rows. k(x, x') and k(x', x) have the same bits.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, kernel
from rosenblatt.kernels.exponential import exponential
from rosenblatt.kernels.formats import CSR, Dense
from rosenblatt.kernels.lanes import lane_distance_sq, lane_dot

__all__ = ["Gaussian", "Polynomial", "compare_all", "respond_alike"]

_FARTHEST = 708.0  # e^−v is taken as 0 for larger v


class Gaussian(NamedTuple):
    """k(x, x') = exp(−γ·‖x − x'‖²)."""

    gamma: Any


class Polynomial(NamedTuple):
    """k(x, x') = (γ·x·x' + c)^degree."""

    gamma: Any
    coef0: Any
    degree: Any


def similarity(function, rows, i, others, j):
    """k(x_i, x'_j)."""


@overload(similarity, jit_options=INLINE)
def _similarity(function, rows, i, others, j):
    def gaussian(function, rows, i, others, j):
        v = function.gamma * pair_distance_sq(rows, i, others, j)
        return exponential(-v) if v <= _FARTHEST else 0.0

    def polynomial(function, rows, i, others, j):
        base = function.gamma * pair_dot(rows, i, others, j) + function.coef0
        value = base
        for _ in range(function.degree - 1):
            value *= base
        return value

    return {Gaussian: gaussian, Polynomial: polynomial}[function.instance_class]


# ------------------------------------------------------------------------------------------------- many rows at once


@kernel
def compare_all(function, rows, others, j, out, start, stop):
    """out[i] = k(x_i, x'_j) for rows start..stop."""
    for i in range(start, stop):
        out[i] = similarity(function, rows, i, others, j)


@kernel
def respond_alike(function, rows, others, dual, out, start, stop):
    """out[c, i] = Σ_j dual[c, j]·k(x_i, x'_j) for rows start..stop and every c, summed from the first j to the last."""
    for i in range(start, stop):
        for c in range(dual.shape[0]):
            out[c, i] = 0.0
        for j in range(dual.shape[1]):
            alike = similarity(function, rows, i, others, j)
            for c in range(dual.shape[0]):
                out[c, i] += dual[c, j] * alike


# ------------------------------------------------------------------------------------------ one body for each format


def pair_dot(rows, i, others, j):
    """x_i · x'_j; both have the same format."""


@overload(pair_dot, jit_options=INLINE)
def _pair_dot(rows, i, others, j):
    def dense(rows, i, others, j):
        X, Y = rows.X, others.X
        p = X.shape[1]
        if p >= 8:
            return lane_dot(X, i * p, Y, j * p, p)
        s = 0.0
        for k in range(p):
            s += X[i, k] * Y[j, k]
        return s

    def sparse(rows, i, others, j):
        a, end_a = rows.indptr[i], rows.indptr[i + 1]
        b, end_b = others.indptr[j], others.indptr[j + 1]
        s = 0.0
        while a < end_a and b < end_b:
            at, other = rows.indices[a], others.indices[b]
            if at == other:
                s += rows.data[a] * others.data[b]
            a += at <= other
            b += other <= at
        return s

    return {Dense: dense, CSR: sparse}[rows.instance_class]


def pair_distance_sq(rows, i, others, j):
    """‖x_i − x'_j‖²; both have the same format."""


@overload(pair_distance_sq, jit_options=INLINE)
def _pair_distance_sq(rows, i, others, j):
    def dense(rows, i, others, j):
        X, Y = rows.X, others.X
        p = X.shape[1]
        if p >= 8:
            return lane_distance_sq(X, i * p, Y, j * p, p)
        s = 0.0
        for k in range(p):
            s += (X[i, k] - Y[j, k]) ** 2
        return s

    def sparse(rows, i, others, j):
        a, end_a = rows.indptr[i], rows.indptr[i + 1]
        b, end_b = others.indptr[j], others.indptr[j + 1]
        s = 0.0
        while a < end_a or b < end_b:  # a row that has no stored value left gets a column beyond all others
            at = np.int64(rows.indices[a]) if a < end_a else np.int64(1 << 62)
            other = np.int64(others.indices[b]) if b < end_b else np.int64(1 << 62)
            x = rows.data[a] if at <= other else 0.0
            y = others.data[b] if other <= at else 0.0
            s += (x - y) ** 2
            a += at <= other
            b += other <= at
        return s

    return {Dense: dense, CSR: sparse}[rows.instance_class]
