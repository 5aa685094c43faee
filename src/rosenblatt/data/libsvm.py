"""LIBSVM / SVMlight text: `label index:value index:value …`, one row a line, indices ascending, zeros left out.

A chunk of whole lines is read by a compiled loop, to the same bits as `float`. A chunk with anything odd in it, or too
short to load the loop for, is left to a slow reader, which names the line.
"""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.compression import compression_of, refuse_damage
from rosenblatt.data.refusal import Refused, quoted

__all__ = ["Chunk", "read_chunks"]

_CHUNK = 1 << 23
_SHORT = 1 << 16  # bytes
_MOST_UNSURE = 1024  # numbers of a chunk that float() reads
_LARGEST_INDEX = np.iinfo(np.int32).max - 1


class Chunk(NamedTuple):
    """Some rows: labels, how many values each row has, the columns of the values (from 0), and the values."""

    labels: Floats
    lengths: Integers
    columns: npt.NDArray[np.int32]
    values: Floats


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
    return chunk._replace(columns=chunk.columns - np.int32(least))


def _parse_fast(text: bytes, least: int) -> Chunk | None:
    """The rows by a compiled loop; None where a line is not `number (index:number)*` with indices that ascend."""
    from rosenblatt.kernels.decimals import PADDING, count_byte, read_pairs

    characters = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
    n, pairs = (int(count_byte(characters, 0, len(text), ord(mark))) for mark in "\n:")
    chunk = Chunk(np.empty(n), np.empty(n, np.int64), np.empty(pairs, np.int32), np.empty(pairs))
    unsure = np.empty((_MOST_UNSURE, 3), dtype=np.int64)
    n, pairs, noted = read_pairs(characters, len(text), least, _LARGEST_INDEX, *chunk, unsure)
    if n < 0:
        return None
    for place, start, stop in unsure[:noted].tolist():
        part = chunk.values if place >= 0 else chunk.labels
        part[place if place >= 0 else -1 - place] = float(text[start:stop])
    return Chunk(chunk.labels[:n], chunk.lengths[:n], chunk.columns[:pairs], chunk.values[:pairs])


def _parse_slowly(text: bytes, where: str, first_line: int, least: int) -> Chunk:
    """The rows line by line; the first line that cannot be read is refused with its number."""
    labels, lengths, columns, values = [], [], [], []
    for number, line in enumerate(text.split(b"\n"), first_line):
        tokens = line.decode("utf-8", "replace").split()
        if not tokens:
            continue
        here = f"{where}, line {number:,}"
        labels.append(_number(tokens[0], here, "the label"))
        lengths.append(len(tokens) - 1)
        previous = least - 1
        for token in tokens[1:]:
            previous = _index(token, here, previous, least)
            columns.append(previous)
            values.append(_number(token.partition(":")[2], here, f"the value in {quoted(token)}"))
    return Chunk(
        np.array(labels), np.array(lengths, dtype=np.int64), np.array(columns, dtype=np.int32), np.array(values)
    )


def _index(token: str, here: str, previous: int, least: int) -> int:
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


def _number(text: str, here: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise Refused(f"{here}: {what} is {quoted(text)}, not a number.") from None
    if not np.isfinite(number):
        raise Refused(f"{here}: {what} is {quoted(text)}, not a finite number.")
    return number


def label_text(label: Any) -> str:
    """A label as it is written: 1, −1, 0.5."""
    return str(int(label)) if label == int(label) else repr(float(label))
