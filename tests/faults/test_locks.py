"""Two writers of one output: the second says who holds it; and processes that end with the one that began them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.files import held_alone, owned_folder
from rosenblatt.data.refusal import Refused

HOLD = """
import sys, time
from rosenblatt.data.files import held_alone
with held_alone(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def with_paths() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that holds an output."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out.csv")], stdout=subprocess.PIPE, env=with_paths()
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    with child.stdout:
        yield child
        child.kill()
        child.wait()


def test_the_second_writer_says_who_holds_the_output(tmp_path: Path, holder: "subprocess.Popen[bytes]") -> None:
    file = tmp_path / "out.csv"
    with (
        pytest.raises(Refused, match=f"out.csv is being written by process {holder.pid}: wait until"),
        held_alone(file),
    ):
        pass
    with held_alone(tmp_path / "other.csv"):
        pass
    os.symlink(file, tmp_path / "link.csv")
    with pytest.raises(Refused, match=f"link.csv is being written by process {holder.pid}"):  # noqa: SIM117
        with held_alone(tmp_path / "link.csv"):
            pass
    holder.kill()
    holder.wait()
    with held_alone(file):
        assert [one.name for one in tmp_path.glob(".*")] == [".out.csv.lock"]
    assert not list(tmp_path.glob(".*")), "also the lock that a killed process left"


@pytest.mark.parametrize("command", ["fit t.csv --target y -o out.csv --force", "screen t.csv --outcomes y -o out.csv"])
def test_commands_are_refused_in_a_sentence(tmp_path: Path, holder: "subprocess.Popen[bytes]", command: str) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,0\n2,1\n3,0\n")
    line = [sys.executable, "-m", "rosenblatt", *command.split()]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=with_paths(), check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"rosenblatt: out.csv is being written by process {holder.pid}: wait until it has")
    assert not (tmp_path / "out.csv").exists()


def test_a_folder_of_a_killed_process_is_removed_by_the_next(tmp_path: Path) -> None:
    code = "import os, signal, sys\nfrom rosenblatt.data.files import owned_folder\n"
    code += "with owned_folder(sys.argv[1], 'x-'): os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=with_paths(), check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with owned_folder(tmp_path, "x-") as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert not list(tmp_path.iterdir())


def children_of(process: int) -> list[int]:
    """The processes that a process has begun."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(entry.parent.name))
    return found


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.some(4)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_a_screening_leaves_no_process_behind(tmp_path: Path, name: str, at_once: bool) -> None:
    r = np.random.default_rng(0)
    X, Y = r.normal(size=(800, 12)).round(2), (r.random((800, 120)) < 0.05).astype(int)
    head = ",".join([*(f"x{j}" for j in range(12)), *(f"y{k}" for k in range(120))])
    np.savetxt(tmp_path / "t.csv", np.hstack([X, Y]), "%g", ",", header=head, comments="")
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "rosenblatt", "screen", "t.csv", "--outcomes", "y*", "-o", "s.csv", "--jobs", "2"]
    environment = with_paths() | {"TMPDIR": str(tmp_path / "tmp")}
    with open(tmp_path / "err", "w") as err:
        child = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=err, env=environment, start_new_session=True
        )
    lines, end = tmp_path / "s.csv", time.monotonic() + 120
    while time.monotonic() < end and (not lines.exists() or lines.read_text().count("\n") < (1 if at_once else 14)):
        time.sleep(0.02)
    begun = children_of(child.pid)
    os.killpg(child.pid, signal.SIGINT) if name == "SIGINT" else child.send_signal(getattr(signal, name))
    code = child.wait(60)
    end = time.monotonic() + 60
    while any(map(is_alive, begun)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [one for one in begun if is_alive(one)]
    said = (tmp_path / "err").read_text()
    assert "Traceback" not in said
    if name == "SIGKILL":
        assert code == -signal.SIGKILL
        return
    assert code == 130
    assert said == (
        "rosenblatt: interrupted; s.csv has the outcomes decided so far, and the same command goes on from there.\n"
    )
    assert not list((tmp_path / "tmp").glob("rosenblatt-*"))
    assert not list(tmp_path.glob(".*"))


def test_what_killed_builds_left_is_removed_before_the_next_begins(tmp_path: Path) -> None:
    code = "from rosenblatt.data.files import new_mark; print(new_mark())"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=with_paths(), check=True)
    left = tmp_path / "store" / f"rows-{dead.stdout.strip()}"
    left.mkdir(parents=True)
    (left / "X.bin").write_bytes(bytes(1000))
    bad = rb.data.open_table(frame={"a": [1.0, float("inf")], "y": [0, 1]}, target="y")
    with pytest.raises(Refused, match="infinite"):
        rb.data.Store.build(bad, tmp_path / "store")
    assert not left.exists(), "also where the build that follows fails"
    good = rb.data.open_table(frame={"a": [1.0, 2.0], "y": [0, 1]}, target="y")
    rb.data.Store.build(good, tmp_path / "store")
    with pytest.raises(Refused, match="infinite"):
        rb.data.Store.build(bad, tmp_path / "store")
    assert rb.data.Store.open(tmp_path / "store").n == 2, "the store that is there stays"
