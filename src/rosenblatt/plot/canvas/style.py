"""Colours, marks and type, in one place: the same two classes look the same in every picture, on screen and in print.

Blue and orange stay apart for every kind of colour vision; a filled disc and an open square stay apart without colour.
All colours have a contrast of at least 4.5 : 1 with their background, so that words may wear them too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Figure
    from sklearn.base import BaseEstimator

    Estimator: TypeAlias = BaseEstimator
else:
    Axes = Axis = Figure = Estimator = Any

Where = Axes | Sequence[Axes] | npt.NDArray[np.object_] | None  # of a picture: its axes, one for all, or a new figure
Classes = Sequence[tuple[str, int]]  # name and count of the negative class, then of the positive one


class Palette(NamedTuple):
    """The colours of one background."""

    paper: str
    ink: str  # lines, rings, words that matter
    muted: str  # words and ticks beside the point
    faint: str  # grids, bands
    positive: str
    negative: str
    accent: str  # what is added, or proved
    other: str  # a second accent, for further lines

    @property
    def at_most(self) -> str:
        """The colour of bounds from above: in pictures, replays and the lab alike."""
        return self.negative

    @property
    def at_least(self) -> str:
        """The colour of bounds from below."""
        return self.positive

    def of(self, k: int) -> str:
        """The colour of class k; of two classes the first is the negative one."""
        return (self.negative, self.positive, self.other, self.accent, self.muted)[k % 5]


LIGHT = Palette("#ffffff", "#1b2127", "#5c6670", "#e3e7eb", "#0b62ab", "#c2500a", "#8a1f8a", "#00795c")
DARK = Palette("#14181d", "#eef2f5", "#9aa4af", "#333b44", "#6cb6ff", "#ffa05c", "#e69be6", "#57c9a5")

_MARKERS = "so^DvPX"  # two more than colours: the sixth class is not marked as the first
_IN_A_ROW = 4  # classes in a line of the key
_CELLS = 125  # across a picture of a density


def palette(ax: Axes) -> Palette:
    """The colours that suit the axes' background."""
    red, green, blue = background(ax)
    return LIGHT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.4 else DARK


def background(ax: Axes) -> tuple[float, float, float]:
    """What the axes are drawn on."""
    from matplotlib.colors import to_rgba

    own = to_rgba(ax.get_facecolor())
    return (own if own[3] else to_rgba(ax.figure.get_facecolor()))[:3]


def axes_for(
    ax: Where, size: tuple[float, float], shape: tuple[int, int] = (1, 1), **grid: Sequence[float]
) -> tuple[Figure, npt.NDArray[np.object_]]:
    """(figure, array of axes): new ones, the caller's several, or the caller's one divided."""
    import matplotlib.pyplot as plt

    wanted = shape[0] * shape[1]
    if ax is None:
        figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False, gridspec_kw=grid or None)
        return figure, axes.ravel()
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if given.size == wanted:
        return given[0].figure, given
    if given.size != 1:
        raise ValueError(f"ax must be one Axes or {wanted} of them; it holds {given.size}.")
    place = given[0].get_subplotspec()
    if place is None:
        raise ValueError(f"an Axes made by subplots can be divided into {wanted}; this one cannot: pass {wanted} axes.")
    figure = given[0].figure
    given[0].remove()
    inner = place.subgridspec(*shape, **grid)
    return figure, np.array([figure.add_subplot(inner[i, j]) for i in range(shape[0]) for j in range(shape[1])])


def dress(ax: Axes) -> Palette:
    """No box, quiet ticks; returns the colours to draw with."""
    colours = palette(ax)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(colours.muted)
    ax.tick_params(colors=colours.muted, labelsize="small")
    ax.xaxis.label.set_color(colours.ink)
    ax.yaxis.label.set_color(colours.ink)
    return colours


