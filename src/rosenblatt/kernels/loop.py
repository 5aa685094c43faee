"""The loop: show an example, answer, correct. Every learner runs it; rules, orders and formats are its parameters.

Given rows x_i, labels y_i = ±1 and weights w (the bias last, if there is one), the loop is the lecture's:

    for each presented row i:
        s = w · (x_i, 1)                        # respond
        a = step(rule, y_i, s)                  # 0 when there is nothing to learn
        w = w + a · (x_i, 1)                    # correct

Numba makes one tight loop of each combination of format (`formats.py`), rule (`rules.py`) and order (`orders.py`).
Nothing here depends on the CPU, on the number of threads or on where a call ends: the corrections are the same, bit for
bit. What else a run keeps, and the events that end a call, is in `records.py`.
"""

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, kernel
from rosenblatt.kernels.fetching import fetch_ahead
from rosenblatt.kernels.formats import Dense, add_row, bias_input, respond, row_sq
from rosenblatt.kernels.orders import deal, quiet_limit, row_at
from rosenblatt.kernels.records import CLEAN, end_pass, record_correction, record_right_answers
from rosenblatt.kernels.rules import RULES, is_mistake, needs_norm, step

__all__ = ["correct", "learn", "learn_row", "present"]


@kernel
def learn(rows, y, weights, rule, order, memory, clocks, stop, board):
    """Go on learning until `stop` presentations have been made or something happens; returns the events.

    weights  of the rows, or empty
    memory   the vectors of the run, `clocks` its numbers (one record)
    board    None, or what this thread shares with those that look ahead (`scouts.py`)
    """
    clock = clocks[0]
    events = 0
    while events == 0 and clock.t < stop:
        pass_end = clock.pass_start + order.n
        until = min(stop, pass_end)
        if clock.dealt < until:
            deal(order, clock.dealt, until, clock.pass_start)
            clock.dealt = until
        events = present(rows, y, weights, rule, order, memory, clock, until, board)
        if clock.t - clock.quiet_since >= quiet_limit(order):
            events |= CLEAN
        if clock.t == pass_end:
            events |= end_pass(memory, clock)
    return events


def present(rows, y, weights, rule, order, memory, clock, until, board):
    """Show the rows of presentations clock.t..until, all in one pass; correct after each mistake.

    Returns the events, at once when there are any.
    """


@overload(present, jit_options=INLINE)
def _present_alone(rows, y, weights, rule, order, memory, clock, until, board):
    def alone(rows, y, weights, rule, order, memory, clock, until, board):
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias = bias_input(rows, w)
        t, events = clock.t, 0
        end = min(until, clock.quiet_since + quiet)
        while t < end:
            i = row_at(order, t, pass_start)
            fetch_ahead(rows, order, t, end, pass_start)
            s = respond(rows, i, w)
            a = step(rule, y[i], s, rows, i, bias, clock.w_sq)
            if a != 0.0 and weights.size:
                a *= weights[i]  # a row of weight zero is as good as absent
            if a != 0.0:
                events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    # K classes together have a body of their own, in `joint.py`
    return alone if rule.instance_class in RULES and isinstance(board, types.NoneType) else None


@helper
def correct(rows, i, a, s, mistake, keep_norm, memory, clock, t):
    """w += a·(x_i, 1) after response s at time t, and the records that go with it. Returns the events."""
    w = memory.w
    record_right_answers(memory, clock, t)
    if keep_norm:  # ‖w + a·z‖² = ‖w‖² + 2a·s + a²·‖z‖²
        clock.w_sq = max(0.0, clock.w_sq + a * (2.0 * s + a * (row_sq(rows, i) + bias_input(rows, w))))
    add_row(rows, i, a, w)
    if memory.average.size:
        add_row(rows, i, a * t, memory.average)
    return record_correction(memory, clock, i, a, mistake, t)


@kernel
def learn_row(X, y, rule, w, average, shown, counts):
    """The loop's body for the only row of a dense X.

    For streams that come row by row, where a call costs what its arguments cost.

    average  as in `Memory`, or empty; where there is one, the mean of the weights is put into `shown`
    counts   presentations and corrections made, which are counted on
    Returns 1 after a correction, 0 without one, and −1, having done nothing, where s is no finite number.
    """
    rows = Dense(X)
    s = respond(rows, 0, w)
    if not abs(s) < np.inf:
        return -1
    a = step(rule, y, s, rows, 0, bias_input(rows, w), 0.0)
    if a != 0.0:
        add_row(rows, 0, a, w)
        counts[1] += 1
    if average.size:
        if a != 0.0:
            add_row(rows, 0, a * counts[0], average)
        for j in range(w.size):
            shown[j] = w[j] - average[j] / (counts[0] + 1)
    counts[0] += 1
    return 0 if a == 0.0 else 1
