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

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats
from rosenblatt.probes.evidence import bounded, of_pairs, of_recalls, plain, rank, spread

__all__ = ["MEASURES", "Answered", "Measure", "measure"]

MEASURES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "auc": "AUC", "log_loss": "log loss"}
_LEAST = float(np.finfo(np.float64).eps)

# What folds have in common, in parts of the rows' own variance (docs/numbers/null.md): where it is estimated, at most
# so much, for a model that runs away moves single rows' losses without bound; of two folds, where it cannot be.
_MOST_SHARED, _OF_TWO_FOLDS = 2.0, 0.5


class Measure(NamedTuple):
    """A value, the ends of its 95 % interval, and its standard error over rows; NaN where there is none."""

    value: float
    low: float
    high: float
    error: float

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "—"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


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

    @property
    def losses(self) -> Floats:
        """−log of the probability that each row's class was given; none of a model without probabilities."""
        if self.probabilities is None:
            return np.empty(0)
        return np.asarray(-np.log(np.maximum(self.probabilities[np.arange(self.rows), self.classes], _LEAST)))


def measure(found: Answered, pairs: Iterable[tuple[int, int, Answered]] = ()) -> dict[str, Measure]:
    """All measures; without rows of every class there is no balanced accuracy and no AUC.

    `pairs`: two folds, and the answers where rows of both are answered by a model that learned from neither; see
    `_shared`.
    """
    values = _parts(found)
    without = [(a, b, _parts(answers)) for a, b, answers in pairs]
    n, by_class = np.zeros(found.rows, dtype=np.intp), found.classes
    strata = {"accuracy": n, "balanced_accuracy": by_class, "auc": by_class, "log_loss": n}
    measures = dict.fromkeys(MEASURES, _NOTHING)
    for name, one in values.items():
        if not all(name in parts for _, _, parts in without):
            continue  # a model without probabilities was chosen there
        others = [(a, b, parts[name].each) for a, b, parts in without]
        shared = _shared(found.folds, one.each, others, centred=name != "accuracy")
        measures[name] = _measured(name, one, strata[name], found, shared, len(without))
    return measures


class _Summed(NamedTuple):
    """A measure as a sum over rows: what each adds to it, and each one's influence on it."""

    value: float
    each: Floats
    influence: Floats


def _parts(found: Answered) -> dict[str, _Summed]:
    n = found.rows
    parts: dict[str, _Summed] = {}
    if not n:
        return parts
    right = (found.classes == found.said) * 1.0
    parts["accuracy"] = _Summed(float(right.mean()), right / n, (right - right.mean()) / n)
    if len(np.unique(found.classes)) == found.k:
        weight = 1.0 / (found.k * np.bincount(found.classes))[found.classes]
        recalls = np.bincount(found.classes, right) / np.bincount(found.classes)
        influence = (right - recalls[found.classes]) * weight
        parts["balanced_accuracy"] = _Summed(float(recalls.mean()), right * weight, influence)
        ranked = _auc(found)
        parts |= {"auc": ranked} if ranked else {}
    if found.probabilities is not None:
        loss = found.losses
        parts["log_loss"] = _Summed(float(loss.mean()), loss / n, (loss - loss.mean()) / n)
    return parts


def _auc(found: Answered) -> _Summed | None:
    """The mean over classes (one class of two) of the pairs in order, over all pairs of one fold."""
    columns = {1: found.scores} if found.scores.ndim == 1 else dict(enumerate(found.scores.T))
    folds = np.zeros(found.rows, dtype=np.intp) if found.folds is None else found.folds
    values, each, influence = [], np.zeros(found.rows), np.zeros(found.rows)
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
            return None
        values.append(float((won * positive).sum()) / total)
        each += won * positive / total / len(columns)
        influence += (won - values[-1] * pairs) / total / len(columns)
    return _Summed(float(np.mean(values)), each, influence)


def _shared(
    folds: npt.NDArray[np.intp] | None, each: Floats, without: list[tuple[int, int, Floats]], centred: bool
) -> float:
    """What two folds have in common beside the truth: each taught the model that judges the other.

    A row i and a row j of another fold: i moved the answer for j, and j that for i, and in the same direction, if at
    all. Where there is little to learn this is as much as the rows' own variance. What b taught for a is the difference
    that b's rows make to the sum over a; the mean of all such differences is what more rows are good for, no chance.
    Not so of accuracy: where little is learned but which class is larger, each fold has as many of it as the others,
    and teaches them the same, for new rows too much.
    """
    if not without or folds is None:
        return 0.0
    moved = np.array([[(each - other)[folds == fold].sum() for fold in (a, b)] for a, b, other in without])
    if centred:
        moved -= moved.mean()
    return max(0.0, 2.0 * float((moved[:, 0] * moved[:, 1]).sum()))


def _effective(found: Answered, rows: Flags) -> float:
    """How many independent groups these rows are worth (Kish); every row is one where there are no groups."""
    sizes = np.ones(np.count_nonzero(rows)) if found.groups is None else np.bincount(found.groups[rows])
    return float(sizes.sum() ** 2 / max(1.0, (sizes**2.0).sum()))


def _of_two_folds(found: Answered) -> bool:
    return found.folds is not None and int(found.folds.max(initial=0)) == 1


def _measured(
    name: str, part: _Summed, strata: npt.NDArray[np.intp], found: Answered, shared: float, several: int
) -> Measure:
    """The measure with its interval, from each row's influence; rows of a stratum are draws of one kind."""
    value, influence = np.array([part.value]), part.influence
    group = np.arange(len(strata)) if found.groups is None else found.groups
    kinds = np.unique(strata)
    sums = [np.bincount(group, influence * (strata == kind), minlength=int(group.max()) + 1) for kind in kinds]
    squares = [np.array([one @ one]) for one in sums]
    cross = np.array([0.0]) if found.groups is None else np.sum(sums, axis=0) @ np.sum(sums, axis=0) - sum(squares)
    counts = [np.array([_effective(found, strata == kind)]) for kind in kinds]
    doubt = spread(squares, cross, counts, np.array([_effective(found, strata >= 0)]))
    error = float(np.sqrt(doubt.variance[0]))
    if several or _of_two_folds(found):
        more = np.minimum(shared, _MOST_SHARED * doubt.variance) if several else _OF_TWO_FOLDS * doubt.variance
        variance = doubt.variance + more
        squares_of_parts = doubt.variance**2 / np.maximum(doubt.degrees, 1e-3) + (more**2 / several if several else 0)
        doubt = doubt._replace(variance=variance, degrees=variance**2 / np.maximum(squares_of_parts, 1e-300))
    if name == "log_loss":
        low, high = plain(value, doubt)
        low = np.maximum(low, 0.0)
    elif name == "auc" and found.k == 2 and found.groups is None:
        low, high = of_pairs(value, doubt, *np.bincount(found.classes).astype(np.float64)[::-1, None])
    elif name == "balanced_accuracy":
        right, K = (found.classes == found.said) * 1.0, found.k
        recalls = [np.array([right[found.classes == kind].mean()]) for kind in kinds]
        low, high = of_recalls(recalls, [K * K * one for one in squares], counts, doubt)
    else:
        low, high = bounded(value, doubt)
    return Measure(float(value[0]), float(low[0]), float(high[0]), error)
