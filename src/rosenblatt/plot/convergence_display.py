"""The convergence theorem at work on one run."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.models import Trace
from rosenblatt.plot.canvas.display import RunDisplay
from rosenblatt.plot.canvas.style import Axes, Estimator, Palette, Where, head, note, whole_numbers
from rosenblatt.theory import ConvergenceCurve, convergence
from rosenblatt.verdicts import separability, separating_vector

__all__ = ["ConvergenceDisplay"]

_DRAWN = 600  # points of a curve: more than pixels
_LEFT_EDGE = ("axes fraction", "data")  # how the place of words at the left edge is given
_FAR = 6  # a bound so many times the corrections made needs logarithms


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(RunDisplay):
    """Why a perceptron stops: three panels.

    First: ‖w‖² after k corrections lies above a parabola and below a straight line (on logarithmic axes two straight
    lines, of slopes 2 and 1), which cross after the mistake bound. Second: the cosine of the angle to w* lies above a
    bound that grows like √k, and a cosine cannot pass 1. Third: so the corrections, counted pass by pass, do not pass
    the mistake bound.

    Make it with `from_trace` or `from_estimator` (fitted with `trace=True`, without margin).

    Attributes
    ----------
    curve : ConvergenceCurve
        The numbers.
    pass_ends : array
        Corrections made by the end of each pass.
    ax_ : array of three Axes
        After `plot`; `figure_` is their figure.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> data = rb.datasets.margin_cloud(200, 2, margin=0.25, random_state=1)
    >>> trace = rb.Perceptron(trace=True).fit(*data).trace_
    >>> display = rb.plot.ConvergenceDisplay.from_trace(trace, *data, data.w_star)
    >>> display.curve.bound
    269
    """

    curve: ConvergenceCurve
    pass_ends: Integers

    @classmethod
    def from_trace(
        cls, trace: Trace, X: Any, y: Any, w_star: npt.ArrayLike | None = None, *, ax: Where = None, **options: Any
    ) -> Self:
        """A recorded run; `w_star` is a separating vector, the bias last (default: that of the theorem's margin)."""
        if w_star is None:
            bias = trace.start.size > np.shape(X)[1]
            w_star = separating_vector(separability(X, y, fit_intercept=bias, numbers="binary"))  # as the run was
        return cls(convergence(trace, X, y, w_star), trace.pass_ends).plot(ax, **options)

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, *more: Any, **options: Any) -> Self:
        """The run of a perceptron that was fitted with `trace=True`; the rest as in `from_trace`."""
        if getattr(estimator, "margin", 0.0):
            raise ValueError("the theorem holds without a margin: fit a Perceptron(trace=True, margin=0).")
        return super().from_estimator(estimator, X, y, *more, **options)

    def plot(self, ax: Where = None, *, scale: Literal["auto", "linear", "log"] = "auto") -> Self:
        """Draw; `scale` is "linear", "log", or "auto": logarithms where the bound is far beyond the corrections."""
        if scale not in ("auto", "linear", "log"):
            raise ValueError(f"scale must be 'auto', 'linear' or 'log'; it is {scale!r}.")
        log = scale == "log" or (scale == "auto" and (self.curve.bound or 0) > _FAR * max(1, len(self.curve.k) - 1))
        panels = [partial(draw, log) for draw in (self._lengths, self._angle, self._corrections)]
        self._several(ax, (11.0, 3.7), (panels,))
        for one in self.ax_:
            one.minorticks_off()
        return self

    def _lengths(self, log: bool, ax: Axes, colours: Palette) -> None:
        curve = self.curve
        k = self._moments(log) if len(curve.k) > 1 else np.zeros(1)
        lower, upper = curve.bounds.lower(k), curve.bounds.upper(k)
        drawn = _some(len(curve.k), log)
        ax.fill_between(k, lower, upper, where=lower <= upper, color=colours.faint, linewidth=0, zorder=0)
        ax.plot(k, upper, color=colours.at_most, linewidth=1.5, linestyle="--")
        ax.plot(k, lower, color=colours.at_least, linewidth=1.5, linestyle="-.")
        _draw_run(ax, curve.k[drawn], curve.norm_sq[drawn], colours.ink)
        if log:
            ax.set(xscale="log", yscale="log")
            ax.set_xlim(left=1)
            bottom = max(_least_positive(curve.norm_sq[1:]) / 100, _least_positive(lower[1:]))
            ax.set_ylim(bottom, upper[-1] * max(2.0, (upper[-1] / bottom) ** 0.13))  # room for the words
        else:
            ax.set_ylim(0, 1.16 * float(max(upper.max(), lower.max(), curve.norm_sq.max())) or 1.0)
            whole_numbers(ax.xaxis)
            ax.set_xlim(0, self._moments(log)[-1] * 1.02)
        if len(curve.k) < 2:
            middle: dict[str, Any] = {"xycoords": "axes fraction", "ha": "center", "fontsize": "small"}
            ax.annotate("no correction was needed", (0.5, 0.5), color=colours.muted, **middle)
        else:
            _name(ax, k, upper, 0.42 if (curve.bound or 9) > 2 else 0.9, "at most: like k", colours.at_most, above=True)
            _name(ax, k, lower, 0.6, "at least: like k²", colours.at_least, above=False)
            # near the end of a run that used up the bound are the words at the crossing
            place = 0.3 if curve.bound is not None and len(curve.k) - 1 > 0.7 * curve.bound else 1.0
            _name(ax, curve.k[drawn], curve.norm_sq[drawn], place, "‖w‖²", colours.ink, above=True, bold=True)
        if curve.bound is not None:
            crossing = float(curve.bounds.upper(curve.bound))
            ax.plot(curve.bound, crossing, "o", color=colours.ink, markersize=5, zorder=5)
            words = f"they cross after {curve.bound:,}"
            note(ax, words, (curve.bound, crossing), colours.ink, (0, 5), ha="right", va="bottom")
        ax.set(xlabel="corrections k", ylabel="‖w‖²")
        head(ax, "Squeezed between two curves")

    def _angle(self, log: bool, ax: Axes, colours: Palette) -> None:
        curve = self.curve
        k = self._moments(log) if len(curve.k) > 1 else np.zeros(1)
        bound = curve.bounds.cos(k)
        bound = np.where((bound < 0) | (bound > 1), np.nan, bound)  # below 0 it bounds nothing, above 1 no run gets
        drawn = _some(len(curve.k), log)
        ax.axhline(1, color=colours.muted, linewidth=0.9)
        ax.plot(k, bound, color=colours.at_least, linewidth=1.5, linestyle="-.")
        _draw_run(ax, curve.k[drawn], curve.cos[drawn], colours.ink)
        ax.set_xlim(self._moments(log)[[0, -1]] * np.array([1.0, 1.02]))
        if log:
            ax.set_xscale("log")
        else:
            whole_numbers(ax.xaxis)
        ax.set_ylim(min(0.0, float(np.nanmin(curve.cos, initial=0.0))) - 0.03, 1.14)
        if len(curve.k) > 1:
            # below its curve: the run's own curve, with its name, is above it
            _name(ax, k, bound, 0.5, "at least: like √k", colours.at_least, above=False)
        _name(ax, curve.k[drawn], curve.cos[drawn], 0.6, "cos ∠(w, w*)", colours.ink, above=False, bold=True)
        note(ax, "a cosine cannot pass 1", (0, 1), colours.muted, (6, 4), xycoords=_LEFT_EDGE)
        ax.set(xlabel="corrections k", ylabel="cosine")
        head(ax, "Turning towards w*")

    def _corrections(self, log: bool, ax: Axes, colours: Palette) -> None:
        bound = self.curve.bound
        ends = np.append(0, self.pass_ends)
        drawn = _some(len(ends), False)
        ax.step(drawn, ends[drawn], where="post", color=colours.ink, linewidth=2.2)
        made = int(ends[-1])
        top = max(made, bound or 0, 1)
        if log:
            ax.set_yscale("log")
            ax.set_ylim(1, top * max(4.0, top**0.13))
        else:
            ax.set_ylim(0, 1.16 * top)
            whole_numbers(ax.yaxis)
        ax.set_xlim(0, max(1, len(ends) - 1) * 1.02)
        if bound is not None:
            ax.axhline(bound, color=colours.at_most, linewidth=1.5, linestyle="--")
            note(ax, f"never more than {bound:,}", (0, bound), colours.at_most, (6, 4), xycoords=_LEFT_EDGE)
        up = 5 if not bound or log or made < 0.8 * bound else -12
        note(ax, f"{made:,} made", (len(ends) - 1, made), colours.ink, (-2, up), ha="right", fontweight="bold")
        whole_numbers(ax.xaxis, 4)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set(xlabel="passes", ylabel="corrections")
        head(ax, "Corrections against the bound")

    def _moments(self, log: bool) -> Floats:
        """From 0 (or 1) to where the bounds have crossed, or to the end of the run."""
        bound, made = self.curve.bound, len(self.curve.k) - 1
        end = float(max(made, 1) if bound is None else max(made, bound + 1))
        return np.geomspace(1, end, 400) if log else np.linspace(0, end, 400)


