"""Displays as inline SVG whose colours follow the reader's light or dark mode."""

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

from rosenblatt.plot.canvas import LIGHT

__all__ = ["svg_figures"]


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
    # a wide picture scrolls on a phone, so the keyboard must be able to reach it
    reach = f' tabindex="0" role="group" aria-label="{name}, as a picture"' if kind == "wide" else ""
    return f'<div class="pictures {kind}"{reach}>{"".join(pictures)}</div>'


def _inline(figure: Any, label: str, name: str) -> str:
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
