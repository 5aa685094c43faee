"""One question about a model: what was given, read and made rows. `existence` answers it, `verify` checks an answer."""

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
    """`powers` are those of X's decimals, None: its values are the floats."""

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
        """Refuses bad columns in a sentence. `read` tells the powers of X's decimals."""
        chosen = family(model, given.told())
        columns = chosen.read(given)
        phases.phase("reading the rows")
        powers = read(given.rows)
        rows = chosen.rows(Values.of(given.matrix(), powers), columns)
        return cls(model, chosen, given, columns, powers, Sides(rows, phases))

    def digest(self, layout: str) -> str:
        """What the data hash to."""
        arrays = self.columns.arrays.items()
        columns = (one for name, some in arrays for one in (some.T if name in SEVERAL else [some]))
        return digest_of_columns(self.given.rows, columns, layout)

    def named(self, rows: Places) -> Places:
        """The caller's numbers of rows."""
        return rows if self.given.places is None else np.asarray(self.given.places[rows])
