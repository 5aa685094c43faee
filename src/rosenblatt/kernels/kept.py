"""The same corrections with fewer responses: a row need not answer again while its answer cannot have become wrong.

A run of many passes asks the same rows again and again, and corrects few of them. Let v be the weights of some moment,
u a direction of length 1, and z = (x, 1) = c·u + z′ with z′ at right angles to u. Weights that have moved since by
m·u, and by D at right angles to u, have moved the response of this row by m·c and at most D·‖z′‖ more (Cauchy and
Schwarz). As long as that, with a generous allowance for rounding, leaves y·s > 0, the row is passed over. All other
rows answer as always. So each correction is the one that the loop would have made.

u is the direction of the mean row. Rows of columns as they come, which are far from centred, point about that way, and
so do the corrections: what is left of both is short. A correction by a·y changes m by a·c, and ‖w − v‖² by
2a·(s − v·z) + a²·‖z‖², so it takes few products to know how far the weights are from v.

When as many rows as there are have answered in vain, all rows answer the weights of now, which are the next v.

Of many rows nothing is kept, nor of rows that are shown once: then all rows answer, by the same compiled loop.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper
from rosenblatt.kernels.formats import add_row, bias_input, respond, row_sq
from rosenblatt.kernels.kinds import Dense, Rosenblatt, copy_values
from rosenblatt.kernels.loop import correct, present
from rosenblatt.kernels.orders import quiet_limit, row_at
from rosenblatt.kernels.rules import is_mistake, needs_norm, step

__all__ = ["KeptAnswers"]

# Places in KeptAnswers.numbers.
SIZE = 0  # ‖v‖; 0 as long as nothing is kept
LARGEST = 1  # no w since was longer
VAIN = 2  # right answers since v was taken
LIMIT = 3  # so many of them, in passes, before all rows answer again
SHOWN = 4  # presentations since v was taken
_FIRST = 4.0  # LIMIT at first: a short run needs none of this
_TINY = 1e-280  # added to squares: what is smaller may have underflowed
_SMALLEST, _GREATEST = 1e-200, 1e200  # squares that neither overflow nor underflow
_FEW_ROWS = 1 << 15  # what is kept of their answers, 32 bytes a row, stays in a core's cache


class KeptAnswers(NamedTuple):
    """What is kept of the rows' answers. A run can do without, at any time: it only saves work."""

    reach: Any  # n × 4: y·s with the weights v; y·c; ‖z′‖², at least; ‖z‖²
    v: Any  # the weights of the moment
    u: Any  # the direction
    numbers: Any  # those above
    doubt: Any  # γ: computed responses are off by at most γ·‖w‖·‖z‖
    radius: Any  # R = max‖z‖

    @classmethod
    def of(cls, rows: Any, rule: Any, d: int, radius_sq: float = np.nan) -> "KeptAnswers | None":
        """For a run over these rows, whose largest square is given where it is known; None for other loops."""
        if not (isinstance(rows, Dense) and isinstance(rule, Rosenblatt)):
            return None
        if not (rows.X.shape[0] <= _FEW_ROWS and _SMALLEST < radius_sq < _GREATEST):
            return cls(np.empty((0, 4)), np.empty(0), np.empty(0), np.zeros(5), 0.0, 0.0)
        numbers = np.zeros(5)
        numbers[LIMIT] = _FIRST
        reach = np.full((rows.X.shape[0], 4), np.nan)  # no comparison finds these large
        return cls(reach, np.zeros(d), np.zeros(d), numbers, (d + 16) * 2.0**-53, float(np.sqrt(radius_sq)))


