"""Signals in files (CSV, TSV, Parquet, NPY, WAV), read and written as columns with names."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.files import Replacement
from rosenblatt.data.sql import write_rows
from rosenblatt.data.tables import read_columns
from rosenblatt.filters.uses.wav import WavReader

__all__ = ["FORMATS", "SignalFile", "is_clock", "place_of", "read_signals", "write_signals"]

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
