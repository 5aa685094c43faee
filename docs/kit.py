"""`make kit`, for teachers: a notebook for each lecture, its solutions apart, and every picture as SVG.

`kit/NAME.md` is the one source of both notebooks. Text is text; a block of `python` is a cell; `python exercise` is
what the student completes, `python solution` what stands there in the other notebook, `python check` says whether it
is right. They are written beside the book too, when it is built; lectures/teaching.md lists them.
"""

import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # this folder's own modules

from draw import figures_of, name_of

DOCS = Path(__file__).parent
SOURCES = DOCS / "kit"
DATA = ("and", "xor", "films", "room", "patients")
IN_REPOSITORY = " (In the repository the links need `make kit`, which writes all of this into the folder `kit`.)"
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A kit for teachers</title>
<meta name="viewport" content="width=device-width"><style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid #888; padding: 0.3rem 0.8rem; text-align: left; vertical-align: top; }
</style>
"""
CHECK = '''def check(good, hint):
    """Say whether an answer is right; what is not finished is not right yet."""
    try:
        right = bool(good())
    except Exception as why:
        right, hint = False, f"{hint} ({type(why).__name__}: {why})"
    print("Right." if right else f"Not yet: {hint}")'''
_PLACE = re.compile(
    r"^## (?:(?P<part>S\d\.\d+) )?|^```\{picture\}\n:alt: [^\n]*\n\n(?P<script>.*?)\n```"
    r"|^!\[[^\n]*\]\((?P<drawn>[^\n]*/lab-\w+\.png)\)\n:::",
    re.M | re.S,
)
_BLOCK = re.compile(r"^```python ?(exercise|solution|check|)\n(.*?)\n```\n", re.S | re.M)

Cell = tuple[str, str]  # its kind ("text", "", "exercise", "solution", "check"), and what is in it


def cells_of(name: str) -> list[Cell]:
    """The parts of a source, in their order; after the first code comes the function that checks."""
    text = (SOURCES / f"{name}.md").read_text(encoding="utf-8")
    found: list[Cell] = []
    at = 0
    for block in _BLOCK.finditer(text):
        found += [("text", words)] if (words := text[at : block.start()].strip()) else []
        found.append((block[1], block[2]))
        if len([kind for kind, _ in found if kind != "text"]) == 1:
            found.append(("", CHECK))
        at = block.end()
    return found


def chosen(name: str, solved: bool) -> list[Cell]:
    """The cells of one of the two notebooks."""
    left_out = "exercise" if solved else "solution"
    return [cell for cell in cells_of(name) if cell[0] != left_out]


def notebook(name: str, solved: bool) -> str:
    """As Jupyter reads it (nbformat 4.5)."""
    cells = []
    for number, (kind, text) in enumerate(chosen(name, solved)):
        cell: dict[str, Any] = {"id": f"{name}-{number}", "metadata": {}, "source": text}
        code = {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append(cell | ({"cell_type": "markdown"} if kind == "text" else code))
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def names() -> list[str]:
    """The lectures that have a notebook."""
    return sorted(path.stem for path in SOURCES.glob("*.md"))


def write_papers(folder: Path) -> None:
    """The notebooks and the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        (folder / f"{name}.ipynb").write_text(notebook(name, solved=False), encoding="utf-8")
        (folder / f"{name}-solutions.ipynb").write_text(notebook(name, solved=True), encoding="utf-8")
    for name in DATA:
        shutil.copy(DOCS / "data" / f"{name}.csv", folder)


def write_figures(folder: Path, path: Path) -> None:
    """The lectures' pictures, from a folder where each is, or will be drawn; the lab's figures as in the repository."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, script, drawn in pictures():
            if drawn:
                archive.write(DOCS / "lectures" / drawn, f"{name}.png")
                continue
            stem = Path(name_of(script)).stem
            if not list(folder.glob(f"{stem}-*.svg")):
                figures_of(script, folder, "light")
            for number, figure in enumerate(sorted(folder.glob(f"{stem}-*.svg")), start=1):
                archive.write(figure, f"{name}{f'-{number}' if number > 1 else ''}.svg")


def pictures() -> list[tuple[str, str, str]]:
    """The lectures' pictures: a name that says where each stands, and its script, or where the lab's figure is."""
    found = []
    for page in sorted((DOCS / "lectures").glob("*.md")):
        place, seen = page.stem, Counter[str]()
        for match in _PLACE.finditer(page.read_text(encoding="utf-8")):
            if match["script"] or match["drawn"]:
                seen[place] += 1
                name = f"{place}{f'-{seen[place]}' if seen[place] > 1 else ''}"
                found.append((name, match["script"] or "", match["drawn"] or ""))
            else:
                place = f"{page.stem}-{match['part']}" if match["part"] else page.stem
    return found


def plan() -> str:
    """The page for teachers as a page of its own, beside what it links to."""
    from markdown_it import MarkdownIt

    text = (DOCS / "lectures" / "teaching.md").read_text(encoding="utf-8").replace("../_static/kit/", "")
    text = text.replace("../_static/", "").replace(IN_REPOSITORY, "")
    text = re.sub(r"\[([^\]]*)\]\([^)]*\.md[^)]*\)", r"\1", text)  # pages of the book, which is elsewhere
    return HEAD + MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


def write(app: Any, failure: Exception | None) -> None:
    """Beside the book: what its page for teachers links to."""
    if failure is None:
        folder = Path(app.outdir) / "_static" / "kit"
        write_papers(folder)
        write_figures(DOCS / "_pictures", folder / "figures.zip")


def main(folder: Path) -> None:
    """Without the book."""
    from rosenblatt.lab.page import standalone

    write_papers(folder)
    (folder / "lab.html").write_text(standalone(), encoding="utf-8")
    (folder / "index.html").write_text(plan(), encoding="utf-8")
    print(f"{folder}/index.html has the plans, notebooks and tables; the pictures are being drawn …", flush=True)
    with tempfile.TemporaryDirectory() as drawn:
        write_figures(Path(drawn), folder / "figures.zip")
    print("All is there; it needs no network.")


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
