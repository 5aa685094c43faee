"""What several pictures draw: a line across the axes, its normal, the band beside it, rings, distances to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.plot.canvas.style import Axes, note, palette, plain, scatter
from rosenblatt.plot.canvas.view import unit

__all__ = ["arrow", "band", "examples", "feet", "foot", "is_outside", "line", "normal", "regions", "rings", "witness"]

_FAR = 20.0  # how many times the picture's size a line goes on
_ALIKE = 6.0  # two columns whose ranges have at most this ratio get one scale, so that right angles look right


def examples(
    ax: Axes,
    points: Floats,
    codes: Integers | Flags,
    names: tuple[str, str],
    *,
    equal: bool,
    pad: float = 0.09,
    around: Floats | None = None,
    dense: int = 3000,
) -> None:
    """The examples in their frame (or that of the points around), and the axes' names; one column has one axis."""
    frame(ax, points if around is None else around, equal, pad)
    scatter(ax, points, codes, dense)
    ax.set(xlabel=plain(names[0]), ylabel=plain(names[1]))
    if not names[1]:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)


def frame(ax: Axes, points: Floats, equal: bool, pad: float = 0.09) -> None:
    """Limits around the points; one scale for both axes where the ranges are alike."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.where(high > low, high - low, np.maximum(np.abs(high), 1.0))
    middle = (low + high) / 2
    ax.update_datalim([middle - size / 2, middle + size / 2])
    ax.margins(pad)
    ax.autoscale_view()
    if equal and size.max() <= _ALIKE * size.min():
        ax.set_aspect("equal", adjustable="datalim")


def box(ax: Axes) -> tuple[Floats, Floats]:
    """The middle of the axes and their two ranges."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    return np.array([(x0 + x1) / 2, (y0 + y1) / 2]), np.array([x1 - x0, y1 - y0])


def foot(point: Floats, v: Floats, c: float) -> Floats:
    """The nearest point of the line v·a + c = 0."""
    normal, length = unit(v)
    return np.asarray(point - (point @ normal + c / length) * normal)


def is_outside(ax: Axes, v: Floats, c: float) -> bool:
    """Whether the line v·a + c = 0 misses the picture."""
    middle, size = box(ax)
    return bool(abs(v @ middle + c) > np.abs(v * size).sum() / 2)


def _across(ax: Axes, v: Floats, c: float) -> tuple[Floats, Floats, Floats]:
    """The point of the line nearest to the middle, its unit normal vector, and a way along it out of the picture."""
    middle, size = box(ax)
    n = unit(v)[0]
    return foot(middle, v, c), n, np.array([-n[1], n[0]]) * _FAR * float(np.linalg.norm(size))


def line(ax: Axes, v: Floats, c: float, **style: Any) -> None:
    """The line v·a + c = 0, across the axes and beyond."""
    from matplotlib.lines import Line2D

    start, _, along = _across(ax, v, c)
    # not `axline`: it would stretch the limits to the points it is given
    ax.add_artist(Line2D(*np.array([start - along, start + along]).T, zorder=2, **style))


