"""What loops are told and what they write down: formats of rows, rules, orders; a run's memory, clock and events.

This file loads no Numba: small work is done without it (`plain.py`). Its functions are compiled by `records.py`.
"""

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "CLEAN",
    "CLOCK",
    "CSR",
    "FULL",
    "LEAST",
    "LIMIT",
    "MOST",
    "NONE",
    "PATIENCE",
    "POCKET",
    "REPEAT",
    "RULES",
    "SETTLED",
    "Aggressive",
    "Cyclic",
    "Dense",
    "LeastMeanSquares",
    "Memory",
    "Random",
    "Rosenblatt",
    "Shuffled",
    "Sigmoid",
    "WideMargin",
    "copy_values",
    "end_pass",
    "look_for_repeat",
    "look_for_rest",
    "record_correction",
    "record_mistakes",
    "record_right_answers",
]

# ------------------------------------------------------------------------------------------------------ formats of rows


class Dense(NamedTuple):
    """n × p values, C order, float32 or float64."""

    X: Any


class CSR(NamedTuple):
    """Compressed rows: values and columns (uint32, ascending) of row i are at indptr[i]:indptr[i+1]."""

    data: Any
    indices: Any
    indptr: Any
    columns: Any


# ---------------------------------------------------------------------------------------------------------------- rules


class Rosenblatt(NamedTuple):
    """The perceptron rule: after a mistake, y·s < 0 or a tie that counts as one, step η·y.

    `tie_positive`, `tie_negative`: whether s = 0 is a mistake on an example of that class.
    `normalize`: learn from z/‖z‖, z = (x, 1), instead of z.
    """

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any


class WideMargin(NamedTuple):
    """The perceptron rule with a margin m: y·s ≤ m·‖w‖ (with `normalize`, y·s ≤ m·‖w‖·‖z‖) is a mistake too."""

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any
    margin: Any


class Aggressive(NamedTuple):
    """Passive-aggressive (Crammer et al. 2006): with loss = 1 − y·s > 0, the smallest step that brings it to zero.

    τ = loss/(‖z‖² + slack), at most `most`: variant I has most = C and slack = 0, variant II most = ∞, slack = 1/(2C).
    """

    most: Any
    slack: Any


class LeastMeanSquares(NamedTuple):
    """Widrow and Hoff (1960), LMS: always step by η·(y − s), the residual."""

    eta: Any


class Sigmoid(NamedTuple):
    """Logistic regression, one example at a time: always step by η·y·σ(−y·s), the probability of the other class."""

    eta: Any


# A saved stream names its rule, and is read only if the rule is one of these.
RULES = (Rosenblatt, WideMargin, Aggressive, LeastMeanSquares, Sigmoid)


# ------------------------------------------------------------------------------------------- orders of presentation


class Cyclic(NamedTuple):
    """Rows in turn."""

    n: Any


class Shuffled(NamedTuple):
    """Each pass has a fresh permutation (Fisher and Yates), of which only the part that is needed is drawn."""

    n: Any
    seed: Any
    permutation: Any


class Random(NamedTuple):
    """Every presentation draws a row, with replacement."""

    n: Any
    seed: Any


# ---------------------------------------------------------------------------------------------------- a run, its end

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


def record_right_answers(memory, clock, t):
    """Before the correction at time t: keep the weights if none of this pass had more right answers in a row."""
    # as long as no answer of this pass was right, keep the latest weights
    if len(memory.longest) and (t - clock.last > clock.longest or clock.longest == 0):
        clock.longest = t - clock.last
        copy_values(memory.w, memory.longest)


def record_correction(memory, clock, i, a, mistake, t):
    """Record the correction by step a on row i at time t. Returns the events that this brings about."""
    clock.corrections += 1
    clock.mistakes += mistake
    clock.last = clock.quiet_since = t + 1
    events = 0
    if len(memory.traced_rows):
        memory.traced_rows[clock.traced] = i
        memory.traced_steps[clock.traced] = a
        memory.traced_times[clock.traced] = t + 1
        clock.traced += 1
        if clock.traced == len(memory.traced_rows):
            events |= FULL
    if clock.corrections == clock.max_corrections:
        events |= LIMIT
    return events


def copy_values(source, target):
    for j in range(len(source)):
        target[j] = source[j]


# ---------------------------------------------------------------------------------------------------- the end of a pass


def end_pass(memory, clock):
    """Record the pass that has ended, and look for signs that more passes are useless. Returns the events."""
    clock.passes += 1
    events = record_mistakes(memory.mistakes, clock)
    if len(memory.longest):
        if clock.t - clock.last > clock.longest:
            clock.longest = clock.t - clock.last
            copy_values(memory.w, memory.longest)
        events |= POCKET
    if len(memory.mark):
        events |= look_for_repeat(memory.w, memory.mark, clock)
    if len(memory.previous):
        events |= look_for_rest(memory.w, memory.previous, clock.tol)
    clock.mistakes = 0
    clock.pass_start = clock.dealt = clock.t
    return events


def record_mistakes(mistakes, clock):
    events = 0
    mistakes[clock.counted] = clock.mistakes
    clock.counted += 1
    if clock.counted == len(mistakes):
        events |= FULL
    if clock.mistakes == 0:
        events |= CLEAN
    if clock.mistakes < clock.fewest:
        clock.fewest, clock.fewest_pass = clock.mistakes, clock.passes
    elif clock.patience and clock.passes - clock.fewest_pass >= clock.patience:
        events |= PATIENCE
    return events


def look_for_repeat(w, mark, clock):
    """Compare w with the remembered weights, and remember w after passes 1, 2, 4, 8, …: Brent's search for a cycle."""
    same = clock.corrections > clock.mark_corrections
    for j in range(len(w)):
        if not same:
            break
        same = w[j] == mark[j]
    if same:
        return REPEAT
    if clock.passes & (clock.passes - 1) == 0:
        copy_values(w, mark)
        clock.mark_pass, clock.mark_corrections, clock.mark_w_sq = clock.passes, clock.corrections, clock.w_sq
    return 0


def look_for_rest(w, previous, tol):
    """Compare the weights with those of the pass before."""
    moved = size = 0.0
    for j in range(len(w)):
        moved += (w[j] - previous[j]) * (w[j] - previous[j])
        size += w[j] * w[j]
    copy_values(w, previous)
    return SETTLED if moved <= tol * tol * size and size < np.inf else 0


# ------------------------------------------------------------------------------------------------- places of decimals

NONE = 10_000  # places of a column that is no decimals
LEAST, MOST = 1e-280, 1e280  # sizes between which decimals of 15 digits are told apart
