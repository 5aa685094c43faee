"""How a run of the loop goes, and what it counts: its settings, besides examples and rule, and its clock.

The clock is a record of numbers that the compiled loop counts in, with a name for each question about it.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from rosenblatt.learners.runs.examples import Ties

if TYPE_CHECKING:
    from rosenblatt.kernels.dual import Dual
    from rosenblatt.kernels.joint import Kesler
    from rosenblatt.kernels.kinds import (
        Aggressive,
        Cyclic,
        LeastMeanSquares,
        Memory,
        Random,
        Rosenblatt,
        Shuffled,
        Sigmoid,
        WideMargin,
    )

    Order = Cyclic | Shuffled | Random
    Rule = Rosenblatt | WideMargin | Aggressive | LeastMeanSquares | Sigmoid | Kesler | Dual

__all__ = ["Clock", "Settings", "make_order"]


@dataclass(frozen=True)
class Settings:
    """How a run goes, and when it ends."""

    ties: Ties = (True, True)
    order: str = "cyclic"
    seed: int = 0
    average: bool | Literal["auto"] = False  # "auto": where the run does not separate
    asks: bool = False  # whether the run looks at its average on the way, and asks whether anything separates
    pocket: bool = False
    trace: bool = False
    detect_cycles: bool = True  # useful only where the steps are rational: otherwise no cycle can be proved
    max_passes: int = 1000
    max_updates: int | None = None
    patience: int | None = None
    separate: bool = True  # whether a pass without a mistake ends the run
    tol: float | None = None  # for a learner that minimises: a pass that moves w by at most tol·‖w‖ ends the run
    zero_is_positive: bool = False  # whether `predict` answers s = 0 with the second class

    @classmethod
    def of(cls, model: object, **own: object) -> Self:
        """Settings from the learner's parameters of the same names; `own` replaces some and adds others."""
        named = {one.name: getattr(model, one.name) for one in fields(cls) if hasattr(model, one.name)}
        return cls(**named | own)

    @property
    def errors(self) -> Ties:
        """Whether s = 0 is a wrong answer on a positive, on a negative example: errors are counted as `score` does."""
        return not self.zero_is_positive, self.zero_is_positive


def make_order(settings: Settings, n: int) -> "Order":
    """The kernels' order of presentation."""
    from rosenblatt.kernels.kinds import Cyclic, Random, Shuffled

    seed = np.uint64(settings.seed)
    if settings.order == "shuffled":
        return Shuffled(n, seed, np.empty(n, dtype=np.uint32))
    return Random(n, seed) if settings.order == "random" else Cyclic(n)


_NONE_YET = np.iinfo(np.int64).max  # "fewest mistakes" before the first pass has ended
_FOR_EVER = 1 << 62  # no run reaches it; stands for limits too large for the record


def _count_of(name: str, words: str) -> Any:
    """A whole number of the record."""
    return property(lambda clock: int(clock.record[name][0]), doc=words)


