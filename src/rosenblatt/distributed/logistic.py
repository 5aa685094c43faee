"""Newton's method over shards: the solver of one machine, with sums of whole numbers in the place of sums of floats.

Every row's part in loss, gradient and curvature is a float that depends on the row alone. It is cut off after the same
binary place for all rows, so the parts are whole numbers, which add up in any order: the steps have the same bits
whatever the shards and the workers are.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.blocks.blocks import Blocks
from rosenblatt.context import SILENT
from rosenblatt.data.numbers import as_rows
from rosenblatt.distributed import looking, summing
from rosenblatt.distributed.deciding import Rounds
from rosenblatt.distributed.examples import ShardedExamples
from rosenblatt.distributed.pointsets import PointSet
from rosenblatt.distributed.squares import ExactSquares
from rosenblatt.distributed.summing import Heights, LossAt
from rosenblatt.exact import integers
from rosenblatt.exact.linear import primitive
from rosenblatt.exact.products import floats, limbs_for
from rosenblatt.learners.runs.ending import receding
from rosenblatt.learners.runs.goals import LogisticGoal
from rosenblatt.learners.runs.newton_steps import JointSteps, NewtonSteps
from rosenblatt.learners.runs.receding import MOVING
from rosenblatt.minimise import Columns, LogisticLoss, Newton
from rosenblatt.minimise.columns import UP
from rosenblatt.minimise.directions import Dependence
from rosenblatt.minimise.logistic_loss import Point
from rosenblatt.minimise.solver import Move
from rosenblatt.models import Outcome

__all__ = ["ShardedColumns", "ShardedGoal", "ShardedJointSteps", "ShardedLoss", "ShardedNewtonSteps"]

_TERM = 64 * 2.0**-53  # relative error of one row's part, and of cutting it off


class ShardedColumns(Columns):
    """Columns of rows that are on the workers."""

    @classmethod
    def over(cls, shards: Blocks, p: int, bias: bool, sparse: bool) -> Columns:
        """The workers look at all rows once."""
        found = shards.map(summing.ranges, "looking at the columns")
        low = np.min([one[0] for one in found], axis=0)
        high = np.max([one[1] for one in found], axis=0)
        return cls.within(as_rows(np.empty((0, p))), bias, low, high, centred=not sparse)

    @property
    def rounding(self) -> float:
        """The relative error of a sum: the sum is exact, only each row's part is rounded."""
        return _TERM * UP


@dataclass(frozen=True)
class FarPoint(Point):
    """The loss at some weights; of the rows it has only sums and largest values."""

    doubted: tuple[float, float]
    largest_response: float


