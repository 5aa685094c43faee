"""The one way from what the user calls the data to columns: files and addresses of all formats, one or several."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from rosenblatt.data.paths.charset import as_utf8
from rosenblatt.data.paths.places import expanded, is_address, locate
from rosenblatt.data.paths.several import joined
from rosenblatt.data.readers import FORMATS, TEXTS, Chunk, Place, Told, open_format, set_aside, sparse_chunks
from rosenblatt.data.refusal import Refused
from rosenblatt.data.sql import Source

__all__ = ["Files", "SparseFile", "Told", "found_files", "open_place", "open_sources"]

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  # a file, an address, a pattern; or several


class SparseFile(NamedTuple):
    """A file of sparse rows, whose columns have no names."""

    place: Place
    chunks: Callable[[], Iterator[Chunk]]


def found_files(path: Files) -> tuple[list[str], str]:
    """All files that are meant, and what they are called together."""
    given = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(one) for one in path]
    names = [name for one in given for name in expanded(one)]
    if not names:
        raise Refused("there is no file in the list of files.")
    if len(given) == 1 or len(names) == 1:
        return names, given[0]
    return names, f"{names[0]} and {len(names) - 1} more"


def open_sources(path: Files, told: Told) -> Source | SparseFile:
    """The columns of all files, one below the other."""
    names, where = found_files(path)
    if len(names) == 1:
        return open_place(locate(names[0], told), told)
    if told.sql is not None:
        raise Refused(f"{where}: a query is for one database: name that one, or select from the files in the query.")
    parts = [open_place(locate(name, told), told) for name in names]
    sources = [part for part in parts if isinstance(part, Source)]
    if len(sources) < len(parts):
        raise Refused(f"{where}: files of sparse rows are read one at a time; write their lines into one file.")
    return joined(sources, where)


def open_place(place: Place, told: Told) -> Source | SparseFile:
    """The columns of one file."""
    chunks = sparse_chunks(place, told.zero_based)
    if chunks is not None:
        return SparseFile(place, chunks)
    if told.sql is not None and not FORMATS[place.kind].is_database:
        raise Refused(f"{place.where} is not a database: select from it in the query itself, by its name in quotes.")
    notes = []
    if place.kind in TEXTS:
        converted, name = as_utf8(place.path, place.where, told.charset)
        if converted is not None:
            place, notes = replace(place, path=Path(converted.name), keep=converted), [f"{name} text"]
    source = open_format(place, told)
    source.file, source.keep = "" if place.path.is_dir() else str(place.path), place.keep
    source.notes += notes
    source.origin, source.part = place.origin, place.inner or ""
    if not place.path.is_dir():
        set_aside(source, _called(place))
    return source


def _called(place: Place) -> str:
    """The name of a file with its folders: on this machine, in an archive, or at an address."""
    if is_address(place.where):
        return urlsplit(place.where).path
    return place.called if "/" in place.called else place.origin
