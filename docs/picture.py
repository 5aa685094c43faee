"""The directive `picture`: what a script drew, for light pages and for dark ones; folding.py folds the script below."""

import hashlib
import warnings
from pathlib import Path
from typing import Any, ClassVar

from cycler import cycler
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

FOLDER = "_pictures"
LIGHT = {"axes.prop_cycle": cycler(color=["#0060b0", "#c65312", "#007d5a", "#8b1a89", "#6a6f76"])}
DARK = dict.fromkeys(("savefig.facecolor", "figure.facecolor", "axes.facecolor"), "#14181e")
DARK |= {"axes.prop_cycle": cycler(color=["#5fa8f5", "#f0893a", "#4fd1a5", "#d98fd8", "#a5abb3"])}
COMMON = {
    "figure.figsize": (7.0, 4.2),
    "figure.constrained_layout.use": True,
    "font.size": 10.0,
    "savefig.dpi": 110,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


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
            for path in draw(text, folder, theme):
                image = nodes.image(uri=f"/{FOLDER}/{path.name}", alt=self.options["alt"])
                image["classes"] += [f"only-{theme}", "picture"]
                found.append(image)
        script = nodes.literal_block(text, text, language="python")
        script["classes"].append("made")  # folding.py folds it
        return [*found, script]


def name_of(text: str) -> str:
    """A name that changes with the script."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def draw(text: str, folder: Path, theme: str) -> list[Path]:
    """Run a script and save each of its figures."""
    import matplotlib.pyplot as plt

    name = name_of(text)
    style = ["dark_background", COMMON | DARK] if theme == "dark" else [COMMON | LIGHT]
    with plt.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that does not end SEPARATED warns; the tests see to the others
        exec(compile(text, name, "exec"), {})
        paths = [folder / f"{name}-{theme}-{number}.png" for number in plt.get_fignums()]
        for path, number in zip(paths, plt.get_fignums(), strict=True):
            plt.figure(number).savefig(path)
            if theme == "light":  # for slides and handouts: kit.py
                plt.figure(number).savefig(folder / f"{name}-{number}.svg")
        plt.close("all")
    if not paths:
        raise ValueError(f"this picture draws nothing: {text}")
    return paths


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": False}
