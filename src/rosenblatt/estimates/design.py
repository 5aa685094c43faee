"""A table, its model and what is proved of it: which rows have a say, and what becomes of each coefficient."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.rows import as_rows
from rosenblatt.estimates.families import FAMILIES
from rosenblatt.estimates.likelihood import Likelihood, Loss
from rosenblatt.newton.columns import Columns
from rosenblatt.newton.directions import dependent_columns
from rosenblatt.verdicts.decision import Verdict, separability
from rosenblatt.verdicts.existence.decision import existence

__all__ = ["Coordinates", "Design", "Estimable", "Problem", "Undecided", "chosen_columns", "plane_of", "powers_of_two"]

_NEAR = 1024.0  # widths from zero up to which the bias is a good weight as it is
_TURNED = {"+inf": "-inf", "-inf": "+inf"}


class Undecided(ValueError):
    """A limit was hit before it was known what becomes of the coefficients."""


@dataclass(frozen=True)
class Coordinates:
    """z = (x − centre)·scale, so that |z_j| ≤ 1; the last one is 1 where there is a bias. Weights: w = scale·v."""

    scale: Floats
    centre: Floats  # 0 but for columns that are far from zero

    @classmethod
    def of(cls, X: Floats, bias: bool, centred: bool) -> "Coordinates":
        """The coordinates that suit the columns of X; `centred`: a column far from zero is moved to it."""
        centre = Columns.of(as_rows(X), bias).centre if centred else np.zeros(X.shape[1])
        return cls(np.append(powers_of_two(X - centre), np.ones(int(bias))), np.append(centre, np.zeros(int(bias))))

    def apply(self, X: Floats, bias: bool) -> Floats:
        """The rows x as rows z."""
        Z = np.hstack([X, np.ones((len(X), 1))]) if bias else X
        return (Z - self.centre) * self.scale

    def weights(self, v: Floats) -> Floats:
        """The weights w of x that do what the weights v do of z."""
        w = v * self.scale
        if self.centre.any():
            w[-1] -= self.centre @ w
        return w

    def errors(self, v: Floats, distances: Floats) -> Floats:
        """How far each w may be off, where v is off by `distances`."""
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
    """A likelihood in `columns` of the design alone; the others are combinations of these on its rows."""

    likelihood: Loss
    coordinates: Coordinates
    columns: Places
    rounded: bool = False  # whether its rows are, so that nothing is proved of them

    def place(self, j: int) -> int:
        """Where the design's column j is here."""
        return int(np.flatnonzero(self.columns == j)[0])

    def holds(self, j: int) -> bool:
        """Whether the weight of the design's column j is a coordinate here: a bias is none where columns are moved."""
        return j in self.columns and (self.place(j) < self.columns.size - 1 or not self.coordinates.centre.any())

    def weight(self, j: int, v: Floats, distances: Floats | None) -> tuple[float, float | None]:
        """The weight of the design's column j at v; and how far it may be off, where v is off by `distances`."""
        at = self.place(j)
        off = None if distances is None else float(self.coordinates.errors(v, distances)[at])
        return float(self.coordinates.weights(v)[at]), off


def chosen_columns(X: Floats, bias: bool, free: Places | None, coefficient: int | None) -> Places:
    """Of the columns `free`, or of all, those that are not combinations of others; and `coefficient`, in any case.

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
    """A table and its model, as the estimates need it: places are rows, or the comparisons of rows."""

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
        """The numbers of all places: rows, where nothing else is said."""
        return np.arange(self.n)

    @abstractmethod
    def on_plane(self, without: int | None = None) -> Places:
        """Places that stay undecided in the limit, of the model without one column: they make the limiting model."""

    @abstractmethod
    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these places, in independent columns.

        `coefficient` is one to be looked at by itself: it is a coordinate then. `free` are the columns beside it that
        must be independent; all of them, if not said.
        """

    @abstractmethod
    def _decide(self) -> Verdict:
        """Whether the estimate exists, and what becomes of each coefficient."""

    @cached_property
    def verdict(self) -> Verdict:
        """The same; refused where a limit kept it open."""
        found = self._decide()
        if found.kind == "unknown":
            raise Undecided(f"whether the estimate exists is not decided: {found.reason}.")
        if found.coefficients is None:
            raise Undecided(f"what becomes of each coefficient is not decided: {found.reason}.")
        return found

    @cached_property
    def fates(self) -> list[str]:
        """Of each coefficient: "finite", "+inf", "-inf", "undetermined" or "not identified"."""
        return [one.kind for one in self.verdict.coefficients or []]


def plane_of(found: Verdict) -> Places:
    """The rows that stay undecided in the limit; refused where it is not known which these are."""
    if found.rows is None:
        raise Undecided(f"what stays finite is not decided: {found.reason}.")
    return found.rows["plane"]


@dataclass(frozen=True)
class Design(Estimable):
    """Rows of weight > 0 with counts y of so many trials; columns X, and a bias last where there is one."""

    X: Floats
    y: Floats
    trials: Floats
    weights: Floats
    offset: Floats
    model: str
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
        # rows of one class alone are decided as z = (x, 1); here all of them are −(x, 1)
        turned = [replace(one, kind=_TURNED.get(one.kind, one.kind)) for one in found.coefficients]
        return replace(found, coefficients=turned)

    def _ask(self, X: Floats, bias: bool, coefficients: bool = False) -> Verdict:
        """Whether an estimate exists with these columns."""
        common: dict[str, Any] = {"coefficients": coefficients, "time_limit": self.time_limit}
        if self.model == "logistic":
            return separability(X, self.y, bias, margin=False, **common)
        trials = self.trials if self.model == "binomial" else None
        return existence(X, self.y, self.model, trials=trials, fit_intercept=bias, **common)

    def on_plane(self, without: int | None = None) -> Places:
        """Rows that stay undecided in the limit, of the model without one column."""
        if without is not None and self.d == 1:
            return self.everything
        if without is None:
            return plane_of(self.verdict)
        is_bias = without == self.X.shape[1]
        return plane_of(self._ask(self.X, False) if is_bias else self._ask(np.delete(self.X, without, 1), self.bias))

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these rows; where the bias is looked at by itself, other weights may be no coordinates."""
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
        family = FAMILIES[self.model]
        return Likelihood(np.ascontiguousarray(Z), weights, offset, family, self.y[rows], self.trials[rows])


def _about_bias(X: Floats, centre: Floats, kept: Places) -> tuple[Floats, Floats]:
    """Rows in which the bias b itself is a weight, where columns are far from zero; and the scale of each weight.

    Responses are Σ (x_j − c_j)·w_j + a with a = b + Σ c_j·w_j. Of the column k that is farthest from zero, w_k gives
    its place to a: w_k = (a − b − the other c_j·w_j)/c_k. So b has the row −(x_k − c_k)/c_k, which is as good as x_k.
    """
    p = X.shape[1]
    slopes = kept[kept < p]
    k = int(slopes[np.argmax(np.abs(centre[slopes]))])
    D, c = X - centre[:p], centre[k]
    rows = [X[:, k] / c if j == k else -D[:, k] / c if j == p else D[:, j] - centre[j] / c * D[:, k] for j in kept]
    Z = np.column_stack(rows)
    scale = powers_of_two(Z)
    return Z * scale, scale
