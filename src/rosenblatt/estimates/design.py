"""A table with its model, and what is proved about it: the rows of the limiting model, and each coefficient's fate."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.estimates.likelihood import Likelihood, Loss
from rosenblatt.minimise.columns import Columns
from rosenblatt.minimise.directions import dependent_columns
from rosenblatt.regressions import ModelName
from rosenblatt.regressions.machinery.families import binomial, poisson
from rosenblatt.verdicts import Verdict, separability
from rosenblatt.verdicts.existence.decision import existence

__all__ = ["Coordinates", "Design", "Estimable", "Problem", "Undecided", "chosen_columns", "plane_of", "powers_of_two"]

_NEAR = 1024.0  # a column up to this many widths from zero leaves the bias a good coordinate
_TURNED = {"+inf": "-inf", "-inf": "+inf"}


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
        return cls(np.append(powers_of_two(X - centre), np.ones(int(bias))), np.append(centre, np.zeros(int(bias))))

    def apply(self, X: Floats, bias: bool) -> Floats:
        """The rows x as rows z."""
        Z = np.hstack([X, np.ones((len(X), 1))]) if bias else X
        return (Z - self.centre) * self.scale

    def weights(self, v: Floats) -> Floats:
        """The weights w of x that give the same responses as the weights v of z."""
        w = v * self.scale
        if self.centre.any():
            w[-1] -= self.centre @ w
        return w

    def errors(self, v: Floats, distances: Floats) -> Floats:
        """How far each w may be from the truth, where v may be off by `distances`."""
        errors = distances * self.scale
        if self.centre.any():
            parts = np.abs(self.centre) * np.abs(self.scale)
            errors[-1] += parts @ (distances + (len(v) + 4) * 2.0**-53 * np.abs(v)) + 2.0**-52 * abs(v[-1])
        return errors


def powers_of_two(X: Floats) -> Floats:
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


def chosen_columns(X: Floats, bias: bool, free: Places | None, coefficient: int | None) -> Places:
    """The columns among `free` (None: all) that are not combinations of others; `coefficient` is always one of them.

    The bias is the last column.
    """
    p = X.shape[1]
    free = np.arange(p + bias) if free is None else free
    slopes, biased = free[free < p], bool(bias and p in free)
    kept = np.empty(0, dtype=np.int64)
    if len(X) and free.size:
        columns = Columns.of(as_rows(np.ascontiguousarray(X[:, slopes])), biased)
        found = dependent_columns(columns, np.ones(len(X), dtype=bool))
        dropped = {int(np.append(slopes, [p])[k]) for k in found.dropped}
        kept = np.array([j for j in free if j not in dropped], dtype=np.int64)
    return kept if coefficient is None or coefficient in kept else np.append(kept, coefficient)


class Estimable(ABC):
    """What estimates need to know of a table and its model. A *place* is a row, or a comparison of rows."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many rows there are."""

    @property
    @abstractmethod
    def d(self) -> int:
        """How many coefficients there are."""

    @property
    def everything(self) -> Places:
        """The numbers of all places."""
        return np.arange(self.n)

    @abstractmethod
    def on_plane(self, without: int | None = None) -> Places:
        """The places of the limiting model (`without` one column): those that no direction decides with certainty."""

    @abstractmethod
    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these places, in independent columns.

        `coefficient` is one whose weight must be a coordinate. `free` are the columns to choose independent ones from;
        None means all.
        """

    @abstractmethod
    def _decide(self) -> Verdict:
        """The verdict whether the estimate exists, with the fates of the coefficients."""

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict; raises `Undecided` where a limit was hit."""
        found = self._decide()
        if found.kind == "unknown":
            raise Undecided(f"whether the estimate exists is not decided: {found.reason}.")
        if found.coefficients is None:
            raise Undecided(f"what becomes of each coefficient is not decided: {found.reason}.")
        return found

    @cached_property
    def fates(self) -> list[str]:
        """The fate of each coefficient: "finite", "+inf", "-inf", "undetermined" or "not identified"."""
        return [one.kind for one in self.verdict.coefficients or []]


def plane_of(found: Verdict) -> Places:
    """The rows of the limiting model; raises `Undecided` where they are not known."""
    if found.rows is None:
        raise Undecided(f"what stays finite is not decided: {found.reason}.")
    return found.rows["plane"]


@dataclass(frozen=True)
class Design(Estimable):
    """A logistic, binomial or Poisson model: rows of weight > 0 with counts y of `trials`; a bias comes last."""

    X: Floats
    y: Floats
    trials: Floats
    weights: Floats
    offset: Floats
    model: ModelName
    bias: bool
    time_limit: float | None = None

    @property
    def d(self) -> int:
        """How many coefficients there are."""
        return int(self.X.shape[1] + self.bias)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.y)

    def _decide(self) -> Verdict:
        found = self._ask(self.X, self.bias, coefficients=True)
        if found.coefficients is None or self.model != "logistic" or self.y.any():
            return found
        # `separability` takes a single class for the positive one, z = (x, 1); here all rows are failures, −(x, 1)
        turned = [replace(one, kind=_TURNED.get(one.kind, one.kind)) for one in found.coefficients]
        return replace(found, coefficients=turned)

    def _ask(self, X: Floats, bias: bool, coefficients: bool = False) -> Verdict:
        """The verdict on the model with these columns."""
        common: dict[str, Any] = {"coefficients": coefficients, "time_limit": self.time_limit}
        if self.model == "logistic":
            return separability(X, self.y, bias, margin=False, **common)
        trials = self.trials if self.model == "binomial" else None
        return existence(X, self.y, self.model, trials=trials, fit_intercept=bias, **common)

    def on_plane(self, without: int | None = None) -> Places:
        """The rows of the limiting model (`without` one column)."""
        if without is not None and self.d == 1:
            return self.everything
        if without is None:
            return plane_of(self.verdict)
        is_bias = without == self.X.shape[1]
        return plane_of(self._ask(self.X, False) if is_bias else self._ask(np.delete(self.X, without, 1), self.bias))

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these rows, in independent columns.

        Where `coefficient` is the bias and a column is far from zero, the weight of that column is no coordinate.
        """
        kept = chosen_columns(self.X[rows], self.bias, free, coefficient)
        about_bias = coefficient == self.X.shape[1]
        coordinates = Coordinates.of(self.X, self.bias, True)
        if about_bias and np.abs(coordinates.centre * coordinates.scale)[kept].max() <= _NEAR:
            coordinates = Coordinates.of(self.X, self.bias, False)
        elif about_bias:
            Z, scale = _about_bias(self.X[rows], coordinates.centre, kept)
            return Problem(self._likelihood(Z, rows), Coordinates(scale, np.zeros(kept.size)), kept, True)
        Z = coordinates.apply(self.X, self.bias)[rows]
        part = Coordinates(coordinates.scale[kept], coordinates.centre[kept])
        return Problem(self._likelihood(Z[:, kept], rows), part, kept)

    def _likelihood(self, Z: Floats, rows: Places) -> Likelihood:
        weights, offset = self.weights[rows], self.offset[rows]
        family = poisson if self.model == "poisson" else binomial
        return Likelihood(np.ascontiguousarray(Z), weights, offset, family, self.y[rows], self.trials[rows])


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
    scale = powers_of_two(Z)
    return Z * scale, scale
