"""Runs that look at all rows before each step, one step a pass; Newton's method on two classes, or on K at once."""

from abc import ABC, abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.wording import count
from rosenblatt.learners.runs.ending import (
    AsRead,
    count_wrong,
    describe_end,
    describe_no_minimum,
    of_rounded,
    receding,
    where_loss_is,
)
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import MOVING, Goal, LogisticGoal, Look
from rosenblatt.learners.runs.joint import JointExamples
from rosenblatt.learners.runs.progress import Progress
from rosenblatt.minimise import LogisticLoss, Newton, Point
from rosenblatt.models import JointWitness, Outcome, RunState, Trace, Witness
from rosenblatt.threads import one_thread

__all__ = ["BatchRun", "JointSteps", "NewtonSteps"]

_NARROW = 128  # weights up to which products of pieces of rows are too small for several threads


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
        with one_thread() if self.w.size <= _NARROW else nullcontext():
            return self._finish(progress)

    def _finish(self, progress: Progress | None) -> "BatchRun":
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


_SMALL = 1e-4  # once Q is this small, it is worth looking for a direction in which the loss falls for ever


@dataclass
class NewtonSteps(BatchRun):
    """Two classes."""

    v: Floats | None = None  # proves that the loss has no minimum
    moving: bool = False  # whether some row still responds to the last step
    point: Point | None = None

    @property
    def aim(self) -> LogisticGoal:
        """The goal, which is a logistic one."""
        assert isinstance(self.goal, LogisticGoal)
        return self.goal

    @cached_property
    def newton(self) -> Newton:
        """The solver."""
        return Newton(self.aim.logistic, self.aim.tol)

    def step(self) -> tuple[Floats, int, bool]:
        """One step; then, where the loss may have no minimum, a look for a proof of that."""
        W = self.w[None, :]
        move = self.newton.step(self.point) if self.point else self.newton.first(W, not self.mistakes_per_pass)
        self.point, w = move.point, move.point.W[0]
        mistakes = self.examples.count_mistakes(w, (True, True))
        if not self.aim.has_minimum and mistakes == 0 and not count_wrong(self.examples, w):
            self.v = w  # stop here: the longer weights that would follow generalise less well
        elif not self.aim.has_minimum and (move.Q <= _SMALL or move.last):
            self.moving = self.aim.agreement(move.direction[0]) >= MOVING
            if self.moving and self.newton.dense:
                self.v = self.aim.falling(w, move.direction[0])
        return w, mistakes, move.last or self.v is not None

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        if self.v is not None:
            return describe_no_minimum(self.aim, self.examples, self.w, self._after, self.v)
        outcome = super()._outcome(settled, reason)
        if outcome == "BUDGET" and self.moving:
            return Outcome(
                "BUDGET",
                f"{outcome.sentence[:-1]}; the weights seem to grow without end, but no direction was proved in which "
                f"the loss falls for ever.",
            )
        return outcome


@dataclass
class JointSteps(BatchRun):
    """K classes, one softmax: K weight vectors that add up to zero."""

    goals: list[LogisticGoal] = field(default_factory=list)  # of each class against the rest
    labels: list[object] = field(default_factory=list)
    point: Point | None = None
    loss: LogisticLoss | None = None  # of all classes; None: of the rows that the goals have

    @cached_property
    def newton(self) -> Newton:
        """The solver; the last class responds with 0."""
        goal, loss = self.goals[0], self.loss
        if loss is None:
            codes = np.argmax([one.examples.y for one in self.goals], axis=0)
            loss = LogisticLoss(goal.coordinates, codes, len(self.goals), self.examples.weights, goal.regularizer)
        return Newton(loss, goal.tol)

    def state(self) -> RunState:
        """All that is needed to go on: also the weights as they were before they were moved to add up to zero."""
        state = super().state()
        if self.point is not None and self.outcome is None:
            state.vectors["reached"] = np.vstack([self.point.W, np.zeros(self.examples.d)])
        return state

    def step(self) -> tuple[Floats, int, bool]:
        """One step."""
        before = {} if self.earlier is None else self.earlier.vectors
        W = before["reached"][:-1] if "reached" in before else self.w[:-1] - self.w[-1]
        move = self.newton.step(self.point) if self.point else self.newton.first(W, not self.mistakes_per_pass)
        self.point, wrong = move.point, self.newton.loss.misplaced(move.point.W)
        enough = not self.goals[0].regularizer and wrong == 0
        full = np.vstack([move.point.W, np.zeros(self.examples.d)])
        return full - full.mean(axis=0), wrong, move.last or enough

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        assert self.point is not None
        goal, loss, point = self.goals[0], self.newton.loss, self.point
        wrong, present = loss.misplaced(point.W), self.examples.present
        sides = f"{wrong} of {present} examples are not" if wrong else f"all {present} examples are"
        sides = f"{sides} given to their class after {self._after}"
        value, gap = loss.proved(point.W)
        look = Look(value, loss.scale, gap)
        if look.gap is None and not goal.regularizer:
            found = self._no_minimum(sides, wrong)
            if found is not None:
                return found
        end = where_loss_is(goal, look, reason=reason)
        return Outcome("CONVERGED" if goal.near(look) else "BUDGET", f"{sides}; {end}.")

    def said_as_read(self, read: AsRead) -> Outcome | None:
        """The outcome, as far as it is proved of the numbers as they are read: of one class, or of all together."""
        outcome = self.outcome
        if outcome != "RECEDING":
            return super().said_as_read(read)
        if outcome.hyperplane is not None:
            true = any(read.holds(outcome, goal.examples, self.w[0]) for goal in self.goals)
        else:
            codes = np.argmax([one.examples.y for one in self.goals], axis=0)
            together = JointExamples.of(replace(self.examples, y=codes), len(self.goals))
            true = read.holds(outcome, together, np.ravel(self.w))
        return outcome if true else of_rounded(outcome)

    def _no_minimum(self, sides: str, wrong: int) -> Outcome | None:
        """RECEDING with a proof, or None.

        If the loss of class k against the rest falls for ever along v, the joint loss falls for ever along w_k + t·v.
        And if every row's own class has the highest response, the joint loss falls for ever as all weights grow.
        """
        for goal, label in zip(self.goals, self.labels, strict=True):
            v = self._falls_alone(goal)
            if v is not None:
                return receding(goal, sides, v, f" in the weights of class {label!r}")
        return self._all_grow(sides, wrong)

    def _falls_alone(self, goal: LogisticGoal) -> Floats | None:
        """A direction in which the loss of one class against the rest falls for ever; None where none was found."""
        alone = NewtonSteps(goal.examples, np.zeros(goal.examples.d), self.max_passes, None, goal)
        alone.finish()
        return alone.v

    def _all_grow(self, sides: str, wrong: int) -> Outcome | None:
        """RECEDING, if every row's own class has the highest response; else None."""
        if wrong or not self._separates():
            return None
        return Outcome(
            "RECEDING", f"{sides}; the loss has no minimum, proved exactly: it falls for ever as all weights grow."
        )

    def _separates(self) -> bool:
        """Whether w_k·z > w_l·z for every row of class k and every other l, in exact arithmetic."""
        assert self.point is not None
        loss = self.newton.loss
        W = np.vstack([self.point.W, np.zeros(self.examples.d)])
        quantum = np.ldexp(1.0, np.frexp(np.abs(W).max(axis=0))[1] - 40)
        W = np.rint(W / quantum) * quantum  # differences of these are exact
        pairs = [(k, other) for k in range(loss.K) for other in range(loss.K) if k != other]
        return all(loss.ahead(k, W[k] - W[other]) for k, other in pairs)
