"""Files inside compressed files, in a temporary file: .zip, .bz2, .xz, and .gz and .zst where a reader cannot."""

import bz2
import gzip
import lzma
import os
import shutil
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rosenblatt.data.compression import check_whole
from rosenblatt.data.queries import chosen_table
from rosenblatt.data.refusal import Refused

__all__ = ["Temporary", "unpacked", "unpacked_member"]

_OPENERS: dict[bytes, Callable[[Path], Any]] = {b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open, b"\x1f\x8b": gzip.open}
_ZSTD = b"\x28\xb5\x2f\xfd"


class Temporary:
    """A temporary file that goes when nothing refers to it any more, at the latest at the end."""

    def __init__(self, ending: str) -> None:
        handle, self.name = tempfile.mkstemp(prefix="rosenblatt-", suffix=f".{ending}")
        self.file: IO[bytes] = os.fdopen(handle, "wb")
        self.close = weakref.finalize(self, _remove, self.name)

    def take(self, source: Any) -> "Temporary":
        """All bytes of an open file."""
        with self.file:
            shutil.copyfileobj(source, self.file, 1 << 20)
        return self


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def unpacked(path: Path, where: str, by_itself: bool) -> Temporary | None:
    """The content of a compressed file; None where it is not one, or its reader unpacks it `by_itself`."""
    with open(path, "rb") as file:
        start = file.read(6)
    if by_itself and start.startswith((b"\x1f\x8b", _ZSTD)):
        return None
    if start.startswith(_ZSTD):
        return _from_zstd(path, where)
    for magic, opened in _OPENERS.items():
        if start.startswith(magic):
            with _sound(where), opened(path) as content:
                return Temporary("unpacked").take(content)
    return None


def unpacked_member(path: Path, where: str, asked: str | None) -> tuple[Temporary, str]:
    """One file of a ZIP archive, and its name there; the only one, unless it is said which."""
    with _sound(where), zipfile.ZipFile(path) as archive:
        names = [
            name for name in archive.namelist() if not name.endswith("/") and not name.startswith(("__MACOSX/", "."))
        ]
        name = chosen_table(where, names, asked, "file")
        try:
            with archive.open(name) as content:
                return Temporary("unpacked").take(content), name
        except (RuntimeError, NotImplementedError):
            raise Refused(f"{where}: {name} is encrypted, or packed in a way that is not known; unpack it.") from None


@contextmanager
def _sound(where: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None
    except OSError as error:  # of bz2
        if error.errno is not None:
            raise
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None


def _from_zstd(path: Path, where: str) -> Temporary:
    """Text packed with Zstandard, line by line: Python reads none before 3.14, DuckDB does."""
    from rosenblatt.data.text import zstd_lines

    check_whole(path, where)
    temporary = Temporary("unpacked")
    with temporary.file as file:
        for line in zstd_lines(path, where):
            file.write(line.encode())
    return temporary
