"""Files that are either the old ones or the new ones, never half of one."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file under a temporary name and rename it: the old file or the new, never half of one."""
    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=target.name, suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            os.chmod(temporary, 0o666 & ~_umask())  # as if it had been opened by its name
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The permissions that new files are made without; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
