"""Continuation-ratio (sequential) logit: ordered levels that are passed one after another (Tutz 1991).

With thresholds θ_1, …, θ_{K−1}, a row that has reached level k stays there with P(y = k | y ≥ k) = F(θ_k − x·β), where
F is the logistic function. A row of level k has passed all levels before: z·(β, θ) is x·β − θ_j for each j < k, and
θ_k − x·β if k < K. So it is a logistic regression of all these decisions. Thresholds need not be in order.
"""

from itertools import pairwise

import numpy as np

from rosenblatt.regressions.machinery.given import Given, ModelColumns
from rosenblatt.regressions.machinery.levels import beside_thresholds, read_levels
from rosenblatt.regressions.machinery.regression import ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import Outcomes

__all__ = ["REGRESSION", "Sequential"]


class Sequential(Regression):
    """Ordered levels, each of which a row passes or stays at."""

    name = "sequential"
    roles = taking(target="classes", offset="number")
    options = ("levels",)
    words = ModelWords("ordered levels, passed one by one", compared="threshold")

    def read(self, given: Given) -> ModelColumns:
        """y as the number of its level."""
        codes, levels = read_levels(given, self.name)
        between = tuple(f"{a}|{b}" for a, b in pairwise(levels))
        empty = sorted({*range(len(levels))} - set(codes.tolist()))
        notes = tuple(
            f"level {levels[k]} has no rows: the threshold {between[min(k, len(between) - 1)]} has no finite estimate"
            for k in empty
        )
        return ModelColumns(
            {"y": codes}, (*given.names, *between), {"levels": levels, "columns": {}}, ("", *between), notes
        )

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """One z for each level that a row has reached, but for the last level."""
        level, last = columns.arrays["y"], len(columns.entry["levels"]) - 1
        reached = np.minimum(level + 1, last)
        row = np.repeat(np.arange(len(level)), reached)
        at = np.arange(len(row)) - np.repeat(np.cumsum(reached) - reached, reached)
        signs = np.where(at < level[row], -1.0, 1.0)  # of θ − x·β
        return ModelRows(
            beside_thresholds(values.X, row, signs, at, last),
            np.zeros(len(row), dtype=bool),
            row,
            at + 1,
            columns.weights,
            values.tens + (values.one,) * last,
            values.low and values.low.signed(row, -signs),
            values.one,
        )

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """Each decision: 1 where the level was passed."""
        passed = (rows.against - 1 < columns.arrays["y"][rows.row]).astype(np.float64)
        return Outcomes("binomial", 2.0 * passed - 1.0, passed, np.ones(len(passed)))


REGRESSION = Sequential()
