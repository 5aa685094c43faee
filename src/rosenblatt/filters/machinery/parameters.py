"""Ranges of a filter's parameters: metadata of its fields, in scikit-learn's constraints. A value must satisfy one."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["COUNT", "NOT_NEGATIVE", "PART", "PART_OR_ALL", "POSITIVE", "POSITIVE_OR_NONE", "START", "allowed", "one_of"]


def allowed(*constraints: Any) -> dict[str, list[Any]]:
    """Metadata of a field."""
    return {"allowed": list(constraints)}


def one_of(*names: str | None) -> dict[str, list[Any]]:
    """One of these words; None where it is among them."""
    words = StrOptions({name for name in names if name is not None})
    return allowed(words, None) if None in names else allowed(words)


COUNT = allowed(Interval(Integral, 1, None, closed="left"))
POSITIVE = allowed(Interval(Real, 0, None, closed="neither"))
POSITIVE_OR_NONE = allowed(Interval(Real, 0, None, closed="neither"), None)
NOT_NEGATIVE = allowed(Interval(Real, 0, None, closed="left"))
PART = allowed(Interval(Real, 0, 1, closed="left"))  # 0 ≤ value < 1
PART_OR_ALL = allowed(Interval(Real, 0, 1, closed="right"))  # 0 < value ≤ 1
START = allowed(StrOptions({"zeros"}), "array-like")
