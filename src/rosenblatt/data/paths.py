"""From what the user calls the data to columns: a path, "-", an address, a file inside another; one file or several."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

from rosenblatt.data.files import is_stream
from rosenblatt.data.readers import (
    FORMATS,
    TEXTS,
    Chunk,
    Place,
    Progress,
    Temporary,
    Told,
    as_utf8,
    differing,
    format_by_content,
    format_by_name,
    open_format,
    parquet_files,
    set_aside,
    sparse_chunks,
    unpacked,
    unpacked_member,
)
from rosenblatt.data.refusal import Refused, Remedy, unlike
from rosenblatt.data.sql import Source

__all__ = [
    "Files",
    "SparseFile",
    "Told",
    "expanded",
    "found_files",
    "is_address",
    "is_read_once",
    "locate",
    "open_place",
    "open_sources",
    "plain_files",
]

_SCHEME = r"[a-z][a-z0-9+.-]+://"


def is_address(name: str) -> bool:
    """Whether a name is an address: on the web, or in a store such as s3://bucket/rows.csv."""
    return re.match(_SCHEME, name, re.IGNORECASE) is not None


def is_read_once(name: str) -> bool:
    """Whether a name is standard input, or a pipe, as `<(command)` of a shell is one."""
    return name == "-" or is_stream(name)


def expanded(name: str) -> list[str]:
    """The files that a pattern such as rows/*.csv stands for, in the order of their names; else the name itself."""
    import glob

    if is_address(name) and re.search(r"[*\[]", name) and not re.match("https?:", name, re.IGNORECASE):
        from rosenblatt.data.download import matching

        return matching(name)
    if name == "-" or is_address(name) or not glob.has_magic(name) or os.path.exists(name):
        return [name]
    if os.path.exists(_split(name)[0]):
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise Refused(f"{name} matches no file.")
    return found


def plain_files(name: str) -> list[str]:
    """The files on this machine that will be read, so that no output replaces one."""
    if name == "-" or is_address(name):
        return []
    return [_split(one)[0] for one in expanded(name)]


def locate(name: str, told: Told) -> Place:
    """Find, fetch and unpack a file, and tell its format."""
    kind = told.format
    if kind is not None and kind not in FORMATS:
        raise Refused(f"format must be one of {', '.join(FORMATS)}; it is {kind!r}.")
    outer, inner = (name, None) if name == "-" else _split(name)
    place = replace(_here(outer, name, told.progress), inner=inner or told.table)
    if any("\ud800" <= c <= "\udfff" for c in str(place.path)):
        raise Refused(f"{outer!a}: the name of this file is not UTF-8: rename it.")
    _check_readable(place.path, outer if place.keep is None else name)
    if place.path.is_dir():
        return replace(place, kind=kind or "parquet", origin="")
    place = _unzipped(place, kind)
    guess = kind or format_by_name(place.called)
    packing = unpacked(place.path, place.where, guess is None or FORMATS[guess].reads_packed)
    if packing is not None:
        place = replace(place, path=Path(packing.name), keep=packing)
    return replace(place, kind=kind or _format_of(place, guess))


def _split(name: str) -> tuple[str, str | None]:
    """A file and the part of it that is meant: book.xlsx::Sheet2. A file that itself is called so comes first."""
    if not is_address(name) and os.path.exists(name):
        return name, None
    scheme = re.match(_SCHEME + "[^/]*", name, re.IGNORECASE)
    before, sign, after = name[scheme.end() if scheme else 0 :].partition("::")
    return (name[: scheme.end()] if scheme else "") + before, after if sign else None


def _here(outer: str, name: str, progress: Progress | None) -> Place:
    if outer == "-":
        spool = Temporary("stdin").take(sys.stdin.buffer)  # DuckDB reads nothing from a pipe, and says nothing about it
        return Place(Path(spool.name), name, keep=spool)
    if is_address(outer):
        from rosenblatt.data.download import fetched

        spool, called = fetched(outer, progress)
        return Place(Path(spool.name), name, called=called, keep=spool)
    if is_stream(outer):
        with _opened(Path(outer), name) as pipe:
            spool = Temporary("pipe").take(pipe)
        called = Path(outer).name
        return Place(Path(spool.name), name, called=called if format_by_name(called) else "", keep=spool)
    return Place(Path(outer), name, called=Path(outer).name, origin=outer)


def _unzipped(place: Place, kind: str | None) -> Place:
    """What a ZIP archive holds; workbooks and .npz files are ZIP files too, and stay what they are."""
    if not place.called.lower().endswith(".zip") and (kind is not None or format_by_name(place.called) is not None):
        return place
    with open(place.path, "rb") as file:
        if file.read(4) != b"PK\x03\x04":
            return place
    if not place.called.lower().endswith(".zip") and format_by_content(place.path, place.where) != "csv":
        return place
    spool, called = unpacked_member(place.path, place.where, place.inner)
    return replace(place, path=Path(spool.name), called=called, inner=None, keep=spool)


def _format_of(place: Place, guess: str | None) -> str:
    """The format by the name; by the content where there is no name, or where two formats share the ending (.db)."""
    if guess is None and place.origin and format_by_name(place.called) is None:
        remedy = Remedy("format", *FORMATS)
        raise Refused(f"{place.where}: the name does not say what the file is; say ", remedy, ".")
    if guess is None or (guess == "sqlite" and place.called.lower().endswith(".db")):
        return format_by_content(place.path, place.where)
    return guess


def _check_readable(path: Path, where: str) -> None:
    """Say plainly why a file cannot be opened."""
    if path.is_dir():
        if not parquet_files(path):
            raise Refused(f"{where} is a folder without Parquet files: name a file.")
        return
    with _opened(path, where) as file:
        begun = file.read(1)
    if not begun:
        raise Refused(f"{where} is empty.")


@contextmanager
def _opened(path: Path, where: str) -> Iterator[BinaryIO]:
    """A file that can be read, or why it cannot."""
    if path.is_char_device() and not path.samefile(os.devnull):
        raise Refused(f"{where} is a device: name a file, or a pipe.")
    try:
        file = open(path, "rb")  # noqa: SIM115  (closed below: what goes wrong there is another matter)
        file.peek(1)
    except FileNotFoundError:
        raise Refused(f"{where} does not exist.") from None
    except PermissionError:
        raise Refused(f"{where} may not be read: permission denied.") from None
    except (OSError, ValueError) as error:
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        raise Refused(f"{where} cannot be opened: {why}.") from None
    with file:
        yield file


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
    chunks = sparse_chunks(place, told.zero_based) if FORMATS[place.kind].may_be_sparse else None
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
    source.steady = not FORMATS[place.kind].is_database
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
