"""The perceptron in the space of a kernel's features, on the same loop, orders and records (Freund and Schapire 1999).

A kernel k(x, x') = φ(x)·φ(x') may have infinitely many features φ(x), so their weights w are never written down. But w
is always a sum Σ α_j φ(x_j). So the response to row i is f_i = Σ α_j k(x_j, x_i), and a correction by a·φ(x_i) is

    α_i += a,        f_j += a·k(x_i, x_j) for every row j.

The loop keeps f in the place of the weights. A presentation looks at one number. A correction adds one row of the
kernel's values; that row is computed when it is first needed, and kept.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper
from rosenblatt.kernels.loop import present
from rosenblatt.kernels.orders import quiet_limit, row_at
from rosenblatt.kernels.records import record_correction

__all__ = ["FETCH", "Dual", "Kept"]

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
                events = _correct(rows, i, a, rule.budget, memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    return in_features if rule.instance_class is Dual and isinstance(board, types.NoneType) else None


@helper
def _correct(rows, i, a, budget, memory, clock, t):
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
            _add(rows, least, -rows.dual[least], memory, t)
    _add(rows, i, a, memory, t)
    rows.corrected[i] = t + 1
    return record_correction(memory, clock, i, a, 1, t)


@helper
def _add(rows, i, a, memory, t):
    rows.dual[i] += a
    if memory.average.size:
        memory.average[i] += a * t
    place = rows.place[i]
    for j in range(memory.w.size):
        memory.w[j] += a * rows.values[place, j]
