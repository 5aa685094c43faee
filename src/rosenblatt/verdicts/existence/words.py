"""What a verdict says about a model: whether its estimate exists, in a statistician's words."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rosenblatt.arrays import Integers, Places
from rosenblatt.regressions import Regression
from rosenblatt.regressions.machinery.rows import ModelRows

__all__ = ["Model"]

_NONE = "There is no maximum-likelihood estimate: "
_EXISTS = "The maximum-likelihood estimate exists: no row can be predicted with certainty."
_SILENT = "Nothing is identified: no comparison of these rows depends on a coefficient, so the likelihood is constant."
_LAST = "; drop them and the others have a finite estimate."


@dataclass(frozen=True)
class Model:
    """The model of a verdict, and which of its comparisons are decided with certainty."""

    regression: Regression
    weights: tuple[str, ...]  # names, in the order of the certificate's w
    comparisons: int  # how many there are
    pairs: Integers  # the strict comparisons (row, class), where a row has several
    against: tuple[str, ...] = ()  # names of what a row is compared with; empty where that is another row
    notes: tuple[str, ...] = ()  # what else a reader should know
    silent: bool = False  # whether the likelihood is constant: the data say nothing about any coefficient
    rows: ModelRows | None = field(default=None, repr=False, compare=False)  # z
    plane: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False)  # z·w = 0

    @property
    def name(self) -> str:
        """The name of the regression."""
        return self.regression.name

    @property
    def compared(self) -> str:
        """What a row is compared with ("class"), where it has several comparisons."""
        return self.regression.words.compared

    @cached_property
    def collinear(self) -> list[dict[str, int]]:
        """Relations Σ factor·column = 0 between the columns, by their weights' names, on the rows of the plane.

        They hold once the separated rows are dropped. They are exact, and computed when they are first read.
        """
        from rosenblatt.verdicts.existence.proving import relations

        return [] if self.rows is None else relations(self.rows, self.plane)

    def sentence(self, kind: str, strict: int, n: int) -> str:
        """The answer in one sentence; `strict` of n rows are separated."""
        if kind == "overlap":
            return _SILENT if self.silent else _EXISTS
        if self.compared:
            every = "every" if kind == "complete" else f"{len(self.pairs):,} of {self.comparisons:,}"
            are = "comparison (row, {0}) is" if kind == "complete" else "comparisons (row, {0}) are"
            return f"{_NONE}{every} {are.format(self.compared)} decided with certainty."
        if kind == "complete":
            return _NONE + self.regression.words.every
        return f"{_NONE}{strict:,} of {n:,} rows {self.regression.words.certain}{_LAST}"
