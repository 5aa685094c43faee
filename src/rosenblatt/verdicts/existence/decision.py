"""`existence`: whether a model's maximum-likelihood estimate exists, and what that rests on."""

import warnings
from dataclasses import dataclass, replace
from time import monotonic as clock
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Places
from rosenblatt.context import Context, Progress, Unfinished
from rosenblatt.regressions import Asked, Given, ModelName, own_levels, pairs_of, question_of, regression_of, silent
from rosenblatt.regressions import given_numbers as numbers_of
from rosenblatt.verdicts import (
    Model,
    Verdict,
    as_hyperplane,
    decided,
    fates_on,
    read_numbers,
    refuse_numbers,
    rows_by_side,
    separability,
)
from rosenblatt.verdicts.certificates import Certificate
from rosenblatt.verdicts.checker import DoesNotHold, OtherData
from rosenblatt.verdicts.existence.certifying import Question, judge
from rosenblatt.verdicts.existence.proving import prove_model
from rosenblatt.verdicts.fates import Coefficient, CountPart, Fates, PlaneRows, coefficients_of
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof
from rosenblatt.verdicts.words import readings_of

__all__ = ["check_fitted", "existence"]

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
    positive: Any = None,
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

    positive : label, optional
        logistic: as in `separability`.

    Examples
    --------
    >>> existence([[0.0], [1.0], [2.0]], [0, 3, 5], "poisson", fit_intercept=False)
    <Verdict: The maximum-likelihood estimate exists: no row can be predicted with certainty.>
    >>> verdict = existence([[1.0], [0.0], [0.0]], [0, 3, 5], "poisson")
    >>> print(verdict.sentence)
    There is no maximum-likelihood estimate: 1 of 3 rows are separated, every estimate gives them mean 0; drop them
    and the others have a finite estimate.
    """
    began = clock()
    refuse_numbers(numbers)
    columns = {"y": y, "trials": trials, "exposure": exposure, "offset": offset, "groups": groups, "time": time}
    columns |= {"event": event, "entry": entry, "fixed_effects": fixed_effects, "items": items}
    regression = regression_of(model)
    if levels is None and "levels" in regression.options:
        levels = own_levels(y, sample_weight)
    if positive is not None and classes is not None:
        raise TypeError("classes has all classes in their order, the positive one last: leave positive out.")
    named = None if positive is None else regression.classes(y, positive)
    choices = {"ties": ties, "classes": classes, "levels": levels, "fit_intercept": None if fit_intercept else False}
    given_names = {name for name, value in (columns | choices).items() if value is not None}
    if regression.two_classes and given_names <= _TWO_CLASSES:
        same: dict[str, Any] = {
            "sample_weight": sample_weight,
            "numbers": numbers,
            "progress": progress,
            "positive": positive,
        }
        verdict = separability(X, y, fit_intercept, coefficients=coefficients, time_limit=time_limit, **same)
        return verdict if offset is None else _with_offset(verdict, offset, sample_weight)
    given = Given.of(X, columns, choices if named is None else choices | {"classes": named}, sample_weight)
    try:
        question = Question.of(
            model, given, lambda rows, _: read_numbers(rows, numbers), Context.of(time_limit, progress)
        )
    except Unfinished as why:
        return Verdict("unknown", given.n, clock() - began, str(why), numbers=numbers)
    return decided(_OfModel(question, numbers), coefficients, began)


def _with_offset(verdict: Verdict, offset: object, sample_weight: object) -> Verdict:
    """The same verdict; its finite part is then fitted with the offset."""
    values = numbers_of(offset, "offset")
    present = slice(None) if sample_weight is None else np.asarray(sample_weight) != 0
    if values.ndim != 1 or values[present].shape != (verdict.n,):
        raise ValueError(f"offset must hold one value a row; it has shape {values.shape}.")
    part = verdict.plane_rows
    return replace(verdict, plane_rows=replace(part, offset=values[present]) if isinstance(part, PlaneRows) else part)


@dataclass
class _OfModel:
    """The question whether the estimate of a model exists."""

    question: Question
    numbers: str

    def __post_init__(self) -> None:
        self.sides, self.context, self.n = self.question.sides, self.question.sides.context, self.question.given.n
        self.made = self.sides.rows
        self.names = list(self.made.names)

    @property
    def points(self) -> Points:
        """All rows z, in the table's units."""
        return self.sides.all

    def prove(self) -> Proof:
        """The proof."""
        self.context.phase("seeking a hyperplane", self.n)
        return prove_model(self.sides)

    def parts(self, proof: Proof) -> dict[str, Places]:
        """Comparisons that are strict, and those on the hyperplane."""
        return rows_by_side(proof, self.points)

    def fates(self, proof: Proof, parts: dict[str, Places], context: Context, floats: bool) -> Fates:
        """What becomes of all coefficients, unknowns of sets among them."""
        return fates_on(self.points.under(context), proof, parts, self.names)

    def measured(self, proof: Proof, parts: dict[str, Places]) -> dict[str, Any]:
        """Nothing: a model has no margins."""
        return {}

    def entry(self, found: Fates) -> dict[str, Any]:
        """The fates; rows by their keys."""
        return found.entry(self.made.key)

    def coefficients(self, found: Fates) -> list[Coefficient]:
        """The model's own coefficients: unknowns of sets come after them."""

        def row(i: int) -> int | tuple[int, int]:
            place = int(self.question.named(self.made.row[i : i + 1])[0])
            return (place, int(self.made.against[i])) if self.question.regression.words.compared else place

        return coefficients_of(found, self.names, row=row)[: len(self.question.columns.weights)]

    def unchanged(self, head: dict[str, Any]) -> bool:
        """Whether X and the model's columns have the same hash."""
        return self.question.digest(head["layout"]) == str(head["data_sha256"])

    def certificate(self, proof: Proof) -> Certificate:
        """The certificate."""
        asked, entry = self.question, self.question.columns.entry
        digest, model = asked.digest("csr" if asked.rows.sparse else "dense"), {"name": asked.regression.name} | entry
        names = asked.given.names
        return Certificate.of(proof, asked, digest, entry.get("classes", []), names, model, self.made.key)

    def confirm(self, certificate: Certificate) -> None:
        """Check it. Raises `Unfinished` where it does not hold."""
        try:
            judge(certificate.written(), self.question)
        except (DoesNotHold, OtherData) as why:
            raise Unfinished(f"the proof that was found does not hold: {why}") from None

    def told(self, proof: Proof, parts: dict[str, Places], began: float) -> dict[str, Any]:
        """Rows, the model's names and comparisons, and the rows of the finite part."""
        plane = parts["plane"]
        outcomes = self.question.regression.outcomes(self.made, self.question.columns) if plane.size else None
        return {
            "hyperplane": as_hyperplane(proof.w, False) if proof.w else None,
            "rows": self._rows(parts["strict"], proof),
            "plane_rows": outcomes and CountPart(self.made, outcomes, self.question.given, plane),
        } | self._about(parts["strict"], plane)

    def left(self, why: Unfinished) -> dict[str, Any]:
        """The model's names."""
        none = np.empty(0, dtype=np.int64)
        return self._about(none, np.arange(len(self.made.row)))

    def _about(self, strict: Places, plane: Places) -> dict[str, Any]:
        """The model's part of the verdict: its names, and the comparisons that are strict."""
        question, rows, columns = self.question, self.made, self.question.columns
        row, against = rows.row[strict], rows.against[strict]
        if question.regression.words.compared and not columns.against:
            # rows are compared with rows; a set is named by one of its rows
            left, right = pairs_of(rows, len(columns.weights))
            row, against = left[strict], question.named(right[strict])
        pairs = np.unique(np.column_stack([question.named(row), against]), axis=0)
        nothing = not strict.size and silent(rows, len(columns.weights))
        names = (question.regression, rows.names, self.sides.at.size, pairs, columns.against, columns.notes)
        p = question.given.rows.p
        readings = readings_of(question.given.rows, question.readings[:p], question.given.names)
        return {"model": Model(*names, nothing, rows, plane), "readings": readings}

    def _rows(self, strict: Places, proof: Proof) -> dict[str, Places]:
        """The caller's rows: those whose comparisons are all strict, all others, and those of the mixture."""
        row, n = self.made.row, self.n
        certain = np.zeros(len(row), dtype=bool)
        certain[strict] = True
        loose = np.bincount(row, ~certain, minlength=n) > 0
        unseen = np.bincount(row, minlength=n) == 0
        mixed = np.array(sorted({*proof.mixture, *proof.free}), dtype=np.int64)
        parts = {"strict": np.flatnonzero(~loose & ~unseen), "plane": np.flatnonzero(loose | unseen)}
        parts["witness"] = np.unique(row[mixed])
        return {name: self.question.named(places.astype(np.int64)) for name, places in parts.items()}


