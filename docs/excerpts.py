"""Search shows the place that was found also where the book is opened from a folder.

Sphinx's search fetches each page that it found, which browsers refuse to pages of a folder (file://). So the words of
all pages are written into one script beside the search page, which search.js hands out there in place of the pages.
"""

import json
import re
from pathlib import Path
from typing import Any

FILE = "_static/excerpts.js"
LISTS = ("explanation/sentences",)  # for the tests: every search would find it first
_ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.S)
_LEFT_OUT = re.compile(r"<(script|style|iframe|annotation)\b.*?</\1>|<a class=\"headerlink\".*?</a>", re.S)
_TAG = re.compile(r"<(?!/?section\b|dt\b[^>]* id=|/dt>)[^>]+>")


def words_of(page: str) -> str:
    """A page without its markup, but for its sections: search looks for the words of one."""
    found = _ARTICLE.search(page)
    text = _TAG.sub("", _LEFT_OUT.sub("", found[1])) if found else ""
    return re.sub(r"\s+", " ", text).strip()


def write(app: Any, failure: Exception | None) -> None:
    """All pages' words, after the pages."""
    if failure is not None:
        return
    folder = Path(app.outdir)
    pages = {name: folder / f"{name}.html" for name in sorted(app.env.all_docs)}
    words = {name: words_of(path.read_text(encoding="utf-8")) for name, path in pages.items() if path.exists()}
    text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    (folder / FILE).write_text(f"window.excerpts={text};\n", encoding="utf-8")


def leave_out(app: Any, doctree: Any) -> None:
    """A list is not what somebody looks for."""
    if app.env.docname in LISTS:
        app.env.metadata[app.env.docname]["nosearch"] = True


def on_search_page(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """The search page alone loads it."""
    if page == "search":
        app.add_js_file("search.js", priority=100)


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("html-page-context", on_search_page)
    app.connect("doctree-read", leave_out)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