class ShardedLoss(LogisticLoss):
    """The logistic loss of all shards. `runs` says whose labels: one run's, or those of all classes at once."""

    def __init__(
        self, columns: Columns, shards: Blocks, squares: ExactSquares, runs: list[int], heaviest: float | None,
        regularizer: float,
    ) -> None:  # fmt: skip
        super().__init__(columns, np.empty(0, dtype=np.int64), max(2, len(runs)), None, regularizer)
        self.shards, self.squares, self.runs = shards, squares, runs
        self.heaviest = 1.0 if heaviest is None else heaviest
        self.scale = squares.total() * float(np.log(self.K))

    def asked(self, W: Floats) -> LossAt:
        """What the shards are asked about."""
        columns = self.columns
        return LossAt(np.array(W), self.runs, columns.centre, columns.exponent, columns.largest)

    def at(self, W: Floats, curvature: bool = True) -> Point:
        """Everything there is to know at these weights."""
        asked, where = self.asked(W), "a step of Newton's method"
        found = Heights.joined(self.shards.map(summing.heights, where, asked=asked))
        limbs = limbs_for(self.shards.n)
        common = {"asked": asked, "found": found, "limbs": limbs, "curvature": curvature}
        sums = self.shards.add(summing.sums, where, summing.add_all, **common)
        (loss, others, residual), gradient = floats(sums["scalars"])[0].tolist(), floats(sums["gradient"])
        H = np.empty((0, 0))
        if curvature:
            d, M = self.columns.d, self.M
            blocks = np.zeros((M, d, M, d))
            for k in range(M):
                for l in range(k, M):  # noqa: E741
                    part = floats(sums[f"{k} {l}"]) * (1.0 if k == l else -1.0)
                    blocks[k, :, l, :] = blocks[l, :, k, :] = part
            H = blocks.reshape(M * d, M * d)
        nothing = np.empty((0, self.M))
        point = FarPoint(W, loss, nothing, nothing, nothing[:, 0], gradient, H, (others, residual), found.response)
        return self._with_ridge(point)

    def noise(self, W: Floats) -> float:
        """About the rounding error of the loss. Only its terms have one, their sum is exact."""
        size = max(self.columns.doubt(w) for w in W) / (self.columns.d + 16)
        return float(size * self.heaviest * np.sqrt(self.shards.n))

    def misplaced(self, W: Floats) -> int:
        """Rows of positive weight whose class does not respond most."""
        return sum(self.shards.map(summing.misplaced, "counting mistakes", asked=self.asked(W)))

    def ahead(self, k: int, v: Floats) -> bool:
        """Whether v·z > 0 for every row of class k and positive weight, in exact arithmetic."""
        here = self.asked(np.zeros((self.M, self.columns.d)))
        return all(self.shards.map(summing.ahead, "certifying the signs", asked=here, k=k, v=v))

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others."""
        return self.squares.dependence

    @cached_property
    def _lengths(self) -> Floats:
        return self.squares.lengths

    def _doubted(self, point: Point) -> tuple[float, float]:
        assert isinstance(point, FarPoint)
        return point.doubted

    def _largest_response(self, point: Point) -> float:
        assert isinstance(point, FarPoint)
        return point.largest_response


@dataclass(frozen=True)
class ShardedGoal(LogisticGoal):
    """The logistic loss of one run, whose rows are in shards."""

    examples: ShardedExamples
    loss: ShardedLoss = field(kw_only=True)

    @property
    def at_hand(self) -> bool:
        """Whether the loss can be looked at: the workers do it."""
        return True

    @property
    def logistic(self) -> LogisticLoss:
        """The loss and its curvature."""
        return self.loss

    @cached_property
    def direction(self) -> Floats | None:
        """A v with z·v ≥ 0 on every row and > 0 on some, proved exactly; None where there is none in float64."""
        return falling_direction(self.examples)


@dataclass
class ShardedNewtonSteps(NewtonSteps):
    """Two classes."""

    examples: ShardedExamples
    goal: ShardedGoal = field(kw_only=True)

    def _look_for_no_minimum(self, w: Floats, move: Move) -> None:
        shards, k = self.examples.shards, self.examples.k
        found = shards.map(summing.agreement, "looking at a step", k=k, step=move.direction[0])
        self.moving = max(found) >= MOVING
        if self.moving and self.newton.dense:
            self.v = self.goal.direction


@dataclass
class ShardedJointSteps(JointSteps):
    """K classes, one softmax."""

    loss: ShardedLoss = field(kw_only=True)

    @cached_property
    def newton(self) -> Newton:
        """The solver."""
        return Newton(self.loss)

    def _no_minimum(self, sides: str, wrong: int) -> Outcome | None:
        """Where the loss of a class against the rest falls for ever along v, so does the joint loss."""
        for goal, label in zip(self.goals, self.labels, strict=True):
            assert isinstance(goal, ShardedGoal)
            if goal.direction is not None:
                return receding(goal, sides, goal.direction, f" in the weights of class {label!r}")
        return self._all_grow(sides, wrong)


# --------------------------------------------------------------------------------------------------- no minimum


def falling_direction(examples: ShardedExamples) -> Floats | None:
    """A v with z·v ≥ 0 on every row of positive weight and > 0 on some; None where there is none in float64."""
    where = "looking at the rows"
    present = examples.shards.map(looking.count_present, where)
    held = replace(examples.shards.become(looking.hold, where, k=examples.k), lengths=present)
    held = held.some([s for s, n in enumerate(present) if n])
    points = PointSet(held, examples.rows.p, examples.bias, False, [], 0, [])
    proof, _ = Rounds(points, SILENT).decide(False)
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
