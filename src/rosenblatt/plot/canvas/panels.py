"""What the panels of a filter's picture share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.plot.canvas.style import Palette

__all__ = ["channel_colour", "decibels", "shade_frozen", "show_key"]


def shade_frozen(ax: Any, frozen: Sequence[tuple[int, int]], rate: float | None, colours: Palette) -> None:
    """Shade the stretches of time in which the weights were held still."""
    for k, (first, last) in enumerate(frozen):
        place = first / (rate or 1), last / (rate or 1)
        name = "" if k else "weights held still"
        ax.axvspan(*place, color=colours.accent, alpha=0.25, linewidth=0, zorder=0, label=name)


def channel_colour(k: int, colours: Palette) -> str:
    """The colour of the k-th channel; the fifth has that of the first again."""
    return (colours.positive, colours.negative, colours.other, colours.accent)[k % 4]


def show_key(ax: Any, colours: Palette) -> None:
    """The legend, in the line of the title, where it hides nothing."""
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "borderaxespad": 0.0}
    ax.legend(
        **place, ncols=4, fontsize="small", frameon=False, handlelength=1.2, columnspacing=1.2, labelcolor=colours.ink
    )


def decibels(power: Floats) -> Floats:
    """10·log₁₀ of the power. A power of zero has no decibels: NaN, which is drawn as a gap."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(power > 0, 10 * np.log10(power), np.nan))
