"""Every example runs."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_sonar_prints_outcome_corrections_and_bound() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES[0].parent / "sonar.py")], capture_output=True, text=True, check=True
    )
    for words in ("SEPARATED", "errors        0 of 208", "1,449,584 in", "36,475,189,234 corrections at most"):
        assert words in done.stdout
