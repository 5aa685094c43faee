"""What a learner minimises: the loss at given weights, a proof of how near the minimum is, or that there is none.

There is none where z·v ≥ 0 on every row and > 0 on some: the logistic loss falls for ever along v. Newton's step tends
to such a v, if there is one: rows on its plane hardly respond to the step, the others by about one. So floats suggest
which rows are on the plane. The directions to which those rows do not respond are rounded to short numbers, and tried
in exact arithmetic.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Signs
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.minimise import (
    Columns,
    LogisticLoss,
    SquaredLoss,
    cleaned,
    column_ranges,
    exact_signs,
    null_vectors,
    silent,
)

__all__ = [
    "MOVING",
    "Goal",
    "LogisticGoal",
    "Look",
    "SquaredGoal",
    "falling_direction",
    "ridge_words",
]

MOVING = 0.3  # a row that responds to Newton's step by this much or more is still moving
_PLANES = (0.3, 0.03, 1e-3, 1e-6)  # responses below one of these are tried as zero
_MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 1024)


def falling_direction(columns: Columns, y: Signs, present: Flags, w: Floats, step: Floats) -> Floats | None:
    """A direction in which the loss falls for ever, on the rows that are present; None where none was found."""
    tried: list[Floats] = []
    for v in _directions_to_try(columns, y, present, w, step):
        if any(np.array_equal(v, other) for other in tried):
            continue
        tried.append(v)
        if is_falling(columns, y, present, v):
            return v
    return None


def is_falling(columns: Columns, y: Signs, present: Flags, v: Floats) -> bool:
    """Whether z·v ≥ 0 on every row and > 0 on some, in exact arithmetic."""
    if not np.isfinite(v).all() or not v.any():
        return False
    rough = (y * columns.rows.respond(v))[present]
    if not (rough >= -columns.doubt(v)).all() or not (rough > 0).any():
        return False
    signs = exact_signs(columns, present, v) * y
    return bool((signs >= 0).all() and (signs > 0).any())


def _directions_to_try(columns: Columns, y: Signs, present: Flags, w: Floats, step: Floats) -> Iterator[Floats]:
    yield w
    yield from _single_columns(columns, y, present)
    responses = y * columns.rows.respond(step)
    for most in _PLANES:
        plane = present & (np.abs(responses) <= most)
        if (responses[present] < -most).any() or not (responses[present] > most).any():
            continue
        found = silent(columns, columns.gram(plane.astype(np.float64)))
        if not found:
            continue
        N = np.column_stack([cleaned(columns, v) for v, _ in found])
        factors = np.linalg.lstsq(N * columns.largest[:, None], step * columns.largest)[0]
        yield cleaned(columns, N @ factors)
        largest = np.abs(factors).max()
        if largest > 0:
            for multiple in _MULTIPLES if N.shape[1] > 1 else (1,):
                yield N @ np.rint(factors / largest * multiple)
        for v in [*N.T, *_null_directions(columns, plane)]:
            yield v
            yield -v


def _null_directions(columns: Columns, plane: Flags) -> Iterator[Floats]:
    """The directions to which these rows do not respond at all, in exact arithmetic, if float64 can hold them."""
    for whole, exponents in null_vectors(columns, plane):
        low = min((v & -v).bit_length() - 1 for v in whole if v)
        if max(abs(v).bit_length() for v in whole) - low <= 1000:
            yield np.ldexp(np.array([float(v >> low) for v in whole]), -exponents + int(exponents.max()))


def _single_columns(columns: Columns, y: Signs, present: Flags) -> Iterator[Floats]:
    """±(x_j − t), where a value t of column j has no row of one class above it and none of the other below."""
    negative, positive = (column_ranges(columns.rows, present & (y == label)) for label in (-1, 1))
    for sign, (low, high), (low_above, high_above) in ((1.0, negative, positive), (-1.0, positive, negative)):
        for j in np.flatnonzero((high <= low_above) & (low < high_above)):
            v = np.zeros(columns.d)
            v[j] = sign
            if columns.bias:
                v[-1] = -sign * low_above[j]
            yield v


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
    only: bool = False  # whether it is proved too that one w alone has the minimum


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
        loss, gap = self.logistic.proved(w[None, :])
        return Look(loss, self.logistic.scale, gap, self.logistic.only)

    @property
    def at_hand(self) -> bool:
        """As of any loss; and where a ridge, or the curvature of some rows, makes the proof cheap."""
        here = self.examples.rows.n == self.examples.n
        return super().at_hand or (here and (self.regularizer > 0 or self.logistic.part is not None))
