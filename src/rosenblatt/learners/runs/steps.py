"""Runs that look at all rows before each step: one step a pass."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.wording import count
from rosenblatt.learners.runs.as_read import AsRead
from rosenblatt.learners.runs.ending import describe_end
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import Goal
from rosenblatt.learners.runs.progress import Progress
from rosenblatt.models import JointWitness, Outcome, RunState, Trace, Witness

__all__ = ["BatchRun"]


@dataclass
class BatchRun(ABC):
    """Steps from `start`, or from where `earlier` stopped, until a step is the last one or `max_passes` are made."""

    resumable: ClassVar[bool] = True  # whether `state` has all that is needed to go on

    examples: Examples
    start: Floats
    max_passes: int
    earlier: RunState | None = None
    goal: Goal | None = None

    outcome: Outcome | None = None
    witness: Witness | JointWitness | None = None
    trace: Trace | None = None  # a step moves along all rows: there is no mistake sequence
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.w, self.mistakes_per_pass = self.start.copy(), list[int]()
        if self.earlier is not None:
            self.w, self.mistakes_per_pass = self.earlier.vectors["w"].copy(), list(self.earlier.mistakes_per_pass)
        self.limit = len(self.mistakes_per_pass) + self.max_passes
        if self.earlier is not None and self.earlier.goal is not None:
            self.limit = self.earlier.goal

    @abstractmethod
    def step(self) -> tuple[Floats, int, bool]:
        """Make one step: the next weights, the mistakes seen on the way, and whether this is the last step."""

    @property
    def weights(self) -> Floats:
        """The weights to answer with."""
        return self.w

    @property
    def running(self) -> Floats:
        """The weights to go on from."""
        return self.w

    @property
    def n_updates(self) -> int:
        """Steps made."""
        return len(self.mistakes_per_pass)

    @property
    def position(self) -> tuple[int, int]:
        """Presentations made, and at which of them a limit ends the run."""
        return len(self.mistakes_per_pass) * self.examples.n, self.limit * self.examples.n

    def state(self) -> RunState:
        """All that is needed to go on."""
        goal = self.limit if self.outcome is None else None
        vectors = {"w": self.w.copy()}
        return RunState(self.examples.n, 0, self.start.copy(), vectors, {}, list(self.mistakes_per_pass), goal=goal)

    def finish(self, progress: Progress | None = None) -> "BatchRun":
        """Step until the last step, or until `max_passes` are made."""
        while self.outcome is None and not self.cancelled:
            if progress is not None:
                progress.begin_pass()
            self.w, mistakes, settled = self.step()
            self.mistakes_per_pass.append(mistakes)
            if not np.isfinite(self.w).all():
                raise ValueError(self._divergence())
            stop = progress is not None and progress.end_pass(self._attributes)
            if settled or stop or len(self.mistakes_per_pass) >= self.limit:
                self.outcome = self._outcome(settled, "a callback asked to stop" if stop else "")
            elif progress is not None:
                progress.look(self)
        return self

    def said_as_read(self, read: AsRead) -> Outcome | None:
        """The outcome, as far as it is proved of the numbers as they are read."""
        return None if self.outcome is None else read.said(self.outcome, self.examples, self.weights)

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        return describe_end(self.goal, self.examples, self.w, self._after, settled=settled, reason=reason)

    def _still_wrong(self, after: str, reason: str) -> Outcome:
        """BUDGET, with how many rows `predict` answers wrongly (it gives ties to the first class) and how many tie."""
        tied = ("lies on the hyperplane", "lie on the hyperplane")
        wrong = self.examples.describe_wrong(self.w, (True, False), "still ", *tied)
        return Outcome("BUDGET", f"{wrong} after {after}{f': {reason}' if reason else ''}.")

    @property
    def _after(self) -> str:
        return count(len(self.mistakes_per_pass), "step")

    def _divergence(self) -> str:
        return "the weights overflowed float64: scale X, for example with sklearn.preprocessing.StandardScaler."

    def _attributes(self) -> dict[str, Any]:
        return self.examples.planes(self.weights) | {"mistakes_per_pass_": np.array(self.mistakes_per_pass)}
