"""The columns of a file by name: for signals, concepts, points and the lab, which need no target and no encoding.

The rules are those of `open_table`. Nothing is guessed: every row has as many fields as the first line, a column is
numbers if every value written in it is a number, and anything else stays the text that it is.
"""

import io
import re
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers import Written
from rosenblatt.data.paths import Files, Told, found_files, locate, open_place, open_sources
from rosenblatt.data.readers import Place, Temporary, first_lines
from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.sql import LONG, Source, Writing, answered, look_at_digits
from rosenblatt.data.tables.learn import ReadingOptions, kinds_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["columns_in_floats", "columns_read", "open_columns", "read_columns"]

_NOTHING = Told()
Columns = dict[str, npt.NDArray[Any]]


def read_columns(
    path: Files,
    where: str = "",
    *,
    header: bool = True,
    connection: "DuckDBPyConnection | None" = None,
    most_rows: int | None = None,
    told: Told = _NOTHING,
    exact: str = "",
) -> Columns:
    r"""All columns, each an array: float64 (float32 where the file says so), bool, or objects for texts.

    A missing value is NaN among numbers and None among objects; truth values of which some are missing are objects.

    Parameters
    ----------
    path : path
        A file with columns, or several, as `open_table` takes them.
    where : str
        What the user calls it; its path, if nothing is said.
    header : bool
        Whether the first line of a text file must hold names. If not, a first line of numbers is the first row, and
        the columns are called 0, 1, …; blanks may then separate the fields.
    connection : DuckDB connection, optional
        The connection that reads a text file. For a stranger's file, give one that may open nothing else.
    most_rows : int, optional
        Read no more rows than this.
    told : Told
        What else was said of the file.
    exact : str, optional
        Refuse numbers that float64 does not hold, and say this: what takes them as they are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "pets.csv"
    ...     _ = file.write_text("weight,code\n4.1,0x10\n,16\n")
    ...     read_columns(file)
    {'weight': array([4.1, nan]), 'code': array(['0x10', '16'], dtype=object)}
    """
    source = open_columns(path, where, told if header else replace(told, header=None))
    if source.text:
        source.connection = connection or source.connection
    if exact:
        return columns_in_floats(source, told, exact, most_rows)
    return columns_read(source, source.names, _as_told(told), most_rows)


def _as_told(told: Told) -> ReadingOptions:
    return ReadingOptions(None, decimal=told.decimal, thousands=told.thousands)


def columns_in_floats(
    source: Source, told: Told, taken: str, most_rows: int | None = None, names: list[str] | None = None
) -> Columns:
    """As `columns_read`; numbers that float64 does not hold are refused, and `taken` says who takes them."""
    written: dict[str, Written] = {}
    found = columns_read(source, source.names if names is None else names, _as_told(told), most_rows, written)
    for name, numbers in written.items():
        texts, floats = numbers.texts(), numbers.floats().tolist()
        lost = [not isfinite(x) or Fraction(text) != Fraction(x) for text, x in zip(texts, floats, strict=True)]
        row = lost.index(True) if any(lost) else 0
        raise Refused(
            f"{source.where}: row {row + 1:,}, column {quoted(name)} is {texts[row].removesuffix('e0')}, which float64 "
            f"does not hold: round the column to 15 digits, or take a number away from all of it; {taken} as they are."
        )
    return found


def open_columns(path: Files, where: str = "", told: Told = _NOTHING) -> Source:
    """The source of the columns of a file, or of several; `columns_read` reads them."""
    names, together = found_files(path)
    where = where or together
    if len(names) > 1:
        source = open_sources(path, told)
    else:
        place = replace(locate(names[0], told), where=where)
        if place.kind == "csv" and told.header is None and _is_set_with_blanks(place.path, where):
            place, told = _with_commas(place), replace(told, delimiter=",")
        source = open_place(place, told)
    if not isinstance(source, Source):
        raise Refused(f"{where} has sparse rows without column names: there is no column to take by its name.")
    return source


def _with_commas(place: Place) -> Place:
    """A copy of a text file whose fields are separated by blanks, with commas for them."""
    text = re.sub(r"(?m)^[ \t]+|[ \t]+$", "", place.path.read_text(encoding="utf-8-sig"))
    copy = Temporary("csv").take(io.BytesIO(re.sub(r"[ \t]+", ",", text).encode()))
    return replace(place, path=Path(copy.name), keep=copy)


def columns_read(
    source: Source,
    names: list[str],
    options: ReadingOptions,
    most_rows: int | None = None,
    written: dict[str, Written] | None = None,
) -> Columns:
    """Columns of a source, as `read_columns` has them; the source then knows how they are written.

    A dictionary that is given as `written` gets the numbers of the columns that float64 does not hold.
    """
    import duckdb

    kinds = {source.place(name): kind for name, kind in kinds_of(source, names, options).items()}
    numbers = [i for i, kind in kinds.items() if kind == "number"]
    digits = {} if written is None else look_at_digits(source, numbers)
    writing = Writing(source, {i: kind for i, kind in digits.items() if kind == LONG})
    expressions = [f"{_expression(writing, i, kind)} AS c{i}" for i, kind in kinds.items()]
    expressions += [f"{part} AS part{k}" for k, part in enumerate(writing.parts())]
    wanted = ", ".join(expressions)
    limit = "" if most_rows is None else f" LIMIT {most_rows}"
    try:
        cursor, query = source.cursor(), f"SELECT {wanted} FROM {writing.relation(numbers)}{limit}"
        found = answered(cursor, lambda: cursor.execute(query).fetchnumpy())
    except (duckdb.Error, RuntimeError) as error:
        raise source.refusal(error) from None
    if not len(next(iter(found.values()))):
        raise Refused(f"{source.where} has a header and no rows.")
    found_long = {} if written is None else written
    for k, i in enumerate(writing.long):
        parts = [np.asarray(found[f"part{3 * k + part}"]) for part in range(3)]
        found_long[source.names[i]] = Written(*(part.astype(np.int64) for part in parts))
    return {source.names[i]: _unmasked(found[f"c{i}"], kind) for i, kind in kinds.items()}


def _expression(writing: Writing, i: int, kind: str) -> str:
    if kind == "number":
        return f"c{i}" if writing.source.types[i] == "FLOAT" else writing.number(i)
    return f"CAST(c{i} AS {'BOOLEAN' if kind == 'boolean' else 'VARCHAR'})"


def _unmasked(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """The values without a mask: a missing value is NaN among numbers, else None."""
    if kind == "number":
        return np.asarray(np.ma.filled(values, np.nan))
    if kind == "boolean" and not np.ma.is_masked(values):
        return np.asarray(values, dtype=np.bool_)
    out = np.empty(len(values), dtype=object)
    out[:] = np.ma.getdata(values)
    out[np.ma.getmaskarray(values)] = None
    return out


def _is_set_with_blanks(path: Path, where: str) -> bool:
    """Whether the first line has no other separator than blanks."""
    first = first_lines(path, where).strip().split("\n", 1)[0].strip()
    return " " in first and not any(separator in first for separator in ',;|"')
