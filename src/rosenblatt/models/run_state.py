"""Everything a run needs to go on where it stopped, bit for bit."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.models.storage import Damaged, numbers
from rosenblatt.models.units import Units, scaled

__all__ = ["RunState"]

_NAMES = ("n", "seed", "clock", "mistakes_per_pass", "goal", "outcome", "witness")
_LOWEST = -(2**62)  # of a number on the clock: differences of times fit 64 bits
_TRACED = ("traced_rows", "traced_steps", "traced_times")  # files of older versions have no times


@dataclass
class RunState:
    """The vectors and the clock of the compiled loop, its seed, and the lists kept beside it.

    `vectors` has w and, if they are kept, average, longest, mark, previous and pocket. `clock` has the numbers of
    `CLOCK` in `kernels/records.py` by name.
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
