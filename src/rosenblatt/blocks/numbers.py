"""What the numbers of all shards are: a column has one reading, in the same units, on every worker.

The rule for readings (`numbers/readings.py`) is about whole columns. So a column that has long numbers in one shard is
kept as it is written in all of them, and one is float32 where all shards have it so. What each shard shows is joined,
and goes back to every shard: with it, all make exact values of the same kind.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags
from rosenblatt.data.numbers import Origin, Reading, Rows, Survey, Written, decimal_of, exact_rows, single_columns

__all__ = ["ColumnsKept", "Numbers"]


class ColumnsKept(NamedTuple):
    """How all shards keep their columns."""

    columns: tuple[int, ...]  # as they are written
    single: Flags  # as float32

    def rows(self, rows: Rows) -> Rows:
        """The rows of a shard with their columns kept so."""
        if self.columns and rows.sparse:  # only dense rows keep numbers as they are written
            rows = Rows(rows.take(slice(0, rows.n)), Origin(single=single_columns(rows)))
        if not np.array_equal(single_columns(rows), self.single):
            rows = Rows(rows.matrix.astype(np.float64), rows.origin._replace(single=self.single))
        if rows.origin.columns != self.columns:
            rows = Rows(rows.matrix, rows.origin._replace(columns=self.columns, written=self._written(rows)))
        return rows.within_range()

    def _written(self, rows: Rows) -> Written:
        """The numbers of the columns that are kept as they are written: floats stand for their shortest decimals."""
        columns = []
        for j in self.columns:
            here = rows.origin.column(j)
            columns.append(Written.of(map(decimal_of, rows.values_in(j).tolist())) if here is None else here)
        return Written(*(np.column_stack(part) for part in zip(*columns, strict=True)))

    def no_rows(self) -> Rows:
        """A shard without rows."""
        nothing = np.empty((0, len(self.columns)), dtype=np.int64)
        written = Written(nothing, nothing, nothing) if self.columns else None
        return Rows(np.empty((0, self.single.size)), Origin(self.columns, written, self.single))


class Numbers(NamedTuple):
    """What the numbers are: the readings of the columns, and what all rows show together."""

    kept: ColumnsKept
    readings: tuple[Reading, ...]
    survey: Survey | None = None  # None: all columns are floats

    def exact(self, rows: Rows) -> Rows:
        """Rows of a shard, or of several, with their exact values. They are known to be what the readings say."""
        found = exact_rows(rows, self.readings, self.survey)
        assert found is not None
        return found

    def of_no_rows(self) -> Rows | None:
        """A shard without rows, read so; None where a value of some shard is not what the readings say."""
        return exact_rows(self.kept.no_rows(), self.readings, self.survey)
