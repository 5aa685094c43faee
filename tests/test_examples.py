"""Every example runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script: Path, tmp_path: Path) -> None:
    quiet = {**os.environ, "MPLBACKEND": "Agg"}  # no windows
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path, env=quiet
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_sonar_prints_outcome_corrections_and_bound() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES[0].parent / "sonar.py")], capture_output=True, text=True, check=True
    )
    for words in (
        "Completely separable",
        "proved",
        "SEPARATED after 1,449,584 corrections",
        "certificate       complete",
    ):
        assert words in done.stdout
    assert re.search(r"makes at most 14,10\d,\d\d\d corrections", done.stdout)
