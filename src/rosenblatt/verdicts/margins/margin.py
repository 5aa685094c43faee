"""Two margins, each in an interval that is proved; where there is none, a point at which the hulls meet.

    the theorem's margin   γ* = max min z·w/‖w‖, the bias counted in ‖w‖: the distance from 0 to the hull of the z
    the street             max min z·w/‖w‖ with ‖w‖ without the bias: half the distance of the classes' hulls

Both are 1/‖u‖ for the shortest u with z·u ≥ 1 on every row; they differ in whether ‖u‖ counts the bias. Floats find u
and the multipliers μ with u = Σ μ z (`shortest`). Where a gap is too
thin for floats, exact arithmetic goes on from there (`active_set`).

However u was found, any separating w proves a lower end and any λ an upper one, in exact arithmetic.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.context import Unfinished
from rosenblatt.exact import integers, length_sq, primitive
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.certificates import Interval
from rosenblatt.verdicts.margins.active_set import shortest_weights
from rosenblatt.verdicts.margins.shortest import Shortest, Weights, all_rows
from rosenblatt.verdicts.points import Points

__all__ = ["Margin", "Margins", "Meeting", "Unproved", "both_margins", "meeting_of", "widest_margin"]

_LARGEST = 1 << 25  # values of the rows that may take part, written out: a quarter of a gigabyte
_DRAWN, _DRAWN_ROWS = 4, 500  # weights and rows up to which the optimum itself is found: points that are drawn
_LARGEST_EXACT = 128  # weights up to which exact arithmetic is tried
_MOST_WORK = 10**8  # cubes of the sizes of exact systems of equations, added up: about ten seconds
_BITS = 64  # significant bits of the ends
_FINE = Fraction(1, 10**8)  # an interval this narrow, relative to its upper end, is not made narrower
_NARROW = Fraction(1, 10**6)  # a wider interval is given with the reason
_NONE: Places = np.empty(0, dtype=np.int64)
_TIED = "the gap is thin, and so many rows come near it that not all of them were looked at exactly"


class Unproved(Unfinished):
    """No interval could be proved; the message says why."""


@dataclass(frozen=True)
class Margin(Interval):
    """An interval that is proved: z·w ≥ δ on every row."""

    delta: Fraction
    limit: str = ""  # why the interval is wide; "" where it is not

    @property
    def ends(self) -> tuple[float, float]:
        """The interval in floats, rounded outward."""
        return _float_down(self.lower), -_float_down(-self.upper)

    def within(self, part: Fraction) -> bool:
        """Whether the interval is no wider than this fraction of its upper end."""
        return self.upper - self.lower <= part * self.upper

    def of_all(self, delta: Fraction) -> "Margin":
        """The same interval for more rows, on all of which z·w ≥ δ; its lower end may be lower."""
        return replace(
            self, delta=delta, lower=min(self.lower, _just_below(delta / sqrt_above(Fraction(self.length_sq))))
        )

    def entry(self) -> dict[str, Any]:
        """The certificate's `margin` or `street`."""
        ends = {"lower": self.lower, "upper": self.upper}
        written: dict[str, Any] = {"w": [hex(v) for v in self.w]} if self.street else {}
        written |= {name: f"{hex(q.numerator)}/{hex(q.denominator)}" for name, q in ends.items()}
        return {**written, "lambda": {str(i): hex(m) for i, m in sorted(self.mixture.items())}}


def widest_margin(points: Points, w: list[int], street: bool, guess: Places = _NONE) -> Margin:
    """The theorem's margin or the street of separable data, from a separating w. Raises `Unproved`.

    A street needs two classes and a bias. `guess` are rows that may touch the margin: a good guess shortens the search.
    """
    return _Sought(points, street, guess).find(w)


class Margins(NamedTuple):
    """Both margins, if they were found; `limits` says why "margin" or "street" is missing or wide."""

    theorem: Margin | None
    street: Margin | None
    limits: dict[str, str]


def both_margins(
    seek: Callable[[list[int], bool, Places], Margin], w: list[int], bias: bool, two_classes: bool
) -> Margins:
    """The theorem's margin and the street, by `seek(w, street, guess)`; without a bias they are the same one."""
    found, limits, guess = dict[str, Margin](), dict[str, str](), _NONE
    for name in ("margin", "street") if bias and two_classes else ("margin",):
        try:
            one = found[name] = seek(w, name == "street", guess)
        except Unproved as why:
            limits[name] = str(why)
            continue
        w, guess = one.w, np.array(sorted(one.mixture))  # most rows that touch one margin touch the other
        if one.limit:
            limits[name] = one.limit
    if bias and not two_classes:
        limits["street"] = "a street lies between two classes, and there is only one"
    return Margins(found.get("margin"), found.get("street"), limits)


