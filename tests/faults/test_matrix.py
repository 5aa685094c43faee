"""The fault matrix: every command that writes, with every fault; afterwards nothing is lost, left behind or untrue.

A cell is a command and a fault. After it: each output is the old file or a whole new one (an appended one has lines of
the same run), no process of it lives, no temporary data is left that the next run does not remove, the last sentence is
true, and the exit code is a documented one. All cells in `make soak`, each fault once in `make test`; seeds are fixed.
"""

import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
import pytest

from rosenblatt.data import Store
from rosenblatt.models.saving import load
from tests.cli import children
from tests.faults.test_locks import children_of, is_alive, with_paths

CODES = (0, 1, 2, 3, 130)
CRASHES = (127, 134, 139)  # of glibc, OpenBLAS or LLVM, where they get no memory at all: nothing can be said then
OLD = b"what was there before\n"
TABLE = "t.csv --target y"
WRITING = {  # commands, and what they write
    "check --certificate": (f"check {TABLE} --certificate OUT.json", "OUT.json"),
    "check --report": (f"check {TABLE} --report OUT.html", "OUT.html"),
    "check --store": (f"check {TABLE} --store OUT.store", "OUT.store"),
    "check --drop-separated": (f"check {TABLE} --model logistic --drop-separated OUT.csv", "OUT.csv"),
    "fit": (f"fit {TABLE} -o OUT.model --force --learner averaged --passes 60 --checkpoint-every 0", "OUT.model"),
    "fit --trace": (f"fit {TABLE} -o OUT.model --force --learner perceptron --trace OUT.trace --passes 5", "OUT.model"),
    "predict csv": ("predict m t.csv -o OUT.csv", "OUT.csv"),
    "predict parquet": ("predict m t.csv -o OUT.parquet", "OUT.parquet"),
    "estimate": (f"estimate {TABLE} -o OUT.csv", "OUT.csv"),
    "report": (f"report {TABLE} -o OUT.html", "OUT.html"),
    "screen": ("screen t.csv --outcomes y,z -o OUT.csv --jobs 1", "OUT.csv"),
    "screen --jobs 2": ("screen t.csv --outcomes y,z -o OUT.csv --jobs 2", "OUT.csv"),
    "screen parts": ("screen t.csv --outcomes y,z -o OUT/ --jobs 1", "OUT"),
    "filter": ("filter s.csv --input u --desired d -o OUT.csv", "OUT.csv"),
    "filter --model": ("filter s.csv --input u --desired d -o y.csv --model OUT.model", "OUT.model"),
    "filter --picture": ("filter s.csv --input u --desired d -o y.csv --picture OUT.svg", "OUT.svg"),
    "probe --report": ("probe a.npy l.csv --report OUT.html", "OUT.html"),
    "probe --save": ("probe a.npy l.csv --save OUT.model", "OUT.model"),
    "gate": ("gate 'a and b' --draw OUT.svg", "OUT.svg"),
    "lab": ("lab --save OUT.html", "OUT.html"),
}
APPENDED = ("screen", "screen --jobs 2", "screen parts")
SIGNALS = [f"{name} {moment}" for name in ("KILL", "HUP", "INT", "TERM") for moment in range(5)]
SHELLS = {  # faults of the surroundings, around a command in a shell
    "disk full": "ulimit -f 1; trap '' XFSZ; rosenblatt CMD",
    "closed stdin": "rosenblatt CMD <&-",
    "closed stdout": "rosenblatt CMD >&-",
    "closed stderr": "rosenblatt CMD 2>&-",
    "stdout full": "rosenblatt CMD >/dev/full",
    "cp1252": "PYTHONIOENCODING=cp1252 rosenblatt CMD",
    "read-only folder": "chmod a-w .; rosenblatt CMD; code=$?; chmod u+w .; exit $code",
    "no home": "unset HOME; rosenblatt CMD",
    "no TMPDIR": "TMPDIR=/nowhere/at/all rosenblatt CMD",
    "little memory": "ulimit -v 800000; rosenblatt CMD",
}
FAULTS = [*SIGNALS, *SHELLS, "second writer"]
CELLS = [(command, fault) for command in WRITING for fault in FAULTS]


@dataclass
class Aftermath:
    """What a cell has left."""

    folder: Path
    command: str
    code: int
    said: str
    alive: list[int] = field(default_factory=list)
    may_crash: bool = False

    @property
    def output(self) -> Path:
        """What the command writes."""
        return self.folder / WRITING[self.command][1]

    def check(self, new_is_whole: Callable[[Path], bool]) -> None:
        """Nothing is lost, left behind or untrue."""
        assert not self.alive, "a process lives on"
        allowed = (*CODES, -signal.SIGKILL, *(CRASHES if self.may_crash else ()))
        assert self.code in allowed, f"exit code {self.code}: {self.said}"
        assert "Traceback" not in self.said, self.said
        assert "should not have happened" not in self.said, self.said
        before = self.output.exists() and self.output.is_file() and self.output.read_bytes() == OLD
        changed = self.output.exists() and not before
        if changed:
            assert new_is_whole(self.output), f"{self.output.name} is neither the old one nor a whole one"
        last = self.said.strip().splitlines()[-1] if self.said.strip() else ""
        if "nothing was written" in last:
            assert not changed, f"said: {last}"
        if last.endswith("written.") and "nothing" not in last and "interrupted" in last:
            for named in re.findall(r"[\w.]+\.\w+", last):  # of two outputs the first may be there alone
                path = self.folder / named
                assert path.exists(), f"said: {last}"
                assert path.is_dir() or path.read_bytes() != OLD, f"said: {last}"
        if self.code == 0:
            assert changed, "it said that all went well"


