"""Where the profile of a weight crosses a target: the search for an end of an interval, one look at the rows a step.

f(b) is the least loss with weight j held at b. All weights are moved at once (Venzon and Moolgavkar 1988). At any
weights v a quadratic model of the loss says where the other weights are best, how much the loss falls on the way there
(½·Q), and how they go along with weight j. So f, its slope and its curvature are known without a minimisation, but for
the third order in √Q, and the next v is where the model has f at its target.
"""

from contextlib import suppress
from math import copysign, inf, isfinite, sqrt

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.estimates.optimum import HIDDEN, curvature, improve, others
from rosenblatt.estimates.threads import once

__all__ = ["ProfileLook", "close_enough", "cross", "lightly_penalised", "mirrored"]

_ROUNDS, _HALVINGS = 200, 60
_FAR = 1e6  # standard errors beyond which no end is looked for: the loss cannot be told from its limit
_ONCE = 5.0  # standard errors that are gone in one step; later no more than all the way so far
_CLOSE, _SETTLED = 1e-4, 1e-9  # distance of f from its target, and Q: the model's last step errs by about 1e-9 or less
_CLOSE_IN_MANY, _SETTLED_IN_MANY = 1e-3, 1e-7  # the same of a penalised loss of many rows: it is nearly quadratic
_MANY_ROWS = 1000  # for each weight
_TRUSTED = 0.01  # Q up to which the model is believed; beyond, the other weights are brought to their best first
_LEAST = 1e-300


class ProfileLook:
    """What the loss near a point says of the profile of weight j there.

    `move` is how the other weights move to where they are best, `along` how all weights move with weight j if the
    others stay best.
    """

    def __init__(self, point: AnyPoint, j: int) -> None:
        self.point, self.j = point, j
        d, free = point.of.d, others(point.of.d, j)
        self._curvature = curvature(point, free)  # of the loss, positive definite in the other weights
        self.move: Floats = np.zeros(d)
        self.along: Floats = np.eye(d)[j]
        if free.size:
            H, g = self._curvature, point.gradient
            solved = -np.linalg.solve(H[np.ix_(free, free)], np.column_stack([g[free], H[free, j]]))
            self.move[free], self.along[free] = solved.T

    @once
    def Q(self) -> float:  # noqa: N802
        """Twice what the loss falls if the other weights move there."""
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
        return max(float(self.along @ self._curvature @ self.along), _LEAST)

    @property
    def scale(self) -> float:
        """How far weight j goes until f is about ½ above its least value: a standard error, at the minimum."""
        return 1.0 / sqrt(max(float(self.along @ self.point.steering @ self.along), _LEAST))

    def steered(self, step: float) -> Floats:
        """The weights where the other ones are best, weight j moved by a step."""
        return self.point.v + self.move + step * self.along

    def trusted(self) -> "ProfileLook":
        """The same or, where the model is not to be believed, a look with the other weights nearly at their best."""
        return self if self.Q <= _TRUSTED else ProfileLook(improve(self.point, self.j, _SETTLED), self.j)

    def last_step(self, target: float) -> float:
        """Of weight j, from close by to where f is the target: slope·t + ½·curvature·t² is what is missing."""
        missing = target - self.loss
        root = sqrt(max(self.slope**2 + 2.0 * self.curvature * missing, 0.0))
        return 2.0 * missing / (self.slope + copysign(root, self.slope))


def cross(start: AnyPoint, j: int, target: float, sign: float) -> ProfileLook | None:
    """A look from close by, up (`sign` = 1) or down, at where f is the target; None: there is no such place in floats.

    The start is inside the interval, or beyond that end of it.
    """
    look = ProfileLook(start, j).trusted()
    first, scale, (close, settled) = float(start.v[j]), look.scale, close_enough(start.of)
    inside, outside = -inf * sign, inf * sign  # values of weight j that are known to be
    for _ in range(_ROUNDS):
        missing, b = target - look.loss, float(look.point.v[j])
        if abs(missing) <= max(close, look.point.loss_error) and settled >= look.Q:
            return look
        if abs(missing) > look.Q:  # else the model may err about the side
            inside, outside = (b, outside) if missing > 0 else (inside, b)
        if abs(b - first) > _FAR * scale:
            return None
        longest = max(_ONCE * scale, abs(b - first))
        step = _between(b, _step(look, missing, sign, longest), inside, outside, sign)
        if not step:
            return None
        look = _moved(look, step)
    return None


def close_enough(loss: Loss) -> tuple[float, float]:
    """The distance of f from its target, and the Q, from which one more step of the model is as good as many."""
    return (_CLOSE_IN_MANY, _SETTLED_IN_MANY) if lightly_penalised(loss) else (_CLOSE, _SETTLED)


def lightly_penalised(loss: Loss) -> bool:
    """Whether there are so many rows that a penalty changes little."""
    return loss.penalised and loss.size >= _MANY_ROWS * loss.d**2


def mirrored(least: ProfileLook, end: ProfileLook, target: float) -> Floats:
    """Weights near the end on the other side of the minimum: f has the same third order there, the path the same bend.

    `least` is a look at the minimum, `end` one from close by at the end that is known.
    """
    j, c = end.j, least.curvature
    v, half = end.steered(end.last_step(target)), target - least.loss
    t = float(v[j] - least.point.v[j])
    third = (half / t**2 - 0.5 * c) / t  # f − its minimum is ½·c·t² + third·t³
    other = -copysign(sqrt(2.0 * half / c), t)
    shift = -third * other**2 / c
    if not abs(shift) < 0.5 * abs(other):  # so bent that it says nothing of the other side
        return least.point.v
    bend = (v - least.steered(t)) / t**2
    return least.steered(other + shift) + (other + shift) ** 2 * bend


def _step(look: ProfileLook, missing: float, sign: float, longest: float) -> float:
    """How far weight j goes until slope·t + ½·curvature·t² = missing."""
    root = look.slope**2 + 2.0 * look.curvature * missing
    if root <= 0:
        return -look.slope / look.curvature
    towards = sign * sqrt(root)
    # of two ways to write the root of the equation, the one that subtracts nothing
    t = 2.0 * missing / (look.slope + towards) if look.slope * sign > 0 else (towards - look.slope) / look.curvature
    return copysign(min(abs(t), longest), t)


def _between(b: float, step: float, inside: float, outside: float, sign: float) -> float:
    """The step, or half the way to a value that it must not pass."""
    if sign * (b + step) >= sign * outside:
        return (outside - b) / 2
    return (inside - b) / 2 if sign * (b + step) <= sign * inside else step


def _moved(look: ProfileLook, step: float) -> ProfileLook:
    """After the step, or after a shorter one where floats lose the loss or its curvature."""
    for _ in range(_HALVINGS):
        with suppress(HIDDEN):
            point = look.point.moved(look.steered(step))
            if point.loss < inf:
                return ProfileLook(point, look.j).trusted()
        step /= 2
    raise HIDDEN("the loss leaves float64")