def _some(n: int, log: bool) -> Integers:
    """Indices to draw: all, or about as many as a picture has pixels."""
    if n <= _DRAWN:
        return np.arange(n)
    spaced = np.geomspace(1, n, _DRAWN) - 1 if log else np.linspace(0, n - 1, _DRAWN)
    return np.unique(np.append(spaced.astype(np.int64), n - 1))


def _least_positive(values: Floats) -> float:
    positive = values[values > 0]
    return float(positive.min()) if positive.size else 1e-3


def _draw_run(ax: Axes, k: Integers, values: Floats, colour: str) -> None:
    """The run's own curve; a single value is a dot."""
    alone = np.count_nonzero(np.isfinite(values)) < 2
    ax.plot(k, values, color=colour, linewidth=2.2, marker="o" if alone else None, markersize=6)


def _name(
    ax: Axes,
    k: Floats | Integers,
    values: Floats,
    at: float,
    words: str,
    colour: str,
    *,
    above: bool,
    bold: bool = False,
) -> None:
    """Words beside a curve, at this part of its length: on its left above it, or on its right below it."""
    finite = np.flatnonzero(np.isfinite(values))
    if not finite.size:
        return
    place = finite[min(len(finite) - 1, int(at * len(finite)))]
    across, up = ax.transAxes.inverted().transform(ax.transData.transform((k[place], values[place])))
    above = above or up < 0.12
    left = across > 0.25 if above else across > 0.75
    x, ha = (-5, "right") if left else (5, "left")
    y, va = (5, "bottom") if above else (-5, "top")
    weight = "bold" if bold else None
    note(ax, words, (k[place], values[place]), colour, (x, y), ha=ha, va=va, fontweight=weight)
