"""Numbers with the digits that are certain: a number between two bounds is written as far as both begin alike."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from math import inf, isnan

__all__ = ["INFINITE", "between", "p_value", "rounded"]

INFINITE = {inf: "+∞", -inf: "−∞"}
_MOST = 6  # significant digits
_WORK = Context(prec=40)
_TINY = -5  # the power of ten below which a number is written with an exponent
_LEAST_P = 1e-4
_LARGEST_POWER = 2e6  # beyond, e to this power is more than a Decimal holds


def between(low: float, high: float, exponentiate: bool = False) -> str:
    """A number that is known to be in [low, high], with at most six digits, of which each is certain.

    >>> between(2.92927335, 2.92927336), between(0.1249, 0.1251), between(-1e-9, 2e-9), between(0.5, 1.7)
    ('2.92927', '0.125', '0.00000', '0.5 to 1.7')
    >>> between(-float("inf"), -float("inf"), exponentiate=True), between(800.0, 800.0, exponentiate=True)
    ('0', '2.72637e+347')
    >>> between(5255540.0, 5255541.0, exponentiate=True)
    'exp(5.25554e+6)'
    """
    if isnan(low) or isnan(high):
        return ""
    if low == high and abs(low) == inf:
        return ("∞" if low > 0 else "0") if exponentiate else INFINITE[low]
    if exponentiate and high > _LARGEST_POWER:
        return f"exp({between(low, high)})"
    with localcontext(_WORK):
        ends = (_raised(low, -1), _raised(high, 1)) if exponentiate else (Decimal(low), Decimal(high))
        if ends[0] <= 0 <= ends[1]:
            alike = [_zero(max(map(abs, ends)))]
        else:
            both = [{_written(end, digits) for end in ends} for digits in range(_MOST, 0, -1)]
            alike = [one for texts in both if len(texts) == 1 for one in texts]
        if alike and alike[0]:
            return alike[0]
        return f"{_outward(ends[0], ROUND_FLOOR)} to {_outward(ends[1], ROUND_CEILING)}"


def rounded(value: float, exponentiate: bool = False) -> str:
    """A number about which nothing is proved, in six digits."""
    return between(value, value, exponentiate)


def p_value(p: float) -> str:
    """A p-value in four decimals.

    >>> p_value(0.00912), p_value(3e-12)
    ('0.0091', '<0.0001')
    """
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.4f}"


def _raised(value: float, sign: int) -> Decimal:
    """e^value, rounded outward."""
    found = Decimal(value).exp()
    return found.next_plus() if sign > 0 else found.next_minus()


def _written(value: Decimal, digits: int) -> str:
    """The value with so many significant digits."""
    shown = Context(prec=digits).plus(value)
    power = shown.adjusted()
    if not _TINY <= power < digits:
        return f"{shown:.{digits - 1}e}"
    return f"{shown:.{max(0, digits - 1 - power)}f}"


def _zero(size: Decimal) -> str | None:
    """A number whose size is at most this, as 0.00…0 with all decimals that are certain; None where there are none."""
    places = [k for k in range(1, _MOST) if size < Decimal(5).scaleb(-k - 1)]
    return f"{0:.{max(places)}f}" if places else "0" if not size else None


def _outward(value: Decimal, way: str) -> str:
    shown = Context(prec=2, rounding=way).plus(value)
    return f"{shown:.1e}" if shown and not _TINY <= shown.adjusted() < _MOST else f"{shown:f}"
