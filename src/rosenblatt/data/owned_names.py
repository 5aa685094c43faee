"""Names that carry a mark and the process that owns them.

What is written under such a name and left behind by a crash can be removed by a later run: the name proves that it is
ours, and that its process has ended. Nothing else is ever removed.
"""

import hashlib
import os
import re
import secrets
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["is_left_behind", "is_owned", "new_mark"]

_MARK = re.compile(r"rb([0-9a-f]{8})_(\d{1,12})_(\d{1,20})_[0-9a-f]{8}")


def new_mark() -> str:
    """A mark that no other file has: this machine, this process, and a number drawn at random."""
    return f"rb{_machine()}_{os.getpid()}_{_birth(os.getpid()) or 0}_{secrets.token_hex(4)}"


def is_owned(mark: str) -> bool:
    """Whether it is a mark that `new_mark` made, here or elsewhere."""
    return _MARK.fullmatch(mark) is not None


def is_left_behind(mark: str) -> bool:
    """Whether it is a mark of a process of this machine that has ended; False where that cannot be known."""
    found = _MARK.fullmatch(mark)
    if found is None or found[1] != _machine():
        return False
    return not _is_alive(int(found[2]), int(found[3]))


@cache
def _machine() -> str:
    """A name of this machine; process numbers mean something only there, and only in one namespace of them."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/etc/machine-id").read_text())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def _is_alive(pid: int, birth: int) -> bool:
    if birth:  # process numbers are used again: the same process began at the same time
        return _birth(pid) == birth
    if os.name != "posix":
        return True  # nothing that is safe says so
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _birth(pid: int) -> int | None:
    """When a process began, in the kernel's ticks; None where there is none, or where the kernel does not tell."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state == "Z" else int(fields[18])
