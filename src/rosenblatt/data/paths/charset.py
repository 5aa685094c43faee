"""Text in another encoding than UTF-8, written out as UTF-8 in a temporary file. The user is told which one it was."""

import codecs
import gzip
from pathlib import Path

from rosenblatt.data.paths.unpacking import Temporary
from rosenblatt.data.readers import check_whole
from rosenblatt.data.refusal import Refused, Remedy

__all__ = ["as_utf8"]

_HEAD = 1 << 16
_PIECE = 1 << 20
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_CHARSET = Remedy("charset", "NAME")
_WESTERN = "Windows-1252"  # Latin-1, and the signs that Windows adds to it


def as_utf8(path: Path, where: str, charset: str | None) -> tuple[Temporary | None, str]:
    """The text as UTF-8 in a file of its own, and the name of its encoding; (None, "") where it is UTF-8.

    An encoding is taken by its mark (UTF-16), or as Windows-1252 where the first lines are not UTF-8.
    """
    packed = check_whole(path, where) == "gzip"
    with gzip.open(path) if packed else open(path, "rb") as file:
        start = file.read(_HEAD)
        name = _codec(charset, where) if charset else _found(start)
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


def _found(start: bytes) -> str:
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