class _Sought:
    """The search for one of the two margins."""

    def __init__(self, points: Points, street: bool, guess: Places) -> None:
        self.points, self.street, self.guess = points, street, guess
        self.work = 0  # cubes of the sizes of exact systems solved so far

    def find(self, w: list[int]) -> Margin:
        """The narrowest interval that can be proved; at worst w itself and the nearest rows prove a wide one."""
        seen, why = self._by_floats(w)
        found = None if seen is None else self._prove([int(v) for v in integers(seen.u)[0]], seen.mixture, 60)
        drawn = self.points.d <= _DRAWN and self.points.n <= _DRAWN_ROWS  # where a person sees that 0.9999999 is 1
        if found is not None and found.within(_FINE) and not drawn:
            return found
        if not why:
            try:
                exact = self._exactly(w, seen)
                return exact if exact.within(_NARROW) else replace(exact, limit=_TIED)
            except Unfinished as reason:
                why = str(reason)
        mixtures = [self._simplest(w)] if seen is None else [seen.mixture, self._simplest(w)]
        all_found = [one for one in (found, *(self._prove(w, lam, 60) for lam in mixtures)) if one is not None]
        if not all_found:
            raise Unproved(_TIED)
        best = max(all_found, key=lambda one: one.lower / one.upper)
        return best if best.within(_NARROW) else replace(best, limit=why)

    # -- floats

    def _by_floats(self, w: list[int]) -> tuple[Weights | None, str]:
        """Weights and multipliers by float arithmetic, and why the search ended early; "" where it did not."""
        points = self.points
        if min(points.n, 2 * points.d) * points.d > _LARGEST:
            return None, f"the rows that may touch it, {points.d} weights long, are too many to be written out"
        try:
            points.context.check()
            seen = all_rows(points, self.street) if points.n < points.d else None
            with np.errstate(all="ignore"):
                if seen is None or not seen.finite:
                    seen = Shortest(points, self.street).find(_as_floats(w), self.guess)
        except Unfinished as late:
            return None, str(late)
        return (seen, seen.ended) if seen is not None and seen.finite else (None, "")

    def _simplest(self, w: list[int]) -> dict[int, Fraction]:
        """λ = 1 on the nearest row of each class."""
        rows = self.points.nearest(np.ldexp(_as_floats(w), self.points.exponents), 1, True)[0]
        return {int(i): Fraction(1) for i in rows}

    # -- exact arithmetic

    def _exactly(self, w: list[int], seen: Weights | None) -> Margin:
        """The exact optimum, from what floats have seen; rounded to as few bits as still prove it."""
        points = self.points
        if points.d > _LARGEST_EXACT:
            raise Unproved(f"the gap is too thin for float arithmetic, and {points.d} weights are too many for exact")
        v = _as_floats(w) if seen is None else seen.u
        near = points.nearest(np.ldexp(v, points.exponents), points.d + 5, self.street)[0]
        rows = np.empty(0, dtype=np.int64) if seen is None else seen.rows
        guess, chosen = list(range(rows.size)), np.concatenate([rows, np.setdiff1d(near, rows)])
        while True:
            M, unit = points.integers(chosen)
            mu, u = shortest_weights(M, guess, self.street, self._spend)
            common = lcm(*(v.denominator for v in u))
            w = [int(v * common) for v in u]
            fresh = np.setdiff1d(points.below(w, common * unit, points.d + 10), chosen)
            if not fresh.size:
                break
            guess = list(mu)
            chosen = np.concatenate([chosen, fresh])
        mixture = {int(chosen[i]): m for i, m in mu.items()}
        for bits in (64, 128, 256, 512, 1024):
            found = self._prove(self._rounded(w, bits), mixture, bits)
            if found is not None and found.within(_FINE):
                return found
        best = self._prove(w, mixture, 4096)
        if best is None:
            raise Unproved(_TIED)
        return best

    def _rounded(self, w: list[int], bits: int) -> list[int]:
        """w rounded to so many bits in scaled columns."""
        exponents = self.points.exponents.tolist()
        top = max(abs(v).bit_length() + e for v, e in zip(w, exponents, strict=True) if v)
        high = max(exponents)
        cut = [Fraction(v) * Fraction(2) ** (e - top + bits) for v, e in zip(w, exponents, strict=True)]
        return primitive([round(v) << (high - e) for v, e in zip(cut, exponents, strict=True)])

    def _spend(self, rows: int) -> None:
        self.work += rows**3
        if self.work > _MOST_WORK:
            raise Unproved("the gap is too thin for float arithmetic, and exact arithmetic would take too long")
        self.points.context.check()

    # -- what is proved

    def _prove(self, w: list[int], lam: dict[int, Fraction], bits: int) -> Margin | None:
        """The interval that w and λ prove, λ made whole with so many bits."""
        mixture = self._whole(lam, bits)
        if not any(w[:-1] if self.street else w) or not mixture:
            return None
        w, delta = self._levelled(w)
        if delta <= 0:
            return None
        upper = sqrt_above(length_sq(self.points.mixed(mixture))) / sum(mixture.values())
        found = Margin(Fraction(0), -_just_below(-upper), w, mixture, self.street, delta)
        return replace(found, lower=_just_below(delta / sqrt_above(Fraction(found.length_sq))))

    def _levelled(self, w: list[int]) -> tuple[list[int], Fraction]:
        """w and δ = min z·w; a street's bias is moved to the middle, where both classes are equally far."""
        if not self.street:
            return w, min(self.points.smallest_responses(w))
        ahead, behind = self.points.smallest_responses([*w[:-1], 0])
        bias, delta = (behind - ahead) / 2, (ahead + behind) / 2
        common = lcm(bias.denominator, delta.denominator)
        return [*(v * common for v in w[:-1]), int(bias * common)], delta * common

    def _whole(self, lam: dict[int, Fraction], bits: int) -> dict[int, int]:
        """λ in whole numbers; for a street, with the same sum in both classes."""
        unit = max(lam.values()) / 2**bits
        whole = {i: round(m / unit) for i, m in lam.items()}
        if self.street:
            sides = [{i: m for i, m in whole.items() if self.points.y[i] == sign} for sign in (1, -1)]
            if not all(any(side.values()) for side in sides):
                return {}
            less, more = sorted(sides, key=lambda side: sum(side.values()))
            whole[max(less, key=less.__getitem__)] += sum(more.values()) - sum(less.values())
        return {i: m for i, m in whole.items() if m > 0}


