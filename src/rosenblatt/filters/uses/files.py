"""Signals in files (CSV, TSV, Parquet, NPY, WAV), read and written as columns with names."""

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rosenblatt.data.files import Replacement
from rosenblatt.data.sql import write_rows
from rosenblatt.data.tables import read_columns

__all__ = ["FORMATS", "SignalFile", "WavReader", "WavWriter", "is_clock", "place_of", "read_signals", "write_signals"]

FORMATS = (".csv", ".tsv", ".parquet", ".npy", ".wav")
_CLOCKS = ("time", "t", "seconds")  # names of columns that hold times and no signal
_MANY = 10  # so many rows with even steps in the first column are a counter or a clock, whatever its name


@dataclass
class SignalFile:
    """Signals side by side: names and columns, and the sampling rate in Hz where the file knows it.

    `others` names the columns that are no signals: times, counters of rows, texts.
    """

    path: str
    columns: dict[str, npt.NDArray[Any]]
    rate: float | None = None
    others: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """The signal of that name, or of that number (counted from 0)."""
        names = list(self.columns)
        name = names[place_of(name, names, f"{self.path}: there is no column")]
        column = self.columns[name]
        if column.dtype.kind not in "biufc":
            raise ValueError(f"{self.path}: column {name!r} is not made of numbers{_first_text(column)}.")
        missing = np.flatnonzero(~np.isfinite(column))
        if missing.size:
            raise ValueError(
                f"{self.path}: row {missing[0] + 1} of column {name!r} is missing or not finite; a filter would carry "
                f"it on for ever: fill it in first."
            )
        return column

    @property
    def signals(self) -> list[str]:
        """The names of the columns that are signals."""
        return [name for name in self.columns if name not in self.others]


def place_of(name: str, names: list[str], refusal: str) -> int:
    """The place of `name` among `names`; a number that is no name is a place itself, counted from 0."""
    if name in names:
        return names.index(name)
    if name.isdigit() and int(name) < len(names):
        return int(name)
    numbers = f" (or their numbers, 0 to {len(names) - 1})" if names != [str(k) for k in range(len(names))] else ""
    raise ValueError(f"{refusal} {name!r}; there are {', '.join(names)}{numbers}.")


def read_signals(path: str | os.PathLike[str]) -> SignalFile:
    """Read the signals of a CSV, TSV, Parquet, NPY or WAV file.

    The columns of a CSV file without a header, and of NPY files, are numbered from 0. WAV files: see `WavReader`.
    """
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file.")
    readers: dict[str, Callable[[str], SignalFile]] = {".npy": _read_npy, ".wav": _read_wav}
    file = readers.get(_known_suffix(path, "read", "from"), _read_table)(os.fspath(path))
    if not file.columns or not len(next(iter(file.columns.values()))):
        raise ValueError(f"{path}: there are no samples in it.")
    return file


def write_signals(
    path: str | os.PathLike[str], columns: dict[str, npt.NDArray[Any]], rate: float | None = None
) -> None:
    """Write signals of one length: to tables with names, to NPY and WAV side by side (WAV as 32-bit floats).

    The file appears under its name only when it is complete. A complex column of a table becomes two, `_re` and `_im`.
    """
    suffix = _known_suffix(path, "written", "to")
    if suffix == ".wav" and rate is None:
        raise ValueError(f"{path}: a WAV file needs a sampling rate, and these signals have none: write .npy or .csv.")
    with Replacement(path) as temporary:
        if suffix == ".npy":
            with open(temporary, "wb") as file:  # by its name, it would get a suffix
                np.save(file, _side_by_side(columns))
        elif suffix == ".wav":
            from scipy.io import wavfile

            wavfile.write(temporary, round(rate or 0), _side_by_side(_in_real_columns(columns)).astype(np.float32))
        else:
            _write_table(temporary, suffix, _in_real_columns(columns))


def _known_suffix(path: str | os.PathLike[str], done: str, where: str) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        other = suffix or "one without a suffix"
        raise ValueError(f"{path}: signals are {done} {where} {', '.join(FORMATS)} files, not {where} {other}.")
    return suffix


