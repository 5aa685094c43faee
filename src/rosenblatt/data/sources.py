"""Files, queries and frames as sources of columns. The name says what a file is, unless `format` does."""

import contextlib
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.compression import compression_of
from rosenblatt.data.duck import Source, connect, explained, identifier, literal, pattern_free
from rosenblatt.data.libsvm import Chunk, read_chunks
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted
from rosenblatt.data.rows import column_names, refuse_lazy
from rosenblatt.data.text import check_names, head, open_csv

__all__ = [
    "FORMATS",
    "Spool",
    "check_readable",
    "format_of",
    "from_frame",
    "from_query",
    "open_source",
    "parquet_files",
    "sparse_chunks",
]

_SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab", ".txt", ".data"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson"),
    "duckdb": (".duckdb", ".ddb", ".db"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "npy": (".npy",),
    "npz": (".npz",),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
}
FORMATS = tuple(_SUFFIXES)
_PACKED = (".gz", ".zst", ".zstd")
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz"}


def format_of(path: Path, where: str, given: str | None) -> str:
    """What a file is: what the user says, what its name says; of standard input, what its first bytes say."""
    if given is not None:
        if given not in FORMATS:
            raise Refused(f"format must be one of {', '.join(FORMATS)}; it is {given!r}.")
        return given
    if where == "-":
        return _by_content(path)
    if path.is_dir():
        return "parquet"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    for name, endings in _SUFFIXES.items():
        if suffixes and suffixes[-1] in endings:
            return name
    raise Refused(f"{where}: the name does not say what the file is; say ", Remedy("format", *FORMATS), ".")


