"""The one way from what the user calls the data to columns: files and addresses of all formats, one or several."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rosenblatt.data.charset import as_utf8
from rosenblatt.data.duck import Source
from rosenblatt.data.file_asked import FileAsked
from rosenblatt.data.formats import FORMATS, TEXTS, open_format
from rosenblatt.data.libsvm import Chunk
from rosenblatt.data.numpy_files import sparse_chunks
from rosenblatt.data.places import Place, Progress, expanded, locate
from rosenblatt.data.refusal import Refused
from rosenblatt.data.several import joined

__all__ = ["Files", "Opened", "Told", "found_files", "open_place", "open_sources"]

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  # a file, an address, a pattern; or several


@dataclass(frozen=True)
class Told:
    """What the user said of the files."""

    format: str | None = None
    table: str | None = None
    sql: str | None = None
    delimiter: str | None = None
    charset: str | None = None
    na: tuple[str, ...] = ()
    zero_based: bool = False
    progress: Progress | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True


@dataclass(frozen=True)
class Opened:
    """Columns, or the chunks of sparse rows; and the place, where it is one."""

    where: str
    source: Source | None
    chunks: Callable[[], Iterator[Chunk]] | None
    place: Place


def found_files(path: Files) -> tuple[list[str], str]:
    """All files that are meant, and what they are called together."""
    given = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(one) for one in path]
    names = [name for one in given for name in expanded(one)]
    if not names:
        raise Refused("there is no file in the list of files.")
    if len(given) == 1 or len(names) == 1:
        return names, given[0]
    return names, f"{names[0]} and {len(names) - 1} more"


def open_sources(path: Files, told: Told) -> Opened:
    """The columns of all files, one below the other."""
    names, where = found_files(path)
    if len(names) == 1:
        return open_place(locate(names[0], told.format, told.table, told.progress), told)
    if told.sql is not None:
        raise Refused(f"{where}: a query is for one database: name that one, or select from the files in the query.")
    parts = [open_place(locate(name, told.format, told.table, told.progress), told) for name in names]
    sources = [part.source for part in parts if part.source is not None]
    if len(sources) < len(parts):
        raise Refused(f"{where}: files of sparse rows are read one at a time; write their lines into one file.")
    source = joined(sources, where)
    source.keep = [part.place.keep for part in parts if part.place.keep is not None] or None
    return Opened(where, source, None, replace(parts[0].place, origin=""))


def open_place(place: Place, told: Told) -> Opened:
    """The columns of one file."""
    chunks = sparse_chunks(place.path, place.where, place.kind, told.zero_based)
    if chunks is not None:
        return Opened(place.where, None, chunks, place)
    if told.sql is not None and not FORMATS[place.kind].is_database:
        raise Refused(f"{place.where} is not a database: select from it in the query itself, by its name in quotes.")
    path, keep, notes = place.path, place.keep, []
    if place.kind in TEXTS:
        converted, name = as_utf8(place.path, place.where, told.charset)
        if converted is not None:
            path, keep, notes = Path(converted.name), converted, [f"{name} text"]
    asked = FileAsked(path, place.where, told.delimiter, told.na, place.inner, told.sql, told.header)
    source = open_format(place.kind, asked)
    source.file, source.keep = "" if path.is_dir() else str(path), keep
    source.notes += notes
    source.origin, source.part = place.origin, place.inner or ""
    return Opened(place.where, source, None, place)
