"""The capacity of a perceptron: how the part of separable labelings falls, ever sharper, at two points a weight."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.counting import probability
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Where

if TYPE_CHECKING:
    from rosenblatt.cover.capacity import CapacityExperiment

__all__ = ["CapacityDisplay"]

_MARKERS = "os^Dv"  # one more than colours: so that the fifth line is not marked as the first


class CapacityDisplay(Display):
    """Measured fractions of separable labelings against Cover's theorem.

    Parameters
    ----------
    N : numbers of weights
    ratios : points for each weight
    measured : array (len(N), len(ratios))
        The part of labelings that was separable.
    intervals : array (2, len(N), len(ratios)), optional
        Lower and upper ends.

    Attributes
    ----------
    ax_, figure_ : where it was drawn

    Examples
    --------
    >>> display = CapacityDisplay([5], [1.0, 2.0, 3.0], [[1.0, 0.48, 0.1]])
    >>> display.plot().ax_.get_xlabel()                                       # doctest: +SKIP
    'points for each weight, P/N'
    """

    def __init__(
        self, N: Sequence[int], ratios: npt.ArrayLike, measured: npt.ArrayLike, intervals: npt.ArrayLike | None = None
    ) -> None:
        self.N = tuple(int(size) for size in N)
        self.ratios = np.asarray(ratios, dtype=float)
        self.measured = np.atleast_2d(np.asarray(measured, dtype=float))
        self.intervals = None if intervals is None else np.asarray(intervals, dtype=float)
        if self.measured.shape != (len(self.N), len(self.ratios)):
            raise ValueError(
                f"measured must have a row for each of {len(self.N)} numbers of weights and a column for each of "
                f"{len(self.ratios)} ratios; it has shape {self.measured.shape}."
            )

    @classmethod
    def from_experiment(cls, experiment: "CapacityExperiment", ax: Where = None) -> Self:
        """Draw what `rosenblatt.cover.capacity_experiment` measured (its N, ratios, measured and intervals)."""
        return cls(experiment.N, experiment.ratios, experiment.measured, experiment.intervals).plot(ax)

    def plot(self, ax: Where = None) -> Self:
        """Lines are the theorem, marks what was measured, bars its 95 % intervals."""
        ax, colours = self._one(ax, (6.4, 4.2))
        shades = (colours.positive, colours.accent, colours.other, colours.negative)
        longest = max(float(self.ratios.max()), 2.5)
        for k, size in enumerate(self.N):
            color, marker = shades[k % len(shades)], _MARKERS[k % len(_MARKERS)]
            P = np.unique(np.maximum(1, np.rint(np.linspace(min(0.5, self.ratios.min()), longest, 300) * size)))
            share = [probability(int(points), size) for points in P]
            ax.plot(P / size, share, color=color, linewidth=1.4, alpha=0.75)
            at, found, bars = np.rint(self.ratios * size) / size, self.measured[k], None
            if self.intervals is not None:
                bars = np.maximum(0.0, [found - self.intervals[0, k], self.intervals[1, k] - found])
            look: dict[str, Any] = {"color": color, "markersize": 5, "elinewidth": 1, "label": f"N = {size}"}
            ax.errorbar(at, found, yerr=bars, fmt=marker, **look)
        ax.axvline(2.0, color=colours.muted, linewidth=0.8, linestyle=":")
        ax.text(2.0, 1.03, " capacity: P = 2N", color=colours.muted, fontsize="small", va="bottom", ha="left")
        ax.set(xlabel="points for each weight, P/N", ylabel="part of labelings that is separable", ylim=(-0.03, 1.1))
        key: dict[str, Any] = {"title": "measured; lines: Cover", "loc": "upper right", "bbox_to_anchor": (1.0, 0.95)}
        ax.legend(**key, frameon=False, fontsize="small", labelcolor=colours.ink)
        return self
