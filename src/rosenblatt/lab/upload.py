"""A visitor's own table: CSV text in, columns out. DuckDB parses it and can reach nothing but that one file."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.data.readers import as_utf8
from rosenblatt.data.sql import confined
from rosenblatt.data.tables import read_columns
from rosenblatt.lab.packing import pack
from rosenblatt.lab.simulation import FARTHEST

__all__ = ["Upload", "packed_upload", "read_upload"]

_MOST_ROWS = 500_000
_MOST_COLUMNS = 500
_MOST_LEVELS = 20  # different values up to which a column can be the class


@dataclass(frozen=True)
class Upload:
    """Columns of numbers (features), columns of few values (possible classes, as codes), and what was left out."""

    name: str
    rows: int
    numbers: dict[str, Floats]
    levels: dict[str, list[str]]
    codes: dict[str, npt.NDArray[np.int32]]
    ignored: list[str]
    incomplete: int  # rows left out because a cell is empty

    def packed(self, target: str | None = None) -> bytes:
        """The table as bytes for the page; `target` is the column that is the class."""
        if target is not None and target not in self.levels:
            raise ValueError(
                f'{self.name}: "{target}" cannot be the class; columns with two to {_MOST_LEVELS} different values are '
                f"{', '.join(self.levels)}."
            )
        header = {
            "name": self.name,
            "rows": self.rows,
            "numbers": [*self.numbers],
            "levels": self.levels,
            "ignored": self.ignored,
            "incomplete": self.incomplete,
            "target": target,
        }
        numbers = {f"number {name}": values for name, values in self.numbers.items()}
        return pack(header, numbers | {f"code {name}": codes for name, codes in self.codes.items()})


def read_upload(content: bytes, name: str = "the table") -> Upload:
    r"""Parse CSV (or TSV); what cannot be used is refused in a sentence.

    >>> table = read_upload(b"width,kind\n1.5,A\n2.5,B\n,B\n")
    >>> table.numbers, table.levels, table.incomplete
    ({'width': array([1.5, 2.5])}, {'width': ['1.5', '2.5'], 'kind': ['A', 'B']}, 1)
    """
    if not content:
        raise ValueError(f"{name} is empty: a table begins with a line of column names.")
    if b"\x00" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):  # the marks of UTF-16
        raise ValueError(f"{name} is not text: save it as CSV first.")
    columns = _parse(content, name)
    empty = [np.isnan(v) if v.dtype.kind == "f" else [one is None for one in v] for v in columns.values()]
    missing = np.logical_or.reduce(empty)
    numbers, levels, codes = {}, {}, {}
    for column, values in columns.items():
        complete = values[~missing]
        if complete.dtype.kind == "f":
            _refuse_far(complete, name, column)
            numbers[column] = complete
        different, places = np.unique(complete, return_inverse=True)
        if 2 <= len(different) <= _MOST_LEVELS:
            levels[column] = [_level_name(v) for v in different.tolist()]
            codes[column] = places.astype(np.int32).ravel()
    if missing.all():
        raise ValueError(f"{name}: every row has an empty cell; fill them, or leave columns out.")
    if not levels or len(numbers.keys() | levels.keys()) < 2:
        raise ValueError(
            f"{name} needs a column with two to {_MOST_LEVELS} different values to be the class, and another of numbers"
            f" or such values to learn from; its columns are {', '.join(columns)}."
        )
    ignored = [column for column in columns if column not in numbers and column not in levels]
    return Upload(name, int(np.sum(~missing)), numbers, levels, codes, ignored, int(missing.sum()))


def packed_upload(content: bytes) -> bytes:
    """What the server and the notebook do with an upload."""
    return read_upload(content, "the file").packed()


def _parse(content: bytes, name: str) -> dict[str, Any]:
    """Each column as numbers (float64, NaN where missing) or texts (objects, None where missing)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        file.write_bytes(content)
        converted, _ = as_utf8(file, name, None)  # here: the DuckDB below can reach nothing else
        if converted is not None:
            file.write_bytes(Path(converted.name).read_bytes())
        with confined(reaches=str(file)) as connection:
            taken = "rosenblatt check takes such numbers"
            columns = read_columns(file, name, connection=connection, most_rows=_MOST_ROWS + 1, exact=taken)
    if len(columns) > _MOST_COLUMNS:
        raise ValueError(f"{name} has {len(columns)} columns; the lab takes {_MOST_COLUMNS}.")
    if len(next(iter(columns.values()))) > _MOST_ROWS:
        raise ValueError(
            f"{name} has more than {_MOST_ROWS:,} rows, the most the lab reads; rosenblatt check takes all."
        )
    names = {True: "true", False: "false"}  # truths with gaps come as objects
    return {
        column: values
        if values.dtype.kind == "f"
        else np.array([names.get(v, v) for v in values.tolist()], dtype=object)
        for column, values in columns.items()
    }


def _refuse_far(values: Floats, name: str, column: str) -> None:
    """Infinite values, and those that overflow when the page scales the column."""
    bad = np.flatnonzero(np.abs(values) > FARTHEST)
    if bad.size:
        what = "an infinite value" if np.isinf(values[bad[0]]) else f"a value above {FARTHEST:g}"
        raise ValueError(f'{name}: column "{column}" has {what}, complete row {bad[0] + 1}: take it out first.')


def _level_name(value: str | float) -> str:
    """A level as a person would write it: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
