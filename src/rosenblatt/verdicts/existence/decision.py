"""`existence`: whether a model's maximum-likelihood estimate exists, and what that rests on."""

from time import monotonic
from typing import Any

import numpy as np

from rosenblatt.verdicts.checker import Refused
from rosenblatt.verdicts.clock import Unfinished
from rosenblatt.verdicts.decimals import powers_of
from rosenblatt.verdicts.decision import Verdict, as_hyperplane, refuse_numbers, separability
from rosenblatt.verdicts.existence.given import Columns, Given
from rosenblatt.verdicts.existence.holding import hold
from rosenblatt.verdicts.existence.models import Family, family
from rosenblatt.verdicts.existence.proving import ModelProof, Sides, prove_model
from rosenblatt.verdicts.existence.rows import Places, Values
from rosenblatt.verdicts.existence.words import Model
from rosenblatt.verdicts.progress import Phases, Progress
from rosenblatt.verdicts.threads import one_thread

__all__ = ["existence"]


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
    chosen = family(model, columns | choices)
    if model == "logistic" and fixed_effects is None and classes is None:
        same: dict[str, Any] = {"time_limit": time_limit, "sample_weight": sample_weight, "numbers": numbers}
        return separability(X, y, fit_intercept, progress=progress, **same)
    given = Given.of(X, columns, choices | {"fit_intercept": fit_intercept}, sample_weight)
    return _Decision(given, model, chosen, numbers, progress).verdict(began, time_limit)


class _Decision:
    """One question: its columns and rows, and the verdict."""

    def __init__(self, given: Given, model: str, chosen: Family, numbers: str, progress: Progress | None) -> None:
        self.given, self.model, self.family, self.numbers = given, model, chosen, numbers
        self.columns: Columns = chosen.read(given)
        self.phases = Phases(progress, given.n)
        self.phases.phase("reading the rows")
        self.powers = powers_of(given.rows) if numbers == "decimal" and given.rows.p else None
        self.sides = Sides(chosen.rows(Values.of(given.matrix(), self.powers), self.columns), self.phases)

    def verdict(self, began: float, time_limit: float | None) -> Verdict:
        """Decided and confirmed."""
        deadline = None if time_limit is None else began + time_limit
        n, told = self.given.n, self._model(np.empty(0, dtype=np.int64))
        self.phases.phase("seeking a hyperplane")
        with one_thread():
            try:
                proof = prove_model(self.sides, deadline)
                self.phases.phase("checking the proof")
                strict = _confirmed(proof, self.sides)
            except Unfinished as why:
                seconds = monotonic() - began
                return Verdict("unknown", n, seconds, reason=str(why), numbers=self.numbers, model=told)
        return Verdict(
            proof.kind,
            n,
            monotonic() - began,
            hyperplane=as_hyperplane(proof.w, False) if proof.w else None,
            rows=self._rows(strict, proof),
            numbers=self.numbers,
            model=self._model(strict),
        )

    def _model(self, strict: Places) -> Model:
        rows = self.sides.rows
        pairs = np.column_stack([self._named(rows.row[strict]), rows.against[strict]])
        compared = self.family.pairs
        return Model(self.model, rows.names, self.sides.at.size, pairs, compared, self.columns.against)

    def _named(self, rows: Places) -> Places:
        """The caller's numbers of rows."""
        return rows if self.given.places is None else self.given.places[rows]

    def _rows(self, strict: Places, proof: ModelProof) -> dict[str, Places]:
        """The caller's rows whose comparisons are all strict, the others, and those of the mixture."""
        rows, n = self.sides.rows, self.given.n
        certain = np.zeros(len(rows.row), dtype=bool)
        certain[strict] = True
        loose = np.bincount(rows.row, ~certain, minlength=n) > 0
        silent = np.bincount(rows.row, minlength=n) == 0
        witness = np.unique(rows.row[sorted({*proof.mixture, *proof.free})])
        parts = {
            "strict": np.flatnonzero(~loose & ~silent),
            "plane": np.flatnonzero(loose | silent),
            "witness": witness,
        }
        return {name: self._named(some.astype(np.int64)) for name, some in parts.items()}


def _confirmed(proof: ModelProof, sides: Sides) -> Places:
    """The strict rows of a proof that holds."""
    try:
        return hold(proof, sides)
    except Refused as why:
        raise Unfinished(f"the proof that was found does not hold: {why}") from None
