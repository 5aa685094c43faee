"""The lines of a screening, and the files they are written to as they come: a CSV file, or a folder of Parquet parts.

Neither loses lines to kill −9. A file that exists is continued if it was begun with the same table, outcomes and
settings (the field `run` tells).
"""

import csv
import io
import os
import re
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from rosenblatt.data.files import Replacement, is_stream, sweep
from rosenblatt.data.sql import connect, identifier, literal, write_rows

__all__ = ["NOTHING", "OUTCOMES_A_PART", "Line", "is_folder", "lines_file"]

NOTHING = (float("nan"),) * 4  # where a line has no estimate
OUTCOMES_A_PART = 20
_PART = re.compile(r"part-([0-9]{6,})\.parquet")


@dataclass(frozen=True)
class Line:
    """One coefficient of one outcome; Firth's numbers are NaN where they were not asked for or do not exist."""

    outcome: str
    rows: int  # without rows that lack the outcome
    positives: int
    verdict: str  # "complete", "quasi", "overlap", "unknown" or "one class"
    coefficient: str
    fate: str  # "finite", "+inf", "-inf", "undetermined", "not identified"; "" where it is not known
    estimate: float
    lower: float
    upper: float
    p: float
    certificate: str  # SHA-256 of the certificate, which was checked on every row; "" where there is none
    run: str  # tells tables and settings apart


_NAMES = [one.name for one in fields(Line)]
_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE"}


def lines_file(path: str | os.PathLike[str], run: str, d: int) -> "_Parts | _CsvFile":
    """The file or folder to write to; an outcome has d lines."""
    if is_stream(path):
        raise ValueError(f"{path} is a device or a pipe, and what is written is read again later: name a file.")
    return _Parts(Path(path), run, d) if is_folder(path) else _CsvFile(Path(path), run, d)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether lines go to a folder of parts: the path is a folder, or ends with a slash."""
    return os.path.isdir(path) or os.fspath(path).endswith(("/", os.sep))


class _Parts:
    """Parquet files of `OUTCOMES_A_PART` outcomes each, the last perhaps of fewer; each file is whole or not there."""

    def __init__(self, folder: Path, run: str, d: int) -> None:
        self.folder, self.run, self.d = folder, run, d
        self.waiting: list[Line] = []
        self.written = 0

    def begin(self) -> list[list[Line]]:
        """The lines that are there already, by outcome; a last part of fewer outcomes will be filled and rewritten."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        strange = [one.name for one in self.folder.iterdir() if not _PART.fullmatch(one.name) and one.suffix != ".tmp"]
        if strange:
            raise ValueError(f"{self.folder} has a file {min(strange)} that no screening wrote: choose another folder.")
        lines: list[Line] = []
        while (path := self._path(self.written)).exists():
            part = self._read(path)
            if any(line.run != self.run for line in part) or not part or len(part) % self.d:
                raise ValueError(f"{path} has the results of another table or other settings: choose another folder.")
            lines += part
            if len(part) < OUTCOMES_A_PART * self.d:
                self.waiting = part
                break
            self.written += 1
        return [lines[k : k + self.d] for k in range(0, len(lines), self.d)]

    def add(self, lines: list[Line]) -> None:
        """One more outcome."""
        self.waiting += lines
        if len(self.waiting) == OUTCOMES_A_PART * self.d:
            self.end()
            self.waiting, self.written = [], self.written + 1

    def end(self) -> None:
        """Write the lines that wait to a part."""
        if not self.waiting:
            return
        columns = zip(*map(astuple, self.waiting), strict=True)
        values = [[None if v != v else v for v in column] for column in columns]
        each = ", ".join(f"unnest(?::{_TYPES[one.type]}[]) AS {identifier(one.name)}" for one in fields(Line))  # type: ignore[index]
        connect().execute(f"CREATE OR REPLACE TEMP TABLE screened AS SELECT {each}", values)
        with Replacement(self._path(self.written)) as temporary:
            write_rows("screened", temporary)
        connect().execute("DROP TABLE screened")

    def _read(self, path: Path) -> list[Line]:
        names = ", ".join(map(identifier, _NAMES))
        try:
            rows = connect().execute(f"SELECT {names} FROM read_parquet({literal(str(path))})").fetchall()
        except Exception:  # DuckDB's own: not Parquet, or other columns
            raise ValueError(f"{path} is there and was not written by a screening: choose another folder.") from None
        whole: list[list[Any]] = [[float("nan") if v is None else v for v in row] for row in rows]
        return [Line(*row) for row in whole]

    def _path(self, part: int) -> Path:
        return self.folder / f"part-{part:06d}.parquet"


class _CsvFile:
    """The lines in a CSV file."""

    def __init__(self, path: Path, run: str, d: int) -> None:
        self.path, self.run, self.d = path, run, d

    def begin(self) -> list[list[Line]]:
        """The lines that are there already, by outcome; lines of an outcome that a crash cut short are removed."""
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        if _csv([_NAMES]).startswith(text):
            if text:
                os.truncate(self.path, 0)
            self._append([_NAMES])
            return []
        rows, d = list(csv.reader(io.StringIO(text[: text.rfind("\n") + 1]))), self.d
        if not rows or rows[0] != _NAMES or any(len(row) != len(_NAMES) for row in rows):
            raise ValueError(f"{self.path} is there and was not written by a screening: choose another name.")
        kept = rows[1 : 1 + (len(rows) - 1) // d * d]
        if any(row[-1] != self.run for row in kept):
            raise ValueError(f"{self.path} has the results of another table or other settings: choose another name.")
        os.truncate(self.path, min(len(_csv([_NAMES, *kept]).encode()), self.path.stat().st_size))
        lines = [_line_from(row) for row in kept]
        return [lines[k : k + d] for k in range(0, len(lines), d)]

    def add(self, lines: list[Line]) -> None:
        """One more outcome."""
        self._append([_line_as_cells(line) for line in lines])

    def end(self) -> None:
        """There are no more outcomes; everything is written already."""

    def _append(self, rows: list[list[str]]) -> None:
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(_csv(rows))
            file.flush()
            os.fsync(file.fileno())


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _line_as_cells(line: Line) -> list[str]:
    return ["" if v != v else repr(v) if isinstance(v, float) else str(v) for v in astuple(line)]


def _line_from(row: list[str]) -> Line:
    kinds = [one.type for one in fields(Line)]
    made: list[Any] = [
        int(text) if kind is int else float(text or "nan") if kind is float else text
        for kind, text in zip(kinds, row, strict=True)
    ]
    return Line(*made)
