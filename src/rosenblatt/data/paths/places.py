"""From what the user calls the data to a file on this machine: a path, "-", an address, a file inside another."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from rosenblatt.data.files import is_stream
from rosenblatt.data.readers import (
    FORMATS,
    Place,
    Progress,
    Temporary,
    Told,
    format_by_content,
    format_by_name,
    parquet_files,
    unpacked,
    unpacked_member,
)
from rosenblatt.data.refusal import Refused, Remedy

__all__ = ["expanded", "is_address", "is_read_once", "locate", "plain_files"]


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
        from rosenblatt.data.paths.download import fetched

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
