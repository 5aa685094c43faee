"""Code is folded where a page is prose first, and each part of a lecture says where it is in the lecture.

In the pages of `lectures/` all code of a section, tests and scripts of pictures, goes into one fold at its end, "How
this was made"; a block after the comment `<!-- shown -->` stays. On other pages only the scripts of pictures are
folded. Under the heading of each part stands its row of `lectures/parts.md`, the one home of these places.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

LECTURES = "lectures/"
SHOWN = "<!-- shown -->"
_ROW = re.compile(
    r"\| (?P<part>S\d\.\d+) \| (?P<place>.*?) \| \[.*?\]\(.*?\) \| (?P<see>.*?) \| (?P<type>.*?) \| (?P<call>.*?) \|"
)


def rows(folder: Path) -> dict[str, dict[str, str]]:
    """The table of parts: where each is in its lecture, in the lab, at the command line, in Python."""
    text = (folder / LECTURES / "parts.md").read_text(encoding="utf-8")
    return {found["part"]: found.groupdict() for found in _ROW.finditer(text)}


def fold(app: Any, doctree: nodes.document) -> None:
    """Move code behind a fold; in the lectures a section's after all of its text."""
    lecture = app.env.docname.startswith(LECTURES)
    carried: list[nodes.Node] = []  # what stands before the first part: imports
    for section in list(doctree.findall(nodes.section)):
        if not lecture:
            for block in [child for child in section.children if _is_script(child)]:
                section.replace(block, _folded([block]))
            continue
        code = _code(section)
        for block in code:
            section.remove(block)
        if any(isinstance(child, nodes.section) for child in section.children):
            carried += code
        elif code:
            section.extend(_folded(carried + code))
            carried = []


def _is_script(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal_block) and "made" in node["classes"]


def _code(section: nodes.section) -> list[nodes.Node]:
    """The blocks of a section to fold: not those of an answer, which is folded by itself, nor what is to be seen."""
    found, depth, shown = [], 0, False
    for child in section.children:
        if isinstance(child, nodes.literal_block) and not depth and not shown:
            found.append(child)
        text = child.astext() if isinstance(child, (nodes.raw, nodes.comment)) else ""
        depth += text.count("<details") - text.count("</details")
        shown = "shown" in text and "<details" not in text
    return found


def _folded(blocks: list[nodes.Node]) -> list[nodes.Node]:
    return [
        nodes.raw("", '<details class="made"><summary>How this was made</summary>', format="html"),
        *blocks,
        nodes.raw("", "</details>", format="html"),
    ]


def place(app: Any, doctree: nodes.document) -> None:
    """The line under the heading of a part: S0.6 says what it is."""
    if not app.env.docname.startswith(LECTURES):
        return
    parts = rows(Path(app.srcdir))
    app.env.note_dependency(f"{LECTURES}parts.md")
    for section in doctree.findall(nodes.section):
        row = parts.get(section[0].astext().split()[0])
        if row is not None:
            section.insert(1, _line(row, "../" * app.env.docname.count("/")))


def _line(row: dict[str, str], up: str) -> nodes.paragraph:
    line = nodes.paragraph(classes=["place"])
    line += nodes.Text(f"In the lecture: {row['place']} · in the lab: ")
    for k, room in enumerate(re.findall(r"\*(\w+)\*", row["see"])):
        address = f"{up}_static/lab.html#room={room.lower()}"
        line += nodes.Text(", " if k else "")
        line += nodes.raw("", f'<a href="{address}">{room}</a>', format="html")
    line += nodes.Text(" · type: ")
    line += nodes.literal("", row["type"].strip("`"))
    line += nodes.Text(" · call: ")
    for k, name in enumerate(re.findall(r"`rb\.([\w.]+)`", row["call"])):
        line += nodes.Text(", " if k else "")
        xref = pending_xref("", refdomain="py", reftype="obj", reftarget=f"rosenblatt.{name}", refexplicit=True)
        xref += nodes.literal("", f"rb.{name}")
        line += xref
    return line


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("doctree-read", fold)
    app.connect("doctree-read", place)
    return {"parallel_read_safe": True}
