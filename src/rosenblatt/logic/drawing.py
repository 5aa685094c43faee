"""Drawings of gates and networks: inputs on the left, outputs on the right, weights on the links."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosenblatt.logic.gates import Gate, Number
from rosenblatt.logic.truth_table import default_names
from rosenblatt.plot.canvas import axes_for, background, palette, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_layers"]

_RADIUS = 0.32


def draw_layers(
    layers: Sequence[Sequence[Gate]], variables: Sequence[str] | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw gates in layers. A link shows its weight; one of weight 0 is left out. A gate shows its threshold."""
    from matplotlib.patches import Circle

    names = list(variables) if variables is not None else list(default_names(layers[0][0].fan_in))
    widths = [len(names), *(len(layer) for layer in layers)]
    tallest = max(widths)
    names = [plain(name, 24) for name in names]
    room = 0.4 + 0.14 * max(map(len, names), default=0)  # for the names of the inputs
    ax = axes_for(ax, (2.4 * len(widths) + room, 1.1 * tallest + 0.8))[1][0]
    ink = palette(ax).ink
    places = [[(2.4 * column, (width - 1) / 2 - k) for k in range(width)] for column, width in enumerate(widths)]
    for layer, before, here in zip(layers, places, places[1:], strict=False):
        for gate, end in zip(layer, here, strict=True):
            for weight, start in zip(gate.weights, before, strict=True):
                if weight:
                    _link(ax, start, end, weight)
    for name, (x, y) in zip(names, places[0], strict=True):
        ax.text(x - 0.1, y, name, ha="right", va="center", fontsize=13, color=ink)
        ax.plot(x, y, "o", color=ink, markersize=5)
    for layer, here in zip(layers, places[1:], strict=True):
        for gate, (x, y) in zip(layer, here, strict=True):
            ax.add_patch(Circle((x, y), _RADIUS, facecolor=background(ax), edgecolor=ink, linewidth=1.6, zorder=3))
            ax.text(x, y, f"≥ {gate.threshold}", ha="center", va="center", fontsize=11, color=ink, zorder=4)
    for k, (x, y) in enumerate(places[-1]):
        ax.annotate("", (x + 1.0, y), (x + _RADIUS, y), arrowprops={"arrowstyle": "->", "color": ink})
        ax.text(x + 1.08, y, "f" if widths[-1] == 1 else f"f{k + 1}", ha="left", va="center", fontsize=13, color=ink)
    ax.set(xlim=(-room, 2.4 * len(layers) + 1.4), ylim=(-(tallest - 1) / 2 - 0.6, (tallest - 1) / 2 + 0.6))
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def _link(ax: "Axes", start: tuple[float, float], end: tuple[float, float], weight: Number) -> None:
    """A line with its weight near the gate, where links from elsewhere do not cross it.

    A negative weight is dashed too, so that it can be told apart without colour.
    """
    colours = palette(ax)
    color, style = (colours.positive, "-") if weight > 0 else (colours.negative, "--")
    ax.plot([start[0], end[0]], [start[1], end[1]], style, color=color, linewidth=1.5, zorder=1)
    x, y = (a + 0.8 * (b - a) for a, b in zip(start, end, strict=True))
    box = {"boxstyle": "round,pad=0.15", "facecolor": background(ax), "edgecolor": "none"}
    text = f"{weight:g}" if isinstance(weight, float) else str(weight)
    ax.text(x, y, text, color=color, ha="center", va="center", fontsize=11, bbox=box, zorder=2)
