"""What a reader of a file is given: what the user said of the data (`Told`), and which file to read (`Place`)."""

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
    deadline: float | None = None  # on the clock of `time.monotonic`: until when a view may be computed
    header: bool | None = True  # whether the first line of a text file holds names; None: as it looks


@dataclass(frozen=True)
class Place:
    """A file on this machine, unpacked as far as its reader needs it, and what is known about it."""

    path: Path
    where: str  # what the user calls it
    kind: str = ""  # one of FORMATS
    called: str = ""  # the name whose ending tells the format
    inner: str | None = None  # the table, sheet or file inside it that is meant
    keep: Any = None  # a temporary file, which must not be removed before this
    origin: str = ""  # the user's own file, whose change is a change of the data
