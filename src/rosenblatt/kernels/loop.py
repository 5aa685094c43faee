"""The lecture's loop: show an example, respond, correct after a mistake. Every learner runs this loop.

Here is the perceptron as a lecture writes it, for examples (x_i, y_i) with labels y_i = ±1. To the right is the
function of this file that does the line.

    w = 0                                       # the caller chooses w
    repeat                                      # learn: pass after pass
        m = 0
        for each example i:                     # present; row_at says which example comes next
            s = w · (x_i, 1)                    #     respond; the bias is the last weight, and its input is 1
            if y_i · s ≤ 0:                     #     step: the factor a of the correction, 0 where there is none
                w = w + η · y_i · (x_i, 1)      #     correct: w = w + a · (x_i, 1), here a = η · y_i
                m = m + 1                       #     record_correction
    until m = 0                                 # end_pass: reports CLEAN

LMS, logistic regression and the passive-aggressive algorithm are the same loop with another `step`. So the loop has
three parameters: the rule (`rules.py`: what `step` computes), the order (`orders.py`: which example comes next) and the
format of the rows (`formats.py`: dense or sparse). Numba compiles one tight loop for each combination.

The corrections are the same, bit for bit, on every CPU, with any number of threads, and wherever one call ends and the
next begins. `kinds.py` has what a run remembers, and the events that end a call.
"""

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, kernel
from rosenblatt.kernels.formats import add_row, bias_input, respond, row_sq
from rosenblatt.kernels.kinds import CLEAN, RULES, Dense
from rosenblatt.kernels.orders import deal, fetch_ahead, quiet_limit, row_at
from rosenblatt.kernels.records import end_pass, record_correction, record_right_answers
from rosenblatt.kernels.rules import is_mistake, needs_norm, step

__all__ = ["correct", "learn", "learn_row", "present"]


@kernel
def learn(rows, y, weights, rule, order, memory, clocks, stop, board):
    """Learn, pass after pass, until `stop` presentations have been made or an event happens; returns the events.

    weights  the weights of the rows; empty where all are 1
    memory   the vectors of the run: w and those that belong to it
    clocks   the numbers of the run, in an array of one record
    board    None, or what this thread shares with the threads that look ahead (`scouts.py`)
    """
    clock = clocks[0]
    events = 0
    while events == 0 and clock.t < stop:
        pass_end = clock.pass_start + order.n
        until = min(stop, pass_end)
        if clock.dealt < until:  # a shuffled order draws its rows a little ahead
            deal(order, clock.dealt, until, clock.pass_start)
            clock.dealt = until
        events = present(rows, y, weights, rule, order, memory, clock, until, board)
        if clock.t - clock.quiet_since >= quiet_limit(order):
            events |= CLEAN
        if clock.t == pass_end:
            events |= end_pass(memory, clock)
    return events


def present(rows, y, weights, rule, order, memory, clock, until, board):
    """Show the rows of presentations clock.t..until, which lie in one pass; correct after each mistake.

    Returns the events, and returns as soon as there is one.
    """


@overload(present, jit_options=INLINE)
def _present_alone(rows, y, weights, rule, order, memory, clock, until, board):
    def alone(rows, y, weights, rule, order, memory, clock, until, board):
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias = bias_input(rows, w)
        t, events = clock.t, 0
        end = min(until, clock.quiet_since + quiet)  # in random order: n right answers in a row end the call
        while t < end:
            i = row_at(order, t, pass_start)
            fetch_ahead(rows, order, t, end, pass_start)
            s = respond(rows, i, w)
            a = step(rule, y[i], s, rows, i, bias, clock.w_sq)
            if a != 0.0 and weights.size:
                a *= weights[i]  # a row of weight zero is never corrected
            if a != 0.0:
                events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    # `scouts.py` (several threads), `joint.py` (K classes together) and `dual.py` (kernels) have bodies of their own
    return alone if rule.instance_class in RULES and isinstance(board, types.NoneType) else None


@helper
def correct(rows, i, a, s, mistake, keep_norm, memory, clock, t):
    """w += a·(x_i, 1) after response s at time t, with the records that a run keeps. Returns the events."""
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
    """The loop's body for the only row of a dense X: respond, step, correct.

    It serves streams that come row by row. There the arguments cost more time than the row, so it has few.

    average  as in `Memory`, or empty; if there is one, the mean of the weights is written into `shown`
    counts   presentations and corrections made so far; both are raised
    Returns 1 after a correction and 0 without one; −1, and does nothing, where s is not finite.
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
