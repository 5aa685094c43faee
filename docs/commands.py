"""The directive `commands`: what `rosenblatt COMMAND --help` says, for every command there is."""

import io
import os
from contextlib import redirect_stdout
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from rosenblatt.cli.app import COMMANDS, main


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Ask the program."""
        return [self._section(name) for name in COMMANDS]

    def _section(self, name: str) -> nodes.Node:
        section = nodes.section(ids=[nodes.make_id(name)], names=[name])
        section += nodes.title(text=name)
        text = help_of(name)
        section += nodes.literal_block(text, text, language="text")
        self.state.document.note_implicit_target(section)
        return section


def help_of(name: str) -> str:
    """What a command says about itself, in 100 columns."""
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    with redirect_stdout(io.StringIO()) as said:
        main([name, "--help"])
    return said.getvalue().strip()


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
