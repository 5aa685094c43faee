"""The shortest u with z·u ≥ 1 on all rows of a matrix: Goldfarb & Idnani's dual method (1983), in floats.

Active rows have z·u = 1, and multipliers μ ≥ 0 with u = Σ μ z. The row with the smallest response comes in: its
multiplier grows, those of the others follow, until its own response is 1; a row whose multiplier is 0 by then leaves.

The active rows are kept as Z' = R'·J: the first rows of J, which is orthogonal throughout, span them, and R is
triangular. Rows come in by a Householder reflection and leave by Givens rotations, so nothing is ever squared.

With `free`, a bias does not count in the length of u: z·u + bias·side ≥ 1 and Σ μ·side = 0. Then the last column of Z
is a multiple of `side`, which makes the rows independent; the last weight is 0, for Σ μ·side is.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.compile import kernel, kernel_with_blas

__all__ = ["DONE", "GOING", "STUCK", "ShortestState", "activate", "continue_search", "new_state", "refine"]

GOING, DONE, STUCK = 0, 1, 2
_DEPENDENT = 1e-22  # of a row's squared length: less than that outside of the active rows is rounding
_FINE = 1e-13  # a response this much below 1 is 1


class ShortestState(NamedTuple):
    """Where a search stands; `count` has the number of active rows, `bias` is of one element."""

    J: Any  # (d, d)
    R: Any  # (d, d)
    active: Any  # (d,) rows of Z
    mu: Any  # (d,)
    u: Any  # (d,)
    bias: Any
    count: Any
    work: Any  # (4, d)


def new_state(d: int) -> ShortestState:
    """No active rows, u = 0."""
    one = np.zeros(1)
    return ShortestState(
        np.eye(d),
        np.zeros((d, d)),
        np.zeros(d, dtype=np.int64),
        np.zeros(d),
        np.zeros(d),
        one,
        np.zeros(1, dtype=np.int64),
        np.zeros((4, d)),
    )


@kernel
def _forward(R, k, right, out):
    """Solve Rᵀ out = right."""
    for j in range(k):
        total = right[j]
        for i in range(j):
            total -= R[i, j] * out[i]
        out[j] = total / R[j, j]


@kernel
def _backward(R, k, right, out):
    """Solve R out = right."""
    for i in range(k - 1, -1, -1):
        total = right[i]
        for j in range(i + 1, k):
            total -= R[i, j] * out[j]
        out[i] = total / R[i, i]


@kernel
def _let_in(state, v, row):
    """Row `row`, which is v in the coordinates of J, becomes the last active one."""
    J, R, k, d = state.J, state.R, state.count[0], len(v)
    tail = 0.0
    for i in range(k, d):
        tail += v[i] * v[i]
    corner = -np.copysign(np.sqrt(tail), v[k])
    for i in range(k):
        R[i, k] = v[i]
    R[k, k] = corner
    v[k] -= corner
    size = 0.0
    for i in range(k, d):
        size += v[i] * v[i]
    mirror = state.work[3]
    mirror[:] = 0.0
    for i in range(k, d):
        for j in range(d):
            mirror[j] += v[i] * J[i, j]
    for i in range(k, d):
        factor = 2.0 * v[i] / size
        for j in range(d):
            J[i, j] -= factor * mirror[j]
    state.active[k] = row
    state.count[0] = k + 1


@kernel
def _let_out(state, at):
    """Take the row at this place out of the active ones."""
    J, R, k, d = state.J, state.R, state.count[0], len(state.u)
    for j in range(at + 1, k):
        state.active[j - 1], state.mu[j - 1] = state.active[j], state.mu[j]
        for i in range(j + 1):
            R[i, j - 1] = R[i, j]
    for i in range(at, k - 1):
        length = np.hypot(R[i, i], R[i + 1, i])
        c, s = R[i, i] / length, R[i + 1, i] / length
        for j in range(i, k - 1):
            a, b = R[i, j], R[i + 1, j]
            R[i, j], R[i + 1, j] = c * a + s * b, c * b - s * a
        for j in range(d):
            a, b = J[i, j], J[i + 1, j]
            J[i, j], J[i + 1, j] = c * a + s * b, c * b - s * a
    state.count[0] = k - 1


@kernel
def _sides(state, side):
    """t with Rᵀ t = side of the active rows, in the work space; its square."""
    k, right, t = state.count[0], state.work[3], state.work[1]
    for j in range(k):
        right[j] = side[state.active[j]]
    _forward(state.R, k, right, t)
    total = 0.0
    for j in range(k):
        total += t[j] * t[j]
    return total


@kernel
def _weigh(state, side, free):
    """The multipliers, u and bias of the active rows."""
    k, h, t = state.count[0], state.work[0], state.work[1]
    ones = state.work[3]
    ones[:k] = 1.0
    _forward(state.R, k, ones, h)
    state.bias[0] = 0.0
    if free:
        square, along = _sides(state, side), 0.0
        for j in range(k):
            along += t[j] * h[j]
        state.bias[0] = along / square
        for j in range(k):
            h[j] -= state.bias[0] * t[j]
    _backward(state.R, k, h, state.mu)
    state.u[:] = 0.0
    for i in range(k):
        for j in range(len(state.u)):
            state.u[j] += h[i] * state.J[i, j]


@kernel_with_blas
def _bring_in(Z, side, free, state, row, lacking):
    """Let a row with response 1 − lacking come in; whether that was possible."""
    J, mu, t, along, v = state.J, state.mu, state.work[1], state.work[0], state.work[2]
    while True:
        k = state.count[0]
        np.dot(J, Z[row], v)
        gain, square = 0.0, 0.0
        for i in range(k, len(v)):
            gain += v[i] * v[i]
        for i in range(k):
            square += v[i] * v[i]
        independent = gain > _DEPENDENT * (gain + square)
        lean, length, right = 0.0, 1.0, state.work[3]
        if free:
            length, lean = _sides(state, side), side[row]
            for j in range(k):
                lean -= t[j] * v[j]
            gain += lean * lean / length
        for j in range(k):
            right[j] = v[j] + (lean / length * t[j] if free else 0.0)
        _backward(state.R, k, right, along)  # multipliers fall by it for each unit of the new one
        step, at = np.inf, -1
        for j in range(k):
            if along[j] > 0 and mu[j] < step * along[j]:
                step, at = mu[j] / along[j], j
        if independent and lacking <= step * gain:
            _let_in(state, v, row)
            return True
        if at < 0:
            return False
        for j in range(k):
            mu[j] -= step * along[j]
        lacking -= step * gain
        _let_out(state, at)


@kernel_with_blas
def activate(Z, state, rows):
    """Make some rows active; they must be independent."""
    for row in rows:
        np.dot(state.J, Z[row], state.work[2])
        _let_in(state, state.work[2], row)


@kernel_with_blas
def refine(Z, side, free, state):
    """The active rows' multipliers, u and bias anew, and corrected once by what they are off by.

    Factors of rows whose columns differ much in size are less exact than the rows.
    """
    _weigh(state, side, free)
    k, d, J, mu, u = state.count[0], len(state.u), state.J, state.mu, state.u
    h, t, off = state.work[0], state.work[1], state.work[2]
    for j in range(k):
        off[j] = 1.0 - np.dot(Z[state.active[j]], u) - (state.bias[0] * side[state.active[j]] if free else 0.0)
    square = _sides(state, side) if free else 1.0
    _forward(state.R, k, off, h)
    if free:
        along = 0.0
        for j in range(k):
            along += t[j] * h[j]
        state.bias[0] += along / square
        for j in range(k):
            h[j] -= along / square * t[j]
    for i in range(k):
        for j in range(d):
            u[j] += h[i] * J[i, j]
    if free:  # what rounding left in the last weight is a bias too
        state.bias[0] += u[d - 1] * Z[state.active[0], d - 1] / side[state.active[0]]
        u[d - 1] = 0.0
    off[:] = u
    for i in range(k):
        for j in range(d):
            off[j] -= mu[i] * Z[state.active[i], j]
    for i in range(k):
        h[i] = np.dot(J[i], off)
    _backward(state.R, k, h, off)
    for i in range(k):
        mu[i] += off[i]


@kernel_with_blas
def continue_search(Z, side, free, largest, state, responses, most):
    """So many more rows come in. `largest` has the columns' largest values; `responses` is as long as Z.

    DONE: every response is at least 1, to rounding. STUCK: floats can do no better.
    """
    u = state.u
    _weigh(state, side, free)
    for _ in range(most):
        np.dot(Z, u, responses)
        if free:
            for i in range(len(responses)):
                responses[i] += state.bias[0] * side[i]
        row = np.argmin(responses)
        rounding = _FINE
        for j in range(len(u)):
            rounding += 2.0**-50 * abs(u[j]) * largest[j]
        if not np.isfinite(responses[row]):
            return STUCK
        if responses[row] >= 1.0 - rounding:
            return DONE
        for j in range(state.count[0]):
            if state.active[j] == row:
                return STUCK
        if not _bring_in(Z, side, free, state, row, 1.0 - responses[row]):
            return STUCK
        _weigh(state, side, free)
    return GOING
