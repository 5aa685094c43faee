"""Two recordings and the room between them: levels, echo return loss enhancement, impulse response."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.filters.uses import EchoRun
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Axes, Palette, Where, channel_colour, decibels, head, shade_frozen, show_key

__all__ = ["EchoDisplay"]

_BELOW = 6.0  # dB that an axis goes below the quietest hundredth


@dataclass(eq=False, repr=False)
class EchoDisplay(Display):
    """Levels of microphone and result, ERLE over time, the impulse response, and how fast it dies away.

    Make it with `from_run`.

    Parameters
    ----------
    run : EchoRun
        Of `rosenblatt.filters.uses.echo.filter_recordings`.

    Attributes
    ----------
    ax_ : array of four Axes
        After `plot`; `figure_` is their figure.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> from rosenblatt.filters.uses import EchoRun
    >>> powers = np.ones(100), np.linspace(1, 0.01, 100)
    >>> run = EchoRun("cancel", rb.filters.NLMS(4), 6400, 8000.0, 64, *powers, np.array([[0.0, 1.0, 0.5, 0.2]]), ())
    >>> display = rb.plot.EchoDisplay.from_run(run)
    >>> [ax.get_title(loc="left") for ax in display.ax_]
    ['Levels', 'ERLE: how far e is below d', 'Impulse response', 'Energy still to come']
    >>> import matplotlib.pyplot as plt; plt.close(display.figure_)
    """

    run: EchoRun

    @classmethod
    def from_run(cls, run: EchoRun, *, ax: Where = None) -> Self:
        """Draw what `filter_recordings` returned."""
        return cls(run).plot(ax)

    def plot(self, ax: Where = None) -> Self:
        """Draw into four axes, into the place of one, or into a new figure."""
        return self._several(ax, (11, 6.2), ((self._levels, self._erle), (self._response, self._decay)))

    def _levels(self, ax: Axes, colours: Palette) -> None:
        for power, name, colour in (
            (self.run.d_power, "microphone d", colours.muted),
            (self.run.e_power, "result e", colours.negative),
        ):
            ax.plot(self._time(ax, len(power)), decibels(power), color=colour, linewidth=1.2, label=name)
        _end_at_the_noise(ax, np.concatenate([self.run.d_power, self.run.e_power]))
        shade_frozen(ax, self.run.frozen, self.run.rate, colours)
        ax.set_ylabel("dB")
        head(ax, "Levels")
        show_key(ax, colours)

    def _erle(self, ax: Axes, colours: Palette) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.run.e_power > 0, self.run.d_power / self.run.e_power, np.nan)
        ax.plot(self._time(ax, len(ratio)), decibels(ratio), color=colours.positive, linewidth=1.2, label="ERLE")
        ax.axhline(0, color=colours.muted, linewidth=0.8)
        shade_frozen(ax, self.run.frozen, self.run.rate, colours)
        ax.set_ylabel("dB")
        head(ax, "ERLE: how far e is below d")
        if self.run.frozen:
            show_key(ax, colours)

    def _response(self, ax: Axes, colours: Palette) -> None:
        for k, w in enumerate(np.abs(self.run.w) if self.run.w.dtype.kind == "c" else self.run.w):
            ax.plot(self._delays(ax), w, color=channel_colour(k, colours), linewidth=0.8)
        ax.set_ylabel("w")
        head(ax, "Impulse response")

    def _decay(self, ax: Axes, colours: Palette) -> None:
        """Schroeder's curve: the energy of the response after each moment, over all of it."""
        for k, w in enumerate(self.run.w):
            left = np.cumsum((np.abs(w) ** 2)[::-1])[::-1]
            if left[0] > 0:
                ax.plot(self._delays(ax), decibels(left / left[0]), color=channel_colour(k, colours))
        ax.set(ylabel="dB", ylim=(-60, 3))
        head(ax, "Energy still to come")

    def _time(self, ax: Axes, n: int) -> Floats:
        ax.set_xlabel("seconds" if self.run.rate else "samples")
        return np.asarray((np.arange(n) + 0.5) * self.run.hop / (self.run.rate or 1))

    def _delays(self, ax: Axes) -> Floats:
        ax.set_xlabel("milliseconds" if self.run.rate else "samples")
        return np.asarray(np.arange(self.run.w.shape[1]) * (1000 / self.run.rate if self.run.rate else 1.0))


def _end_at_the_noise(ax: Axes, power: Floats) -> None:
    """The axis ends where the noise does: digital silence, at −300 dB or so, would squeeze everything else."""
    some = decibels(power[power > 1e-20 * power.max(initial=0.0)])
    if some.size:
        ax.set_ylim(np.percentile(some, 1) - _BELOW, some.max() + 3)
