"""Every example runs."""

import functools
import re
import tempfile
from pathlib import Path

import pytest

from tests.cli import children

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@functools.cache
def said(script: Path) -> str:
    """What an example prints, in a process and a folder of its own; each runs once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        child = children.start_script(folder, script)
        child.join()
        assert child.exitcode == 0, (folder / "err").read_text()
        return (folder / "out").read_text()


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
