"""Files that are either the old ones or the new ones, never half of one."""

import os
import tempfile
from pathlib import Path

__all__ = ["sync_folder", "write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file under a temporary name and rename it: the old file or the new, never half of one."""
    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=target.name, suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def sync_folder(folder: Path) -> None:
    """Make sure that names in a folder survive a crash, where the system can promise that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
