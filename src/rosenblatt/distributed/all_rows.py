"""The runs of learners that look at all rows before they move, on a cluster: least squares, and Newton's method."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.context import SILENT
from rosenblatt.distributed.passes import ShardedExamples
from rosenblatt.exact import integers, primitive
from rosenblatt.learners.least_squares import GaussNewton, LeastSquares
from rosenblatt.learners.logistic import Logistic
from rosenblatt.learners.runs.goals import LogisticGoal, Look, SquaredGoal, ridge_words
from rosenblatt.learners.runs.steps import JointSteps, NewtonSteps
from rosenblatt.minimise import UP, BlocksColumns, BlocksLoss, ExactSquares, LogisticLoss, rounded
from rosenblatt.models import RunState
from rosenblatt.verdicts.rounds import PointSet, Rounds

__all__ = ["begin_on_all_rows"]

_LARGEST = 3000  # weights: their products with each other are summed, and a system of that size is solved exactly


def begin_on_all_rows(
    estimator: LeastSquares | Logistic, examples: list[ShardedExamples], sparse: bool, earlier: list[RunState | None]
) -> list[Any]:
    """One run for each class, or one for all classes together, as the local fit would begin them.

    `earlier` is where each run stood in a checkpoint.
    """
    first = examples[0]
    joint = len(examples) > 1 and getattr(estimator, "_joint", False)
    _refuse_many(estimator, first.d * (len(examples) - 1 if joint else 1))
    heaviest = float(first.weights[0]) if first.weights.size else None
    columns = BlocksColumns.over(first.shards, first.rows.p, first.bias, sparse)
    squares = cache(lambda: ExactSquares.of(first.shards, columns, heaviest))
    starts = [at.start for at in estimator._beginnings(examples, [None] * len(examples))]
    delta, passes = float(estimator.regularizer), estimator.max_passes
    stood = [one and replace(one, goal=passes) for one in earlier]  # of all steps, those before included
    if isinstance(estimator, LeastSquares):
        each = zip(examples, starts, stood, strict=True)
        return [_least_squares(estimator, one, w, squares(), state) for one, w, state in each]

    def loss_of(runs: list[int]) -> BlocksLoss:
        return BlocksLoss(columns, first.shards, squares, runs, heaviest, delta)

    goals = [ShardedGoal(one, estimator.tol, columns, True, delta, loss=loss_of([one.k])) for one in examples]
    if not joint:
        runs = zip(examples, starts, stood, goals, strict=True)
        return [NewtonSteps(one, w, passes, state, goal) for one, w, state, goal in runs]
    more = {"goals": goals, "labels": estimator.classes_.tolist(), "loss": loss_of([one.k for one in examples])}
    return [ShardedJointSteps(first, np.array(starts), passes, stood[0], goals[0], **more)]


def _least_squares(
    estimator: LeastSquares, examples: ShardedExamples, start: Floats, squares: ExactSquares, earlier: RunState | None
) -> "SquaresRun":
    delta = float(estimator.regularizer)
    squares.free_bias = examples.bias and not estimator.penalize_bias
    # one step from zero reaches the minimum of the loss with the ridge; other steps lead to that of the plain loss
    is_ridge = delta > 0 and estimator.max_passes == 1 and not start.any()
    goal = ExactGoal(examples, estimator.tol, squares=squares, k=examples.k, ridge=delta if is_ridge else 0.0)
    passes = estimator.max_passes
    return SquaresRun(examples, start, passes, earlier=earlier, goal=goal, squares=squares, delta=delta)


def _refuse_many(estimator: object, weights: int) -> None:
    if weights > _LARGEST:
        raise ValueError(
            f"{type(estimator).__name__} on a cluster adds up the squares of all weights, and {weights:,} are too many "
            f"for that: {_LARGEST:,} is the limit. Perceptron, or Logistic with mode='incremental', has none."
        )


# ---------------------------------------------------------------------------------------------------- Newton's method


@dataclass(frozen=True)
class ShardedGoal(LogisticGoal):
    """The logistic loss of one run, whose rows are in shards."""

    examples: ShardedExamples
    loss: BlocksLoss = field(kw_only=True)

    @property
    def at_hand(self) -> bool:
        """Whether the loss can be looked at: the workers do it."""
        return True

    @property
    def logistic(self) -> LogisticLoss:
        """The loss and its curvature."""
        return self.loss

    def agreement(self, step: Floats) -> float:
        """The largest y·(response to a step)."""
        return self.examples.agreement(step)

    def falling(self, w: Floats, step: Floats) -> Floats | None:
        """A direction in which the loss falls for ever, proved exactly; None where there is none in float64."""
        return self.direction

    @cached_property
    def direction(self) -> Floats | None:
        """The same, whatever the weights are."""
        return _falling_exactly(self.examples)


@dataclass
class ShardedJointSteps(JointSteps):
    """K classes, one softmax."""

    def _falls_alone(self, goal: LogisticGoal) -> Floats | None:
        assert isinstance(goal, ShardedGoal)
        return goal.direction


def _falling_exactly(examples: ShardedExamples) -> Floats | None:
    """A v with z·v ≥ 0 on every row of positive weight and > 0 on some; None where there is none in float64."""
    points = PointSet.of_run(examples.shards, examples.rows.p, examples.bias, examples.k)
    proof = Rounds(points, SILENT).decide()
    if proof.kind == "overlap":
        return None
    v = _in_floats(proof.w)
    whole, _ = integers(v)
    seen = points.look([int(x) for x in whole], 1)
    return v if not seen.wrong and seen.on_plane < points.n else None


def _in_floats(w: list[int]) -> Floats:
    """Whole numbers as floats, whose largest is at least 1; rounded where they are long."""
    w = primitive(w)
    top = max(0, max(abs(v).bit_length() for v in w) - 53)
    return np.array([float(Fraction(v, 1 << top)) for v in w])


# ------------------------------------------------------------------------------------------------------- least squares


@dataclass(frozen=True, kw_only=True)
class ExactGoal(SquaredGoal):
    """The squared loss of one run, from the exact sums."""

    squares: ExactSquares
    k: int
    ridge: float

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is minimised."""
        return ridge_words(self.ridge, self.squares.columns.bias and not self.squares.free_bias)

    @property
    def at_hand(self) -> bool:
        """Whether the sums are here: they are."""
        return True

    def look(self, w: Floats) -> Look:
        """The loss at w and how far it is from the minimum."""
        loss = self.squares.loss(w, self.k, self.ridge)
        gap = rounded(loss - self._least) * UP
        return Look(rounded(loss), 0.5 * self.squares.total(), gap)

    @cached_property
    def _least(self) -> Fraction:
        return self.squares.least(self.k, self.ridge)


@dataclass(kw_only=True)
class SquaresRun(GaussNewton):
    """Gauss-Newton steps of one run, from the exact sums."""

    goal: ExactGoal
    squares: ExactSquares
    delta: float

    @property
    def dependent(self) -> list[int]:
        """Columns that are combinations of the others."""
        found = self.squares.dependence
        return [] if self.delta or not (found.exact or self.near) else sorted(found.dropped)

    @cached_property
    def near(self) -> bool:
        """Whether the exact weights, once rounded, miss the minimum: then nearly dependent columns are left out."""
        if self.delta or self.squares.dependence.exact or not self.squares.dependence:
            return False
        return not self.goal.near(self.goal.look(self.start + self.squares.step(self.start, self.goal.k, 0.0)))

    def step(self) -> tuple[Floats, int, bool]:
        """One step; the run ends when all steps that were asked for are made."""
        w = self.w + self.squares.step(self.w, self.goal.k, self.delta, self.near)
        return w, self.examples.count(w, (True, True))[0], self.n_updates + 1 >= self.limit