def band(ax: Axes, v: Floats, c: float, distance: float) -> None:
    """The strip within `distance` of the line."""
    from matplotlib.patches import Polygon

    start, n, along = _across(ax, v, c)
    corners = [start + s * distance * n + t * along for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
    ax.add_artist(Polygon(corners, closed=True, facecolor=palette(ax).faint, edgecolor="none", zorder=1))


def regions(ax: Axes, scores: Sequence[tuple[Floats, float]]) -> None:
    """Where each of several scores v·a + c is the largest: convex polygons, tinted, with their borders."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Polygon

    colours = palette(ax)
    middle, size = box(ax)
    corners = middle + _FAR * float(np.linalg.norm(size)) * np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])
    for k, (v, c) in enumerate(scores):
        region = corners
        for other, (u, d) in enumerate(scores):
            if other != k and len(region):
                region = _half_of(region, v - u, c - d)
        if len(region):
            look: dict[str, Any] = {"edgecolor": colours.ink, "linewidth": 1.2, "zorder": 1}
            ax.add_artist(Polygon(region, closed=True, facecolor=to_rgba(colours.of(k), 0.1), **look))


def _half_of(corners: Floats, v: Floats, c: float) -> Floats:
    """The part of a convex polygon with v·a + c ≥ 0."""
    values, kept = corners @ v + c, []
    for k in range(len(corners)):
        here, there = values[k - 1], values[k]
        if (here >= 0) != (there >= 0):
            kept.append(corners[k - 1] + here / (here - there) * (corners[k] - corners[k - 1]))
        if there >= 0:
            kept.append(corners[k])
    return np.array(kept)


def normal(ax: Axes, v: Floats, c: float) -> None:
    """The normal vector, from the line, as long as suits the picture.

    If the axes have different scales, it is drawn at right angles on paper: at its own angle it would often lie along
    the line, and not show which side is positive.
    """
    middle, size = box(ax)
    scale = ax.bbox.size / size if ax.get_aspect() == "auto" else np.ones(2)  # of paper, for each axis
    direction = v / scale**2
    step = direction * 0.2 / float(np.max(np.abs(direction) / size))
    start = foot(middle * scale, v / scale, c) / scale
    start = np.clip(start, middle - 0.38 * size, middle + 0.38 * size)
    arrow(ax, foot(start * scale, v / scale, c) / scale, step, palette(ax).ink, "w")


def arrow(ax: Axes, start: Floats, step: Floats, colour: str, label: str) -> None:
    """An arrow with its name at the tip."""
    shape = {"arrowstyle": "-|>,head_width=0.28,head_length=0.55", "shrinkA": 0, "shrinkB": 0, "linewidth": 1.8}
    ax.annotate("", tuple(start + step), tuple(start), zorder=5, arrowprops={**shape, "color": colour})
    name = {"ha": "center", "va": "center", "fontsize": "medium", "fontweight": "bold", "zorder": 6}
    note(ax, label, start + step, colour, _beyond(ax, start, step, 9), **name)


def rings(ax: Axes, points: Floats, colour: str | None = None, size: float | None = None) -> None:
    """Rings around some examples, smaller where there are many."""
    if len(points):
        size = size or float(np.clip(4000 / len(points), 40, 110))
        edge = colour or palette(ax).ink
        x, y = points.T
        ax.scatter(x, y, s=size, facecolors="none", edgecolors=edge, linewidths=1.4, zorder=4, label="_ring")


def feet(ax: Axes, points: Floats, v: Floats, c: float) -> None:
    """The way from each point to the line."""
    from matplotlib.collections import LineCollection

    ways = [np.array([point, foot(point, v, c)]) for point in points]
    ax.add_artist(LineCollection(ways, colors=palette(ax).muted, linewidths=0.9, linestyles=":", zorder=2))


def witness(ax: Axes, negative: Floats, positive: Floats, meeting: Floats) -> None:
    """The rows of a witness, the hull of each class's, and the point that both mixtures share."""
    colours = palette(ax)
    for points, colour in ((negative, colours.negative), (positive, colours.positive)):
        outline = _hull(points)
        if len(outline) > 1:
            ax.fill(*outline.T, facecolor=colour, alpha=0.12, edgecolor="none", zorder=1)
            ax.plot(*np.vstack([outline, outline[:1]]).T, color=colour, linewidth=1.6, zorder=2)
        rings(ax, points, colour, 90)
    ax.plot(*meeting, marker="*", markersize=14, color=colours.accent, markeredgecolor=colours.paper, zorder=7)
    words = "mixtures of both\nclasses meet here"
    middle, size = box(ax)
    inward = (0.0, -26.0 if meeting[1] > middle[1] - 0.1 * size[1] else 26.0)
    note(ax, words, meeting, colours.accent, inward, ha="center", va="center", zorder=7)


def _hull(points: Floats) -> Floats:
    """The corners of the hull in order; its two ends where all points lie on one line."""
    from scipy.spatial import ConvexHull, QhullError

    distinct = np.unique(points, axis=0)
    if len(distinct) < 3:
        return distinct
    try:
        return np.asarray(distinct[ConvexHull(distinct).vertices])
    except QhullError:  # all on one line
        order = np.lexsort(distinct.T[::-1])
        return np.asarray(distinct[order[[0, -1]]])


def _beyond(ax: Axes, start: Floats, step: Floats, points: float) -> tuple[float, float]:
    """An offset in points that goes on in the arrow's direction on paper."""
    ends = ax.transData.transform([start, start + step])
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way)) or 1.0
    return float(way[0] / length * points), float(way[1] / length * points)
