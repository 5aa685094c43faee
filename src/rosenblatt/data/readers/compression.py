"""Compressed files: how they are packed, whether they are whole, and what is said where they are not.

DuckDB reads a compressed file that was cut short as a shorter table, and does not look at gzip's checksum. So a file is
checked before it is read: gzip by unpacking it once, Zstandard by following its blocks to the end (DuckDB checks the
checksums of Zstandard, where the file has them).
"""

import gzip
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rosenblatt.data.refusal import Refused

__all__ = ["check_whole", "compression_of", "refuse_damage"]

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
_PIECE = 1 << 20

# RFC 8878: a file is a row of frames, and a frame is a header, blocks, and four bytes of checksum if the header says so
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_DICTIONARY_BYTES, _SIZE_BYTES = (0, 1, 2, 4), (0, 2, 4, 8)
_RAW, _REPEATED, _PACKED = range(3)


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
