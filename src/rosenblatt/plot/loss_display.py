"""The loss of each learner, against y·s."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Axes, Estimator, Palette, Where, head, note

__all__ = ["LossDisplay"]

Loss = Callable[[Floats], Floats]

# name → (loss as a function of m = y·s, where its label stands, above or below the curve, colour, width, dashes)
LOSSES: dict[str, tuple[Loss, float, int, str, float, str]] = {
    "0/1": (lambda m: (m <= 0).astype(float), -1.9, -1, "muted", 1.4, "--"),
    "perceptron": (lambda m: np.maximum(0.0, -m), -1.25, -1, "ink", 2.4, "-"),
    "logistic": (lambda m: np.logaddexp(0.0, -m), 1.0, 1, "accent", 1.8, "-"),
    "hinge": (lambda m: np.maximum(0.0, 1.0 - m), -1.35, -1, "other", 1.8, "-."),
    "squared": (lambda m: (1.0 - m) ** 2 / 2, 2.2, 1, "muted", 1.8, ":"),
}


@dataclass(eq=False, repr=False)
class LossDisplay(Display):
    """0/1, perceptron, logistic, hinge and squared loss as functions of y·s, s = w·x + b.

    The last four are max(0, −y·s), log(1 + e^(−y·s)), max(0, 1 − y·s) and (1 − y·s)²/2. For large negative y·s the
    perceptron's and the logistic loss agree. To the right of zero only the perceptron's loss is 0 at once; the squared
    loss rises again for examples that are far on their right side.

    Attributes
    ----------
    agreement : array or None
        y·s of the examples, drawn as ticks below the curves.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> display = rb.plot.LossDisplay().plot()
    >>> [line.get_label() for line in display.lines_]
    ['0/1', 'perceptron', 'logistic', 'hinge', 'squared']
    """

    agreement: Floats | None = None

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, *, ax: Where = None) -> Self:
        """The curves with the y·s of the examples, as a fitted classifier of two classes answers."""
        s = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if s.ndim != 1:
            raise ValueError(f"{type(estimator).__name__} answers for {s.shape[1]} classes: draw two classes.")
        signs = np.where(np.asarray(y) == estimator.classes_[1], 1.0, -1.0)
        return cls(signs * s).plot(ax)

    def plot(self, ax: Where = None) -> Self:
        """Draw."""
        ax, colours = self._one(ax, (5.6, 3.8))
        m = np.linspace(-2.2, 3.2, 1081)
        ax.set(xlim=(-2.2, 3.2), ylim=(-0.12 if self.agreement is None else -0.42, 3.1))
        ax.axvline(0, color=colours.faint, linewidth=1, zorder=0)
        ax.axvline(1, color=colours.faint, linewidth=1, zorder=0)
        self.lines_ = []
        for name, (loss, at, above, colour, width, dashes) in LOSSES.items():
            style = {"color": getattr(colours, colour), "linewidth": width, "linestyle": dashes}
            values = loss(m)
            values = np.where(np.diff(values, append=values[-1]) < -0.5, np.nan, values)  # a jump is not a slope
            self.lines_ += ax.plot(m, values, label=name, solid_capstyle="round", **style)
            place, va = (at, float(loss(np.array([at]))[0])), "bottom" if above > 0 else "top"
            turned = {"rotation": _slope(loss, at), "rotation_mode": "anchor", "transform_rotates_text": True}
            note(ax, name, place, style["color"], _off_the_curve(loss, at, 4 * above), ha="center", va=va, **turned)
        if self.agreement is not None:
            self._examples(ax, colours)
        ax.set(xlabel="y·s", ylabel="loss")
        for side, words in (("right", "wrong side "), ("left", " right side")):
            ax.text(0, 2.98, words, ha=side, va="center", fontsize="x-small", color=colours.muted)
        head(ax, "What each learner minds")
        return self

    def _examples(self, ax: Axes, colours: Palette) -> None:
        """The examples as ticks; those beyond the picture are counted."""
        assert self.agreement is not None
        inside = self.agreement[np.abs(self.agreement - 0.5) <= 2.7]
        ax.plot(inside, np.full(inside.size, -0.2), "|", color=colours.ink, markersize=9, alpha=0.55, label="_examples")
        for side, count in ((-1, int(np.sum(self.agreement < -2.2))), (1, int(np.sum(self.agreement > 3.2)))):
            if count:
                words, x, ha = f"{count:,} further", 0, "left"
                if side > 0:
                    words, x, ha = f"{words} →", 1, "right"
                at_edge = {"xycoords": ("axes fraction", "data"), "ha": ha, "va": "center", "fontsize": "x-small"}
                note(ax, words, (x, -0.2), colours.muted, (-side * 4, 0), **at_edge)


def _slope(loss: Loss, at: float) -> float:
    """Degrees of the curve's slope, in data coordinates."""
    low, high = loss(np.array([at - 1e-3, at + 1e-3]))
    return float(np.degrees(np.arctan2(high - low, 2e-3)))


def _off_the_curve(loss: Loss, at: float, distance: float) -> tuple[float, float]:
    """An offset at right angles to the curve."""
    angle = np.radians(_slope(loss, at))
    return float(-np.sin(angle) * distance), float(np.cos(angle) * distance)
