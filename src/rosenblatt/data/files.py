"""Write files safely: at any moment the old file or the new one is there, never half of one; no other is touched.

Temporary files have names that carry a mark and the process that owns them. What a crash leaves behind under such a
name can be removed by a later run: the name proves that it is ours, and that its process has ended.

What several processes must not write at once is `held_alone`; the system lets go when a process ends, however it ends.
"""

import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from rosenblatt.data.refusal import Refused

__all__ = ["Location", "Replacement", "held_alone", "is_left_behind", "is_owned", "is_stream"]
__all__ += ["make_ready", "new_mark", "owned_folder", "refuse_existing", "sweep", "write_whole"]

_PREFIX, _SUFFIX = ".", ".tmp"
_STREAMS = ("/dev/fd/", "/dev/std", "/proc/")  # names of what a process has open already

_MARK = re.compile(r"rb([0-9a-f]{8})_(\d{1,12})_(\d{1,20})_[0-9a-f]{8}")

Location = str | os.PathLike[str]


def write_whole(path: Location, content: bytes) -> None:
    """Write a file in one step: the old content or the new, never half of it."""
    with Replacement(path) as temporary:
        Path(temporary).write_bytes(content)


class Replacement:
    """A temporary file beside `path` that takes its place once all is written, and is removed if something goes wrong.

    Links are followed. A device or a pipe cannot be replaced: what was written is copied into it. A file that is there
    keeps its permissions; a new one gets those that the umask allows.
    """

    def __init__(self, path: Location) -> None:
        self.path = path
        self._stream = is_stream(path)
        self._target = Path(path) if self._stream else Path(os.path.realpath(path))

    def __enter__(self) -> str:
        folder = Path(tempfile.gettempdir()) if self._stream else self._target.parent
        self.temporary = _new_file(folder)
        return str(self.temporary)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._put_in_place()
        finally:
            self.temporary.unlink(missing_ok=True)

    def _put_in_place(self) -> None:
        if self._stream:
            with open(self.temporary, "rb") as source, open(self._target, "wb") as target:
                shutil.copyfileobj(source, target)
            return
        if self._target.exists():
            os.chmod(self.temporary, stat.S_IMODE(self._target.stat().st_mode))
        with open(self.temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(self.temporary, self._target)


def make_ready(*outputs: Location | None, inputs: Iterable[Location | None] = ()) -> None:
    """Refuse, before hours are spent, an output that cannot be written, or that would replace an input or another one.

    What crashed runs left in the outputs' folders is removed.
    """
    taken: list[tuple[Location, str]] = [(one, "is read too") for one in inputs if one is not None]
    for path in (one for one in outputs if one is not None):
        try:
            _try(path)
            for other, why in taken:
                if not is_stream(path) and _one_file(path, other):
                    raise Refused(f"{path} is to be written and {why}: choose another name for the output.")
        except OSError as error:
            raise Refused(f"{path} cannot be written: {os.strerror(error.errno or 0)}.") from None
        taken.append((path, "is the name of another output"))


def refuse_existing(path: Location) -> None:
    """Refuse to replace a file that is there already: it may have taken hours to make."""
    if os.path.exists(path) and not is_stream(path):
        raise Refused(f"{path} is there already: say --force to replace it, or choose another name.")


def sweep(folder: Path) -> None:
    """Remove the temporary files of processes that have ended."""
    for left in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        if is_left_behind(left.name[len(_PREFIX) : -len(_SUFFIX)]):
            left.unlink(missing_ok=True)


def _try(path: Location) -> None:
    """Refuse a path that cannot be written; found out by writing a file beside it."""
    if os.path.isdir(path):
        raise Refused(f"{path} is a folder: say the name of a file to write.")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise Refused(f"{path} may not be written to: choose another name, or allow it.")
    if is_stream(path):
        return
    with suppress(FileNotFoundError):
        os.lstat(path)  # a name that is too long, or goes through a file
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise Refused(f"{path}: there is no folder {folder} to write it into.")
    try:
        _new_file(folder).unlink()
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise Refused(f"{path}: the folder {folder} cannot be written to ({why}); choose another.") from None
    sweep(folder)


def is_stream(path: Location) -> bool:
    """Whether a path is a device, a pipe or an open file, which is written into and not replaced."""
    if os.path.abspath(path).startswith(_STREAMS):
        return True
    return os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path)


def _one_file(one: Location, other: Location) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _new_file(folder: Path) -> Path:
    """An empty file with the permissions of any new file, under a name that nobody has."""
    path = folder / f"{_PREFIX}{new_mark()}{_SUFFIX}"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return path


@contextmanager
def held_alone(path: Location, wait: bool = False) -> Iterator[bool]:
    """Keep other processes from a folder (`wait` for them), or from an output by a lock beside it (refuse it).

    Yields whether there was another process to wait for. Where there are no such locks, nobody is kept.
    """
    target = Path(os.path.realpath(path))
    lock = target if wait else target.with_name(f".{target.name}.lock")
    number, waited = (-1, False) if is_stream(path) else _locked(lock, path, wait)
    try:
        yield waited
    finally:
        if number >= 0:
            if not wait:
                lock.unlink(missing_ok=True)
            os.close(number)


def _locked(lock: Path, path: Location, wait: bool) -> tuple[int, bool]:
    """The open lock, and whether it was waited for; -1 where there is none."""
    waited = False
    while True:
        try:
            import fcntl

            number = os.open(lock, os.O_RDONLY | (0 if wait else os.O_CREAT), 0o666)
        except (ImportError, OSError):
            return -1, False
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                os.close(number)
                why = "wait until it has ended, or choose another name"
                raise Refused(f"{path} is being written by {_holder(lock)}: {why}.") from None
            fcntl.flock(number, fcntl.LOCK_EX)
            waited = True
        except OSError:  # a file system without them
            return number, False
        with suppress(FileNotFoundError):
            if wait or os.path.samestat(os.fstat(number), os.stat(lock)):
                return number, waited
        os.close(number)  # who held it has removed it


def _holder(lock: Path) -> str:
    """Who holds a lock, as far as the system tells."""
    with suppress(OSError, IndexError):
        inode = str(lock.stat().st_ino)
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == inode:
                return f"process {fields[4]}"
    return "another process"


@contextmanager
def owned_folder(parent: Location, prefix: str) -> Iterator[Path]:
    """A new folder, removed at the end; those that killed processes left behind are removed now."""
    for left in Path(parent).glob(f"{prefix}*"):
        if is_left_behind(left.name.removeprefix(prefix)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(parent) / f"{prefix}{new_mark()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# -------------------------------------------------------------------------------------------------------- owned names


def new_mark() -> str:
    """A mark that no other file has: this machine, this process, and a number drawn at random."""
    return f"rb{_machine()}_{os.getpid()}_{_birth(os.getpid()) or 0}_{secrets.token_hex(4)}"


def is_owned(mark: str) -> bool:
    """Whether it is a mark that `new_mark` made, here or elsewhere."""
    return _MARK.fullmatch(mark) is not None


def is_left_behind(mark: str, or_own: bool = False) -> bool:
    """Whether it is a mark of a process of this machine that has ended; False where that cannot be known.

    `or_own`: or of this process, for one that holds the folder alone.
    """
    found = _MARK.fullmatch(mark)
    if found is None or found[1] != _machine():
        return False
    pid, birth = int(found[2]), int(found[3])
    return not _is_alive(pid, birth) or (or_own and (pid, birth) == (os.getpid(), _birth(pid) or 0))


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
