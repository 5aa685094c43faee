"""The page, and the page in one file: the module, the points and their answer inlined, no network, no server."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from rosenblatt.lab.presets import presets

__all__ = ["index", "module", "standalone"]

_SHELL = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{policy}<title>{title}</title>
<link rel="icon" href="data:,">
<body>
<div data-rosenblatt-lab="{home}"></div>
<noscript>The lab draws with JavaScript, which this browser has switched off.</noscript>
{scripts}
</body>
</html>
"""


def module() -> str:
    """The built module."""
    return files("rosenblatt.lab").joinpath("static", "lab.js").read_text(encoding="utf-8")


def index() -> str:
    """The server's page; nothing in it is private."""
    scripts = '<script type="module" src="/lab.js"></script>'
    return _SHELL.format(policy="", title="Perceptron lab", home="server", scripts=scripts)


def standalone(message: bytes, answer: bytes, facts: dict[str, Any]) -> str:
    """One HTML file that replays `answer`, the simulation of the points in `message`, and lets the points be moved."""
    content = {
        "presets": presets(),
        "message": b64encode(message).decode(),
        "answer": b64encode(answer).decode(),
        **facts,
    }
    code = module().replace("</script", "<\\/script")
    digest = b64encode(sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; img-src data: blob:"
    data = json.dumps(content).replace("<", "\\u003c")
    return _SHELL.format(
        policy=f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n',
        title=escape(str(facts.get("title", "Perceptron lab"))),
        home="file",
        scripts=f'<script type="application/json">{data}</script>\n<script type="module">{code}</script>',
    )
