"""The profile likelihood of one coefficient, and the cut that makes its interval."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Self

from rosenblatt.estimates.curve import ProfileCurve, profile_curve
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Where, head, note, plain

__all__ = ["ProfileDisplay"]

_FATES = {
    "+inf": "{name}: flat towards +∞, so there is no upper end",
    "-inf": "{name}: flat towards −∞, so there is no lower end",
}


@dataclass(eq=False, repr=False)
class ProfileDisplay(Display):
    """Twice what the log-likelihood loses if the coefficient is held at a value and the others are best for it.

    The interval is where the curve is below the cut. Where the estimate runs to infinity, the curve falls to zero on
    the way there and never rises again: the interval has one end.

    Make it with `from_data`.

    Attributes
    ----------
    curve : ProfileCurve
        `values` and `losses`, the `cut`, the `estimate`, and the ends `lower` and `upper`.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], [0, 1, 0, 1, 1, 1]
    >>> display = rb.plot.ProfileDisplay.from_data(X, y, "x0")
    >>> display.curve.fate, display.curve.upper
    ('+inf', inf)
    """

    curve: ProfileCurve

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any = None,
        coefficient: str | int = 0,
        *,
        ax: Where = None,
        title: str | None = None,
        **arguments: Any,
    ) -> Self:
        """The data as they are given to `rb.estimate`, with its arguments; the coefficient by name or number."""
        return cls(profile_curve(X, y, coefficient, **arguments)).plot(ax, title=title)

    def plot(self, ax: Where = None, *, title: str | None = None) -> Self:
        """Draw."""
        (ax, colours), curve = self._one(ax, (5.6, 3.6)), self.curve
        ax.axhline(curve.cut, color=colours.accent, linewidth=1.0, linestyle="--", label="_cut")
        ax.plot(curve.values, curve.losses, color=colours.ink, linewidth=1.8, label="_profile")
        inside = curve.losses <= curve.cut
        ax.fill_between(curve.values, curve.losses, curve.cut, where=inside, color=colours.faint, interpolate=True)
        top = min(float(curve.losses.max()), 2.5 * curve.cut)
        for value in (curve.lower, curve.upper):
            if isfinite(value):
                ax.plot([value, value], [0.0, curve.cut], color=colours.accent, linewidth=1.0, label="_end")
                note(ax, f"{value:.4g}", (value, 0.0), colours.accent, (0, 5), ha="center", va="bottom")
        if isfinite(curve.estimate):
            ax.plot([curve.estimate], [0.0], marker="o", color=colours.positive, clip_on=False, label="_estimate")
        at, side = (float(curve.values[0]), "left") if curve.upper == inf else (float(curve.values[-1]), "right")
        if isfinite(curve.estimate):
            at, side = curve.estimate, "center"
        words = f"cut for {100 * curve.level:.10g} %: {curve.cut:.3g}"
        note(ax, words, (at, curve.cut), colours.accent, (0, 4), ha=side, va="bottom")
        ax.set(ylim=(0.0, 1.08 * top), xlim=(float(curve.values[0]), float(curve.values[-1])))
        ax.set(xlabel=f"{plain(curve.name)}, held at this value", ylabel="2 × loss of log-likelihood")
        head(ax, title or self.sentence)
        return self

    @property
    def sentence(self) -> str:
        """What the picture shows."""
        words = _FATES.get(self.curve.fate, "{name}: an interval with two ends")
        return words.format(name=self.curve.name)
