"""What parameters may be: the ranges that several filters share."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["COUNT", "NOT_NEGATIVE", "PART", "POSITIVE", "POSITIVE_OR_NONE", "START", "one_of"]

COUNT: list[Any] = [Interval(Integral, 1, None, closed="left")]
POSITIVE: list[Any] = [Interval(Real, 0, None, closed="neither")]
POSITIVE_OR_NONE: list[Any] = [*POSITIVE, None]
NOT_NEGATIVE: list[Any] = [Interval(Real, 0, None, closed="left")]
PART: list[Any] = [Interval(Real, 0, 1, closed="left")]  # 0 ≤ value < 1


def one_of(*names: str | None) -> list[Any]:
    """One of these names; None where it is among them."""
    words = {name for name in names if name is not None}
    return [StrOptions(words), None] if None in names else [StrOptions(words)]


START: list[Any] = [*one_of("zeros"), "array-like"]
