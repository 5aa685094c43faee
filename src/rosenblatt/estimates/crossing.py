"""Where the profile of a weight crosses a target: the search for an end of an interval, one look at the rows a step.

f(b) is the least loss with weight j held at b. All weights are moved at once (Venzon and Moolgavkar 1988). At any
weights v a quadratic model of the loss says where the other weights are best, how much the loss falls on the way there
(½·Q), and how they go along with weight j. So f, its slope and its curvature are known without a minimisation, but for
the third order in √Q, and the next v is where the model has f at its target.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import copysign, inf, isfinite, sqrt

import numpy as np
import numpy.typing as npt

from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.once import once
from rosenblatt.estimates.optimum import HIDDEN, curvature, improve, others

__all__ = ["ProfileLook", "cross"]

Floats = npt.NDArray[np.float64]

_ROUNDS, _HALVINGS = 200, 60
_FAR = 1e6  # standard errors beyond which no end is looked for: the loss cannot be told from its limit
_ONCE = 5.0  # standard errors that are gone in one step; later no more than all the way so far
_CLOSE, _SETTLED = (
    1e-7,
    1e-9,
)  # distance of f from its target, and Q: one more step of the model ends in rounding errors
_TRUSTED = 0.01  # Q up to which the model is believed; beyond, the other weights are brought to their best first
_LEAST = 1e-300


@dataclass(frozen=True)
class ProfileLook:
    """What the loss near a point says of the profile of weight j there."""

    point: AnyPoint
    j: int

    @once
    def _model(self) -> tuple[Floats, Floats]:
        """How the other weights move to their best; and how all move if weight j moves by one and they stay best."""
        free, H, g = others(self.point.of.d, self.j), curvature(self.point), self.point.gradient
        move, along = np.zeros(len(g)), np.zeros(len(g))
        along[self.j] = 1.0
        if free.size:
            solved = -np.linalg.solve(H[np.ix_(free, free)], np.column_stack([g[free], H[free, self.j]]))
            move[free], along[free] = solved.T
        return move, along

    @property
    def move(self) -> Floats:
        """Of the other weights, to where they are best."""
        return self._model[0]

    @property
    def along(self) -> Floats:
        """How all weights move with weight j."""
        return self._model[1]

    @once
    def Q(self) -> float:  # noqa: N802
        """Twice what the loss falls if the other weights move there."""
        Q = float(-(self.point.gradient @ self.move))
        if not isfinite(Q):
            raise HIDDEN("the loss leaves float64")
        return Q

    @property
    def loss(self) -> float:
        """f."""
        return self.point.loss - 0.5 * self.Q

    @property
    def slope(self) -> float:
        """Of f."""
        return float(self.point.gradient @ self.along)

    @once
    def curvature(self) -> float:
        """Of f."""
        return max(float(self.along @ curvature(self.point) @ self.along), _LEAST)

    @property
    def scale(self) -> float:
        """How far weight j goes until f is about ½ above its least value: a standard error, at the minimum."""
        return 1.0 / sqrt(self.curvature)

    def steered(self, step: float) -> Floats:
        """The weights where the other ones are best, weight j moved by a step."""
        return self.point.v + self.move + step * self.along

    def trusted(self) -> "ProfileLook":
        """The same or, where the model is not to be believed, a look with the other weights nearly at their best."""
        return self if self.Q <= _TRUSTED else ProfileLook(improve(self.point, self.j, _SETTLED), self.j)

    def last_step(self, target: float) -> float:
        """Of weight j, from close by to where f is the target."""
        return (target - self.loss) / self.slope


def cross(start: AnyPoint, j: int, target: float, sign: float) -> ProfileLook | None:
    """A look from close by, up (`sign` = 1) or down, at where f is the target; None: there is no such place in floats.

    The start is inside the interval, or beyond that end of it.
    """
    look = ProfileLook(start, j).trusted()
    first, scale = float(start.v[j]), look.scale
    inside, outside = -inf * sign, inf * sign  # values of weight j that are known to be
    for _ in range(_ROUNDS):
        missing, b = target - look.loss, float(look.point.v[j])
        if abs(missing) <= max(_CLOSE, look.point.loss_error) and look.Q <= _SETTLED:
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
            point = look.point.of.at(look.steered(step))
            if point.loss < inf:
                return ProfileLook(point, look.j).trusted()
        step /= 2
    raise HIDDEN("the loss leaves float64")
