"""Frames and arrays as sources of columns; numbers that are Python objects, and columns that DuckDB cannot read."""

import datetime
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import inf, lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers import column_names, number_of, refuse_lazy
from rosenblatt.data.refusal import Refused, check_names, extra, quoted
from rosenblatt.data.sql.duck import Source, connect, described
from rosenblatt.data.wording import text_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["from_frame"]

_WHOLE = 1 << 53  # whole numbers up to here are floats too
_NUMBERS = (int, float, complex, Decimal, Fraction, np.number)
_OBJECTS = {"integer": "Int64", "floating": "float64", "boolean": "boolean"}
_NO_NUMBERS = ("string", "bytes", "empty", "date", "datetime", "datetime64", "time", "timedelta", "period", "interval")
_SINGLE = (str, bool, int, float, np.generic, datetime.date)  # what a cell may hold besides nothing


def from_frame(frame: Any, where: str, na: tuple[str, ...]) -> Source:
    """A pandas or polars frame, an Arrow table, or a dict of arrays; what DuckDB can read is not copied."""
    refuse_lazy(frame)
    frame = frame.compute() if hasattr(frame, "npartitions") else frame  # of Dask: all rows come here
    names = list(frame) if isinstance(frame, dict) else column_names(frame)
    if names is None and hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "dtype"):  # a Series has one too
        frame = extra("pyarrow", "arrow", where).table(frame)
        names = list(frame.column_names)
    if names is None:
        raise Refused(f"{where} is a {type(frame).__name__}; a table is a pandas or polars frame or an Arrow table.")
    check_names([str(name) for name in names], where)
    levels: dict[int, tuple[str, ...]] = {}
    written: frozenset[int] = frozenset()
    if hasattr(frame, "iloc"):
        frame = frame.set_axis([f"c{i}" for i in range(len(names))], axis=1)  # DuckDB knows no case and no numbers
        levels, written = _readable_pandas(frame, where, [str(name) for name in names])
    elif isinstance(frame, dict):
        frame, written = _readable_arrays(frame, where)
    elif type(frame).__module__.startswith("polars"):
        enums = [(i, kind) for i, kind in enumerate(frame.dtypes) if type(kind).__name__ == "Enum"]
        levels = {i: tuple(kind.categories) for i, kind in enums}
        frame, written = _readable_polars(frame, where)
    elif type(frame).__module__.startswith("pyarrow"):
        frame, written = _readable_arrow(frame)
    source = Source(where, connect(), "SELECT * FROM frame", [], [], na=na, frames={"frame": frame})
    described(source)
    source.names, source.levels, source.written = [str(name) for name in names], levels, written
    return source


def _readable_arrays(frame: dict[Any, Any], where: str) -> tuple[dict[str, Any], frozenset[int]]:
    """Arrays that DuckDB reads as what they are, and the columns that are texts of numbers."""
    arrays, written = {}, set()
    for i, (name, values) in enumerate(frame.items()):
        array = _plain_floats(_array_of(values), where, str(name))
        texts = _texts_of_numbers(array.tolist(), where, str(name)) if array.dtype == object else None
        if texts is not None:
            written.add(i)
        arrays[f"c{i}"] = array if texts is None else texts
    return arrays, frozenset(written)


def _readable_polars(frame: Any, where: str) -> tuple[Any, frozenset[int]]:
    """The frame with texts for numbers that DuckDB cannot read: of 128 bits, and Python's."""
    polars, written = import_module("polars"), set()
    for i, (name, kind) in enumerate(zip(frame.columns, map(str, frame.dtypes), strict=True)):
        texts = None
        if kind in ("Int128", "UInt128"):
            texts = frame[name].cast(polars.String)
        elif kind.startswith("Object") and (found := _texts_of_numbers(frame[name].to_list(), where, name)) is not None:
            texts = polars.Series(name, found.tolist(), dtype=polars.String)
        if texts is not None:
            frame = frame.with_columns(texts.alias(name))
            written.add(i)
    return frame, frozenset(written)


