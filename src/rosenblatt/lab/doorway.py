"""A page on disk that leads a browser to the lab, so that the key is in no argument of a process.

All users of a machine can list the arguments of all processes. So the browser is given the name of a file that only
its owner can read, and the file has the address.
"""

import html
import json
import os
import tempfile
from pathlib import Path

__all__ = ["Doorway"]

_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>The lab</title>
<meta http-equiv="refresh" content="1; url={address}">
<script>location.replace({quoted})</script>
<p><a href="{address}">To the lab</a></p>
"""


class Doorway:
    """A file with the address in it, in a folder of its own; at the latest it goes when the program ends."""

    def __init__(self, address: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rosenblatt-lab-", ignore_cleanup_errors=True)
        self.file = Path(self._folder.name) / "lab.html"
        page = _PAGE.format(address=html.escape(address), quoted=json.dumps(address).replace("<", "\\u003c"))
        with os.fdopen(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(page)

    @property
    def address(self) -> str:
        """What a browser is given; it tells nothing."""
        return self.file.as_uri()

    def remove(self) -> None:
        """Remove the file and its folder; more than once does no harm."""
        self._folder.cleanup()
