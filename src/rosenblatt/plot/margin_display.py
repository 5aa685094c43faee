"""Histograms of the examples' distances to a hyperplane, by class."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import Floats, Signs
from rosenblatt.models import Hyperplane
from rosenblatt.plot.canvas.display import HyperplaneDisplay
from rosenblatt.plot.canvas.style import Axes, Classes, Palette, Where, cut, head, note, palette, whole_numbers
from rosenblatt.plot.canvas.view import DrawnExamples

if TYPE_CHECKING:
    from rosenblatt.verdicts import Verdict

__all__ = ["MarginDisplay"]


@dataclass(eq=False, repr=False)
class MarginDisplay(HyperplaneDisplay):
    """Signed distances in input space: the positive class counted upwards, the negative one downwards.

    Where the classes are separated a gap is left around zero; bars of examples on the wrong side are solid.

    Make it with `from_estimator`, `from_hyperplane` or `from_verdict`.

    Attributes
    ----------
    distances : array of n numbers
        (w·x + b)/‖w‖.
    signs : array of n numbers
        The classes as −1 and +1.
    wrong : int
        Examples on the wrong side; those on the hyperplane are not counted.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.sonar()
    >>> display = rb.plot.MarginDisplay.from_estimator(rb.LeastSquares().fit(X, y), X, y)
    >>> display.wrong
    20
    """

    distances: Floats
    signs: Signs
    classes: Classes

    @property
    def wrong(self) -> int:
        """Examples on the wrong side."""
        return int(np.count_nonzero(self.signs * self.distances < 0))

    @classmethod
    def from_verdict(cls, verdict: "Verdict", X: Any, y: Any, **options: Any) -> Self:
        """Distances to the middle of the widest street; of a quasi verdict, to its hyperplane."""
        if verdict.middle is None:
            raise ValueError(f"this verdict has no hyperplane ({verdict.kind}): use from_estimator instead.")
        return cls.from_hyperplane(verdict.middle, X, y, **options)

    @classmethod
    def from_hyperplane(cls, hyperplane: Hyperplane, X: Any, y: Any, *, ax: Where = None, **options: Any) -> Self:
        """Distances to any hyperplane."""
        examples = DrawnExamples.of(X, y)
        if not np.any(hyperplane.w):
            raise ValueError("w is zero: there is no hyperplane to be at a distance from.")
        return cls(examples.distances(hyperplane), examples.signs, examples.classes).plot(ax, **options)

    def plot(self, ax: Where = None, *, bins: int = 40, title: str | None = None) -> Self:
        """Draw; `bins` are cut so that zero lies between two of them."""
        ax, colours = self._one(ax, (5.6, 3.6))
        width, steps = self._bins(bins)
        tallest = 1
        for sign in (-1, 1):
            own = sign * self.distances[self.signs == sign]  # positive on the right side; a tie counts as nearest to it
            heights = np.histogram(own, steps * width)[0]
            tallest = max(tallest, int(heights.max()))
            for wrong in (False, True):
                chosen = (heights > 0) & ((steps[:-1] < 0) == wrong)
                middles = sign * (steps[:-1][chosen] + 0.5) * width
                fill = {"color": colours.of(int(sign > 0))} if wrong else _quiet(colours, sign)
                edge: dict[str, Any] = {"edgecolor": colours.of(int(sign > 0)), "linewidth": 0.8}
                label = "_wrong" if wrong else "_right"
                ax.bar(middles, sign * heights[chosen], width, label=label, **edge, **fill)
        ax.axhline(0, color=colours.muted, linewidth=0.8)
        ax.axvline(0, color=colours.ink, linewidth=1.6)
        ax.set_ylim(-1.28 * tallest, 1.28 * tallest)
        self._label_sides(ax, tallest)
        ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        whole_numbers(ax.yaxis)
        ax.set(xlabel="signed distance to the hyperplane", ylabel="examples")
        head(ax, title or self.sentence, self.classes)
        return self

    def _bins(self, bins: int) -> tuple[float, Floats]:
        """The width of a bar, and the bars' edges in such widths: zero is one of them, for either class alike."""
        low, high = min(0.0, float(self.distances.min())), max(0.0, float(self.distances.max()))
        width = (high - low) / bins or 1.0
        last = max(abs(low), high) // width + 2
        return width, np.arange(-last, last + 1)

    def _label_sides(self, ax: Axes, tallest: int) -> None:
        """The nearest of each class, written at the hyperplane; or how many are wrong."""
        colours = palette(ax)
        for sign, (name, _) in zip((-1, 1), self.classes, strict=True):
            own = sign * self.distances[self.signs == sign]
            wrong = int(np.count_nonzero(own < 0))
            words = f"{wrong:,} wrong" if wrong else f"nearest {cut(name, 24)}: {max(0.0, own.min()):.3g}"
            side = -sign if wrong else sign  # examples that are wrong lie on the other side
            ha = "left" if side > 0 else "right"
            note(ax, words, (0, sign * 1.14 * tallest), colours.of(int(sign > 0)), (6 * side, 0), ha=ha, va="center")

    @property
    def sentence(self) -> str:
        """What the picture shows."""
        n, tied = len(self.distances), int(np.count_nonzero(self.distances == 0))
        if self.wrong:
            return f"{self.wrong:,} of {n:,} examples on the wrong side"
        if tied:
            return f"{tied:,} of {n:,} examples on the hyperplane, none on the wrong side"
        return f"All {n:,} examples on their side, {np.abs(self.distances).min():.3g} away or more"


def _quiet(colours: Palette, sign: int) -> dict[str, Any]:
    """Bars of examples on their side: a tint, or hatched, so that the classes differ without colour too."""
    from matplotlib.colors import to_rgba

    return {"color": to_rgba(colours.positive, 0.35)} if sign > 0 else {"color": "none", "hatch": "////"}