def _read_table(path: str) -> SignalFile:
    columns = read_columns(path, header=False)
    clocks = [name for name in columns if is_clock(name)]
    steps = [step for step in (_even_step(columns[name]) for name in clocks) if step]
    first = next(iter(columns), "")
    counter = len(columns) > 1 and len(columns[first]) >= _MANY and _even_step(columns[first])  # of rows, or of time
    texts = [name for name, column in columns.items() if column.dtype.kind not in "biufc"]
    others = (*clocks, *texts, *([first] if counter else []))
    return SignalFile(path, columns, round(1 / steps[0], 6) if steps else None, others)


def is_clock(name: str) -> bool:
    """Whether a column of this name holds times in seconds."""
    return name.strip().lower() in _CLOCKS


def _even_step(column: npt.NDArray[Any]) -> float | None:
    """By how much the column rises from each row to the next; None if it does not do so evenly."""
    if column.dtype.kind not in "iuf" or len(column) < 2:
        return None
    steps = np.diff(column)
    step = float(np.median(steps))
    return step if step > 0 and np.allclose(steps, step, rtol=1e-3, atol=0) else None


def _read_npy(path: str) -> SignalFile:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{path}: cannot be read ({error}).") from None
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{path}: the array must be a signal (1-D) or signals side by side (2-D); it has {array.ndim} dimensions."
        )
    return SignalFile(path, {str(k): column for k, column in enumerate(np.atleast_2d(array.T))})


def _read_wav(path: str) -> SignalFile:
    reader = WavReader(path)
    return SignalFile(path, dict(zip(reader.names, reader.read(0, len(reader)).T, strict=True)), float(reader.rate))


def _write_table(path: str, suffix: str, columns: dict[str, npt.NDArray[Any]]) -> None:
    import duckdb

    options = {".parquet": "FORMAT parquet", ".tsv": "HEADER, DELIMITER '\t'"}.get(suffix, "HEADER")
    with duckdb.connect() as connection:
        connection.register("signals", {name: np.ascontiguousarray(column) for name, column in columns.items()})
        write_rows("signals", path, options, connection)


