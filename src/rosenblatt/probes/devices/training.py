"""Passes over the rows until every probe has made one without a mistake, on any device."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places

__all__ = ["Deal", "Team", "Tick", "Trained", "as_long_as_the_longest", "run"]

Deal = Callable[[int], Places]  # pass number → the rows in the order they are shown
Tick = Callable[[int, int], None]  # passes made, probes still at work

# Columns of finished probes still cost time: once no more than this part is still learning, the others are removed.
_REGROUP_AT = 0.75


@dataclass(frozen=True)
class Trained:
    """B probes after their last pass.

    `weights` (p + 1) × B, bias last; `sums` likewise Σ t·correction, where the average is wanted, else 0 × B: the mean
    of the weights after each presentation is weights − sums/t. `mistakes` passes × B; a probe has ended with its first
    zero.
    """

    weights: Floats
    sums: Floats
    mistakes: npt.NDArray[np.int32]

    @property
    def passes(self) -> Places:
        """Passes each probe made, the clean one included."""
        clean = self.mistakes == 0
        return np.where(clean.any(axis=0), clean.argmax(axis=0) + 1, len(self.mistakes))

    @staticmethod
    def join(parts: list["Trained"]) -> "Trained":
        """Probes that were trained apart, side by side."""
        weights, sums, mistakes = zip(*((part.weights, part.sums, part.mistakes) for part in parts), strict=True)
        return Trained(np.hstack(weights), np.hstack(sums), np.hstack(as_long_as_the_longest(mistakes)))


def as_long_as_the_longest(mistakes: Sequence[npt.NDArray[np.int32]]) -> list[npt.NDArray[np.int32]]:
    """Mistakes (passes × probes) of several runs, with zeros after the last pass of the shorter ones."""
    longest = max(map(len, mistakes))
    return [np.pad(some, ((0, longest - len(some)), (0, 0))) for some in mistakes]


class Team(Protocol):
    """Probes at work on one device; a column is a probe's place in the team."""

    def sweep(self, number: int, rows: Places | None) -> npt.NDArray[np.int32]:
        """Make pass `number` over the rows in this order (None: in turn); the mistakes of each column."""

    def dismiss(self, columns: Places) -> None:
        """Correct these columns no more."""

    def keep(self, columns: Places) -> "Team":
        """A team of these columns only."""

    def fetch(self, weights: Floats, sums: Floats, index: Places) -> None:
        """Write what column k has learned to column index[k] of these."""


def run(
    team: Team, probes: int, d: int, passes: int, deal: Deal | None, average: bool, tick: Tick | None = None
) -> Trained:
    """Make passes until all probes have finished; those who have drop out of the work."""
    weights, sums = np.zeros((d, probes)), np.zeros((d if average else 0, probes))
    index, at_work = np.arange(probes), np.ones(probes, dtype=np.bool_)
    history = []
    for number in range(passes):
        mistakes = team.sweep(number, None if deal is None else deal(number))
        history.append(np.zeros(probes, dtype=np.int32))
        history[-1][index[at_work]] = mistakes[at_work]
        finished = at_work & (mistakes == 0)
        at_work &= ~finished
        left = int(np.count_nonzero(at_work))
        if tick is not None:
            tick(number + 1, left)
        if not left:
            break
        team.dismiss(np.flatnonzero(finished))
        if left <= _REGROUP_AT * index.size and number + 1 < passes:
            team.fetch(weights, sums, index)
            team, index = team.keep(np.flatnonzero(at_work)), index[at_work]
            at_work = np.ones(left, dtype=np.bool_)
    team.fetch(weights, sums, index)
    return Trained(weights, sums, np.array(history))
