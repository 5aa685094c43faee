"""What readers of files are told: what the user says of the data (`Told`), and the one file to be read (`Place`)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Place", "Progress", "Told"]

Progress = Callable[[int, int | None], None]  # bytes fetched, and all of them where that is known


@dataclass(frozen=True)
class Told:
    """What the user said of the files."""

    format: str | None = None
    table: str | None = None  # which of several tables
    sql: str | None = None
    delimiter: str | None = None
    charset: str | None = None
    na: tuple[str, ...] = ()  # texts that stand for a missing value
    zero_based: bool = False
    progress: Progress | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True  # whether the first line of a text file must hold names


@dataclass(frozen=True)
class Place:
    """A file on this machine, unpacked as far as its reader needs it, and what is known about it."""

    path: Path
    where: str  # what the user calls it
    kind: str = ""  # one of FORMATS
    called: str = ""  # whose ending says what the file is
    inner: str | None = None  # a table, a sheet, a file inside it
    keep: Any = None  # what must live as long: a temporary file
    origin: str = ""  # the user's own file, whose change is a change of the data