def head(ax: Axes, title: str, classes: Classes = ()) -> None:
    """A title to the left; below it the two classes in their colours, instead of a legend."""
    from matplotlib.lines import Line2D
    from matplotlib.offsetbox import AnchoredOffsetbox, DrawingArea, HPacker, TextArea, VPacker

    colours = palette(ax)
    look: dict[str, Any] = {"color": colours.ink, "fontsize": "medium", "fontweight": "bold"}
    ax.set_title(plain(title, 200), loc="left", pad=6 + 14 * -(-len(classes) // _IN_A_ROW), **look)
    if not classes:
        return
    ax.yaxis.set_offset_position("right")  # the power of ten of large numbers would stand where the classes do
    parts: list[Any] = []
    most = max(6, 48 // min(len(classes), _IN_A_ROW))  # letters of a name
    for k, (name, count) in enumerate(classes):
        mark = DrawingArea(9, 9)
        mark.add_artist(Line2D([4.5], [4.0], **_mark(k, colours), markersize=6))
        words = TextArea(f"{plain(name, most)} ({count:,})", textprops={"color": colours.of(k), "fontsize": "small"})
        parts.append(HPacker(children=[mark, words], align="center", pad=0, sep=3))
    rows = [parts[at : at + _IN_A_ROW] for at in range(0, len(parts), _IN_A_ROW)]
    key = VPacker(children=[HPacker(children=row, align="center", pad=0, sep=12) for row in rows], pad=0, sep=2)
    place: dict[str, Any] = {"bbox_to_anchor": (0, 1), "bbox_transform": ax.transAxes}
    ax.add_artist(AnchoredOffsetbox("lower left", child=key, frameon=False, pad=0, borderpad=0.25, **place))


def plain(name: str, most: int = 60) -> str:
    r"""A name as it is drawn: cut to `most` characters, and literally (a pair of $ would make it mathematics).

    >>> print(plain("price in euros", 9), plain("a$"))
    price in… a\$
    """
    return cut(name, most).replace("$", r"\$")


def cut(name: str, most: int) -> str:
    """A name of at most so many characters: a long one would leave the picture no room."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def scatter(ax: Axes, points: Floats, codes: Integers | Flags, dense: int = 3000) -> None:
    """The examples, smaller where there are many; more than `dense` of them as the density of each class.

    `codes` are the classes' numbers from 0. Discs and open squares stay apart without colour.
    """
    colours = palette(ax)
    size = float(np.clip(2400 / max(1, len(points)), 9, 42))
    for k in np.unique(codes):
        chosen = points[codes == k]
        if len(points) > dense:
            _density(ax, chosen, colours.of(int(k)))
            continue
        look = _mark(int(k), colours)
        ax.scatter(
            chosen[:, 0],
            chosen[:, 1],
            s=size if look["fillstyle"] == "full" else 0.8 * size,
            marker=look["marker"],
            facecolors=look["color"] if look["fillstyle"] == "full" else "none",
            edgecolors=look["color"],
            linewidths=0.4 if look["fillstyle"] == "full" else 1.1,
            alpha=0.9 if len(points) <= 400 else 0.6,
            rasterized=len(points) > 2000,
            zorder=3,
            label="_class",
        )


def _density(ax: Axes, points: Floats, colour: str) -> None:
    """How many points lie in each cell of a grid, as a tint: a single one is seen, and many are not a blob."""
    from matplotlib.colors import to_rgba
    from matplotlib.image import AxesImage

    counts, x, y = np.histogram2d(points[:, 0], points[:, 1], bins=_CELLS)
    cells = np.empty((*counts.T.shape, 4))
    cells[...] = to_rgba(colour)
    cells[..., 3] = np.where(counts.T > 0, 0.12 + 0.68 * np.sqrt(counts.T / counts.max()), 0.0)
    # not `imshow`: it would change the limits and the aspect
    image = AxesImage(ax, extent=(x[0], x[-1], y[0], y[-1]), origin="lower", interpolation="nearest", zorder=1.5)
    image.set_data(cells)
    ax.add_image(image)


def _mark(k: int, colours: Palette) -> dict[str, Any]:
    """How class k is marked: every second class by open marks."""
    filled = {"fillstyle": "full" if k % 2 else "none", "markeredgewidth": 1.1}
    return {"color": colours.of(k), "marker": _MARKERS[k % len(_MARKERS)], "linestyle": "none", **filled}


def note(
    ax: Axes,
    words: str,
    place: tuple[float, float] | Floats,
    colour: str,
    offset: tuple[float, float] = (0.0, 0.0),
    **text: object,
) -> None:
    """Small words beside a place, `offset` points away from it, readable on top of points and lines."""
    from matplotlib.patheffects import withStroke

    outline = withStroke(linewidth=3, foreground=background(ax))  # what keeps the words apart from what is below
    look: dict[str, Any] = {"fontsize": "small", "color": colour, "path_effects": [outline]}
    x, y = place
    ax.annotate(plain(words, 200), (x, y), xytext=offset, textcoords="offset points", **(look | text))


def shade_frozen(ax: Axes, frozen: Sequence[tuple[int, int]], rate: float | None, colours: Palette) -> None:
    """Shade the stretches of time in which the weights were held still."""
    for k, (first, last) in enumerate(frozen):
        place = first / (rate or 1), last / (rate or 1)
        name = "" if k else "weights held still"
        ax.axvspan(*place, color=colours.accent, alpha=0.25, linewidth=0, zorder=0, label=name)


def channel_colour(k: int, colours: Palette) -> str:
    """The colour of the k-th channel; the fifth has that of the first again."""
    return (colours.positive, colours.negative, colours.other, colours.accent)[k % 4]


def show_key(ax: Axes, colours: Palette) -> None:
    """The legend, in the line of the title, where it hides nothing."""
    place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "borderaxespad": 0.0}
    ax.legend(
        **place, ncols=4, fontsize="small", frameon=False, handlelength=1.2, columnspacing=1.2, labelcolor=colours.ink
    )


def whole_numbers(axis: Axis, most: int | None = None) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most or "auto", steps=[1, 2, 2.5, 5, 10], integer=True))


def decibels(power: Floats) -> Floats:
    """10·log₁₀ of the power. A power of zero has no decibels: NaN, which is drawn as a gap."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(power > 0, 10 * np.log10(power), np.nan))
