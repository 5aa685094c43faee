"""The columns of a file by name: for signals, concepts, points and the lab, which need no target and no encoding.

The rules are those of `open_table`. Nothing is guessed: every row has as many fields as the first line, a column is
numbers if every value written in it is a number, and anything else stays the text that it is.
"""

import re
import tempfile
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.duck import Source
from rosenblatt.data.learn import kinds_of
from rosenblatt.data.places import Place, locate
from rosenblatt.data.refusal import Refused, column_list, quoted
from rosenblatt.data.sources import Files, Told, found_files, open_place, open_sources
from rosenblatt.data.text import head, open_csv

__all__ = ["matching_columns", "read_columns", "read_source"]

_NOTHING = Told()
Columns = dict[str, npt.NDArray[Any]]


def read_columns(
    path: Files,
    where: str = "",
    *,
    header: bool = True,
    connection: Any = None,
    most_rows: int | None = None,
    told: Told = _NOTHING,
) -> Columns:
    r"""All columns, each an array: float64 (float32 where the file says so), bool, or objects for texts.

    What is missing is NaN among numbers and None among objects; truth values of which some are missing are objects.

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
        Who reads a text file: one that may open nothing else, where the file is a stranger's.
    most_rows : int, optional
        Read no more rows than this.
    told : Told
        What else was said of the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "pets.csv"
    ...     _ = file.write_text("weight,code\n4.1,0x10\n,16\n")
    ...     read_columns(file)
    {'weight': array([4.1, nan]), 'code': array(['0x10', '16'], dtype=object)}
    """
    return read_source(path, where, header, connection, most_rows, told)[0]


def read_source(
    path: Files,
    where: str = "",
    header: bool = True,
    connection: Any = None,
    most_rows: int | None = None,
    told: Told = _NOTHING,
) -> tuple[Columns, Source]:
    """The same, and the source that the columns came from, which knows how they are written."""
    names, together = found_files(path)
    where = where or together
    if len(names) > 1:
        source = open_sources(path, told).source
    else:
        place = replace(locate(names[0], told.format, told.table, told.progress), where=where)
        if place.kind == "csv" and not header and _is_set_with_blanks(place.path, where):
            return _of_blanks(place, most_rows)
        source = open_place(place, replace(told, header=header)).source
    if source is None:
        raise Refused(f"{where} has sparse rows without column names: there is no column to take by its name.")
    if source.text:
        source.connection = connection or source.connection
    return _columns(source, most_rows, told), source


def _of_blanks(place: Place, most_rows: int | None) -> tuple[Columns, Source]:
    """The columns of a text file whose fields are separated by blanks."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "blanks.csv"
        copy.write_text(re.sub(r"[ \t]+", ",", re.sub(r"(?m)^[ \t]+|[ \t]+$", "", _whole_text(place.path))))
        source = open_csv(copy, place.where, ",", header=False)
        return _columns(source, most_rows, _NOTHING), source


def matching_columns(path: Files, patterns: list[str], told: Told = _NOTHING) -> list[str]:
    """The names of the columns that match one of some patterns, such as "y*"."""
    names = list(read_columns(path, most_rows=1, told=told))
    found = [name for name in names if any(fnmatchcase(name, one) for one in patterns)]
    if not found:
        asked = " or ".join(map(quoted, patterns))
        raise Refused(f"{path} has no column that is called {asked}; its columns are {column_list(names)}.")
    return found


def _columns(source: Source, most_rows: int | None, told: Told) -> Columns:
    import duckdb

    kinds = kinds_of(source, told.decimal, told.thousands)
    numbers = [i for i, kind in enumerate(kinds) if kind == "number"]
    wanted = ", ".join(f"{_expression(source, i, kind)} AS c{i}" for i, kind in enumerate(kinds))
    limit = "" if most_rows is None else f" LIMIT {most_rows}"
    try:
        found = source.cursor().execute(f"SELECT {wanted} FROM {source.relation(numbers)}{limit}").fetchnumpy()
    except duckdb.Error as error:
        raise source.refusal(error) from None
    if not len(found["c0"]):
        raise Refused(f"{source.where} has a header and no rows.")
    return {name: _plain(found[f"c{i}"], kind) for i, (name, kind) in enumerate(zip(source.names, kinds, strict=True))}


def _expression(source: Source, i: int, kind: str) -> str:
    if kind == "number":
        return f"c{i}" if source.types[i] == "FLOAT" else source.number(i)
    return f"CAST(c{i} AS {'BOOLEAN' if kind == 'boolean' else 'VARCHAR'})"


def _plain(values: Any, kind: str) -> npt.NDArray[Any]:
    """Without a mask: what is missing is NaN, or None."""
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
    first = head(path, where).strip().split("\n", 1)[0].strip()
    return " " in first and not any(separator in first for separator in ',;|"')


def _whole_text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")
