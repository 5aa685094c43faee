"""An adaptive filter at work, in four panels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters import Filtered, FilterRun
from rosenblatt.plot.style import LIGHT

__all__ = ["FilterDisplay", "bands", "dress", "head", "key"]

_INK, _MUTED, _FAINT = LIGHT.ink, LIGHT.muted, "#aab2ba"
_OUTPUT, _ERROR = LIGHT.positive, LIGHT.negative
_CHANNELS = (LIGHT.positive, LIGHT.negative, LIGHT.other, LIGHT.accent)
_HELD = LIGHT.accent
_COLUMNS = 1200  # a signal with more samples is drawn as the band between its lowest and highest values
_FEW = 12  # more weights than this are drawn as a map, not as lines


class FilterDisplay:
    """Signals, error in dB, weights over time, and the impulse response they end in.

    Make it with `from_run`.

    Parameters
    ----------
    d, y, e : arrays of n samples
        Desired signal, output and error. Of complex signals the real part is drawn.
    w : array of taps or channels × taps numbers
        Final weights; of complex ones the absolute value is drawn.
    history : array, optional
        Weights before every `every`-th sample.
    every : int, optional
        How many samples lie between two rows of the history; by default what its length suggests.
    rate : float, optional
        Samples per second; without it the time axis counts samples.
    frozen : pairs of samples, optional
        Where the weights were held still, as in `FilterRun.frozen`; drawn as bands.

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

    def __init__(
        self,
        d: npt.NDArray[Any],
        y: npt.NDArray[Any],
        e: npt.NDArray[Any],
        w: npt.NDArray[Any],
        history: npt.NDArray[Any] | None = None,
        every: int | None = None,
        rate: float | None = None,
        frozen: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.d, self.y, self.e, self.w = d, y, e, np.atleast_2d(w)
        self.history, self.every, self.rate, self.frozen = history, every, rate, frozen

    @classmethod
    def from_run(
        cls,
        run: FilterRun | Filtered,
        *,
        every: int | None = None,
        rate: float | None = None,
        ax: Any = None,
    ) -> "FilterDisplay":
        """The run of a filter, or the result of a task; keep `history` in either to see the weights move."""
        return cls(run.y + run.e, run.y, run.e, run.w, run.history, every, rate, run.frozen).plot(ax)

    def plot(self, ax: Any = None) -> "FilterDisplay":
        """Draw into four axes, or a new figure."""
        if not len(self.e):
            raise ValueError("there is nothing to draw: the run has no samples.")
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(2, 2, figsize=(11, 6.2), layout="constrained")
        axes = np.asarray(ax, dtype=object).ravel()
        if axes.size != 4:
            raise ValueError(f"ax must hold four Axes; it holds {axes.size}.")
        for one, draw in zip(axes, (self._signals, self._error, self._weights, self._response), strict=True):
            dress(one)
            draw(one)
        self.ax_, self.figure_ = axes, axes[0].figure
        return self

    # ---------------------------------------------------------------------------------------------------------- panels

    def _signals(self, ax: Any) -> None:
        for values, name, colour in (
            (self.d, "desired d", _FAINT),
            (self.y, "output y", _OUTPUT),
            (self.e, "error e", _ERROR),
        ):
            self._line(ax, values.real, name, colour)
        bands(ax, self.frozen, self.rate)
        ax.set_ylabel("real parts" if self.e.dtype.kind == "c" else "")
        self._time(ax)
        head(ax, "Signals")
        key(ax)

    def _error(self, ax: Any) -> None:
        width = max(1, len(self.e) // 100)
        for values, name, colour in ((self.d, "d", _FAINT), (self.e, "e", _ERROR)):
            power = np.convolve(np.abs(values) ** 2, np.ones(width) / width, mode="valid")
            with np.errstate(divide="ignore"):
                level = np.where(power > 0, 10 * np.log10(power), np.nan)  # no power has no decibels: a gap
            places = np.unique(np.linspace(0, len(level) - 1, _COLUMNS).astype(int))
            ax.plot(
                (places + width / 2) / (self.rate or 1),
                level[places],
                color=colour,
                linewidth=1.6,
                marker="o" if len(level) == 1 else None,
                label=f"power of {name}",
            )
        bands(ax, self.frozen, self.rate)
        if not np.any(self.d) and not np.any(self.e):
            ax.text(0.5, 0.5, "d and e are zero", ha="center", va="center", color=_MUTED, transform=ax.transAxes)
            ax.set_yticks([])
        ax.set_ylabel(f"dB, mean over {width:,} samples" if width > 1 else "dB")
        self._time(ax)
        head(ax, "Error")
        key(ax)

    def _weights(self, ax: Any) -> None:
        head(ax, "Weights over time")
        if self.history is None or not len(self.history):
            ax.text(
                0.5,
                0.5,
                "run with history=k\nto keep every k-th",
                ha="center",
                va="center",
                color=_MUTED,
                transform=ax.transAxes,
            )
            ax.set_xticks([])
            ax.set_yticks([])
            return
        complex_ = self.history.dtype.kind == "c"
        weights = np.abs(self.history) if complex_ else self.history
        every = self.every or -(-len(self.e) // len(weights))
        at = np.arange(len(weights)) * every / (self.rate or 1)
        rows = np.unique(np.linspace(0, len(weights) - 1, _COLUMNS).astype(int))
        if weights.shape[1] <= _FEW:
            for k, path in enumerate(weights[rows].T):
                ax.plot(
                    at[rows], path, color=_CHANNELS[k * len(self.w) // weights.shape[1] % 4], linewidth=1.1, alpha=0.85
                )
            ax.set_ylabel("|w|" if complex_ else "w")
        else:
            most = float(np.percentile(np.abs(weights[rows]), 99.5)) or 1.0
            options = {"cmap": "magma", "vmin": 0} if complex_ else {"cmap": "RdBu_r", "vmin": -most}
            edges = np.append(at[rows], at[rows][-1] + every / (self.rate or 1))
            picture = ax.pcolormesh(
                edges, np.arange(weights.shape[1] + 1) - 0.5, weights[rows].T, vmax=most, rasterized=True, **options
            )
            ax.figure.colorbar(picture, ax=ax, pad=0.01).ax.tick_params(labelsize="small", colors=_MUTED)
            ax.set_ylabel("tap" if len(self.w) == 1 else "tap, channel after channel")
        self._time(ax)

    def _response(self, ax: Any) -> None:
        complex_ = self.w.dtype.kind == "c"
        taps = np.arange(self.w.shape[1])
        ax.axhline(0, color=_FAINT, linewidth=0.8)
        for k, weights in enumerate(np.abs(self.w) if complex_ else self.w):
            colour, shift = _CHANNELS[k % 4], (k - (len(self.w) - 1) / 2) * 0.22
            ax.vlines(taps + shift, 0, weights, color=colour, linewidth=1.2)
            ax.plot(
                taps + shift, weights, "o", color=colour, markersize=3.5, label=f"channel {k}" if k == 0 else str(k)
            )
        ax.set_xlabel("tap (delay in samples)")
        ax.set_ylabel("|w|" if complex_ else "w")
        ax.set_xlim(-0.5, len(taps) - 0.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
        head(ax, "Final impulse response")
        if len(self.w) > 1:
            key(ax)

    # --------------------------------------------------------------------------------------------------------- helpers

    def _line(self, ax: Any, values: npt.NDArray[Any], name: str, colour: str) -> None:
        step = -(-len(values) // _COLUMNS)
        if step < 8:
            ax.plot(
                np.arange(len(values)) / (self.rate or 1),
                values,
                color=colour,
                linewidth=2.2 if colour == _FAINT else 0.8,
                marker="o" if len(values) == 1 else None,
                label=name,
            )
            return
        whole = values[: len(values) // step * step].reshape(-1, step)
        at = (np.arange(len(whole)) + 0.5) * step / (self.rate or 1)
        ax.fill_between(at, whole.min(axis=1), whole.max(axis=1), color=colour, alpha=0.85, linewidth=0, label=name)

    def _time(self, ax: Any) -> None:
        ax.set_xlabel("seconds" if self.rate else "samples")
        ax.set_xlim(0, len(self.e) / (self.rate or 1))


def bands(ax: Any, frozen: Sequence[tuple[int, int]], rate: float | None) -> None:
    """Where the weights were held still."""
    for k, (first, last) in enumerate(frozen):
        place = first / (rate or 1), last / (rate or 1)
        ax.axvspan(*place, color=_HELD, alpha=0.25, linewidth=0, zorder=0, label="" if k else "weights held still")


def dress(ax: Any) -> None:
    """No box, quiet ticks."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(_MUTED)
    ax.tick_params(colors=_MUTED, labelsize="small")


def head(ax: Any, title: str) -> None:
    """The title, on the left."""
    ax.set_title(title, loc="left", color=_INK, fontsize="medium", fontweight="bold")


def key(ax: Any) -> None:
    """The legend, in the line of the title, where it hides nothing."""
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "borderaxespad": 0.0}
    ax.legend(**place, ncols=4, fontsize="small", frameon=False, handlelength=1.2, columnspacing=1.2)
