"""The directive `picture`: what a script drew, for light pages and for dark ones; folding.py folds the script below."""

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from draw import figures_of

FOLDER = "_pictures"


class Picture(SphinxDirective):
    """Runs its content, and shows the figures it made above the script."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """One image for each figure and theme, then the script."""
        text = "\n".join(self.content)
        folder = Path(self.env.srcdir) / FOLDER
        folder.mkdir(exist_ok=True)
        found: list[nodes.Node] = []
        for theme in ("light", "dark"):
            for path in figures_of(text, folder, theme):
                image = nodes.image(uri=f"/{FOLDER}/{path.name}", alt=self.options["alt"])
                image["classes"] += [f"only-{theme}", "picture"]
                found.append(image)
        script = nodes.literal_block(text, text, language="python")
        script["classes"].append("made")  # folding.py folds it
        return [*found, script]


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": False}
