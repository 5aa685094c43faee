"""`rosenblatt lab`: the perceptron lab in the browser."""

from pathlib import Path
from typing import Annotated

from rosenblatt.cli.options import argument, option

__all__ = ["command"]


def command(
    data: Annotated[Path | None, argument("DATA", "A CSV file to open with.")] = None,
    target: Annotated[str | None, option("The column with the class.", "COLUMN")] = None,
    port: Annotated[int, option("A fixed port; a free one is taken otherwise.", min=0, max=65535)] = 0,
    browser: Annotated[bool, option("Open the browser, or only print the address.")] = True,
    save: Annotated[Path | None, option("Write the lab into one HTML file instead of serving it.", "FILE")] = None,
) -> int:
    """Open the perceptron lab in the browser.

    Drag points, step through every correction, load a table of your own. It runs on this machine only, until Ctrl-C.
    With --save it is one HTML file, which proves its verdicts by itself, to be sent or put on any site.

    For example:
      rosenblatt lab
      rosenblatt lab flowers.csv --target species
      rosenblatt lab --port 8000 --no-browser
      rosenblatt lab --save lab.html
    """
    from rosenblatt.lab.command import run_lab

    return run_lab(data, target, port, browser, save)