def _readable_arrow(table: "pa.Table") -> tuple[Any, frozenset[int]]:
    """The table with texts for decimals, and float32 for floats, that DuckDB cannot read."""
    arrow, written = import_module("pyarrow"), set()
    for i, one in enumerate(getattr(table, "schema", ())):
        if one.type == arrow.float16():
            table = table.set_column(i, one.name, table.column(i).cast(arrow.float32()))
        elif arrow.types.is_decimal256(one.type):
            table = table.set_column(i, one.name, table.column(i).cast(arrow.string()))
            written.add(i)
    return table, frozenset(written)


def _readable_pandas(
    frame: "pd.DataFrame", where: str, names: list[str]
) -> tuple[dict[int, tuple[str, ...]], frozenset[int]]:
    """Replace such columns of the frame, which must be the caller's own.

    Returns the levels of the categories in their order, and the columns of several kinds, which are texts now: so one
    stray text among numbers is refused with its row, as in a file, and numbers are what they were. `where` and `names`
    are what the user calls the frame and its columns.
    """
    infer = import_module("pandas").api.types.infer_dtype
    levels: dict[int, tuple[str, ...]] = {}
    written = []
    for i, (name, kind) in enumerate(frame.dtypes.items()):
        column, kind_name = frame[name], str(kind).lower()
        if kind_name == "category":
            levels[i] = tuple(text_of(value) for value in column.cat.categories.tolist())
            if len(set(levels[i])) == len(levels[i]):
                frame[name] = column.cat.rename_categories(list(levels[i]))
        elif kind_name.startswith("sparse"):
            frame[name] = column.sparse.to_dense()
        elif kind_name.startswith(("period", "interval")):
            frame[name] = column.astype(str).where(column.notna(), None)
        elif kind_name == "object":
            inferred = infer(column, skipna=True)
            if inferred in _OBJECTS:
                with suppress(OverflowError, TypeError, ValueError):  # whole numbers of more than 64 bits
                    frame[name] = column.astype(_OBJECTS[inferred])
                    continue
            if inferred in _NO_NUMBERS:
                continue
            texts = _texts_of_numbers(column, where, names[i])
            if texts is None and inferred in ("mixed", "mixed-integer"):
                texts = _texts_of_kinds(column)
            if texts is not None:
                frame[name] = texts
                written.append(i)
        elif kind_name.startswith(("complex", "float128", "float96", "longdouble")):
            frame[name] = _plain_floats(column.to_numpy(), where, names[i])
    return levels, frozenset(written)


def _texts_of_kinds(column: "pd.Series") -> Any:
    """The values of a column of several kinds as texts; None where a value is a list or another object."""
    values = [None if lost else value for value, lost in zip(column, column.isna(), strict=True)]
    if not all(value is None or isinstance(value, _SINGLE) for value in values):
        return None
    return np.array(
        [
            None if value is None else text_of(value.item() if isinstance(value, np.generic) else value)
            for value in values
        ],
        dtype=object,
    )


# -------------------------------------------------------------------------------------------------- Python's numbers


def _texts_of_numbers(values: Iterable[Any], where: str, name: str) -> npt.NDArray[Any] | None:
    """Each number as it is written, None where it is missing; None if some value is no number.

    What no decimal number is, is refused.
    """
    values = [None if _is_missing(value) else value for value in values]
    if not all(value is None or (isinstance(value, _NUMBERS) and not isinstance(value, bool)) for value in values):
        return None
    out = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        out[row] = None if value is None else _exact_text(value)
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


def _exact_text(value: object) -> str | None:
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


def _plain_floats(values: npt.NDArray[Any], where: str, name: str) -> npt.NDArray[Any]:
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


def _array_of(values: Any) -> npt.NDArray[Any]:
    """A column as an array, in which no whole number has become a float that it is not."""
    array: npt.NDArray[Any] = np.asanyarray(values)
    longer = array.dtype.kind == "f" and isinstance(values, (list, tuple))
    if longer and any(isinstance(value, int) and abs(value) > _WHOLE for value in values):
        array = np.empty(len(values), dtype=object)
        array[:] = values
    return array
