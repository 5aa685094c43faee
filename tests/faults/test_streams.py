"""Output that is closed, full, or has no Unicode: an answer or a sentence, never a traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"{i * 0.37 % 7:.2f},{'uvé'[i % 3]},{int(i * 7 % 11 > 4)}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"a,größe,y\n{rows}", encoding="utf-8")
    (tmp_path / "s.csv").write_text("a,y\n1,0\n2,0\n3,1\n4,1\n")
    return tmp_path


def shell(folder: Path, command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """A command line in a shell, in which `rosenblatt` is this program."""
    program = f'rosenblatt() {{ "{sys.executable}" -m rosenblatt "$@"; }}; '
    known = os.environ | {"PYTHONPATH": os.pathsep.join([p for p in sys.path if p]), "NO_COLOR": "1"} | environment
    return subprocess.run(
        ["bash", "-c", program + command], cwd=folder, env=known, capture_output=True, timeout=240, check=False
    )


PLAIN = {
    "estimate s.csv --target y": ["inf", "-inf"],
    "gate 'a and b'": ["a + b >= 2"],
    "check t.csv --target y": ["40 rows x 3 columns |"],
    "estimate t.csv --target y": [],
}


@pytest.mark.parametrize("command", PLAIN)
def test_characters_that_an_output_does_not_have_are_replaced(folder: Path, command: str) -> None:
    unicode = shell(folder, f"rosenblatt {command}", PYTHONIOENCODING="utf-8").stdout.decode()
    for encoding in ["ascii"] if PLAIN[command] else ["ascii", "cp1252"]:
        done = shell(folder, f"rosenblatt {command}", PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        text = done.stdout.decode(encoding)
        if encoding == "ascii":
            assert all(part in text for part in PLAIN[command])
        assert "�" not in text
        assert len(unicode.splitlines()) == len(text.splitlines())


def test_files_and_data_are_utf8_whatever_the_output_is(folder: Path) -> None:
    plain, named = {"PYTHONIOENCODING": "cp1252"}, "estimate t.csv --target y"
    wide = shell(folder, f"rosenblatt {named} --markdown", PYTHONIOENCODING="utf-8").stdout
    assert shell(folder, f"rosenblatt {named} --markdown", **plain).stdout == wide
    assert "größe" in wide.decode()
    assert shell(folder, f"rosenblatt {named} -o t.md", **plain).returncode == 0
    assert (folder / "t.md").read_bytes() == wide
    names = json.loads(shell(folder, f"rosenblatt {named} --json", **plain).stdout)
    assert any("größe=é" in str(one) for one in names["coefficients"])


ENDS = {
    "check t.csv --target y >&-": (0, ""),
    "check none.csv --target y >&-": (2, "rosenblatt: none.csv does not exist.\n"),
    "check none.csv --target y 2>&-": (2, ""),
    "check - --target y <&-": (2, "rosenblatt: - is empty.\n"),
    "check t.csv --target y <&- >&- 2>&-": (0, ""),
    "check t.csv --target y --certificate c.json >&- 2>&- <&-": (0, ""),
    "check t.csv --target y >/dev/full": (2, "rosenblatt: no space left on device.\n"),
    "count 22 11 --json >/dev/full": (2, "rosenblatt: no space left on device.\n"),
    "check none.csv --target y 2>/dev/full": (2, ""),
    "screen t.csv --outcomes y -o /dev/full": (2, "rosenblatt: /dev/full is a device or a pipe"),
    "--help >/dev/full": (2, "rosenblatt: no space left on device.\n"),
    "check t.csv --target y | head -1": (0, ""),
}


@pytest.mark.parametrize("command", ENDS)
def test_streams_that_are_closed_or_full(folder: Path, command: str) -> None:
    code, said = ENDS[command]
    done = shell(folder, f"rosenblatt {command}")
    assert (done.returncode, done.stderr.decode()[: len(said) or 200]) == (code, said)
    if "c.json" in command:
        verdict = json.loads((folder / "c.json").read_text())["verdict"]
        assert verdict == "overlap", "nothing that is printed goes into a file that took the number of a closed stream"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
@pytest.mark.parametrize(
    "command",
    [
        "cat t.csv | rosenblatt check /dev/stdin --target y --json",
        "rosenblatt check /dev/stdin --target y --json < t.csv",
        "rosenblatt check <(cat t.csv) --target y --json",
        "rosenblatt check <(gzip -c t.csv) --target y --json",
        "mkfifo p.csv; cat t.csv > p.csv & rosenblatt check p.csv --target y --json",
        "cat t.csv | rosenblatt check - --target y --json",
        "rosenblatt check <(cat t.csv) --target größe --json",
        "rosenblatt estimate <(cat t.csv) --target y --json",
    ],
)
def test_what_can_be_read_once_only_is_read(folder: Path, command: str) -> None:
    done = shell(folder, command)
    if "größe" in command:  # three classes: rows would have to be read again
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"has 3 different values" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 40


def test_a_device_is_refused(folder: Path) -> None:
    done = shell(folder, "rosenblatt check /dev/zero --target y")
    assert (done.returncode, done.stderr) == (2, b"rosenblatt: /dev/zero is a device: name a file, or a pipe.\n")


def test_text_of_a_table_does_not_steer_the_terminal(folder: Path) -> None:
    rows = "".join(f"{i},{chr(27)}[31m{'uv'[i % 2]}\u202e,{i // 20}\n" for i in range(40))
    (folder / "e.csv").write_text(f"a,\u202ename{chr(7)},y\n{rows}", encoding="utf-8")
    for command in ("check e.csv --target y --coefficients", "estimate e.csv --target y", "check e.csv --target q"):
        done = shell(folder, f"rosenblatt {command}")
        said = done.stdout + done.stderr
        assert not any(bytes([code]) in said for code in (7, 27))
        assert "\u202e" not in said.decode()
        assert b"name" in said


@pytest.mark.parametrize(
    "command",
    [
        "filter q.csv --input a --desired y -o o.csv",
        "filter q.csv --input a --desired y -o o.parquet",
        "screen t.csv --outcomes y -o parts/ --jobs 1",
    ],
)
def test_a_disk_that_is_full_is_said_of_what_duckdb_writes(folder: Path, command: str) -> None:
    (folder / "q.csv").write_text("a,y\n" + "".join(f"{i * 0.37 % 7:.2f},{i * 0.11 % 3:.2f}\n" for i in range(400)))
    done = shell(folder, f"ulimit -f 1; trap '' XFSZ; rosenblatt {command}")
    assert (done.returncode, done.stderr) == (2, b"rosenblatt: file too large.\n")
    assert not [one for one in folder.rglob("*") if one.suffix in (".tmp", ".parquet") or one.name == "o.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="names are text there")
def test_a_name_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "t.csv").rename(folder / "b\udcff.csv")
    done = shell(folder, "rosenblatt check b*.csv --target y")
    assert done.returncode == 2
    assert done.stderr == b"rosenblatt: 'b\\udcff.csv': the name of this file is not UTF-8: rename it.\n"


def test_memory_that_runs_out_is_said(folder: Path) -> None:
    done = shell(folder, "ulimit -v 800000; rosenblatt check t.csv --target y")
    if done.returncode == 2:
        assert done.stderr.decode().splitlines()[-1].startswith("rosenblatt: out of memory.")
    if done.returncode == 1:  # OpenBLAS ends the process itself where it gets no memory at all
        assert done.stderr.decode().splitlines()[-1].startswith("OpenBLAS error: Memory allocation")
    assert done.returncode in (0, 1, 2, 139), "OpenBLAS may crash where it gets no memory at all"
    assert b"Traceback" not in done.stderr
    assert b"should not have happened" not in done.stderr


@pytest.mark.parametrize("command", ["check t.csv --target y", "fit t.csv --target y -o m --learner perceptron"])
def test_without_compiled_loops_it_works_or_says_why(folder: Path, command: str) -> None:
    done = shell(folder, f"rosenblatt {command}", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0 or done.stderr.decode().startswith("rosenblatt: NUMBA_DISABLE_JIT is set")


@pytest.mark.parametrize("after", [0.1, 0.2, 0.4, 0.8])
def test_an_interruption_while_the_program_is_loaded_says_nothing(folder: Path, after: float) -> None:
    known = os.environ | {"PYTHONPATH": os.pathsep.join([p for p in sys.path if p])}
    command = [sys.executable, "-m", "rosenblatt", "count", "22", "11"]
    with subprocess.Popen(command, cwd=folder, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[1].decode()
    assert os.path.join("rosenblatt", "cli") not in said, said  # Python, while it loads itself, has its own words
    assert child.returncode in (0, 130, -signal.SIGINT)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_comes_twice_is_one(folder: Path, name: str) -> None:
    """`timeout` and schedulers send it to a program and to its group; threads that read the table are at work."""
    rows = np.c_[np.random.default_rng(0).normal(size=(40_000, 12)).round(4), np.arange(40_000) % 2]
    np.savetxt(folder / "wide.csv", rows, "%g", ",", header=",".join("abcdefghijkly"), comments="")
    for after in (1.0, 2.2):
        line = [sys.executable, "-m", "rosenblatt", "check", "wide.csv", "--target", "y", "--store", "wide.store"]
        known = os.environ | {"PYTHONPATH": os.pathsep.join([p for p in sys.path if p])}
        with subprocess.Popen(line, cwd=folder, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            time.sleep(after)
            for pause in (0.005, 0):
                child.send_signal(getattr(signal, name))
                time.sleep(pause)
            said = child.communicate(timeout=60)[1].decode()
        assert child.returncode in (0, 130, -getattr(signal, name)), said  # the last, where it has not begun
        assert "Traceback" not in said
        assert child.returncode != 130 or said.startswith("rosenblatt: interrupted; ")


def test_a_signal_waits_until_an_import_is_done(tmp_path: Path) -> None:
    """A library of C++ aborts where it is interrupted while it is loaded."""
    (tmp_path / "loaded.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhole = sum(range(9))\n"
    )
    script = """
from rosenblatt.cli.streams import made_fit, was_interrupted
import time
with made_fit():
    import loaded
    assert loaded.whole == 36 and not was_interrupted()
    try:
        time.sleep(20)
    except KeyboardInterrupt:
        print("interrupted", was_interrupted())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"interrupted True\n"), done.stderr


def test_a_signal_waits_until_llvm_has_back_what_was_its_own(tmp_path: Path) -> None:
    """Where one comes between two steps of giving it back, it would be given back twice, with a traceback."""
    script = """
import os, signal, time
from llvmlite.binding.ffi import ObjectRef
from rosenblatt.cli.streams import made_fit, was_interrupted

class Module(ObjectRef):
    def _dispose(self):
        os.kill(os.getpid(), signal.SIGHUP)

with made_fit():
    Module(1).close()
    assert not was_interrupted()
    try:
        time.sleep(20)
    except KeyboardInterrupt:
        print("interrupted", was_interrupted())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"interrupted True\n", b"")
