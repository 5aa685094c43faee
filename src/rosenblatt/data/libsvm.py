"""LIBSVM / SVMlight text: `label index:value index:value …`, one row a line, indices ascending, zeros left out.

A chunk of whole lines is parsed at once: its bytes tell where labels and pairs are, and NumPy reads all its numbers in
one call, to the same bits as `float`. What is odd about a chunk is left to a slow reader, which names the line.
"""

import gzip
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.text import compression_of

__all__ = ["Chunk", "read_chunks"]

_CHUNK = 1 << 23
_NO_COLONS = bytes.maketrans(b":\n\r\t", b"    ")
_LARGEST_INDEX = np.iinfo(np.int32).max - 1


class Chunk(NamedTuple):
    """Some rows: labels, how many values each row has, their columns (from 0) and themselves."""

    labels: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]


def read_chunks(path: Path, where: str, zero_based: bool = False, size: int = _CHUNK) -> Iterator[Chunk]:
    """All rows, a chunk of lines at a time."""
    line = 1
    for text in _whole_lines(path, where, size):
        yield parse(text, where, line, zero_based)
        line += text.count(b"\n")


def _whole_lines(path: Path, where: str, size: int) -> Iterator[bytes]:
    compression = compression_of(path)
    if compression == "zstd":
        raise Refused(f"{where}: LIBSVM text packed with Zstandard cannot be read; unpack it first.")
    try:
        with gzip.open(path) if compression == "gzip" else open(path, "rb") as file:
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
    except (EOFError, gzip.BadGzipFile):
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None


def parse(text: bytes, where: str, first_line: int, zero_based: bool) -> Chunk:
    """The rows of some whole lines."""
    if b"#" in text:
        text = re.sub(rb"#[^\n]*", b"", text)
    chunk = _parse_fast(text) or _parse_slowly(text, where, first_line)
    if not _is_sound(chunk, zero_based):
        _parse_slowly(text, where, first_line)
        _refuse_rows(text, where, first_line, zero_based)
    return chunk if zero_based else chunk._replace(columns=chunk.columns - np.int32(1))


def _parse_fast(text: bytes) -> Chunk | None:
    """None where the lines are not all `number (number:number)*`."""
    characters = np.frombuffer(text, dtype=np.uint8)
    begins = characters > 32
    begins[1:] &= characters[:-1] <= 32  # where a token begins
    tokens = np.flatnonzero(begins)
    colons = np.flatnonzero(characters == ord(":"))
    ends = np.flatnonzero(characters == ord("\n"))
    per_line = np.diff(np.searchsorted(tokens, ends), prepend=0)
    per_line = per_line[per_line > 0]  # blank lines are no rows
    starts = np.cumsum(per_line) - per_line
    holds_pair = np.ones(len(tokens), dtype=bool)
    holds_pair[starts] = False
    owners = np.searchsorted(tokens, colons, side="right") - 1
    if not np.array_equal(owners, np.flatnonzero(holds_pair)):  # exactly one colon in each token but the labels
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            numbers = np.fromstring(text.translate(_NO_COLONS).decode("ascii"), sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    if len(numbers) != len(tokens) + len(colons):
        return None
    at = starts + np.searchsorted(colons, tokens[starts])
    labels = numbers[at]
    pairs = np.delete(numbers, at).reshape(-1, 2)
    with np.errstate(invalid="ignore"):
        columns = pairs[:, 0].astype(np.int32)
    if not np.array_equal(columns, pairs[:, 0]):
        return None
    return Chunk(labels, per_line - 1, columns, np.ascontiguousarray(pairs[:, 1]))


def _is_sound(chunk: Chunk, zero_based: bool) -> bool:
    """Indices from 1 (or 0), ascending in each row; numbers finite."""
    steps = np.diff(chunk.columns.astype(np.int64), prepend=-1)
    first = (np.cumsum(chunk.lengths) - chunk.lengths)[chunk.lengths > 0]
    steps[first] = 1
    lowest = chunk.columns.min(initial=1)
    return bool(
        lowest >= (0 if zero_based else 1)
        and (steps > 0).all()
        and np.isfinite(chunk.labels).all()
        and np.isfinite(chunk.values).all()
    )


def _parse_slowly(text: bytes, where: str, first_line: int) -> Chunk:
    """Line by line, saying what is wrong with the first that cannot be read."""
    labels, lengths, columns, values = [], [], [], []
    for number, line in enumerate(text.split(b"\n"), first_line):
        tokens = line.decode("utf-8", "replace").split()
        if not tokens:
            continue
        labels.append(_number(tokens[0], where, number, "the label"))
        lengths.append(len(tokens) - 1)
        for token in tokens[1:]:
            index, colon, value = token.partition(":")
            if not colon:
                raise Refused(f"{where}, line {number:,}: {quoted(token)} is not of the form index:value.")
            if not index.isascii() or not index.isdigit() or int(index) > _LARGEST_INDEX:
                raise Refused(f"{where}, line {number:,}: {quoted(index)} in {quoted(token)} is not an index.")
            columns.append(int(index))
            values.append(_number(value, where, number, f"the value in {quoted(token)}"))
    return Chunk(
        np.array(labels), np.array(lengths, dtype=np.int64), np.array(columns, dtype=np.int32), np.array(values)
    )


def _number(text: str, where: str, line: int, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise Refused(f"{where}, line {line:,}: {what} is {quoted(text)}, not a number.") from None
    if not np.isfinite(number):
        raise Refused(f"{where}, line {line:,}: {what} is {quoted(text)}, not a finite number.")
    return number


def _refuse_rows(text: bytes, where: str, first_line: int, zero_based: bool) -> None:
    """Name the line whose indices are out of order."""
    for number, line in enumerate(text.split(b"\n"), first_line):
        previous = -1 if zero_based else 0
        for token in line.split()[1:]:
            index = int(token.split(b":")[0])
            if index == 0 and not zero_based:
                raise Refused(
                    f"{where}, line {number:,}: index 0; indices count from 1 (in Python: or zero_based=True)."
                )
            if index <= previous:
                raise Refused(
                    f"{where}, line {number:,}: index {index} comes after index {previous}; indices must ascend."
                )
            previous = index
    raise AssertionError("a chunk that is not sound has a line to name")


def label_text(label: Any) -> str:
    """A label as it is written: 1, −1, 0.5."""
    return str(int(label)) if label == int(label) else repr(float(label))
