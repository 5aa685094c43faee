"""All learners fitted to the same data and measured in the same way, in one table."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from math import atan2, degrees, hypot, isnan, nan
from textwrap import wrap
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import signs
from rosenblatt.data.refusal import imported
from rosenblatt.data.wording import count, in_blocks
from rosenblatt.learners import LEARNERS, Perceptron
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.parameters import RandomState
from rosenblatt.models import Outcome

__all__ = ["Comparison", "Contestant", "compare", "comparison_lines"]

_WIDTH = 100
# liblinear was seen to end with values of these sizes; with 1e100 and with 1e-200 it does not, whatever max_iter says
_LONGEST, _SMALLEST = 1e75, 1e-150
_UNFINISHED = ("BUDGET", "CYCLING", "RECEDING")
_ABSENT = "—"  # there is no such number, or nothing can be claimed
# the columns of the two blocks of the table
_STANDING = ("learner", "outcome", "errors", "margin", "distance", "angle", "passes", "seconds")
_LOSSES = ("perceptron_loss", "hinge_loss", "squared_loss", "logistic_loss")
_FORMATS = {"angle": ".2f", "seconds": ".4f"}  # other numbers have three digits
_NOTES = (
    "errors: y·s ≤ 0 with s = w·x + b.  margin: the theorem's, min y·s/‖(w, b)‖.",
    "distance: of the nearest example in input space, min y·s/‖w‖.",
    "angle: degrees between (w, b) and the row of the table with the largest margin.",
)


@dataclass(frozen=True)
class Contestant:
    """One learner after its fit, measured with z = y·(x, 1), or y·x without intercept, and y·s = w·z.

    Attributes
    ----------
    learner : str
        Its name.
    outcome : Outcome or str
        How its fit ended. For scikit-learn's: SEPARATED if every sign of its weights is certified, else "—".
    errors : int
        Training examples with y·s ≤ 0.
    margin : float
        The theorem's margin of these weights, γ(w) = min w·z/‖w‖ in augmented space; negative where an example is on
        the wrong side, NaN where w = 0.
    distance : float
        min y·s over the length of the weights without the bias: how far the nearest example is from the hyperplane in
        input space, counted negative on the wrong side; NaN where there is no hyperplane.
    perceptron_loss, hinge_loss, squared_loss, logistic_loss : float
        Means of max(0, −y·s), max(0, 1 − y·s), (1 − y·s)²/2 and log(1 + e^(−y·s)). They depend on the length of w,
        which only the learner of that loss chooses with a purpose.
    passes : int
        Passes made; for least squares steps, for scikit-learn's solver iterations.
    seconds : float
        Time of the fit, without the time to compile.
    weights : array of d numbers
        w, the bias last.
    angle : float
        Degrees in augmented space to the weights of the contestant whose theorem's margin is largest.
    """

    learner: str
    outcome: str
    errors: int
    margin: float
    distance: float
    perceptron_loss: float
    hinge_loss: float
    squared_loss: float
    logistic_loss: float
    passes: int
    seconds: float
    weights: Floats = field(repr=False, compare=False)
    angle: float = nan

    @property
    def finished(self) -> bool:
        """Whether the fit came to an end. If not, the weights are only where it happened to stop."""
        return str(self.outcome) not in _UNFINISHED


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `compare` found. Prints as a table; `to_frame()` has every number, `comparison["adaline"]` one learner.

    Attributes
    ----------
    rows : list of Contestant
        One record for each learner.
    shape : (int, int)
        Rows and columns of X.
    classes : tuple of (label, count)
        The two classes; the second is the positive one.
    """

    rows: list[Contestant]
    shape: tuple[int, int]
    classes: tuple[tuple[Any, int], ...]

    def __getitem__(self, learner: str) -> Contestant:
        """One learner's record, by name."""
        for row in self.rows:
            if row.learner == learner:
                return row
        raise KeyError(f"no learner is called {learner!r}; they are {', '.join(row.learner for row in self.rows)}.")

    @property
    def largest_margin(self) -> Contestant:
        """The learner whose theorem's margin is largest (the first of equals); negative where no learner separates."""
        return max(self.rows, key=lambda row: -np.inf if isnan(row.margin) else row.margin)

    def to_frame(self) -> Any:
        """Every number of the table as a pandas DataFrame, one row for each learner."""
        names = [f.name for f in fields(Contestant) if f.name != "weights"]
        # an Outcome is shown by its name
        records = [{name: getattr(row, name) for name in names} | {"outcome": str(row.outcome)} for row in self.rows]
        return imported("pandas", "to_frame").DataFrame(records, columns=names).set_index("learner")

    def __str__(self) -> str:
        return "\n".join([self._about(), "", *comparison_lines(self)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same table for notebooks."""
        shown = (*_STANDING, *_LOSSES)
        head = "".join(f'<th scope="col">{name.replace("_", " ")}</th>' for name in shown)
        body = "".join(
            f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
            for first, *rest in self._cells(shown)
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in _NOTES)
        caption = f"<caption>{escape(self._about())}. {escape(self._verdict())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _about(self) -> str:
        n, p = self.shape
        classes = " and ".join(f"{label} ({members:,})" for label, members in self.classes)
        return f"{n:,} rows × {count(p, 'column')} · classes {classes}"

    def _verdict(self, limit: str = "max_passes") -> str:
        """Which learners separate the classes, and which does it best; `limit` is what the user calls max_passes."""
        separating = sum(
            row.outcome == "SEPARATED" or (row.outcome == "RECEDING" and row.errors == 0) for row in self.rows
        )
        if separating:
            best = self.largest_margin
            who = f"{separating} of {len(self.rows)} learners separate" + ("s" if separating == 1 else "")
            return (
                f"{who} the classes; the theorem's margin is largest, {_margin_text(best.margin)}, for {best.learner}."
            )
        fewest = min(self.rows, key=lambda row: row.errors)
        errors = f"fewest errors {fewest.errors:,} of {self.shape[0]:,} ({fewest.learner})."
        if any(row.outcome == "CYCLING" for row in self.rows):
            return f"No hyperplane separates the classes, as the perceptron's cycle proves; {errors}"
        return f"No learner separates the classes; {errors} A larger {limit} may help if a hyperplane exists."

    def _cells(self, shown: Sequence[str]) -> list[list[str]]:
        return [[_cell_text(name, getattr(row, name)) for name in shown] for row in self.rows]


@checked
def compare(
    X: Any,
    y: Any,
    *,
    learners: Sequence[str] | None = None,
    fit_intercept: bool = True,
    max_passes: int = 1000,
    random_state: RandomState = 0,
    positive: Any = None,
) -> Comparison:
    """Fit the perceptron's family and scikit-learn's LinearSVC on the same data and measure them alike.

    The learners keep their defaults: Adaline learns one example at a time; logistic regression uses Newton's method,
    and is RECEDING where it separates the classes. There are no convergence warnings: the outcomes say how fits ended.
    LinearSVC is left out where a row is longer than 1e75 or all values are below 1e-150, as it might not end. Angles
    are measured to the weights with the largest theorem's margin among these learners, which may not be the largest
    possible; where no learner separates the classes, that margin is negative.

    Parameters
    ----------
    X : array, sparse matrix or table of shape (n, p)
        The examples.
    y : array of n labels
        Two classes.
    learners : sequence of str, optional
        Names of `rosenblatt.learners.LEARNERS`, such as "perceptron" and "rescaled-perceptron". By default the usual
        ones, and LinearSVC.
    fit_intercept : bool, default True
        Whether to learn b.
    max_passes : int, default 1000
        The most passes a learner may make (iterations, for LinearSVC).
    random_state : int, RandomState or None, default 0
        Seeds the order of the rows, where it is drawn, and LinearSVC.
    positive : label, optional
        The class that is +1, as in `Perceptron`.

    Examples
    --------
    >>> comparison = compare([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> comparison["perceptron"].outcome
    <SEPARATED: all 4 examples are on their side after 15 corrections.>
    >>> [row.errors for row in comparison.rows]
    [0, 0, 0, 0, 0, 0, 0, 0]
    """
    examples, classes = _two_classes(X, y, fit_intercept, positive)
    # all learn −1 and +1: so the class that is +1 is the same for all, whatever it is called
    matrix, labels, first_of_each = examples.rows.matrix, examples.y, np.unique(examples.y, return_index=True)[1]
    contestants = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, learner in _contestants(learners, fit_intercept, max_passes, random_state).items():
            if not isinstance(learner, LinearSVC):
                # a first fit on one example of each class, so that compiling is not part of the time
                learner.fit(matrix[first_of_each], labels[first_of_each])
            elif examples.radius_sq > _LONGEST**2 or abs(matrix).max() < _SMALLEST:
                continue
            began = perf_counter()
            learner.fit(matrix, labels)
            contestants.append(_measured(name, learner, examples, perf_counter() - began))
    comparison = Comparison(contestants, (examples.n, examples.rows.p), classes)
    best = comparison.largest_margin.weights
    return replace(comparison, rows=[replace(row, angle=_angle(row.weights, best)) for row in contestants])


# ------------------------------------------------------------------------------------------------------------- fitting


def _two_classes(
    X: Any, y: npt.ArrayLike, fit_intercept: bool, positive: object
) -> tuple[Examples, tuple[tuple[Any, int], tuple[Any, int]]]:
    """Canonical examples, and the two classes with their counts."""
    guard = Perceptron()  # the checks need an estimator, whose name is in their refusals
    rows, labels = checks.training_data(guard, X, y, reset=True)
    classes = checks.classes_of(labels, positive=positive)
    if len(classes) > 2:
        raise ValueError(
            f"compare takes two classes, but y has {len(classes)}: compare one with the rest, for example "
            f"y == {classes.tolist()[0]!r}."
        )
    radius_sq = rows.radius_sq(fit_intercept, checks.column_name(guard))
    examples = Examples(rows, signs(labels, classes[1]), np.empty(0), fit_intercept, radius_sq)
    first, second = ((label, int(np.count_nonzero(labels == label))) for label in classes.tolist())
    return examples, (first, second)


def _contestants(
    names: Sequence[str] | None, fit_intercept: bool, max_passes: int, random_state: RandomState
) -> dict[str, Any]:
    """The learners of these names, or the usual ones and LinearSVC."""
    common = {"fit_intercept": fit_intercept, "random_state": random_state}
    if strange := [name for name in names or () if name not in LEARNERS]:
        raise ValueError(f"no learner is called {strange[0]!r}; they are {', '.join(LEARNERS)}.")
    usual = [name for name, one in LEARNERS.items() if one.kind._usual]
    found: dict[str, Any] = {}
    for name in usual if names is None else names:
        one = LEARNERS[name]
        found[name] = one.make(**common) if one.kind._in_one_step else one.make(**common, max_passes=max_passes)
    return found if names is not None else {**found, "LinearSVC (sklearn)": LinearSVC(**common, max_iter=max_passes)}


# ----------------------------------------------------------------------------------------------------------- measuring


def _measured(name: str, learner: Any, examples: Examples, seconds: float) -> Contestant:
    if not hasattr(learner, "coef_"):  # its weights are those of features that nobody writes down
        agreement, w, lengths = examples.y * learner.decision_function(examples.rows.matrix), np.empty(0), (nan, nan)
    else:
        coef = np.ravel(learner.coef_).astype(np.float64)
        w = np.append(coef, learner.intercept_) if examples.bias else coef
        agreement, lengths = examples.y * examples.rows.respond(w), (hypot(*w), hypot(*coef))
    return Contestant(
        learner=name,
        outcome=learner.outcome_ if hasattr(learner, "outcome_") else _judged(examples, w),
        errors=int(np.count_nonzero(agreement <= 0)),
        margin=_over(agreement.min(), lengths[0]),
        distance=_over(agreement.min(), lengths[1]),
        **_losses(agreement),
        passes=int(learner.n_passes_ if hasattr(learner, "n_passes_") else learner.n_iter_),
        seconds=seconds,
        weights=w,
    )


def _losses(agreement: Floats) -> dict[str, float]:
    """Mean losses as functions of y·s."""
    with np.errstate(over="ignore", invalid="ignore"):  # responses may have overflowed
        losses = {
            "perceptron_loss": np.maximum(0.0, -agreement),
            "hinge_loss": np.maximum(0.0, 1.0 - agreement),
            "squared_loss": (1.0 - agreement) ** 2 / 2,
            "logistic_loss": np.logaddexp(0.0, -agreement),  # log1p(exp(−y·s)), which would overflow
        }
        return {name: float(values.mean()) for name, values in losses.items()}


def _judged(examples: Examples, w: Floats) -> str:
    """The outcome of weights that another library found: SEPARATED if every sign is certified."""
    found = examples.judge(w, (True, True))
    if found.mistakes or found.exact_mistakes:
        return _ABSENT
    return Outcome("SEPARATED", f"all {examples.present} examples are on their side.")


def _over(value: float, length: float) -> float:
    return float(value) / length if length > 0 else nan


def _angle(v: Floats, w: Floats) -> float:
    """Degrees between two vectors; from half the angle, as the arc cosine loses the digits of small angles."""
    a, b = hypot(*v), hypot(*w)
    if a == 0 or b == 0:  # no direction, or a learner without weights of the columns
        return nan
    return degrees(2 * atan2(hypot(*(v / a - w / b)), hypot(*(v / a + w / b))))


# ------------------------------------------------------------------------------------------------------------- writing


def comparison_lines(comparison: Comparison, width: int = _WIDTH, limit: str = "max_passes") -> list[str]:
    """The answer, the table and its notes as lines of text that fit into `width`; `limit` is the name of max_passes."""
    standing = [[*_STANDING], *comparison._cells(_STANDING)]
    losses = [[name.removesuffix("_loss") for name in ("mean loss", *_LOSSES)]]
    losses += comparison._cells(("learner", *_LOSSES))
    room = width - 2
    answer = wrap(comparison._verdict(limit), room, break_on_hyphens=False)
    lines = [*answer, "", *in_blocks(standing, room, words=(0, 1)), "", *in_blocks(losses, room, words=(0,)), ""]
    lines += [line for note in _NOTES for line in wrap(note, room)]
    return [f"  {line}" if line else "" for line in lines]


def _cell_text(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else _margin_text(value, _FORMATS.get(name, ".3g"))


def _margin_text(value: float, form: str = ".3g") -> str:
    return _ABSENT if isnan(value) else format(value, form)
