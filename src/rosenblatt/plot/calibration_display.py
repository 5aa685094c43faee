"""Calibration: predicted probabilities beside the parts of positive rows that were found."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.plot.canvas.display import Display
from rosenblatt.plot.canvas.style import Estimator, Where, head, plain

__all__ = ["CalibrationDisplay"]

_GROUP = 10  # rows in a group, at least, where there are so many


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """Rows grouped by their predicted probability, and the part of each group that was positive.

    The groups have equal sizes. A line is the exact 95 % interval of that part (Clopper and Pearson). On the diagonal
    the part is what was predicted; below it the model promises too much. Judge a model by rows that it did not learn
    from.

    Make it with `from_predictions` or `from_estimator`.

    Attributes
    ----------
    predicted, found : arrays
        The mean probability and the part of positive rows of each group.
    low, high : arrays
        The ends of the interval of `found`.
    sizes : array
        Rows in each group.
    ax_, figure_ : Axes, Figure
        After `plot`.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.sonar()
    >>> found = rb.cross_validate(rb.Logistic(regularizer=1.0), X, y)
    >>> display = rb.plot.CalibrationDisplay.from_predictions(y == "R", found.answers.probabilities[:, 1], n_groups=5)
    >>> display.sentence
    'In 5 of 5 groups what was predicted is in the 95 % interval of what was found'
    """

    predicted: Floats
    found: Floats
    low: Floats
    high: Floats
    sizes: npt.NDArray[np.intp]

    @classmethod
    def from_predictions(cls, y: npt.ArrayLike, probabilities: npt.ArrayLike, *, n_groups: int = 10) -> Self:
        """From labels (true or 1 is positive, false or 0 is not) and probabilities of being positive; not drawn yet."""
        from scipy.special import betaincinv

        p, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(y)
        if not np.isin(labels, (0, 1)).all():
            raise ValueError("y must hold true and false, or 1 and 0: write y == the positive class.")
        positive = labels.astype(bool)
        if p.shape != positive.shape or p.ndim != 1 or not len(p):
            raise ValueError(
                f"y and probabilities need one value a row; they have shapes {positive.shape} and {p.shape}."
            )
        if not ((p >= 0) & (p <= 1)).all():
            raise ValueError("probabilities lie between 0 and 1: these do not.")
        groups = np.array_split(np.argsort(p, kind="stable"), max(1, min(n_groups, len(p) // _GROUP)))
        sizes = np.array([len(rows) for rows in groups])
        hits = np.array([np.count_nonzero(positive[rows]) for rows in groups])
        with np.errstate(invalid="ignore"):
            low = np.where(hits > 0, betaincinv(hits, sizes - hits + 1, 0.025), 0.0)
            high = np.where(hits < sizes, betaincinv(hits + 1, sizes - hits, 0.975), 1.0)
        return cls(np.array([p[rows].mean() for rows in groups]), hits / sizes, low, high, sizes)

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: Any, y: Any, *, ax: Where = None, **options: Any) -> Self:
        """The probabilities that a fitted classifier of two classes gives to these rows; drawn at once."""
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"{type(estimator).__name__} has no predict_proba: its scores are no probabilities.")
        if len(estimator.classes_) != 2:
            raise ValueError(f"the picture is of two classes; the model knows {len(estimator.classes_)}.")
        positive = np.asarray(y) == estimator.classes_[1]
        made = cls.from_predictions(positive, estimator.predict_proba(X)[:, 1])
        return made.plot(ax, **{"name": str(estimator.classes_[1])} | options)

    @property
    def kept(self) -> int:
        """Groups whose interval has the predicted probability in it."""
        return int(np.count_nonzero((self.low <= self.predicted) & (self.predicted <= self.high)))

    @property
    def sentence(self) -> str:
        """What the picture shows."""
        groups = f"{self.kept} of {len(self.sizes)} groups" if len(self.sizes) > 1 else f"{self.kept} of 1 group"
        return f"In {groups} what was predicted is in the 95 % interval of what was found"

    def plot(self, ax: Where = None, *, name: str = "the positive class", title: str | None = None) -> Self:
        """Draw; `name` is what the axes call the positive class."""
        ax, colours = self._one(ax, (4.6, 4.4))
        ax.plot([0, 1], [0, 1], color=colours.muted, linewidth=0.8, zorder=0)
        ax.vlines(self.predicted, self.low, self.high, color=colours.positive, linewidth=1.6)
        ax.plot(self.predicted, self.found, "o", color=colours.positive, markersize=5)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        short = plain(name, 24)
        ax.set(xlabel=f"predicted probability of {short}", ylabel=f"part of the rows that are {short}")
        head(ax, f"{self.kept} of {len(self.sizes)} groups as predicted" if title is None else title)
        return self
