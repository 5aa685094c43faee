"""Profile intervals: the values of one weight for which the least loss is not above a target.

f(b) is the least loss with weight j held at b. An end of the interval is where f reaches the target; `crossing` finds
it. Then a value just before the end is proved to be inside, and one just behind it outside, by bounds on f.
"""

from contextlib import suppress
from dataclasses import dataclass
from math import copysign, inf, log2, nan
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf

from rosenblatt.arrays import Floats
from rosenblatt.estimates.crossing import ProfileLook, at_once, close_enough, cross, lightly_penalised, mirrored
from rosenblatt.estimates.likelihood import AnyPoint, Loss, LossPoint
from rosenblatt.estimates.optimum import HIDDEN, ball, improve, others, short_gap
from rosenblatt.kernels.profiles import HELD, LOWER, ON_THE_WAY

__all__ = ["End", "Minimum", "ends", "held", "least", "minima"]

_FARTHER = 3  # how often a lower minimum may move an end
_EXPLORED = 25  # steps from each further start: a lower loss found by then counts, whether at a minimum or not
_WAY, _STEPS_OF_WAY = 4, 3  # starts on the way to a minimum of the plain likelihood, and steps between them
_MANY = 1 << 11  # values of a table above which no further starts are tried
_TRIALS, _NARROW, _AT_THE_END = 100, 1e-8, 1e-5  # of halving: steps, the width of the last, a loss like the target
_SETTLED = 1e-10  # the Q of a minimum
_UNPENALISED = 1e-4  # the Q that is enough without the penalty
_NOTHING = 1e-4  # a Q of this share of the loss's rounding error makes no proof better
_HOPELESS = 0.99  # two values whose f differ by less than this share of what rounding hides are not tried
_WIDTHS = (1e-9, 1e-7, 1e-5)  # widths of a bracket that are tried, relative to the value and to the standard error


class Minimum(NamedTuple):
    """Proved bounds on a least loss; −inf and inf where nothing is proved."""

    lower: float
    upper: float

    @classmethod
    def near(cls, point: AnyPoint, fixed: int, lender: AnyPoint) -> "Minimum":
        """The same by the information of another point, where that says enough: it takes less time."""
        if isinstance(point, LossPoint) and isinstance(lender, LossPoint) and not point.lender:
            gap = short_gap(point, lender, fixed)
            if gap is not None and gap <= point.loss_error:
                return cls(point.loss - gap - point.loss_error, point.loss + point.loss_error)
        return cls.at(point, fixed)

    @classmethod
    def at(cls, point: AnyPoint, fixed: int | None = None) -> "Minimum":
        """Bounds on the least loss near a point that is a minimum in floats."""
        proved = None if point.of.penalised else ball(point, fixed)
        if proved is None:
            return cls(-inf, inf)
        return cls(point.loss - proved.gap - point.loss_error, point.loss + point.loss_error)


@dataclass(frozen=True)
class End:
    """An end of an interval: `value`; where `proved`, the true end lies between `inner` and `outer`."""

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
        """There is an end, but rounding hides where it is."""
        return cls(nan, nan, nan, False)

    @classmethod
    def found(cls, value: float) -> "End":
        """An end that was computed and not proved; infinite ones are known."""
        return cls(value, value, value, abs(value) == inf)

    def scaled(self, scale: float) -> "End":
        """The same end in other units; exact for a power of two."""
        return End(self.value * scale, self.inner * scale, self.outer * scale, self.proved)


def ends(
    start: AnyPoint, j: int, best: Minimum, middle: float, half: float, low: bool = True, high: bool = True
) -> tuple[End, End]:
    """The lower and the upper value of weight j at which the least loss is `middle` + `half`.

    An end that is not asked for (`low`, `high`) is at infinity. `start` is the minimum; where one end alone is asked
    for, it may be anywhere inside the interval or beyond that end. `best` bounds the least loss of all, which is
    `middle` in floats. In a large table the search for the lower end begins at the mirror image of the upper end.
    """
    point, target = start, middle + half
    lower, upper, begin = End.at_infinity(-1.0), End.at_infinity(1.0), point
    if high:
        look = _found(point, j, target, 1.0)
        upper = _ended(look, point, best, target, half, 1.0)
        if low and isinstance(look, ProfileLook) and point.of.size > _MANY:
            other = point.moved(mirrored(ProfileLook(point, j), look, target))
            begin = other if other.loss < inf else point
    if low:
        lower = _ended(_found(begin, j, target, -1.0), point, best, target, half, -1.0)
    return lower, upper


