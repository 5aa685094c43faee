"""What a terminal shows and a log does not: progress on standard error, colour with a meaning, lines that fit."""

import fcntl
import os
import pty
import re
import struct
import termios
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.cli.children import finish, start

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(*arguments: str, columns: int = 90, **environment: str) -> tuple[str, str]:
    """(standard output, standard error), each of them a terminal of its own."""
    ends = [pty.openpty() for _ in range(2)]
    for _, inner in ends:
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    out, err = (os.ttyname(inner) for _, inner in ends)
    child = start(Path.cwd(), *arguments, out=out, err=err, environment={"TERM": "xterm", **environment})
    with ThreadPoolExecutor(2) as pool:  # who does not read a terminal stops whoever writes to it
        seen = [pool.submit(_read_all, outer) for outer, _ in ends]
        child.join()
        for _, inner in ends:
            os.close(inner)
        return seen[0].result(), seen[1].result()


def _read_all(terminal: int) -> str:
    parts = []
    try:
        while part := os.read(terminal, 1 << 16):
            parts.append(part)
    except OSError:  # how a terminal says that nobody writes any more
        pass
    os.close(terminal)
    return b"".join(parts).decode()


def test_proved_is_green_and_lines_fit(sonar: Path) -> None:
    out, _ = on_a_terminal("check", str(sonar), "--target", "material", columns=70)
    assert "\x1b[32mproved\x1b[0m" in out
    assert len(COLOUR.findall(out)) == 1, "no colour without meaning"
    assert max(len(ESCAPE.sub("", line)) for line in out.splitlines()) <= 70


def test_no_color_is_honoured(sonar: Path) -> None:
    out, err = on_a_terminal("check", str(sonar), "--target", "material", NO_COLOR="1")
    assert "proved" in out
    assert not COLOUR.search(out + err)


def test_a_refusal_is_wrapped_for_a_person(sonar: Path) -> None:
    out, err = on_a_terminal("check", str(sonar), "--target", "materail", columns=60)
    assert out == ""
    lines = ESCAPE.sub("", err).splitlines()
    assert lines[0].startswith("rosenblatt: ")
    assert all(line.startswith(" " * 12) for line in lines[1:])


def test_progress_says_how_far_it_is(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    np.savez("t.npz", X=X, y=(rng.random(3000) < 0.5).astype(int))
    arguments = ["fit", "t.npz", "--target", "y", "-o", "m", "--passes", "4000"]
    out, err = on_a_terminal(*arguments, columns=120)
    shown = ESCAPE.sub("", err)
    assert re.search(r"pass [\d,]+ of 4,000 · [\d,]+ mistakes in the last · [\d.,]+ (million )?rows/s", shown)
    assert "BUDGET" in out
    finish(folder, *arguments)
    assert Path("err").read_text() == "", "a log shows no progress"
    assert "\x1b" not in Path("out").read_text()


@pytest.mark.parametrize("command", ["check", "fit", "predict", "verify", "compare"])
def test_help_fits_a_terminal(command: str) -> None:
    out, _ = on_a_terminal(command, "--help", columns=80)
    assert max(len(ESCAPE.sub("", line)) for line in out.splitlines()) <= 80
