"""The directive `lab`: the lab itself in a page, at a room or with points, and a picture where the sources are read.

:::{lab} What the frame is called
:points: rb.datasets.xor()
:settings: phi="product"
:figure:

![words for those who do not see it](drawn/lab-….png)
:::

`:figure:` leaves the lab's tabs and tools away. In the book the frame takes the place of what is between the colons; in
the repository the picture is seen. The lab is one file, written beside the pages when the book is built, and frames are
loaded when they come into view.
"""

from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from fragment import fragment_of
from rosenblatt.lab.page import standalone

FILE = "_static/lab.html"
DRAWN = "drawn"  # pictures for the repository


class LabFrame(SphinxDirective):
    """The lab, loaded when it is scrolled to."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("points", "settings", "room", "show", "state", "k", "figure"), directives.unchanged
    )

    def run(self) -> list[nodes.Node]:
        """One frame, and a link to the same in a window of its own."""
        up = "../" * self.env.docname.count("/")
        fragment = fragment_of(self.options)
        address = escape(f"{up}{FILE}{fragment}")
        title = escape(self.arguments[0])
        kind = " as-figure" if "figure" in self.options else ""
        kind += " of-points" if kind and "room" not in self.options else ""
        frame = f'<iframe loading="lazy" title="{title}" src="{address}"></iframe>'
        caption = f'{title}. <a href="{address}" target="_blank" rel="noopener">In a window of its own</a>'
        html = f'<figure class="lab-frame{kind}">{frame}<figcaption>{caption}</figcaption></figure>'
        return [nodes.raw("", html, format="html")]


class WithoutDrawn(SphinxTransform):
    """In the book pictures are drawn for light and for dark: those for the repository are left out."""

    default_priority = 1

    def apply(self, **given: Any) -> None:
        """Remove them, and the paragraphs they leave empty."""
        for image in list(self.document.findall(nodes.image)):
            if f"{DRAWN}/" not in image["uri"]:
                continue
            home = image.parent
            home.remove(image)
            if not home.children:
                home.parent.remove(home)


def write_lab(app: Any, failure: Exception | None) -> None:
    """The lab's one file, with the book beside it."""
    if failure is None:
        (Path(app.outdir) / FILE).write_text(standalone(book=".."), encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_directive("lab", LabFrame)
    app.add_transform(WithoutDrawn)
    app.connect("build-finished", write_lab)
    return {"parallel_read_safe": True}
