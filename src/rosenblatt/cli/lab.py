"""`rosenblatt lab`: the perceptron lab in the browser."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    data: Annotated[Path | None, typer.Argument(help="A CSV file to open with.", metavar="DATA")] = None,
    target: Annotated[str | None, typer.Option(help="The column with the class.", metavar="COLUMN")] = None,
    port: Annotated[int, typer.Option(help="A fixed port; a free one is taken otherwise.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser, or only print the address.")] = True,
) -> int:
    """Open the perceptron lab in the browser.

    Drag points, step through every correction, load a table of your own. It runs on this machine only, until Ctrl-C.

    For example:
      rosenblatt lab
      rosenblatt lab flowers.csv --target species
      rosenblatt lab --port 8000 --no-browser
    """
    from rosenblatt.lab.command import run_lab

    return run_lab(data, target, port, browser)
