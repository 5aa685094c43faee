"""Pages are run as doctests; what Sphinx needs or makes is not."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest

collect_ignore_glob = ["*.py", "_build/*", "gallery/*", "reference/generated/*"]


@pytest.fixture(autouse=True)
def _quiet_figures(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pictures are drawn, not shown, and gone afterwards; files that a page writes go to a folder of its own."""
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    monkeypatch.chdir(str(tmp_path))
    with mpl.rc_context({"figure.max_open_warning": 0}):
        yield
    plt.close("all")
