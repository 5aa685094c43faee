"""The table the lab is started with: a file in, columns out. lab-ui/src/tablefile.ts reads a visitor's CSV alike."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.data.refusal import Refused
from rosenblatt.data.tables import read_columns
from rosenblatt.lab.packing import pack
from rosenblatt.lab.simulation import FARTHEST

__all__ = ["Upload", "read_upload"]

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


def read_upload(path: Path) -> Upload:
    r"""Read a file of any format that has columns; what cannot be used is refused in a sentence.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("width,kind\n1.5,A\n2.5,B\n,B\n")
    ...     table = read_upload(file)
    >>> table.numbers, table.levels, table.incomplete
    ({'width': array([1.5, 2.5])}, {'width': ['1.5', '2.5'], 'kind': ['A', 'B']}, 1)
    """
    name = path.name
    columns = _file_columns(path, name)
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


def _file_columns(path: Path, name: str) -> dict[str, Any]:
    """Each column as numbers (float64, NaN where missing) or texts (objects, None where missing)."""
    taken = "rosenblatt check takes such numbers"
    try:
        columns = read_columns(path, name, most_rows=_MOST_ROWS + 1, exact=taken)
    except Refused as why:  # the lab has no options to say more
        more = "" if why.problem == str(why) else " Write the table anew; rosenblatt check can be told how to read it."
        raise ValueError(why.problem + more) from None
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
