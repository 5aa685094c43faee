"""The search for an end of a profile interval: where the profile of a weight crosses a target.

f(b) is the least loss with weight j held at b. All weights move at once, with one look at the rows for each step
(Venzon and Moolgavkar 1988). At any weights v a quadratic model of the loss says where the other weights are best, how
much the loss falls on the way there (½·Q), and how they move with weight j. So f, its slope and its curvature are known
without a minimisation, up to the third order in √Q (where rows are many, but for the penalty's own curvature). The next
v is where the model has f equal to the target.
"""

from contextlib import suppress
from math import copysign, inf, isfinite, sqrt

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.estimates.likelihood import AnyPoint, Loss, LossPoint
from rosenblatt.estimates.optimum import HIDDEN, curvature, improve, others
from rosenblatt.kernels.profiles import CLOSE, FAR, LEAST, ONCE, SETTLED, TRUSTED
from rosenblatt.threads import once

__all__ = ["ProfileLook", "at_once", "close_enough", "cross", "lightly_penalised", "mirrored"]

_ROUNDS, _HALVINGS = 200, 60
_CLOSE_IN_MANY, _SETTLED_IN_MANY = 1e-3, 1e-7  # the same for a penalised loss of many rows, which is nearly quadratic
_MANY_ROWS = 1000  # for each weight
_AT_ONCE = 1 << 16  # values of a table up to which one compiled call makes all the steps


class ProfileLook:
    """The profile of weight j near a point, by a quadratic model of the loss there.

    `move` takes the other weights to where they are best. `along` is how all weights move with weight j while the
    others stay best.
    """

    ended = False  # whether it is where f is the target, as well as floats can tell

    def __init__(self, point: AnyPoint, j: int) -> None:
        self.point, self.j = point, j
        if point.full_curvature is None and self._by_whole_inverse():
            return
        d, free = point.of.d, others(point.of.d, j)
        self._curvature = curvature(point, free)  # of the loss, positive definite in the other weights
        self.move: Floats = np.zeros(d)
        self.along: Floats = np.eye(d)[j]
        if free.size:
            H, g = self._curvature, point.gradient
            solved = -np.linalg.solve(H[np.ix_(free, free)], np.column_stack([g[free], H[free, j]]))
            self.move[free], self.along[free] = solved.T

    def _by_whole_inverse(self) -> bool:
        """The same by the information's own factor, which other weights and points near by need too, if it has one."""
        point, j = self.point, self.j
        self._curvature = point.information
        try:
            step, along = np.asarray(point.solve(np.column_stack([point.gradient, np.eye(point.of.d)[j]]))).T
        except HIDDEN:
            return False
        self.along = along / along[j]
        self.move = step[j] * self.along - step
        self.along[j], self.move[j] = 1.0, 0.0
        return True

    @classmethod
    def known(cls, point: AnyPoint, j: int, model: Floats, Q: float, curvature: float) -> "ProfileLook":
        """A look that was computed: `model` has `move` and `along`. Without a penalty it is at the end itself."""
        look = object.__new__(cls)
        look.point, look.j, (look.move, look.along) = point, j, model
        look.__dict__.update(Q=Q, curvature=curvature)
        look.ended = not point.of.penalised
        return look

    @once
    def Q(self) -> float:  # noqa: N802
        """Twice the fall of the loss when the other weights move to their best."""
        Q = float(-(self.point.gradient @ self.move))
        if not isfinite(Q):
            raise HIDDEN("the loss leaves float64")
        return Q

    @property
    def loss(self) -> float:
        """The value of f at the weight j of the point."""
        return self.point.loss - 0.5 * self.Q

    @property
    def slope(self) -> float:
        """The slope of f there."""
        return float(self.point.gradient @ self.along)

    @once
    def curvature(self) -> float:
        """The curvature of f there; nearly zero where f bends down."""
        return max(float(self.along @ self._curvature @ self.along), LEAST)

    @property
    def scale(self) -> float:
        """The distance of weight j over which f rises by about ½: at the minimum, a standard error."""
        return 1.0 / sqrt(max(float(self.along @ self.point.information @ self.along), LEAST))

    def steered(self, step: float) -> Floats:
        """The weights after weight j moved by a step, the others being best."""
        return self.point.v + self.move + step * self.along

    def trusted(self) -> "ProfileLook":
        """The look itself; where Q is too large for the model, one with the other weights nearly at their best."""
        return self if self.Q <= TRUSTED else ProfileLook(improve(self.point, self.j, SETTLED), self.j)

    def last_step(self, target: float) -> float:
        """The step t of weight j to where f is the target, from close by: slope·t + ½·curvature·t² = target − f."""
        missing = target - self.loss
        root = sqrt(max(self.slope**2 + 2.0 * self.curvature * missing, 0.0))
        return 2.0 * missing / (self.slope + copysign(root, self.slope))


