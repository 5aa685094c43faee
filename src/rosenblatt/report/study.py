"""What a report is about: the data, and everything that is computed of them. No HTML here."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.comparison import Comparison, CrossValidated, compare, cross_validate
from rosenblatt.comparison.choosing import NEWTON_COLUMNS, steps_for
from rosenblatt.data.rows import refuse_lazy, refuse_text
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven
from rosenblatt.estimates.design import Undecided
from rosenblatt.estimates.estimating import Wanted, estimate_given
from rosenblatt.estimates.table import Estimates
from rosenblatt.learners import Logistic, Perceptron
from rosenblatt.models import Hyperplane, Trace
from rosenblatt.models.steps import with_steps
from rosenblatt.plot.replay import Replay
from rosenblatt.plot.view import DrawnExamples
from rosenblatt.theory import ConvergenceCurve, convergence
from rosenblatt.verdicts import Verdict, separability
from rosenblatt.verdicts.fast import digest
from rosenblatt.verdicts.theorem import separating_vector

__all__ = ["Study"]

_WORK = 2_000_000_000  # values a run may look at: a second or two
_CORRECTIONS = 3_000_000  # and record: 48 MB
_VALUES = 1 << 14  # up to so many values the fate of a logistic regression's coefficients is worked out
_SECONDS = 3.0  # in so much time
_VALIDATED = 1 << 20  # up to so many values probabilities are judged by cross-validation
_FEWEST = 10  # if each class has so many rows
_ESTIMATED = 12  # up to so many coefficients there are estimates with intervals


@dataclass(frozen=True)
class Study:
    """Data with their verdict, one traced run, the comparison, and the numbers that follow."""

    examples: DrawnExamples
    row_numbers: npt.NDArray[np.int64]  # which rows of the data they are
    row_names: npt.NDArray[Any]  # what the reader calls them: their names, else their numbers
    verdict: Verdict
    model: Any  # a perceptron with its trace, or what was passed
    comparison: Comparison
    plane: Hyperplane | None  # the one that distances are measured to
    plane_name: str
    distances: npt.NDArray[np.float64] | None
    witness: npt.NDArray[np.int64]  # rows of the mixture that vanishes
    corrections: npt.NDArray[np.int64]  # of each row
    curve: ConvergenceCurve | None
    replay: Replay | None
    data_sha256: str
    estimates: Estimates | None = None
    validated: CrossValidated | None = None  # a logistic regression, on rows that it did not learn from
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        *,
        features: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        row_numbers: Any = None,
        row_names: Any = None,
        verdict: Verdict | None = None,
        model: Any = None,
        comparison: Comparison | None = None,
        fit_intercept: bool = True,
        time_limit: float | None = None,
    ) -> "Study":
        """Compute what is not given."""
        refuse_lazy(X)
        refuse_text(X)
        clock = _Clock()
        examples = DrawnExamples.of(X, y, features)
        if class_names is not None:
            counts = (count for _, count in examples.classes)
            examples = replace(examples, classes=list(zip(map(str, class_names), counts, strict=True)))
        rows = examples.rows
        given = _numbers_of(rows.n, row_numbers)
        names = given if row_names is None else np.asarray(row_names, dtype=object)
        if names.shape != (rows.n,):
            raise ValueError(f"row_names must have one name for each of {rows.n} rows; it has shape {names.shape}.")
        verdict = _decided(verdict, X, y, fit_intercept, time_limit, clock)
        estimates = _estimates(examples, verdict, fit_intercept)
        if estimates is not None:
            clock("estimates")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = _run(examples, verdict, fit_intercept).fit(X, y) if model is None else model
            clock("run")
            comparison = compare(X, y, fit_intercept=fit_intercept) if comparison is None else comparison
            clock("comparison")
        validated = _validated(X, examples, fit_intercept)
        if validated is not None:
            clock("cross-validation")
        plane, name = _plane(verdict, model)
        trace = model.trace_ if isinstance(getattr(model, "trace_", None), Trace) else None
        curve = None if trace is None or getattr(model, "margin", False) else _curve(trace, examples, verdict)
        study = cls(
            examples,
            given,
            names,
            verdict,
            model,
            comparison,
            plane,
            name,
            None if plane is None else rows.respond(np.append(plane.w, plane.b)) / float(np.linalg.norm(plane.w)),
            np.array(sorted(verdict.witness or ()), dtype=np.int64),
            np.zeros(rows.n, dtype=np.int64) if trace is None else np.bincount(trace.rows, minlength=rows.n),
            curve,
            None if trace is None else _replay(trace, examples, curve, given),
            _digest(verdict, examples),
            estimates,
            validated,
        )
        clock("pictures")
        return replace(study, seconds={"verdict": verdict.seconds} | clock.seconds)


class _Clock:
    """Seconds since the last call, under a name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def __call__(self, name: str) -> None:
        now = time.monotonic()
        self.seconds[name], self._last = now - self._last, now