class Clock:
    """What a run counts; times are counted in presentations. Only this class and the compiled loop read `record`."""

    def __init__(self, settings: Settings, w_sq: float) -> None:
        from rosenblatt.kernels.kinds import CLOCK

        self.record = np.zeros(1, dtype=CLOCK)
        self.record["fewest"] = _NONE_YET
        self.record["w_sq"] = self.record["mark_w_sq"] = w_sq
        self.set_limits(settings)

    # ---------------------------------------------------------------------------------------------------- what it says

    t = _count_of("t", "Presentations made.")
    pass_start = _count_of("pass_start", "When this pass began.")
    passes = _count_of("passes", "Passes made.")
    corrections = _count_of("corrections", "Corrections made.")
    mistakes = _count_of("mistakes", "Mistakes of the pass that has not ended.")
    longest = _count_of("longest", "Right answers in a row of the best candidate for the pocket in this pass.")

    @property
    def in_pass(self) -> bool:
        """Whether a pass has begun and not ended."""
        return bool(self.t > self.pass_start)

    @property
    def quiet(self) -> int:
        """Presentations since the last correction."""
        return int(self.t - self.record["last"][0])

    @property
    def allowed(self) -> int | None:
        """Corrections that may still be made; None where there is no limit."""
        limit = int(self.record["max_corrections"][0])
        return None if limit < 0 else int(limit - self.corrections)

    @property
    def fewest(self) -> int | None:
        """The fewest mistakes of a pass."""
        return int(self.record["fewest"][0]) if self.record["fewest_pass"][0] else None

    @property
    def w_sq(self) -> float:
        """‖w‖², as the loop keeps it."""
        return float(self.record["w_sq"][0])

    @property
    def mark(self) -> tuple[int, float]:
        """After how many passes the search for a cycle remembered the weights, and their ‖w‖²."""
        return int(self.record["mark_pass"][0]), float(self.record["mark_w_sq"][0])

    # -------------------------------------------------------------------------------------------------- what it is told

    def set_limits(self, settings: Settings) -> None:
        """From now on, these limits."""
        more = settings.max_updates
        self.record["max_corrections"] = -1 if more is None else min(self.corrections + more, _FOR_EVER)
        self.record["patience"] = min(settings.patience or 0, _FOR_EVER)
        self.record["tol"] = settings.tol or 0.0

    def set_to(self, passes: int, n: int, w_sq: float, quiet: int = 0) -> None:
        """The time after so many passes of n rows; the last `quiet` presentations had right answers."""
        now = passes * n
        for name in ("t", "pass_start", "dealt", "quiet_since"):
            self.record[name] = now
        self.record["passes"], self.record["w_sq"], self.record["last"] = passes, w_sq, now - quiet

    def set_counts(self, presentations: int, corrections: int) -> None:
        """Take over the counts of a stream's rows that were counted elsewhere."""
        self.record["t"], self.record["corrections"] = presentations, corrections

    def mark_now(self) -> None:
        """The search for a cycle begins here: the remembered weights, which are those of now, were of other data."""
        self.record["mark_pass"], self.record["mark_corrections"] = self.passes, self.corrections
        self.record["mark_w_sq"] = self.w_sq

    def forget_best(self) -> None:
        """From now on the best pass is one of those to come: the earlier ones had other data."""
        self.record["fewest"], self.record["fewest_pass"] = _NONE_YET, 0

    def set_norm(self, w_sq: float) -> None:
        """‖w‖² is this from now on."""
        self.record["w_sq"] = w_sq

    def copy(self) -> "Clock":
        """A copy that shows the same time."""
        return deepcopy(self)

    def end_pass(self, memory: "Memory") -> int:
        """Close the books of a pass. Returns the events, as the loop does."""
        from rosenblatt.kernels import kinds

        close: Callable[[Memory, Any], int] = kinds.end_pass
        return int(close(memory, self.record.view(np.recarray)[0]))

    def begin_pass(self) -> None:
        """Begin a pass now, even if the last one has not ended."""
        self.record["pass_start"] = self.record["dealt"] = self.record["t"]

    def add_mixed(self, shown: int, corrections: int, mistakes: int, quiet: int, longest: int, w_sq: float) -> None:
        """Add what several shards did, at the end of their pass."""
        self.record["t"] += shown
        self.record["corrections"] += corrections
        self.record["mistakes"], self.record["longest"], self.record["w_sq"] = mistakes, longest, w_sq
        self.record["last"] = self.record["t"] - quiet

    def restart_quiet(self) -> None:
        """Count right answers in a row from here on; the loop reports CLEAN after n of them (order="random")."""
        self.record["quiet_since"] = self.record["t"]

    def pocket_judged(self) -> None:
        """The candidates of this pass for the pocket have been judged: count the longest run from zero again."""
        self.record["longest"] = 0

    def take_counts(self) -> tuple[int, int]:
        """How many passes and corrections are in the loop's buffers; from now on the buffers count as empty."""
        waiting = int(self.record["counted"][0]), int(self.record["traced"][0])
        self.record["counted"] = self.record["traced"] = 0
        return waiting

    # ---------------------------------------------------------------------------------------------------- kept in files

    def to_json(self) -> dict[str, Any]:
        """All its numbers by name. `dealt` is the start of the pass: the permutation is drawn again from there."""
        numbers = {name: self.record[name][0].item() for name in self.record.dtype.names or ()}
        return numbers | {"dealt": self.pass_start}

    def restore(self, kept: dict[str, Any]) -> None:
        """The numbers that `to_json` gave."""
        for name, value in kept.items():
            self.record[name] = value
