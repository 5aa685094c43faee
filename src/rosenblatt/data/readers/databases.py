"""Database files: DuckDB's own by DuckDB, SQLite's by Python (DuckDB would have to download its reader).

A database is a program too: its views run when they are read. Both readers let it select from itself and do no more.
"""

import re
import sqlite3
import time
from contextlib import closing
from itertools import islice

from rosenblatt.context import Unfinished
from rosenblatt.data.readers.cells import from_cells
from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.refusal import Refused, chosen_table
from rosenblatt.data.sql import Source, confined, explained, from_query, identifier

__all__ = ["open_duckdb", "open_sqlite"]

_MANY = 5_000  # rows fetched at a time
_STEPS = 100_000  # of SQLite's machine between two looks at the clock, a few milliseconds
_MOST_CELLS = 50_000_000  # that a view or a query may make of a smaller file; a table has no more cells than bytes
_SELECTING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_PREPARED = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)  # by search indexes, and never run
_HARMLESS = ("data_version", "table_info", "table_xinfo", "page_size")  # pragmas that search indexes ask themselves
_HARMFUL = ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer")  # functions of some SQLites


def open_duckdb(place: Place, told: Told) -> Source:
    """A table, a view or a query of a DuckDB database file, opened for reading only."""
    import duckdb

    try:
        connection = confined(str(place.path))
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
    except duckdb.Error as error:
        raise explained(place.where, str(error)) from None
    query = told.sql or f"SELECT * FROM {identifier(chosen_table(place.where, tables, place.inner))}"
    return from_query(query, place.where, told.na, connection)


def open_sqlite(place: Place, told: Told) -> Source:
    """A table, a view or a query of a SQLite database file, opened for reading only."""
    try:
        with closing(_only_selecting(f"{place.path.absolute().as_uri()}?mode=ro", told.deadline)) as connection:
            tables = [
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                    "ESCAPE '\\' ORDER BY name"
                )
            ]
            query = told.sql or f"SELECT * FROM {identifier(chosen_table(place.where, tables, place.inner))}"
            cursor = connection.execute(query)
            if cursor.description is None:
                raise Refused(f"{place.where}: the query selects nothing.")
            names = [column[0] for column in cursor.description]
            columns = _fetched(cursor, place)
    except sqlite3.OperationalError as error:
        if told.deadline is not None and time.monotonic() > told.deadline:
            raise Unfinished(
                f"{place.where}: the time limit was reached while a view or a query of this database was computed"
            ) from None
        if str(error) == "interrupted":  # by Ctrl-C, which SQLite takes for its own
            raise KeyboardInterrupt from None
        raise _what_sqlite_said(place, error) from None
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError) as error:
        raise _what_sqlite_said(place, error) from None
    return from_cells(names, columns, place.where, told.na)


def _what_sqlite_said(place: Place, error: Exception) -> Refused:
    """What SQLite said, in a sentence."""
    said = str(error).rstrip(".")
    if re.search("not authorized|authorization denied|prohibited|unsafe use|readonly", said):
        return Refused(
            f"{place.where}: a view or a query of this database asks for more than to select from its tables ({said}), "
            f"which is not done for it: copy the rows into a table of the database."
        )
    return Refused(f"{place.where} cannot be read: {said}.")


def _only_selecting(uri: str, deadline: float | None = None) -> sqlite3.Connection:
    """A connection on which nothing but SELECT is done, whoever asks for it: the user, or a view of the file.

    The file must be opened for reading only, since the authorizer lets statements that write be prepared.
    """
    connection = sqlite3.connect(uri, uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")  # views call no function that could reach beyond the file
    connection.set_authorizer(_allowed)
    # a view may never end: it is stopped by the clock, and by Ctrl-C, which Python sees between the steps
    connection.set_progress_handler(lambda: deadline is not None and time.monotonic() > deadline, _STEPS)
    return connection


def _allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """What SQLite asks before it prepares a statement; a pragma's name is the first word, a function's the second."""
    harmless = action in _PREPARED or (action == sqlite3.SQLITE_PRAGMA and first in _HARMLESS)
    harmful = action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _HARMFUL
    return sqlite3.SQLITE_OK if harmless or (action in _SELECTING and not harmful) else sqlite3.SQLITE_DENY


def _fetched(cursor: sqlite3.Cursor, place: Place) -> list[list[object]]:
    """All rows, column by column; a view without an end (a recursion) is refused before it fills the memory."""
    columns: list[list[object]] = [[] for _ in cursor.description]
    most = max(_MOST_CELLS, place.path.stat().st_size)
    while rows := list(islice(cursor, _MANY)):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
        if len(columns) * len(columns[0]) > most:
            raise Refused(
                f"{place.where}: the view or the query gives more than {most:,} cells, which is more than the file "
                f"holds; select fewer rows, or copy them into a table of the database."
            )
    return columns
