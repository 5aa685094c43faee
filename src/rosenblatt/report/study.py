"""What a report is about: the data, and everything that is computed from them. There is no HTML here."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arrays import Floats, Integers, Matrix
from rosenblatt.comparison import Comparison, CrossValidated, compare, cross_validate
from rosenblatt.comparison.choosing import NEWTON_COLUMNS, steps_for
from rosenblatt.context import Unfinished
from rosenblatt.data.numbers import Rows, named_rows
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven
from rosenblatt.estimates.design import Undecided
from rosenblatt.estimates.estimating import Wanted, estimate_given
from rosenblatt.estimates.results.table import Estimates
from rosenblatt.learners import Logistic, Perceptron
from rosenblatt.models import Hyperplane, Trace
from rosenblatt.models.saving import with_steps
from rosenblatt.plot.canvas import DrawnExamples, Replay
from rosenblatt.theory import ConvergenceCurve, convergence
from rosenblatt.verdicts import Verdict, separability, separating_vector
from rosenblatt.verdicts.certificates import digest

__all__ = ["Study"]

_WORK = 2_000_000_000  # values that the run may look at: a second or two
_CORRECTIONS = 3_000_000  # corrections that the run may record: 48 MB
_VALUES = 1 << 14  # with more values, the fate of a logistic regression's coefficients is not worked out
_SECONDS = 3.0  # the time for that
_VALIDATED = 1 << 20  # with more values, probabilities are not judged by cross-validation
_FEWEST = 10  # nor where a class has fewer rows
_ESTIMATED = 12  # with more coefficients, there are no estimates with intervals


class Study:
    """The data, their verdict, one traced run, the comparison and what follows from them; computed if not given."""

    def __init__(
        self,
        X: Any,
        y: Any,
        features: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        row_numbers: npt.ArrayLike | None = None,
        row_names: npt.ArrayLike | None = None,
        verdict: Verdict | None = None,
        model: Any = None,
        comparison: Comparison | None = None,
        fit_intercept: bool = True,
        time_limit: float | None = None,
        target: str = "",
        groups: Any = None,
    ) -> None:
        names, rows = named_rows(X)
        self.target = target or str(getattr(y, "name", None) or "class")
        X = rows.matrix  # floats, for all that learns and draws; the verdict is about the numbers as they were given
        clock = _Clock()
        self.examples = _examples(X, y, features or names, class_names)
        n = self.examples.rows.n
        # the numbers of the rows in the data, and what the reader calls the rows: their names, else their numbers
        self.row_numbers = _called(n, "number", np.arange(n) if row_numbers is None else row_numbers, np.int64)
        self.row_names = self.row_numbers if row_names is None else _called(n, "name", row_names, object)
        self.verdict = _decided(verdict, rows, y, fit_intercept, time_limit, clock, groups)
        self.estimates = _estimates(self.examples, self.verdict, fit_intercept, self.target, groups)
        clock("estimates", self.estimates is not None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            # a perceptron with its trace, or the model that was passed
            self.model: Any = _the_run(self.examples, self.verdict, fit_intercept).fit(X, y) if model is None else model
            clock("run")
            self.comparison = compare(X, y, fit_intercept=fit_intercept) if comparison is None else comparison
            clock("comparison")
        self.validated = _validated(X, self.examples, fit_intercept, groups)
        clock("cross-validation", self.validated is not None)
        self._measure()
        clock("pictures")
        self.seconds = {"verdict": self.verdict.seconds} | clock.seconds

    def _measure(self) -> None:
        """Distances to a hyperplane, the rows of the witness, the corrections of each row, the curves of the run."""
        rows, verdict = self.examples.rows, self.verdict
        self.plane, self.plane_name = _plane(verdict, self.model)
        self.distances: Floats | None = None
        if self.plane is not None:
            response = rows.respond(np.append(self.plane.w, self.plane.b))
            self.distances = response / float(np.linalg.norm(self.plane.w))
        self.witness = np.array(sorted(verdict.witness or ()), dtype=np.int64)
        self.corrections = np.zeros(rows.n, dtype=np.int64)
        self.curve: ConvergenceCurve | None = None
        self.replay: Replay | None = None
        trace = getattr(self.model, "trace_", None)
        if isinstance(trace, Trace):
            self.corrections = np.bincount(trace.rows, minlength=rows.n)
            self.curve = None if getattr(self.model, "margin", False) else _curve(trace, self.examples, verdict)
            self.replay = _replay(trace, self.examples, self.curve, self.row_numbers)

    @property
    def data_sha256(self) -> str:
        """The hash of the data, as in the certificate."""
        if self.verdict.certificate is not None and "data_sha256" in self.verdict.certificate.head:
            return str(self.verdict.certificate.head["data_sha256"])
        rows = self.examples.rows
        return str(digest(rows, self.examples.signs, "csr" if rows.sparse else "dense"))


class _Clock:
    """Notes the seconds since the last call under a name; where nothing was done, they count for the next name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def __call__(self, name: str, done: bool = True) -> None:
        now = time.monotonic()
        if done:
            self.seconds[name], self._last = now - self._last, now


def _examples(X: Matrix, y: Any, features: Sequence[str] | None, class_names: Sequence[str] | None) -> DrawnExamples:
    """The examples, with the class names that the reader knows."""
    examples = DrawnExamples.of(X, y, features)
    if class_names is None:
        return examples
    counts = (count for _, count in examples.classes)
    return replace(examples, classes=list(zip(map(str, class_names), counts, strict=True)))


