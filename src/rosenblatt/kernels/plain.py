"""The loops in plain Python and NumPy, with the same bits: for work so small that loading Numba would take longer.

Each function has the name, the arguments and the answer of the compiled one; rows are dense. `is_enough` and
`presentations` say whether to take them: never where Numba is loaded already, and as long as all such work of this
process stays small.
"""

import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.kernels.kinds import (
    CLOCK,
    LEAST,
    MOST,
    NONE,
    Cyclic,
    Dense,
    Memory,
    Rosenblatt,
    Shuffled,
    end_pass,
    record_correction,
    record_right_answers,
)

__all__ = ["is_enough", "judge", "learn", "presentations", "raise_places_dense", "respond_all", "squares", "survey"]

_LARGEST = 1 << 14  # values of a table
_SEVERAL, _MOST_AT_ONCE = 4, 1 << 8  # wide rows that are answered at a time
_CALL, _SHOWN = 600, 8  # what a call, and a presentation, cost besides their values
_TURNS = (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)  # of SplitMix64
_left = 6_000_000  # what this process may spend here, in values: 0.3 s, as loading Numba takes


def is_enough(rows: object) -> bool:
    """Whether to look once at these rows here."""
    if not _may_be_here(rows) or _left < (cost := _CALL + rows.X.size // 8):
        return False
    _spend(cost)
    return True


def _may_be_here(rows: object) -> TypeGuard[Dense]:
    return isinstance(rows, Dense) and rows.X.size <= _LARGEST and "numba" not in sys.modules


def _spend(values: int) -> None:
    global _left
    _left -= values


# -------------------------------------------------------------------------------------------------------------- a look


def _responses(X: npt.NDArray[Any], w: npt.NDArray[Any]) -> Floats:
    """X · w for each row, in the order of `lanes.py`; w is a vector, or has a row for each row of X."""
    p = X.shape[1]
    products = X.astype(np.float64) * w[..., :p]
    if p < 8:
        lanes = np.zeros((len(X), 1))
        for j in range(p):
            lanes[:, 0] += products[:, j]
    else:
        lanes = np.zeros((len(X), 16))
        whole = p - p % 16
        for j in range(0, whole, 16):
            lanes += products[:, j : j + 16]
        if p - whole >= 8:
            lanes[:, :8] += products[:, whole : whole + 8]
            whole += 8
        if p > whole:
            lanes[:, whole - p :] += products[:, whole:]
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return lanes[:, 0]


def respond_all(rows: Dense, w: Floats, out: Floats, start: int, stop: int) -> None:
    """As in `passes.py`."""
    p = rows.X.shape[1]
    with np.errstate(all="ignore"):
        out[start:stop] = _responses(rows.X[start:stop], w)
        if w.size > p:
            out[start:stop] += w[p]


def survey(rows: Dense, bias: float, start: int, stop: int) -> tuple[float, int]:
    """As in `passes.py`."""
    sq = np.empty(stop)
    squares(rows, bias, sq, start, stop)
    bad = np.flatnonzero(~(sq[start:] < np.inf))
    return (np.inf, start + int(bad[0])) if bad.size else (float(sq[start:].max(initial=0.0)), -1)


def squares(rows: Dense, bias: float, out: Floats, start: int, stop: int) -> None:
    """As in `passes.py`."""
    X = rows.X[start:stop]
    with np.errstate(all="ignore"):
        out[start:stop] = _responses(X, X.astype(np.float64)) + bias


def judge(
    rows: Dense,
    y: Signs,
    weights: Floats,
    w: Floats,
    ties: tuple[bool, bool],
    doubt: float,
    unsure: Integers,
    start: int,
    stop: int,
) -> tuple[int, int, int]:
    """As in `passes.py`."""
    s = np.empty(stop)
    respond_all(rows, w, s, start, stop)
    labels = y[start:stop]
    agreement = labels * s[start:]
    seen = ~(agreement > doubt)
    if weights.size:
        seen &= weights[start:stop] != 0.0
    zero = agreement == 0.0
    mistake = np.where(zero, np.where(labels > 0, *ties), ~(agreement > 0.0))
    doubtful = start + np.flatnonzero(seen & ~(agreement < -doubt))
    unsure[: doubtful.size] = doubtful
    return int(np.count_nonzero(seen & mistake)), int(np.count_nonzero(seen & zero)), doubtful.size


def raise_places_dense(
    X: npt.NDArray[Any], places: Integers, largest: Floats, differ: Flags, extreme: Flags, start: int, stop: int
) -> None:
    """As in `powers_of_ten.py`; the shortest text of a float is its only decimal of up to 15 digits, if it has one."""
    values = X[start:stop].astype(np.float64)
    sizes = np.abs(values).max(axis=0, initial=0.0)
    whole = (sizes < 1e15) & (values == np.rint(values)).all(axis=0)
    largest[:] = np.where(whole & (places != NONE), np.maximum(largest, sizes), largest)
    for j in np.flatnonzero(~whole).tolist():
        q = int(places[j])
        for x in _each_once(values[:, j].tolist()):
            if q == NONE:
                break
            size = abs(x)
            largest[j] = max(largest[j], size)
            if size < 1e15 and x == int(x):
                continue
            if not LEAST <= size <= MOST:
                extreme[j] = True
                continue
            digits, _, power = repr(size).partition("e")
            before, _, after = digits.partition(".")
            m, e = int(before + after), int(power or 0) - len(after)
            while m % 10 == 0:
                m, e = m // 10, e + 1
            if m >= 10**15:
                q = NONE
                continue
            q = max(q, -e)
            exact = e <= 22 and m * 10**e < 2**53 if e >= 0 else (size * 2.0 ** min(-e, 1000)).is_integer()
            differ[j] = differ[j] or not exact
        places[j] = q


def _each_once(values: list[float]) -> Iterator[float]:
    """The different values; the first one before others are looked at, as most columns of full floats show it there."""
    yield from values[:1]
    yield from dict.fromkeys(values[1:])


# ------------------------------------------------------------------------------------------------------------- the loop


def presentations(rows: object, rule: object, order: object, memory: Memory, wanted: int) -> int:
    """How many of the wanted presentations the loop may make here.

    A run with a pocket seldom ends early, and looks at all rows after each pass: it begins here only where it can end.
    """
    if not _may_be_here(rows) or not isinstance(rule, Rosenblatt) or rule.normalize or len(memory.previous):
        return 0
    if not isinstance(order, (Cyclic, Shuffled)):
        return 0
    looks = 5 * (_CALL + rows.X.size // 8) / order.n if len(memory.longest) else 0.0
    most = int((_left - _CALL) / (rows.X.shape[1] + _SHOWN + looks))
    return wanted if most >= wanted else 0 if looks else max(0, most)


def learn(
    rows: Dense,
    y: Signs,
    weights: Floats,
    rule: Any,
    order: Any,
    memory: Memory,
    clocks: npt.NDArray[Any],
    stop: int,
) -> int:
    """As in `loop.py`."""
    A = rows.X.astype(np.float64)
    X, labels, rates = A.tolist(), y.tolist(), weights.tolist()
    kept = {name: getattr(memory, name) for name in ("w", "average", "longest", "mark")}
    books = memory._replace(**{name: vector.tolist() for name, vector in kept.items()})
    clock = SimpleNamespace(**{name: clocks[name][0].item() for name in CLOCK.names or ()})
    events, begin = 0, clock.t
    while events == 0 and clock.t < stop:
        pass_end = clock.pass_start + order.n
        until = min(stop, pass_end)
        shown = _dealt(order, clock.dealt, until, clock.pass_start)
        clock.dealt = max(clock.dealt, until)
        with np.errstate(all="ignore"):
            events = _present(A, X, labels, rates, rule, shown, books, clock, until)
        if clock.t == pass_end:
            events |= end_pass(books, clock)
    _spend(_CALL + (clock.t - begin) * (rows.X.shape[1] + _SHOWN))
    for name, vector in kept.items():
        vector[:] = getattr(books, name)
    for name, value in vars(clock).items():
        clocks[name] = value
    return events


def _present(
    A: Floats,
    X: list[list[float]],
    y: list[int],
    rates: list[float],
    rule: Rosenblatt,
    shown: Sequence[int],
    books: Memory,
    clock: SimpleNamespace,
    until: int,
) -> int:
    """Show the rows of presentations clock.t..until, and correct after each mistake; returns at the first event.

    Rows, as lists too, that are wide are answered several at a time: until a mistake, w stays.
    """
    w, average, begin = books.w, books.average, clock.pass_start
    p = len(X[0])
    bias, wide, several = len(w) > p, p >= 8, _SEVERAL
    told, told_from, told_until = list[float](), clock.t, clock.t
    for t in range(clock.t, until):
        i = shown[t - begin]
        x, label = X[i], y[i]
        if wide and t >= told_until:
            several = min(2 * several, _MOST_AT_ONCE)
            told_from, told_until = t, min(until, t + several)
            told = _responses(A[shown[t - begin : told_until - begin]], np.array(w)).tolist()
        s = told[t - told_from] if wide else _few_products(x, w)
        s = s + w[p] if bias else s
        agreement = label * s
        if agreement > 0.0 or (agreement == 0.0 and not (rule.tie_positive if label > 0 else rule.tie_negative)):
            continue
        a = rule.eta * label * rates[i] if rates else rule.eta * label
        if a == 0.0:
            continue
        several, told_until = max(_SEVERAL, t - told_from), t + 1
        record_right_answers(books, clock, t)
        for vector, step in ((w, a), (average, a * t)) if average else ((w, a),):
            for j in range(p):
                vector[j] += step * x[j]
            if bias:
                vector[p] += step
        events: int = record_correction(books, clock, i, a, 1, t)
        if events:
            clock.t = t + 1
            return events
    clock.t = until
    return 0


def _few_products(x: list[float], w: list[float]) -> float:
    s = 0.0
    for a, b in zip(x, w, strict=False):  # w may have a bias more
        s += a * b
    return s


def _dealt(order: Cyclic | Shuffled, start: int, stop: int, pass_start: int) -> Sequence[int]:
    """The rows of a pass as far as presentation `stop`, of which those before `start` have been decided."""
    if isinstance(order, Cyclic):
        return range(order.n)
    rows = list(range(order.n)) if start == pass_start else order.permutation.tolist()
    for k, u in enumerate(_uniform(order.seed, start, stop), start - pass_start):
        other = k + int(u * (order.n - k))
        rows[k], rows[other] = rows[other], rows[k]
    order.permutation[:] = rows
    return rows


def _uniform(seed: int, start: int, stop: int) -> list[float]:
    """Random numbers start … stop − 1 of a seed, as `uniform` of `orders.py` has them."""
    t = np.arange(start + 1, max(start, stop) + 1, dtype=np.uint64)
    z = np.uint64(seed) + t * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in _TURNS:
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    z ^= z >> np.uint64(31)
    numbers: list[float] = ((z >> np.uint64(11)) * (1.0 / 9007199254740992.0)).tolist()
    return numbers
