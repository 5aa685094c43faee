"""The squared loss ½Σ c·(y − s)², and a bound on how far it is from its minimum at any weights."""

from functools import cached_property

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.minimise.columns import UP, Columns
from rosenblatt.minimise.directions import Dependence, dependent_columns
from rosenblatt.minimise.gap import decrement

__all__ = ["SquaredLoss"]


class SquaredLoss:
    """The squared loss of rows and their weights; labels are arguments of `at` and `gap`: many share one curvature."""

    def __init__(
        self, columns: Columns, weights: Floats | None = None, ridge: float = 0.0, free_bias: bool = False
    ) -> None:
        self.columns, self.ridge, self.free_bias = columns, ridge, free_bias and columns.bias
        self.held = np.ones(columns.d)  # which weights the ridge holds
        self.held[columns.d - self.free_bias :] = 0.0
        self.weights = np.ones(columns.rows.n) if weights is None or not weights.size else weights

    @cached_property
    def curvature(self) -> Floats:
        """Σ c·z' z'ᵀ, plus the ridge on every weight that it holds."""
        A = self.columns.gram(self.weights)
        if self.ridge:
            T = self.columns.outward
            A += self.ridge * (T.T @ (self.held[:, None] * T))
        return A

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others."""
        return dependent_columns(self.columns, self.weights > 0)

    def at(self, w: Floats, y: Signs) -> float:
        """The loss."""
        errors = y - self.columns.rows.respond(w)
        return float(0.5 * (self.weights @ (errors * errors)) + self._penalty(w))

    def _penalty(self, w: Floats) -> float:
        return 0.5 * self.ridge * float(w @ (self.held * w)) if self.ridge else 0.0

    def gap(self, w: Floats, y: Signs) -> float | None:
        """A proved bound on loss − minimum; None where there is no proof."""
        columns = self.columns
        errors = columns.rows.respond(w) - y
        eta = columns.doubt(w) + 2.0**-52
        off = np.abs(errors) + eta
        # the minimum is at least zero, so the whole loss is a bound too
        whole = (0.5 * float(self.weights @ (off * off)) + self._penalty(w)) * (UP + columns.rounding)
        gradient = np.zeros(columns.d)
        for inside, Z in columns.blocks():
            gradient += Z.T @ (self.weights[inside] * errors[inside])
        doubt = np.full(columns.d, float(self.weights @ (eta + columns.rounding * off)) * UP)
        if self.ridge:
            T = columns.outward
            gradient += self.ridge * ((self.held * w) @ T)
            doubt += (columns.d + 16) * 2.0**-52 * self.ridge * (np.abs(w) @ np.abs(T))
        bounds = [whole, self._half(gradient, doubt, np.arange(columns.d))]
        if bounds[1] is None and not self.ridge and self.dependence and self.dependence.exact:
            bounds.append(self._half(gradient, doubt, np.setdiff1d(np.arange(columns.d), self.dependence.dropped)))
        known = [b for b in bounds if b is not None and np.isfinite(b)]
        return min(known, default=None)

    def _half(self, gradient: Floats, doubt: Floats, kept: Integers) -> float | None:
        rounding = self.columns.rounding + (self.columns.d + 16) * 2.0**-53
        found = decrement(self.curvature[np.ix_(kept, kept)], gradient[kept], rounding, doubt[kept])
        return None if found is None else 0.5 * found.Q * UP