def _in_real_columns(columns: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    parts: dict[str, npt.NDArray[Any]] = {}
    for name, column in columns.items():
        complex_ = column.dtype.kind == "c"
        parts |= {f"{name}_re": column.real, f"{name}_im": column.imag} if complex_ else {name: column}
    return parts


def _side_by_side(columns: dict[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    arrays = list(columns.values())
    return arrays[0] if len(arrays) == 1 else np.column_stack(arrays)


def _first_text(column: npt.NDArray[Any]) -> str:
    """The first row that is not a number, for the refusal."""
    for row, value in enumerate(column):
        try:
            float(value)
        except (TypeError, ValueError):
            return f" because of row {row + 1} ({value!r})"
    return ""


# ------------------------------------------------------------------------------------------------------------------ WAV


_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_FULL = 0xFFFFFFFF  # a length of this is not known, or too long for 32 bits: whatever the file has
# fmt: off
_SPEAKERS = (  # by the bits of a channel mask: front left, front right, front center, subwoofer, back left, …
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR",
)
# fmt: on


class WavReader:
    """The samples of a WAV file, as parts of full scale, between −1 and 1.

    `names` are the channels': "left" and "right" of two; of more, the loudspeakers if the file names them (FL, FR, FC,
    LFE, BL, …), else numbers from 0.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with WavWriter(pathlib.Path(folder) / "a.wav", 8000) as writer:
    ...         writer.write(np.array([0.0, 0.5]))
    ...     reader = WavReader(pathlib.Path(folder) / "a.wav")
    ...     (reader.rate, reader.channels, len(reader), reader.read(0, 2).tolist())
    (8000, 1, 2, [[0.0], [0.5]])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not Path(path).is_file():
            raise ValueError(f"{path}: there is no such file.")
        with open(path, "rb") as file:
            try:
                self._look(file)
            except (struct.error, EOFError, ValueError) as error:
                raise ValueError(f"{path}: cannot be read as sound ({error or 'it ends too early'}).") from None

    def __len__(self) -> int:
        return int(self._frames)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Samples start..stop, a channel in each column; refuses a value that is not finite, and says where it is."""
        with open(self.path, "rb") as file:
            file.seek(self._begin + start * self._width)
            raw = file.read((min(stop, self._frames) - start) * self._width)
        values = self._numbers(raw).reshape(-1, self.channels)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"{self.path}: sample {start + row} of channel {column} is not finite; a filter would carry it on for "
                f"ever: fill it in first."
            )
        return values

    def _look(self, file: BinaryIO) -> None:
        """Find the format and the samples among the chunks."""
        kind, _, wave = struct.unpack("<4sI4s", file.read(12))
        if kind not in (b"RIFF", b"RF64") or wave != b"WAVE":
            raise ValueError("it does not begin with RIFF and WAVE")
        code, self.rate, size, end, mask = 0, 0, 0, os.fstat(file.fileno()).st_size, 0
        while True:
            name, size = struct.unpack("<4sI", file.read(8))
            if name == b"data":
                break
            content = file.read(min(size, end) + size % 2)
            if name == b"fmt ":
                code, self.channels, self.rate, _, self._width, self._bits = struct.unpack("<HHIIHH", content[:16])
                if code == _EXTENSIBLE:
                    mask, code = struct.unpack("<IH", content[20:26])
        self._float, self._begin = code == _FLOAT, file.tell()
        allowed = {_PCM: (8, 16, 24, 32), _FLOAT: (32, 64)}.get(code, ())
        if self._bits not in allowed or not self.channels or self._width * 8 != self.channels * self._bits:
            raise ValueError(f"format {code} with {self._bits} bits is none of 8 to 32 bits and float")
        self._frames = min(end - self._begin, end if size == _FULL else size) // self._width
        self.top = 1 - 2.0 ** (1 - min(self._bits, 16))  # the largest sample of 8 or of 16 bits; longer ones hold 16
        self.names = _channel_names(self.channels, mask)

    def _numbers(self, raw: bytes) -> npt.NDArray[Any]:
        if self._float:
            return np.frombuffer(raw, dtype=f"<f{self._bits // 8}").astype(f"f{self._bits // 8}")
        if self._bits == 8:
            return (np.frombuffer(raw, dtype=np.uint8).astype(np.float32) - 128) / 128
        if self._bits == 16:
            return np.frombuffer(raw, dtype="<i2").astype(np.float32) / 2**15
        if self._bits == 24:
            padded = np.zeros((len(raw) // 3, 4), dtype=np.uint8)
            padded[:, 1:] = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3)
            return padded.view("<i4")[:, 0] / 2.0**31
        return np.frombuffer(raw, dtype="<i4") / 2.0**31


def _channel_names(channels: int, mask: int) -> list[str]:
    """What the channels are called."""
    named = [name for bit, name in enumerate(_SPEAKERS) if mask >> bit & 1]
    if channels == 2:
        return ["left", "right"]
    return named if len(named) == channels > 2 else [str(k) for k in range(channels)]


class WavWriter:
    """A WAV file of one channel as 32-bit floats, which do not clip. It appears under its name when it is complete."""

    def __init__(self, path: str | os.PathLike[str], rate: float) -> None:
        self._replacement, self.rate, self._bytes = Replacement(path), round(rate), 0

    def __enter__(self) -> "WavWriter":
        self._file = open(self._replacement.__enter__(), "wb")
        self._file.write(self._header())
        return self

    def write(self, samples: npt.NDArray[Any]) -> None:
        """Add samples."""
        self._file.write(samples.astype("<f4").tobytes())
        self._bytes += 4 * len(samples)

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.close()
        self._replacement.__exit__(kind, error, traceback)

    def _header(self) -> bytes:
        form = struct.pack("<4sIHHIIHH", b"fmt ", 16, _FLOAT, 1, self.rate, 4 * self.rate, 4, 32)
        size = self._bytes if self._bytes < _FULL - 64 else _FULL  # too long for 32 bits: readers take what there is
        return (
            struct.pack("<4sI4s", b"RIFF", min(36 + size, _FULL), b"WAVE") + form + struct.pack("<4sI", b"data", size)
        )
