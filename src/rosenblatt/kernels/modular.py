"""Sparse rows modulo a prime below 2^31: elimination row by row, and solutions with its two triangles L and U.

The k-th independent row is Σ_{j≤k} L_kj · U_j. U_j has 1 in the column of its pivot, and 0 in the columns of earlier
pivots. L keeps the inverse of L_kk instead of L_kk, last in its row. A row that depends on earlier rows adds nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.kernels.compile import kernel

__all__ = ["EliminationState", "Triangle", "eliminate", "solve_across", "solve_along", "stand_on"]


class Triangle(NamedTuple):
    """A triangular matrix, row by row: the entries of row k are at starts[k] … starts[k + 1]."""

    starts: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[np.int64]


class EliminationState(NamedTuple):
    """What an elimination knows and works with: d columns."""

    rank: npt.NDArray[np.int64]  # one number
    chosen: npt.NDArray[np.int64]  # the rows that are independent
    pivots: npt.NDArray[np.int64]  # their columns
    place: npt.NDArray[np.int64]  # of a column: its pivot's number, or −1
    counts: npt.NDArray[np.int64]  # of a column: how many rows have it; a pivot is chosen where few rows have it
    work: npt.NDArray[np.int64]  # the row at hand, dense; zeros between rows
    seen: npt.NDArray[np.int64]  # of a column: the last row that had it, or −1
    touched: npt.NDArray[np.int64]  # columns of the row at hand


@kernel
def eliminate(prime, matrix, state, lower, upper, first, budget):
    """Take rows from `first` on until about `budget` steps are done or the arrays are full; returns the next row."""
    d = len(state.work)
    for i in range(first, len(matrix.starts) - 1):
        r = state.rank[0]
        room = upper.starts[r] + d <= len(upper.indices) and lower.starts[r] + r + 1 <= len(lower.indices)
        if budget <= 0 or not room:
            return i
        count, low = 0, r
        for e in range(matrix.starts[i], matrix.starts[i + 1]):
            c = matrix.indices[e]
            state.work[c] = matrix.values[e]
            state.seen[c] = i
            state.touched[count] = c
            count += 1
            if 0 <= state.place[c] < low:
                low = state.place[c]
        budget -= count + r - low
        left = lower.starts[r]
        for k in range(low, r):  # a row of U touches only columns of later pivots
            f = state.work[state.pivots[k]]
            if f == 0:
                continue
            lower.indices[left], lower.values[left] = k, f
            left += 1
            for e in range(upper.starts[k], upper.starts[k + 1]):
                c = upper.indices[e]
                if state.seen[c] != i:
                    state.seen[c] = i
                    state.touched[count] = c
                    count += 1
                state.work[c] = (state.work[c] + (prime - f) * upper.values[e]) % prime
            budget -= upper.starts[k + 1] - upper.starts[k]
        _settle(prime, state, lower, upper, i, count, left)
    return len(matrix.starts) - 1


@kernel
def _settle(prime, state, lower, upper, i, count, left):
    """Make what is left of row i the next row of U. Nothing is left of a row that depends on earlier rows."""
    r, best = state.rank[0], -1
    for t in range(count):
        c = state.touched[t]
        if state.work[c] != 0 and (best < 0 or state.counts[c] < state.counts[best]):
            best = c
    if best >= 0:
        inverse, at = _inverse(state.work[best], prime), upper.starts[r]
        lower.indices[left], lower.values[left] = r, inverse
        lower.starts[r + 1] = left + 1
        for t in range(count):
            c = state.touched[t]
            if state.work[c] != 0:
                upper.indices[at], upper.values[at] = c, state.work[c] * inverse % prime
                at += 1
        upper.starts[r + 1] = at
        state.chosen[r], state.pivots[r], state.place[best] = i, best, r
        state.rank[0] = r + 1
    for t in range(count):
        state.work[state.touched[t]] = 0


@kernel
def _inverse(a, prime):
    """a^(prime − 2), by squaring."""
    out, power, e = 1, a, prime - 2
    while e:
        if e & 1:
            out = out * power % prime
        power = power * power % prime
        e >>= 1
    return out


@kernel
def solve_across(prime, lower, upper, x):
    """Replace x by the solution x' of L·U·x' = x, one number for each pivot; here U's indices count pivots."""
    r = len(x)
    for k in range(r):
        last = lower.starts[k + 1] - 1
        value = x[k]
        for e in range(lower.starts[k], last):
            value = (value + (prime - lower.values[e]) * x[lower.indices[e]]) % prime
        x[k] = value * lower.values[last] % prime
    for k in range(r - 1, -1, -1):
        value = x[k]
        for e in range(upper.starts[k], upper.starts[k + 1]):
            if upper.indices[e] != k:
                value = (value + (prime - upper.values[e]) * x[upper.indices[e]]) % prime
        x[k] = value


@kernel
def solve_along(prime, lower, upper, x):
    """Replace x by the solution x' of (L·U)ᵀ·x' = x, one number for each row."""
    r = len(x)
    for k in range(r):
        for e in range(upper.starts[k], upper.starts[k + 1]):
            c = upper.indices[e]
            if c != k:
                x[c] = (x[c] + (prime - upper.values[e]) * x[k]) % prime
    for k in range(r - 1, -1, -1):
        last = lower.starts[k + 1] - 1
        x[k] = x[k] * lower.values[last] % prime
        for e in range(lower.starts[k], last):
            j = lower.indices[e]
            x[j] = (x[j] + (prime - lower.values[e]) * x[k]) % prime


@kernel
def stand_on(prime, upper, pivots, v):
    """Change v in the columns of the pivots until its product with every row of U, and so of the matrix, is 0."""
    for k in range(len(pivots) - 1, -1, -1):
        value = 0
        for e in range(upper.starts[k], upper.starts[k + 1]):
            c = upper.indices[e]
            if c != pivots[k]:
                value = (value + (prime - upper.values[e]) * v[c]) % prime
        v[pivots[k]] = value
