"""The one way from what the user calls the data to columns: files and addresses of all formats, one or several."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from rosenblatt.data.paths.places import expanded, is_address, locate
from rosenblatt.data.readers import (
    FORMATS,
    TEXTS,
    Chunk,
    Place,
    Told,
    as_utf8,
    differing,
    open_format,
    set_aside,
    sparse_chunks,
)
from rosenblatt.data.refusal import Refused, unlike
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
    return stacked(sources, where)


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
    source.file, source.keep = "" if place.path.is_dir() else str(place.path), source.keep or place.keep
    source.notes += notes
    source.origin, source.part = place.origin, place.inner or ""
    if not place.path.is_dir():
        set_aside(source, _full_name(place))
    return source


def _full_name(place: Place) -> str:
    """The name of a file with its folders: on this machine, in an archive, or at an address."""
    if is_address(place.where):
        return urlsplit(place.where).path
    return place.called if "/" in place.called else place.origin


# -------------------------------------------------------------------------------------------------------- several files


@dataclass
class _Joined(Source):
    """Sources with the same columns, one below the other; rows are counted through all of them."""

    parts: list[Source] = field(default_factory=list)
    as_text: frozenset[int] = frozenset()  # columns whose numbers are of types that have no type together

    def _rows(self, numbers: Sequence[int]) -> str:
        """All rows, in the order of the parts."""
        return "(" + " UNION ALL ".join(self._part(part, numbers) for part in self.parts) + ")"

    def _part(self, part: Source, numbers: Sequence[int]) -> str:
        places = [part.place(name) for name in self.names]
        texts = [f"CAST(c{k} AS VARCHAR)" if i in self.as_text else f"c{k}" for i, k in enumerate(places)]
        chosen = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
        return f"SELECT {chosen} FROM {part.relation([places[i] for i in numbers])}"

    def estimated_rows(self) -> int:
        """The rows of all parts together."""
        return sum(part.estimated_rows() for part in self.parts)

    def refusal(self, error: Exception) -> Refused | KeyboardInterrupt:
        """What DuckDB said of one of the files, in a sentence that names it."""
        guilty = next((part for part in self.parts if part.file and part.file in str(error)), None)
        return super().refusal(error) if guilty is None else guilty.refusal(error)


def stacked(parts: list[Source], where: str) -> Source:
    """All rows of all parts as one source; each part must have the columns of the first."""
    first = parts[0]
    telling = differing([part.aside for part in parts])
    for part in parts:
        part.ask(telling)
    for k, part in enumerate(parts):
        _check_alike(first, part)
        if part.frames:
            part.frames = {f"frame{k}": next(iter(part.frames.values()))}
            part.query = f"SELECT * FROM frame{k}"
    frames = {name: one for part in parts for name, one in part.frames.items()}
    source = _Joined(where, first.connection, "", list(first.names), [], na=first.na, frames=frames, parts=parts)
    source.aside = dict(first.aside)
    source.as_text = frozenset(i for i, name in enumerate(source.names) if _loses(parts, name))
    source.types = [str(kind) for kind in source.cursor().sql(f"SELECT * FROM {source.relation()}").types]
    source.notes = list(dict.fromkeys(one for part in parts for one in part.notes))
    source.text = all(part.text for part in parts)
    source.written = frozenset(
        i for i, kind in enumerate(source.types) if kind == "VARCHAR" and _looks_decide(source, i)
    )
    return source


def _check_alike(first: Source, part: Source) -> None:
    for name, here, there in [(n, first, part) for n in first.names] + [(n, part, first) for n in part.names]:
        if name not in there.names:
            raise unlike(here.where, there.where, name)
    if part.connection is not first.connection:
        raise Refused(f"{part.where} is a database, which is not joined with other files: select from both in a query.")


def _loses(parts: list[Source], name: str) -> bool:
    """Whether DuckDB would make floats of whole numbers or decimals, since another file has floats there."""
    kinds = {part.types[part.place(name)].partition("(")[0] for part in parts}
    return bool(kinds & {"DOUBLE", "FLOAT"}) and bool(kinds & {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"})


def _looks_decide(source: _Joined, i: int) -> bool:
    """Whether the looks of its values decide the kind of column i: it is text in one file and numbers in another."""
    name = source.names[i]
    places = [(part, part.place(name)) for part in source.parts]
    return any(part.is_written(place) or part.types[place] != "VARCHAR" for part, place in places)