def _found(start: AnyPoint, j: int, target: float, sign: float) -> ProfileLook | float | None:
    """A look from close to the end, or the end itself; None where no search finds it."""
    found = at_once(start, j, target, sign, _explored(start.of))
    if found is not None:
        return found
    with suppress(HIDDEN):
        look = cross(start, j, target, sign)
        if look is not None:
            return _farthest(look, target, sign) if start.of.penalised else look
    with suppress(HIDDEN):
        return _between_two(start, j, target, sign)
    return None


def _between_two(start: AnyPoint, j: int, target: float, sign: float) -> float | None:
    """The end by halving: slow, and sure where the model of the profile misleads, as it does beside humps."""
    first, reach, inside, outside = float(start.v[j]), ProfileLook(start, j).scale, 0.0, inf
    inner = start
    for _ in range(_TRIALS):
        try:
            point = held(inner, j, first + sign * reach)
            point = point if point.loss < target else lowest(point, j)
            inner, inside, outside = (point, reach, outside) if point.loss < target else (inner, inside, reach)
        except HIDDEN:  # too far at once
            outside = min(outside, reach)
        if outside - inside < _NARROW * max(1.0, abs(first) + outside):
            return first + sign * inside if abs(inner.loss - target) < _AT_THE_END else None
        reach = 2.0 * reach if outside == inf else (inside + outside) / 2
    return None


def _ended(
    look: ProfileLook | float | None, start: AnyPoint, best: Minimum, target: float, half: float, sign: float
) -> End:
    """The end that the look is close to, between two values if that can be proved."""
    if look is None or isinstance(look, float):
        return End.nowhere() if look is None else End.found(look)
    step = 0.0 if look.ended else look.last_step(target)
    value = float(look.point.v[look.j]) + step
    return _bracketed(look, step, start, best, half, sign) or End(value, value, value, False)


def held(point: AnyPoint, j: int, value: float, enough: float = HELD) -> AnyPoint:
    """The point of the least loss with weight j held at a value, reached in steps from a minimum."""
    at_once = _at_once(point, j, value) if lightly_penalised(point.of) else None
    if at_once is not None:
        return improve(at_once, j, enough)
    look, distance = ProfileLook(point, j), value - float(point.v[j])
    responses = float(np.abs(look.along).sum())  # no response moves more than this much with weight j, as |z_j| ≤ 1
    steps = 1 + int(log2(1.0 + abs(distance) * min(1.0 / look.scale, responses)))  # far away, steps are longer
    for k in range(steps):
        v = look.steered(distance / steps)
        v[j] = value - distance * (1 - (k + 1) / steps)
        look = ProfileLook(improve(point.of.at(v), j, enough if k + 1 == steps else ON_THE_WAY), j)
    return look.point


def _at_once(point: AnyPoint, j: int, value: float) -> AnyPoint | None:
    """A point near the least loss with weight j held at a value, found without the penalty.

    The plain loss is convex, so it can be minimised in one go, and each look is cheap. None where the penalty matters
    there, as it does where classes are separated.
    """
    with suppress(HIDDEN):
        v = ProfileLook(point.plain, j).steered(value - float(point.v[j]))
        v[j] = value
        found = point.of.at(improve(point.plain.of.at(v), j, _UNPENALISED).v)
        return found if found.loss < inf and ProfileLook(found, j).Q <= ON_THE_WAY else None
    return None


def _explored(loss: Loss) -> bool:
    """Whether several minima with a weight held are searched for."""
    return loss.penalised and loss.d > 1 and loss.size <= _MANY


def least(point: AnyPoint, j: int, value: float) -> tuple[float, Floats]:
    """The least loss with weight j held at a value, and where it is; `point` is a minimum."""
    look = at_once(point, j, value, 0.0, _explored(point.of))
    if look is None:
        look = ProfileLook(lowest(held(point, j, value, close_enough(point.of)[1]), j), j)
    return look.loss, look.point.v


def lowest(point: AnyPoint, j: int) -> AnyPoint:
    """The lowest minimum of a penalised loss with weight j held that some further starts find.

    A table of few rows may have several minima. With many rows the penalty is too weak to make further ones.
    """
    loss, best = point.of, point
    if not _explored(loss):
        return point
    starts = np.array(_elsewhere(point, j))
    starts[:, j] = point.v[j]
    if isinstance(point, LossPoint):
        best = point.lower(starts, j, HELD, _EXPLORED, point.loss - LOWER) or point
    else:
        for start in starts:
            try:
                with np.errstate(over="ignore", invalid="ignore"):  # a start may be far out
                    other = improve(loss.at(start), j, HELD, _EXPLORED, scoring=True)
            except HIDDEN:
                continue
            best = other if other.loss < best.loss - LOWER else best
    with suppress(HIDDEN):
        return point if best is point else improve(best, j, HELD)
    return best


