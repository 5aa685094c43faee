"""Several cores on one run, with the corrections that one core makes.

The leader runs the loop of `loop.py`. Scouts run ahead of the leader in other threads. A scout takes the next chunk of
rows, writes down y·s of each row with the weights of the moment, and goes on. The corrections made since then change s
by at most Σ|a|·R² (Cauchy and Schwarz). So when the leader comes to a scouted chunk, it skips every row whose y·s is
larger than that, plus a generous allowance for rounding. It answers all other rows itself. So each correction is the
one that the leader would have made alone.

The leader never depends on a scout. While a scout has the chunk that the leader needs, the leader scouts other chunks.
If the operating system has put that scout to sleep, the leader answers the chunk itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper, helper_inlined, kernel
from rosenblatt.kernels.formats import bias_input, respond
from rosenblatt.kernels.instructions import add_atomic, fence, load_atomic, store_atomic
from rosenblatt.kernels.loop import correct, present
from rosenblatt.kernels.orders import quiet_limit, row_at
from rosenblatt.kernels.rules import is_mistake, needs_norm, step

__all__ = ["CLOSED", "Board", "scout"]

# Places in Board.control, more than a cache line apart: threads that write to one line slow each other down.
VERSION = 0  # of the weights; odd while they change
CURSOR = 16  # the next chunk that no thread has taken
COMMITTED = 32  # chunks that the leader has finished
OPEN = 48  # 1 once the leader has begun
CLOSED = 64  # 1 once the leader has ended

_LONGEST_WAIT = 20000  # turns; then the scout is taken to be asleep


class Board(NamedTuple):
    """What leader and scouts share during one call."""

    control: Any  # int64: the five numbers above
    total_step: Any  # Σ|a| of the corrections so far, at [0]
    done: Any  # per chunk: scouted
    step_before: Any  # per chunk: total_step[0] when its scouting began
    lowest: Any  # per chunk: the smallest y·s
    agreement: Any  # per presentation: y·s
    chunk: Any  # presentations per chunk
    ahead: Any  # how many chunks ahead of the leader may be taken
    radius_sq: Any  # R², R = max‖(x, 1)‖
    w_norm: Any  # ‖w‖ at the beginning of the call
    doubt: Any  # a generous bound on the relative rounding error of two responses


# --------------------------------------------------------------------------------------------------------- the leader


@overload(present, jit_options=INLINE)
def _present_with_scouts(rows, y, weights, rule, order, memory, clock, until, board):
    def with_scouts(rows, y, weights, rule, order, memory, clock, until, board):
        start, quiet = clock.t, quiet_limit(order)
        chunks = _count_chunks(board, start, until)
        events, committed, waited = 0, 0, 0
        end = min(until, clock.quiet_since + quiet)
        store_atomic(board.control, OPEN, 1)
        while clock.t < end:
            scouted = load_atomic(board.done, committed) != 0
            if not scouted and waited < _LONGEST_WAIT:
                mine = _take_chunk(board, committed, chunks)
                if mine < 0:
                    waited += 1
                    continue
                if mine != committed:
                    if mine < chunks:
                        _scan(rows, y, order, memory.w, board, mine, start, until, clock.pass_start)
                    continue
            waited = 0
            last = min(until, start + (committed + 1) * board.chunk)
            if scouted and board.lowest[committed] > _slack(board, committed):
                clock.t = min(last, end)
            while clock.t < min(last, end):
                if not (scouted and board.agreement[clock.t - start] > _slack(board, committed)):
                    made, events = _answer_chunks(rows, y, weights, rule, order, memory, clock, board)
                    if made:
                        end = clock.t + 1 if events else min(until, clock.t + 1 + quiet)
                clock.t += 1
            committed += 1
            store_atomic(board.control, COMMITTED, committed)
        store_atomic(board.control, CLOSED, 1)
        return events

    return with_scouts if getattr(board, "instance_class", None) is Board else None


@helper_inlined
def _answer_chunks(rows, y, weights, rule, order, memory, clock, board):
    """The body of the loop, for the presentation at clock.t. Returns whether there was a correction, and the events."""
    t, w = clock.t, memory.w
    i = row_at(order, t, clock.pass_start)
    s = respond(rows, i, w)
    a = step(rule, y[i], s, rows, i, bias_input(rows, w), clock.w_sq)
    if a != 0.0 and weights.size:
        a *= weights[i]
    if a == 0.0:
        return False, 0
    version = load_atomic(board.control, VERSION)
    store_atomic(board.control, VERSION, version + 1)
    fence()
    events = correct(rows, i, a, s, is_mistake(rule, y[i], s), needs_norm(rule), memory, clock, t)
    board.total_step[0] += abs(a)
    store_atomic(board.control, VERSION, version + 2)
    return True, events


@helper
def _slack(board, k):
    """How far y·s of any row can have moved since chunk k was scouted, with the rounding of both answers."""
    total = board.total_step[0]
    moved = (total - board.step_before[k]) * board.radius_sq * (1.0 + 1e-9)
    size = board.w_norm * np.sqrt(board.radius_sq) + total * board.radius_sq
    return moved + board.doubt * size + 1e-300


# -------------------------------------------------------------------------------------------------------------- scouts


@kernel
def scout(rows, y, order, w, board, start, stop, pass_start):
    """Scan chunks ahead of the leader until none is left or the leader has ended. Returns how many it scanned."""
    control, scanned = board.control, 0
    chunks = _count_chunks(board, start, stop)
    while load_atomic(control, CLOSED) == 0 and load_atomic(control, CURSOR) < chunks:
        if load_atomic(control, OPEN) == 0:
            continue
        mine = _take_chunk(board, load_atomic(control, COMMITTED), chunks)
        if 0 <= mine < chunks:
            _scan(rows, y, order, w, board, mine, start, stop, pass_start)
            scanned += 1
    return scanned


@helper_inlined
def _count_chunks(board, start, stop):
    return (stop - start + board.chunk - 1) // board.chunk


@helper_inlined
def _take_chunk(board, committed, chunks):
    """Take the next free chunk; −1 where none is free now. A number ≥ `chunks`: another thread took the last one."""
    following = load_atomic(board.control, CURSOR)
    if following >= chunks or following - committed >= board.ahead:
        return -1
    return add_atomic(board.control, CURSOR, 1)


@helper
def _scan(rows, y, order, w, board, k, start, stop, pass_start):
    """Write down y·s for chunk k. If the leader changed the weights while a row was read, the row is read again."""
    first = start + k * board.chunk
    lowest = np.inf
    version = _even_version(board.control)
    total_step = board.total_step[0]  # an older value than that of `version` would only widen the slack
    for t in range(first, min(stop, first + board.chunk)):
        i = row_at(order, t, pass_start)
        while True:
            agreement = y[i] * respond(rows, i, w)
            fence()
            now = load_atomic(board.control, VERSION)
            if now == version:
                break
            version = _even_version(board.control)
        if not agreement >= -np.inf:  # not a number
            agreement = -np.inf
        board.agreement[t - start] = agreement
        lowest = min(lowest, agreement)
    board.lowest[k] = lowest
    board.step_before[k] = total_step
    store_atomic(board.done, k, 1)


@helper
def _even_version(control):
    """Wait until the weights do not change; returns their version, an even number."""
    version = load_atomic(control, VERSION)
    while version & 1:
        version = load_atomic(control, VERSION)
    return version
