"""Examples and a hyperplane between two classes of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.models import Hyperplane
from rosenblatt.plot.canvas import drawing
from rosenblatt.plot.canvas.display import HyperplaneDisplay
from rosenblatt.plot.canvas.style import Axes, Classes, Estimator, Where, head, palette, plain
from rosenblatt.plot.canvas.view import DrawnExamples, View

if TYPE_CHECKING:
    from rosenblatt.verdicts import Verdict

__all__ = ["BoundaryDisplay"]

_MOST = 100_000  # rows that are looked at for a picture
_BLOB = 5000  # more marks than these hide each other
_RINGS = 300  # more rings and distances than these would be a blob


@dataclass(eq=False, repr=False)
class BoundaryDisplay(HyperplaneDisplay):
    """Points, hyperplane, normal vector, the band without examples, distances, mistakes.

    Of three and more classes: the region of each, where its score is the largest, and rings around examples that lie in
    the region of another.

    With more than two columns the picture shows the plane spanned by w and the main direction of the examples
    orthogonal to it, where distances to the hyperplane are the true ones; or two columns of your choice, where the
    line is a section (the other columns at their mean) and only the rings tell who is on the wrong side. More rows than
    `max_points` are drawn as densities, and rings only where there are few.

    Make it with `from_estimator`, `from_hyperplane` or `from_verdict`.

    Attributes
    ----------
    points : array (n, 2)
        Where the examples are drawn.
    distances : array of n numbers
        Signed distance of each to the hyperplane, in input space, whatever the picture shows.
    rows : array of n numbers
        Which rows are drawn.
    wrong, tied : int
        How many examples are on the wrong side, and on the hyperplane, whether they are drawn or not. Both are ringed.
    view : View
        The plane that is shown.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(60, 2, margin=0.5, random_state=1)
    >>> display = rb.plot.BoundaryDisplay.from_estimator(rb.Perceptron().fit(X, y), X, y)
    >>> display.ax_.get_title(loc="left")
    'All 60 examples on their side'
    """

    points: Floats
    signs: Signs
    rows: Integers
    view: View
    classes: Classes
    hyperplane: Hyperplane | None = None
    distances: Floats | None = None
    wrong: int = 0
    witness: dict[int, int] | None = None
    tied: int = 0
    scores: list[tuple[Floats, float]] | None = None  # of three and more classes, in the plane that is shown
    ringed: Flags | None = None
    truly: bool = True  # whether the plane shows all of the scores
    dense: int = 2000

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, **options: Any) -> Self:
        """What a fitted linear classifier found between two classes, or among several (`coef_`).

        `options` are those of `from_hyperplane`; of several classes `features`, `max_points`, `ax` and `title`.
        """
        if not 3 <= len(getattr(estimator, "classes_", ())) <= 127 or not hasattr(estimator, "coef_"):
            return super().from_estimator(estimator, X, y, **options)
        return cls._of_classes(estimator, X, y, **options)

    @classmethod
    def _of_classes(
        cls,
        estimator: Estimator,
        X: Any,
        y: npt.ArrayLike,
        *,
        features: Sequence[int | str] | None = None,
        max_points: int = 2000,
        ax: Where = None,
        title: str | None = None,
    ) -> Self:
        examples = DrawnExamples.of(X, y, known=estimator.classes_)
        W, b = np.asarray(estimator.coef_, dtype=np.float64), np.ravel(estimator.intercept_)
        if len(W) != len(estimator.classes_):
            raise ValueError(f"{type(estimator).__name__} has no score for each class: draw two classes.")
        view = View.between(examples, W) if features is None else View.of_features(examples, features)
        wrong = np.flatnonzero(np.asarray(estimator.predict(X)) != np.asarray(y))
        shown = examples.sample(_MOST, wrong[:_RINGS])
        places, codes = view.points(examples.rows.take(shown), examples.signs[shown]), examples.signs[shown]
        scores = [view.line(w, float(c)) for w, c in zip(W, np.broadcast_to(b, len(W)), strict=True)]
        found = cls(
            places, codes, shown, view, examples.classes, wrong=len(wrong), scores=scores, dense=min(max_points, _BLOB)
        )
        found.ringed = np.isin(shown, wrong)
        found.truly = all(view.shows_truly(w - W[0]) for w in W)
        return found.plot(ax, title=title)

    @classmethod
    def from_hyperplane(
        cls,
        hyperplane: Hyperplane | None,
        X: Any,
        y: Any,
        *,
        features: Sequence[int | str] | None = None,
        max_points: int = 2000,
        witness: dict[int, int] | None = None,
        ax: Where = None,
        **options: Any,
    ) -> Self:
        """Any hyperplane.

        Parameters
        ----------
        hyperplane, X, y : Hyperplane and data
            What to draw.
        features : two columns, optional
            By name or number. With more than two columns and none chosen: the plane of w and the main direction.
        max_points : int
            More rows than these are drawn as the densities of the classes.
        witness : dict, optional
            Multipliers on rows whose mixtures coincide, drawn where they meet.
        ax : Axes, optional
            Where to draw.
        options
            Passed to `plot`.
        """
        examples = DrawnExamples.of(X, y)
        view = View.of(examples, *_weights_in(hyperplane, examples.rows.p), features)
        signed = None if hyperplane is None or not np.any(hyperplane.w) else examples.distances(hyperplane)
        agreement = np.zeros(examples.rows.n) if signed is None else signed * examples.signs
        nearest = np.argsort(agreement, kind="stable")[:_RINGS]
        shown = examples.sample(_MOST, np.append(np.array(sorted(witness or {}), dtype=np.int64), nearest))
        points = view.points(examples.rows.take(shown), examples.signs[shown])
        display = cls(
            points, examples.signs[shown], shown, view, examples.classes, witness=witness, dense=min(max_points, _BLOB)
        )
        if signed is not None:
            display.hyperplane, display.distances = hyperplane, signed[shown]
            display.wrong, display.tied = int(np.sum(agreement < 0)), int(np.sum(agreement == 0))
        return display.plot(ax, **options)

    @classmethod
    def from_verdict(cls, verdict: "Verdict", X: Any, y: Any, **options: Any) -> Self:
        """The middle of the widest street, the touching hyperplane, or the witness where the classes' mixtures meet.

        `options` are those of `from_hyperplane`.
        """
        biased = verdict.certificate is not None and verdict.certificate.head["fit_intercept"]
        witness = (biased and verdict.witness) or {}  # without a bias the mixtures need not meet, only their rays
        own = {"witness": witness, "title": verdict.sentence.split(":")[0]}
        return cls.from_hyperplane(verdict.middle, X, y, **own | options)

    def plot(
        self,
        ax: Where = None,
        *,
        normal: bool = True,
        band: bool = True,
        distances: str = "nearest",
        mistakes: bool = True,
        title: str | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where; a new figure if not given.
        normal, band, mistakes : bool
            The normal vector; the band without examples; rings around examples on the wrong side or on the hyperplane.
        distances : {"nearest", "wrong", "all", "none"}
            Whose distance to the hyperplane is drawn: of the nearest example (with its number), of those on the wrong
            side, of all, of none.
        title : str, optional
            Instead of the sentence about the examples' sides.
        """
        if distances not in ("nearest", "wrong", "all", "none"):
            raise ValueError(f"distances must be 'nearest', 'wrong', 'all' or 'none'; it is {distances!r}.")
        ax, _ = self._one(ax, (5.6, 4.6))
        note, wrong = "", np.zeros(len(self.points), dtype=bool) if self.ringed is None else self.ringed
        points = self.points
        codes = self.signs > 0 if self.scores is None else self.signs.astype(np.int64)
        equal = self.view.basis.shape[1] == 2
        drawing.examples(ax, points, codes, self.view.names, equal=equal, dense=min(self.dense, _BLOB))
        if self.scores is not None:
            drawing.regions(ax, self.scores)
            note = "" if self.truly else "(a section; the rings tell the truth)"
        if self.hyperplane is not None and self.distances is not None:
            note = self._hyperplane(ax, points, self.hyperplane, self.signs * self.distances, normal, band, distances)
            wrong = self.signs * self.distances <= 0
        if mistakes and np.count_nonzero(wrong) <= _RINGS:
            drawing.rings(ax, points[wrong])
        if self.witness:
            drawing.witness(ax, *self._mixtures(points, self.witness))
        ax.set_xlabel(f"{plain(self.view.names[0])}\n{note}".strip())
        head(ax, title or self._sentence(), self.classes)
        return self

    def _hyperplane(
        self,
        ax: Axes,
        points: Floats,
        hyperplane: Hyperplane,
        agreement: Floats,
        normal: bool,
        band: bool,
        distances: str,
    ) -> str:
        """Draw it; returns a remark for the label of the axis."""
        v, c = self.view.line(hyperplane.w, hyperplane.b)
        if not self.view.shows_truly(hyperplane.w):
            if np.any(v):
                drawing.line(ax, v, c, color=palette(ax).ink, linestyle="--", linewidth=1.6)
            return "(a section; the rings tell the truth)"
        nearest = float(agreement.min())
        if band and nearest > 0:
            drawing.band(ax, v, c, nearest)
        drawing.line(ax, v, c, color=palette(ax).ink, linewidth=1.6)
        tied = max(0.0, nearest) * (1 + 1e-9)  # the rows that hold a street in place are equally near, to rounding
        reach = {"nearest": tied, "wrong": 0.0, "all": np.inf, "none": -np.inf}[distances]
        if np.count_nonzero(agreement <= reach) <= _RINGS:
            drawing.feet(ax, points[agreement <= reach], v, c)
        if drawing.is_outside(ax, v, c):
            return "(the hyperplane is far outside)"
        if normal:
            drawing.normal(ax, v, c)
        return f"(nearest example: {nearest:.3g})" if distances == "nearest" and nearest > 0 else ""

    def _sentence(self) -> str:
        n = sum(count for _, count in self.classes)
        if self.scores is not None:
            right = "All {:,} examples in their class's region"
            return f"{self.wrong:,} of {n:,} examples in another class's region" if self.wrong else right.format(n)
        if self.hyperplane is None:
            return "No hyperplane"
        if self.tied:
            wrong = f"{self.wrong:,} wrong" if self.wrong else "none wrong"
            return f"{self.tied:,} of {n:,} examples on the hyperplane, {wrong}"
        return f"All {n:,} examples on their side" if self.wrong == 0 else f"{self.wrong:,} of {n:,} examples wrong"

    def _mixtures(self, points: Floats, witness: dict[int, int]) -> tuple[Floats, Floats, Floats]:
        """The witness rows of either class as drawn, and the point both mixtures share."""
        place = {int(row): k for k, row in enumerate(self.rows)}
        seen = [(place[i], m) for i, m in witness.items() if i in place]
        sides = [[(k, m) for k, m in seen if self.signs[k] == sign] for sign in (-1, 1)]
        total = sum(m for _, m in sides[1]) or 1
        meeting = sum((points[k] * (m / total) for k, m in sides[1]), np.zeros(2))
        return points[[k for k, _ in sides[0]]], points[[k for k, _ in sides[1]]], meeting


def _weights_in(hyperplane: Hyperplane | None, p: int) -> tuple[Floats, float]:
    if hyperplane is None:
        return np.zeros(p), 0.0
    if hyperplane.w.size != p:
        raise ValueError(f"the hyperplane has {hyperplane.w.size} weights, but X has {p} columns.")
    return hyperplane.w, hyperplane.b