def cross(start: AnyPoint, j: int, target: float, sign: float) -> ProfileLook | None:
    """A look from close to where f is the target, going up (`sign` = 1) or down; None where floats find no such place.

    The start is inside the interval, or beyond the end that is sought.
    """
    look = ProfileLook(start, j).trusted()
    first, scale, (close, settled) = float(start.v[j]), look.scale, close_enough(start.of)
    inside, outside = -inf * sign, inf * sign  # values of weight j known to be inside and outside the interval
    for _ in range(_ROUNDS):
        missing, b = target - look.loss, float(look.point.v[j])
        if abs(missing) <= max(close, look.point.loss_error) and settled >= look.Q:
            return look
        if abs(missing) > look.Q:  # else the model may err about the side
            inside, outside = (b, outside) if missing > 0 else (inside, b)
        if abs(b - first) > FAR * scale:
            return None
        longest = max(ONCE * scale, abs(b - first))
        step = _between(b, _step_to_crossing(look, missing, sign, longest), inside, outside, sign)
        if not step:
            return None
        look = _moved(look, step)
    return None


def at_once(start: AnyPoint, j: int, target: float, sign: float, deep: bool) -> ProfileLook | None:
    """The same search in one compiled call, for tables that are not large; None where it finds nothing by itself.

    With `sign` 0 it is a look at the least loss with weight j held at the target, from a minimum. If `deep`, lower
    minima with weight j held are searched for, too.
    """
    if not isinstance(start, LossPoint) or start.of.size > _AT_ONCE or not start.loss < inf:
        return None
    found = start.profiled(j, target, sign, deep, close_enough(start.of))
    return found and ProfileLook.known(found[0], j, *found[1:])


def close_enough(loss: Loss) -> tuple[float, float]:
    """The |f − target| and the Q from which one more step of the model is enough."""
    return (_CLOSE_IN_MANY, _SETTLED_IN_MANY) if lightly_penalised(loss) else (CLOSE, SETTLED)


def lightly_penalised(loss: Loss) -> bool:
    """Whether the loss is penalised and has so many rows that the penalty changes little."""
    return loss.penalised and loss.size >= _MANY_ROWS * loss.d**2


def mirrored(least: ProfileLook, end: ProfileLook, target: float) -> Floats:
    """A start for the other end of the interval, guessed from the end that is known.

    It takes the third order of f and the bend of the path to be the same on both sides of the minimum. `least` is a
    look at the minimum, `end` a look from close to the known end.
    """
    j, c = end.j, least.curvature
    v, half = end.steered(end.last_step(target)), target - least.loss
    t = float(v[j] - least.point.v[j])
    third = (half / t**2 - 0.5 * c) / t  # f − its minimum is ½·c·t² + third·t³
    other = -copysign(sqrt(2.0 * half / c), t)
    shift = -third * other**2 / c
    if not abs(shift) < 0.5 * abs(other):  # too bent to say anything about the other side
        return least.point.v
    bend = (v - least.steered(t)) / t**2
    return least.steered(other + shift) + (other + shift) ** 2 * bend


def _step_to_crossing(look: ProfileLook, missing: float, sign: float, longest: float) -> float:
    """The step t of weight j with slope·t + ½·curvature·t² = missing, not longer than `longest`."""
    root = look.slope**2 + 2.0 * look.curvature * missing
    if root <= 0:
        return -look.slope / look.curvature
    towards = sign * sqrt(root)
    # the root can be written in two ways: take the one without cancellation
    t = 2.0 * missing / (look.slope + towards) if look.slope * sign > 0 else (towards - look.slope) / look.curvature
    return copysign(min(abs(t), longest), t)


def _between(b: float, step: float, inside: float, outside: float, sign: float) -> float:
    """The step; or, where it would pass a value that is known to be on the other side, half the way to that value."""
    if sign * (b + step) >= sign * outside:
        return (outside - b) / 2
    return (inside - b) / 2 if sign * (b + step) <= sign * inside else step


def _moved(look: ProfileLook, step: float) -> ProfileLook:
    """A look after the step, or after a shorter one where floats lose the loss or its curvature."""
    for _ in range(_HALVINGS):
        with suppress(HIDDEN):
            point = look.point.moved(look.steered(step))
            if point.loss < inf:
                return ProfileLook(point, look.j).trusted()
        step /= 2
    raise HIDDEN("the loss leaves float64")
