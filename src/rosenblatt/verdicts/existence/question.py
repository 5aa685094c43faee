"""A question about a model: its data, read and made rows z. `existence` answers it, `verify` checks an answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import SILENT, Context
from rosenblatt.data.numbers import Reading, Rows, Written, exact_rows, number_column
from rosenblatt.regressions import SEVERAL, BadValue, Given, ModelColumns, Regression, Values, regression_of
from rosenblatt.verdicts.certificates import digest_of_columns
from rosenblatt.verdicts.existence.proving import Sides

__all__ = ["Question"]


@dataclass(frozen=True)
class Question:
    """`rows` are X with its exact values, `numbers` the model's columns that are numbers, each with its own."""

    regression: Regression
    given: Given
    columns: ModelColumns
    rows: Rows
    numbers: dict[str, Rows]
    sides: Sides

    @classmethod
    def of(
        cls,
        model: str,
        given: Given,
        read: Callable[[Rows, int], Rows] = lambda rows, _: exact_rows(rows),
        context: Context = SILENT,
    ) -> "Question":
        """Read the data and make the rows z; refuses bad columns.

        `read` finds the exact values of rows, whose first column is the k-th of all columns of numbers.
        """
        chosen = regression_of(model, given.arguments())
        columns = chosen.read(given)
        context.phase("reading the rows", given.n)
        named = [name for name, array in columns.arrays.items() if array.dtype.kind == "f"]
        numbers = {name: number_column(given.columns[name], name) for name in named}
        _refuse_collapsed(numbers)
        numbers = {name: read(one, given.rows.p + k) for k, (name, one) in enumerate(numbers.items())}
        rows = read(given.rows, 0)
        return cls(chosen, given, columns, rows, numbers, Sides(chosen.rows(Values.of(rows), columns), context))

    @property
    def bias(self) -> bool:
        """Whether the model has an intercept of its own."""
        return self.columns.bias

    @property
    def readings(self) -> list[Reading]:
        """How all columns of numbers are read: those of X, then the model's."""
        return [one for rows in (self.rows, *self.numbers.values()) if rows.exact for one in rows.exact.readings]

    def digest(self, layout: str, version: int = 3) -> str:
        """The hash of X and of every column that the model uses."""
        columns = list[Any]()
        for name, array in self.columns.arrays.items():
            columns += [self.numbers[name]] if name in self.numbers else list(array.T) if name in SEVERAL else [array]
        return digest_of_columns(self.rows if version > 2 else self.given.rows, columns, layout, version)

    def named(self, rows: Places) -> Places:
        """The caller's numbers of these rows, counted with the rows of weight 0."""
        return rows if self.given.places is None else np.asarray(self.given.places[rows])


def _refuse_collapsed(numbers: dict[str, Rows]) -> None:
    """Refuse columns with numbers that floats do not hold, where that could change a comparison.

    Times are only compared, so floats will do where different times have different floats.
    """
    long = {name: rows for name, rows in numbers.items() if rows.origin.written is not None}
    for name, rows in long.items():
        written = rows.origin.column(0)
        assert written is not None
        if name not in ("time", "entry"):
            raise _too_long(name, written, int(np.argmax(np.abs(written.floats()))))
        seen: dict[float, tuple[int, int, int]] = {}
        for i, (x, parts) in enumerate(zip(written.floats().tolist(), zip(*written, strict=True), strict=True)):
            if seen.setdefault(x, parts) != parts:
                raise _too_long(name, written, i)


def _too_long(name: str, written: Written, row: int) -> BadValue:
    return BadValue(
        name, written.texts()[row].removesuffix("e0"), row, "float64 does not tell it from others: round it"
    )