def _as_floats(w: list[int]) -> Floats:
    """Whole-numbered weights, the largest brought to about one."""
    shift = max(abs(v).bit_length() for v in w)
    return np.array([v / (1 << shift) for v in w])


def _just_below(q: Fraction) -> Fraction:
    """A nearby fraction of few bits, not above q."""
    if q == 0:
        return q
    shift = abs(q.numerator).bit_length() - q.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return (q / unit).__floor__() * unit


def _float_down(q: Fraction) -> float:
    """The largest float not above q."""
    nearest = float(q)
    return nearest if Fraction(nearest) <= q else float(np.nextafter(nearest, -np.inf))


# -------------------------------------------------------------------------------------------------------------- meeting


class Meeting(NamedTuple):
    """`rows` of both classes, their `parts` in the mixture of their class (they add up to 1), and the common point."""

    rows: list[int]
    parts: list[float]
    point: Floats


def meeting_of(witness: dict[int, int] | None, X: Floats, y: Signs) -> Meeting | None:
    """The point where the hulls meet, from a witness λ > 0 with Σ λ·y·(x, 1) = 0; None without a witness.

    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1], dtype=np.int8)
    >>> meeting_of({0: 1, 1: 1, 2: 1, 3: 1}, X, y)
    Meeting(rows=[0, 1, 2, 3], parts=[0.5, 0.5, 0.5, 0.5], point=array([0.5, 0.5]))
    """
    total = sum(m for i, m in (witness or {}).items() if y[i] > 0)
    if witness is None or total == 0:
        return None
    rows = sorted(witness)
    parts = [float(Fraction(witness[i], total)) for i in rows]
    mine = [k for k, i in enumerate(rows) if y[i] > 0]
    return Meeting(rows, parts, sum((parts[k] * X[rows[k]] for k in mine), np.zeros(X.shape[1])))
