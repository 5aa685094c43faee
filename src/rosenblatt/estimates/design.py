"""A table with its regression, and what is proved: the terms of the limiting model, and each coefficient's fate."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from rosenblatt.arrays import Flags, Floats, Places, Selection
from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.data.numbers import as_rows, exact_rows
from rosenblatt.estimates.between import BetweenLoss
from rosenblatt.estimates.choices import Choices
from rosenblatt.estimates.likelihood import Likelihood, Loss
from rosenblatt.estimates.risk import RiskLoss
from rosenblatt.estimates.subsets import SubsetLoss
from rosenblatt.minimise import Columns, dependent_columns
from rosenblatt.regressions import (
    AtRisk,
    BetweenTerms,
    ChoiceTerms,
    CountTerms,
    Given,
    Link,
    ModelColumns,
    ModelRows,
    Regression,
    RiskTerms,
    Values,
)
from rosenblatt.verdicts import Verdict, separability
from rosenblatt.verdicts.existence import existence, strict_rows

__all__ = [
    "BetweenDesign",
    "ChoiceDesign",
    "CountDesign",
    "Estimable",
    "Problem",
    "RiskDesign",
    "Undecided",
    "design_of",
]

_NEAR = 1024.0  # a column up to this many widths from zero leaves the bias a good coordinate
_TURNED = {"+inf": "-inf", "-inf": "+inf"}


class LeftOut(NamedTuple):
    """A column that can be computed from columns before it, and is left out of the model."""

    name: str
    column: int
    constant: bool  # whether it is the same in all rows that are compared


class Undecided(ValueError):
    """A limit was hit before the fates of the coefficients were known."""


@dataclass(frozen=True)
class Coordinates:
    """z = (x − centre)·scale, so that |z_j| ≤ 1; where there is a bias, the last z_j is 1. Weights: w = scale·v."""

    scale: Floats
    centre: Floats  # 0, except for columns that are far from zero

    @classmethod
    def of(cls, X: Floats, bias: bool, centred: bool) -> "Coordinates":
        """The coordinates that suit the columns of X; where `centred`, columns far from zero are moved to zero."""
        centre = Columns.of(as_rows(X), bias).centre if centred else np.zeros(X.shape[1])
        return cls(np.append(_powers_of_two(X - centre), np.ones(int(bias))), np.append(centre, np.zeros(int(bias))))

    def apply(self, X: Floats, rows: Places, kept: Places) -> Floats:
        """Some rows x as rows z, in the `kept` columns: one column after another. A bias is the last column."""
        Z = np.empty((len(rows), len(kept)), order="F")
        for k, j in enumerate(kept):
            column = _at_places(X[:, j], rows) if j < X.shape[1] else 1.0
            np.multiply(column - self.centre[j], self.scale[j], out=Z[:, k])
        return Z

    def weights(self, v: Floats) -> Floats:
        """The weights w of x that give the same responses as the weights v of z."""
        w = v * self.scale
        if self.centre.any():
            w[-1] -= self.centre @ w
        return w

    @property
    def outward(self) -> Floats:
        """The matrix T with w = T v."""
        T = np.diag(self.scale)
        T[-1:] -= self.centre * self.scale
        return T

    def errors(self, v: Floats, distances: Floats) -> Floats:
        """How far each w may be from the truth, where v may be off by `distances`."""
        errors = distances * self.scale
        if self.centre.any():
            parts = np.abs(self.centre) * np.abs(self.scale)
            errors[-1] += parts @ (distances + (len(v) + 4) * 2.0**-53 * np.abs(v)) + 2.0**-52 * abs(v[-1])
        return errors


def _at_places(values: Floats, places: Places) -> Floats:
    """The values at these places, of which each is named once: without a copy where that is all of them."""
    return values if len(places) == len(values) else values[places]


def _powers_of_two(X: Floats) -> Floats:
    """For each column the factor that brings all its values into [−1, 1]."""
    reach = np.abs(X).max(axis=0, initial=0.0)
    return np.ldexp(1.0, -np.where(reach > 0, np.frexp(reach)[1], 0))


@dataclass(frozen=True)
class Problem:
    """A likelihood in some `columns` of the design; on its rows all other columns are combinations of these."""

    likelihood: Loss
    coordinates: Coordinates
    columns: Places
    rounded: bool = False  # whether its rows were rounded, so that nothing can be proved

    def place(self, j: int) -> int:
        """Where the design's column j is here."""
        return int(np.flatnonzero(self.columns == j)[0])

    def holds(self, j: int) -> bool:
        """Whether the weight of column j is a coordinate here; the bias is none where columns are moved."""
        return j in self.columns and (self.place(j) < self.columns.size - 1 or not self.coordinates.centre.any())

    def weight(self, j: int, v: Floats, distances: Floats | None) -> tuple[float, float | None]:
        """The weight of the design's column j at v; and how far it may be off, where v is off by `distances`."""
        at = self.place(j)
        off = None if distances is None else float(self.coordinates.errors(v, distances)[at])
        return float(self.coordinates.weights(v)[at]), off


