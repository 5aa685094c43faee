"""Three panels: accuracy against control over the layers, margins, and rows a weight beside the capacity."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.plot.canvas import Display, Palette, channel_colour, head, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.plot.canvas.style import Where
    from rosenblatt.probes.result import Probes

__all__ = ["ProbesDisplay"]

_LINES = 6  # concepts that get lines of their own; more are drawn as a band
_POINTS = 500  # more are drawn as a raster, or the page grows to megabytes
_MARGIN = "min y·s / ‖(w, b)‖"
_MARKERS = "os"  # of the first four concepts, and of those that have their colours again


class ProbesDisplay(Display):
    """A picture of `Probes`, drawn by `plot`; `figure_` and `ax_` are matplotlib's.

    On the left accuracy (solid) and control (dashed) by layer, or one against the other where there is one layer; in
    the middle the margins; on the right training accuracy by rows a weight, with the line at 2: left of it random
    labels are separable more often than not (Cover), and a separation shows nothing.

    >>> import numpy as np, rosenblatt as rb
    >>> X = np.random.default_rng(0).standard_normal((2, 60, 4))
    >>> display = rb.probes.fit(X, X[0, :, 0] > 0, controls=2, random_state=0).plot()
    >>> [ax.get_title(loc="left") for ax in display.ax_]
    ['accuracy and control', 'margin', 'capacity']
    >>> import matplotlib.pyplot as plt; plt.close(display.figure_)
    """

    def __init__(self, probes: "Probes") -> None:
        self.probes = probes
        self._accuracy = "accuracy on new rows" if probes.tested else "training accuracy"

    def plot(self, ax: "Where" = None) -> "ProbesDisplay":
        """Draw into three axes, into the place of one, or into a new figure."""
        several = self.probes.layers > 1
        panels = {
            "accuracy and control": self._by_layer if several else self._against_control,
            "margin": self._margins_by_layer if several else self._margins,
            "capacity": self._capacity,
        }
        self._several(ax, (11, 3.4), (list(panels.values()),), width_ratios=(1.5, 1, 1))
        for one, title in zip(self.ax_, panels, strict=True):
            head(one, title)
        return self

    def _by_layer(self, ax: "Axes", colours: Palette) -> None:
        probes, layers = self.probes, np.arange(self.probes.layers)
        accuracy, control = self._table(probes.accuracy), self._table(probes.control)
        if accuracy.shape[1] <= _LINES:
            for k in range(accuracy.shape[1]):
                look = _look(k, colours)
                ax.plot(layers, accuracy[:, k], **look, ms=3.5, label=probes.names[k])
                ax.plot(layers, control[:, k], color=look["color"], ls="--", lw=1)
            ax.plot([], [], color=colours.muted, ls="--", lw=1, label="control")
        else:
            _band(ax, layers, accuracy, colours.positive, "-", "accuracy")
            if not np.isnan(control).all():
                _band(ax, layers, control, colours.muted, "--", "control")
        whole_numbers(ax.xaxis, 12)
        ax.set(xlabel="layer", ylabel=self._accuracy)
        ax.legend(frameon=False, fontsize="small", loc="best", labelcolor=colours.ink)

    def _against_control(self, ax: "Axes", colours: Palette) -> None:
        probes = self.probes
        if np.isnan(probes.control).all():
            ax.hist(probes.accuracy, bins=30, color=colours.positive)
            ax.set(xlabel=self._accuracy, ylabel="probes")
            return
        ax.axline((0.5, 0.5), slope=1, color=colours.muted, ls="--", lw=1)
        self._dots(ax, probes.control, probes.accuracy, colours.positive)
        ax.set(xlabel="control (shuffled labels)", ylabel=self._accuracy)

    def _margins_by_layer(self, ax: "Axes", colours: Palette) -> None:
        layers, margin = np.arange(self.probes.layers), self._table(self.probes.margin)
        if margin.shape[1] <= _LINES:
            for k in range(margin.shape[1]):
                ax.plot(layers, margin[:, k], **_look(k, colours), ms=3.5)
        else:
            _band(ax, layers, margin, colours.positive, "-", "margin")
        ax.axhline(0, color=colours.muted, lw=0.8)
        whole_numbers(ax.xaxis)
        ax.set(xlabel="layer", ylabel=_MARGIN)

    def _margins(self, ax: "Axes", colours: Palette) -> None:
        ax.hist(self.probes.margin[~np.isnan(self.probes.margin)], bins=30, color=colours.positive)
        ax.axvline(0, color=colours.muted, lw=0.8)
        ax.set(xlabel=_MARGIN, ylabel="probes")

    def _capacity(self, ax: "Axes", colours: Palette) -> None:
        probes = self.probes
        rate = probes.labelled / len(probes.weights)
        ax.axvline(2, color=colours.muted, ls="--", lw=1)
        note: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "rotation": 90}
        ax.annotate("capacity", (2, 0), xytext=(-10, 4), fontsize="small", color=colours.muted, **note)
        self._dots(ax, rate, probes.training_accuracy, colours.positive, label="probes")
        for copy in probes.control_training:
            self._dots(ax, rate, copy, colours.muted, s=8, alpha=0.5)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(min(1.0, rate.min()) / 1.3, max(4.0, rate.max()) * 1.3)
        ax.set(xlabel="rows a weight", ylabel="training accuracy")

    def _dots(self, ax: "Axes", x: Floats, y: Floats, color: str, **more: Any) -> None:
        look = {"s": 14, "alpha": 0.7, "lw": 0, "rasterized": len(self.probes) > _POINTS}
        ax.scatter(x, y, color=color, **(look | more))

    def _table(self, values: Floats) -> Floats:
        """Layers × concepts."""
        return values.reshape(self.probes.layers, -1)


def _band(ax: "Axes", x: Places, values: Floats, color: str, style: str, name: str) -> None:
    """The median over concepts, and the middle half of them."""
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75), axis=1)
    ax.fill_between(x, low, high, color=color, alpha=0.2, lw=0)
    ax.plot(x, middle, color=color, ls=style, marker="o", ms=3.5, label=f"{name}: median, middle half")


def _look(k: int, colours: Palette) -> dict[str, Any]:
    """Colour and marker of the k-th concept."""
    return {"color": channel_colour(k, colours), "marker": _MARKERS[k // 4]}
