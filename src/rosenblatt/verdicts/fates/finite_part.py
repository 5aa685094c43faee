"""The finite part of a logistic regression's estimate: what the rows on the plane say (Geyer 2009).

Where the data overlap, it is the maximum-likelihood estimate. Where they are quasi-separable, the likelihood has no
maximum: it grows while w runs off along the separating direction, and in the limit the strict rows say nothing more.
The rows on the plane overlap, so they have an estimate of their own, and it is the limit of all that stays finite.
"""

from dataclasses import dataclass
from typing import Protocol

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import Rows
from rosenblatt.models import Hyperplane

__all__ = ["FinitePart", "PlaneRows"]


class FinitePart(Protocol):
    """Rows to which the finite part is fitted when it is asked for."""

    def estimate(self) -> Hyperplane:
        """The weights that make these rows most likely."""


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
