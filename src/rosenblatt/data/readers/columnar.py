"""Parquet and Arrow files: columns with types, as they were written; folders of Parquet files."""

import os
from base64 import b64decode
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from rosenblatt.data.readers.formats import (
    Place,
    Told,
    Values,
    columns_of_folders,
    differing,
    folder_of,
    refuse_contradiction,
)
from rosenblatt.data.readers.text import is_row_index
from rosenblatt.data.refusal import Refused, check_names, extra, unlike
from rosenblatt.data.sql import Source, from_frame, from_query, identifier, literal, pattern_free

__all__ = ["open_arrow", "open_parquet", "parquet_files"]

_FILE = "name of the file"  # the column that tells where a row is from; no other may be called so


def parquet_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The Parquet files of a folder and of those in it, in the order of their names."""
    return sorted(Path(folder).rglob("*.parquet"))


def open_parquet(place: Place, told: Told) -> Source:
    """A file, or all files of a folder, which must have the same columns; the names of folders in it may add some."""
    files = parquet_files(place.path) if place.path.is_dir() else [place.path]
    listed = ", ".join(literal(pattern_free(str(file))) for file in files)
    options = f"[{listed}], hive_partitioning=false"
    source = from_query(f"SELECT * FROM read_parquet({options})", place.where, told.na)
    _take_names(source, listed)
    if place.path.is_dir():
        _add_folders(source, files, f"read_parquet({options}, filename={literal(_FILE)})")
    _take_levels(source, files[0])
    return source


def _take_levels(source: Source, file: Path) -> None:
    """The order of the levels of categories (pandas, polars), which DuckDB does not know; pyarrow reads it."""
    kept = dict(source.select(f"SELECT key, value FROM parquet_kv_metadata({literal(pattern_free(str(file)))})"))
    if b"categorical" not in kept.get(b"pandas", b"") and b"_PL_ENUM" not in b64decode(kept.get(b"ARROW:schema", b"")):
        return
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        source.notes.append("levels of categories in alphabetical order: pyarrow would read their own")
        return
    with suppress(pyarrow.ArrowException, OSError):  # what is damaged is refused when it is read
        opened = parquet.ParquetFile(file)
        told = [(i, one) for i, one in enumerate(opened.schema_arrow) if pyarrow.types.is_dictionary(one.type)]
        told = [(i, one) for i, one in told if pyarrow.types.is_string(one.type.value_type)]
        if told and opened.num_row_groups:
            columns = opened.read_row_group(0, columns=[one.name for _, one in told])
            source.levels |= {
                i: tuple(columns.column(k).chunk(0).dictionary.to_pylist()) for k, (i, _) in enumerate(told)
            }


def _take_names(source: Source, listed: str) -> None:
    """The names of the columns as all files must have them; as written, since DuckDB renames duplicates."""
    columns: dict[str, list[str]] = {}
    nested = False
    for file, name, children in source.select(f"SELECT file_name, name, num_children FROM parquet_schema([{listed}])"):
        if file in columns:
            columns[file].append(name)
            nested = nested or bool(children)
        else:
            columns[file] = []  # the first line is about the file itself
    if nested:
        return
    (first, names), *others = columns.items()
    check_names(names, source.where)
    for file, other in others:
        meant = {name for name in other if name in names or not is_row_index(name)}
        for name in sorted({*names} ^ meant):
            has, lacks = (first, file) if name in names else (file, first)
            raise unlike(has, lacks, name)
    source.names = names


def _add_folders(source: Source, files: list[Path], read: str) -> None:
    """Add the columns that folders name and files do not have; `read` has a last column with the name of the file."""
    values = {str(file): columns_of_folders(file) for file in files}
    telling, own = differing(values.values()), len(source.names)
    for column in telling:
        for file in (file for file in values if column not in values[file]):
            has = next(other for other in values if column in values[other])
            raise unlike(folder_of(has, column), file, column)
    looked = Source(source.where, source.connection, f"SELECT * FROM {read}", [*source.names, _FILE], ["", ""])
    for column in set(values[str(files[0])]) & set(source.names):
        refuse_contradiction(looked, column, _by_file(values, column, f"c{own}"), f"c{own}")
    added = [column for column in telling if column not in source.names]
    if added:
        each = ", ".join(_by_file(values, column, identifier(_FILE)) for column in added)
        source.query = f"SELECT * EXCLUDE ({identifier(_FILE)}), {each} FROM {read}"
        source.names, source.types = [*source.names, *added], [*source.types, *("VARCHAR" for _ in added)]
        source.written = frozenset(range(own, len(source.names)))
    source.aside = {column: value for column, value in values[str(files[0])].items() if column not in source.names}


def _by_file(values: dict[str, Values], column: str, file: str) -> str:
    """SQL for what folders say of a column, by the name of the file."""
    said = ("NULL" if some[column] is None else literal(str(some[column])) for some in values.values())
    return f"CAST([{', '.join(said)}] AS VARCHAR[])[list_position([{', '.join(map(literal, values))}], {file})]"


def open_arrow(place: Place, told: Told) -> Source:
    """Arrow IPC, the file or the stream format, memory-mapped."""
    path, where = place.path, place.where
    pyarrow, ipc = extra("pyarrow", "arrow", where), extra("pyarrow.ipc", "arrow", where)
    try:
        mapped = pyarrow.memory_map(str(path))
        try:
            table = ipc.open_file(mapped).read_all()
        except pyarrow.ArrowInvalid:
            mapped.seek(0)
            table = ipc.open_stream(mapped).read_all()
        table.validate(full=True)  # readers do not check that offsets point into their buffers
        return from_frame(table, where, told.na)
    except (pyarrow.ArrowException, OSError) as error:
        raise Refused(f"{where} is not an Arrow file, or it is damaged ({str(error).rstrip('.')}).") from None
