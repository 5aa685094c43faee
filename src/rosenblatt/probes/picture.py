"""Three panels: accuracy against control over the layers, margins, and rows a weight beside the capacity."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["ProbesDisplay"]

_LINES = 6  # concepts that get lines of their own; more are drawn as a band
_POINTS = 500  # more are drawn as a raster, or the page grows to megabytes
_COLORS = ("#2f7ed8", "#d9822b", "#3c9d6b", "#b0569c", "#8c7a3d", "#5b6ee1")
_NULL = "#8a8f98"


class ProbesDisplay:
    """A picture of `Probes`, drawn by `plot`; `figure_` and `axes_` are matplotlib's.

    On the left accuracy (solid) and control (dashed) by layer, or one against the other where there is one layer; in
    the middle the margins; on the right training accuracy by rows a weight, with the line at 2: left of it random
    labels are separable more often than not (Cover), and a separation shows nothing.

    >>> import numpy as np, rosenblatt as rb
    >>> X = np.random.default_rng(0).standard_normal((2, 60, 4))
    >>> display = rb.probes.fit(X, X[0, :, 0] > 0, controls=2, random_state=0).plot()
    >>> [ax.get_title(loc="left") for ax in display.axes_]
    ['accuracy and control', 'margin', 'capacity']
    """

    def __init__(self, probes: "Probes") -> None:
        self.probes = probes

    def plot(self, ink: str = "#20242a") -> "ProbesDisplay":
        """Draw with text and axes in this colour, on nothing: the page below shows through."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(11, 3.4), layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
        several = self.probes.layers > 1
        (self._by_layer if several else self._against_control)(axes[0])
        (self._margins_by_layer if several else self._margins)(axes[1])
        self._capacity(axes[2])
        for ax, title in zip(axes, ("accuracy and control", "margin", "capacity"), strict=True):
            _dress(ax, title, ink)
        self.figure_, self.axes_ = figure, axes
        return self

    def _by_layer(self, ax: Any) -> None:
        probes, layers = self.probes, np.arange(self.probes.layers)
        accuracy, control = self._table(probes.accuracy), self._table(probes.control)
        if accuracy.shape[1] <= _LINES:
            for k, color in zip(range(accuracy.shape[1]), _COLORS, strict=False):
                ax.plot(layers, accuracy[:, k], color=color, marker="o", ms=3.5, label=probes.names[k])
                ax.plot(layers, control[:, k], color=color, ls="--", lw=1)
            ax.plot([], [], color=_NULL, ls="--", lw=1, label="control")
        else:
            _band(ax, layers, accuracy, _COLORS[0], "-", "accuracy")
            if not np.isnan(control).all():
                _band(ax, layers, control, _NULL, "--", "control")
        ax.set_xticks(layers if len(layers) <= 16 else layers[:: len(layers) // 12 + 1])
        ax.set_xlabel("layer")
        ax.set_ylabel("accuracy on new rows" if probes.validated else "training accuracy")
        ax.legend(frameon=False, fontsize=8, loc="best")

    def _against_control(self, ax: Any) -> None:
        probes = self.probes
        if np.isnan(probes.control).all():
            ax.hist(probes.accuracy, bins=30, color=_COLORS[0])
            ax.set_xlabel("accuracy on new rows" if probes.validated else "training accuracy")
            ax.set_ylabel("probes")
            return
        ax.axline((0.5, 0.5), slope=1, color=_NULL, ls="--", lw=1)
        ax.scatter(
            probes.control, probes.accuracy, s=14, color=_COLORS[0], alpha=0.7, lw=0, rasterized=len(probes) > _POINTS
        )
        ax.set_xlabel("control (shuffled labels)")
        ax.set_ylabel("accuracy on new rows" if probes.validated else "training accuracy")

    def _margins_by_layer(self, ax: Any) -> None:
        layers, margin = np.arange(self.probes.layers), self._table(self.probes.margin)
        if margin.shape[1] <= _LINES:
            for k, color in zip(range(margin.shape[1]), _COLORS, strict=False):
                ax.plot(layers, margin[:, k], color=color, marker="o", ms=3.5)
        else:
            _band(ax, layers, margin, _COLORS[0], "-", "margin")
        ax.axhline(0, color=_NULL, lw=0.8)
        ax.set_xlabel("layer")
        ax.set_ylabel("min y·s / ‖(w, b)‖")

    def _margins(self, ax: Any) -> None:
        ax.hist(self.probes.margin[~np.isnan(self.probes.margin)], bins=30, color=_COLORS[0])
        ax.axvline(0, color=_NULL, lw=0.8)
        ax.set_xlabel("min y·s / ‖(w, b)‖")
        ax.set_ylabel("probes")

    def _capacity(self, ax: Any) -> None:
        probes = self.probes
        rate = probes.labelled / len(probes.weights)
        ax.axvline(2, color=_NULL, ls="--", lw=1)
        note = {"xycoords": ("data", "axes fraction"), "xytext": (-10, 4), "textcoords": "offset points"}
        ax.annotate("capacity", (2, 0), fontsize=8, color=_NULL, rotation=90, **note)
        ax.scatter(
            rate,
            probes.training_accuracy,
            s=14,
            color=_COLORS[0],
            alpha=0.7,
            lw=0,
            rasterized=len(probes) > _POINTS,
            label="probes",
        )
        for copy in probes.control_training:
            ax.scatter(rate, copy, s=8, color=_NULL, alpha=0.5, lw=0, rasterized=len(probes) > _POINTS)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(min(1.0, rate.min()) / 1.3, max(4.0, rate.max()) * 1.3)
        ax.set_xlabel("rows a weight")
        ax.set_ylabel("training accuracy")

    def _table(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Layers × concepts."""
        return values.reshape(self.probes.layers, -1)


def _band(ax: Any, x: Any, values: npt.NDArray[np.float64], color: str, style: str, name: str) -> None:
    """The median over concepts, and the middle half of them."""
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75), axis=1)
    ax.fill_between(x, low, high, color=color, alpha=0.2, lw=0)
    ax.plot(x, middle, color=color, ls=style, marker="o", ms=3.5, label=f"{name}: median, middle half")


def _dress(ax: Any, title: str, ink: str) -> None:
    ax.set_title(title, color=ink, fontsize=10, loc="left")
    ax.patch.set_alpha(0)
    ax.tick_params(colors=ink, labelsize=8)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(ink)
        axis.label.set_fontsize(9)
    for name, spine in ax.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(ink)
    legend = ax.get_legend()
    for text in legend.get_texts() if legend else ():
        text.set_color(ink)
