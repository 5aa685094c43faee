"""Cross-validation: every row is judged once, by a model that did not learn from it."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Labels, Places
from rosenblatt.comparison.measures import MEASURES, Answered, Measure, measure
from rosenblatt.context import Progress
from rosenblatt.data.numbers import refuse_missing_labels
from rosenblatt.data.wording import count
from rosenblatt.learners.shared.parameters import RandomState
from rosenblatt.models.saving import is_pipeline
from rosenblatt.probes.reading import group_numbers
from rosenblatt.probes.reading.copies import NO_COPIES, Copies, copies

__all__ = [
    "FOLDS",
    "CrossValidated",
    "answered",
    "coded",
    "cross_validate",
    "cross_validated",
    "deal",
    "enough_folds",
    "fit_rows",
    "judged",
]

FOLDS = 5  # the default
_LOST = 10.0  # the loss of a row from which such rows decide the mean: a probability of 1 in 20,000
_FEW = 12  # rows or groups of a class, up to which intervals of the AUC hold less than they say


@dataclass(frozen=True)
class CrossValidated:
    """What `cross_validate` found. Prints as a table.

    Attributes
    ----------
    measures : dict of Measure
        accuracy, balanced_accuracy, auc, log_loss: each value with its 95 % interval (for new rows and these models)
        and standard error; NaN where there is none.
    rows, wrong : int
        Rows judged, and those given to another class.
    folds : int
        Parts of the rows.
    classes : array
        The labels, sorted.
    answers : Answered
        What was said of each row: scores, classes, probabilities, and the fold.
    copies : Copies
        Rows with an equal row, or nearly one, in another fold: their answers were learned by heart.
    """

    measures: dict[str, Measure]
    folds: int
    classes: Labels
    answers: Answered
    copies: Copies = NO_COPIES

    @property
    def rows(self) -> int:
        """Rows judged."""
        return self.answers.rows

    @property
    def wrong(self) -> int:
        """Rows given to another class."""
        return self.answers.wrong

    @property
    def remark(self) -> str:
        """What is to be said of the intervals; "" where they hold 95 %."""
        said = []
        groups, classes = self.answers.groups, self.answers.classes
        each = np.column_stack([np.arange(self.rows) if groups is None else groups, classes])
        each = np.unique(each, axis=0)  # groups, with each class that they have
        if groups is not None and len(each) == len(np.unique(groups)):
            said.append("Every group has one label: in simulations the accuracy's interval then held 90 to 97 %.")
        fewest, what = int(np.bincount(each[:, 1]).min()), "rows" if groups is None else "groups"
        if "auc" in self.measures and fewest <= _FEW:
            said.append(f"Only {fewest} {what} are of one class: of 12 the AUC's interval held 92 % in simulations.")
        if (most := float(self.answers.losses.max(initial=0.0))) > _LOST:
            said.append(
                f"The log loss of one row is {most:.1f}: rows like it decide the mean, and its interval held 60 % of "
                f"the time in simulations."
            )
        return " ".join(said)

    def __str__(self) -> str:
        groups = "" if self.answers.groups is None else f" of {len(np.unique(self.answers.groups)):,} groups"
        lines = [f"{self.rows:,} rows{groups}, {self.folds} folds: {self.wrong:,} given to another class"]
        lines += [f"  {MEASURES[name]:<18} {one}" for name, one in self.measures.items()]
        return "\n".join([*lines, *(f"  {said}" for said in (self.copies.sentence, self.remark) if said)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rest = str(self).splitlines()
        cells = [line.strip().rsplit("  ", 1) for line in rest[: len(self.measures)]]
        rows = "".join(f"<tr><th scope='row'>{escape(a.strip())}</th><td>{escape(b)}</td></tr>" for a, b in cells)
        caption = escape(" ".join([head, *rest[len(self.measures) :]]))
        return f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>"


@checked
def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    folds: int = FOLDS,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> CrossValidated:
    """Judge a classifier by the rows it did not learn from, with intervals.

    In each fold everything is learned anew. Give scaling and features as steps of a pipeline: then no step sees rows
    that are judged. scikit-learn's own `cross_validate` takes these learners too; this one has intervals, and an AUC
    that compares only scores of one model.

    Parameters
    ----------
    model : classifier or pipeline
        Of this package or of scikit-learn. It stays as it is: copies are fitted.
    X, y : rows and labels
        Two classes or more; of each class at least as many rows as folds.
    folds : int, default 5
        Parts of the rows, each class spread evenly over them.
    groups : array of n names, optional
        Rows of one group (a patient, a document) are related: they are judged together, by a model that saw none of
        them, and intervals count groups.
    sample_weight : array of n numbers, optional
        For learning. Each row counts once where it is judged.
    random_state : int, RandomState or None, default 0
        Deals the rows.
    progress : callable, optional
        Called with words, the fits done and all of them.

    Notes
    -----
    The intervals are those of these models on new rows. Two folds have something in common: each taught the model
    that judges the other. So that this counts too, models are also fitted without each two of the folds (five folds: 15
    fits in all; of two folds it is reckoned as half of the rows' own variance). In simulations intervals hold in 91 to
    99 of 100 cases, also where there is nothing to learn; without that it was 83 on coins. Exceptions, said where they
    apply: labels of whole groups (accuracy: 91), 12 rows of a class (AUC: 92), rows of which a model is sure and wrong
    (log loss: 60).

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.sonar()
    >>> rb.cross_validate(rb.LeastSquares(), X[:, :9], y)
    208 rows, 5 folds: 67 given to another class
      accuracy           0.678 (0.592 to 0.753)
      balanced accuracy  0.678 (0.593 to 0.752)
      AUC                0.726 (0.642 to 0.796)
      log loss           —
    """
    return cross_validated(model, X, y, folds, groups, sample_weight, random_state, progress)


def cross_validated(
    model: object,
    X: Any,
    y: npt.ArrayLike,
    folds: int,
    groups: npt.ArrayLike | None,
    sample_weight: npt.ArrayLike | None,
    random_state: RandomState,
    progress: Progress | None = None,
    pairs: bool = True,
) -> CrossValidated:
    """`cross_validate`; without `pairs` of folds left out intervals are too narrow, in a third of the time."""
    labels, classes, codes = coded(y)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if not hasattr(model, "fit"):
        raise TypeError(f"model must be a classifier with fit and predict; it is {model!r}.")
    if len(X.shape) != 2 or X.shape[0] != len(labels):
        raise ValueError(f"X must have a row for each of the {len(labels)} labels; its shape is {tuple(X.shape)}.")
    of_row = group_numbers(groups, len(labels))
    parts = deal(codes, classes, folds, random_state, of_row)
    weights = None if sample_weight is None else np.asarray(sample_weight)
    X = X.tocsr() if sp.issparse(X) else X

    def learn(seen: Places) -> Any:
        known = None if weights is None else weights[seen]
        return fit_rows(clone(model), _safe_indexing(X, seen), labels[seen], known)

    return judged(learn, X, codes, classes, parts, of_row, progress, pairs)


def judged(
    learn: Callable[[Places], Any],
    X: Any,
    codes: npt.NDArray[np.intp],
    classes: Labels,
    parts: npt.NDArray[np.intp],
    groups: Places | None,
    progress: Progress | None = None,
    pairs: bool = True,
) -> CrossValidated:
    """Every row judged by the model that `learn` makes of the rows of the other parts."""
    folds = int(parts.max()) + 1
    blocks: list[Answered] = []
    for fold in range(folds):
        if progress is not None:
            progress("folds", fold, folds)
        unseen = np.flatnonzero(parts == fold)
        fitted = learn(np.flatnonzero(parts != fold))
        blocks.append(answered(fitted, _safe_indexing(X, unseen), codes[unseen], classes))
    all_rows = replace(_in_row_order(blocks, codes, parts), groups=groups)

    def of_pairs() -> Iterator[tuple[int, int, Answered]]:
        for a, b in combinations(range(folds if pairs and folds > 2 else 0), 2):
            seen, unseen = np.flatnonzero((parts != a) & (parts != b)), np.flatnonzero((parts == a) | (parts == b))
            if len(np.unique(codes[seen])) == len(classes):
                said = answered(learn(seen), _safe_indexing(X, unseen), codes[unseen], classes)
                yield a, b, _with_rows(all_rows, unseen, said)

    return CrossValidated(measure(all_rows, of_pairs()), folds, classes, all_rows, copies(X, parts))


def coded(y: npt.ArrayLike) -> tuple[Labels, Labels, npt.NDArray[np.intp]]:
    """The labels, the classes in sorted order, and the place of each label's class among them."""
    labels = np.asarray(y)
    refuse_missing_labels(y)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError(
            "y has labels that cannot be sorted, as some are numbers and some are text: make all labels of one kind."
        ) from None
    return labels, classes, codes


def deal(
    codes: npt.NDArray[np.intp], classes: Labels, folds: int, random_state: RandomState, groups: Places | None = None
) -> npt.NDArray[np.intp]:
    """The fold of each row; every class is in every fold. Groups stay whole: each class is learned in every fold."""
    named = classes.tolist()
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {named[0]!r}: there is nothing to tell apart.")
    if folds < 2:
        raise ValueError(f"folds={folds}: rows are dealt into at least 2 parts.")
    rows = np.arange(len(codes)) if groups is None else groups
    sizes = np.array([np.unique(rows[codes == k]).size for k in range(len(classes))])
    if sizes.min() < folds:
        fewest = int(np.argmin(sizes))
        what = "row" if groups is None else "group"
        few = count(int(sizes[fewest]), what)
        raise ValueError(
            f"class {named[fewest]} has {few}, and each of {folds} folds needs one of every class: take fewer "
            f"folds{'.' if sizes[fewest] > 1 else f', or a class that has more {what}s.'}"
        )
    parts = np.empty(len(codes), dtype=np.intp)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(folds, shuffle=True, random_state=random_state)
    for fold, (_, unseen) in enumerate(splitter.split(codes, codes, groups)):
        parts[unseen] = fold
    for fold in range(folds):
        lost = np.setdiff1d(codes, codes[parts != fold])
        if lost.size or not np.any(parts == fold):
            what = f"all groups with class {named[lost[0]]} are in one fold" if lost.size else "a fold has no group"
            raise ValueError(f"{what}: take fewer folds, or groups that are more alike in size.")
    return parts


def enough_folds(codes: npt.NDArray[np.intp], groups: npt.ArrayLike | None = None) -> int:
    """5 folds, or fewer where a class has fewer rows (or groups); at least 2."""
    if groups is None:
        return max(2, min(FOLDS, int(np.bincount(codes).min())))
    names = np.asarray(groups).astype(str)
    return max(2, min(FOLDS, *(np.unique(names[codes == k]).size for k in np.unique(codes))))


def fit_rows(model: Any, X: Any, y: Labels, sample_weight: npt.ArrayLike | None = None) -> Any:
    """Fit a classifier, or a pipeline, whose last step gets the weights; warnings about convergence are silent."""
    weights = {}
    if sample_weight is not None:
        weights = {f"{model.steps[-1][0]}__sample_weight" if is_pipeline(model) else "sample_weight": sample_weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **weights)


def answered(model: Any, X: Any, codes: npt.NDArray[np.intp], classes: Labels) -> Answered:
    """The answers of a fitted model for rows of known class; `classes` are the model's, in its order."""
    order = np.argsort(classes)
    said = order[np.searchsorted(classes[order], model.predict(X))]
    probabilities = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    scores: Any = model.decision_function(X) if hasattr(model, "decision_function") else probabilities
    if len(classes) > 2:
        scores = _lead(np.asarray(scores)) if probabilities is None else probabilities
    elif scores.ndim == 2:
        scores = scores[:, -1]
    return Answered(np.asarray(codes), said, np.asarray(scores, dtype=np.float64), len(classes), probabilities)


def _lead(scores: Floats) -> Floats:
    """How far the score of each class is above the best other score: only differences of scores have a meaning."""
    ordered = np.sort(scores, axis=1)
    is_first = np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]
    return scores - np.where(is_first, ordered[:, -2:-1], ordered[:, -1:])


def _with_rows(all_rows: Answered, rows: Places, other: Answered) -> Answered:
    """The same with other answers for some rows."""
    made: dict[str, Any] = {}
    for name in ("said", "scores", "probabilities"):
        if (old := getattr(all_rows, name)) is not None:
            new = getattr(other, name)
            made[name] = None if new is None else old.copy()
            if new is not None:
                made[name][rows] = new
    return replace(all_rows, **made)


def _in_row_order(blocks: list[Answered], codes: npt.NDArray[np.intp], parts: npt.NDArray[np.intp]) -> Answered:
    """The answers of all folds, in the order of the rows."""
    back = np.argsort(np.argsort(parts, kind="stable"))  # within a fold the rows keep their order

    def whole(name: str) -> Any:
        columns = [getattr(block, name) for block in blocks]
        # folds may have chosen learners with probabilities and without: then there are none of all rows
        return None if any(one is None for one in columns) else np.concatenate(columns)[back]

    return Answered(codes, whole("said"), whole("scores"), blocks[0].k, whole("probabilities"), parts)
