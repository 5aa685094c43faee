"""Tables whose rows are compared: with other classes (multinomial), or with all who are at risk (Cox).

What `design` does for rows is done here for comparisons (set, alternative). The verdict is that of `existence`, and so
is the question which comparisons are decided with certainty in the model without a column.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.coded import Named
from rosenblatt.estimates.choices import Choices
from rosenblatt.estimates.design import Coordinates, Problem, Undecided, independent_columns
from rosenblatt.verdicts.decision import Verdict, separability
from rosenblatt.verdicts.existence.cox import Survival
from rosenblatt.verdicts.existence.decision import existence
from rosenblatt.verdicts.existence.multinomial import rows as class_rows
from rosenblatt.verdicts.existence.rows import Values

__all__ = ["LARGEST", "ChoiceDesign", "cox", "multinomial"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

LARGEST = 40_000_000  # comparisons × coefficients


@dataclass(frozen=True)
class ChoiceDesign(ABC):
    """`choices` in the caller's units; `asked` are the arguments of `existence`."""

    choices: Choices
    asked: dict[str, Any]
    time_limit: float | None = None
    bias: bool = False  # a multinomial's intercepts are columns like others

    @property
    def d(self) -> int:
        """Coefficients."""
        return self.choices.d

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.asked["X"])

    @property
    def everything(self) -> Places:
        """All comparisons."""
        return np.arange(len(self.choices.R))

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the estimate exists, and what becomes of each coefficient."""
        found = existence(**self.asked, coefficients=True, time_limit=self.time_limit)
        if found.kind == "unknown":
            raise Undecided(f"whether the estimate exists is not decided: {found.reason}.")
        if found.coefficients is None:
            raise Undecided(f"what becomes of each coefficient is not decided: {found.reason}.")
        return found

    @cached_property
    def fates(self) -> list[str]:
        """Of each coefficient."""
        return [one.kind for one in self.verdict.coefficients or []]

    def on_plane(self, without: int | None = None) -> Places:
        """Comparisons that no direction decides with certainty, of the model without one column."""
        if self.verdict.kind == "overlap" or (without is not None and self.d == 1):
            return self.everything
        return self._limiting(without)

    @abstractmethod
    def _limiting(self, without: int | None) -> Places:
        """The same, where there is no estimate."""

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these comparisons, in independent columns; `coefficient` is always one of them."""
        R = self.choices.R[rows]
        kept = independent_columns(R, False, np.arange(self.d) if free is None else free)
        if coefficient is not None and coefficient not in kept:
            kept = np.append(kept, coefficient)
        reach = np.abs(self.choices.R).max(axis=0, initial=0.0)
        scale = np.ldexp(1.0, -np.where(reach > 0, np.frexp(reach)[1], 0))[kept]
        sets, set_of = np.unique(self.choices.set_of[rows], return_inverse=True)
        part = Choices(
            np.ascontiguousarray(R[:, kept]) * scale,
            set_of.astype(np.int64),
            self.choices.offset[rows],
            self.choices.own[sets],
            self.choices.weights[sets],
        )
        return Problem(part, Coordinates(scale, np.zeros(kept.size)), kept)


class _ClassChoices(ChoiceDesign):
    """Rows that chose their class."""

    def _limiting(self, without: int | None) -> Places:
        # −r has the values of x with their signs, so this is the exact question; a column of one class may be left out
        columns = [j for j in range(self.d) if j != without]
        compared = -self.choices.R[:, columns] + 0.0
        ones = np.ones(len(compared), dtype=np.int8)
        found = separability(compared, ones, False, margin=False, time_limit=self.time_limit)
        if found.rows is None:
            raise Undecided(f"what stays finite is not decided: {found.reason}.")
        return found.rows["plane"]