def parquet_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The Parquet files of a folder and of those in it, in the order of their names."""
    return sorted(Path(folder).rglob("*.parquet"))


def _by_content(path: Path) -> str:
    with open(path, "rb") as file:
        start = file.read(8)
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    return "jsonl" if head(path, "standard input").lstrip().startswith("{") else "csv"


class Spool:
    """Standard input in a temporary file, which goes when nothing refers to it any more, at the latest at the end.

    DuckDB reads nothing from a pipe, and says nothing about it.
    """

    def __init__(self) -> None:
        handle, self.name = tempfile.mkstemp(prefix="rosenblatt-", suffix=".stdin")
        self.close = weakref.finalize(self, os.unlink, self.name)
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)


def open_source(
    path: Path, where: str, kind: str, delimiter: str | None, na: tuple[str, ...], table: str | None, sql: str | None
) -> Source:
    """A file of one of the formats that have columns."""
    if kind == "csv":
        return open_csv(path, where, delimiter, na)
    if kind == "duckdb":
        return _from_database(path, where, table, sql, na)
    readers: dict[str, Callable[[Path, str, tuple[str, ...]], Source]] = {
        "parquet": _from_parquet,
        "jsonl": _from_json_lines,
        "arrow": _from_arrow,
        "npy": _from_npy,
        "npz": _from_npz,
    }
    return readers[kind](path, where, na)


# ------------------------------------------------------------------------------------------------------------ queries


def from_query(query: str, where: str, na: tuple[str, ...], connection: Any = None, text: bool = False) -> Source:
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
    except (duckdb.Error, RuntimeError) as error:  # a name that is no text comes as the latter
        raise explained(source.where, str(error)) from None
    check_names(source.names, source.where)
    return source


def _from_database(path: Path, where: str, table: str | None, sql: str | None, na: tuple[str, ...]) -> Source:
    """A table, a view or a query of a DuckDB database file, opened for reading only."""
    import duckdb

    try:
        connection = duckdb.connect(str(path), read_only=True, config={"autoinstall_known_extensions": False})
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
    except duckdb.Error as error:
        raise explained(where, str(error)) from None
    if sql is not None:
        return from_query(sql, where, na, connection)
    if table is None and len(tables) == 1:
        table = tables[0]
    if table is None or table not in tables:
        lead = "holds several tables" if table is None else f"has no table {table!r}"
        if not tables:
            raise Refused(f"{where} holds no table.")
        raise Refused(f"{where} {lead}; say ", Remedy("table", "NAME"), f" with one of {column_list(tables)}.")
    return from_query(f"SELECT * FROM {identifier(table)}", where, na, connection)


def _from_parquet(path: Path, where: str, na: tuple[str, ...]) -> Source:
    """A file, or all those of a folder, which have the columns of the first."""
    files = [literal(pattern_free(str(file))) for file in (parquet_files(path) if path.is_dir() else [path])]
    source = from_query(f"SELECT * FROM read_parquet([{', '.join(files)}], hive_partitioning=false)", where, na)
    schema = source.select(f"SELECT name, num_children FROM parquet_schema({files[0]})")[1:]
    if not any(children for _, children in schema):
        source.names = [name for name, _ in schema]  # as they are in the file: DuckDB renames duplicates
        check_names(source.names, where)
    return source


def _from_json_lines(path: Path, where: str, na: tuple[str, ...]) -> Source:
    """One object a line; all lines are looked at for their keys, and values are taken as they are written."""
    file = literal(pattern_free(str(path)))
    packing = {"none": "none", "gzip": "gzip", "zstd": "zstd"}[compression_of(path)]
    options = f"format='newline_delimited', compression='{packing}'"
    if not head(path, where).strip():
        raise Refused(f"{where} is empty: a line of JSON lines holds an object.")
    found = from_query(f"SELECT * FROM read_json({file}, {options}, sample_size=-1, records=true)", where, na)
    for name, kind in zip(found.names, found.types, strict=True):
        if kind.startswith(("STRUCT", "MAP")) or kind.endswith("]"):
            raise Refused(f"{where}: column {name!r} holds objects or lists; flatten it in a query.")
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in found.names)
    query = f"SELECT * FROM read_json({file}, {options}, columns={{{columns}}})"
    return from_query(query, where, na, found.connection, text=True)


# ------------------------------------------------------------------------------------------------------------- frames


def from_frame(frame: Any, where: str, na: tuple[str, ...]) -> Source:
    """A pandas or polars frame, an Arrow table, or a dict of arrays; nothing is copied."""
    refuse_lazy(frame)
    names = list(frame) if isinstance(frame, dict) else column_names(frame)
    if names is None and hasattr(frame, "__arrow_c_stream__"):
        pyarrow = _pyarrow(where)
        frame = pyarrow.table(frame)
        names = list(frame.column_names)
    if names is None:
        raise Refused(f"{where} is a {type(frame).__name__}; a table is a pandas or polars frame or an Arrow table.")
    check_names([str(name) for name in names], where)
    if hasattr(frame, "iloc"):
        frame = frame.set_axis([f"c{i}" for i in range(len(names))], axis=1)  # DuckDB knows no case and no numbers
    source = Source(where, connect(), "SELECT * FROM frame", [], [], na=na, frames={"frame": frame})
    _described(source)
    source.names = [str(name) for name in names]
    return source


def _pyarrow(where: str) -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise Refused(f"{where} needs pyarrow: pip install 'rosenblatt[arrow]'.") from None


def _from_arrow(path: Path, where: str, na: tuple[str, ...]) -> Source:
    """Arrow IPC, the file or the stream format, memory-mapped."""
    pyarrow, ipc = _pyarrow(where), import_module("pyarrow.ipc")
    try:
        mapped = pyarrow.memory_map(str(path))
        with contextlib.suppress(pyarrow.ArrowInvalid):
            return from_frame(_sound(ipc.open_file(mapped).read_all()), where, na)
        mapped.seek(0)
        return from_frame(_sound(ipc.open_stream(mapped).read_all()), where, na)
    except (pyarrow.ArrowException, OSError) as error:
        raise Refused(f"{where} is not an Arrow file, or it is damaged ({str(error).rstrip('.')}).") from None


def _sound(table: Any) -> Any:
    """The table, if no offset in it points outside of its buffers: whoever reads it believes them."""
    table.validate(full=True)
    return table


def _from_npy(path: Path, where: str, na: tuple[str, ...]) -> Source:
    """One array of numbers; its columns are called x0, x1 and so on."""
    return from_frame(_columns(_loaded(path, where), where), where, na)


def _from_npz(path: Path, where: str, na: tuple[str, ...]) -> Source:
    """An array X of numbers and further ones of one value for each row, under their names."""
    with _npz(path, where) as arrays:
        if "X" not in arrays.files:
            raise Refused(f'{where} holds no array called "X"; it has {column_list(map(quoted, arrays.files))}.')
        columns = _columns(arrays["X"], where)
        others = {name: arrays[name] for name in arrays.files if name != "X"}
    n = len(next(iter(columns.values()), ()))
    for name, one in others.items():
        if one.shape != (n,):
            raise Refused(f"{where}: the array {name!r} has the shape {one.shape}, where X has {n} rows.")
    return from_frame(columns | others, where, na)


def sparse_chunks(path: Path, where: str, kind: str, zero_based: bool) -> Callable[[], Iterator[Chunk]] | None:
    """The rows of a file that holds sparse ones: LIBSVM text, or .npz as `scipy.sparse.save_npz` writes it, with y."""
    if kind == "libsvm":
        return lambda: read_chunks(path, where, zero_based)
    if kind != "npz":
        return None
    with _npz(path, where) as arrays:
        if not {"data", "indices", "indptr", "shape"} <= set(arrays.files):
            return None
        if "y" not in arrays.files or arrays["y"].dtype.kind not in "fiub":
            raise Refused(f'{where} holds sparse rows and no numbers called "y" to tell their classes.')
        matrix = sp.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=arrays["shape"])
        y = arrays["y"].astype(np.float64)
    matrix.check_format(full_check=True)  # indices that point outside would be believed
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all() or matrix.shape[0] != y.size:
        raise Refused(f"{where} holds NaN or inf, or not one label for each row.")
    rows = Chunk(
        y, np.diff(matrix.indptr).astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
    )
    return lambda: iter([rows])


def _loaded(path: Path, where: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except PermissionError:
        raise
    except Exception:  # NumPy parses the header as Python: a damaged one may raise anything
        raise Refused(f"{where} is not a NumPy file of numbers, or it is damaged.") from None


@contextlib.contextmanager
def _npz(path: Path, where: str) -> Iterator[Any]:
    """The arrays of a .npz file, while it is open."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            yield arrays
    except (PermissionError, Refused):
        raise
    except Exception:  # of a damaged file anything may come: of the ZIP file, its compression, a header, its size
        raise Refused(f"{where} is not a NumPy file of several arrays of numbers, or it is damaged.") from None


def _columns(X: Any, where: str) -> dict[str, Any]:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise Refused(f"{where}: X must be an array of numbers with two dimensions; it is {X.ndim}-d of {X.dtype}.")
    return {f"x{j}": np.asarray(X[:, j]) for j in range(X.shape[1])}


def check_readable(path: Path, where: str) -> None:
    """Say plainly why a file cannot be opened."""
    if path.is_dir():
        if not parquet_files(path):
            raise Refused(f"{where} is a folder without Parquet files: name a file.")
        return
    try:
        with open(path, "rb") as file:
            if not file.read(1):
                raise Refused(f"{where} is empty.")
    except FileNotFoundError:
        raise Refused(f"{where} does not exist.") from None
    except PermissionError:
        raise Refused(f"{where} may not be read: permission denied.") from None
    except OSError as error:
        raise Refused(f"{where} cannot be opened: {os.strerror(error.errno or 0)}.") from None
