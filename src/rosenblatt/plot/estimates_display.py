"""The forest plot of a table of estimates: maximum likelihood and Firth side by side."""

from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.estimates.results.table import Estimates
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Axes, Palette, Where, cut, head, plain

__all__ = ["EstimatesDisplay"]

_APART = 0.16  # of a row, between the two estimates of a coefficient


class _Bar(NamedTuple):
    """An estimate with its interval; ±inf where that is the truth, NaN where there is none."""

    value: float
    lower: float
    upper: float


@dataclass(eq=False, repr=False)
class EstimatesDisplay(Display):
    """One row a coefficient: a disc is the maximum-likelihood estimate, an open square is Firth's.

    A line is the interval; an arrow means that it has no end on that side. Where the estimate itself runs away, there
    is no disc. Ratios have a logarithmic axis.

    Make it with `from_estimates`.

    Attributes
    ----------
    names : list of str
        The coefficients shown, from top to bottom.
    likelihood, firth : lists of (value, lower, upper)
        What is shown of each; `firth` is empty where it was not asked for.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], [0, 1, 0, 1, 1, 1]
    >>> display = rb.plot.EstimatesDisplay.from_estimates(rb.estimate(X, y))
    >>> display.names
    ['x0', 'x1']
    """

    names: list[str]
    likelihood: list[_Bar]
    firth: list[_Bar]
    level: float
    ratio: str | None
    outcome: str

    @classmethod
    def from_estimates(cls, estimates: Estimates, *, intercept: bool = False, ax: Where = None, **options: Any) -> Self:
        """What `rb.estimate` found; the intercept is shown if asked for, or if it is alone."""
        chosen = [one for one in estimates.coefficients if intercept or one.name != "(1)"] or estimates.coefficients
        likelihood = [_Bar(one.value, one.lower.value, one.upper.value) for one in chosen]
        firth = [
            _Bar(*(one.firth.value, one.firth.lower, one.firth.upper) if one.firth else (nan,) * 3) for one in chosen
        ]
        ratio = None
        if estimates.exponentiate:
            ratio = estimates.ratio
            with np.errstate(over="ignore", under="ignore"):
                likelihood, firth = ([_Bar(*np.exp(bar).tolist()) for bar in bars] for bars in (likelihood, firth))
        names = [f"{one.name} (against {one.reference})" if one.reference else one.name for one in chosen]
        shown = firth if estimates.penalised else []
        return cls(names, likelihood, shown, estimates.level, ratio, estimates.outcome).plot(ax, **options)

    def plot(self, ax: Where = None, *, title: str | None = None) -> Self:
        """Draw."""
        ax, colours = self._one(ax, (6.4, 1.3 + 0.5 * len(self.names)))
        if self.ratio:
            ax.set_xscale("log")
        ax.set_xlim(self._limits())
        ax.axvline(1.0 if self.ratio else 0.0, color=colours.muted, linewidth=0.8, zorder=0)
        apart = _APART if self.firth else 0.0
        for row, bar in enumerate(self.likelihood):
            _draw(ax, bar, row - apart, colours.positive, "o", colours)
        for row, bar in enumerate(self.firth):
            _draw(ax, bar, row + apart, colours.negative, "s", colours)
        ax.set_ylim(len(self.names) - 0.5, -0.5)
        ax.set_yticks(range(len(self.names)), [plain(name, 28) for name in self.names])
        ax.tick_params(axis="y", length=0, labelcolor=colours.ink)
        ax.set_xlabel(f"{self.ratio or 'coefficient'}, with {100 * self.level:.10g} % interval")
        head(ax, (title or cut(self.outcome, 36)) + "\n" * bool(self.firth))  # above the key
        self._key(ax, colours)
        return self

    def _limits(self) -> tuple[float, float]:
        """All finite numbers, and room for arrows."""
        numbers = [value for bar in (*self.likelihood, *self.firth) for value in bar if isfinite(value)]
        if self.ratio:
            logs = np.log([value for value in numbers if value > 0] or [1.0])
            room = 0.12 * max(1.0, float(np.ptp(np.append(logs, 0.0))))
            return float(np.exp(min(logs.min(), 0.0) - room)), float(np.exp(max(logs.max(), 0.0) + room))
        low, high = min([*numbers, 0.0]), max([*numbers, 0.0])
        room = 0.12 * ((high - low) or 1.0)
        return low - room, high + room

    def _key(self, ax: Axes, colours: Palette) -> None:
        from matplotlib.lines import Line2D

        if not self.firth:
            return
        marks = [
            Line2D([], [], color=colours.positive, marker="o", label="maximum likelihood"),
            Line2D([], [], color=colours.negative, marker="s", markerfacecolor="none", label="Firth"),
        ]
        place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        ax.legend(handles=marks, **place, ncols=2, frameon=False, fontsize="small", labelcolor=colours.ink)


def _draw(ax: Axes, bar: _Bar, y: float, colour: str, marker: str, colours: Palette) -> None:
    """The interval, with an arrow where it has no end, and the estimate."""
    if np.isnan(bar.lower) and np.isnan(bar.upper):
        return
    left, right = ax.get_xlim()
    endless = (0.0 if ax.get_xscale() == "log" else -inf, inf)
    low = left if bar.lower == endless[0] else max(bar.lower, left)
    high = right if bar.upper == endless[1] else min(bar.upper, right)
    ax.plot([low, high], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt", label="_interval")
    for infinite, end, arrow in ((bar.lower == endless[0], left, "<"), (bar.upper == endless[1], right, ">")):
        if infinite:
            ax.plot([end], [y], marker=arrow, color=colour, markersize=7, clip_on=False, label="_arrow")
    if isfinite(bar.value) and not (ax.get_xscale() == "log" and bar.value == 0):
        face = colour if marker == "o" else colours.paper
        ax.plot([bar.value], [y], marker=marker, color=colour, markerfacecolor=face, markersize=6, label="_estimate")
