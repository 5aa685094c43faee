"""The rows of a CSV file of plain numbers, on all cores, up to the first line that is not plain.

The file is cut at line ends into pieces. A line belongs to the piece in which the line end before it lies, so that a
thread that reads one need not know where another one ends.
"""

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from itertools import islice
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.plain_csv import PlainCsv
from rosenblatt.kernels.decimals import PADDING, SKIP, TARGET, count_byte, read_lines

__all__ = ["PlainPiece", "plain_pieces"]

_PIECE = 1 << 20  # bytes: text and numbers stay in the processor's cache
_LONGEST_LINE = 1 << 19  # bytes beyond a piece; DuckDB refuses lines of 2 MB
_MOST_UNSURE = 1024  # numbers of a piece that float() reads
_AHEAD = 2  # pieces that may wait to be taken, for each thread


class PlainPiece(NamedTuple):
    """Some rows: numbers, codes of the target (if there is one), and whether all lines of the piece were plain."""

    values: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int32]
    plain: bool


def plain_pieces(csv: PlainCsv) -> Iterator[PlainPiece]:
    """All rows in their order; a piece that is not plain is the last."""
    threads = _cores()
    pool = ThreadPoolExecutor(threads, "reading plain rows")
    with FileIO(csv.path) as file:
        try:
            reader = _Reader(csv, file)
            todo = iter(range(reader.n))
            coming = deque(pool.submit(reader.piece, k) for k in islice(todo, _AHEAD * threads))
            while coming:
                piece = coming.popleft().result()
                coming.extend(pool.submit(reader.piece, k) for k in islice(todo, 1))
                yield piece
                if not piece.plain:
                    return
        finally:
            pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Reader:
    """Reads pieces, in any order and from several threads."""

    def __init__(self, csv: PlainCsv, file: FileIO) -> None:
        self.csv, self.file, self.lock = csv, file, Lock()
        self.start = csv.start - 1  # the line end before the first row
        self.n = -(-(os.fstat(file.fileno()).st_size - self.start) // _PIECE)
        self.plan = np.full(csv.fields, SKIP)
        self.plan[list(csv.numbers)] = np.arange(len(csv.numbers))
        if csv.target is not None:
            self.plan[csv.target] = TARGET
        names = [name.encode() for name in csv.classes]
        self.classes = np.array(list(b"".join(names)), dtype=np.uint8)
        self.class_ends = np.cumsum([len(name) for name in names], dtype=np.int64)
        self.buffers: deque[bytearray] = deque()

    def piece(self, k: int) -> PlainPiece:
        """Piece k of the file."""
        try:
            buffer = self.buffers.pop()
        except IndexError:
            buffer = bytearray(_PIECE + _LONGEST_LINE + PADDING)
        try:
            return self._rows(buffer, *self._lines(buffer, k))
        except OSError:  # let DuckDB try, and say what is wrong
            return self._rows(buffer, 0, 0, False)
        finally:
            self.buffers.append(buffer)

    def _lines(self, buffer: bytearray, k: int) -> tuple[int, int, bool]:
        """Read piece k into the buffer; where its lines begin and end there, and whether that is all of them."""
        filled = end = 0
        for wanted in (_PIECE + _LONGEST_LINE // 32, _PIECE + _LONGEST_LINE):  # the second is needed by few files
            filled += self._read(self.start + k * _PIECE + filled, memoryview(buffer)[filled:wanted])
            end = buffer.find(b"\n", _PIECE, filled) + 1
            if filled < wanted:  # the end of the file, and perhaps of a line
                end = end or filled
                buffer[filled : filled + PADDING] = bytes(PADDING)
            if end:
                break
        whole = end > 0
        begin = buffer.find(b"\n", 0, min(_PIECE, filled)) + 1
        if begin == 0:  # all of it belongs to a line that began before
            return 0, 0, True
        return begin, end if whole else buffer.rfind(b"\n", 0, filled) + 1, whole

    def _read(self, at: int, into: memoryview) -> int:
        """Fill memory from the file, as far as that goes."""
        filled = 0
        with self.lock:
            self.file.seek(at)
            while filled < len(into) and (n := self.file.readinto(into[filled:])):
                filled += n
        return filled

    def _rows(self, buffer: bytearray, begin: int, end: int, whole: bool) -> PlainPiece:
        """The rows of some lines."""
        text = np.frombuffer(buffer, dtype=np.uint8)
        n = count_byte(text, begin, end, ord("\n")) + (end > begin and buffer[end - 1] != ord("\n"))
        values, codes = np.empty((n, len(self.csv.numbers))), np.empty(n, dtype=np.int32)
        unsure = np.empty((_MOST_UNSURE, 4), dtype=np.int64)
        form = (ord(self.csv.delimiter), self.csv.crlf, self.plan, self.classes, self.class_ends, self.csv.others)
        m, noted = read_lines(text, begin, end, *form, values, codes, unsure)
        for row, column, start, stop in unsure[:noted].tolist():
            values[row, column] = float(buffer[start:stop])
        return PlainPiece(values[:m], codes[:m], whole and m == n)
