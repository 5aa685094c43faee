"""Columns of single values (cells of a sheet, fields of a database) as columns of one kind each.

A column whose values are all numbers, all truth values, all dates or all texts is just that. One with several kinds is
taken as the texts that a person would write, and their looks decide, as in a text file: so one stray text among
numbers is named with its row.
"""

import datetime
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.readers.text import named
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import Source, from_frame
from rosenblatt.data.understood import header_in_words
from rosenblatt.data.wording import is_whole, text_of

__all__ = ["from_cells"]

_LONGEST = 1 << 63  # whole numbers of 64 bits lie below


def from_cells(
    names: Sequence[Any],
    columns: Sequence[list[Any]],
    where: str,
    na: tuple[str, ...],
    whole: bool = False,
    single: Collection[int] = (),
) -> Source:
    """A source of these columns, in which None is missing.

    With `whole`, a column of floats that are all whole numbers is one of whole numbers: for files that know no others.
    The floats of the columns in `single` have 32 bits.
    """
    called = [text_of(name) for name in names]
    places = named(called, where)
    if not columns or not columns[0]:
        raise Refused(f"{where} has a header and no rows.")
    arrays = [_cell_column(columns[k], whole) for k in places]
    for i, k in enumerate(places):
        if k in single and arrays[i][0].dtype == np.float64:
            arrays[i] = (arrays[i][0].astype(np.float32), arrays[i][1])
    source = from_frame({called[k]: array for k, (array, _) in zip(places, arrays, strict=True)}, where, na)
    source.written |= frozenset(i for i, (_, written) in enumerate(arrays) if written)
    others = sorted(set(range(len(columns))) - set(places))
    nameless = [k for k in others if any(value is not None for value in columns[k])]
    source.notes = header_in_words(nameless, [])
    return source


def _cell_column(values: list[Any], whole: bool) -> tuple[npt.NDArray[Any], bool]:
    """One column, and whether it is of several kinds and therefore written out."""
    kinds = {_cell_kind(value) for value in values if value is not None}
    if kinds <= {"whole", "number", "longer"}:
        if "longer" in kinds and kinds != {"longer", "whole"}:
            return _cell_objects(values), False
        return _cell_numbers(values, whole or "number" not in kinds)
    if kinds == {"boolean"}:
        return np.ma.masked_array([bool(v) for v in values], [v is None for v in values]), False
    if kinds == {"date"}:
        return np.array(values, dtype="datetime64[us]"), False
    if kinds in ({"text"}, {"bytes"}):
        return _cell_objects(values), False
    return _cell_objects([None if value is None else text_of(value) for value in values]), True


def _cell_objects(values: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _cell_kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "whole" if abs(value) <= 1 << 53 else "longer" if -_LONGEST <= value < _LONGEST else "text"
    if isinstance(value, float):
        return "number"
    if isinstance(value, datetime.date):  # a datetime is one too
        return "date"
    return "bytes" if isinstance(value, bytes) else "text"


def _cell_numbers(values: list[Any], whole: bool) -> tuple[npt.NDArray[Any], bool]:
    """A column of numbers: whole numbers with a mask for what is missing, or floats."""
    lost = [value is None or value != value for value in values]
    present = [value for value, away in zip(values, lost, strict=True) if not away]
    if present and whole and all(isinstance(value, int) or is_whole(value) for value in present):
        filled = [0 if away else int(value) for value, away in zip(values, lost, strict=True)]
        return np.ma.masked_array(np.array(filled, dtype=np.int64), lost), False
    return np.array([np.nan if away else value for value, away in zip(values, lost, strict=True)], np.float64), False