def _numbers_of(n: int, given: Any) -> npt.NDArray[np.int64]:
    """What the reader calls the rows; counted from 0 if not given."""
    numbers = np.arange(n) if given is None else np.asarray(given, dtype=np.int64)
    if numbers.shape != (n,):
        raise ValueError(f"row_numbers must have one number for each of {n} rows; it has shape {numbers.shape}.")
    return numbers


def _decided(
    verdict: Verdict | None, X: Any, y: Any, fit_intercept: bool, time_limit: float | None, clock: _Clock
) -> Verdict:
    """The verdict, found here if it is not given, with the fate of each coefficient where that is quick."""
    if verdict is None:
        verdict = separability(X, y, fit_intercept, time_limit=time_limit)
        clock("verdict")  # its own time is in it
    if verdict.kind == "unknown" or verdict.coefficients is not None or verdict.reason:
        return verdict
    limit = _SECONDS if time_limit is None else min(_SECONDS, time_limit)
    verdict = _with_coefficients(verdict, X, y, fit_intercept, limit)
    clock("coefficients")
    return verdict


def _with_coefficients(verdict: Verdict, X: Any, y: Any, fit_intercept: bool, limit: float) -> Verdict:
    """The fate of a logistic regression's coefficients, if it can be worked out in time."""
    n, p = verdict.n, np.shape(X)[1]
    if n * (p + fit_intercept) > _VALUES:
        return replace(
            verdict, reason=f"{n:,} × {p:,} values would take long; rb.separability(coefficients=True) does it"
        )
    more = separability(X, y, fit_intercept, margin=False, coefficients=True, time_limit=limit, numbers=verdict.numbers)
    reason = more.reason if more.kind != "unknown" else f"not in {limit:.0f} seconds"
    return replace(verdict, coefficients=more.coefficients, reason=reason)


def _estimates(examples: DrawnExamples, verdict: Verdict, fit_intercept: bool) -> Estimates | None:
    """A logistic regression's estimates, where there are few coefficients and their fates are known."""
    d = examples.rows.p + fit_intercept
    if not verdict.coefficients or d > _ESTIMATED or examples.rows.n * d > _VALUES:
        return None
    (negative, _), (positive, _) = examples.classes
    names = list(map(str, examples.features))
    given = RowsGiven(examples.rows, examples.signs, BesideColumns(), names, "class", classes=(negative, positive))
    try:
        return estimate_given(given, "logistic", fit_intercept, Wanted(time_limit=_SECONDS))
    except Undecided:
        return None


def _validated(X: Any, examples: DrawnExamples, fit_intercept: bool) -> CrossValidated | None:
    """A logistic regression's probabilities, of rows that it did not learn from; where there are enough rows."""
    rows = examples.rows
    few = min(members for _, members in examples.classes) < _FEWEST
    if few or rows.p > NEWTON_COLUMNS or rows.n * rows.p > _VALIDATED:
        return None
    ridge = Logistic(regularizer=1.0, fit_intercept=fit_intercept)
    matrix = X if hasattr(X, "shape") else np.asarray(X)
    model = with_steps(steps_for(matrix, True, None, fit_intercept, 0), ridge)
    return cross_validate(model, matrix, (examples.signs > 0).astype(np.intp))


def _run(examples: DrawnExamples, verdict: Verdict, fit_intercept: bool) -> Perceptron:
    """A run to the end where the classes are separable, within a second or two; else a shorter one with a pocket."""
    passes = int(np.clip(_WORK / (examples.rows.n * max(1.0, examples.rows.width)), 20, 200_000))
    separable = verdict.kind == "complete"
    return Perceptron(
        order="shuffled",
        random_state=0,
        fit_intercept=fit_intercept,
        max_passes=passes if separable else min(passes, 1000),
        max_updates=_CORRECTIONS,
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


def _replay(
    trace: Trace, examples: DrawnExamples, curve: ConvergenceCurve | None, row_numbers: npt.NDArray[np.int64]
) -> Replay:
    """The run, its rows called as the reader calls them."""
    replay = Replay.from_trace(trace, examples, None, curve)
    corrected = np.where(replay.corrected < 0, -1, row_numbers[np.maximum(replay.corrected, 0)])
    return replace(replay, rows=row_numbers[replay.rows], corrected=corrected)


def _digest(verdict: Verdict, examples: DrawnExamples) -> str:
    if verdict.certificate is not None:
        return str(verdict.certificate.content["data_sha256"])
    return str(digest(examples.rows, examples.signs, "csr" if examples.rows.sparse else "dense"))
