"""K neurons learn together: Kesler's construction, on the same loop, orders, formats and records.

The weights of the K classes are one vector w of K·d numbers, class after class. For row i of class y and a wrong class
k, let z have (x_i, 1) in the place of y, −(x_i, 1) in the place of k, and zeros elsewhere. Then z·w = s_y − s_k, and it
should be > 0. So this is the perceptron on all such z. A presentation makes at most one correction: the one with the z
of the strongest wrong class.
"""

from typing import Any, NamedTuple

from numba import types
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, helper_inlined, kernel
from rosenblatt.kernels.formats import add_row, bias_input, respond, row_norm
from rosenblatt.kernels.loop import present
from rosenblatt.kernels.orders import fetch_ahead, quiet_limit, row_at
from rosenblatt.kernels.passes import weigh_answer
from rosenblatt.kernels.records import record_correction, record_right_answers

__all__ = ["Kesler", "judge_classes", "replay_classes"]


class Kesler(NamedTuple):
    """After a mistake, s_y < s_k or a tie that counts as one: w_y += η·(x, 1), w_k −= η·(x, 1).

    k is the wrong class of the highest score, the first of equals.
    `tie`: whether s_y = s_k is a mistake.
    `normalize`: learn from (x, 1)/‖(x, 1)‖.
    """

    eta: Any
    tie: Any
    normalize: Any
    classes: Any  # K


@overload(present, jit_options=INLINE)
def _present_to_all(rows, y, weights, rule, order, memory, clock, until, board):
    def together(rows, y, weights, rule, order, memory, clock, until, board):
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias = bias_input(rows, w[: w.size // rule.classes])
        t, events = clock.t, 0
        end = min(until, clock.quiet_since + quiet)
        while t < end:
            i = row_at(order, t, pass_start)
            fetch_ahead(rows, order, t, end, pass_start)
            own, k, highest = _compare_scores(rows, i, y[i], w, rule.classes)
            if not (own > highest or (own == highest and not rule.tie)):
                a = rule.eta / (row_norm(rows, i, bias) if rule.normalize else 1.0)
                if weights.size:
                    a *= weights[i]  # a row of weight zero is never corrected
                if a != 0.0:
                    events = _correct_classes(rows, i, a, y[i], k, rule.classes, memory, clock, t)
                    end = t + 1 if events else min(until, t + 1 + quiet)
            t += 1
        clock.t = t
        return events

    return together if rule.instance_class is Kesler and isinstance(board, types.NoneType) else None


@helper_inlined
def _score(rows, i, k, w, classes):
    """w_k · (x_i, 1)."""
    d = w.size // classes
    return respond(rows, i, w[k * d : (k + 1) * d])


@helper
def _compare_scores(rows, i, y, w, classes):
    """The score of row i for its own class, the strongest wrong class (the first of equals), and that class's score.

    A score that is not a number (after an overflow) counts as the strongest: then the row is a mistake.
    """
    own = _score(rows, i, y, w, classes)
    strongest = 1 if y == 0 else 0
    highest = _score(rows, i, strongest, w, classes)
    for k in range(strongest + 1, classes):
        if k != y:
            s = _score(rows, i, k, w, classes)
            if s > highest or s != s:
                strongest, highest = k, s
    return own, strongest, highest


@helper
def _correct_classes(rows, i, a, y, k, classes, memory, clock, t):
    """Raise class y and lower class k by a·(x_i, 1) at time t, with the run's records. Returns the events."""
    record_right_answers(memory, clock, t)
    _move(rows, i, a, y, k, classes, memory.w)
    if memory.average.size:
        _move(rows, i, a * t, y, k, classes, memory.average)
    if memory.traced_classes.size:
        memory.traced_classes[clock.traced, 0] = y
        memory.traced_classes[clock.traced, 1] = k
    return record_correction(memory, clock, i, a, 1, t)


@helper_inlined
def _move(rows, i, a, y, k, classes, w):
    d = w.size // classes
    add_row(rows, i, a, w[y * d : (y + 1) * d])
    add_row(rows, i, -a, w[k * d : (k + 1) * d])


# ------------------------------------------------------------------------------------- passes that change no weights


@kernel
def judge_classes(rows, y, weights, w, classes, ties, doubt, unsure, start, stop):
    """Look at rows start..stop with fixed weights; returns (mistakes, zeros, n), as `judge` of `passes.py`.

    mistakes  counts rows of which a wrong class has a higher score than their own class, and ties where `ties` = (with
              an earlier class, with a later class) says that they are mistakes;
    zeros     counts ties;
    unsure    is filled with the n rows whose two scores differ by at most `doubt`: rounding may hide which is larger.
    """
    mistakes = zeros = n = 0
    for i in range(start, stop):
        own, k, highest = _compare_scores(rows, i, y[i], w, classes)
        agreement = own - highest
        if agreement > doubt or (weights.size and weights[i] == 0.0):
            continue
        mistake, zero, doubtful = weigh_answer(agreement, ties[0] if k < y[i] else ties[1], doubt)
        mistakes += mistake
        zeros += zero
        if doubtful:
            unsure[n] = i
            n += 1
    return mistakes, zeros, n


@kernel
def replay_classes(rows, traced_rows, traced_steps, traced_classes, w, classes, start, stop):
    """Make corrections start..stop of a trace again."""
    for c in range(start, stop):
        _move(rows, traced_rows[c], traced_steps[c], traced_classes[c, 0], traced_classes[c, 1], classes, w)
