"""Every example runs."""

import functools
import io
import re
import runpy
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import matplotlib
import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@functools.cache
def said(script: Path) -> str:
    """What an example prints, in a folder of its own and without a screen; each runs once."""
    matplotlib.use("Agg")
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        patch.object(sys, "argv", [str(script)]),
        warnings.catch_warnings(),
        redirect_stdout(io.StringIO()) as printed,
    ):
        warnings.simplefilter("default")  # as where it is run by hand
        runpy.run_path(str(script), run_name="__main__")
    plt.close("all")
    return printed.getvalue()


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
