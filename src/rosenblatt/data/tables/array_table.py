"""Tables of rows that somebody has: arrays of a caller, or labels alone where the rows are on other machines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.tables.encoding import Column, Encoding
from rosenblatt.data.tables.table import Block, Table

__all__ = ["ArrayTable", "Elsewhere"]


@dataclass(frozen=True)
class Elsewhere:
    """Stands for an X that is on other machines alone."""

    shape: tuple[int, int]


class ArrayTable(Table):
    """Rows in memory, with labels −1/+1 or class numbers; the columns may have an encoding."""

    def __init__(
        self,
        X: Any,
        y: npt.NDArray[Any] | None = None,
        weights: Floats | None = None,
        *,
        name: str = "the table",
        encoding: Encoding | None = None,
        numbers: Integers | None = None,
    ) -> None:
        n, p = X.shape
        self.name, self._n = name, n
        self._encoding = encoding or Encoding(tuple(Column(f"x{j}") for j in range(p)))
        self._arrays = X, y, weights
        self._numbers = np.arange(1, n + 1) if numbers is None else numbers

    @property
    def encoding(self) -> Encoding:
        """How the rows were read."""
        return self._encoding

    @property
    def estimated_rows(self) -> int:
        """The exact number."""
        return self.n

    def _blocks(self) -> Iterator[Block]:
        X, y, weights = self.arrays()
        yield Block(X, y, weights, self.row_numbers)
