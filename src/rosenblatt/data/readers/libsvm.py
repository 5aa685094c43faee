"""LIBSVM / SVMlight text: `label index:value index:value …`, one row a line, indices ascending, zeros left out.

A chunk of whole lines is read by a compiled loop, to the same bits as `float`. A chunk with anything odd in it, or too
short to load the loop for, is left to a slow reader, which names the line.

Sparse rows hold float64. A number is refused where that is not what is written (see `readings.py`): it has more than 15
digits, and is not the shortest text of a float64 or is a whole number that its float is not. A whole number of fewer
digits that its float is not, such as 10^23, is held where all of its column are decimals. Where programs have written
all of a column with %.16g, as scikit-learn does, or with %.17g, different floats have different texts: there, too, the
floats are what was written. `SparseTable` sees whole columns.
"""

import gzip
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.readers.packed import compression_of, refuse_damage
from rosenblatt.data.refusal import Refused, quoted

__all__ = ["Chunk", "LongWhole", "not_held", "read_chunks"]

_CHUNK = 1 << 23
_SHORT = 1 << 16  # bytes
_MOST_UNSURE = 1024  # numbers of a chunk whose texts are looked at
_SURE, _SMALL = 15, 2.0**-959  # texts of so many characters are held, where they are not as small as this
_LARGEST_WHOLE, _WHOLE = 2**53, re.compile(r"[-+]?[0-9_]+")
_LARGEST_INDEX = np.iinfo(np.int32).max - 1


class LongWhole(NamedTuple):
    """A whole number of at most 15 digits, and zeros, that is not exactly its float."""

    column: int  # from 0
    number: int  # the index as it is written
    text: str
    line: int


class Chunk(NamedTuple):
    """Some rows: labels, how many values each row has, the columns of the values (from 0), and the values."""

    labels: Floats
    lengths: Integers
    columns: npt.NDArray[np.int32]
    values: Floats
    wholes: tuple[LongWhole, ...] = ()
    single: bool = False  # the values were float32
    printed: Any = None  # how values are written that are not in their shortest text: 1 by %.16g, 2 by %.17g, 3 by both


def read_chunks(path: Path, where: str, zero_based: bool = False, size: int = _CHUNK) -> Iterator[Chunk]:
    """All rows, a chunk of lines at a time."""
    line = 1
    for text in _whole_lines(path, where, size):
        yield parse(text, where, line, zero_based)
        line += text.count(b"\n")


def _whole_lines(path: Path, where: str, size: int) -> Iterator[bytes]:
    with refuse_damage(where), gzip.open(path) if compression_of(path) == "gzip" else open(path, "rb") as file:
        rest = b""
        while block := file.read(size):
            cut = block.rfind(b"\n") + 1
            if not cut:
                rest += block
                continue
            yield rest + block[:cut]
            rest = block[cut:]
        if rest:
            yield rest + b"\n"


def parse(text: bytes, where: str, first_line: int, zero_based: bool) -> Chunk:
    """The rows of some whole lines."""
    if b"#" in text:
        text = re.sub(rb"#[^\n]*", b"", text)
    least = 0 if zero_based else 1
    chunk = _parse_fast(text, least) if len(text) >= _SHORT else None
    if chunk is None:
        chunk = _parse_slowly(text, where, first_line, least)
    wholes = (one._replace(column=one.number - least, line=one.line + first_line) for one in chunk.wholes)
    return chunk._replace(columns=chunk.columns - np.int32(least), wholes=tuple(wholes))


def _parse_fast(text: bytes, least: int) -> Chunk | None:
    """The rows by a compiled loop; None where a line is not `number (index:number)*` with indices that ascend.

    None too where float64 does not hold a number.
    """
    from rosenblatt.kernels.decimals import PADDING, count_byte, read_pairs

    characters = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
    n, pairs = (int(count_byte(characters, 0, len(text), ord(mark))) for mark in "\n:")
    chunk = Chunk(np.empty(n), np.empty(n, np.int64), np.empty(pairs, np.int32), np.empty(pairs))
    unsure = np.empty((_MOST_UNSURE, 3), dtype=np.int64)
    printed = np.empty(pairs, dtype=np.uint8)
    n, pairs, noted = read_pairs(characters, len(text), least, _LARGEST_INDEX, *chunk[:4], printed, unsure)
    if n < 0:
        return None
    wholes = []
    for place, start, stop in unsure[:noted].tolist():
        part, token = chunk.values if place >= 0 else chunk.labels, text[start:stop].decode()
        part[place if place >= 0 else -1 - place] = number = float(token)
        how = 0 if _stands_for_text(token, number) else _printed_by(token, number) or None
        if how is None or (place < 0 and (how or _is_long_whole(token, number))):
            return None
        if place >= 0:
            printed[place] = how
        if _is_long_whole(token, number):
            wholes.append(LongWhole(0, int(chunk.columns[place]), token, text.count(b"\n", 0, start)))
    found = Chunk(chunk.labels[:n], chunk.lengths[:n], chunk.columns[:pairs], chunk.values[:pairs], tuple(wholes))
    return found._replace(printed=printed[:pairs]) if printed[:pairs].any() else found


