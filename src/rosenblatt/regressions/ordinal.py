"""Cumulative logit and probit: ordered levels 1 … K with thresholds θ_1 ≤ … ≤ θ_{K−1}, and P(y ≤ k) = F(θ_k − x·β).

A row of level k has its x·β between two thresholds: z·(β, θ) is θ_k − x·β if k < K, and x·β − θ_{k−1} if k > 1. Where
level k has rows, these two add up to θ_k − θ_{k−1} ≥ 0. Where an inner level has no rows, the likelihood pushes its two
thresholds together: they are equal in every estimate, so they are one weight here. The threshold beside a first or last
level without rows runs away.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Places
from rosenblatt.regressions.machinery.given import Given, ModelColumns
from rosenblatt.regressions.machinery.levels import beside_thresholds, read_levels
from rosenblatt.regressions.machinery.libraries import labelled, statsmodels
from rosenblatt.regressions.machinery.regression import ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Names, Values
from rosenblatt.regressions.machinery.terms import BetweenTerms, Link

__all__ = ["REGRESSION", "Ordinal", "kept_levels", "rows", "thresholds"]


def _ordinal_arguments(model: Any, y: object) -> dict[str, Any]:
    labels = [str(label) for label in model.labels]
    return {"model": "ordinal", "y": labelled(model, y, labels), "levels": labels}


class Ordinal(Regression):
    """Ordered levels with one slope a column: P(y ≤ k) = F(θ_k − x·β)."""

    name = "ordinal"
    roles = taking(target="classes", offset="number")
    options = ("levels",)
    links = ("logit", "probit")
    words = ModelWords("ordered levels", compared="threshold")
    libraries = statsmodels(_ordinal_arguments, "OrderedModel")

    def read(self, given: Given) -> ModelColumns:
        """y as the number of its level."""
        codes, levels = read_levels(given, self.name)
        empty = sorted({*range(1, len(levels) - 1)} - set(codes.tolist()))
        notes = tuple(f"level {levels[k]} has no rows: its two thresholds coincide" for k in empty)
        between = thresholds(codes, levels)
        entry = {"levels": levels, "columns": {}}
        return ModelColumns({"y": codes}, (*given.names, *between), entry, ("", *between), notes)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """Each row against the thresholds beside its level."""
        return rows(values, columns.arrays["y"], columns.entry["levels"], columns.weights[: len(values.tens)])

    def terms(self, given: Given, columns: ModelColumns) -> BetweenTerms:
        """With the logit."""
        return self.between(given, columns, "logit")

    def between(self, given: Given, columns: ModelColumns, link: Link) -> BetweenTerms:
        """Each row lies between the thresholds beside its level; standard errors as MASS's polr has them."""
        made = self.rows(given.values, columns)
        above = (
            np.asarray(made.against)
            > np.searchsorted(kept_levels(columns.arrays["y"], columns.entry["levels"]), columns.arrays["y"])[made.row]
        )
        upper, lower = np.full((2, given.n), -1)
        upper[made.row[above]], lower[made.row[~above]] = np.flatnonzero(above), np.flatnonzero(~above)
        Z = made.Z.toarray() if sp.issparse(made.Z) else made.Z
        offset = np.where(above, -1.0, 1.0) * given.offset[made.row]  # of θ − x·β, and of x·β − θ
        return BetweenTerms(Z + 0.0, offset, upper, lower, given.weights, np.arange(given.n), link, False)


def kept_levels(codes: Places, levels: Sequence[str]) -> list[int]:
    """The numbers, from 0, of the levels that count: the first, the last, and those between that have rows."""
    return sorted({0, len(levels) - 1, *np.unique(codes).tolist()})


def thresholds(codes: Places, levels: Sequence[str]) -> tuple[str, ...]:
    """What the thresholds are called: "low|mid" is the threshold between low and mid."""
    return tuple(f"{levels[a]}|{levels[b]}" for a, b in pairwise(kept_levels(codes, levels)))


def rows(values: Values, codes: Places, levels: Sequence[str], names: Names) -> ModelRows:
    """The rows z: one for each row and each threshold beside its level, all thresholds above first.

    `levels` are two or more, `codes` their numbers from 0. Threshold k is weight p + k − 1.
    """
    kept = kept_levels(codes, levels)
    level, last = np.searchsorted(kept, codes), len(kept) - 1
    up, down = np.flatnonzero(level < last), np.flatnonzero(level > 0)
    row, threshold = np.concatenate([up, down]), np.concatenate([level[up], level[down] - 1])
    signs = np.where(np.arange(len(row)) < len(up), 1.0, -1.0)
    return ModelRows(
        beside_thresholds(values.X, row, signs, threshold, last),
        np.zeros(len(row), dtype=bool),
        row,
        threshold + 1,
        names + thresholds(codes, levels),
        values.tens + (values.one,) * last,
        values.low and values.low.signed(row, -signs),
        values.one,
    )


REGRESSION = Ordinal()