# --------------------------------------------------------------------------------------------------------------- fitted


@checked
def check_fitted(fitted: Any, X: Any = None, y: Any = None, **more: Any) -> Verdict:
    """The verdict whether the maximum-likelihood estimate of a fitted model exists, and a warning where it does not.

    An optimiser that chases an infinite coefficient stops somewhere, and may report that it has converged. This asks
    the data instead.

    Parameters
    ----------
    fitted : a fitted model
        Of statsmodels: the results of Logit, Probit, GLM (binomial, Poisson, negative binomial), Poisson,
        NegativeBinomial, ZeroInflatedPoisson (the part of the counts), MNLogit, OrderedModel, PHReg, ConditionalLogit
        and ConditionalPoisson. Of scikit-learn: LogisticRegression. Of lifelines: CoxPHFitter. Of scikit-survival:
        CoxPHSurvivalAnalysis. Of pyfixest: fepois.
    X, y : the data it was fitted to, where the fitted model keeps none
        LogisticRegression: rows and labels. CoxPHFitter: the table, as X alone. CoxPHSurvivalAnalysis: rows, and the
        array of events and times. Other models keep their data. Row
        numbers are those of the model's own data, after it dropped rows with missing values.
    **more
        Further arguments of `existence`, such as `time_limit` or `sample_weight`.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     verdict = check_fitted(LogisticRegression().fit(X, y), X, y)
    >>> verdict.kind
    'complete'
    >>> print(caught[0].message)
    LogisticRegression: there is no maximum-likelihood estimate. Completely separable: a hyperplane has every example
    strictly on its side. The fit is penalised (C=1.0): without the penalty it would have no finite estimate.
    """
    asked = question_of(fitted, X, y)
    verdict = existence(**{**asked.arguments, **more})
    if not asked.finite_part:  # `existence` would fit it with another link
        verdict = replace(verdict, plane_rows=None)
    if verdict.kind != "overlap" or asked.notes:
        warnings.warn(f"{asked.name}: {_said(verdict, asked)}", UserWarning, stacklevel=3)  # past `checked`
    return verdict


def _said(verdict: Verdict, asked: Asked) -> str:
    """The text of the warning: the verdict's sentence, and what is to be added to it."""
    no_estimate = verdict.kind in ("complete", "quasi")
    parts = [verdict.sentence]
    if no_estimate and verdict.model is None:  # the sentence of two classes is about hyperplanes
        parts = ["there is no maximum-likelihood estimate.", verdict.sentence]
    if no_estimate and asked.penalty:
        parts.append(f"The fit is penalised ({asked.penalty}): without the penalty it would have no finite estimate.")
    return " ".join([*parts, *asked.notes])
