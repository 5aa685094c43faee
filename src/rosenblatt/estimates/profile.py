"""Profile likelihood: the values of one weight for which the least loss is not above a target.

f(b) is the least loss with weight j held at b. An end of the interval is where f reaches the target (`crossing` finds
it). A value on either side of it is then shown to be inside and outside, with proved bounds on f.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import copysign, inf, log2, nan
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.estimates.crossing import ProfileLook, cross, lightly_penalised, mirrored
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.optimum import HIDDEN, ball, improve, others

__all__ = ["End", "Minimum", "ends", "held", "lowest"]

_FARTHER = 3  # times that a lower minimum may move an end
_EXPLORED = 25  # steps from each start elsewhere: a loss that is lower then is lower, minimum or not
_WAY, _STEPS_OF_WAY = 4, 3  # starts on the way to a minimum of the plain likelihood, and steps between them
_MANY = 1 << 11  # values from which minima are not looked for elsewhere
_LOWER = 1e-7  # how much lower a loss must be for rounding not to explain it
_HELD = 1e-12  # Q of a least loss of which nothing is proved: it is right to as much
_ON_THE_WAY = 1e-2  # the same, on the way to it
_UNPENALISED = 1e-4  # the same of a loss that lacks its penalty
_NOTHING = 1e-4  # of the loss's rounding error: a Q that low makes no proof better
_HOPELESS = 0.5  # of what rounding hides: two values whose f differ by less are not looked at
_WIDTHS = (1e-9, 1e-7, 1e-5)  # of a bracket, relative to the value and to the standard error


class Minimum(NamedTuple):
    """A least loss, between bounds: `upper` ≥ it ≥ `lower`; inf and −inf where nothing is proved."""

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
        """The interval has no end on this side."""
        return cls(copysign(inf, sign), copysign(inf, sign), copysign(inf, sign), True)

    @classmethod
    def nowhere(cls) -> "End":
        """There is an end, and rounding hides where."""
        return cls(nan, nan, nan, False)

    def scaled(self, scale: float) -> "End":
        """The same in other units; a power of two loses nothing."""
        return End(self.value * scale, self.inner * scale, self.outer * scale, self.proved)


def ends(
    start: AnyPoint, j: int, best: Minimum, middle: float, half: float, low: bool = True, high: bool = True
) -> tuple[End, End]:
    """The values of weight j, down and up, where the least loss is `middle` + `half`; ±inf for one not asked for.

    `start` is the minimum or, where one end is asked for, inside the interval or beyond that end. `best` bounds the
    least loss of all, which is `middle` in floats. In a large table the search for the lower end begins where the
    upper one says.
    """
    point, target = start.lending(), middle + half
    lower, upper, begin = End.at_infinity(-1.0), End.at_infinity(1.0), point
    if high:
        look = _found(point, j, target, 1.0)
        upper = _ended(look, best, target, half, 1.0)
        if low and look is not None and point.of.size > _MANY:
            other = point.moved(mirrored(ProfileLook(point, j), look, target))
            begin = other if other.loss < inf else point
    if low:
        lower = _ended(_found(begin, j, target, -1.0), best, target, half, -1.0)
    return lower, upper


def _found(start: AnyPoint, j: int, target: float, sign: float) -> ProfileLook | None:
    """A look at the end from close by; None where rounding hides it."""
    with suppress(HIDDEN):
        look = cross(start, j, target, sign)
        return _farthest(look, target, sign) if look is not None and start.of.penalised else look
    return None


def _ended(look: ProfileLook | None, best: Minimum, target: float, half: float, sign: float) -> End:
    """The end that was looked at, between two values if that can be proved."""
    if look is None:
        return End.nowhere()
    step = look.last_step(target)
    value = float(look.point.v[look.j]) + step
    return _bracketed(look, step, best, half, sign) or End(value, value, value, False)


def held(point: AnyPoint, j: int, value: float, enough: float = _HELD) -> AnyPoint:
    """The least loss with weight j held at a value, reached in steps from a minimum."""
    at_once = _at_once(point, j, value) if lightly_penalised(point.of) else None
    if at_once is not None:
        return improve(at_once, j, enough)
    look, distance = ProfileLook(point, j), value - float(point.v[j])
    responses = float(np.abs(look.along).sum())  # no response moves more than this much with weight j, as |z_j| ≤ 1
    steps = 1 + int(log2(1.0 + abs(distance) * min(1.0 / look.scale, responses)))  # the farther, the longer each
    for k in range(steps):
        v = look.steered(distance / steps)
        v[j] = value - distance * (1 - (k + 1) / steps)
        look = ProfileLook(improve(point.of.at(v), j, enough if k + 1 == steps else _ON_THE_WAY), j)
    return look.point


def _at_once(point: AnyPoint, j: int, value: float) -> AnyPoint | None:
    """Near that place, found without the penalty: a convex loss is safe to minimise in one go, and each look is cheap.

    None where the penalty makes more than a little difference there, as where classes are separated.
    """
    with suppress(HIDDEN):
        v = ProfileLook(point.plain, j).steered(value - float(point.v[j]))
        v[j] = value
        found = point.of.at(improve(point.plain.moved(v), j, _UNPENALISED).v)
        return found if found.loss < inf and ProfileLook(found, j).Q <= _ON_THE_WAY else None
    return None


def lowest(point: AnyPoint, j: int) -> AnyPoint:
    """The least of a penalised loss's minima with weight j held, as far as some starts from elsewhere find them.

    Few rows may have several. Where there are many rows the penalty is too weak to make some.
    """
    loss, best = point.of, point
    if not loss.penalised or loss.d == 1 or loss.size > _MANY:
        return point
    for start in _elsewhere(point, j):
        start[j] = point.v[j]
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # a start may be far out
                other = improve(loss.at(start), j, _HELD, _EXPLORED, scoring=True)
        except HIDDEN:
            continue
        if other.loss < best.loss - _LOWER:
            best = other
    with suppress(HIDDEN):
        return point if best is point else improve(best, j, _HELD)
    return best


def _elsewhere(point: AnyPoint, j: int) -> list[Floats]:
    """Starts for another minimum with weight j held.

    At zero, opposite, half and twice as far, and with one of the other weights turned round. The same but for the last,
    seen from where the other weights make up for weight j as well as they can; and on the way from there to the
    minimum of the plain likelihood, which may be far out. These do not depend on where the columns have their zero.
    """
    free, v = others(point.of.d, j), point.v
    H, even = point.of.at(0.0 * v).information, np.array(v)
    even[free] = -np.linalg.lstsq(H[np.ix_(free, free)], H[free, j] * v[j], rcond=None)[0]
    starts = [middle + t * (v - middle) for t in (0.0, -1.0, 0.5, 2.0) for middle in (0.0 * v, even)]
    starts += list(v * (1.0 - 2.0 * np.eye(point.of.d)[free]))
    with suppress(HIDDEN):
        plain = point.of.with_penalty(False).at(even)
        for _ in range(_WAY):
            plain = improve(plain, j, 0.0, _STEPS_OF_WAY)
            starts.append(np.array(plain.v))
    return starts


def _farthest(look: ProfileLook, target: float, sign: float) -> ProfileLook:
    """The same or, where another minimum with weight j held is lower, the end that is beyond."""
    for _ in range(_FARTHER * (look.point.of.size <= _MANY)):
        here = improve(look.point.of.at(look.steered(look.last_step(target))), look.j, _HELD)
        lower = lowest(here, look.j)  # `here` may be lower by itself, if the search ended at a saddle
        farther = cross(lower, look.j, target, sign) if lower.loss < target - _LOWER else None
        if farther is None:
            break
        look = farther
    return look


def _bracketed(look: ProfileLook, step: float, best: Minimum, half: float, sign: float) -> End | None:
    """Two values of weight j: the inner one is proved to be in the interval, the outer one not to be."""
    point, j, v = look.point, look.j, look.steered(step)
    value, enough = float(v[j]), _NOTHING * point.loss_error
    scale = half / abs(look.slope)  # about a standard error
    hidden = point.loss_error + 0.5 * (best.upper - best.lower)  # differences of f that no proof can tell
    for width in _WIDTHS if best.lower > -inf else ():
        reach = sign * width * max(abs(value), scale)
        if abs(reach * look.slope) < _HOPELESS * hidden:
            continue
        with suppress(HIDDEN):
            inner, outer = (improve(point.moved(v + side * reach * look.along), j, enough) for side in (-1.0, 1.0))
            if Minimum.at(inner, j).upper < best.lower + half and Minimum.at(outer, j).lower > best.upper + half:
                return End(value, float(inner.v[j]), float(outer.v[j]), True)
    return None