def prepared(folder: Path) -> None:
    """The inputs, and an old output of each name that is replaced."""
    r = np.random.default_rng(0)
    X = r.normal(size=(150, 6)).round(2)
    y, z = (X[:, 0] + r.normal(size=150) > 0).astype(int), (r.random(150) < 0.3).astype(int)
    np.savetxt(folder / "t.csv", np.c_[X, y, z], "%g", ",", header="a,b,c,d,e,f,y,z", comments="")
    np.save(folder / "a.npy", X)
    np.savetxt(folder / "l.csv", y, "%g", header="word", comments="")
    np.savetxt(folder / "s.csv", r.normal(size=(400, 2)), "%g", ",", header="u,d", comments="")


def whole(command: str) -> Callable[[Path], bool]:
    """Whether an output that is not the old one is whole."""

    def is_whole(path: Path) -> bool:
        if command == "check --store":
            return Store.is_store(path) and not any(path.glob(".*")) and Store.open(path).n == 150
        if command == "screen parts":
            return all(one.read_bytes()[-4:] == b"PAR1" for one in path.iterdir() if not one.name.startswith("."))
        content = path.read_bytes()
        if command in APPENDED:
            return not content or content.startswith(b"outcome,")  # a line that is cut short is removed by the next run
        ends = {".json": b"}", ".html": b"</html>", ".svg": b"</svg>", ".parquet": b"PAR1", ".csv": b"\n"}
        if path.suffix == ".model":
            return load(path) is not None
        return content.rstrip(b"\n").endswith(ends[path.suffix].rstrip(b"\n")) and len(content) > 20

    return is_whole


def line_of(command: str) -> str:
    """The command line."""
    return WRITING[command][0]


PROGRAM = f'rosenblatt() {{ "{sys.executable}" -m rosenblatt "$@"; }}; '


def in_shell(folder: Path, command: str, script: str) -> Aftermath:
    """A command in a shell with a fault around it."""
    done = subprocess.run(
        ["bash", "-c", PROGRAM + script.replace("CMD", line_of(command))],
        cwd=folder,
        env=with_paths() | {"NO_COLOR": "1"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    return Aftermath(folder, command, done.returncode, done.stderr.decode(errors="replace"))


def interrupted(folder: Path, command: str, name: str, seconds: float) -> Aftermath:
    """A command that gets a signal after some seconds."""
    with open(folder / "err", "w") as err:
        child = subprocess.Popen(
            [sys.executable, "-m", "rosenblatt", *shlex.split(line_of(command))],
            cwd=folder,
            env=with_paths() | {"NO_COLOR": "1"},
            stdout=subprocess.DEVNULL,
            stderr=err,
            start_new_session=True,
        )
    time.sleep(seconds)
    begun = children_of(child.pid)
    if name == "INT":
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does it
    else:
        child.send_signal(getattr(signal, f"SIG{name}"))
    code = child.wait(120)
    end = time.monotonic() + 30
    while any(map(is_alive, begun)) and time.monotonic() < end:
        time.sleep(0.05)
    code = 130 if code in (-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP) else code  # before the program has begun
    said = (folder / "err").read_text()
    return Aftermath(folder, command, code, said, [one for one in begun if is_alive(one)])


def undisturbed(folder: Path, command: str) -> Aftermath:
    """A command as it is; a fork of a process that has imported everything, as nothing happens while it begins."""
    child = children.start(folder, *shlex.split(line_of(command)), environment={"NO_COLOR": "1"})
    child.join(300)
    assert child.exitcode is not None, "it did not end"
    return Aftermath(folder, command, child.exitcode, (folder / "err").read_text())


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inputs, and a model for `predict`."""
    folder = tmp_path_factory.mktemp("usual")
    prepared(folder)
    line = [sys.executable, "-m", "rosenblatt", "fit", "t.csv", "--target", "y", "-o", "m"]
    subprocess.run(line, cwd=folder, env=with_paths(), check=True, capture_output=True)
    return folder


@pytest.mark.some(31)
@pytest.mark.parametrize("at", range(len(CELLS)), ids=[" / ".join(cell) for cell in CELLS])
def test_a_cell(at: int, usual: Path, tmp_path: Path) -> None:
    (command, fault), random = CELLS[at], Random(at)
    folder = tmp_path / "here"
    folder.mkdir()
    for one in usual.iterdir():
        (folder / one.name).write_bytes(one.read_bytes())
    output = folder / WRITING[command][1]
    if command not in (*APPENDED, "check --store", "filter --model"):
        output.write_bytes(OLD)
    if fault in SHELLS:
        after = in_shell(folder, command, SHELLS[fault])
        after.may_crash = fault == "little memory"
    elif fault == "second writer":
        first = subprocess.Popen(
            ["bash", "-c", f"{PROGRAM}rosenblatt {line_of(command)}"],
            cwd=folder,
            env=with_paths(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(random.uniform(0, 2))
        after = in_shell(folder, command, "rosenblatt CMD")
        first.wait(120)
    else:
        name, _ = fault.split()
        after = interrupted(folder, command, name, random.uniform(0.2, 4))
    after.check(whole(command))
    # the next run, undisturbed, removes what is left, and ends well
    (folder / "OUT.model.checkpoint").unlink(missing_ok=True)
    again = undisturbed(folder, command)
    assert again.code == 0, again.said
    again.check(whole(command))
    known = {"t.csv", "s.csv", "a.npy", "l.csv", "m", "out", "err", "OUT.trace", "y.csv", output.name}
    left = {one.name for one in folder.iterdir()} - known
    assert not left, f"left behind: {left}"
    assert stat.S_IMODE(folder.stat().st_mode) & stat.S_IWUSR
