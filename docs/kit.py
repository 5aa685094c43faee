"""The kit for teachers: a notebook for each lecture, its solutions apart, and every picture as SVG.

`kit/NAME.md` is the one source of both notebooks. Text is text; a block of `python` is a cell; `python exercise` is
what the student completes, `python solution` what stands there in the other notebook, `python check` says whether it
is right. The files are written when the book is built; lectures/teaching.md lists them.
"""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "kit"
FOLDER = "_static/kit"
FIGURES = f"{FOLDER}/figures.zip"
DATA = ("and", "xor", "films", "room", "patients")
CHECK = '''def check(good, hint):
    """Say whether an answer is right; what is not finished is not right yet."""
    try:
        right = bool(good())
    except Exception as why:
        right, hint = False, f"{hint} ({type(why).__name__}: {why})"
    print("Right." if right else f"Not yet: {hint}")'''
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


def write(app: Any, failure: Exception | None) -> None:
    """The notebooks, the tables, and the pictures that the pages have drawn."""
    if failure is not None:
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in names():
        (folder / f"{name}.ipynb").write_text(notebook(name, solved=False), encoding="utf-8")
        (folder / f"{name}-solutions.ipynb").write_text(notebook(name, solved=True), encoding="utf-8")
    for name in DATA:
        (folder / f"{name}.csv").write_bytes((Path(app.srcdir) / "data" / f"{name}.csv").read_bytes())
    with zipfile.ZipFile(Path(app.outdir) / FIGURES, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in figures(Path(app.srcdir)):
            archive.write(path, name)


def figures(docs: Path) -> list[tuple[str, Path]]:
    """The pictures of the lectures' pages: a name that says where each stands, and its file."""
    import picture

    found = []
    for page in sorted((docs / "lectures").glob("*.md")):
        part, seen = "", 0
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(
            r"^## (?:(S\d\.\d+) )?|^```\{picture\}\n:alt: [^\n]*\n\n(.*?)\n```", text, re.M | re.S
        ):
            if match[2] is None:
                part, seen = f"-{match[1]}" if match[1] else "", 0
                continue
            for path in sorted((docs / picture.FOLDER).glob(f"{picture.name_of(match[2])}-*.svg")):
                seen += 1
                found.append((f"{page.stem}{part}{f'-{seen}' if seen > 1 else ''}.svg", path))
    return found


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
