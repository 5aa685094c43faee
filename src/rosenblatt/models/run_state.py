"""All that a run needs to go on where it stopped, bit for bit: its vectors and clock, in units of its own; its file.

η only scales w: a perceptron's run counts in units in which start and step are whole numbers, w = unit·(start +
step·Σ ±z). From w(0) = 0 the unit is η and the step is 1, so η never enters. η, and a start of few digits, are read as
decimals: 0.1 is one tenth.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, inf, lcm
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.numbers import decimal_of
from rosenblatt.models.storage import Damaged, numbers, read_arrays, write_arrays

__all__ = ["ONE", "Checkpoint", "RunState", "Units", "scaled"]

ONE = Fraction(1)
_EXACT = 2**53  # float64 has all whole numbers up to this one
_DIGITS = 10**15  # a float that is nearest to a decimal of at most 15 digits is that decimal


@dataclass(frozen=True)
class Units:
    """The unit of a run's weights, and η in these units.

    >>> Units.of(np.zeros(3), 0.1)
    (Units(unit=Fraction(1, 10), step=1.0), array([0., 0., 0.]))
    >>> Units.of(np.array([0.3, -0.25]), 0.1)
    (Units(unit=Fraction(1, 20), step=2.0), array([ 6., -5.]))
    """

    unit: Fraction = ONE
    step: float = 1.0

    @classmethod
    def of(cls, start: Floats, eta: float) -> "tuple[Units, Floats]":
        """Units for a run from this start, and the start in them; plain floats where whole numbers get too large."""
        h = decimal(eta)
        if not start.any():
            return cls(h, 1.0), np.zeros_like(start)
        if h.denominator & (h.denominator - 1) == 0 and _are_short(start):
            return cls(ONE, float(eta)), start  # sums of such numbers are exact as they are
        values = [_short_decimal(v) for v in start.ravel().tolist()]
        common = lcm(h.denominator, *(v.denominator for v in values))
        whole = [v.numerator * (common // v.denominator) for v in values]
        step = h.numerator * (common // h.denominator)
        shared = gcd(step, *whole)
        if max(step, *map(abs, whole)) > _EXACT * shared:
            return cls(ONE, float(eta)), start
        own = np.array([v // shared for v in whole], dtype=np.float64).reshape(start.shape)
        return cls(Fraction(shared, common), float(step // shared)), own

    def with_step(self, eta: float) -> "tuple[Units, Fraction]":
        """Units for the same weights and another η, and the factor that brings the weights into them."""
        h = decimal(eta)
        if float(h / self.unit) == self.step:
            return self, ONE
        common = lcm(self.unit.denominator, h.denominator)
        a, b = (one.numerator * (common // one.denominator) for one in (self.unit, h))
        shared = gcd(a, b)
        if max(a, b) > _EXACT * shared:
            return Units(ONE, float(eta)), self.unit
        return Units(Fraction(shared, common), float(b // shared)), Fraction(a, shared)

    def to_json(self) -> list[object]:
        """For files."""
        return [f"{self.unit.numerator}/{self.unit.denominator}", self.step]

    @classmethod
    def from_json(cls, kept: object) -> "Units":
        """From files; those of older versions have no units."""
        if kept is None:
            return cls()
        if not isinstance(kept, list) or len(kept) != 2 or type(kept[1]) is not float or not 0 < kept[1] < inf:
            raise Damaged("the step of a run is no positive number")
        if type(kept[0]) is not str or not re.fullmatch(r"[1-9]\d{0,999}/[1-9]\d{0,999}", kept[0]):
            raise Damaged("the unit of a run is no fraction")
        return cls(Fraction(kept[0]), kept[1])


def scaled(w: Floats, unit: Fraction) -> Floats:
    """The float64 nearest to unit·w, number by number; w itself where the unit is 1."""
    p, q = unit.numerator, unit.denominator
    if p == q:
        return w
    largest = float(np.max(np.abs(w), initial=0.0))
    if p * largest <= _EXACT and q <= _EXACT and np.array_equal(w, np.rint(w)):
        return np.asarray(w * float(p) / float(q))  # the product is exact, so there is one rounding
    if p & (p - 1) == q & (q - 1) == 0 and 2.0**-900 < largest * float(unit) < 2.0**900:
        return np.asarray(w * float(unit))  # a power of two: exact
    return np.array([_nearest_float(v, p, q) for v in w.ravel().tolist()]).reshape(w.shape)


@lru_cache(1024)
def decimal(x: float) -> Fraction:
    """The shortest decimal to which x is the nearest float."""
    m, e = decimal_of(float(x))
    return Fraction(m) * Fraction(10) ** e


def _are_short(w: Floats) -> bool:
    """Whether all numbers are multiples of 2^-24, and none is large: as weights are that were drawn."""
    parts = w * 2.0**24
    return bool(np.max(np.abs(w)) < 2.0**24 and np.array_equal(parts, np.rint(parts)))


def _short_decimal(x: float) -> Fraction:
    """A float as the decimal of at most 15 digits that it is nearest to, or as it is."""
    m, e = decimal_of(x)
    return Fraction(m) * Fraction(10) ** e if abs(m) < _DIGITS else Fraction(x)


def _nearest_float(v: float, p: int, q: int) -> float:
    if not np.isfinite(v):
        return v
    n, d = v.as_integer_ratio()
    try:
        return (n * p) / (d * q)  # of whole numbers: rounded once
    except OverflowError:
        return inf if v > 0 else -inf


_NAMES = ("n", "seed", "clock", "mistakes_per_pass", "goal", "outcome", "witness")
_LOWEST = -(2**62)  # of a number on the clock: differences of times fit 64 bits
_TRACED = ("traced_rows", "traced_steps", "traced_times")  # files of older versions have no times


@dataclass
class RunState:
    """The vectors and the clock of the compiled loop, its seed, and the lists kept beside it.

    `vectors` has w and, if they are kept, average, longest, mark, previous and pocket. `clock` has the numbers of
    `CLOCK` in `kernels/kinds.py` by name.
    """

    n: int
    seed: int
    start: Floats  # this, the vectors and the steps in `units`
    vectors: dict[str, Floats]
    clock: dict[str, Any]
    mistakes_per_pass: list[int]
    goal: int | None = None  # of an interrupted run: where it was to stop (presentations, or steps of a BatchRun)
    outcome: tuple[str, str] = ("", "")  # name and sentence, of a run that ended by itself and not by a limit
    # rows, multipliers in hexadecimal, and the wrong class of each row where K classes learn together
    witness: tuple[list[int], list[str]] | tuple[list[int], list[str], list[int]] = field(
        default_factory=lambda: ([], [])
    )
    traced_rows: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    traced_steps: Floats = field(default_factory=lambda: np.empty(0))
    traced_times: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    # on a cluster: tables with a column for each shard; for K classes together: the class raised and lowered each time
    books: dict[str, Integers] = field(default_factory=dict)
    units: Units = field(default_factory=Units)

    @property
    def passes(self) -> int:
        """Passes made."""
        return int(self.clock["passes"])

    @property
    def corrections(self) -> int:
        """Corrections made."""
        return int(self.clock["corrections"])

    def with_step(self, eta: float) -> "RunState":
        """The same state for a run that goes on with this η."""
        units, factor = self.units.with_step(eta)
        if factor == 1:
            return replace(self, units=units)
        clock = self.clock | {
            name: self.clock[name] * float(factor) ** 2 for name in ("w_sq", "mark_w_sq") if name in self.clock
        }
        vectors = {name: scaled(vector, factor) for name, vector in self.vectors.items()}
        start, steps = scaled(self.start, factor), scaled(self.traced_steps, factor)
        return replace(self, units=units, start=start, vectors=vectors, clock=clock, traced_steps=steps)

    def to_parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays, their names beginning with `prefix`, and what JSON can hold."""
        arrays: dict[str, Any] = {f"{prefix}vector.{name}": vector for name, vector in self.vectors.items()}
        arrays |= {f"{prefix}book.{name}": table for name, table in self.books.items()}
        arrays |= {f"{prefix}{name}": getattr(self, name) for name in ("start", *_TRACED)}
        return arrays, {name: getattr(self, name) for name in _NAMES} | {"units": self.units.to_json()}

    @classmethod
    def from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any], prefix: str) -> "RunState":
        """The state that `to_parts` took apart."""
        state = cls(
            start=arrays[f"{prefix}start"],
            vectors=_below(f"{prefix}vector.", arrays),
            books=_below(f"{prefix}book.", arrays),
            **{name: arrays[f"{prefix}{name}"] for name in _TRACED if f"{prefix}{name}" in arrays},
            **{name: metadata[name] for name in _NAMES},
            units=Units.from_json(metadata.get("units")),
        )
        state._check()
        return state

    def _check(self) -> None:
        """Refuse a state that no run can have left: the compiled loops do not check lengths, row numbers and clocks."""
        shape = self.start.shape  # of one run, or of K classes at once
        for one in (self.start, *self.vectors.values()):
            numbers(one, *shape[:2])
        k = numbers(self.traced_rows, None, dtype="int64").size
        numbers(self.traced_steps, k)
        numbers(self.traced_times, k if self.traced_times.size else 0, dtype="int64")
        for table in self.books.values():
            numbers(table, None, None, dtype="int64")
        lists = (self.mistakes_per_pass, self.outcome, self.witness)
        if any(type(one) not in (list, tuple) for one in lists) or type(self.clock) is not dict:
            raise Damaged("the books of a run are not kept in lists")
        whole = [self.n, self.seed, *self.mistakes_per_pass, *([] if self.goal is None else [self.goal])]
        if any(type(one) is not int or not 0 <= one < 2**64 for one in whole) or "w" not in self.vectors:
            raise Damaged("the numbers of a run are not whole")
        proof = len(self.witness) in (2, 3) and all(type(one) in (list, tuple) for one in self.witness)
        pairs = len(self.outcome) == 2 and proof
        if not pairs or any(type(one) is not str for one in (*self.outcome, *self.witness[1])):
            raise Damaged("how a run ended is not said in words")
        # without a clock a pass is one step, or a phase of the rescaled perceptron with any number of corrections
        if self.clock and max(self.mistakes_per_pass, default=0) > self.n:
            raise Damaged("a run made more mistakes in a pass than there are examples")
        if k and (self.traced_rows.min() < 0 or self.traced_rows.max() >= self.n):
            raise Damaged("a run corrected rows that it does not have")
        if self.clock:
            self._check_clock()

    def _check_clock(self) -> None:
        clock = self.clock
        if any(type(one) not in (int, float) or not _LOWEST <= one < 2**63 for one in clock.values()):
            raise Damaged("the clock of a run does not hold numbers")
        shown = clock["t"] - clock["pass_start"]
        buffers_empty = clock["traced"] == clock["counted"] == 0
        # a permutation is dealt again from the start of its pass: what was dealt before would be outside of it
        sound = 0 <= clock["dealt"] == clock["pass_start"] <= clock["t"] < 2**62 and 0 <= shown <= self.n
        earlier = max(clock["last"], clock["quiet_since"]) <= clock["t"]
        counts = min(clock[name] for name in clock if name not in ("last", "quiet_since", "max_corrections")) >= 0
        if not (sound and buffers_empty and earlier and counts):
            raise Damaged("the clock of a run shows a time that cannot be")


