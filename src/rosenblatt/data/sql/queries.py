"""Queries and frames as sources of columns."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.data.numbers import array_of, column_names, plain_floats, refuse_lazy, texts_of_numbers
from rosenblatt.data.readers import check_names
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted
from rosenblatt.data.sql.duck import Source, connect, explained
from rosenblatt.data.sql.pandas_columns import readable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["chosen_table", "extra", "from_frame", "from_query", "imported"]


def from_query(
    query: str, where: str, na: tuple[str, ...], connection: "DuckDBPyConnection | None" = None, text: bool = False
) -> Source:
    """The rows a query selects."""
    return _described(Source(where, connection or connect(), query.strip().rstrip(";"), [], [], text=text, na=na))


def _described(source: Source) -> Source:
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


def from_frame(frame: Any, where: str, na: tuple[str, ...]) -> Source:
    """A pandas or polars frame, an Arrow table, or a dict of arrays; what DuckDB can read is not copied."""
    refuse_lazy(frame)
    names = list(frame) if isinstance(frame, dict) else column_names(frame)
    if names is None and hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "dtype"):  # a Series has one too
        frame = extra("pyarrow", "arrow", where).table(frame)
        names = list(frame.column_names)
    if names is None:
        raise Refused(f"{where} is a {type(frame).__name__}; a table is a pandas or polars frame or an Arrow table.")
    check_names([str(name) for name in names], where)
    levels: dict[int, tuple[str, ...]] = {}
    written: frozenset[int] = frozenset()
    if hasattr(frame, "iloc"):
        frame = frame.set_axis([f"c{i}" for i in range(len(names))], axis=1)  # DuckDB knows no case and no numbers
        levels, written = readable(frame, where, [str(name) for name in names])
    elif isinstance(frame, dict):
        frame, written = _readable_arrays(frame, where)
    elif type(frame).__module__.startswith("polars"):
        enums = [(i, kind) for i, kind in enumerate(frame.dtypes) if type(kind).__name__ == "Enum"]
        levels = {i: tuple(kind.categories) for i, kind in enums}
        frame, written = _readable_polars(frame, where)
    elif type(frame).__module__.startswith("pyarrow"):
        frame, written = _readable_arrow(frame)
    source = Source(where, connect(), "SELECT * FROM frame", [], [], na=na, frames={"frame": frame})
    _described(source)
    source.names, source.levels, source.written = [str(name) for name in names], levels, written
    return source


def _readable_arrays(frame: dict[Any, Any], where: str) -> tuple[dict[str, Any], frozenset[int]]:
    """Arrays that DuckDB reads as what they are, and the columns that are texts of numbers."""
    arrays, written = {}, set()
    for i, (name, values) in enumerate(frame.items()):
        array = plain_floats(array_of(values), where, str(name))
        texts = texts_of_numbers(array.tolist(), where, str(name)) if array.dtype == object else None
        if texts is not None:
            written.add(i)
        arrays[f"c{i}"] = array if texts is None else texts
    return arrays, frozenset(written)


def _readable_polars(frame: Any, where: str) -> tuple[Any, frozenset[int]]:
    """The frame with texts for numbers that DuckDB cannot read: of 128 bits, and Python's."""
    polars, written = import_module("polars"), set()
    for i, (name, kind) in enumerate(zip(frame.columns, map(str, frame.dtypes), strict=True)):
        texts = None
        if kind in ("Int128", "UInt128"):
            texts = frame[name].cast(polars.String)
        elif kind.startswith("Object") and (found := texts_of_numbers(frame[name].to_list(), where, name)) is not None:
            texts = polars.Series(name, found.tolist(), dtype=polars.String)
        if texts is not None:
            frame = frame.with_columns(texts.alias(name))
            written.add(i)
    return frame, frozenset(written)


def _readable_arrow(table: Any) -> tuple[Any, frozenset[int]]:
    """The table with texts for decimals, and float32 for floats, that DuckDB cannot read."""
    arrow, written = import_module("pyarrow"), set()
    for i, one in enumerate(getattr(table, "schema", ())):
        if one.type == arrow.float16():
            table = table.set_column(i, one.name, table.column(i).cast(arrow.float32()))
        elif arrow.types.is_decimal256(one.type):
            table = table.set_column(i, one.name, table.column(i).cast(arrow.string()))
            written.add(i)
    return table, frozenset(written)


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
