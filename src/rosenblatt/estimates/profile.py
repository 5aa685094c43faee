"""Profile likelihood: the values of one weight for which the least loss is not above a target.

f(b) is the least loss with weight j held at b. An end of the interval is where f reaches the target. All weights are
moved at once (Venzon and Moolgavkar 1988): the quadratic model of the loss says how far weight j may go, and where the
others are best then. Afterwards a value on either side is shown to be inside and outside, with proved bounds on f.
"""

from dataclasses import dataclass
from math import copysign, inf, log2, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.estimates.optimum import HIDDEN, ball, minimise

__all__ = ["End", "Minimum", "end", "held", "lowest"]

Floats = npt.NDArray[np.float64]

_ROUNDS = 200
_FAR = 1e6  # standard errors beyond which an end is called infinite in floats: the loss cannot be told from its limit
_CLOSE = 1e-10  # of the loss's distance from its target, where the search is over
_FARTHER = 3  # times that a lower minimum may move an end
_EXPLORED = 25  # steps from each start elsewhere: a loss that is lower then is lower, minimum or not
_MANY = 1 << 11  # values from which minima are not looked for elsewhere
_LOWER = 1e-7  # how much lower a loss must be for rounding not to explain it
_WIDTHS = (1e-9, 1e-7, 1e-5)  # of a bracket, relative to the value and to the standard error


class Minimum(NamedTuple):
    """A least loss, between bounds: `upper` ≥ it ≥ `lower`; equal where nothing is proved."""

    lower: float
    upper: float

    @classmethod
    def at(cls, point: AnyPoint, fixed: int | None = None) -> "Minimum":
        """The least loss near a point that is a minimum to rounding."""
        proved = None if point.of.penalised else ball(point, fixed)
        if proved is None:
            return cls(-inf, inf)
        return cls(point.loss - proved.gap - point.loss_error, point.loss + point.loss_error)


@dataclass(frozen=True)
class End:
    """Where an interval ends: `value`, which lies between `inner` and `outer` for certain where `proved`."""

    value: float
    inner: float
    outer: float
    proved: bool

    @classmethod
    def at_infinity(cls, sign: float) -> "End":
        """There is none."""
        return cls(copysign(inf, sign), copysign(inf, sign), copysign(inf, sign), True)

    @classmethod
    def nowhere(cls) -> "End":
        """Rounding hides it."""
        return cls(nan, nan, nan, False)

    def scaled(self, scale: float) -> "End":
        """The same in other units; a power of two loses nothing."""
        return End(self.value * scale, self.inner * scale, self.outer * scale, self.proved)


def end(loss: Loss, j: int, start: Floats, best: Minimum, middle: float, half: float, sign: float) -> End:
    """The value of weight j, up (`sign` = 1) or down, where the least loss is `middle` + `half`.

    `start` is inside the interval or beyond its end; `best` bounds the least loss of all, which is `middle` in floats.
    """
    point = _approach(loss, j, start, middle + half, sign)
    if point is None:
        return End.at_infinity(sign)
    for _ in range(_FARTHER * loss.penalised):
        lower = lowest(point, j)
        farther = None if lower is point else _approach(loss, j, lower.v, middle + half, sign)
        if farther is None:
            break
        point = farther
    value = float(point.v[j])
    if loss.penalised:
        return End(value, value, value, False)
    return _bracketed(loss, j, point, best, half, sign) or End(value, value, value, False)


def held(point: AnyPoint, j: int, value: float) -> AnyPoint:
    """The least loss with weight j held at a value, reached in steps from a minimum."""
    loss, distance = point.of, value - float(point.v[j])
    steps = 1 + int(log2(1.0 + abs(distance) * sqrt(_model(point, j)[1])))  # the farther, the longer each
    for k in range(steps):
        v = point.v + distance / steps * _companions(point, j)
        v[j] = value - distance * (1 - (k + 1) / steps)
        point = minimise(loss, v, j)
    return point


