"""Models that compare rows: with other classes (multinomial), or with all rows at risk (Cox).

`design` works with rows; this file does the same with comparisons (set, alternative). `existence` gives the verdict,
and also says which comparisons are decided with certainty in the model without one column.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.choices import Choices
from rosenblatt.estimates.design import (
    Coordinates,
    Estimable,
    Problem,
    Undecided,
    chosen_columns,
    plane_of,
    powers_of_two,
)
from rosenblatt.regressions.cox import Survival
from rosenblatt.regressions.machinery.rows import Values
from rosenblatt.regressions.multinomial import rows as class_rows
from rosenblatt.verdicts import Verdict, separability
from rosenblatt.verdicts.existence.decision import existence

__all__ = ["LARGEST", "ChoiceDesign", "cox", "multinomial"]

LARGEST = 40_000_000  # comparisons × coefficients


@dataclass(frozen=True)
class ChoiceDesign(Estimable):
    """`choices` are in the caller's units; `asked` are the arguments of `existence`."""

    choices: Choices
    asked: dict[str, Any]
    time_limit: float | None

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return self.choices.d

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.asked["X"])

    @property
    def everything(self) -> Places:
        """The numbers of all comparisons."""
        return np.arange(len(self.choices.Z))

    def _decide(self) -> Verdict:
        return existence(**self.asked, coefficients=True, time_limit=self.time_limit)

    def on_plane(self, without: int | None = None) -> Places:
        """Comparisons that no direction decides with certainty, in the model (`without` one column)."""
        if self.verdict.kind == "overlap" or (without is not None and self.d == 1):
            return self.everything
        return self._limiting(without)

    @abstractmethod
    def _limiting(self, without: int | None) -> Places:
        """The comparisons of `on_plane`, where the estimate does not exist."""

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these comparisons."""
        Z = self.choices.Z[rows]
        kept = chosen_columns(Z, False, free, coefficient)
        scale = powers_of_two(self.choices.Z)[kept]
        sets, set_of = np.unique(self.choices.set_of[rows], return_inverse=True)
        part = Choices(
            np.ascontiguousarray(Z[:, kept]) * scale,
            self.choices.weights[sets],
            self.choices.offset[rows],
            set_of.astype(np.int64),
            self.choices.own[sets],
        )
        return Problem(part, Coordinates(scale, np.zeros(kept.size)), kept)


class _ClassChoices(ChoiceDesign):
    """Multinomial: each row chose its class."""

    def _limiting(self, without: int | None) -> Places:
        # `existence` cannot leave out a column of one class only. −r has the values of x, so floats lose nothing here
        columns = [j for j in range(self.d) if j != without]
        compared = -self.choices.Z[:, columns] + 0.0
        ones = np.ones(len(compared), dtype=np.int8)
        return plane_of(separability(compared, ones, False, margin=False, time_limit=self.time_limit))


def multinomial(
    X: Any, codes: Places, classes: list[str], weights: Floats, bias: bool, limit: float | None
) -> ChoiceDesign:
    """The design of a multinomial model: each row chose its class among all classes. The first is the reference."""
    n, K, p = len(codes), len(classes), X.shape[1]
    _refuse_large(n * (K - 1), (K - 1) * (p + bias))
    made = class_rows(Values(np.asarray(X), (1,) * p), codes, K, (), bias)
    sets = np.repeat(np.arange(n), K - 1)
    choices = Choices(-np.asarray(made.Z) + 0.0, weights, np.zeros(sets.size), sets, np.zeros(n))
    named = np.array(classes, dtype=object)[codes]
    asked = {"X": X, "y": named, "model": "multinomial", "classes": classes, "fit_intercept": bias}
    return _ClassChoices(choices, asked, limit)


@dataclass(frozen=True)
class _RiskChoices(ChoiceDesign):
    """Cox: each event was chosen among all rows at risk at its time."""

    events: Places  # of each comparison, the row of the event
    others: Places  # of each comparison, the row at risk

    def _limiting(self, without: int | None) -> Places:
        """The comparisons with equal w·x of both rows, by the exact w of the verdict; w decides all others."""
        X, found = np.asarray(self.asked["X"]), self.verdict
        if without is not None:
            X = np.delete(X, without, axis=1)
            found = existence(**self.asked | {"X": X}, time_limit=self.time_limit)
        if found.certificate is None:
            raise Undecided(f"what stays finite is not decided: {found.reason}.")
        if found.kind == "overlap":
            return self.everything
        heights = _heights(X, found.certificate.content)
        return np.flatnonzero(heights[self.events] == heights[self.others])


def _heights(X: Floats, content: dict[str, Any]) -> Places:
    """The rank of each row's w·x, computed exactly; equal values have equal ranks."""
    w = [int(v, 16) for v in content["w"]][: X.shape[1]]  # unknowns of sets come after the weights
    decimal = content.get("decimals") or [None] * X.shape[1]
    used = [(j, v, k is not None) for j, (v, k) in enumerate(zip(w, decimal, strict=True)) if v]
    scores = [
        sum((v * (Fraction(repr(float(x[j]))) if tens else Fraction(float(x[j]))) for j, v, tens in used), Fraction(0))
        for x in X
    ]
    order = {score: k for k, score in enumerate(sorted(set(scores)))}
    return np.array([order[score] for score in scores], dtype=np.int64)


