"""Cross-validate all learners, and choose the simplest that does about as well as the best.

The order of simplicity begins with learners that have one answer, whatever the order of the rows:

    least-squares             one system of linear equations
    logistic, regularizer 1   one minimum, always there; columns of one size
    logistic                  no penalty: there may be no minimum

then come learners whose answer depends on the order of the rows, with scaled columns and classes learned together:

    averaged                  the mean of all weights on the way
    pocket                    the best weights on the way
    passive-aggressive        the smallest steps; so any other learner that corrects row by row
    perceptron                the last weights

The best is the most accurate (with balanced classes: by balanced accuracy). The first in this order is chosen whose
accuracy is at most one standard error below the best (Breiman, Friedman, Olshen and Stone 1984, section 3.4.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from rosenblatt.arguments import checked
from rosenblatt.arrays import Places
from rosenblatt.comparison.folds import CrossValidated, coded, cross_validated, deal, enough_folds, fit_rows, judged
from rosenblatt.comparison.measures import MEASURES
from rosenblatt.context import Progress
from rosenblatt.data.wording import aligned
from rosenblatt.learners import LEARNERS
from rosenblatt.learners.duals.fourier_features import FourierFeatures
from rosenblatt.learners.shared import Classifier
from rosenblatt.learners.shared.parameters import ClassWeight, RandomState
from rosenblatt.models.saving import with_steps
from rosenblatt.probes.reading import group_numbers

__all__ = ["NEWTON_COLUMNS", "Candidate", "Choice", "choose", "family", "steps_for"]

NEWTON_COLUMNS = 500  # with more, one system of equations takes longer than many passes over the rows
PASSES = 100  # of a candidate that goes row by row


class Candidate(NamedTuple):
    """A learner to be compared: its name, the learner, and whether it needs scaled columns."""

    name: str
    learner: Classifier
    scaled: bool

    @property
    def called(self) -> str:
        """The name, with the penalty where there is one."""
        penalty = getattr(self.learner, "regularizer", 0.0)
        return f"{self.name}, regularizer {penalty:g}" if penalty else self.name


@dataclass(frozen=True)
class Choice:
    """What `choose` found. Prints as a table, in order of simplicity.

    Attributes
    ----------
    name : str
        The chosen candidate's.
    model : classifier or pipeline
        The chosen one, not fitted yet.
    results : dict of CrossValidated
        Of each candidate.
    by : {"accuracy", "balanced_accuracy"}
        What was compared.
    honest : CrossValidated or None
        With `nested=True`: the choice itself, judged on rows that took no part in it. The numbers of the chosen
        candidate are those of the best of several and flatter; these do not.
    """

    name: str
    model: Any
    results: dict[str, CrossValidated]
    by: str = "accuracy"
    honest: CrossValidated | None = None

    @property
    def best(self) -> str:
        """The candidate that does best; the first of equals."""
        return max(self.results, key=lambda name: self.results[name].measures[self.by].value)

    @property
    def sentence(self) -> str:
        """Which one was chosen, and why."""
        if self.name == self.best:
            return f"{self.name}: the best by {MEASURES[self.by]}."
        error = self.results[self.best].measures[self.by].error
        return f"{self.name}: the simplest within one standard error ({error:.3f}) of the best, {self.best}."

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Headings and rows; of the measure that decides there is the interval too."""
        names = [self.by, *(name for name in MEASURES if name != self.by)]
        first, *others = (MEASURES[name].removesuffix(" accuracy") for name in names)  # so that it fits 80 columns
        headings = ["learner", f"{first} (95 %)", *others]
        return headings, [[name, *self._numbers(one, names)] for name, one in self.results.items()]

    @staticmethod
    def _numbers(found: CrossValidated, names: list[str]) -> list[str]:
        first, *others = (found.measures[name] for name in names)
        return [str(first), *("—" if np.isnan(one.value) else f"{one.value:.3f}" for one in others)]

    def __str__(self) -> str:
        headings, rows = self.cells()
        lines = aligned([headings, *rows], words=range(len(headings)))
        return "\n".join([self.sentence, *(f"  {line}" for line in lines), f"  {self.remark}"])

    @property
    def remark(self) -> str:
        """What the numbers of the chosen one are worth."""
        if self.honest is None:
            return "The best of several flatters: nested=True judges the choice itself on rows that took no part in it."
        return (
            f"The choice itself, on rows that took no part in it: {MEASURES[self.by]} {self.honest.measures[self.by]}."
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        headings, rows = self.cells()
        head = "".join(f'<th scope="col">{escape(one)}</th>' for one in headings)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        caption = f"<caption>{escape(f'{self.sentence} {self.remark}')}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@checked
def choose(
    X: Any,
    y: Any,
    *,
    folds: int | None = None,
    candidates: Sequence[Candidate] | None = None,
    n_components: int | None = None,
    groups: Any = None,
    nested: bool = False,
    sample_weight: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> Choice:
    """Cross-validate the family on the same folds and choose the simplest that does about as well as the best.

    Parameters
    ----------
    X, y : rows and labels
        Two classes or more.
    folds : int, optional
        By default 5, or fewer where a class has fewer rows.
    candidates : sequence of Candidate, optional
        By default `family`; the simplest first.
    n_components : int, optional
        So many random Fourier features of the scaled columns, for every candidate.
    groups : array of n names, optional
        Rows of one group are judged together; see `cross_validate`.
    nested : bool, default False
        Judge the choice itself, too: in each fold it is made anew from the other rows, and its winner judged on this
        fold (`Choice.honest`). It takes some five times as long.
    sample_weight : array of n numbers, optional
        For learning.
    random_state : int or RandomState, default 0
        Deals the rows and draws the features.
    progress : callable, optional
        Called with a candidate's name, the fits done and all of them.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.sonar()
    >>> choice = rb.choose(X, y)
    >>> choice.name
    'least-squares'
    >>> model = choice.model.fit(X, y)
    """
    labels, classes, codes = coded(y)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if candidates is None:
        candidates = family(X.shape[1], len(classes), random_state=random_state)

    def pick(
        rows: object,
        known: npt.ArrayLike,
        of_row: npt.ArrayLike | None,
        weights: npt.ArrayLike | None,
        told: Progress | None,
        pairs: bool,
    ) -> Choice:
        parts = enough_folds(coded(known)[2], of_row) if folds is None else folds
        results, models = {}, {}
        for number, one in enumerate(candidates):
            before = steps_for(X, one.scaled, n_components, one.learner._bias, random_state)
            models[one.called] = with_steps(before, one.learner)
            say = told and _of_all(told, one.called, number, len(candidates), parts)
            how = (parts, of_row, weights, random_state, say, pairs)
            results[one.called] = cross_validated(models[one.called], rows, known, *how)
        by = "balanced_accuracy" if candidates[0].learner.class_weight == "balanced" else "accuracy"
        name = _simplest(results, by)
        return Choice(name, models[name], results, by)

    chosen = pick(X, labels, groups, sample_weight, progress, True)
    if not nested:
        return chosen
    of_row, table = group_numbers(groups, len(labels)), X.tocsr() if sp.issparse(X) else X
    weights = None if sample_weight is None else np.asarray(sample_weight)

    def learn(seen: Places) -> Any:
        rows, weighed = _safe_indexing(table, seen), None if weights is None else weights[seen]
        again = pick(rows, labels[seen], None if of_row is None else of_row[seen], weighed, None, False)
        return fit_rows(again.model, rows, labels[seen], weighed)

    dealt = deal(codes, classes, enough_folds(codes, groups) if folds is None else folds, random_state, of_row)
    return replace(chosen, honest=judged(learn, table, codes, classes, dealt, of_row, progress))


def family(
    p: int,
    k: int,
    *,
    max_passes: int | None = None,
    fit_intercept: bool = True,
    class_weight: ClassWeight = None,
    random_state: RandomState = 0,
) -> list[Candidate]:
    """The candidates for p columns and k classes, the simplest first; beyond 500 columns those that go row by row."""
    common: dict[str, Any] = {"fit_intercept": fit_intercept, "class_weight": class_weight}
    passes: dict[str, Any] = {} if max_passes is None else {"max_passes": max_passes}
    closed = [
        Candidate("least-squares", LEARNERS["least-squares"].make(**common), False),
        Candidate("logistic", LEARNERS["logistic"].make(**common, **passes, regularizer=1.0), True),
        Candidate("logistic", LEARNERS["logistic"].make(**common, **passes), False),
    ]
    online = common | {"max_passes": max_passes or PASSES, "random_state": random_state}
    if k > 2:
        online["multiclass"] = "kesler"
    correcting = [name for name, one in LEARNERS.items() if one.kind._corrects]
    ordered = [*(name for name in correcting if name != "perceptron"), "perceptron"]
    by_row = [Candidate(name, LEARNERS[name].make(**online), True) for name in ordered]
    return [*(closed if p <= NEWTON_COLUMNS else []), *by_row]


def steps_for(X: object, scaled: bool, n_components: int | None, centre: bool, random_state: RandomState) -> list[Any]:
    """The steps before the learner, not fitted yet: scaled columns, and random features of these.

    Sparse rows, and those of a model without an intercept, are divided but not centred.
    """
    scaler = StandardScaler(with_mean=centre and not sp.issparse(X))
    if n_components is not None:
        return [scaler, FourierFeatures(n_components, random_state=random_state)]
    return [scaler] if scaled else []


def _simplest(results: dict[str, CrossValidated], by: str) -> str:
    """The first candidate that is at most one standard error below the best."""
    best = max((one.measures[by] for one in results.values()), key=lambda found: found.value)
    return next(name for name, one in results.items() if one.measures[by].value >= best.value - best.error)


def _of_all(progress: Progress, name: str, number: int, several: int, folds: int) -> Progress:
    """Of the folds of one candidate, as a part of all fits."""
    return lambda words, done, total: progress(name, number * folds + done, several * folds)
