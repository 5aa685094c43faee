"""Displays as inline SVG whose colours follow the reader's light or dark mode."""

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

from rosenblatt.plot import ComparisonDisplay, ConvergenceDisplay, EstimatesDisplay, MarginDisplay
from rosenblatt.plot.style import LIGHT
from rosenblatt.report.study import Study

__all__ = ["comparison", "convergence", "distances", "estimates"]


def distances(study: Study) -> str:
    """How far the examples of either class are from the hyperplane."""
    if study.distances is None:
        return ""
    display = MarginDisplay(study.distances, study.examples.signs, study.examples.classes)
    label = f"Histogram of signed distances of both classes to {study.plane_name}. {display.sentence}."
    return _figure(lambda ax: display.plot(ax), [((7.6, 3.4), label)], "distances", "wide")


def estimates(study: Study) -> str:
    """The forest plot."""
    found = study.estimates
    if found is None:
        return ""
    label = "Maximum-likelihood and Firth's estimates of each coefficient, with their intervals"
    sizes = [((7.6, 1.3 + 0.5 * len(found.coefficients)), label)]
    return _figure(lambda ax: EstimatesDisplay.from_estimates(found, intercept=True, ax=ax), sizes, "estimates", "wide")


def convergence(study: Study) -> str:
    """The theorem's three panels."""
    if study.curve is None or len(study.curve.k) < 2:
        return ""
    display = ConvergenceDisplay(study.curve, study.model.trace_.pass_ends)
    labels = (
        "‖w‖² after each correction, between the bounds that cross after the mistake bound",
        "The cosine of the angle between w and w*, above its bound",
        "Corrections made, pass by pass, below the mistake bound",
    )
    return _figure(lambda axes: display.plot(axes), [((3.9, 3.3), label) for label in labels], "convergence")


def comparison(study: Study) -> str:
    """Every learner's line; the table beside it is HTML."""
    sizes = [((7.6, 4.4), "Every learner's hyperplane in one plane, numbered as in the table")]
    return _figure(
        lambda axes: ComparisonDisplay.from_comparison(study.comparison, study.examples, None, ax=axes, max_points=400),
        sizes,
        "comparison",
        "wide",
        hidden=1,
    )


def _figure(
    draw: Callable[[Any], Any], parts: list[tuple[tuple[float, float], str]], name: str, kind: str = "", hidden: int = 0
) -> str:
    """One SVG for each panel, so that they can flow on a narrow screen; `hidden` ones are drawn for nobody."""
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
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)  # nobody refers to groups
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = svg.replace("url(#", f"url(#{name}-")
    for variable, colour in LIGHT._asdict().items():
        svg = svg.replace(f": {colour}", f": var(--{variable})")
    svg = svg.replace(": #000000", ": var(--ink)")
    svg = re.sub(r"font-family: [^;]*;", "", svg)  # the page's
    svg = re.sub(r'(?<= )(d|x|y)="[^"]*"', lambda part: re.sub(r"(\.\d\d)\d+", r"\1", part[0]), svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    return re.sub(r"\s*\n\s*", " ", svg)
