"""The runs of learners that look at all rows before they move: least squares, and Newton's method."""

from typing import Any

import numpy as np

from rosenblatt.distributed import logistic
from rosenblatt.distributed.examples import ShardedExamples
from rosenblatt.distributed.squares import ExactGoal, ExactSquares, SquaresRun
from rosenblatt.learners.least_squares import LeastSquares

__all__ = ["begin_on_all_rows"]

_LARGEST = 3000  # weights: their products with each other are summed, and a system of that size is solved exactly


def begin_on_all_rows(estimator: Any, examples: list[ShardedExamples], sparse: bool) -> list[Any]:
    """One run for each class, or one for all classes together, as the local fit would begin them."""
    first = examples[0]
    joint = len(examples) > 1 and getattr(estimator, "_joint", False)
    _refuse_many(estimator, first.d * (len(examples) - 1 if joint else 1))
    heaviest = float(first.weights[0]) if first.weights.size else None
    columns = logistic.ShardedColumns.over(first.shards, first.rows.p, first.bias, sparse)
    squares = ExactSquares.of(first.shards, columns, heaviest)
    starts = [at.start for at in estimator._beginnings(examples, [None] * len(examples))]
    if isinstance(estimator, LeastSquares):
        return [_least_squares(estimator, one, w, squares) for one, w in zip(examples, starts, strict=True)]
    delta, passes = float(estimator.regularizer), estimator.max_passes

    def loss_of(runs: list[int]) -> logistic.ShardedLoss:
        return logistic.ShardedLoss(columns, first.shards, squares, runs, heaviest, delta)

    goals = [logistic.ShardedGoal(one, estimator.tol, columns, True, delta, loss=loss_of([one.k])) for one in examples]
    if not joint:
        each = zip(examples, starts, goals, strict=True)
        return [logistic.ShardedNewtonSteps(one, w, passes, goal=goal) for one, w, goal in each]
    more = {"goals": goals, "labels": estimator.classes_.tolist(), "loss": loss_of([one.k for one in examples])}
    return [logistic.ShardedJointSteps(first, np.array(starts), passes, None, goals[0], **more)]


def _least_squares(estimator: Any, examples: ShardedExamples, start: Any, squares: ExactSquares) -> SquaresRun:
    delta = float(estimator.regularizer)
    # one step from zero reaches the minimum of the loss with the ridge; other steps lead to that of the plain loss
    is_ridge = delta > 0 and estimator.max_passes == 1 and not start.any()
    goal = ExactGoal(examples, estimator.tol, squares=squares, k=examples.k, ridge=delta if is_ridge else 0.0)
    return SquaresRun(examples, start, estimator.max_passes, goal=goal, squares=squares, delta=delta)


def _refuse_many(estimator: Any, weights: int) -> None:
    if weights > _LARGEST:
        raise ValueError(
            f"{type(estimator).__name__} on a cluster adds up the squares of all weights, and {weights:,} are too many "
            f"for that: {_LARGEST:,} is the limit. Perceptron, or Logistic with mode='incremental', has none."
        )
