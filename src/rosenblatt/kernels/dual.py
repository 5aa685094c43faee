"""The perceptron in the space of a kernel's features, on the same loop, orders and records (Freund and Schapire 1999).

A kernel k(x, x') = φ(x)·φ(x') may have infinitely many features φ(x), so their weights w are never written down. But w
is always a sum Σ α_j φ(x_j). So the response to row i is f_i = Σ α_j k(x_j, x_i), and a correction by a·φ(x_i) is

    α_i += a,        f_j += a·k(x_i, x_j) for every row j.

The loop keeps f in the place of the weights. A presentation looks at one number. A correction adds one row of the
kernel's values; that row is computed when it is first needed, and kept.

A kernel is a NamedTuple. `similarity` has one body for each kernel; `pair_dot` and `pair_distance_sq` have one for each
format of rows. k(x, x') and k(x', x) have the same bits.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, kernel
from rosenblatt.kernels.exponential import exponential
from rosenblatt.kernels.kinds import CSR, Dense
from rosenblatt.kernels.lanes import lane_distance_sq, lane_dot
from rosenblatt.kernels.loop import present
from rosenblatt.kernels.orders import quiet_limit, row_at
from rosenblatt.kernels.records import record_correction

__all__ = ["FETCH", "Dual", "Gaussian", "Kept", "Polynomial", "compare_all", "respond_alike"]

_FARTHEST = 708.0  # e^−v is taken as 0 for larger v

FETCH = 128  # an event: the loop needs the row of the kernel's values for `wanted`, which is not there


class Kept(NamedTuple):
    """The rows of the kernel's values that are kept, and the coefficients α of a run."""

    values: Any  # places × n
    place: Any  # of each row, −1 where it is not kept
    dual: Any  # α
    corrected: Any  # the time just after each row's last correction
    wanted: Any  # one row number


class Dual(NamedTuple):
    """After a mistake, y·f ≤ 0: α_i += y, f += y·k(x_i, ·).

    `budget`: at most so many α are not 0. To make room for another, the loop forgets one row (sets its α to 0): the row
    that would have the largest y·f without itself (Crammer, Kandola and Singer 2003). 0: no limit.
    """

    budget: Any


@overload(present, jit_options=INLINE)
def _present_in_features(rows, y, weights, rule, order, memory, clock, until, board):
    def in_features(rows, y, weights, rule, order, memory, clock, until, board):
        f, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        t, events = clock.t, 0
        end = min(until, clock.quiet_since + quiet)
        while t < end:
            i = row_at(order, t, pass_start)
            a = 0.0 if y[i] * f[i] > 0.0 else np.float64(y[i])
            if weights.size:
                a *= weights[i]  # a row of weight zero is never corrected
            if a != 0.0:
                if rows.place[i] < 0:
                    rows.wanted[0] = i
                    events = FETCH
                    break
                events = _correct_row(rows, i, a, rule.budget, memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    return in_features if rule.instance_class is Dual and isinstance(board, types.NoneType) else None


@helper
def _correct_row(rows, i, a, budget, memory, clock, t):
    """Correct row i by a at time t; first forget a row, if the budget has no room for i. Returns the events."""
    if budget and rows.dual[i] == 0.0:
        used, least, margin = 0, -1, 0.0
        for j in range(rows.dual.size):
            if rows.dual[j] != 0.0:
                used += 1
                without = memory.w[j] - rows.dual[j] * rows.values[rows.place[j], j]
                without = without if rows.dual[j] > 0.0 else -without
                if least < 0 or without > margin:
                    least, margin = j, without
        if used >= budget:
            _add_to_row(rows, least, -rows.dual[least], memory, t)
    _add_to_row(rows, i, a, memory, t)
    rows.corrected[i] = t + 1
    return record_correction(memory, clock, i, a, 1, t)


@helper
def _add_to_row(rows, i, a, memory, t):
    rows.dual[i] += a
    if memory.average.size:
        memory.average[i] += a * t
    place = rows.place[i]
    for j in range(memory.w.size):
        memory.w[j] += a * rows.values[place, j]


# -------------------------------------------------------------------------------- how alike two rows are


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