@overload(present, jit_options=INLINE)
def _present_kept(rows, y, weights, rule, order, memory, clock, until, board):
    def kept(rows, y, weights, rule, order, memory, clock, until, board):
        if board.reach.shape[0] == 0:
            return present(rows, y, weights, rule, order, memory, clock, until, None)
        w, pass_start, quiet = memory.w, clock.pass_start, quiet_limit(order)
        bias, reach, numbers = bias_input(rows, w), board.reach, board.numbers
        doubt, radius = board.doubt, board.radius
        t, events, vain, began = clock.t, 0, numbers[VAIN], clock.t
        most_in_vain = numbers[LIMIT] * order.n
        end = min(until, clock.quiet_since + quiet)
        along, across_sq, largest, allowed = _far(board, w)
        while t < end:
            i = row_at(order, t, pass_start)
            own = np.uint64(i)
            left = reach[own, 0] + along * reach[own, 1] - allowed
            if left > 0.0 and left * left > across_sq * reach[own, 2]:
                t += 1
                continue
            s = respond(rows, i, w)
            a = step(rule, y[i], s, rows, i, bias, clock.w_sq)
            if a != 0.0 and weights.size:
                a *= weights[i]
            if a != 0.0:
                events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
                end = t + 1 if events else min(until, t + 1 + quiet)
                size, change = abs(a), along
                along += size * reach[own, 1]
                change = along * along - change * change
                largest += size * radius
                across_sq += size * (2.0 * (y[i] * s - reach[own, 0]) + size * reach[own, 3]) - change
                across_sq = max(0.0, across_sq) + 64.0 * doubt * largest * largest
                allowed += 8.0 * doubt * largest * radius
            else:
                vain += 1.0
                if vain >= most_in_vain:
                    numbers[SHOWN] += t - began
                    began, vain = t, 0.0
                    _answer_all(rows, y, weights, order.n, w, board)
                    most_in_vain = numbers[LIMIT] * order.n
                    along, across_sq, largest, allowed = _far(board, w)
            t += 1
        numbers[VAIN], numbers[LARGEST] = vain, max(largest, numbers[LARGEST])
        numbers[SHOWN] += t - began
        clock.t = t
        return events

    return kept if getattr(board, "instance_class", None) is KeptAnswers else None


@helper
def _far(board, w):
    """How far w is from v: m, D², the longest of all w since, and what is allowed for rounding."""
    numbers, v, u = board.numbers, board.v, board.u
    along = distance_sq = 0.0
    for j in range(w.size):
        along += (w[j] - v[j]) * u[j]
        distance_sq += (w[j] - v[j]) * (w[j] - v[j])
    largest = max(numbers[LARGEST], numbers[SIZE] + np.sqrt(distance_sq + _TINY))
    across_sq = max(0.0, distance_sq - along * along) + 16.0 * board.doubt * largest * largest + _TINY
    return along, across_sq, largest, 32.0 * board.doubt * largest * board.radius


@helper
def _answer_all(rows, y, weights, n, w, board):
    """All rows answer, and w is v from now on."""
    reach, v, numbers = board.reach, board.v, board.numbers
    if numbers[SIZE] == 0.0:
        numbers[LIMIT] = 1.0
        _survey(rows, y, n, w, board)
    else:  # where most rows had to answer, wait longer
        numbers[LIMIT] = 2.0 * numbers[LIMIT] if numbers[SHOWN] < 2.0 * n * numbers[LIMIT] else 1.0
    copy_values(w, v)
    size_sq = 0.0
    for j in range(w.size):
        size_sq += w[j] * w[j]
    numbers[SIZE] = np.sqrt(size_sq + _TINY)
    numbers[LARGEST] = numbers[SHOWN] = 0.0
    for i in range(n):
        # a row that is absent is never corrected
        reach[i, 0] = np.inf if weights.size and weights[i] == 0.0 else y[i] * respond(rows, i, w)


@helper
def _survey(rows, y, n, w, board):
    """The direction of the mean row, and how far each row goes in it and at right angles to it."""
    reach, u, bias = board.reach, board.u, bias_input(rows, w)
    for i in range(n):
        add_row(rows, i, 1.0, u)
    for _ in range(2):  # first bring it to a size whose squares are ordinary numbers
        length = 0.0
        for j in range(u.size):
            length = max(length, abs(u[j]))
        for j in range(u.size):
            u[j] /= max(length, _TINY)
    sq = 0.0
    for j in range(u.size):
        sq += u[j] * u[j]
    for j in range(u.size):
        u[j] /= np.sqrt(max(sq, 1.0))
    for i in range(n):
        along = respond(rows, i, u)
        sq = row_sq(rows, i) + bias
        across_sq = max(0.0, sq - along * along) + 16.0 * board.doubt * board.radius**2 + _TINY
        reach[i, 1], reach[i, 2], reach[i, 3] = y[i] * along, across_sq, sq
