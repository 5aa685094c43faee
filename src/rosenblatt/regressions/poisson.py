"""Poisson regression. z is −x where y = 0; where y > 0, x is an equality: its mean must neither vanish nor grow.

It matters only whether y is 0: any y ≥ 0 will do (PPML), and exposures change nothing.
"""

from dataclasses import replace
from math import inf

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.regressions.machinery.counts import CountRegression, one_z_a_row, with_effects
from rosenblatt.regressions.machinery.families import CountFamily, poisson
from rosenblatt.regressions.machinery.given import Given, ModelColumns, numbers, refuse_where
from rosenblatt.regressions.machinery.regression import Words, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import Outcomes

__all__ = ["REGRESSION", "Poisson"]


class Poisson(CountRegression):
    """A count with mean exposure·e^(x·w)."""

    name = "poisson"
    roles = taking(target="number", offset="number", exposure="number", fixed_effects="groups")
    words = Words(
        "counts",
        certain="are separated, every estimate gives them mean 0",
        every="every row has count 0, and mean 0 fits best.",
        ratio="rate ratio",
    )

    @property
    def family(self) -> CountFamily:
        """Counts without a limit."""
        return poisson

    def read(self, given: Given) -> ModelColumns:
        """Counts, or any numbers from 0 on."""
        y = numbers(given.columns["y"], "y")
        refuse_where(y < 0, y, "y", "a count is not negative")
        if "exposure" in given.columns:
            exposure = numbers(given.columns["exposure"], "exposure")
            refuse_where(exposure <= 0, exposure, "exposure", "it must be above 0")
        return with_effects(given, {"y": y})

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """−x where y = 0; elsewhere an equality."""
        return replace(one_z_a_row(values, columns), equal=columns.arrays["y"] > 0)

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """One count a row."""
        y = columns.arrays["y"][rows.row]
        return Outcomes(poisson, np.where(y > 0, 1.0, -1.0), y, np.full(len(y), inf))

    def trials(self, columns: ModelColumns) -> Floats:
        """There is no limit."""
        return np.full(len(columns.arrays["y"]), inf)


REGRESSION = Poisson()
