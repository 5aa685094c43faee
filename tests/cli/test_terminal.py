"""What a terminal shows and a log does not: progress on standard error, colour with a meaning, lines that fit."""

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli.app import COMMANDS
from tests.cli.children import MARK, start, start_all
from tests.cli.conftest import Cli

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(*arguments: str, columns: int = 90, **environment: str) -> tuple[str, str]:
    """(standard output, standard error), each of them a terminal of its own."""
    return _watched(
        lambda out, err, env: start(Path.cwd(), *arguments, out=out, err=err, environment=env), columns, environment
    )


def _watched(
    begin: Callable[[str, str, dict[str, str]], Any], columns: int, environment: dict[str, str]
) -> tuple[str, str]:
    ends = [pty.openpty() for _ in range(2)]
    for _, inner in ends:
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    out, err = (os.ttyname(inner) for _, inner in ends)
    child = begin(out, err, {"TERM": "xterm", **environment})
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


def test_a_refusal_is_wrapped_for_a_person(sonar: Path) -> None:
    out, err = on_a_terminal("check", str(sonar), "--target", "materail", columns=60)
    assert out == ""
    lines = ESCAPE.sub("", err).splitlines()
    assert lines[0].startswith("rosenblatt: ")
    assert all(line.startswith(" " * 12) for line in lines[1:])


def test_progress_says_how_far_it_is(cli: Cli) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    np.savez("t.npz", X=X, y=(rng.random(3000) < 0.5).astype(int))
    arguments = ["fit", "t.npz", "--target", "y", "-o", "m", "--force", "--learner", "perceptron", "--passes", "4000"]
    out, err = on_a_terminal(*arguments, columns=120)
    shown = ESCAPE.sub("", err)
    assert re.search(r"pass [\d,]+ of 4,000 · [\d,]+ mistakes in the last · [\d.,]+ (million )?rows/s", shown)
    assert "BUDGET" in out
    done = cli(*arguments)
    assert (done.code, done.err) == (0, ""), "a log shows no progress"
    assert "\x1b" not in done.out


def test_cross_validation_says_how_far_it_is(cli: Cli) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    np.savez("t.npz", X=rng.normal(size=(300, 4)) + y[:, None], y=y)
    arguments = ["fit", "t.npz", "--target", "y", "-o", "m", "--force", "--learner", "auto", "--cv", "3"]
    out, err = on_a_terminal(*arguments, columns=120)
    shown = ESCAPE.sub("", err)
    assert "cross-validating least-squares · fit 1 of 21" in shown
    assert "cross-validating perceptron · fit 21 of 21" in shown
    assert "Chosen by cross-validation" in out
    done = cli(*arguments)
    assert (done.code, done.err) == (0, ""), "a log shows no progress"


