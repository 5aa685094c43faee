"""The page; the page in one file: module and points inlined, no network; a page on disk that leads to the server."""

import html
import json
import os
import re
import tempfile
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from rosenblatt.lab.presets import presets

__all__ = ["Doorway", "index", "module", "of_state", "standalone"]

_STATE = re.compile(r"s=[\w-]+|room=[a-z]+&t=[\w-]+", re.ASCII)  # as Share writes it


def _file(*path: str) -> str:
    return files("rosenblatt.lab").joinpath(*path).read_text(encoding="utf-8")


def module() -> str:
    """The built module."""
    return _file("static", "lab.js")


def index() -> str:
    """The server's page; nothing in it is private."""
    scripts = '<script type="module" src="/lab.js"></script>'
    return _file("page.html").format(policy="", title="Perceptron lab", home="server", scripts=scripts)


def standalone(title: str = "Perceptron lab", **content: bytes | str | list[str]) -> str:
    """The lab in one HTML file, which decides and proves by itself; `content` is what it opens with, bytes in base64.

    `message`, points with `names` and `classes`; or `table`, a packed upload; or `state`, what
    Share writes; or nothing.
    """
    written = {name: b64encode(v).decode() if isinstance(v, bytes) else v for name, v in content.items()}
    code = module().replace("</script", "<\\/script")
    digest = b64encode(sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; img-src data: blob:"
    data = json.dumps({"presets": presets(), **written}, separators=(",", ":")).replace("<", "\\u003c")
    return _file("page.html").format(
        policy=f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n',
        title=escape(title),
        home="file",
        scripts=f'<script type="application/json">{data}</script>\n<script type="module">{code}</script>',
    )


def of_state(state: bytes) -> bytes:
    """The lab in one file that opens with a state of the page: what the server and the notebook do with one."""
    text = state.decode("ascii", "replace")
    if not _STATE.fullmatch(text):
        raise ValueError("that is not a state of the lab.")
    return standalone(state=text).encode()


# -------------------------------------------------------------------------------------------------------------- on disk
# All users of a machine can list the arguments of all processes. So the browser is given the name of a file that only
# its owner can read, and the file has the address.


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
