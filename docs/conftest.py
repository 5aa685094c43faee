"""Pages are run as doctests; what Sphinx needs or makes is not."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

collect_ignore_glob = ["*.py", "_build/*", "gallery/*", "reference/generated/*"]


@pytest.fixture(autouse=True)
def _quiet_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pictures are drawn, not shown; a page finds the book's data in a folder of its own, and writes there."""
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    shutil.copytree(Path(__file__).parent / "data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    with mpl.rc_context({"figure.max_open_warning": 0}):
        yield
    plt.close("all")