def cox(X: Any, survival: Survival, offset: Floats, ties: str, limit: float | None) -> ChoiceDesign:
    """The design of a Cox model: each event was chosen among all rows at risk at its time.

    Of tied events Efron's likelihood takes a part away, event by event.
    """
    values, total, used = np.asarray(X), 0, list[_RiskSet]()
    for risk_set in _risk_sets(survival, ties):
        total += len(risk_set.others)
        _refuse_large(total, values.shape[1])
        if len(risk_set.others):
            used.append(risk_set)
    others = np.concatenate([np.empty(0, dtype=np.int64), *(risk_set.others for risk_set in used)])
    set_of = np.repeat(np.arange(len(used)), [len(risk_set.others) for risk_set in used])
    events = np.array([risk_set.event for risk_set in used], dtype=np.int64)[set_of]
    choices = Choices(
        values[others] - values[events],
        np.ones(len(used)),
        offset[others] - offset[events] + np.concatenate([np.empty(0), *(risk_set.parts for risk_set in used)]),
        set_of,
        np.array([risk_set.own for risk_set in used]),
    )
    asked: dict[str, Any] = {"X": X, "model": "cox", "time": survival.time}
    asked |= {"event": survival.event.astype(int), "entry": survival.entry, "groups": survival.strata, "ties": ties}
    return _RiskChoices(choices, asked, limit, events, others)


class _RiskSet(NamedTuple):
    """An event and the other rows at risk at its time."""

    event: int
    others: Places
    parts: Floats  # of each other row, the logarithm of the part of it that counts
    own: float  # the same of the event itself


def _risk_sets(survival: Survival, ties: str) -> Iterator[_RiskSet]:
    time, event, entry, strata = survival
    strata = np.zeros(len(time), dtype=np.int64) if strata is None else strata
    for stratum, moment in np.unique(np.column_stack([strata, time])[event], axis=0):
        here = strata == stratum
        risk = here & (time >= moment)
        if entry is not None:
            risk &= entry < moment
        tied = np.flatnonzero(here & event & (time == moment))
        for k, chosen in enumerate(tied):
            part = float(np.log1p(-k / len(tied))) if ties == "efron" else 0.0
            others = np.flatnonzero(risk)
            others = others[others != chosen]
            yield _RiskSet(int(chosen), others, np.where(np.isin(others, tied), part, 0.0), part)


def _refuse_large(comparisons: int, weights: int) -> None:
    if comparisons * weights > LARGEST:
        raise ValueError(
            f"estimates of such a model are for {LARGEST:,} comparisons times coefficients at most; "
            f"here are {comparisons:,} times {weights:,}. rb.existence decides larger ones."
        )
