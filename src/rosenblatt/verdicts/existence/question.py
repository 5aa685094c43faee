"""A question about a model: its data, read and made rows z. `existence` answers it, `verify` checks an answer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.data.rows import Rows
from rosenblatt.verdicts.clock import SILENT, PhaseReporter
from rosenblatt.verdicts.decimals import Powers, powers_of
from rosenblatt.verdicts.existence.given import SEVERAL, Given, ModelColumns
from rosenblatt.verdicts.existence.models import Family, family
from rosenblatt.verdicts.existence.proving import Sides
from rosenblatt.verdicts.existence.rows import Values
from rosenblatt.verdicts.holding import digest_of_columns

__all__ = ["Question"]


@dataclass(frozen=True)
class Question:
    """`powers` are the powers of ten of X's decimals; None means that the values are the floats."""

    model: str
    family: Family
    given: Given
    columns: ModelColumns
    powers: Powers | None
    sides: Sides

    @classmethod
    def of(
        cls, model: str, given: Given, read: Callable[[Rows], Powers | None] = powers_of, phases: PhaseReporter = SILENT
    ) -> "Question":
        """Read the data and make the rows z; refuses bad columns. `read` finds the powers of X's decimals."""
        chosen = family(model, given.arguments())
        columns = chosen.read(given)
        phases.phase("reading the rows")
        powers = read(given.rows)
        rows = chosen.rows(Values.of(given.matrix(), powers), columns)
        return cls(model, chosen, given, columns, powers, Sides(rows, phases))

    def digest(self, layout: str) -> str:
        """The hash of X and of every column that the model uses."""
        arrays = self.columns.arrays.items()
        columns = (one for name, array in arrays for one in (array.T if name in SEVERAL else [array]))
        return digest_of_columns(self.given.rows, columns, layout)

    def named(self, rows: Places) -> Places:
        """The caller's numbers of these rows, counted with the rows of weight 0."""
        return rows if self.given.places is None else np.asarray(self.given.places[rows])
