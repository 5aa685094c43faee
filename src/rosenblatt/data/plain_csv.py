"""Whether a CSV file can be read as plain numbers, by a compiled loop: faster than DuckDB, and to the same bits.

Nothing is refused here, and nothing is guessed: what the loop may meet and cannot judge ends it before that row, and
DuckDB goes on. So this only has to see to it that no plain text means anything else to DuckDB.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rosenblatt.data.duck import CsvFile, Source
from rosenblatt.data.encoding import Encoding

__all__ = ["PlainCsv", "plain_csv"]

_SMALLEST = 1 << 24  # bytes of a file that is worth loading the compiled loop
_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_MOST_CLASSES = 64  # they are compared one after another


@dataclass(frozen=True)
class PlainCsv:
    """A CSV file as the compiled loop sees it."""

    path: str
    start: int  # where its first row begins
    crlf: bool  # whether lines end in \\r\\n
    delimiter: str
    fields: int  # of a line
    numbers: tuple[int, ...]  # which of them are the columns of numbers
    target: int | None  # which one names a class
    classes: tuple[str, ...]
    others: int  # the code of a value that is no class; −1 if that is for DuckDB to judge


def plain_csv(source: Source, numbers: Sequence[str], target: str | None, encoding: Encoding) -> PlainCsv | None:
    """How to read these columns of a file as plain numbers and classes; None where DuckDB had better do it."""
    if not isinstance(source, CsvFile) or source.compression != "none":
        return None
    named = [source.names.index(name) for name in ([*numbers, target] if target is not None else numbers)]
    known = encoding.classes if target is not None else ()
    rest = target is not None and encoding.rest
    if rest:
        known = ("", known[1])  # an empty field is missing, and never this class
    if source.delimiter not in _DELIMITERS or len(set(named)) < len(named) or len(known) > _MOST_CLASSES:
        return None
    if any(rest or text in known or _NUMBER.fullmatch(text) for text in source.na):  # plain, and missing all the same
        return None
    header = _header(source)
    if header is None or any(_is_odd(name) for name in known):
        return None
    return PlainCsv(
        source.file,
        start=len(header),
        crlf=header.endswith(b"\r\n"),
        delimiter=source.delimiter,
        fields=len(source.names),
        numbers=tuple(named[: len(numbers)]),
        target=named[-1] if target is not None else None,
        classes=known,
        others=0 if rest else -1,
    )


def _header(source: CsvFile) -> bytes | None:
    """The line of names, if the file is large and the line is nothing but these names."""
    line = source.delimiter.join(source.names)
    try:
        if os.path.getsize(source.file) < _SMALLEST:
            return None
        with open(source.file, "rb") as file:
            start = file.read(len(line.encode()) + 2)
    except OSError:  # it is gone since it was opened
        return None
    ends = (line.encode() + end for end in (b"\n", b"\r\n"))
    return None if _is_odd(line) else next((whole for whole in ends if start.startswith(whole)), None)


def _is_odd(text: str) -> bool:
    """Whether it cannot stand in a file as it is."""
    return any(mark in text for mark in '"\r\n\0')
