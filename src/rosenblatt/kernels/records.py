"""What a run remembers: its vectors, its clock, and the events that the loop reports to its caller."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.compile import helper, helper_inlined, kernel

__all__ = [
    "CLEAN",
    "CLOCK",
    "FULL",
    "LIMIT",
    "PATIENCE",
    "POCKET",
    "REPEAT",
    "SETTLED",
    "Memory",
    "end_pass",
    "record_correction",
    "record_right_answers",
]

# Why a call returned before its `stop`; several events may happen at once.
CLEAN = 1  # a pass (in random order: n presentations) without a mistake
REPEAT = 2  # the weights at this pass end equal the remembered ones, with corrections between
POCKET = 4  # a pass has ended, and its best weights wait to be tried on all rows
PATIENCE = 8  # for `patience` passes none has had fewer mistakes than the best pass
FULL = 16  # a buffer must be emptied
LIMIT = 32  # as many corrections as are allowed have been made
SETTLED = 64  # a pass has hardly moved the weights (see `tol`)

# The numbers of a run. Times count presentations from the start of the run.
CLOCK = np.dtype(
    [
        ("t", np.int64),  # presentations made
        ("pass_start", np.int64),
        ("dealt", np.int64),  # the order has decided the rows of all presentations before this one
        ("passes", np.int64),
        ("corrections", np.int64),
        ("max_corrections", np.int64),
        ("mistakes", np.int64),  # in this pass
        ("last", np.int64),  # time just after the last correction
        ("quiet_since", np.int64),  # the later of `last` and the caller's last look at every row
        ("longest", np.int64),  # pocket: longest run of right answers that ended in this pass
        ("fewest", np.int64),  # fewest mistakes of a pass, and which pass it was
        ("fewest_pass", np.int64),
        ("patience", np.int64),  # passes without a better one after which to report PATIENCE; 0: never
        ("mark_pass", np.int64),  # Brent's search for a cycle: the pass after which `mark` was taken
        ("mark_corrections", np.int64),
        ("mark_w_sq", np.float64),
        ("traced", np.int64),  # entries used in the trace buffers
        ("counted", np.int64),  # entries used in the buffer of mistakes per pass
        ("tol", np.float64),  # SETTLED is ‖w − previous‖ ≤ tol·‖w‖
        ("w_sq", np.float64),  # ‖w‖², kept for rules that look at it
    ]
)


class Memory(NamedTuple):
    """The vectors of a run. An empty array switches its part off."""

    w: Any  # the running weights
    average: Any  # Σ t·correction; then w − average/t is the mean of the weights after each of t presentations
    longest: Any  # pocket: the weights with the longest run of right answers in this pass
    mark: Any  # Brent's remembered weights
    previous: Any  # the weights at the end of the pass before
    traced_rows: Any
    traced_steps: Any
    traced_times: Any  # presentations made up to and with the correction
    mistakes: Any  # mistakes of each finished pass
    traced_classes: Any  # of K classes that learn together: the class raised, the class lowered


# ------------------------------------------------------------------------------------------------------ a correction


@helper_inlined
def record_right_answers(memory, clock, t):
    """Before the correction at time t: keep the weights if none of this pass had more right answers in a row."""
    # as long as no answer of this pass was right, keep the latest weights
    if memory.longest.size and (t - clock.last > clock.longest or clock.longest == 0):
        clock.longest = t - clock.last
        _copy(memory.w, memory.longest)


@helper_inlined
def record_correction(memory, clock, i, a, mistake, t):
    """Record the correction by step a on row i at time t. Returns the events that this brings about."""
    clock.corrections += 1
    clock.mistakes += mistake
    clock.last = clock.quiet_since = t + 1
    events = 0
    if memory.traced_rows.size:
        memory.traced_rows[clock.traced] = i
        memory.traced_steps[clock.traced] = a
        memory.traced_times[clock.traced] = t + 1
        clock.traced += 1
        if clock.traced == memory.traced_rows.size:
            events |= FULL
    if clock.corrections == clock.max_corrections:
        events |= LIMIT
    return events


@helper
def _copy(source, target):
    for j in range(source.size):
        target[j] = source[j]


# ---------------------------------------------------------------------------------------------------- the end of a pass


@kernel
def end_pass(memory, clock):
    """Record the pass that has ended, and look for signs that more passes are useless. Returns the events."""
    clock.passes += 1
    events = _record_mistakes(memory.mistakes, clock)
    if memory.longest.size:
        if clock.t - clock.last > clock.longest:
            clock.longest = clock.t - clock.last
            _copy(memory.w, memory.longest)
        events |= POCKET
    if memory.mark.size:
        events |= _look_for_repeat(memory.w, memory.mark, clock)
    if memory.previous.size:
        events |= _look_for_rest(memory.w, memory.previous, clock.tol)
    clock.mistakes = 0
    clock.pass_start = clock.dealt = clock.t
    return events


@helper
def _record_mistakes(mistakes, clock):
    events = 0
    mistakes[clock.counted] = clock.mistakes
    clock.counted += 1
    if clock.counted == mistakes.size:
        events |= FULL
    if clock.mistakes == 0:
        events |= CLEAN
    if clock.mistakes < clock.fewest:
        clock.fewest, clock.fewest_pass = clock.mistakes, clock.passes
    elif clock.patience and clock.passes - clock.fewest_pass >= clock.patience:
        events |= PATIENCE
    return events


@helper
def _look_for_repeat(w, mark, clock):
    """Compare w with the remembered weights, and remember w after passes 1, 2, 4, 8, …: Brent's search for a cycle."""
    same = clock.corrections > clock.mark_corrections
    for j in range(w.size):
        if not same:
            break
        same = w[j] == mark[j]
    if same:
        return REPEAT
    if clock.passes & (clock.passes - 1) == 0:
        _copy(w, mark)
        clock.mark_pass, clock.mark_corrections, clock.mark_w_sq = clock.passes, clock.corrections, clock.w_sq
    return 0


@helper
def _look_for_rest(w, previous, tol):
    """Compare the weights with those of the pass before."""
    moved = size = 0.0
    for j in range(w.size):
        moved += (w[j] - previous[j]) ** 2
        size += w[j] ** 2
    _copy(w, previous)
    return SETTLED if moved <= tol**2 * size and size < np.inf else 0
