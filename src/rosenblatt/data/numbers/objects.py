"""Numbers that are Python objects (whole numbers of any size, `Decimal`, `Fraction`, several kinds in one column)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers.readings import number_of
from rosenblatt.data.refusal import Refused, quoted

__all__ = ["array_of", "plain_floats", "texts_of_numbers"]

_WHOLE = 1 << 53  # whole numbers up to here are floats too
_NUMBERS = (int, float, complex, Decimal, Fraction, np.number)


def texts_of_numbers(values: Iterable[Any], where: str, name: str) -> npt.NDArray[Any] | None:
    """Each number as it is written, None where it is missing; None if some value is no number.

    What no decimal number is, is refused.
    """
    values = [None if _is_missing(value) else value for value in values]
    if not all(value is None or (isinstance(value, _NUMBERS) and not isinstance(value, bool)) for value in values):
        return None
    out = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        out[row] = None if value is None else _text(value)
        if value is not None and out[row] is None:
            raise _no_decimal(values, row, where, name)
    return out


def _is_missing(value: object) -> bool:
    """None, NaN of any kind, NaT and pandas' NA, which compares to nothing."""
    if value is None:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _text(value: object) -> str | None:
    """The number as text, which is exact; None where there is no such text."""
    if isinstance(value, (float, np.floating, Decimal)) and value == value and abs(value) == inf:
        return str(float(value))  # it is refused with its row, as in a file
    found = number_of(value)
    if found is None:
        return None
    m, e = found
    return str(m * 10**e) if isinstance(value, (int, np.integer)) else f"{m}e{e}"


def _no_decimal(values: Sequence[Any], row: int, where: str, name: str) -> Refused:
    value = values[row]
    told = f"{where}: row {row + 1:,}, column {quoted(name)} is {quoted(str(value))}, "
    if isinstance(value, Fraction):
        common = lcm(*(one.denominator for one in values if isinstance(one, Fraction)))
        return Refused(f"{told}which is no decimal number: multiply the column by {common}.")
    if isinstance(value, (complex, np.complexfloating)):
        return Refused(f"{told}a complex number: take its real and its imaginary part as two columns.")
    return Refused(f"{told}which float64 does not hold: round it, or give the number as text or as Decimal.")


def plain_floats(values: npt.NDArray[Any], where: str, name: str) -> npt.NDArray[Any]:
    """The same numbers in a type that DuckDB reads; complex and longer floats have none."""
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            floats = values.astype(np.float64)
        same = (floats == values) | np.isnan(values)
        for row in np.flatnonzero(~np.ma.filled(same, True))[:1]:
            raise _no_decimal([values[row]] * (int(row) + 1), int(row), where, name)
        return floats
    if values.dtype.kind == "c":
        raise _no_decimal([complex(values[0])], 0, where, name) if values.size else Refused(f"{where} has no rows.")
    return values


def array_of(values: Any) -> npt.NDArray[Any]:
    """A column as an array, in which no whole number has become a float that it is not."""
    array: npt.NDArray[Any] = np.asanyarray(values)
    longer = array.dtype.kind == "f" and isinstance(values, (list, tuple))
    if longer and any(isinstance(value, int) and abs(value) > _WHOLE for value in values):
        array = np.empty(len(values), dtype=object)
        array[:] = values
    return array
