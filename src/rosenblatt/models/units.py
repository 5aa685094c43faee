"""η only scales w: a perceptron's run counts in units of its own, in which start and step are whole numbers.

w = unit·(start + step·Σ ±z). From w(0) = 0 the unit is η and the step is 1, so η never enters. η, and a start of few
digits, are read as decimals: 0.1 is one tenth.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import decimal_of
from rosenblatt.models.storage import Damaged

__all__ = ["ONE", "Units", "scaled"]

ONE = Fraction(1)
_EXACT = 2**53  # float64 has all whole numbers up to this one
_DIGITS = 10**15  # a float that is nearest to a decimal of at most 15 digits is that decimal


@dataclass(frozen=True)
class Units:
    """The unit of a run's weights, and η in these units.

    >>> Units.of(np.zeros(3), 0.1)
    (Units(unit=Fraction(1, 10), step=1.0), array([0., 0., 0.]))
    >>> Units.of(np.array([0.3, -0.25]), 0.1)
    (Units(unit=Fraction(1, 20), step=2.0), array([ 6., -5.]))
    """

    unit: Fraction = ONE
    step: float = 1.0

    @classmethod
    def of(cls, start: Floats, eta: float) -> "tuple[Units, Floats]":
        """Units for a run from this start, and the start in them; plain floats where whole numbers get too large."""
        h = decimal(eta)
        if not start.any():
            return cls(h, 1.0), np.zeros_like(start)
        if h.denominator & (h.denominator - 1) == 0 and _is_short(start):
            return cls(ONE, float(eta)), start  # sums of such numbers are exact as they are
        values = [_read(v) for v in start.ravel().tolist()]
        common = lcm(h.denominator, *(v.denominator for v in values))
        whole = [v.numerator * (common // v.denominator) for v in values]
        step = h.numerator * (common // h.denominator)
        shared = gcd(step, *whole)
        if max(step, *map(abs, whole)) > _EXACT * shared:
            return cls(ONE, float(eta)), start
        own = np.array([v // shared for v in whole], dtype=np.float64).reshape(start.shape)
        return cls(Fraction(shared, common), float(step // shared)), own

    def with_step(self, eta: float) -> "tuple[Units, Fraction]":
        """Units for the same weights and another η, and the factor that brings the weights into them."""
        h = decimal(eta)
        if float(h / self.unit) == self.step:
            return self, ONE
        common = lcm(self.unit.denominator, h.denominator)
        a, b = (one.numerator * (common // one.denominator) for one in (self.unit, h))
        shared = gcd(a, b)
        if max(a, b) > _EXACT * shared:
            return Units(ONE, float(eta)), self.unit
        return Units(Fraction(shared, common), float(b // shared)), Fraction(a, shared)

    def to_json(self) -> list[object]:
        """For files."""
        return [f"{self.unit.numerator}/{self.unit.denominator}", self.step]

    @classmethod
    def from_json(cls, kept: object) -> "Units":
        """From files; those of older versions have no units."""
        if kept is None:
            return cls()
        if not isinstance(kept, list) or len(kept) != 2 or type(kept[1]) is not float or not 0 < kept[1] < inf:
            raise Damaged("the step of a run is no positive number")
        if type(kept[0]) is not str or not re.fullmatch(r"[1-9]\d{0,999}/[1-9]\d{0,999}", kept[0]):
            raise Damaged("the unit of a run is no fraction")
        return cls(Fraction(kept[0]), kept[1])


def scaled(w: Floats, unit: Fraction) -> Floats:
    """The float64 nearest to unit·w, number by number; w itself where the unit is 1."""
    p, q = unit.numerator, unit.denominator
    if p == q:
        return w
    largest = float(np.max(np.abs(w), initial=0.0))
    if p * largest <= _EXACT and q <= _EXACT and np.array_equal(w, np.rint(w)):
        return np.asarray(w * float(p) / float(q))  # the product is exact, so there is one rounding
    if p & (p - 1) == q & (q - 1) == 0 and 2.0**-900 < largest * float(unit) < 2.0**900:
        return np.asarray(w * float(unit))  # a power of two: exact
    return np.array([_nearest(v, p, q) for v in w.ravel().tolist()]).reshape(w.shape)


def decimal(x: float) -> Fraction:
    """The shortest decimal to which x is the nearest float."""
    m, e = decimal_of(float(x))
    return Fraction(m) * Fraction(10) ** e


def _is_short(w: Floats) -> bool:
    """Whether all numbers are multiples of 2^-24, and none is large: as weights are that were drawn."""
    parts = w * 2.0**24
    return bool(np.max(np.abs(w)) < 2.0**24 and np.array_equal(parts, np.rint(parts)))


def _read(x: float) -> Fraction:
    """A float as the decimal of at most 15 digits that it is nearest to, or as it is."""
    m, e = decimal_of(x)
    return Fraction(m) * Fraction(10) ** e if abs(m) < _DIGITS else Fraction(x)


def _nearest(v: float, p: int, q: int) -> float:
    if not np.isfinite(v):
        return v
    n, d = v.as_integer_ratio()
    try:
        return (n * p) / (d * q)  # of whole numbers: rounded once
    except OverflowError:
        return inf if v > 0 else -inf
