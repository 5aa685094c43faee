"""Unpack .zip, .bz2 and .xz into a temporary file, .gz and .zst for readers that cannot; text of other encodings."""

import bz2
import codecs
import gzip
import lzma
import os
import re
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from rosenblatt.data.files import is_left_behind, new_mark
from rosenblatt.data.readers import check_whole, compression_of, refuse_damage
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.data.sql import chosen_table

__all__ = ["Temporary", "as_utf8", "unpacked", "unpacked_member"]

_OURS = "rosenblatt-"  # how the names of temporary files begin
_HEAD = 1 << 16
_PIECE = 1 << 20
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_CHARSET = Remedy("charset", "NAME")
_WESTERN = "Windows-1252"  # Latin-1, and the signs that Windows adds to it
_OPENERS: dict[str, Callable[[Path], Any]] = {"bzip2": bz2.open, "xz": lzma.open, "gzip": gzip.open}


class Temporary:
    """A temporary file that is removed when nothing refers to it any more, at the latest when the program ends."""

    def __init__(self, ending: str) -> None:
        folder = Path(tempfile.gettempdir())
        for left in folder.glob(f"{_OURS}rb*.*"):  # of processes that were killed
            if is_left_behind(left.stem.removeprefix(_OURS)):
                left.unlink(missing_ok=True)
        self.name = str(folder / f"{_OURS}{new_mark()}.{ending}")
        self.file: IO[bytes] = os.fdopen(os.open(self.name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
        self.close = weakref.finalize(self, Path(self.name).unlink, missing_ok=True)

    def take(self, source: IO[bytes]) -> "Temporary":
        """Copy all bytes of an open file into it."""
        with self.file:
            shutil.copyfileobj(source, self.file, _PIECE)
        return self


def unpacked(path: Path, where: str, by_itself: bool) -> Temporary | None:
    """The content of a compressed file; None where it is not one, or its reader unpacks it `by_itself`."""
    compression = compression_of(path)
    if compression == "none" or (by_itself and compression in ("gzip", "zstd")):
        return None
    if compression == "zstd":
        return _from_zstd(path, where)
    with refuse_damage(where), _OPENERS[compression](path) as content:
        return Temporary("unpacked").take(content)


def unpacked_member(path: Path, where: str, asked: str | None) -> tuple[Temporary, str]:
    """One file of a ZIP archive, and its name there; the only one, unless it is said which."""
    with refuse_damage(where), zipfile.ZipFile(path) as archive:
        hidden = re.compile(r"__MACOSX/|(.*/)?\.[^/]*$|.*/$")  # what macOS adds, hidden files, folders
        names = [name for name in archive.namelist() if not hidden.match(name)]
        name = chosen_table(where, names, asked, "file")
        try:
            with archive.open(name) as content:
                return Temporary("unpacked").take(content), name
        except (RuntimeError, NotImplementedError):
            raise Refused(f"{where}: {name} is encrypted, or packed in a way that is not known; unpack it.") from None


def _from_zstd(path: Path, where: str) -> Temporary:
    """Text packed with Zstandard, line by line: Python reads none before 3.14, DuckDB does."""
    from rosenblatt.data.readers import zstd_lines

    check_whole(path, where)
    temporary = Temporary("unpacked")
    with temporary.file as file:
        for line in zstd_lines(path, where):
            file.write(line.encode())
    return temporary


def as_utf8(path: Path, where: str, charset: str | None) -> tuple[Temporary | None, str]:
    """The text as UTF-8 in a file of its own, and the name of its encoding; (None, "") where it is UTF-8.

    An encoding is taken by its mark (UTF-16), or as Windows-1252 where the first lines are not UTF-8.
    """
    packed = check_whole(path, where) == "gzip"
    with gzip.open(path) if packed else open(path, "rb") as file:
        start = file.read(_HEAD)
        name = _codec(charset, where) if charset else _guessed_codec(start)
        if name in ("", "utf-8"):
            return None, ""
        file.seek(0)
        decoder = codecs.getincrementaldecoder(name)()
        temporary = Temporary("text")
        with temporary.file as out:
            try:
                while piece := file.read(_PIECE):
                    out.write(decoder.decode(piece).encode())
                out.write(decoder.decode(b"", final=True).encode())
            except UnicodeError:
                raise Refused(f"{where} is not {name} text all through: say ", _CHARSET, ".") from None
    return temporary, name


def _codec(charset: str, where: str) -> str:
    try:
        return codecs.lookup(charset).name
    except LookupError:
        raise Refused(f"{where}: {charset} is no encoding of text that is known here; utf-8 and latin-1 are.") from None


def _guessed_codec(start: bytes) -> str:
    """The encoding of a text, told from its first bytes; "" where it is UTF-8, or no text at all."""
    if start.startswith(_MARKS):
        return "UTF-16"
    if b"\x00" in start:
        return ""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return _WESTERN
    return ""
