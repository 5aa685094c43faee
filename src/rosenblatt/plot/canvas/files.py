"""Pictures in files, written completely or not at all."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from rosenblatt.data.files import write_whole

__all__ = ["refuse_other_kinds", "save_figure"]

_KINDS = (".png", ".svg", ".pdf")


def refuse_other_kinds(path: Path | None) -> None:
    """Refuse a name whose ending is no kind of picture."""
    if path is not None and path.suffix.lower() not in _KINDS:
        raise ValueError(f"{path}: pictures are written as {', '.join(_KINDS)}.")


def save_figure(draw: Callable[[], Any], path: Path) -> None:
    """Write the matplotlib figure that `draw` makes, without a screen; the ending of the name says how."""
    import matplotlib as mpl

    content = BytesIO()
    with mpl.rc_context({"backend": "agg"}):
        draw().savefig(content, dpi=150, format=path.suffix[1:].lower())
    write_whole(path, content.getvalue())
