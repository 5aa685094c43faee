"""Why a coefficient runs away, in words: all rows of a factor's level, or of a column's value, have one class."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.data.numbers import Rows
from rosenblatt.data.tables import Encoding
from rosenblatt.later import sparse as sp

__all__ = ["Levels"]


@dataclass(frozen=True)
class Levels:
    """The factors of a table; `rows` are its X, `y` the labels as −1/+1."""

    encoding: Encoding
    rows: Rows
    y: Signs

    def reference(self, name: str) -> str:
        """The reference level of the factor whose level this column of X is; "" where the column is no level."""
        return self.encoding.levels.get(name, "")

    def why(self, name: str) -> tuple[str, Integers]:
        """That all rows of the level, or of its reference, have one class, and which rows; "" where neither is true."""
        reference, none = self.reference(name), np.empty(0, dtype=np.int64)
        if not reference:
            return "", none
        rows = np.flatnonzero(self._columns([self.encoding.features.index(name)]))
        if outcome := self._outcome(rows):
            return f"{_every_row(rows.size, 'its')} has {outcome}", rows
        rows = self._rows_of_reference(reference)
        if outcome := self._outcome(rows):
            return f"{_every_row(rows.size, 'the')} of {reference}, its reference, has {outcome}", rows
        return "", none

    def why_value(self, name: str) -> tuple[str, Integers]:
        """For a column with two values: that all rows with one of them have one class, and which rows; "" if not."""
        if name in self.encoding.features:
            x = self._values(self.encoding.features.index(name))
            values = np.unique(x)
            told = self.encoding.features.index(name) not in self.rows.origin.columns  # else floats hide some values
            for value in values[::-1] if told and len(values) == 2 else ():
                rows = np.flatnonzero(x == value)
                if outcome := self._outcome(rows):
                    which = name if "=" in name and value == 1 else f"{name} = {value:g}"
                    return f"every {which} row has {outcome}", rows
        return "", np.empty(0, dtype=np.int64)

    def _outcome(self, rows: Integers) -> str:
        """The class of these rows in words; "" where there are no rows, or both classes."""
        if not rows.size or abs(int(self.y[rows].sum(dtype=np.int64))) < rows.size:
            return ""
        name = self.encoding.classes[int(self.y[rows[0]] > 0)]
        return name if self.encoding.target is None else f"{self.encoding.target} = {name}"

    def _rows_of_reference(self, reference: str) -> Integers:
        """The rows that have none of the factor's other levels, and whose value is not missing."""
        column = next(one for one in self.encoding.columns if one.reference_name == reference)
        first = self.encoding.features.index(column.names()[0])
        return np.flatnonzero(~self._columns(list(range(first, first + column.width))))

    def _columns(self, which: list[int]) -> Flags:
        """Which rows have a value other than 0 in one of these columns."""
        if not self.rows.sparse:
            return np.asarray(np.any(self.rows.kernel.X[:, which] != 0, axis=1))
        return np.asarray(self._csr[:, which].count_nonzero(axis=1) > 0)

    def _values(self, j: int) -> Floats:
        """The values of column j."""
        return np.asarray(self._csr[:, [j]].toarray().ravel() if self.rows.sparse else self.rows.kernel.X[:, j])

    @property
    def _csr(self) -> "sp.csr_array":
        kernel = self.rows.kernel
        return sp.csr_array(
            (kernel.data, kernel.indices.view(np.int32), kernel.indptr), shape=(self.rows.n, self.rows.p)
        )


def _every_row(number: int, whose: str) -> str:
    if number == 1:
        return f"{whose} only row"
    return f"every one of {whose} {number:,} rows"
