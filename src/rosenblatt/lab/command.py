"""What `python -m rosenblatt.lab [DATA --target COLUMN]` and `rosenblatt lab` do: serve, and open the browser."""

import argparse
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Any

from rosenblatt.data.files import write_whole
from rosenblatt.lab.page import standalone
from rosenblatt.lab.server import listen, serve
from rosenblatt.lab.upload import read_upload

__all__ = ["main", "run_lab"]


def main(arguments: list[str] | None = None) -> int:
    """Start the server, open the page, stay until Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="rosenblatt lab", description="Open the perceptron lab in the browser; Ctrl-C ends it."
    )
    parser.add_argument("data", nargs="?", type=Path, metavar="DATA", help="a CSV file to open with")
    parser.add_argument("--target", metavar="COLUMN", help="the column with the class")
    parser.add_argument("--port", type=int, default=0, help="a fixed port (a free one is taken otherwise)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the lab into one HTML file instead")
    chosen = parser.parse_args(arguments)
    return run_lab(chosen.data, chosen.target, chosen.port, not chosen.no_browser, chosen.save)


def run_lab(data: Path | None, target: str | None, port: int, browser: bool, save: Path | None = None) -> int:
    """Serve the lab, with a table to open with if one is given, until Ctrl-C, or save it; returns the exit code."""
    try:
        table = None if data is None else read_upload(data.read_bytes(), data.name)
        content: dict[str, Any] = (
            {} if table is None else {"table": table.packed(target)}
        )  # refuses what cannot be the target
        if save is not None:
            return _save(save, standalone(**content))
        listener = listen(port)
    except (OSError, ValueError) as why:
        sentence = f"{data} cannot be read: {why.strerror}." if isinstance(why, OSError) else str(why)
        print(f"rosenblatt: {sentence}", file=sys.stderr)
        return 2

    def opened(address: str) -> None:
        print(f"The lab is at {address}\nCtrl-C ends it.", flush=True)
        if browser:
            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # Ctrl-C is the way to end it
        serve(listener, table, target, opened)
    return 0


def _save(path: Path, page: str) -> int:
    """Write the lab into one file."""
    try:
        write_whole(path, page.encode())
    except OSError as why:
        raise ValueError(f"{path} cannot be written: {why.strerror}.") from None
    print(f"The lab is in {path}: it needs nothing else, and opens in any browser.")
    return 0
