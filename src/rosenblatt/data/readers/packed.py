"""Packed files: how they are packed, whether they are whole, and what they hold, in a temporary file; other encodings.

DuckDB reads a compressed file that was cut short as a shorter table, and does not look at gzip's checksum. So a file is
checked before it is read: gzip by unpacking it once, Zstandard by following its blocks to the end (DuckDB checks the
checksums of Zstandard, where the file has them).
"""

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
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from rosenblatt.data.files import is_left_behind, new_mark
from rosenblatt.data.refusal import Refused, Remedy, chosen_table
from rosenblatt.data.sql import connect, literal, pattern_free

__all__ = ["Temporary", "as_utf8", "check_whole", "compression_of", "refuse_damage", "unpacked", "unpacked_member"]
__all__ += ["zstd_lines"]

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_PIECE = 1 << 20

# RFC 8878: a file is a row of frames, and a frame is a header, blocks, and four bytes of checksum if the header says so
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_DICTIONARY_BYTES, _SIZE_BYTES = (0, 1, 2, 4), (0, 2, 4, 8)
_RAW, _REPEATED, _PACKED = range(3)
_MANY = 10_000  # lines fetched at a time
_OURS = "rosenblatt-"  # how the names of temporary files begin
_HEAD = 1 << 16
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_CHARSET = Remedy("charset", "NAME")
_WESTERN = "Windows-1252"  # Latin-1, and the signs that Windows adds to it
_OPENERS: dict[str, Callable[[Path], Any]] = {"bzip2": bz2.open, "xz": lzma.open, "gzip": gzip.open}


def compression_of(path: Path) -> str:
    """How a file is packed, by its first bytes and not by its name."""
    with open(path, "rb") as file:
        start = file.read(6)
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "none")


def check_whole(path: Path, where: str) -> str:
    """Refuse a compressed file that is damaged or cut short; returns its compression."""
    compression = compression_of(path)
    with refuse_damage(where):
        if compression == "gzip":
            with gzip.open(path) as text:
                while text.read(_PIECE):
                    pass
        elif compression == "zstd":
            with open(path, "rb") as file:
                _follow_frames(file)
    return compression


@contextmanager
def refuse_damage(where: str) -> Iterator[None]:
    """Say in one sentence what the libraries that unpack files raise."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError, ValueError) as error:
        # a ValueError may be a refusal that says more; an OSError with a number is of the disk, not of the content
        if isinstance(error, Refused) or (isinstance(error, OSError) and error.errno is not None):
            raise
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None


def _follow_frames(file: BinaryIO) -> None:
    """Go from block to block to the end of a Zstandard file; EOFError where it ends in the middle of something."""
    end = os.fstat(file.fileno()).st_size
    while file.tell() < end:
        magic = _little_endian_number(file, 4)
        if magic & 0xFFFFFFF0 == _SKIPPABLE:
            _skip(file, _little_endian_number(file, 4), end)
        elif magic == _FRAME:
            _follow_blocks(file, end)
        else:
            raise EOFError


def _follow_blocks(file: BinaryIO, end: int) -> None:
    header = _little_endian_number(file, 1)
    single, checksum = header >> 5 & 1, header >> 2 & 1
    size = _SIZE_BYTES[header >> 6] or single
    _skip(file, (not single) + _DICTIONARY_BYTES[header & 3] + size, end)
    last = False
    while not last:
        block = _little_endian_number(file, 3)
        last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
        if kind not in (_RAW, _REPEATED, _PACKED):
            raise EOFError
        _skip(file, 1 if kind == _REPEATED else length, end)
    _skip(file, 4 * checksum, end)


def _little_endian_number(file: BinaryIO, size: int) -> int:
    content = file.read(size)
    if len(content) < size:
        raise EOFError
    return int.from_bytes(content, "little")


def _skip(file: BinaryIO, size: int, end: int) -> None:
    if file.seek(size, os.SEEK_CUR) > end:
        raise EOFError


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


def zstd_lines(path: Path, where: str, most: int | None = None) -> Iterator[str]:
    """The lines of a text packed with Zstandard: Python reads none before 3.14; DuckDB does."""
    import duckdb

    file = literal(pattern_free(str(path)))
    query = (
        f"SELECT line FROM read_csv({file}, auto_detect=false, header=false, delim='\x1f', quote='', escape='', "
        f"compression='zstd', columns={{'line': 'VARCHAR'}}){'' if most is None else f' LIMIT {most}'}"
    )
    try:
        cursor = connect().cursor().execute(query)
        while lines := cursor.fetchmany(_MANY):
            yield from (f"{line or ''}\n" for (line,) in lines)
    except duckdb.Error:
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None


def _from_zstd(path: Path, where: str) -> Temporary:
    """Text packed with Zstandard, line by line: Python reads none before 3.14, DuckDB does."""
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
