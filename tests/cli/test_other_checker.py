"""`verify --with`: any program may check, and one that gives no answer is not taken for one that says yes."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def certified(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("x,y\n1,no\n2,yes\n")
    cli("check", "t.csv", "--target", "y", "--certificate", "t.json")


def script(text: str) -> str:
    Path("judge").write_text(f"#!/bin/sh\n{text}\n")
    Path("judge").chmod(0o755)
    return "judge"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("echo 'holds: complete: all is well'", 0, "It holds. Complete: all is well."),
        ("echo 'does not hold: a flaw'; exit 1", 1, "t.json does not hold: a flaw."),
        ("echo 'is not about these data: others'; exit 2", 2, "t.json is not about t.csv: others."),
        ("echo 'is not read: of another version'; exit 3", 2, "judge does not read it: of another version."),
        ("exit 0", 2, "judge gave no answer: it ended with 0."),
        ("echo 'holds: all'; exit 1", 2, "judge gave no answer: it ended with 1."),
        ("kill -9 $$", 2, "judge gave no answer: it ended with -9."),
    ],
)
def test_what_another_program_says(text: str, code: int, words: str, cli: Cli, certified: None) -> None:
    done = cli("verify", "t.json", "t.csv", "--with", script(text))
    assert done.code == code
    assert words in (done.err if code else done.out)


def test_it_gets_the_rows_and_the_labels(cli: Cli, certified: None) -> None:
    copy = script('cp "$2" seen; echo "holds: x"')
    assert cli("verify", "t.json", "t.csv", "--with", copy).code == 0
    assert Path("seen").read_bytes().hex() == "000000000000f03f" + "0000000000000040" + "ff" + "01"


def test_a_program_that_is_not_there(cli: Cli, certified: None) -> None:
    done = cli("verify", "t.json", "t.csv", "--with", "nobody")
    assert done.code == 2
    assert "nobody cannot be run" in done.err
