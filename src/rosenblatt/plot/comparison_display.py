"""The hyperplanes of all learners in one picture, and their numbers beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import Floats, Signs
from rosenblatt.plot.canvas import drawing
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Axes, Classes, Palette, Where, head, note
from rosenblatt.plot.canvas.view import DrawnExamples, View, main_direction, parted, unit

if TYPE_CHECKING:
    from rosenblatt.comparison.table import Comparison

__all__ = ["ComparisonDisplay", "spread"]

_GAP = 0.045  # between two numbers at one edge, as a part of it
_COLUMNS = (("errors", 0.63), ("margin", 0.84), ("angle", 1.0))  # heading, right end in the table's width


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    """The lines of a comparison, numbered, beside a table of the learners with their errors, margins and angles.

    With more than two columns the plane shown is spanned by the normal vector of the largest theorem's margin and the
    direction in which the others differ from it most, through the middle of the examples; lines are sections there.

    Make it with `from_comparison`.

    Attributes
    ----------
    lines : list of (name, v, c)
        Each learner's line v·a + c = 0 in the plane.
    ax_ : array of two Axes
        The plane and the table, after `plot`; `figure_` is their figure.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> from rosenblatt.comparison import counterexample
    >>> X, y = counterexample()
    >>> display = rb.plot.ComparisonDisplay.from_comparison(rb.compare(X, y), X, y)
    >>> display.lines[0][0]
    'perceptron'
    """

    contestants: Sequence[Any]
    lines: list[tuple[str, Floats, float]]
    points: Floats
    signs: Signs
    view: View
    classes: Classes

    @classmethod
    def from_comparison(
        cls,
        comparison: "Comparison",
        X: Any,
        y: Any,
        *,
        features: Sequence[int | str] | None = None,
        max_points: int = 2000,
        ax: Where = None,
        **options: Any,
    ) -> Self:
        """What `rb.compare(X, y)` found, drawn on the same data; `features` picks two columns."""
        examples = DrawnExamples.of(X, y)
        p = examples.rows.p
        weights = {row.learner: parted(np.asarray(row.weights, dtype=np.float64), p) for row in comparison.rows}
        normals = {name: unit(w)[0] for name, (w, _) in weights.items() if np.any(w)}
        view = _view_of_both(examples, normals, comparison.largest_margin.learner, features)
        lines = [(name, *view.line(w, float(b))) for name, (w, b) in weights.items()]
        shown = examples.sample(max_points)
        points = view.points(examples.rows.take(shown), examples.signs[shown])
        return cls(comparison.rows, lines, points, examples.signs[shown], view, examples.classes).plot(ax, **options)

    def plot(self, ax: Where = None, *, title: str = "Every learner's hyperplane") -> Self:
        """Draw the plane and, beside it, the table that is its key."""
        return self._several(ax, (9.6, 4.6), ((partial(self._plane, title), self._table),), width_ratios=(1.25, 1.0))

    def _plane(self, title: str, ax: Axes, colours: Palette) -> None:
        equal = self.view.basis.shape[1] == 2
        drawing.examples(ax, self.points, self.signs > 0, self.view.names, equal=equal, pad=0.12)
        styles = _styles(colours, len(self.lines))
        for (_, v, c), style in zip(self.lines, styles, strict=True):
            if np.any(v):
                drawing.line(ax, v, c, **style)
        self._number(ax, styles)
        head(ax, title, self.classes)

    def _number(self, ax: Axes, styles: list[dict[str, Any]]) -> None:
        """Write each line's number where it leaves the picture: at the top if it is steep, on the right if it is flat.

        A line that does not come into the picture has none.
        """
        self.figure_.draw_without_rendering()  # an equal aspect settles the limits only now
        (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
        size = np.array([x1 - x0, y1 - y0])
        edges: dict[str, dict[int, float]] = {edge: {} for edge in ("top", "right", "bottom", "left")}
        for i, (_, v, c) in enumerate(self.lines):
            at_height, at_width = _along(v, c), _along(v[::-1], c)
            upright = [("top", (at_height(y1) - x0) / size[0]), ("bottom", (at_height(y0) - x0) / size[0])]
            sideways = [("right", (at_width(x1) - y0) / size[1]), ("left", (at_width(x0) - y0) / size[1])]
            flat = abs(v[0]) * size[0] < abs(v[1]) * size[1]
            crossings = sideways + upright if flat else upright + sideways
            inside = [(edge, place) for edge, place in crossings if 0 <= place <= 1]
            if inside:
                edges[inside[0][0]][i] = inside[0][1]
        middle: dict[str, Any] = {"xycoords": "axes fraction", "ha": "center", "va": "center", "annotation_clip": False}
        for edge, places in edges.items():
            for i, place in zip(places, _within(spread(list(places.values()), _GAP), _GAP), strict=True):
                xy = {"top": (place, 0.965), "bottom": (place, 0.035), "right": (0.975, place), "left": (0.025, place)}
                note(ax, str(i + 1), xy[edge], styles[i]["color"], **middle, fontweight="bold", zorder=6)

    def _table(self, ax: Axes, colours: Palette) -> None:
        ax.set_axis_off()
        ax.set(xlim=(0, 1), ylim=(len(self.lines) + 0.6, -1.2))
        styles = _styles(colours, len(self.lines))
        for heading, at in _COLUMNS:
            ax.text(at, -0.35, heading, ha="right", va="center", fontsize="small", color=colours.muted)
        ax.axhline(0.05, color=colours.muted, linewidth=0.8)
        for i, (one, style) in enumerate(zip(self.contestants, styles, strict=True)):
            y = i + 0.55
            ax.plot([0.045, 0.125], [y, y], **style)
            ax.text(0.0, y, str(i + 1), va="center", fontsize="small", fontweight="bold", color=style["color"])
            ax.text(0.145, y, one.learner, va="center", fontsize="small", color=colours.ink)
            numbers = (f"{one.errors:,}", _with_unit(one.margin, ".3g"), _with_unit(one.angle, ".1f", "°"))
            for (_, at), text in zip(_COLUMNS, numbers, strict=True):
                ax.text(at, y, text, ha="right", va="center", fontsize="small", color=colours.ink)


def _view_of_both(
    examples: DrawnExamples, normals: dict[str, Floats], best: str, features: Sequence[int | str] | None
) -> View:
    p = examples.rows.p
    if features is not None or p <= 2 or best not in normals:
        return View.of(examples, np.zeros(p), 0.0, features)
    first = normals[best]
    second = main_direction(np.array(list(normals.values())), first)
    names = ("along the normal vector of the largest theorem's margin", "where the others differ most")
    return View(examples.mean(), np.array([first, second]), names)


def _along(v: Floats, c: float) -> Callable[[float], float]:
    """The first coordinate of the line v·a + c = 0 at a given second one; NaN where it has none."""
    return lambda other: float(-(v[1] * other + c) / v[0]) if v[0] else float("nan")


def spread(places: Sequence[float] | Floats, gap: float) -> Floats:
    """Places moved apart to at least `gap`, in their order. Those that are too near are spaced about their mean.

    >>> spread([0.0, 0.1, 1.0], 0.25).tolist()
    [-0.075, 0.175, 1.0]
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(order))
    near = np.asarray(places)[order] - steps  # where two are too near, these go down
    apart = (np.maximum.accumulate(near) + np.minimum.accumulate(near[::-1])[::-1]) / 2 + steps
    return np.asarray(apart[np.argsort(order)])


def _within(places: Floats, gap: float) -> Floats:
    """Places that are `gap` apart, moved back into 0 … 1 as far as there is room."""
    ranks = gap * np.argsort(np.argsort(places, kind="stable"))
    inside = np.minimum(np.maximum(places, 0.02 + ranks), 0.98 - ranks.max(initial=0.0) + ranks)
    return np.asarray(inside)


def _styles(colours: Palette, count: int) -> list[dict[str, Any]]:
    """Lines in four colours, none of them a class's; from the fifth line on they are dashed."""
    shades = (colours.ink, colours.accent, colours.other, colours.muted)
    dashes = ("-", (0, (5, 2)), (0, (1.2, 1.6)))
    return [
        {"color": shades[i % 4], "linestyle": dashes[i // 4 % 3], "linewidth": 1.8 if i // 4 == 0 else 1.6}
        for i in range(count)
    ]


def _with_unit(value: float, form: str, unit_: str = "") -> str:
    return "—" if isnan(value) else format(value, form) + unit_
