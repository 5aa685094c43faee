"""Columns of a pandas frame that DuckDB cannot read, or reads as something that was not meant."""

import datetime
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.data.wording import text_of

__all__ = ["readable"]

_OBJECTS = {"integer": "Int64", "floating": "float64", "mixed-integer-float": "float64", "boolean": "boolean"}
_SINGLE = (str, bool, int, float, np.generic, datetime.date)  # what a cell may hold besides nothing


def readable(frame: Any) -> tuple[dict[int, tuple[str, ...]], frozenset[int]]:
    """Replace such columns of the frame, which must be the caller's own.

    Returns the levels of the categories in their order, and the columns of several kinds, which are texts now: so one
    stray text among numbers is refused with its row, as in a file.
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
            elif inferred in ("mixed", "mixed-integer") and (texts := _texts(column)) is not None:
                frame[name] = texts
                written.append(i)
    return levels, frozenset(written)


def _texts(column: Any) -> Any:
    """The values of a column of several kinds as texts; None where a value is a list or another object."""
    values = [None if lost else value for value, lost in zip(column, column.isna(), strict=True)]
    if not all(value is None or isinstance(value, _SINGLE) for value in values):
        return None
    return np.array([None if value is None else _text(value) for value in values], dtype=object)


def _text(value: Any) -> str:
    return text_of(value.item() if isinstance(value, np.generic) else value)
