"""Exact signs and sums of some rows, on their values as they are read (`exact.py`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Selection, Signs
from rosenblatt.data.numbers.exact import ExactColumns, power_of_ten
from rosenblatt.data.numbers.rows import Rows
from rosenblatt.exact import combine, response_signs, together

__all__ = ["ExactValues"]


@dataclass(frozen=True)
class ExactValues:
    """(x, 1) of rows that have exact values; x alone without a bias."""

    rows: Rows
    bias: bool

    @property
    def _exact(self) -> ExactColumns:
        assert self.rows.exact is not None
        return self.rows.exact

    @cached_property
    def _parts(self) -> list[tuple[int, int]]:
        """For each column of `_floats` the weight that it belongs to, and the factor that it is multiplied by.

        All columns are then in one unit, the smallest power of ten.
        """
        known, p = self._exact, self.rows.p
        powers = [*known.powers, *[0] * self.bias]
        least = min(powers, default=0)
        shifts = [known.shifts.get(j, 0) for j in range(p)] + [0] * self.bias
        parts = [*enumerate(shifts), *zip(known.owner, known.low_shifts, strict=True)]
        return [(j, 10 ** (powers[j] - least) << shift) for j, shift in parts]

    def _floats(self, some: Selection) -> Floats:
        """The parts of some rows, as floats without error."""
        known, x = self._exact, self.rows.take(some).copy()
        columns = known.decimal
        if columns.size:
            x[:, columns] = np.rint(x[:, columns] * np.array([power_of_ten(-known.powers[j]) for j in columns]))
        found = [x, np.ones((len(x), int(self.bias)))]
        if known.low is not None:
            low = known.low[some]
            found.append(low.toarray() if sp.issparse(low) else low)
        return np.hstack(found)

    def signs(self, w: Sequence[int], some: Selection) -> Signs:
        """The signs of (x, 1)·w, for whole numbers w."""
        return response_signs(self._floats(some), [w[j] * factor for j, factor in self._parts])

    def vanishes(self, factors: Sequence[int], some: Selection) -> bool:
        """Whether Σ factor·(x, 1) = 0."""
        parts = self._parts
        totals = [Fraction(0)] * (self.rows.p + self.bias)
        for (j, factor), total in zip(
            parts, together([combine(factors, self._floats(some))], [1] * len(parts)), strict=True
        ):
            totals[j] += total * factor
        return not any(totals)
