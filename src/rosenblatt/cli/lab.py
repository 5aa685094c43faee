"""`rosenblatt lab`: the perceptron lab in the browser."""

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from rosenblatt.cli.options import argument, option
from rosenblatt.cli.output import DONE, outputs

__all__ = ["command"]


def command(
    data: Annotated[Path | None, argument("DATA", "A table to open with: CSV, a sheet, Parquet, …")] = None,
    target: Annotated[str | None, option("The column with the class.", "COLUMN")] = None,
    port: Annotated[int, option("A fixed port; a free one is taken otherwise.", min=0, max=65535)] = 0,
    browser: Annotated[bool, option("Open the browser, or only print the address.")] = True,
    present: Annotated[bool, option("For a projector: large type, and keys that work everywhere.")] = False,
    save: Annotated[Path | None, option("Write the lab into one HTML file instead of serving it.", "FILE")] = None,
) -> int:
    """Open the perceptron lab in the browser.

    Drag points, step through every correction, load a table of your own. It runs on this machine only, until Ctrl-C.
    With --save it is one HTML file, which proves its verdicts by itself, to be sent or put on any site. With --present
    Space plays, comma and full stop, or a clicker, step back and forward.

    For example:
      rosenblatt lab
      rosenblatt lab flowers.csv --target species
      rosenblatt lab --port 8000 --no-browser
      rosenblatt lab --present
      rosenblatt lab --save lab.html
    """
    from rosenblatt.data.files import write_whole
    from rosenblatt.lab.page import Doorway, standalone
    from rosenblatt.lab.server import listen, serve
    from rosenblatt.lab.upload import read_upload

    outputs.make_ready(save, inputs=[data])
    table = None if data is None else read_upload(data)
    content: dict[str, Any] = {} if table is None else {"table": table.packed(target)}  # refuses an unknown target
    if save is not None:
        write_whole(save, standalone(**content).encode())
        print(f"The lab is in {save}: it needs nothing else, and opens in any browser.")
        return DONE

    doors: list[Doorway] = []

    def opened(address: str) -> None:
        address += "&present" * present
        print(f"The lab is at {address}\nCtrl-C ends it.", flush=True)
        if browser:
            doors.append(Doorway(address))
            webbrowser.open(doors[0].address)  # not the address itself: all users see the arguments of all processes

    def arrived() -> None:
        for door in doors:
            door.remove()

    listener = listen(port)
    try:
        with suppress(KeyboardInterrupt):  # Ctrl-C is the way to end it
            serve(listener, table, target, opened, arrived)
    finally:
        arrived()  # a browser that never came
    return DONE
