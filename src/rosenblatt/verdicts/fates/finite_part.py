"""The finite part of a logistic regression's estimate: what the rows on the plane say (Geyer 2009).

Where the data overlap, it is the maximum-likelihood estimate. Where they are quasi-separable, the likelihood has no
maximum: it grows while w runs off along the separating direction, and in the limit the strict rows say nothing more.
The rows on the plane overlap, so they have an estimate of their own, and it is the limit of all that stays finite.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt.arrays import Floats, Integers, Places, Signs
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.models import Hyperplane
from rosenblatt.regressions import Given, ModelRows, Outcomes, signed

__all__ = ["CountPart", "FinitePart", "PlaneRows"]


@dataclass(frozen=True)
class PlaneRows:
    """All rows with labels −1/+1 and weights, and which are on the plane; the latter are copied only for a fit."""

    rows: Rows
    y: Signs
    weights: Floats | None
    bias: bool
    plane: Integers
    offset: Floats | None = None  # of a model that has one

    def estimate(self) -> Hyperplane:
        """The weights that make the plane rows most likely; where several do, short ones."""
        from rosenblatt.minimise import fit_logistic

        rows, y, weights, offset = self.rows, self.y, self.weights, self.offset
        if self.plane.size < rows.n:
            rows, y = rows.subset(self.plane), y[self.plane]
            weights = None if weights is None else weights[self.plane]
            offset = None if offset is None else offset[self.plane]
        w = fit_logistic(rows, y, weights, self.bias, offset)
        return Hyperplane(w[:-1], w[-1]) if self.bias else Hyperplane(w)


@dataclass(frozen=True)
class CountPart:
    """All rows z of a model of counts, with their outcomes and the caller's rows, and which z are on the plane."""

    made: ModelRows
    outcomes: Outcomes
    given: Given
    plane: Places

    def estimate(self) -> Hyperplane:
        """The weights that make the plane rows most likely, in the model's order; of several such weights, short."""
        from rosenblatt.minimise import fit_logistic, fit_poisson

        made, (family, signs, y, trials) = self.made, self.outcomes
        at, signs, y, trials = made.row[self.plane], signs[self.plane], y[self.plane], trials[self.plane]
        X, weights, offset = signed(made.Z[self.plane], signs), self.given.weights[at], self.given.offset[at]
        if family == "poisson":
            w = fit_poisson(X, y, weights, offset)
        else:
            again = np.append(np.arange(y.size), np.flatnonzero((y > 0) & (y < trials)))  # a draw: half a win, half not
            first = np.arange(again.size) < y.size
            times = np.where((signs[again] > 0) & first, y[again], (trials - y)[again])
            labels = np.where(first, signs[again], -1.0).astype(np.int8)
            w = fit_logistic(as_rows(X[again]), labels, weights[again] * times, False, offset[again])
        return Hyperplane(w * np.array([float(Fraction(ten, made.one)) for ten in made.tens]))


FinitePart = PlaneRows | CountPart
