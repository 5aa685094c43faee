"""Queries as sources of columns; which package, and which of several tables."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.data.readers import check_names
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted
from rosenblatt.data.sql.duck import Source, connect, explained

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["chosen_table", "described", "extra", "from_query", "imported"]


def from_query(
    query: str, where: str, na: tuple[str, ...], connection: "DuckDBPyConnection | None" = None, text: bool = False
) -> Source:
    """The rows a query selects."""
    return described(Source(where, connection or connect(), query.strip().rstrip(";"), [], [], text=text, na=na))


def described(source: Source) -> Source:
    """Ask DuckDB for names and types."""
    import duckdb

    try:
        cursor = source.cursor()
        relation = cursor.sql(source.query)
        if relation is None:
            raise Refused(f"{source.where}: the query selects nothing.")
        source.names, source.types = list(relation.columns), [str(kind) for kind in relation.types]
    except (duckdb.Error, RuntimeError) as error:  # a RuntimeError where a name is not text
        raise explained(source.where, str(error)) from None
    check_names(source.names, source.where)
    return source


def extra(module: str, name: str, where: str) -> Any:
    """A package that an extra of this one brings; without it, the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise Refused(f"{where} needs {module}: pip install 'rosenblatt[{name}]'.") from None


def imported(package: str, what: str) -> Any:
    """A package that only `what` needs; without it, the command that installs it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(f"{what} needs {package}, which is not installed: pip install {package}.") from None


def chosen_table(where: str, tables: Sequence[str], asked: str | None, what: str = "table") -> str:
    """The one of several tables that was asked for, or the only one."""
    if asked is None and len(tables) == 1:
        return tables[0]
    if not tables:
        raise Refused(f"{where} holds no {what}.")
    if asked is None or asked not in tables:
        lead = f"holds several {what}s" if asked is None else f"has no {what} {quoted(asked)}"
        file = where.partition("::")[0]
        or_so = "" if file == "-" else f", or {file}::NAME,"
        raise Refused(f"{where} {lead}; say ", Remedy("table", "NAME"), f"{or_so} with one of {column_list(tables)}.")
    return asked
