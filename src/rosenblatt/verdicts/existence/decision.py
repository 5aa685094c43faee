"""`existence`: whether a model's maximum-likelihood estimate exists, and what that rests on."""

from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Places
from rosenblatt.context import Context, Progress, Unfinished
from rosenblatt.regressions import ModelName, regression_of
from rosenblatt.regressions.machinery.given import Given
from rosenblatt.regressions.machinery.given import numbers as numbers_of
from rosenblatt.regressions.machinery.levels import own_levels
from rosenblatt.regressions.machinery.sets import pairs_of, silent
from rosenblatt.threads import one_thread
from rosenblatt.verdicts import Verdict, as_hyperplane, read_numbers, refuse_numbers, separability
from rosenblatt.verdicts.certificates import Certificate, Claim
from rosenblatt.verdicts.checker import DoesNotHold, OtherData
from rosenblatt.verdicts.existence.certifying import certified, hold, judge
from rosenblatt.verdicts.existence.coefficients import coefficients as told_of
from rosenblatt.verdicts.existence.coefficients import settled
from rosenblatt.verdicts.existence.finite import finite_part
from rosenblatt.verdicts.existence.proving import prove_model
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.existence.words import Model
from rosenblatt.verdicts.fates import PlaneRows
from rosenblatt.verdicts.words import ColumnReading, readings_of

__all__ = ["existence"]

_TWO_CLASSES = {"y", "offset", "fit_intercept"}  # with these arguments alone, two classes are separability


@checked
def existence(
    X: Any = None,
    y: Any = None,
    model: ModelName = "logistic",
    *,
    trials: Any = None,
    exposure: Any = None,
    offset: Any = None,
    groups: Any = None,
    time: Any = None,
    event: Any = None,
    entry: Any = None,
    ties: str | None = None,
    items: Any = None,
    classes: Any = None,
    levels: Any = None,
    fixed_effects: Any = None,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    coefficients: bool = False,
    time_limit: float | None = None,
    numbers: str = "decimal",
    progress: Progress | None = None,
) -> Verdict:
    """Whether the maximum-likelihood estimate of a model exists, proved in exact arithmetic.

    Parameters
    ----------
    X : rows of numbers
        Values are read as in `separability`.
    y : one value a row
        logistic: two classes; binomial: successes of `trials`; poisson: counts, or any numbers from 0 on;
        multinomial: classes; ordinal, sequential: ordered levels; conditional: 1 for a case, 0 for another row; paired:
        1 where a won, 0 where b won, 0.5 for a draw. A Cox model takes `time` and `event` instead.
    model : str
        One of `rosenblatt.regressions.REGRESSIONS`; "sequential" is the continuation-ratio logit.
    trials : whole numbers
        binomial: the number of trials of each row.
    exposure, offset : numbers
        They make no difference to the verdict, only to `verdict.finite_part`; an exposure must be above 0.
    groups : one value a row
        conditional: the matched set of each row; cox, optional: its stratum.
    time, event, entry : one value a row
        cox: until when a row was followed; 1 if that was an event, else 0; optional, since when it was at risk.
    ties : str, optional
        cox: "efron" (the default), "breslow" or "exact".
    items : two columns, optional
        paired: who is a and who is b, instead of X = x_a − x_b.
    classes : list, optional
        logistic, multinomial: all classes; the first is the reference. A class without rows is decided too.
    levels : list, optional
        ordinal, sequential: all levels in their order. Not needed where y is numbers, or an ordered Categorical.
    fixed_effects : list of columns, optional
        logistic, binomial, poisson: each column is a set of effects, one for each of its values.
    fit_intercept : bool
        logistic, binomial, poisson, multinomial: whether the model has an intercept.
    sample_weight : numbers, optional
        Rows of weight zero are absent; other weights make no difference to the verdict.
    coefficients, time_limit, numbers, progress
        As in `separability`. The fates of more than about 500 coefficients take minutes: give a `time_limit`. Where it
        is hit, the verdict is given without them. `verdict.model.collinear` names columns that depend on each other.

    Examples
    --------
    >>> existence([[0.0], [1.0], [2.0]], [0, 3, 5], "poisson", fit_intercept=False)
    <Verdict: The maximum-likelihood estimate exists: no row can be predicted with certainty.>
    >>> verdict = existence([[1.0], [0.0], [0.0]], [0, 3, 5], "poisson")
    >>> print(verdict.sentence)
    There is no maximum-likelihood estimate: 1 of 3 rows are separated, every estimate gives them mean 0; drop them
    and the others have a finite estimate.
    """
    began = monotonic()
    refuse_numbers(numbers)
    columns = {"y": y, "trials": trials, "exposure": exposure, "offset": offset, "groups": groups, "time": time}
    columns |= {"event": event, "entry": entry, "fixed_effects": fixed_effects, "items": items}
    regression = regression_of(model)
    if levels is None and "levels" in regression.options:
        levels = own_levels(y, sample_weight)
    choices = {"ties": ties, "classes": classes, "levels": levels, "fit_intercept": None if fit_intercept else False}
    given_names = {name for name, value in (columns | choices).items() if value is not None}
    if regression.two_classes and given_names <= _TWO_CLASSES:
        same: dict[str, Any] = {"sample_weight": sample_weight, "numbers": numbers, "progress": progress}
        verdict = separability(X, y, fit_intercept, coefficients=coefficients, time_limit=time_limit, **same)
        return verdict if offset is None else _with_offset(verdict, offset, sample_weight)
    given = Given.of(X, columns, choices, sample_weight)
    try:
        question = Question.of(
            model, given, lambda rows, _: read_numbers(rows, numbers), Context.of(time_limit, progress)
        )
    except Unfinished as why:
        return Verdict("unknown", given.n, monotonic() - began, str(why), numbers=numbers)
    return _decided(question, numbers, coefficients, began)


