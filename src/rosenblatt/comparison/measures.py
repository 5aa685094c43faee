"""How good a classifier's answers are, with intervals: accuracy, balanced accuracy, AUC, log loss; two classes or more.

    accuracy            the part of rows that are given to their class
    balanced accuracy   the mean over classes of the part of their rows that are given to them
    AUC                 two classes: the part of pairs (positive, negative) whose scores are in order, a tie being half;
                        more: the mean over classes of that, each against the rest, by the class's probability, or for
                        a model without probabilities by how far its score is above the best other score
    log loss            the mean of −log(probability of the row's class), for models with probabilities; a probability
                        below 2.2e-16 counts as 2.2e-16, as in scikit-learn

Every interval is a 95 % interval for new rows and given models. Each row's influence on the measure is known and rows
of a class are independent (or groups of rows are: then their sums), so the squared influences add up to the variance
(DeLong, DeLong and Clarke-Pearson 1988 for the AUC). A measure between 0 and 1 gets the interval of its logit, or
Wilson's where nothing varies; see `probes/evidence/intervals.py`. In cross-validation scores of different folds come
from different models: only pairs of one fold are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats
from rosenblatt.probes.evidence import Uncertainty, bounded, of_pairs, plain, rank, spread

__all__ = ["MEASURES", "Answered", "Measure", "measure"]

MEASURES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "auc": "AUC", "log_loss": "log loss"}
_LEAST = float(np.finfo(np.float64).eps)


class Measure(NamedTuple):
    """A value, the ends of its 95 % interval, and its standard error; NaN where there is none."""

    value: float
    low: float
    high: float
    error: float

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "—"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


# the ends of an interval, of values and their doubt
Interval = Callable[[Floats, Uncertainty], tuple[Floats, Floats]]
_NOTHING = Measure(np.nan, np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Answered:
    """Rows of known class, and a model's answers for them.

    `classes` are the rows' classes and `said` the model's, both counted from 0 to K − 1; `scores` rank the rows: one
    column for each class, or a vector for two; `probabilities` n × K, or None; `folds` the fold of each row, `groups`
    the number of its group, or None.
    """

    classes: npt.NDArray[np.intp]
    said: npt.NDArray[np.intp]
    scores: Floats
    k: int
    probabilities: Floats | None = None
    folds: npt.NDArray[np.intp] | None = None
    groups: npt.NDArray[np.intp] | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.classes)

    @property
    def wrong(self) -> int:
        """Rows that are given to another class."""
        return int(np.count_nonzero(self.classes != self.said))


def measure(found: Answered) -> dict[str, Measure]:
    """All measures; without rows of every class there is no balanced accuracy and no AUC."""
    right = (found.classes == found.said) * 1.0
    every = found.rows > 0 and len(np.unique(found.classes)) == found.k
    measures = dict.fromkeys(MEASURES, _NOTHING)
    if found.rows:
        measures["accuracy"] = _mean(right, bounded, found)
    if every:
        measures["balanced_accuracy"] = _balanced(right, found)
        measures["auc"] = _auc(found)
    if found.rows and found.probabilities is not None:
        given = found.probabilities[np.arange(found.rows), found.classes]
        measures["log_loss"] = _mean(-np.log(np.maximum(given, _LEAST)), plain, found, least=0.0)
    return measures


def _mean(x: Floats, interval: Interval, found: Answered, least: float = -np.inf) -> Measure:
    """The mean over rows of one kind."""
    value = float(x.mean())
    return _measured(value, (x - value) / len(x), np.zeros(len(x), dtype=np.intp), interval, found, least)


def _balanced(right: Floats, found: Answered) -> Measure:
    sizes = np.bincount(found.classes, minlength=found.k)
    recalls = np.bincount(found.classes, right, minlength=found.k) / sizes
    influence = (right - recalls[found.classes]) / (found.k * sizes[found.classes])
    return _measured(float(recalls.mean()), influence, found.classes, bounded, found)


def _auc(found: Answered) -> Measure:
    """The mean over classes (one class of two) of the pairs in order, over all pairs of one fold."""
    columns = {1: found.scores} if found.scores.ndim == 1 else dict(enumerate(found.scores.T))
    folds = np.zeros(found.rows, dtype=np.intp) if found.folds is None else found.folds
    values, influence = [], np.zeros(found.rows)
    for own, scores in columns.items():
        positive = (found.classes == own) * 1.0
        won, pairs = np.zeros(found.rows), np.zeros(found.rows)
        for fold in np.unique(folds):
            rows = folds == fold
            mine = positive[rows][None, :]
            won[rows] = rank(scores[rows][None, :], mine, 1.0 - mine).wins[0]
            pairs[rows] = np.where(mine[0] > 0, (1.0 - mine).sum(), mine.sum())
        total = float((pairs * positive).sum())
        if not total:
            return _NOTHING
        value = float((won * positive).sum()) / total
        values.append(value)
        influence += (won - value * pairs) / total / len(columns)
    sizes = np.bincount(found.classes).astype(np.float64)
    alone = len(columns) == 1 and found.groups is None
    interval = (lambda value, doubt: of_pairs(value, doubt, sizes[1:], sizes[:1])) if alone else bounded
    return _measured(float(np.mean(values)), influence, found.classes, interval, found)


def _effective(found: Answered, rows: Flags) -> float:
    """How many independent groups these rows are worth (Kish); every row is one where there are no groups."""
    sizes = np.ones(np.count_nonzero(rows)) if found.groups is None else np.bincount(found.groups[rows])
    return float(sizes.sum() ** 2 / max(1.0, (sizes**2.0).sum()))


def _measured(
    value: float,
    influence: Floats,
    strata: npt.NDArray[np.intp],
    interval: Interval,
    found: Answered,
    least: float = -np.inf,
) -> Measure:
    """The measure with its interval, from each row's influence; rows of a stratum are draws of one kind."""
    group = np.arange(len(strata)) if found.groups is None else found.groups
    kinds = np.unique(strata)
    sums = [np.bincount(group, influence * (strata == kind), minlength=int(group.max()) + 1) for kind in kinds]
    squares = [np.array([one @ one]) for one in sums]
    cross = np.array([0.0]) if found.groups is None else np.sum(sums, axis=0) @ np.sum(sums, axis=0) - sum(squares)
    counts = [np.array([_effective(found, strata == kind)]) for kind in kinds]
    doubt = spread(squares, cross, counts, np.array([_effective(found, strata >= 0)]))
    low, high = interval(np.array([value]), doubt)
    return Measure(value, max(least, float(low[0])), float(high[0]), float(np.sqrt(doubt.variance[0])))
