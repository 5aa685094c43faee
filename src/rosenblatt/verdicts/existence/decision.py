"""`existence`: whether a model's maximum-likelihood estimate exists, and what that rests on."""

from time import monotonic
from typing import Any

import numpy as np

from rosenblatt.verdicts.certificate import Certificate
from rosenblatt.verdicts.checker import Refused
from rosenblatt.verdicts.clock import Unfinished
from rosenblatt.verdicts.decision import Verdict, as_hyperplane, refuse_numbers, separability
from rosenblatt.verdicts.existence.certifying import certified, claimed
from rosenblatt.verdicts.existence.given import Given
from rosenblatt.verdicts.existence.holding import hold
from rosenblatt.verdicts.existence.proving import ModelProof, prove_model
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.existence.rows import Places
from rosenblatt.verdicts.existence.words import Model
from rosenblatt.verdicts.progress import PhaseReporter, Progress
from rosenblatt.verdicts.threads import one_thread

__all__ = ["existence"]

_TWO_CLASSES = ("y", "offset", "fit_intercept")  # what may be given where logistic is separability itself


def existence(
    X: Any = None,
    y: Any = None,
    model: str = "logistic",
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
        multinomial: classes; paired: 1 where a won, 0 where b won, 0.5 for a draw.
    model : str
        "logistic", "binomial", "poisson", "multinomial" or "paired".
    trials : whole numbers
        binomial: of how many the successes are.
    exposure, offset : numbers
        They make no difference to the answer; an exposure must be above 0.
    items : two columns, optional
        paired: who is a and who is b, instead of X = x_a − x_b.
    classes : list, optional
        In this order; the first is the reference. A class without rows is decided too.
    fixed_effects : list of columns, optional
        logistic, binomial, poisson: sets of effects by their values, which need no table of zeros and ones.
    fit_intercept : bool
        Whether the model has an intercept, where it may have one.
    sample_weight : numbers, optional
        Rows of weight zero are absent; other weights make no difference.
    time_limit, numbers, progress
        As in `separability`.

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
    choices = {"ties": ties, "classes": classes, "levels": levels, "fit_intercept": None if fit_intercept else False}
    if model == "logistic" and not any(
        value is not None for name, value in (columns | choices).items() if name not in _TWO_CLASSES
    ):
        same: dict[str, Any] = {"time_limit": time_limit, "sample_weight": sample_weight, "numbers": numbers}
        return separability(X, y, fit_intercept, progress=progress, **same)
    given = Given.of(X, columns, choices, sample_weight)
    question = Question.of(model, given, numbers, phases=PhaseReporter(progress, given.n))
    return _decided(question, numbers, began, None if time_limit is None else began + time_limit)


def _decided(question: Question, numbers: str, began: float, deadline: float | None) -> Verdict:
    """The verdict, with a certificate that holds."""
    phases, n = question.sides.phases, question.given.n
    phases.phase("seeking a hyperplane")
    with one_thread():
        try:
            proof = prove_model(question.sides, deadline)
            phases.phase("checking the proof")
            certificate = Certificate(certified(proof, question))
            strict = _confirmed(certificate, question)
        except Unfinished as why:
            told = _model(question, np.empty(0, dtype=np.int64))
            return Verdict("unknown", n, monotonic() - began, reason=str(why), numbers=numbers, model=told)
    return Verdict(
        proof.kind,
        n,
        monotonic() - began,
        hyperplane=as_hyperplane(proof.w, False) if proof.w else None,
        rows=_rows(question, strict, proof),
        certificate=certificate,
        numbers=numbers,
        model=_model(question, strict),
    )


def _confirmed(certificate: Certificate, question: Question) -> Places:
    """The strict rows of a certificate that holds."""
    try:
        return hold(claimed(certificate.content, question.sides), question.sides)
    except Refused as why:
        raise Unfinished(f"the proof that was found does not hold: {why}") from None


def _model(question: Question, strict: Places) -> Model:
    rows = question.sides.rows
    pairs = np.column_stack([question.named(rows.row[strict]), rows.against[strict]])
    comparisons, compared = question.sides.at.size, question.family.pairs
    return Model(question.model, rows.names, comparisons, pairs, compared, question.columns.against)


def _rows(question: Question, strict: Places, proof: ModelProof) -> dict[str, Places]:
    """The caller's rows whose comparisons are all strict, the others, and those of the mixture."""
    rows, n = question.sides.rows, question.given.n
    certain = np.zeros(len(rows.row), dtype=bool)
    certain[strict] = True
    loose = np.bincount(rows.row, ~certain, minlength=n) > 0
    silent = np.bincount(rows.row, minlength=n) == 0
    mixed = np.array(sorted({*proof.mixture, *proof.free}), dtype=np.int64)
    parts = {"strict": np.flatnonzero(~loose & ~silent), "plane": np.flatnonzero(loose | silent)}
    parts["witness"] = np.unique(rows.row[mixed])
    return {name: question.named(some.astype(np.int64)) for name, some in parts.items()}