def lowest(point: AnyPoint, j: int) -> AnyPoint:
    """The least of a penalised loss's minima with weight j held, as far as three starts from elsewhere find them.

    Few rows may have several. Where there are many rows the penalty is too weak to make some.
    """
    loss, best = point.of, point
    if not loss.penalised or loss.d == 1 or loss.size > _MANY:
        return point
    for start in (0.0 * point.v, -point.v, 2.0 * point.v):
        start[j] = point.v[j]
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # a start may be far out
                other = minimise(loss, start, j, _EXPLORED)
        except HIDDEN:
            continue
        if other.loss < best.loss - _LOWER:
            best = other
    return best


def _approach(loss: Loss, j: int, start: Floats, target: float, sign: float) -> AnyPoint | None:
    """A point whose loss is the target and which is best for its own value of weight j; None: there is none."""
    point = minimise(loss, start, j)
    slope, curvature = _model(point, j)
    scale = 1.0 / sqrt(max(curvature, 1e-300))
    inside, outside = -inf * sign, inf * sign  # values of weight j that are known to be
    for _ in range(_ROUNDS):
        missing = target - point.loss
        if abs(missing) <= max(_CLOSE * max(1.0, abs(target)) ** 0.5, point.loss_error):
            return _polished(point, j, target)
        b = float(point.v[j])
        inside, outside = (b, outside) if missing > 0 else (inside, b)
        if abs(b - start[j]) > _FAR * scale or point.loss == inf:
            return None
        step = _step(slope, curvature, missing, sign, scale)
        if sign * (b + step) >= sign * outside:
            step = (outside - b) / 2
        elif sign * (b + step) <= sign * inside:
            step = (inside - b) / 2
        v = point.v + step * _companions(point, j)
        v[j] = b + step
        point = minimise(loss, v, j)
        slope, curvature = _model(point, j)
    return None


def _polished(point: AnyPoint, j: int, target: float) -> AnyPoint:
    """One more step of Newton's method towards the target."""
    slope, _ = _model(point, j)
    step = (target - point.loss) / slope
    v = point.v + step * _companions(point, j)
    return minimise(point.of, v, j)


def _companions(point: AnyPoint, j: int) -> Floats:
    """How all weights move with weight j, so that they stay best."""
    others = np.array([k for k in range(point.of.d) if k != j], dtype=np.int64)
    H = point.information
    along = np.zeros(point.of.d)
    along[j] = 1.0
    if others.size:
        along[others] = -np.linalg.solve(H[np.ix_(others, others)], H[others, j])
    return along


def _model(point: AnyPoint, j: int) -> tuple[float, float]:
    """Slope and curvature of f, where the other weights are best."""
    along = _companions(point, j)
    return float(point.gradient[j]), float(along @ point.information @ along)


def _step(slope: float, curvature: float, missing: float, sign: float, scale: float) -> float:
    """How far weight j goes until slope·t + ½·curvature·t² = missing; at most some standard errors at a time."""
    root = slope * slope + 2.0 * curvature * missing
    far = 5.0 * scale
    if root <= 0:
        return -slope / max(curvature, 1e-300)
    t = (-slope + sign * sqrt(root)) / max(curvature, 1e-300)
    return copysign(min(abs(t), far), t)


def _bracketed(loss: Loss, j: int, point: AnyPoint, best: Minimum, half: float, sign: float) -> End | None:
    """Two values of weight j: the inner one is proved to be in the interval, the outer one not to be."""
    along, value = _companions(point, j), float(point.v[j])
    scale = 1.0 / sqrt(max(_model(point, j)[1], 1e-300))
    for width in _WIDTHS:
        reach = sign * width * max(abs(value), scale)
        inner = minimise(loss, point.v - reach * along, j)
        outer = minimise(loss, point.v + reach * along, j)
        if Minimum.at(inner, j).upper < best.lower + half and Minimum.at(outer, j).lower > best.upper + half:
            return End(value, float(inner.v[j]), float(outer.v[j]), True)
    return None
