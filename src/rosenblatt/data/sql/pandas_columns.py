"""Columns of a pandas frame that DuckDB cannot read, or reads as something that was not meant."""

import datetime
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.data.numbers import plain_floats, texts_of_numbers
from rosenblatt.data.wording import text_of

__all__ = ["readable"]

_OBJECTS = {"integer": "Int64", "floating": "float64", "boolean": "boolean"}
_NO_NUMBERS = ("string", "bytes", "empty", "date", "datetime", "datetime64", "time", "timedelta", "period", "interval")
_SINGLE = (str, bool, int, float, np.generic, datetime.date)  # what a cell may hold besides nothing


def readable(frame: Any, where: str, names: list[str]) -> tuple[dict[int, tuple[str, ...]], frozenset[int]]:
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
            texts = texts_of_numbers(column, where, names[i])
            if texts is None and inferred in ("mixed", "mixed-integer"):
                texts = _texts(column)
            if texts is not None:
                frame[name] = texts
                written.append(i)
        elif kind_name.startswith(("complex", "float128", "float96", "longdouble")):
            frame[name] = plain_floats(column.to_numpy(), where, names[i])
    return levels, frozenset(written)


def _texts(column: Any) -> Any:
    """The values of a column of several kinds as texts; None where a value is a list or another object."""
    values = [None if lost else value for value, lost in zip(column, column.isna(), strict=True)]
    if not all(value is None or isinstance(value, _SINGLE) for value in values):
        return None
    return np.array([None if value is None else _text(value) for value in values], dtype=object)


def _text(value: object) -> str:
    return text_of(value.item() if isinstance(value, np.generic) else value)