def _called(n: int, kind: str, given: npt.ArrayLike, dtype: type) -> npt.NDArray[Any]:
    """The numbers or names of the rows, as an array."""
    called: npt.NDArray[Any] = np.asarray(given, dtype=dtype)
    if called.shape != (n,):
        raise ValueError(f"row_{kind}s must have one {kind} for each of {n} rows; it has shape {called.shape}.")
    return called


def _decided(
    verdict: Verdict | None,
    rows: Rows,
    y: npt.ArrayLike,
    fit_intercept: bool,
    time_limit: float | None,
    clock: _Clock,
    groups: Any,
) -> Verdict:
    """The verdict, decided here if it is not given, with the fate of each coefficient where that is quick."""
    if verdict is None:
        verdict = separability(rows, y, fit_intercept, time_limit=time_limit, groups=groups)
        clock("verdict")  # its own time is in it
    if verdict.kind == "unknown" or verdict.coefficients is not None or verdict.reason:
        return verdict
    n, p = verdict.n, rows.p
    coefficients, reason = None, f"{n:,} × {p:,} values would take long; rb.separability(coefficients=True) does it"
    if n * (p + fit_intercept) <= _VALUES:
        limit = _SECONDS if time_limit is None else min(_SECONDS, time_limit)
        how: dict[str, Any] = {"coefficients": True, "time_limit": limit, "numbers": verdict.numbers}
        more = separability(rows, y, fit_intercept, margin=False, **how)
        coefficients = more.coefficients
        reason = more.reason if more.kind != "unknown" else f"not in {limit:.0f} seconds"
    clock("coefficients")
    return replace(verdict, coefficients=coefficients, reason=reason)


def _estimates(
    examples: DrawnExamples, verdict: Verdict, fit_intercept: bool, target: str, groups: Any
) -> Estimates | None:
    """A logistic regression's estimates, where there are few coefficients and their fates are known."""
    d = examples.rows.p + fit_intercept
    if not verdict.coefficients or d > _ESTIMATED or examples.rows.n * d > _VALUES:
        return None
    (negative, _), (positive, _) = examples.classes
    names = list(map(str, examples.features))
    given = RowsGiven(
        examples.rows, examples.signs, BesideColumns(groups=groups), names, target, classes=(negative, positive)
    )
    try:
        return estimate_given(given, "logistic", fit_intercept, Wanted(time_limit=_SECONDS))
    except (Undecided, Unfinished):
        return None


def _validated(X: Matrix, examples: DrawnExamples, fit_intercept: bool, groups: Any) -> CrossValidated | None:
    """The probabilities of a logistic regression for rows that it did not learn from, if there are enough rows."""
    rows = examples.rows
    related = np.arange(rows.n) if groups is None else np.asarray(groups).astype(str)
    few = min(len(np.unique(related[examples.signs == sign])) for sign in (-1, 1)) < _FEWEST
    if few or rows.p > NEWTON_COLUMNS or rows.n * rows.p > _VALIDATED:
        return None
    ridge = Logistic(regularizer=1.0, fit_intercept=fit_intercept)
    matrix = X if hasattr(X, "shape") else np.asarray(X)
    model = with_steps(steps_for(matrix, True, None, fit_intercept, 0), ridge)
    try:
        return cross_validate(model, matrix, (examples.signs > 0).astype(np.intp), groups=groups)
    except ValueError:
        if groups is None:
            raise
        return None  # most rows of a class are of one group: no deal has both classes in every part


def _the_run(examples: DrawnExamples, verdict: Verdict, fit_intercept: bool) -> Perceptron:
    """The perceptron to run: long where the classes are separable, a second or two; else short, with a pocket."""
    passes = int(np.clip(_WORK / (examples.rows.n * max(1.0, examples.rows.width)), 20, 200_000))
    separable = verdict.kind == "complete"
    return Perceptron(
        order="shuffled",
        random_state=0,
        fit_intercept=fit_intercept,
        max_passes=passes if separable else min(passes, 1000),
        max_updates=_CORRECTIONS,
        average=False,
        pocket=not separable,
        trace=True,
    )


def _plane(verdict: Verdict, model: Any) -> tuple[Hyperplane | None, str]:
    if verdict.middle is not None and np.any(verdict.middle.w):
        widest = verdict.street is not None
        return verdict.middle, "the middle of the widest street" if widest else "the hyperplane of the proof"
    found = Hyperplane(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]))
    return (found, "the best hyperplane the perceptron saw") if np.any(found.w) else (None, "")


def _curve(trace: Trace, examples: DrawnExamples, verdict: Verdict) -> ConvergenceCurve | None:
    """The theorem's curves around the run; None where there is no w*, or where floats cannot hold them."""
    if verdict.kind != "complete" or verdict.certificate is None:
        return None
    try:
        with np.errstate(all="ignore"):
            curve = convergence(trace, examples.rows, examples.signs, separating_vector(verdict))
    except (OverflowError, ValueError):  # ValueError: w* separates the decimals, but not all floats
        return None
    return curve if np.isfinite([curve.norm_sq, curve.lower, curve.upper]).all() else None


def _replay(trace: Trace, examples: DrawnExamples, curve: ConvergenceCurve | None, row_numbers: Integers) -> Replay:
    """The run, with the row numbers that the reader knows."""
    replay = Replay.from_trace(trace, examples, None, curve)
    corrected = np.where(replay.corrected < 0, -1, row_numbers[np.maximum(replay.corrected, 0)])
    return replace(replay, rows=row_numbers[replay.rows], corrected=corrected)
