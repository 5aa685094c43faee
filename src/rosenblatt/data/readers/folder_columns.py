"""Columns in the names of folders: the rows of year=2023/part.parquet have a column year, which is 2023.

Values are texts whose looks decide what they are, as in a text file. Where all files of a table lie in the same such
folder, its column is set aside: it tells no row from another, and becomes a column when it is asked for by its name.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.sql import Source, literal

__all__ = ["Values", "columns_of_folders", "differing", "folder_of", "refuse_contradiction", "set_aside"]

_MISSING = ("", "__HIVE_DEFAULT_PARTITION__")  # how programs write that a value is missing

Values = dict[str, str | None]


def columns_of_folders(name: str | os.PathLike[str]) -> Values:
    """The columns that the folders of a path name, with their values; None is a missing one.

    >>> columns_of_folders("rows/year=2023/place=S%C3%A3o Paulo/part.parquet")
    {'year': '2023', 'place': 'São Paulo'}
    """
    found: Values = {}
    for folder in Path(os.path.normpath(os.path.dirname(os.fspath(name)))).parts:
        column, sign, written = folder.partition("=")
        if not sign or not column.strip():
            continue
        column, value = _decoded(column, folder), _decoded(written, folder)
        value_or_none = None if value in _MISSING else value
        if found.get(column, value_or_none) != value_or_none:
            raise Refused(
                f"{name}: two of its folders say what the column {quoted(column)} is, {quoted(str(found[column]))} and "
                f"{quoted(value)}: rename one."
            )
        found[column] = value_or_none
    return found


def _decoded(text: str, folder: str) -> str:
    """A name or a value without the signs (%2F) that stand for those which a folder's name may not have."""
    decoded = unquote(text)
    try:
        decoded.encode()
    except UnicodeEncodeError:
        decoded = "\x00"
    if "\x00" in decoded:
        raise Refused(f"the folder {quoted(folder)} names a column, and is not UTF-8 text: rename it.")
    return decoded


def folder_of(name: str | os.PathLike[str], column: str) -> str:
    """The folder of a path that says what a column is, as a sentence names it."""
    parts = Path(os.path.normpath(os.path.dirname(os.fspath(name)))).parts
    ends = [k for k, part in enumerate(parts) if unquote(part.partition("=")[0]) == column and "=" in part]
    return str(Path(*parts[: ends[-1] + 1])) if ends else column


def differing(all_values: Iterable[Values]) -> list[str]:
    """The columns of which files have different values, or which some files do not have."""
    found: dict[str, set[str | None]] = {}
    files = 0
    counts: dict[str, int] = {}
    for files, values in enumerate(all_values, 1):  # noqa: B007 (their number is wanted)
        for column, value in values.items():
            found.setdefault(column, set()).add(value)
            counts[column] = counts.get(column, 0) + 1
    return [column for column, different in found.items() if len(different) > 1 or counts[column] < files]


def set_aside(source: Source, name: str) -> None:
    """Note the values of a file's folders; a column of the file itself must not contradict them."""
    for column, value in columns_of_folders(name).items():
        if column in source.names:
            said = "NULL" if value is None else literal(value)
            refuse_contradiction(source, column, said, literal(name))
        else:
            source.aside[column] = value


def refuse_contradiction(source: Source, column: str, said: str, file: str) -> None:
    """Refuse a column of a file whose values are not what its folder says; `said` and `file` are SQL."""
    own = f"CAST(c{source.place(column)} AS VARCHAR)"
    number = f"TRY_CAST({own} AS DOUBLE) = TRY_CAST({said} AS DOUBLE)"  # 01 is 1
    same = f"({own} IS NOT DISTINCT FROM {said} OR coalesce({number}, false))"
    for name, value in source.select(f"SELECT {file}, {own} FROM {source.relation()} WHERE NOT {same} LIMIT 1"):
        what = "no value" if value is None else quoted(value)
        raise Refused(
            f"{name}: its column {quoted(column)} has {what} in a row, and its folder {folder_of(name, column)} says "
            f"otherwise: rename the folder or the column."
        )
