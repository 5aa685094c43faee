"""An adaptive filter at work, in four panels."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.filters import Filtered, FilterRun
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import (
    Axes,
    Palette,
    Where,
    channel_colour,
    decibels,
    head,
    shade_frozen,
    show_key,
    whole_numbers,
)

__all__ = ["FilterDisplay"]

_COLUMNS = 1200  # a signal with more samples is drawn as the band between its lowest and highest values
_BEHIND = 0.5  # opacity of a line that others are drawn on top of
_FEW = 12  # more weights than this are drawn as a map, not as lines


@dataclass(eq=False, repr=False)
class FilterDisplay(Display):
    """Signals, error in dB, weights over time, and the impulse response they end in.

    Make it with `from_run`.

    Parameters
    ----------
    run : FilterRun or Filtered
        The run of a filter, or the result of a task. Of complex signals the real part is drawn, of complex weights the
        absolute value; where the weights were held still there are bands.
    every : int, optional
        How many samples lie between two rows of the history; by default what its length suggests.
    rate : float, optional
        Samples per second; without it the time axis counts samples.

    Attributes
    ----------
    ax_ : array of four Axes
        After `plot`; `figure_` is their figure.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> u = np.random.default_rng(0).normal(size=500)
    >>> d = np.convolve(u, [1.0, -0.5])[:500]
    >>> run = rb.filters.NLMS(taps=4, eta=0.1).run(u, d, history=5)
    >>> display = rb.plot.FilterDisplay.from_run(run)
    >>> [ax.get_title(loc="left") for ax in display.ax_]
    ['Signals', 'Error', 'Weights over time', 'Final impulse response']
    >>> import matplotlib.pyplot as plt; plt.close(display.figure_)
    """

    run: FilterRun | Filtered
    every: int | None = None
    rate: float | None = None

    @classmethod
    def from_run(
        cls, run: FilterRun | Filtered, *, every: int | None = None, rate: float | None = None, ax: Where = None
    ) -> Self:
        """The run of a filter, or the result of a task; keep `history` in either to see the weights move."""
        return cls(run, every, rate).plot(ax)

    def plot(self, ax: Where = None) -> Self:
        """Draw into four axes, into the place of one, or into a new figure."""
        if not len(self.run.e):
            raise ValueError("there is nothing to draw: the run has no samples.")
        if self.run.e.ndim > 1:
            raise ValueError("the run has several desired signals: draw the run of one at a time.")
        return self._several(ax, (11, 6.2), ((self._signals, self._error), (self._weights, self._response)))

    @property
    def d(self) -> npt.NDArray[Any]:
        """The desired signal."""
        return np.asarray(self.run.y + self.run.e)

    @property
    def weights(self) -> npt.NDArray[Any]:
        """The final weights, a row a channel."""
        return np.atleast_2d(self.run.w)

    # ---------------------------------------------------------------------------------------------------------- panels

    def _signals(self, ax: Axes, colours: Palette) -> None:
        for values, name, colour in (
            (self.d, "desired d", colours.muted),
            (self.run.y, "output y", colours.positive),
            (self.run.e, "error e", colours.negative),
        ):
            self._line(ax, values.real, name, colour, behind=colour == colours.muted)
        shade_frozen(ax, self.run.frozen, self.rate, colours)
        ax.set_ylabel("real parts" if self.run.e.dtype.kind == "c" else "")
        self._time(ax)
        head(ax, "Signals")
        show_key(ax, colours)

    def _error(self, ax: Axes, colours: Palette) -> None:
        width = max(1, len(self.run.e) // 100)
        for values, name, colour in ((self.d, "d", colours.muted), (self.run.e, "e", colours.negative)):
            power = np.convolve(np.abs(values) ** 2, np.ones(width) / width, mode="valid")
            level = decibels(power)
            places = np.unique(np.linspace(0, len(level) - 1, _COLUMNS).astype(int))
            at, marker = (places + width / 2) / (self.rate or 1), "o" if len(level) == 1 else None
            ax.plot(at, level[places], color=colour, linewidth=1.6, marker=marker, label=f"power of {name}")
        shade_frozen(ax, self.run.frozen, self.rate, colours)
        if not np.any(self.d) and not np.any(self.run.e):
            ax.text(0.5, 0.5, "d and e are zero", ha="center", va="center", color=colours.muted, transform=ax.transAxes)
            ax.set_yticks([])
        ax.set_ylabel(f"dB, mean over {width:,} samples" if width > 1 else "dB")
        self._time(ax)
        head(ax, "Error")
        show_key(ax, colours)

    def _weights(self, ax: Axes, colours: Palette) -> None:
        head(ax, "Weights over time")
        if self.run.history is None or not len(self.run.history):
            middle: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes}
            ax.text(0.5, 0.5, "run with history=k\nto keep every k-th", color=colours.muted, **middle)
            ax.set(xticks=[], yticks=[])
            return
        complex_ = self.run.history.dtype.kind == "c"
        weights = np.abs(self.run.history) if complex_ else self.run.history
        every = self.every or -(-len(self.run.e) // len(weights))
        at = np.arange(len(weights)) * every / (self.rate or 1)
        rows = np.unique(np.linspace(0, len(weights) - 1, _COLUMNS).astype(int))
        if weights.shape[1] <= _FEW:
            for k, path in enumerate(weights[rows].T):
                colour = channel_colour(k * len(self.weights) // weights.shape[1], colours)
                ax.plot(at[rows], path, color=colour, linewidth=1.1, alpha=0.85)
            ax.set_ylabel("|w|" if complex_ else "w")
        else:
            most = float(np.percentile(np.abs(weights[rows]), 99.5)) or 1.0
            options: dict[str, Any] = {"cmap": "magma", "vmin": 0} if complex_ else {"cmap": "RdBu_r", "vmin": -most}
            edges = np.append(at[rows], at[rows][-1] + every / (self.rate or 1))
            picture = ax.pcolormesh(
                edges, np.arange(weights.shape[1] + 1) - 0.5, weights[rows].T, vmax=most, rasterized=True, **options
            )
            ax.figure.colorbar(picture, ax=ax, pad=0.01).ax.tick_params(labelsize="small", colors=colours.muted)
            ax.set_ylabel("tap" if len(self.weights) == 1 else "tap, channel after channel")
        self._time(ax)

    def _response(self, ax: Axes, colours: Palette) -> None:
        complex_ = self.weights.dtype.kind == "c"
        taps = np.arange(self.weights.shape[1])
        ax.axhline(0, color=colours.muted, linewidth=0.8, alpha=_BEHIND)
        for k, weights in enumerate(np.abs(self.weights) if complex_ else self.weights):
            colour, shift = channel_colour(k, colours), (k - (len(self.weights) - 1) / 2) * 0.22
            ax.vlines(taps + shift, 0, weights, color=colour, linewidth=1.2)
            ax.plot(
                taps + shift, weights, "o", color=colour, markersize=3.5, label=f"channel {k}" if k == 0 else str(k)
            )
        ax.set(xlabel="tap (delay in samples)", ylabel="|w|" if complex_ else "w", xlim=(-0.5, len(taps) - 0.5))
        whole_numbers(ax.xaxis)
        head(ax, "Final impulse response")
        if len(self.weights) > 1:
            show_key(ax, colours)

    # --------------------------------------------------------------------------------------------------------- helpers

    def _line(self, ax: Axes, values: npt.NDArray[Any], name: str, colour: str, behind: bool) -> None:
        """One signal; one that others are drawn on top of is wide and pale."""
        paleness = _BEHIND if behind else 1.0
        step = -(-len(values) // _COLUMNS)
        if step < 8:
            times, marker = np.arange(len(values)) / (self.rate or 1), "o" if len(values) == 1 else None
            width = 2.2 if behind else 0.8
            ax.plot(times, values, color=colour, linewidth=width, alpha=paleness, marker=marker, label=name)
            return
        whole = values[: len(values) // step * step].reshape(-1, step)
        at = (np.arange(len(whole)) + 0.5) * step / (self.rate or 1)
        low, high = whole.min(axis=1), whole.max(axis=1)
        ax.fill_between(at, low, high, color=colour, alpha=0.85 * paleness, linewidth=0, label=name)

    def _time(self, ax: Axes) -> None:
        ax.set(xlabel="seconds" if self.rate else "samples", xlim=(0, len(self.run.e) / (self.rate or 1)))
