"""A table, its model and what is proved of it: which rows have a say, and what becomes of each coefficient."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import as_rows
from rosenblatt.estimates.families import FAMILIES
from rosenblatt.estimates.likelihood import Likelihood, Loss
from rosenblatt.newton.columns import Columns
from rosenblatt.newton.directions import dependent_columns
from rosenblatt.verdicts.decision import Verdict, separability
from rosenblatt.verdicts.existence.decision import existence

__all__ = ["Coordinates", "Design", "Estimable", "Problem", "Undecided", "independent_columns"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

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
        """Chosen by the columns of X."""
        columns = Columns.of(as_rows(X), bias)
        centre = columns.centre if centred else np.zeros(X.shape[1])
        reach = np.abs(X - centre).max(axis=0, initial=0.0)
        exponent = np.where(reach > 0, np.frexp(reach)[1], 0)
        return cls(np.append(np.ldexp(1.0, -exponent), np.ones(int(bias))), np.append(centre, np.zeros(int(bias))))

    def apply(self, X: Floats, bias: bool) -> Floats:
        """z of all rows."""
        Z = np.hstack([X, np.ones((len(X), 1))]) if bias else X
        return (Z - self.centre) * self.scale

    def weights(self, v: Floats) -> Floats:
        """w, the bias moved back."""
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


def independent_columns(X: Floats, bias: bool, free: Places) -> Places:
    """Of these columns, of which the bias is the last, the ones that are not combinations of others."""
    if not len(X) or not free.size:
        return np.empty(0, dtype=np.int64)
    p = X.shape[1]
    slopes, biased = free[free < p], bool(bias and p in free)
    columns = Columns.of(as_rows(np.ascontiguousarray(X[:, slopes])), biased)
    found = dependent_columns(columns, np.ones(len(X), dtype=bool))
    dropped = {int(np.append(slopes, [p])[k]) for k in found.dropped}
    return np.array([j for j in free if j not in dropped], dtype=np.int64)


class Estimable(Protocol):
    """A table and its model, as the estimates need it: places are rows, or the comparisons of rows."""

    @property
    def d(self) -> int:
        """Coefficients."""

    @property
    def bias(self) -> bool:
        """Whether the last one is an intercept that columns may be moved against."""

    @property
    def fates(self) -> list[str]:
        """Of each coefficient."""

    @property
    def everything(self) -> Places:
        """All places."""

    def on_plane(self, without: int | None = None) -> Places:
        """Places that stay undecided in the limit, of the model without one column: they make the limiting model."""

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these places, in independent columns."""


@dataclass(frozen=True)
class Design:
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
        """Coefficients."""
        return int(self.X.shape[1] + self.bias)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.y)

    @property
    def everything(self) -> Places:
        """All rows."""
        return np.arange(len(self.y))

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the estimate exists, and what becomes of each coefficient."""
        found = self._decide(self.X, self.bias, True)
        if found.coefficients is None:
            raise Undecided(f"what becomes of each coefficient is not decided: {found.reason}.")
        if self.model != "logistic" or self.y.any():
            return found
        # rows of one class alone are decided as z = (x, 1); here all of them are −(x, 1)
        turned = [replace(one, kind=_TURNED.get(one.kind, one.kind)) for one in found.coefficients]
        return replace(found, coefficients=turned)

    @cached_property
    def fates(self) -> list[str]:
        """Of each coefficient: "finite", "+inf", "-inf", "undetermined" or "not identified"."""
        return [one.kind for one in self.verdict.coefficients or []]

    def _decide(self, X: Floats, bias: bool, coefficients: bool) -> Verdict:
        common: dict[str, Any] = {"coefficients": coefficients, "time_limit": self.time_limit}
        if self.model == "logistic":
            found = separability(X, self.y, bias, margin=False, **common)
        else:
            trials = self.trials if self.model == "binomial" else None
            found = existence(X, self.y, self.model, trials=trials, fit_intercept=bias, **common)
        if found.kind == "unknown":
            raise Undecided(f"whether the estimate exists is not decided: {found.reason}.")
        return found

    def on_plane(self, without: int | None = None) -> Places:
        """Rows that stay undecided in the limit, of the model without one column: they make the limiting model."""
        if without is not None and self.d == 1:
            return np.arange(len(self.y))
        if without is None:
            found = self.verdict
        elif without < self.X.shape[1]:
            found = self._decide(np.delete(self.X, without, axis=1), self.bias, False)
        else:
            found = self._decide(self.X, False, False)
        assert found.rows is not None
        return found.rows["plane"]

    def problem(self, rows: Places, coefficient: int | None = None, free: Places | None = None) -> Problem:
        """The likelihood of these rows, in independent columns.

        `coefficient` is one to be looked at by itself: it is a coordinate then, also if it is the bias (other weights
        may then be none). `free` are the columns beside it that must be independent; all of them, if not said.
        """
        kept = independent_columns(self.X[rows], self.bias, np.arange(self.d) if free is None else free)
        if coefficient is not None and coefficient not in kept:
            kept = np.append(kept, coefficient)
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
        return Likelihood(
            np.ascontiguousarray(Z),
            FAMILIES[self.model],
            self.y[rows],
            self.trials[rows],
            self.weights[rows],
            self.offset[rows],
        )


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
    reach = np.abs(Z).max(axis=0, initial=0.0)
    scale = np.ldexp(1.0, -np.where(reach > 0, np.frexp(reach)[1], 0))
    return Z * scale, scale
