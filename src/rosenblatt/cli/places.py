"""Where results are written: a place that will do, and a file there that is whole or not there."""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["Replacement", "make_ready"]


def make_ready(path: Path | None) -> None:
    """Refuse a place where a file cannot be written, before hours are spent on it; sweep what a crash left there."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{path} is a folder: say the name of a file to write.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder} to write it into.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} may not be written to; choose another.")
    for left in folder.glob(f"{_escaped(path.name)}*.tmp"):
        left.unlink(missing_ok=True)


def _escaped(name: str) -> str:
    """A name in which `glob` sees no pattern."""
    return re.sub(r"([*?\[])", r"[\1]", name)


class Replacement:
    """A temporary file beside the one it replaces once all is written; removed when something goes wrong."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __enter__(self) -> str:
        handle, self.name = tempfile.mkstemp(prefix=self.target.name, suffix=".tmp", dir=self.target.parent)
        os.close(handle)
        return self.name

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is not None:
            os.unlink(self.name)
            return
        with open(self.name, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(self.name, self.target)
