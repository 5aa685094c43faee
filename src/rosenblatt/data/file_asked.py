"""What a reader of files is told: where the file is, what the user calls it, and what was said about it."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["FileAsked"]


@dataclass(frozen=True)
class FileAsked:
    """One file on this machine, unpacked as far as its reader needs it."""

    path: Path
    where: str  # what the user calls it
    delimiter: str | None = None
    na: tuple[str, ...] = ()  # texts that stand for a missing value
    table: str | None = None  # which of several tables
    sql: str | None = None
    header: bool = True  # whether the first line of a text file must hold names
