"""What a learner minimises: the loss at given weights, and a proof of how near the minimum is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.receding import falling_direction
from rosenblatt.minimise import Columns, LogisticLoss, SquaredLoss

__all__ = ["Goal", "LogisticGoal", "Look", "SquaredGoal", "ridge_words"]

_AFFORDABLE = 1e10  # n·d²: beyond, the proof's matrix takes too long for a run that needs no matrix itself
_LARGEST = 3000  # columns


def ridge_words(ridge: float, holds_bias: bool = False) -> str:
    """What is minimised: the loss, with the ridge if there is one."""
    return f"the loss with the ridge ½·{ridge:g}·‖{'(w, b)' if holds_bias else 'w'}‖²" if ridge else "the loss"


class Look(NamedTuple):
    """The loss, its value at w = 0, and a proved bound on loss − minimum (None where nothing is proved)."""

    loss: float
    at_zero: float
    gap: float | None


@dataclass(frozen=True)
class Goal(ABC):
    """A loss on some examples. CONVERGED is loss − minimum ≤ tol·(the loss of w = 0)."""

    examples: Examples
    tol: float
    columns: Columns | None = None
    patient: bool = False  # whether the matrix of the proof may be large: the learner makes one anyway

    proof = ""
    words = "the loss"
    has_minimum = True

    @abstractmethod
    def look(self, w: Floats) -> Look:
        """The loss at w and how far it is from the minimum."""

    def near(self, look: Look) -> bool:
        """Whether the minimum is proved to be near."""
        return look.gap is not None and look.gap <= self.tol * look.at_zero

    @property
    def at_hand(self) -> bool:
        """Whether the rows are here (not on a cluster) and few enough for a matrix."""
        n, d = self.examples.n, self.examples.d
        return self.examples.rows.n == n and d <= _LARGEST and (self.patient or n * d * d <= _AFFORDABLE)

    @cached_property
    def coordinates(self) -> Columns:
        """The scaled columns; the runs of several classes share them."""
        return self.columns or Columns.of(self.examples.rows, self.examples.bias)

    @property
    def total(self) -> float:
        """The sum of all row weights."""
        return float(self.examples.weights.sum()) if self.examples.weights.size else float(self.examples.n)


@dataclass(frozen=True)
class SquaredGoal(Goal):
    """½Σ c·(y − s)², plus ½·ridge·‖w‖²; one `SquaredLoss` may serve several classes."""

    shared: SquaredLoss | None = None

    proof = "by gradient and curvature"

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is minimised."""
        if self.shared is None:
            return "the loss"
        return ridge_words(self.shared.ridge, self.examples.bias and not self.shared.free_bias)

    @cached_property
    def squared(self) -> SquaredLoss:
        """The loss and its curvature."""
        return self.shared or SquaredLoss(self.coordinates, self.examples.weights)

    def look(self, w: Floats) -> Look:
        """The loss at w and how far it is from the minimum."""
        y = self.examples.y
        return Look(self.squared.at(w, y), 0.5 * self.total, self.squared.gap(w, y))


@dataclass(frozen=True)
class LogisticGoal(Goal):
    """Σ c·log(1 + e^(−y·s)), plus ½·δ·‖w‖² without the bias."""

    regularizer: float = 0.0

    proof = "by duality"

    @property
    def has_minimum(self) -> bool:  # type: ignore[override]
        """Whether the loss surely has a minimum: a ridge gives it one."""
        return self.regularizer > 0

    @property
    def words(self) -> str:  # type: ignore[override]
        """What is minimised."""
        return ridge_words(self.regularizer)

    @cached_property
    def logistic(self) -> LogisticLoss:
        """The loss and its curvature."""
        codes = np.where(self.examples.y > 0, 0, 1)
        return LogisticLoss(self.coordinates, codes, 2, self.examples.weights, self.regularizer)

    @property
    def present(self) -> Flags:
        """Rows of positive weight."""
        weights = self.examples.weights
        return weights > 0 if weights.size else np.ones(self.examples.n, dtype=np.bool_)

    def agreement(self, step: Floats) -> float:
        """The largest y·(response to a step)."""
        responses = (self.examples.y * self.examples.rows.respond(step))[self.present]
        return float(responses.max(initial=0.0))

    def falling(self, w: Floats, step: Floats) -> Floats | None:
        """A direction in which the loss falls for ever, as w and Newton's step suggest it, proved; None: none found."""
        return falling_direction(self.coordinates, self.examples.y, self.present, w, step)

    def look(self, w: Floats) -> Look:
        """The loss at w and how far it is from the minimum."""
        point = self.logistic.at(w[None, :])
        return Look(point.loss, self.logistic.scale, self.logistic.gap(point))
