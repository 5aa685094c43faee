"""Parquet and Arrow files: columns with types, as they were written."""

import os
from pathlib import Path

from rosenblatt.data.duck import Source, literal, pattern_free
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.queries import extra, from_frame, from_query
from rosenblatt.data.refusal import Refused
from rosenblatt.data.text import check_names

__all__ = ["open_arrow", "open_parquet", "parquet_files"]


def parquet_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The Parquet files of a folder and of those in it, in the order of their names."""
    return sorted(Path(folder).rglob("*.parquet"))


def open_parquet(place: Place, told: Told) -> Source:
    """A file, or all files of a folder, which must have the columns of the first."""
    path, where = place.path, place.where
    files = [literal(pattern_free(str(file))) for file in (parquet_files(path) if path.is_dir() else [path])]
    source = from_query(f"SELECT * FROM read_parquet([{', '.join(files)}], hive_partitioning=false)", where, told.na)
    schema = source.select(f"SELECT name, num_children FROM parquet_schema({files[0]})")[1:]
    if not any(children for _, children in schema):
        source.names = [name for name, _ in schema]  # as they are in the file: DuckDB renames duplicates
        check_names(source.names, where)
    return source


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