def _below(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """The arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


_KIND = "checkpoint/1"
_READABLE = 120  # characters: a sentence does not show longer differences


class Checkpoint:
    """Where the runs of a fit are kept, one per class; `identity` says which fit it is: its options and its data."""

    def __init__(self, path: Path, identity: Callable[[], dict[str, Any]]) -> None:
        self.path, self._identity = path, identity

    @cached_property
    def fit(self) -> dict[str, Any]:
        """The identity; computed when it is first needed, because that may take a look at all data."""
        return self._identity()

    def save(self, states: Mapping[int, RunState]) -> None:
        """Write the states of the runs. At any moment either the old file or the new one is there."""
        arrays, metadata = dict[str, Any](), {"fit": self.fit}
        for k, state in states.items():
            more, metadata[_run_name(k)] = state.to_parts(f"{_run_name(k)}.")
            arrays |= more
        write_arrays(self.path, _KIND, arrays, metadata)

    def load(self) -> dict[int, RunState]:
        """The saved states of the runs, by number; empty if there is no file. Refuses a checkpoint of another fit."""
        if not self.path.exists():
            return {}
        arrays, metadata = read_arrays(self.path, _KIND)
        theirs = metadata["fit"] if isinstance(metadata.get("fit"), dict) else {}
        for name, value in self.fit.items():
            if theirs.get(name) != value:
                raise ValueError(
                    f"{self.path} is a checkpoint of another fit ({_difference(name, theirs.get(name), value)}): go on "
                    f"with that one, name another file, or delete this one to begin anew."
                )
        try:
            kept = [k for k in range(len(metadata)) if _run_name(k) in metadata]
            return {k: RunState.from_parts(arrays, metadata[_run_name(k)], f"{_run_name(k)}.") for k in kept}
        except (KeyError, TypeError, Damaged) as error:
            raise ValueError(f"{self.path} is damaged ({error}): delete it to begin anew.") from None

    def remove(self) -> None:
        """Remove the file, once the model has been written."""
        self.path.unlink(missing_ok=True)


def _run_name(k: int) -> str:
    """The name of run k in the file."""
    return f"run{k or ''}"


def _difference(name: str, theirs: object, ours: object) -> str:
    """What is different, in a few words."""
    words = f"{name} was {theirs} and is {ours} now"
    if len(words) <= _READABLE + len(name):
        return words
    return f"{name} differs" if theirs is not None else f"it does not say {name}, as those of older versions"
