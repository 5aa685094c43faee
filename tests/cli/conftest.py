"""The program run in this process, in a folder of its own."""

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from rosenblatt.cli.app import main

collect_ignore = ["preloaded.py"]  # it is for children, and a search for doctests would run it in every worker


class Done(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(folder: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    def run(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(one) for one in arguments])
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def sonar(folder: Path) -> Path:
    shutil.copy(str(files("rosenblatt.datasets").joinpath("sonar.csv")), folder / "sonar.csv")
    return Path("sonar.csv")


@pytest.fixture
def pets(folder: Path) -> Path:
    """Text, numbers and a third class."""
    rows = ["4.1,long,cat", "30,short,dog", "3.9,short,cat", "25,long,dog", "0.3,none,fish", "0.2,none,fish"]
    Path("pets.csv").write_text("weight,coat,pet\n" + "\n".join(rows) + "\n")
    return Path("pets.csv")
