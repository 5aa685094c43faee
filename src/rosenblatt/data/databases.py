"""Database files: DuckDB's own by DuckDB, SQLite's by Python (DuckDB would have to download its reader)."""

import sqlite3
from contextlib import closing
from itertools import islice

from rosenblatt.data.cells import from_cells
from rosenblatt.data.duck import Source, explained, identifier, started
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.queries import chosen_table, from_query
from rosenblatt.data.refusal import Refused

__all__ = ["open_duckdb", "open_sqlite"]

_MANY = 50_000  # rows fetched at a time


def open_duckdb(place: Place, told: Told) -> Source:
    """A table, a view or a query of a DuckDB database file, opened for reading only."""
    import duckdb

    try:
        connection = started(str(place.path))
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
    except duckdb.Error as error:
        raise explained(place.where, str(error)) from None
    query = told.sql or f"SELECT * FROM {identifier(chosen_table(place.where, tables, place.inner))}"
    return from_query(query, place.where, told.na, connection)


def open_sqlite(place: Place, told: Told) -> Source:
    """A table, a view or a query of a SQLite database file, opened for reading only."""
    try:
        with closing(sqlite3.connect(f"{place.path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
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
            columns: list[list[object]] = [[] for _ in names]
            while rows := list(islice(cursor, _MANY)):
                for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                    column.extend(values)
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError) as error:
        raise Refused(f"{place.where} cannot be read: {str(error).rstrip('.')}.") from None
    return from_cells(names, columns, place.where, told.na)
