"""The frame of every page, its tables and its pictures: one file that loads nothing, light and dark.

It is readable on paper and without JavaScript: a reader can sort the tables, which are plain tables else; displays are
inline SVG whose colours follow the reader's light or dark mode.
"""

import platform
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from io import StringIO
from math import isfinite, isnan
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt import __version__
from rosenblatt.plot.canvas import LIGHT, assets, css_variables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["HOW", "Cell", "html_page", "number", "style", "svg_figures", "table", "versions", "whole"]

HOW = (
    "A candidate in floating point, or a linear program, proposes. Every claim is then proved in exact arithmetic, "
    "each value taken as the fraction it is, and checked before it is shown."
)
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "highspy", "python-flint")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; img-src data:"


def _asset(name: str) -> str:
    """A file beside this one."""
    return files("rosenblatt.report").joinpath(name).read_text("utf-8")


def versions() -> str:
    """Of this package, of Python, and of what numbers come from."""
    found = {"rosenblatt": __version__, "Python": platform.python_version()}
    found |= {name: version(name) for name in _PACKAGES}
    return ", ".join(f"{name} {number}" for name, number in found.items())


def style(name: str) -> str:
    """A style sheet beside this file, to be put into a page."""
    return f"<style>\n{_asset(name)}</style>"


def html_page(heading: str, about: str, parts: list[tuple[str, str, str]], *, title: str, replays: bool = False) -> str:
    """The page as text. `about` and the content of each part (identifier, heading, content) are HTML; the rest is text.

    A part without content is left out.
    """
    links = "".join(f'<a href="#{name}">{escape(part)}</a>' for name, part, content in parts if content)
    first, words = parts[0][:2]
    replay_style, replay_script = assets() if replays else ("", "")
    body = "\n".join(
        f'<section id="{name}"><h2>{escape(part)}</h2>\n{content}\n</section>' if content else ""
        for name, part, content in parts
    )
    script = _asset("report.js")
    digests = [b64encode(sha256(one.encode()).digest()).decode() for one in (script, replay_script)]
    return Template(_asset("page.html")).substitute(
        policy=_POLICY.format(scripts=" ".join(f"'sha256-{one}'" for one in digests)),
        title=escape(title),
        style=f"{css_variables()}\n{_asset('report.css')}\n{replay_style}",
        first=first,
        words=escape(words.lower()),
        heading=escape(heading),
        about=about,
        links=links,
        body=body,
        now=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        script=script,
        replay_script=replay_script,
    )


def svg_figures(
    draw: Callable[[Any], Any], parts: list[tuple[tuple[float, float], str]], name: str, kind: str = "", hidden: int = 0
) -> str:
    """One SVG for each panel, so that they can flow on a narrow screen; the last `hidden` panels are left out."""
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "figure.facecolor": "white",
        "axes.facecolor": "none",
    }
    with matplotlib.rc_context(settings):
        figures = [Figure(figsize=size, layout="constrained") for size, _ in parts]
        others = [Figure(figsize=(3, 3)) for _ in range(hidden)]
        axes = [figure.subplots() for figure in figures + others]
        draw(axes if len(axes) > 1 else axes[0])
        pictures = [
            _inline(figure, label, f"{name}{k}")
            for k, (figure, (_, label)) in enumerate(zip(figures, parts, strict=True))
        ]
    return f'<div class="pictures {kind}">{"".join(pictures)}</div>'


def _inline(figure: "Figure", label: str, name: str) -> str:
    written = StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    box = re.search(r'viewBox="([^"]*)"', svg)
    assert box is not None
    start = f'<svg viewBox="{box[1]}" role="img" aria-label="{escape(label)}">'
    svg = start + svg[svg.index(">") + 1 :]
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)  # no link points to a group
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = svg.replace("url(#", f"url(#{name}-")
    for variable, colour in LIGHT._asdict().items():
        svg = svg.replace(f": {colour}", f": var(--{variable})")
    svg = svg.replace(": #000000", ": var(--ink)")
    svg = re.sub(r"font-family: [^;]*;", "", svg)  # the page has its own
    svg = re.sub(r'(?<= )(d|x|y)="[^"]*"', lambda part: re.sub(r"(\.\d\d)\d+", r"\1", part[0]), svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    return re.sub(r"\s*\n\s*", " ", svg)


_ON_PAPER = 30  # rows; report.css hides the others


class Cell(NamedTuple):
    """A cell of a table: its text, the value it is sorted by, and how it looks."""

    text: str
    value: float | str = ""
    kind: str = ""  # "number", "positive", "negative", …: a class of the page's style


def number(value: float, form: str = ".4g") -> Cell:
    """A number; NaN is a dash, and sorts last."""
    if isnan(value):
        return Cell("—", "", "number")
    text = format(value, form).replace("-", "−") if isfinite(value) else ("∞" if value > 0 else "−∞")
    return Cell(text, value, "number")


def whole(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value, "number")


def table(identifier: str, caption: str, headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table in a region that scrolls by itself and can be reached with the keyboard."""
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name)}<span aria-hidden="true"></span></button></th>'
        for name in headings
    )
    rows = list(rows)
    paper = '<span class="paper"> (on paper the first 30)</span>' if len(rows) > _ON_PAPER else ""
    body = "".join(f"<tr>{''.join(map(_cell, row, [True] + [False] * len(row)))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{identifier}-caption">'
        f'<table class="sortable" id="{identifier}">'
        f'<caption id="{identifier}-caption">{escape(caption)}{paper}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell, first: bool) -> str:
    tag = 'th scope="row"' if first else "td"
    kind = f' class="{cell.kind}"' if cell.kind else ""
    value = f"{cell.value:.9g}" if isinstance(cell.value, float) else str(cell.value)
    sort = f' data-sort="{escape(value)}"' if value else ""
    text = escape(cell.text) if cell.kind == "number" else f"<bdi>{escape(cell.text)}</bdi>"
    return f"<{tag}{kind}{sort}>{text}</{tag.split()[0]}>"