def _chosen_columns(X: Floats, bias: bool, free: Places | None, coefficient: int | None) -> Places:
    """The columns among `free` (None: all) that are not combinations of others; `coefficient` is always one of them.

    The bias is the last column.
    """
    p = X.shape[1]
    free = np.arange(p + bias) if free is None else free
    slopes, biased = free[free < p], bool(bias and p in free)
    kept = np.empty(0, dtype=np.int64)
    if len(X) and free.size:
        chosen = X if slopes.size == p else X[:, slopes]
        columns = Columns.of(as_rows(np.ascontiguousarray(chosen)), biased)
        found = dependent_columns(columns, np.ones(len(X), dtype=bool))
        dropped = {int(np.append(slopes, [p])[k]) for k in found.dropped}
        kept = np.array([j for j in free if j not in dropped], dtype=np.int64)
    return kept if coefficient is None or coefficient in kept else np.append(kept, coefficient)


@dataclass(frozen=True)
class Estimable(ABC):
    """What estimates need to know of a table and its regression. A *place* is a term of its likelihood.

    `given` are the rows of weight > 0, `columns` what the regression reads in them.
    """

    regression: Regression
    given: Given
    columns: ModelColumns
    context: Context
    left_out: tuple[LeftOut, ...] = field(default=(), kw_only=True)

    def dependent_columns(self) -> dict[int, bool]:
        """X's columns that can be computed from columns before them, the intercept the first of all.

        Of each: whether it says nothing even alone.
        """
        p, fates = self.given.rows.p, self.fates
        where = {j: list(range(j, self.d, self.d // self.blocks) if self.blocks > 1 else [j]) for j in range(p)}
        doubtful = [j for j in range(p) if all(fates[k] == "not identified" for k in where[j])]
        if not doubtful:
            return {}
        left = list(range(self.d))
        rank, found = self._rank(left), dict[int, bool]()
        for j in reversed(doubtful):
            without = [k for k in left if k not in where[j]]
            if self._rank(without) == rank:
                found[j], left = self._rank([*where[j], *self.constants]) == self._rank([*self.constants]), without
        return dict(sorted(found.items()))

    def _rank(self, columns: Collection[int]) -> int:
        """How many of these coefficients all rows can tell apart."""
        free = np.array(sorted(columns), dtype=np.int64)
        return int(self.problem(self.everything, None, free).columns.size) if free.size else 0

    @property
    def blocks(self) -> int:
        """How many times X's columns have coefficients: once for each class but the first."""
        return 1

    @property
    @abstractmethod
    def d(self) -> int:
        """How many coefficients there are."""

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.given.n

    @property
    @abstractmethod
    def everything(self) -> Places:
        """The numbers of all places."""

    @abstractmethod
    def rows_of(self, places: Places) -> Places:
        """The rows that these places are about, each once."""

    @abstractmethod
    def row_of_each(self, places: Places) -> Places:
        """The row of each of the `scores` of these places' likelihood."""

    @property
    def fractional(self) -> bool:
        """Whether it is a model of counts whose values are not whole, so that its likelihood depends on their unit."""
        return False

    @property
    def shown(self) -> Places:
        """The coefficients to tell: without those of fixed effects, and of the intercept beside them."""
        return np.arange(self.given.rows.p if self.columns.effects and self.given.rows.p else self.d)

    @property
    def jeffreys(self) -> bool:
        """Whether Firth's estimates are worked out: where the observed information is the expected one."""
        return not self.columns.effects

    @property
    def link(self) -> Link | None:
        """The link, where it is not the model's usual one."""
        return None

    @property
    def log_ways(self) -> float:
        """What the log-likelihood has beside the loss: Poisson's −log y!, the number of ways of a binomial's."""
        return 0.0

    def _certain(self, without: Collection[int]) -> tuple[ModelRows, Flags]:
        """The rows z of the model (`without` some columns), and which are decided with certainty."""
        made = self.regression.rows(Values.of(exact_rows(self.given.rows)), self.columns)
        try:
            strict = strict_rows(made.without(without), self.context)
        except Unfinished as why:
            raise Undecided(f"what stays finite is not decided: {why}.") from None
        certain = np.zeros(len(made.row), dtype=bool)
        certain[strict] = True
        return made, certain

    @property
    def corrected(self) -> bool:
        """Whether robust errors have factors for few rows, as those of generalised linear models have."""
        return True

    @property
    def constants(self) -> Places:
        """The coefficients that the model without X's columns has."""
        return self.regression.constants(self.given.rows.p, self.columns)

    @abstractmethod
    def on_plane(self, without: Collection[int] = ()) -> Places:
        """The places of the limiting model (`without` some columns): those that no direction decides with certainty."""

    @abstractmethod
    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these places, in independent columns.

        `coefficient` is one whose weight must be a coordinate. `free` are the columns to choose independent ones from;
        None means all.
        """

    @cached_property
    def whole(self) -> Problem:
        """The likelihood of all places."""
        return self.problem(self.everything)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict whether the estimate exists, with the fates; raises `Undecided` where a limit was hit."""
        found = self._asked(coefficients=True)
        if found.kind == "unknown":
            raise Undecided(f"whether the estimate exists is not decided: {found.reason}.")
        if found.coefficients is None or any(one.kind == "open" for one in found.coefficients):
            raise Undecided(f"what becomes of each coefficient is not decided: {found.reason}.")
        return found

    def _asked(self, coefficients: bool, X: Floats | None = None) -> Verdict:
        """The verdict on these rows, or with other columns X."""
        given, limit = self.given, self.context.left
        choices = {name: value for name, value in given.choices.items() if value is not None}
        asked: dict[str, Any] = {"X": given.named if X is None else X, **given.columns, **choices}
        return existence(**asked, model=self.regression.name, coefficients=coefficients, time_limit=limit)

    @cached_property
    def fates(self) -> list[str]:
        """The fate of each coefficient: "finite", "+inf", "-inf", "undetermined" or "not identified"."""
        return [one.kind for one in self.verdict.coefficients or []]

    @property
    def names(self) -> list[str]:
        """What the coefficients are called."""
        return [one.name for one in self.verdict.coefficients or []]


def design_of(regression: Regression, given: Given, context: Context = SILENT, link: Link | None = None) -> Estimable:
    """The regression of these rows; refuses bad columns, and regressions that have no estimates."""
    regression.refuse(given.arguments())
    if link is not None and link not in regression.links:
        known = ", ".join(regression.links)
        have = (
            f"the links of {regression.name} models are {known}" if known else f"{regression.name} models have one link"
        )
        raise ValueError(f"link is {link!r}, and {have}{'' if known else ' alone'}.")
    columns = regression.read(given)
    usual = link is None or link == regression.links[0]
    terms = regression.terms(given, columns) if usual else regression.between(given, columns, link or "logit")
    if terms is None:
        raise ValueError(f"{regression.name} models have no estimates yet; rb.existence decides it.")
    if isinstance(terms, CountTerms):
        return CountDesign(regression, given, columns, context, terms)
    if isinstance(terms, BetweenTerms):
        return BetweenDesign(regression, given, columns, context, terms)
    if isinstance(terms, RiskTerms):
        return RiskDesign(regression, given, columns, context, terms)
    return ChoiceDesign(regression, given, columns, context, terms)


@dataclass(frozen=True)
class CountDesign(Estimable):
    """Terms that are counts: those of a row, or one for each of its comparisons."""

    terms: CountTerms

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return int(self.terms.X.shape[1] + self.terms.bias)

    @property
    def everything(self) -> Places:
        """The numbers of all terms."""
        return np.arange(len(self.terms.y))

    def _asked(self, coefficients: bool, X: Floats | None = None) -> Verdict:
        """For two classes, `separability` decides."""
        if not self.regression.two_classes or self.columns.effects:
            return super()._asked(coefficients, X)
        y, bias = self.terms.y, self.terms.bias
        how: dict[str, Any] = {"margin": False, "coefficients": coefficients, "time_limit": self.context.left}
        found = separability(self.given.named if X is None else X, y, bias, **how)
        if found.coefficients is None or y.any():
            return found
        # `separability` takes a single class for the positive one, z = (x, 1); here all rows are failures, −(x, 1)
        turned = [replace(one, kind=_TURNED.get(one.kind, one.kind)) for one in found.coefficients]
        return replace(found, coefficients=turned)

    @property
    def fractional(self) -> bool:
        """Whether a count without a limit is not whole."""
        return self.terms.family == "poisson" and bool((self.terms.y % 1).any())

    @property
    def log_ways(self) -> float:
        """Of counts, with their factorials."""
        return _log_ways(self.terms.y, self.terms.trials, self.terms.weights)

    def row_of_each(self, places: Places) -> Places:
        """The row of each term."""
        return self.terms.row[places]

    def rows_of(self, places: Places) -> Places:
        """The rows of these terms."""
        return np.flatnonzero(np.bincount(self.terms.row[places]))  # np.unique takes 20 times as long

    @property
    def constants(self) -> Places:
        """Those of the regression; without any, a column of X that is constant."""
        found, X = super().constants, self.terms.X
        if found.size or not self.regression.by_row:
            return found
        return np.flatnonzero((X[:1] == X).all(axis=0) & (X[0] != 0))[:1]

    def on_plane(self, without: Collection[int] = ()) -> Places:
        """The terms of the limiting model (`without` some columns): one of its rows z is on the plane."""
        if self.verdict.kind == "overlap" or len(without) == self.d:
            return self.everything
        if not without and self.regression.by_row:
            return plane_of(self.verdict)
        made, certain = self._certain(without)
        if not self.regression.by_row:
            return np.flatnonzero(~certain)
        loose = np.bincount(made.row, ~certain, minlength=self.n) > 0
        return np.flatnonzero(loose | (np.bincount(made.row, minlength=self.n) == 0))

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these terms, in independent columns.

        Where `coefficient` is the bias and a column is far from zero, the weight of that column is no coordinate.
        """
        X, bias = self.terms.X, self.terms.bias
        kept = _chosen_columns(_at_places(X, rows), bias, free, coefficient)
        about_bias = bias and coefficient == X.shape[1]
        coordinates = Coordinates.of(X, bias, True)
        if about_bias and np.abs(coordinates.centre * coordinates.scale)[kept].max() <= _NEAR:
            coordinates = Coordinates.of(X, bias, False)
        elif about_bias:
            Z, scale = _about_bias(X[rows], coordinates.centre, kept)
            return Problem(self._likelihood(Z, rows), Coordinates(scale, np.zeros(kept.size)), kept, True)
        part = Coordinates(coordinates.scale[kept], coordinates.centre[kept])
        return Problem(self._likelihood(coordinates.apply(X, rows, kept), rows), part, kept)

    def _likelihood(self, Z: Floats, rows: Places) -> Likelihood:
        own = self.terms
        weights, offset, y, trials = (_at_places(one, rows) for one in (own.weights, own.offset, own.y, own.trials))
        return Likelihood(np.asfortranarray(Z), weights, offset, own.family, y, trials, context=self.context)


def _log_ways(y: Floats, m: Floats, c: Floats) -> float:
    """Σ c·log of the number of ways of y among m; −log y! where m is infinite."""
    ways, counted = -gammaln(y + 1.0), np.isfinite(m)
    ways[counted] += gammaln(m[counted] + 1.0) - gammaln(m[counted] - y[counted] + 1.0)
    return float(c @ ways)


@dataclass(frozen=True)
class BetweenDesign(Estimable):
    """Outcomes between two thresholds. A place is a comparison with a threshold, a row of `terms.Z`."""

    terms: BetweenTerms

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return int(self.terms.Z.shape[1])

    @property
    def everything(self) -> Places:
        """The numbers of all comparisons."""
        return np.arange(len(self.terms.Z))

    @property
    def jeffreys(self) -> bool:
        """There the observed and the expected information differ."""
        return False

    @property
    def link(self) -> Link | None:
        """The link, where it is not the first of the model's."""
        return None if self.terms.link == self.regression.links[0] else self.terms.link

    @property
    def log_ways(self) -> float:
        """Of successes of trials."""
        if "trials" not in self.columns.arrays:
            return 0.0
        return _log_ways(self.columns.arrays["y"], self.columns.arrays["trials"], self.given.weights)

    def rows_of(self, places: Places) -> Places:
        """The rows that are compared."""
        return np.unique(self.row_of_each(places))

    def row_of_each(self, places: Places) -> Places:
        """The row of each outcome."""
        return self.terms.row[self._compared(places)[0]]

    def on_plane(self, without: Collection[int] = ()) -> Places:
        """Comparisons that no direction decides with certainty, in the model (`without` some columns)."""
        if self.verdict.kind == "overlap" or len(without) == self.d:
            return self.everything
        return np.flatnonzero(~self._certain(without)[1])

    def _compared(self, places: Places) -> tuple[Flags, Places, Places]:
        """The outcomes that have one of these comparisons left, and their thresholds by the number of the place."""
        new = np.full(len(self.terms.Z) + 1, -1)
        new[places] = np.arange(len(places))
        upper, lower = new[self.terms.upper], new[self.terms.lower]
        some = (upper >= 0) | (lower >= 0)
        return some, upper[some], lower[some]

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these comparisons."""
        own, Z = self.terms, self.terms.Z[rows]
        kept = _chosen_columns(Z, False, free, coefficient)
        scale = _powers_of_two(own.Z)[kept]
        some, upper, lower = self._compared(rows)
        Z = np.ascontiguousarray(Z[:, kept]) * scale
        sides = own.weights[some], own.offset[rows], upper, lower, own.link, own.expected
        return Problem(BetweenLoss(Z, *sides, context=self.context), Coordinates(scale, np.zeros(kept.size)), kept)


def plane_of(found: Verdict) -> Places:
    """The rows of the limiting model; raises `Undecided` where they are not known."""
    if found.rows is None:
        raise Undecided(f"what stays finite is not decided: {found.reason}.")
    return found.rows["plane"]


@dataclass(frozen=True)
class ChoiceDesign(Estimable):
    """Terms that are choices of one class among several.

    A place is a comparison (set, alternative).
    """

    terms: ChoiceTerms

    @property
    def blocks(self) -> int:
        """One for each class but the first."""
        return len(self.columns.against) - 1

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return int(self.terms.Z.shape[1])

    @property
    def everything(self) -> Places:
        """The numbers of all comparisons."""
        return np.arange(len(self.terms.Z))

    def rows_of(self, places: Places) -> Places:
        """The rows that choose."""
        return np.unique(self.terms.set_of[places])

    def row_of_each(self, places: Places) -> Places:
        """The row of each set."""
        return self.rows_of(places)

    def on_plane(self, without: Collection[int] = ()) -> Places:
        """Comparisons that no direction decides with certainty, in the model (`without` some columns)."""
        if self.verdict.kind == "overlap" or len(without) == self.d:
            return self.everything
        # `existence` cannot leave out a column of one class only. −r has the values of x, so floats lose nothing here
        compared = -np.delete(self.terms.Z, [*without], axis=1) + 0.0
        ones, limit = np.ones(len(compared), dtype=np.int8), self.context.left
        return plane_of(separability(compared, ones, False, margin=False, time_limit=limit))

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these comparisons."""
        own = self.terms
        Z = own.Z[rows]
        kept = _chosen_columns(Z, False, free, coefficient)
        scale = _powers_of_two(own.Z)[kept]
        sets, set_of = np.unique(own.set_of[rows], return_inverse=True)
        part = Choices(
            np.ascontiguousarray(Z[:, kept]) * scale,
            own.weights[sets],
            own.offset[rows],
            set_of.astype(np.int64),
            own.own[sets],
            context=self.context,
        )
        return Problem(part, Coordinates(scale, np.zeros(kept.size)), kept)


@dataclass(frozen=True)
class RiskDesign(Estimable):
    """Events among rows at risk. Places are the stratum of each row, or −1 where the row is compared with none.

    In the limiting model an event is compared with rows of its height alone, by a w that decides all other comparisons:
    so heights are strata too.
    """

    terms: RiskTerms

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return int(self.terms.X.shape[1])

    @property
    def everything(self) -> Places:
        """The strata of the data."""
        return self._compared(self.terms.strata)

    def rows_of(self, places: Places) -> Places:
        """The rows that are compared."""
        return np.flatnonzero(places >= 0)

    def row_of_each(self, places: Places) -> Places:
        """The same."""
        return self.rows_of(places)

    @property
    def corrected(self) -> bool:
        """R's coxph has no such factors."""
        return False

    def on_plane(self, without: Collection[int] = ()) -> Places:
        """The strata in which no direction decides a comparison with certainty, by the exact w of the verdict."""
        if self.verdict.kind == "overlap" or len(without) == self.d:
            return self.everything
        X, found = self.given.values.X, self.verdict
        if without:
            X = np.delete(X, [*without], axis=1)
            found = self._asked(False, X)
        if found.certificate is None:
            raise Undecided(f"what stays finite is not decided: {found.reason}.")
        if found.kind == "overlap":
            return self.everything
        heights = _heights(X, found.certificate.head)
        both = np.column_stack([self.terms.strata, heights])
        return self._compared(np.unique(both, axis=0, return_inverse=True)[1].ravel())

    def _at_risk(self, rows: Selection, strata: Places) -> AtRisk:
        own = self.terms
        return AtRisk.of(own.time[rows], own.event[rows], None if own.entry is None else own.entry[rows], strata)

    def _compared(self, strata: Places) -> Places:
        """The strata, with −1 for rows that are at risk at no time of an event, or alone."""
        if self.terms.together:
            cases = strata[self.terms.event], strata[~self.terms.event]
            return np.where(np.isin(strata, np.intersect1d(*cases)), strata, -1)
        risk = self._at_risk(slice(None), strata)
        several = np.flatnonzero(risk.sizes > 1)
        alone = np.searchsorted(several, risk.first) >= np.searchsorted(several, risk.until, side="right")
        return np.where(alone, -1, strata)

    def among(self, places: Places, some: Places, Z: Floats) -> Loss | None:
        """The loss of some of the rows that are compared, with their rows z; None where no event is left."""
        own, rows = self.terms, self.rows_of(places)[some]
        strata = np.unique(places[rows], return_inverse=True)[1].ravel()
        risk = self._at_risk(rows, strata)
        given = own.offset[rows], own.weights[rows]
        return RiskLoss.of(Z[some], risk, strata, given, own.efron, context=self.context) if risk.event.size else None

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of the rows in these strata. Columns are measured from a row of each chain of comparisons."""
        own, some = self.terms, self.rows_of(rows)
        strata = np.unique(rows[some], return_inverse=True)[1].ravel()
        risk = None if own.together else self._at_risk(some, strata)
        X, chain = own.X[some], strata if risk is None else risk.chains
        kept = _chosen_columns(X - X[np.unique(chain, return_index=True)[1][chain]], False, free, coefficient)
        Z = X[:, kept] - _group_means(X[:, kept], chain)[chain]
        scale = _powers_of_two(Z)
        Z, given = np.ascontiguousarray(Z * scale), (own.offset[some], own.weights[some])
        if risk is None:
            loss: Loss = SubsetLoss(
                Z, np.ones(int(strata.max(initial=-1)) + 1), given[0], own.event[some], strata, context=self.context
            )
        else:
            loss = RiskLoss.of(Z, risk, strata, given, own.efron, context=self.context)
        return Problem(loss, Coordinates(scale, np.zeros(kept.size)), kept)


def _group_means(X: Floats, group: Places) -> Floats:
    """The mean row of each group."""
    sums = np.zeros((int(group.max(initial=-1)) + 1, X.shape[1]))
    np.add.at(sums, group, X)
    return sums / np.bincount(group, minlength=len(sums))[:, None]


def _heights(X: Floats, content: dict[str, Any]) -> Places:
    """The rank of each row's w·x, computed exactly as the columns are read; equal values have equal ranks."""
    w = [int(v, 16) for v in content["w"]][: X.shape[1]]  # unknowns of sets come after the weights
    decimal = ["power" in reading for reading in content["readings"][: X.shape[1]]]
    used = [(j, v, tens) for j, (v, tens) in enumerate(zip(w, decimal, strict=True)) if v]
    scores = [
        sum((v * (Fraction(repr(float(x[j]))) if tens else Fraction(float(x[j]))) for j, v, tens in used), Fraction(0))
        for x in X
    ]
    order = {score: k for k, score in enumerate(sorted(set(scores)))}
    return np.array([order[score] for score in scores], dtype=np.int64)


def _about_bias(X: Floats, centre: Floats, kept: Places) -> tuple[Floats, Floats]:
    """Rows in which the bias b itself is a weight, where columns are far from zero; and the scale of each weight.

    Responses are Σ (x_j − c_j)·w_j + a with a = b + Σ c_j·w_j. In the column k that is farthest from zero, the weight
    w_k is replaced by a: w_k = (a − b − Σ c_j·w_j over the other j)/c_k. So the column of b is −(x_k − c_k)/c_k.
    """
    p = X.shape[1]
    slopes = kept[kept < p]
    k = int(slopes[np.argmax(np.abs(centre[slopes]))])
    D, c = X - centre[:p], centre[k]
    rows = [X[:, k] / c if j == k else -D[:, k] / c if j == p else D[:, j] - centre[j] / c * D[:, k] for j in kept]
    Z = np.column_stack(rows)
    scale = _powers_of_two(Z)
    return Z * scale, scale
