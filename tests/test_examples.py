"""Every example runs."""

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@functools.cache
def said(script: Path) -> str:
    """What an example prints, in a process and a folder of its own; each runs once."""
    quiet = {**os.environ, "MPLBACKEND": "Agg"}  # no windows
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=folder, env=quiet
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script: Path) -> None:
    assert said(script).strip()


def test_sonar_prints_outcome_corrections_and_bound() -> None:
    printed = said(EXAMPLES[0].parent / "sonar.py")
    for words in (
        "Completely separable",
        "proved",
        "SEPARATED after 1,449,584 corrections",
        "certificate       complete",
    ):
        assert words in printed
    assert re.search(r"makes at most 14,10\d,\d\d\d corrections", printed)