def minima(point: AnyPoint) -> list[AnyPoint]:
    """The minima of a penalised loss that the search finds, the lowest first; `point` is one of them.

    It begins at zero, and on the way from there to the minimum of the plain likelihood, which may be far out.
    """
    loss, starts = point.of, list[Floats]()
    if not loss.penalised or loss.size > _MANY:
        return [point]
    with suppress(HIDDEN):
        plain = loss.with_penalty(False).at(0.0 * point.v)
        for _ in range(_WAY + 1):
            starts.append(np.array(plain.v))
            plain = improve(plain, None, 0.0, _STEPS_OF_WAY)
        starts.append(0.5 * np.array(plain.v))
    found = [point]
    for start in starts:
        with suppress(HIDDEN), np.errstate(over="ignore", invalid="ignore"):
            other = improve(improve(loss.at(start), None, HELD, _EXPLORED, scoring=True), None, HELD)
            full = other.full_curvature
            settled = ProfileLook(other, 0).Q <= _SETTLED and (full is None or not dpotrf(full, lower=1)[1])
            if settled and all(abs(other.loss - one.loss) > LOWER for one in found):
                found.append(other)
    return sorted(found, key=lambda one: one.loss)


def _elsewhere(point: AnyPoint, j: int) -> list[Floats]:
    """Starts for a search of another minimum with weight j held.

    Seen from zero: zero itself, the opposite point, half and twice as far, and one other weight with its sign changed.
    The first four also as seen from `even`, where the other weights make up for weight j as well as they can. And
    points on the way from `even` to the minimum of the plain likelihood, which may be far out. Starts seen from `even`
    do not depend on where the columns have their zero.
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
    """The look itself or, where another minimum with weight j held is lower, a look at the end farther out."""
    for _ in range(_FARTHER * (look.point.of.size <= _MANY)):
        here = improve(look.point.of.at(look.steered(look.last_step(target))), look.j, HELD)
        lower = lowest(here, look.j)  # `here` may be lower by itself, if the search ended at a saddle
        farther = cross(lower, look.j, target, sign) if lower.loss < target - LOWER else None
        if farther is None:
            break
        look = farther
    return look


def _bracketed(look: ProfileLook, step: float, start: AnyPoint, best: Minimum, half: float, sign: float) -> End | None:
    """The end between two values of weight j: the inner is proved to be in the interval, the outer not to be."""
    point, j, v = look.point, look.j, look.steered(step)
    value, enough = float(v[j]), _NOTHING * point.loss_error
    scale = half / abs(look.slope)  # about a standard error
    hidden = point.loss_error + 0.5 * (best.upper - best.lower)  # no proof can tell smaller differences of f
    widths = [width for width in _WIDTHS if best.lower > -inf]
    reaches = [sign * width * max(abs(value), scale) for width in widths]
    reaches = [reach for reach in reaches if abs(reach * look.slope) >= _HOPELESS * hidden]
    if not reaches:
        return None
    with suppress(HIDDEN):
        end = point if look.ended else improve(point.moved(v), j, enough)
        found = _between_by_chord(end, j, reaches[0], start, best, half)
        if found is not None:
            return found
    for reach in reaches:
        with suppress(HIDDEN):
            inner, outer = (improve(point.moved(v + side * reach * look.along), j, enough) for side in (-1.0, 1.0))
            if Minimum.at(inner, j).upper < best.lower + half and Minimum.at(outer, j).lower > best.upper + half:
                return End(value, float(inner.v[j]), float(outer.v[j]), True)
    return None


def _between_by_chord(end: AnyPoint, j: int, reach: float, start: AnyPoint, best: Minimum, half: float) -> End | None:
    """The end between two values, proved by one look at `end`: f is convex, so it rises by its chords at least.

    The chord is that from `start`, inside the interval, to `end`.
    """
    value, far, inside = float(end.v[j]), float(end.v[j] - start.v[j]), start.loss + start.loss_error
    here = Minimum.near(end, j, start)
    if not 0 < reach / far < 0.5 or not here.lower > inside:
        return None
    share = reach / far
    inner = here.upper - share * (here.upper - inside)
    outer = here.lower + share * (here.lower - inside)
    proved = inner < best.lower + half and outer > best.upper + half
    return End(value, value - reach, value + reach, True) if proved else None