@pytest.mark.parametrize("command", [["check"], ["report", "-o", "r.html"]])
def test_a_verdict_says_what_it_is_at(command: list[str], cli: Cli) -> None:
    """Rows read, then each phase with the rows of its pass; and with a limit how long it can take at most."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:, 0] += np.sign(X[:, 0])  # a wide street, so that the perceptron is done at once
    np.savez("t.npz", X=X, y=(X[:, 0] > 0).astype(int))
    arguments = [*command[:1], "t.npz", "--target", "y", *command[1:], "--time-limit", "100"]
    out, err = on_a_terminal(*arguments, columns=120)
    shown = ESCAPE.sub("", err)
    assert re.search(r"[\d,]+ rows read from t.npz · [\d.,]+ (million )?rows/s", shown)
    for phase in ("reading the rows", "seeking a hyperplane", "measuring the margins", "checking the proof"):
        assert re.search(rf"{phase} · \d+ rows · at most \d+ s", shown), phase
    assert "Completely separable" in ESCAPE.sub("", out)
    done = cli(*arguments)
    assert (done.code, done.err) == (0, ""), "a log shows no progress"


# ------------------------------------------------------------------------------------------------------ every command

CHEAP = [
    ["check", "two.csv", "--target", "y", "--certificate", "two.json"],
    ["check", "trial.csv", "--target", "died", "--coefficients"],
    ["verify", "two.json", "two.csv"],
    ["estimate", "trial.csv", "--target", "died"],
    ["check", "two.csv", "--target", "y", "--store", "two.store"],
    ["fit", "two.csv", "--target", "y", "-o", "m.model", "--force", "--passes", "20"],
    ["fit", "two.csv", "--target", "y", "-o", "a.model", "--force", "--learner", "auto", "--cv", "2"],
    [
        "fit",
        "two.csv",
        "--target",
        "y",
        "-o",
        "f.model",
        "--force",
        "--rff",
        "5",
        "--cv",
        "2",
        "--validation",
        "two.csv",
    ],
    ["predict", "f.model", "two.csv", "--proba"],
    ["predict", "m.model", "two.csv", "-o", "out.csv"],
    ["predict", "m.model", "two.csv"],
    ["count", "20", "5"],
    ["gate", "a AND (b OR c)"],
    ["gate", "a xor b xor c"],
    ["gate", "a xor b", "--table", "--learn"],
    ["filter", "echo.csv", "--task", "identify", "--taps", "40"],
    ["filter", "echo.csv", "--taps", "4", "-o", "clean.csv"],
    ["probe", "acts.npy", "labels.csv"],
    ["screen", "trial.csv", "--outcomes", "died", "--jobs", "1"],
    ["check", "nothing.csv", "--target", "y"],
]
COSTLY = [  # in one terminal of either width
    ["compare", "two.csv", "--target", "y", "--passes", "20"],
    ["report", "two.csv", "--target", "y", "-o", "r.html"],
    ["lab", "--no-browser"],
    ["warmup"],
    *([command, "--help"] for command in COMMANDS),
]
TERMINALS = {
    "60, NO_COLOR": (60, {"NO_COLOR": "1"}, [*CHEAP, COSTLY[0], ["--help"]]),
    "80, colour": (80, {}, CHEAP + COSTLY),
    "80, NO_COLOR": (80, {"NO_COLOR": "1"}, CHEAP),
    "120, colour": (120, {}, CHEAP),
    "120, dumb": (120, {"TERM": "dumb"}, CHEAP + COSTLY),
}
BAD = ("Traceback", "should not have happened", "TypeError", "AttributeError", "KeyError")
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def test_every_command_has_a_terminal() -> None:
    assert {command[0] for command in CHEAP + COSTLY if "--help" not in command} == set(COMMANDS)


@pytest.fixture
def files(folder: Path) -> Path:
    rng = np.random.default_rng(7)
    two = [f"{rng.normal(4 * y):.3f},{rng.normal():.3f},{'yes' if y else 'no'}" for y in rng.integers(0, 2, 60)]
    Path("two.csv").write_text("a,b,y\n" + "\n".join(two) + "\n")
    trial = [
        f"{rng.integers(20, 90)},{'mf'[i % 2]},c{i % 12:02d},{int(i % 12 != 3 and rng.random() < 0.4)}"
        for i in range(240)
    ]
    Path("trial.csv").write_text("age,sex,centre,died\n" + "\n".join(trial) + "\n")
    np.save("acts.npy", rng.normal(size=(60, 3)))
    Path("labels.csv").write_text("word\n" + "\n".join(str(i % 2) for i in range(60)) + "\n")
    u = rng.normal(size=500)
    Path("echo.csv").write_text("u,d\n" + "".join(f"{a:.4f},{b:.4f}\n" for a, b in zip(u, 0.5 * u, strict=True)))
    return folder


@pytest.mark.parametrize("name", TERMINALS)
def test_every_command_in_a_terminal(name: str, files: Path) -> None:
    columns, environment, commands = TERMINALS[name]
    seen = _watched(lambda out, err, env: start_all(files, commands, out, err, env), columns, environment)
    outs, errs = (stream.split(MARK) for stream in seen)
    assert len(outs) == len(errs) == 2 * len(commands) + 1, (outs[-1], errs[-1])
    for command, out, err, code in zip(commands, outs[::2], errs[::2], outs[1::2], strict=False):
        told = f"{' '.join(command)}: {out}{err}"
        refused = "nothing.csv" in command
        assert code == ("2" if refused else "0"), told
        assert not any(word in out + err for word in BAD), told
        assert bool(out.strip()) == (not refused and "out.csv" not in command), told  # data are on standard output
        if name.endswith("dumb"):
            assert "\x1b" not in out + err, told
        if environment:
            assert not STYLE.search(out + err), told
        assert "\x1b[?25l" not in out, told  # whoever draws over lines does it on standard error
        if command[0] != "predict":  # which writes CSV
            _assert_lines_fit(out, columns, told)
        _assert_lines_fit(err, columns, told)
    if not environment:
        assert "\x1b[32mproved\x1b[0m" in outs[0]


def _assert_lines_fit(text: str, columns: int, told: str) -> None:
    lines = re.split(r"[\r\n]+", ESCAPE.sub("", text))
    assert max(map(len, lines)) <= columns, told


def test_the_list_of_commands_is_not_cut(folder: Path) -> None:
    out, _ = on_a_terminal("--help", columns=60)
    assert "..." not in out.partition("Commands:")[2]
    assert "Prove whether a hyperplane can tell the two classes" in re.sub(r"\s+", " ", out)


def test_a_path_is_not_cut(cli: Cli, sonar: Path) -> None:
    """Whoever copies it from the answer has it whole."""
    folder = Path("a-folder-whose-name-is-long") / ("another-" * 12 + "one")
    folder.mkdir(parents=True)
    done = cli("report", sonar, "--target", "material", "-o", folder / "r.html")
    assert f"{folder / 'r.html'}\n" in done.out
