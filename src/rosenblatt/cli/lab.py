"""`rosenblatt lab`: hand over to `python -m rosenblatt.lab` in this very process; nothing of it is imported before."""

import runpy
import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["lab"]


def lab(
    data: Annotated[Path | None, typer.Argument(help="A CSV file to open with.", metavar="[DATA]")] = None,
    target: Annotated[str | None, typer.Option(help="The column with the class.", metavar="COLUMN")] = None,
    port: Annotated[int, typer.Option(help="A fixed port; a free one is taken otherwise.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser, or only print the address.")] = True,
) -> None:
    """Open the perceptron lab in the browser: add and drag points, step through every correction, load your own table.

    Examples
    --------
        rosenblatt lab
        rosenblatt lab flowers.csv --target species
    """
    arguments = ["rosenblatt lab", "--port", str(port)]
    arguments += [] if target is None else ["--target", target]
    arguments += [] if browser else ["--no-browser"]
    arguments += [] if data is None else ["--", str(data)]
    before, sys.argv = sys.argv, arguments
    try:
        runpy.run_module("rosenblatt.lab", run_name="__main__")
    finally:
        sys.argv = before