def _with_offset(verdict: Verdict, offset: Any, sample_weight: Any) -> Verdict:
    """The same verdict; its finite part is then fitted with the offset."""
    values = numbers_of(offset, "offset")
    present = slice(None) if sample_weight is None else np.asarray(sample_weight) != 0
    if values.ndim != 1 or values[present].shape != (verdict.n,):
        raise ValueError(f"offset must hold one value a row; it has shape {values.shape}.")
    part = verdict.plane_rows
    return replace(verdict, plane_rows=replace(part, offset=values[present]) if isinstance(part, PlaneRows) else part)


def _decided(question: Question, numbers: str, coefficients: bool, began: float) -> Verdict:
    """The verdict, with a certificate that holds."""
    context, n = question.sides.context, question.given.n
    context.phase("seeking a hyperplane", n)
    with one_thread():
        try:
            claim = prove_model(question.sides)
            claim, facts = _settle(claim, question) if coefficients else (claim, {})
            context.phase("checking the proof", n)
            certificate = Certificate(certified(claim, question))
            strict = _confirmed(certificate, question)
        except Unfinished as why:
            nothing = _model(question, np.empty(0, dtype=np.int64))
            how: dict[str, Any] = {"numbers": numbers, "readings": _readings(question), "model": nothing}
            return Verdict("unknown", n, monotonic() - began, reason=str(why), **how)
    return Verdict(
        claim.kind,
        n,
        monotonic() - began,
        hyperplane=as_hyperplane(claim.w, False) if claim.w else None,
        rows=_rows(question, strict, claim),
        certificate=certificate,
        numbers=numbers,
        readings=_readings(question),
        model=_model(question, strict),
        plane_rows=finite_part(question, strict),
        **facts,
    )


def _settle(claim: Claim, question: Question) -> tuple[Claim, dict[str, Any]]:
    """The claim with the fates of all coefficients, and what the verdict says of them; or why they are not known."""
    question.sides.context.phase("working out the coefficients", question.given.n)
    try:
        found = settled(claim, question.sides, hold(claim, question.sides))
    except (Unfinished, DoesNotHold) as why:
        return claim, {"reason": str(why)}
    return replace(claim, fates=found), {"coefficients": told_of(found, question)}


def _confirmed(certificate: Certificate, question: Question) -> Places:
    """Check the certificate as a reader of its file would; returns its strict rows.

    Raises `Unfinished` where it does not hold.
    """
    try:
        return judge(certificate.written(), question)[0]
    except (DoesNotHold, OtherData) as why:
        raise Unfinished(f"the proof that was found does not hold: {why}") from None


def _readings(question: Question) -> tuple[ColumnReading, ...]:
    """How the columns of X were read."""
    given, p = question.given, question.given.rows.p
    return readings_of(given.rows, question.readings[:p], given.names)


def _model(question: Question, strict: Places) -> Model:
    """The model's part of the verdict: its names, and the comparisons that are strict."""
    rows, columns = question.sides.rows, question.columns
    row, against = rows.row[strict], rows.against[strict]
    if (
        question.regression.words.compared and not columns.against
    ):  # rows are compared with rows; a set is named by one of its rows
        left, right = pairs_of(rows, len(columns.weights))
        row, against = left[strict], question.named(right[strict])
    pairs = np.unique(np.column_stack([question.named(row), against]), axis=0)
    comparisons = question.sides.at.size
    plane = np.setdiff1d(np.arange(len(rows.row)), strict)
    names = Model(question.regression, rows.names, comparisons, pairs, columns.against, columns.notes)
    nothing = not strict.size and silent(rows, len(columns.weights))
    return replace(names, rows=rows, plane=plane, silent=nothing)


def _rows(question: Question, strict: Places, claim: Claim) -> dict[str, Places]:
    """The caller's rows: those whose comparisons are all strict, all others, and those of the mixture."""
    rows, n = question.sides.rows, question.given.n
    certain = np.zeros(len(rows.row), dtype=bool)
    certain[strict] = True
    loose = np.bincount(rows.row, ~certain, minlength=n) > 0
    silent = np.bincount(rows.row, minlength=n) == 0
    mixed = np.array(sorted({*claim.mixture, *claim.free}), dtype=np.int64)
    parts = {"strict": np.flatnonzero(~loose & ~silent), "plane": np.flatnonzero(loose | silent)}
    parts["witness"] = np.unique(rows.row[mixed])
    return {name: question.named(places.astype(np.int64)) for name, places in parts.items()}
