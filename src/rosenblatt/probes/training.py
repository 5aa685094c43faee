"""What training all probes leaves behind, whatever device did it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Deal", "Ledger", "Tick", "Trained"]

Deal = Callable[[int], npt.NDArray[np.int64]]  # pass number → the rows in the order they are shown
Tick = Callable[[int, int], None]  # passes made, probes still at work


@dataclass(frozen=True)
class Trained:
    """B probes after their last pass.

    `weights` (p + 1) × B, bias last; `sums` likewise Σ t·correction, where the average is wanted, else 0 × B: the mean
    of the weights after each presentation is weights − sums/t. `mistakes` passes × B; a probe has ended with its first
    zero.
    """

    weights: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]
    mistakes: npt.NDArray[np.int32]

    @property
    def passes(self) -> npt.NDArray[np.int64]:
        """Passes each probe made, the clean one included."""
        clean = self.mistakes == 0
        return np.where(clean.any(axis=0), clean.argmax(axis=0) + 1, len(self.mistakes))

    @staticmethod
    def join(parts: list["Trained"]) -> "Trained":
        """Probes that were trained apart, side by side."""
        longest = max(len(part.mistakes) for part in parts)
        grown = [np.pad(part.mistakes, ((0, longest - len(part.mistakes)), (0, 0))) for part in parts]
        return Trained(
            np.hstack([part.weights for part in parts]),
            np.hstack([part.sums for part in parts]),
            np.hstack(grown),
        )


class Ledger:
    """Who is still at work: a probe leaves after its first pass without a mistake."""

    def __init__(self, probes: int) -> None:
        self.probes = probes
        self.active: npt.NDArray[np.int64] = np.arange(probes)
        self._history: list[npt.NDArray[np.int32]] = []

    def enter(self, mistakes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Write down a pass of the active probes; says which of them go on."""
        row = np.zeros(self.probes, dtype=np.int32)
        row[self.active] = mistakes
        self._history.append(row)
        on = np.asarray(mistakes != 0)
        self.active = self.active[on]
        return on

    @property
    def mistakes(self) -> npt.NDArray[np.int32]:
        """Passes × probes."""
        return np.array(self._history, dtype=np.int32).reshape(len(self._history), self.probes)