def multinomial(
    X: Floats,
    codes: Places,
    classes: list[str],
    weights: Floats,
    bias: bool,
    names: list[str] | None,
    limit: float | None,
) -> ChoiceDesign:
    """Each row chose its class; a row's alternatives are the other ones. The first class is the reference."""
    n, K = len(codes), len(classes)
    _refuse_large(n * (K - 1), (K - 1) * (X.shape[1] + bias))
    made = class_rows(Values(X, (1,) * X.shape[1]), codes, K, (), bias)
    sets = np.repeat(np.arange(n), K - 1)
    choices = Choices(-np.asarray(made.Z) + 0.0, sets, np.zeros(sets.size), np.zeros(n), weights)
    named = np.array(classes, dtype=object)[codes]
    asked = {"X": _named(X, names), "y": named, "model": "multinomial", "classes": classes, "fit_intercept": bias}
    return _ClassChoices(choices, asked, limit)


@dataclass(frozen=True)
class _RiskChoices(ChoiceDesign):
    """Events that were chosen of all who were at risk then."""

    events: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # of each comparison
    others: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def _limiting(self, without: int | None) -> Places:
        """By the exact side on which w of the verdict has each row: an event that is above another stays so."""
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
    """The order of w·x, exactly: equal ones have equal numbers."""
    w = [int(v, 16) for v in content["w"]][: X.shape[1]]  # unknowns of sets come after the weights
    decimal = content.get("decimals") or [None] * X.shape[1]
    used = [(j, v, k is not None) for j, (v, k) in enumerate(zip(w, decimal, strict=True)) if v]
    scores = [
        sum((v * (Fraction(repr(float(x[j]))) if tens else Fraction(float(x[j]))) for j, v, tens in used), Fraction(0))
        for x in X
    ]
    order = {score: k for k, score in enumerate(sorted(set(scores)))}
    return np.array([order[score] for score in scores], dtype=np.int64)


def cox(
    X: Floats, survival: Survival, offset: Floats, ties: str, names: list[str] | None, limit: float | None
) -> ChoiceDesign:
    """Each event was chosen of all who were at risk then; of tied ones Efron takes a part away, event by event."""
    total, used = 0, []
    for one in _risk_sets(survival, ties):
        total += len(one.others)
        _refuse_large(total, X.shape[1])
        if len(one.others):
            used.append(one)
    others = np.concatenate([np.empty(0, dtype=np.int64), *(one.others for one in used)])
    events = np.repeat([one.event for one in used], [len(one.others) for one in used]).astype(np.int64)
    choices = Choices(
        X[others] - X[events],
        np.repeat(np.arange(len(used)), [len(one.others) for one in used]),
        offset[others] - offset[events] + np.concatenate([np.empty(0), *(one.parts for one in used)]),
        np.array([one.own for one in used]),
        np.ones(len(used)),
    )
    asked: dict[str, Any] = {"X": _named(X, names), "model": "cox", "time": survival.time}
    asked |= {"event": survival.event.astype(int), "entry": survival.entry, "groups": survival.strata, "ties": ties}
    return _RiskChoices(choices, asked, limit, events=events, others=others)


class _RiskSet(NamedTuple):
    """An event, the others at risk, the logarithm of the part of each that counts, and that of the event itself."""

    event: int
    others: Places
    parts: Floats
    own: float


def _risk_sets(survival: Survival, ties: str) -> Iterator[_RiskSet]:
    time, event, entry, strata = survival
    strata = np.zeros(len(time), dtype=np.int64) if strata is None else strata
    for stratum, moment in np.unique(np.column_stack([strata, time])[event], axis=0):
        here = strata == stratum
        risk = here & (time >= moment)
        if entry is not None:
            risk &= entry < moment
        tied = np.flatnonzero(here & event & (time == moment))
        for k, one in enumerate(tied):
            part = float(np.log1p(-k / len(tied))) if ties == "efron" else 0.0
            others = np.flatnonzero(risk)
            others = others[others != one]
            yield _RiskSet(int(one), others, np.where(np.isin(others, tied), part, 0.0), part)


def _named(X: Floats, names: list[str] | None) -> Any:
    return X if names is None else Named(X, names)


def _refuse_large(comparisons: int, weights: int) -> None:
    if comparisons * weights > LARGEST:
        raise ValueError(
            f"estimates of such a model are for {LARGEST:,} comparisons times coefficients at most; "
            f"here are {comparisons:,} times {weights:,}. rb.existence decides larger ones."
        )
