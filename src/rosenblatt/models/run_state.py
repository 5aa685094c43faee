"""Everything a run needs to go on where it stopped, bit for bit."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["RunState"]

_NAMES = ("n", "seed", "clock", "mistakes_per_pass", "goal", "outcome", "witness")
_TRACED = ("traced_rows", "traced_steps", "traced_times")  # files of older versions have no times


@dataclass
class RunState:
    """The vectors and the clock of the compiled loop, its seed, and the books kept beside it.

    `vectors` are w and, where they are kept, average, longest, mark, previous and pocket; `clock` the numbers of
    `kernels.rows.CLOCK` by name.
    """

    n: int
    seed: int
    start: npt.NDArray[np.float64]
    vectors: dict[str, npt.NDArray[np.float64]]
    clock: dict[str, Any]
    mistakes_per_pass: list[int]
    goal: int | None = None  # of a run interrupted on its way: where it was to stop, in the units of its own clock
    outcome: tuple[str, str] = ("", "")  # name and sentence, of a run that ended by itself and not by a limit
    witness: tuple[list[int], list[str]] = field(default_factory=lambda: ([], []))  # rows, multipliers in hexadecimal
    traced_rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    traced_steps: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    traced_times: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def to_parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays, their names beginning with `prefix`, and what JSON can hold."""
        arrays = {f"{prefix}vector.{name}": vector for name, vector in self.vectors.items()}
        arrays |= {f"{prefix}{name}": getattr(self, name) for name in ("start", *_TRACED)}
        return arrays, {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any], prefix: str) -> "RunState":
        """The state that `to_parts` took apart."""
        vector = f"{prefix}vector."
        return cls(
            start=arrays[f"{prefix}start"],
            vectors={name.removeprefix(vector): a for name, a in arrays.items() if name.startswith(vector)},
            **{name: arrays[f"{prefix}{name}"] for name in _TRACED if f"{prefix}{name}" in arrays},
            **{name: metadata[name] for name in _NAMES},
        )