def _parse_slowly(text: bytes, where: str, first_line: int, least: int) -> Chunk:
    """The rows line by line; the first line that cannot be read is refused with its number."""
    labels, lengths, columns, values, wholes, printed = [], [], [], [], [], []
    for number, line in enumerate(text.split(b"\n"), first_line):
        tokens = line.decode("utf-8", "replace").split()
        if not tokens:
            continue
        here = f"{where}, line {number:,}"
        labels.append(_pair_number(tokens[0], here, "the label"))
        if _is_long_whole(tokens[0], labels[-1]):
            raise not_held(here, "the label", tokens[0])
        lengths.append(len(tokens) - 1)
        previous = least - 1
        for token in tokens[1:]:
            previous = _pair_index(token, here, previous, least)
            columns.append(previous)
            written = token.partition(":")[2]
            values.append(_pair_number(written, here, f"the value in {quoted(token)}", may_be_printed=True))
            printed.append(0 if _is_sure(written, values[-1]) else _printed_by(written, values[-1]))
            if _is_long_whole(written, values[-1]):
                wholes.append(LongWhole(0, previous, written, number - first_line))
    numbers = (np.array(labels), np.array(lengths, dtype=np.int64), np.array(columns, dtype=np.int32), np.array(values))
    return Chunk(*numbers, tuple(wholes), printed=np.array(printed, dtype=np.uint8) if any(printed) else None)


def _pair_index(token: str, here: str, previous: int, least: int) -> int:
    """The index of a token; the indices of a row ascend, and the first is 0 or 1 (`least`) or more."""
    text, colon, _ = token.partition(":")
    if not colon:
        raise Refused(f"{here}: {quoted(token)} is not of the form index:value.")
    if not text.isascii() or not text.isdigit() or int(text) > _LARGEST_INDEX:
        raise Refused(f"{here}: {quoted(text)} in {quoted(token)} is not an index.")
    index = int(text)
    if index < least:
        raise Refused(
            f"{here}: index 0; indices count from 1. Write them so (dump_svmlight_file of scikit-learn does with "
            f"zero_based=False), or open the file in Python with zero_based=True."
        )
    if index <= previous:
        raise Refused(f"{here}: index {index} comes after index {previous}; indices must ascend.")
    return index


def _pair_number(text: str, here: str, what: str, may_be_printed: bool = False) -> float:
    try:
        number = float(text)
    except ValueError:
        raise Refused(f"{here}: {what} is {quoted(text)}, not a number.") from None
    if not np.isfinite(number):
        raise Refused(f"{here}: {what} is {quoted(text)}, not a finite number.")
    if not _is_sure(text, number) and not (may_be_printed and _printed_by(text, number)):
        raise not_held(here, what, text)
    return number


def _is_sure(text: str, number: float) -> bool:
    return (len(text) <= _SURE and abs(number) >= _SMALL) or _stands_for_text(text, number)


def _printed_by(text: str, number: float) -> int:
    """By which of %.16g (1) and %.17g (2) the number is written so."""
    if abs(number) < _SMALL or (abs(number) > _LARGEST_WHOLE and _WHOLE.fullmatch(text)):
        return 0
    exact = Decimal(text)
    return sum(flag for flag in (1, 2) if exact == Decimal(f"{number:.{15 + flag}g}"))


def not_held(here: str, what: str, text: str) -> Refused:
    """The refusal of a number that float64 does not hold."""
    return Refused(
        f"{here}: {what} is {quoted(text)}, which float64 does not hold, and sparse rows hold float64: round or "
        f"rescale such numbers, or give the table as CSV, which is read as it is written."
    )


def _stands_for_text(text: str, number: float) -> bool:
    """Whether the number stands for what is written; of at most 15 digits, among decimals."""
    exact = Decimal(text)
    if exact != Decimal(repr(number)):
        return False
    return len(exact.normalize().as_tuple().digits) <= _SURE or not _is_long_whole(text, number)


def _is_long_whole(text: str, number: float) -> bool:
    """Whether it is a whole number, written without exponent, that is not exactly its float."""
    return abs(number) > _LARGEST_WHOLE and _WHOLE.fullmatch(text) is not None and int(text) != int(number)


def label_text(label: float) -> str:
    """A label as it is written: 1, −1, 0.5."""
    return str(int(label)) if label == int(label) else repr(float(label))
