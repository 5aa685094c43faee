"""Corrections one by one: before, and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.models import Trace
from rosenblatt.plot.canvas import drawing
from rosenblatt.plot.canvas.display import RunDisplay
from rosenblatt.plot.canvas.style import Axes, Classes, Palette, Where, head, note, palette
from rosenblatt.plot.canvas.view import DrawnExamples, View, parted, unit

__all__ = ["Correction", "CorrectionsDisplay"]

_EARLY = 50  # corrections that are looked at for good examples
_REACH = 2.0  # the picture is not widened for a line that is farther away than so many times the examples' extent


@dataclass(frozen=True)
class Correction:
    """The k-th correction as drawn: all vectors and lines in the coordinates of one plane."""

    k: int
    row: int
    sign: int  # its class
    agreement: tuple[float, float]  # sign · (w·x + b) of the corrected row, before and after
    points: Floats  # of all rows that are drawn
    mistake: Floats  # where the corrected example is
    before: tuple[Floats, float]  # the line v·a + c = 0, v the weights in this plane
    added: Floats  # step · x
    after: tuple[Floats, float]
    names: tuple[str, str]


@dataclass(eq=False, repr=False)
class CorrectionsDisplay(RunDisplay):
    """Bishop's figure 4.7 for any corrections of a run: two panels each, before and after.

    Before: the hyperplane, its normal vector w, the misclassified example (ringed) and the vector to add. After: the
    new normal vector, the sum of the two (which are drawn pale), and where the hyperplane has moved. Both panels have
    one scale, and arrows begin in one place, on the old hyperplane. With more than two columns the plane
    shown is that of w and the example: the new w lies in it too, so every example is on its true side in both panels.

    Make it with `from_trace` or `from_estimator` (fitted with `trace=True`).

    Attributes
    ----------
    corrections : list of Correction
        What is drawn.
    ax_ : array of Axes
        Two for each correction, after `plot`; `figure_` is their figure.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(30, 2, margin=0.2, random_state=3)
    >>> model = rb.Perceptron(order="cyclic", trace=True).fit(X, y)
    >>> display = rb.plot.CorrectionsDisplay.from_estimator(model, X, y)
    >>> [one.k for one in display.corrections], len(display.ax_)
    ([2, 5], 4)
    """

    corrections: list[Correction]
    signs: Signs
    classes: Classes

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        X: Any,
        y: Any,
        corrections: Sequence[int] | None = None,
        *,
        max_points: int = 1000,
        ax: Where = None,
    ) -> Self:
        """Chosen corrections of a recorded run, counted from 1.

        By default the first two that move a hyperplane and put their row on its right side, as far as there are such.
        """
        examples = DrawnExamples.of(X, y)
        trace.bind(examples.rows)
        chosen = list(corrections) if corrections is not None else _usual_two(trace, examples)
        if not chosen or min(chosen) < 1 or max(chosen) > len(trace):
            raise ValueError(f"corrections are counted from 1 to {len(trace)} in this run; got {chosen}.")
        shown = examples.sample(max_points, trace.rows[np.asarray(chosen) - 1])
        parts = [_correction(trace, examples, shown, k) for k in chosen]
        return cls(parts, examples.signs[shown], examples.classes).plot(ax)

    def plot(self, ax: Where = None) -> Self:
        """Draw, two panels in a line for each correction."""
        panels = [(partial(self._before, one), partial(self._after, one)) for one in self.corrections]
        return self._several(ax, (8.4, 3.7 * len(panels)), panels)

    def _examples(self, ax: Axes, one: Correction) -> None:
        around = _surroundings(one)
        drawing.examples(ax, one.points, self.signs > 0, one.names, equal=bool(one.names[1]), pad=0.16, around=around)

    def _before(self, one: Correction, ax: Axes, colours: Palette) -> None:
        self._examples(ax, one)
        v, c = one.before
        start, scale = _origin(ax, one)
        if np.any(v):
            self._line(ax, v, c, color=colours.ink, linewidth=1.8)
            drawing.arrow(ax, start, scale * v, colours.ink, "w")
        if np.any(one.added):
            beside = _beside(ax, v, one.added)
            drawing.arrow(ax, start + scale * v + beside, scale * one.added, colours.accent, "+ηy·x")
        else:
            _remark(ax, "x = 0: only the bias changes", colours.accent)
        drawing.rings(ax, one.mistake[None, :], colours.accent, 130)
        side = _side(one.agreement[0], "is on the wrong side", "is within the margin")
        nowhere = "w = 0, every row is a tie" if c == 0 else "w = 0, there is no hyperplane"
        head(ax, f"Correction {one.k:,}: " + (f"row {one.row} {side}" if np.any(v) else nowhere), self.classes)

    def _after(self, one: Correction, ax: Axes, colours: Palette) -> None:
        self._examples(ax, one)
        if np.any(one.before[0]):
            self._line(ax, *one.before, color=colours.muted, linestyle="--", linewidth=0.8)
        v, c = one.after
        start, scale = _origin(ax, one)
        for begin, step in ((start, one.before[0]), (start + scale * one.before[0], one.added)):
            if np.any(step):
                drawing.arrow(ax, begin, scale * step, colours.faint, "")
        if np.any(v):
            self._line(ax, v, c, color=colours.ink, linestyle="-", linewidth=1.8)
            drawing.arrow(ax, start, scale * v, colours.ink, "new w")
        drawing.rings(ax, one.mistake[None, :], colours.accent, 130)
        side = _side(one.agreement[1], "is still wrong", "is right")
        head(ax, f"{'Now' if np.any(v) else 'Now w = 0, no hyperplane;'} row {one.row} {side}", self.classes)

    @staticmethod
    def _line(ax: Axes, v: Floats, c: float, **style: str | float) -> None:
        """The hyperplane, or words where it is too far away to be drawn."""
        if not drawing.is_outside(ax, v, c):
            drawing.line(ax, v, c, **style)
        elif style.get("linestyle") != "--":
            _remark(ax, "the hyperplane is far outside", palette(ax).ink)


def _correction(trace: Trace, examples: DrawnExamples, shown: Integers, k: int) -> Correction:
    before, after = weights = trace.weights_at([k - 1, k])
    row, step = int(trace.rows[k - 1]), float(trace.steps[k - 1])
    p = examples.rows.p
    x = examples.rows.take([row])[0]
    earlier, later = parted(before, p), parted(after, p)
    if p == 1:
        view = View.across(examples, earlier[0], 0.0)
    else:
        view = View.spanned(earlier[0], x, examples.features, ("along w", f"row {row}, across w"))
    sign = int(examples.signs[row])
    agreement = [sign * float(examples.rows.respond(w)[row]) for w in weights]
    return Correction(
        k,
        row,
        sign,
        (agreement[0], agreement[1]),
        view.points(examples.rows.take(shown), examples.signs[shown]),
        view.points(x[None, :], examples.signs[[row]])[0],
        view.line(earlier[0], float(earlier[1])),
        view.basis @ (step * x),
        view.line(later[0], float(later[1])),
        view.names,
    )


def _usual_two(trace: Trace, examples: DrawnExamples) -> list[int]:
    """The first two corrections that move a hyperplane and end with their row right, or what there is."""
    early = np.arange(min(len(trace), _EARLY) + 1)
    weights, bias = parted(trace.weights_at(early), examples.rows.p)
    rows = trace.rows[early[:-1]]
    x = examples.rows.take(rows)
    right = examples.signs[rows] * (np.sum(x * weights[1:], axis=1) + bias[1:]) > 0
    moves = np.any(weights[:-1], axis=1)
    order = np.argsort(-(2 * moves + (moves & right)), kind="stable") + 1
    return sorted(order[:2].tolist())


def _surroundings(one: Correction) -> Floats:
    """The points, and of either line the nearest place with room for its normal vector, unless it is far away."""
    low, high = one.points.min(axis=0), one.points.max(axis=0)
    middle, extent = (low + high) / 2, float(np.max(high - low)) or 1.0
    places = [one.points]
    for v, c in (one.before, one.after):
        foot = drawing.foot(middle, v, c) if np.any(v) else middle
        if np.any(v) and np.max(np.abs(foot - middle)) <= _REACH * extent:
            places += [foot[None, :], (foot + 0.3 * extent * unit(v)[0])[None, :]]
    return np.vstack(places)


def _beside(ax: Axes, v: Floats, added: Floats) -> Floats:
    """A small step aside where the added vector points back along w and would hide it."""
    if not np.any(v) or unit(v)[0] @ unit(added)[0] > -0.999:
        return np.zeros(2)
    n = unit(v)[0]
    return np.asarray(0.025 * drawing.box(ax)[1] * np.array([-n[1], n[0]]))


def _side(agreement: float, wrong: str, right: str) -> str:
    return wrong if agreement < 0 else "is a tie" if agreement == 0 else right


def _remark(ax: Axes, words: str, colour: str) -> None:
    """Words in the lower right corner."""
    note(ax, words, (1, 0), colour, (-4, 5), xycoords="axes fraction", ha="right", zorder=6)


def _origin(ax: Axes, one: Correction) -> tuple[Floats, float]:
    """Where the arrows of both panels begin, near the middle of the old line, and by what they are multiplied."""
    (v, c), middle = one.before, drawing.box(ax)[0]
    start = drawing.foot(middle, v, c) if np.any(v) and not drawing.is_outside(ax, v, c) else middle
    return start, _scale(ax, start, (v, v + one.added))


def _scale(ax: Axes, start: Floats, vectors: Sequence[Floats]) -> float:
    """One factor for vectors that begin at `start`: none longer than a third of the picture, nor beyond its edge."""
    middle, size = drawing.box(ax)
    room = 0.36 * size - np.sign(np.array(vectors)) * (start - middle)  # to the edge, the way each points
    parts = np.abs(np.array(vectors))
    limits = np.maximum(np.minimum(room, 0.33 * size), 0.08 * size) / np.where(parts > 0, parts, np.inf)
    return float(np.min(limits[parts > 0], initial=np.inf)) if np.any(parts) else 1.0
