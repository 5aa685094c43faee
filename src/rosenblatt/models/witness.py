"""Proof that no hyperplane separates strictly: a mixture of examples that adds up to nothing."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Witness"]


class Witness(NamedTuple):
    """Positive integers λ on rows with Σ λ_i z_i = 0, z = y·(x, 1): every w has w·z_i ≤ 0 for one of them (Gordan)."""

    rows: npt.NDArray[np.int64]
    multipliers: tuple[int, ...]

    @classmethod
    def of(cls, rows: npt.NDArray[np.int64], multipliers: Sequence[int | Fraction]) -> "Witness":
        """The same proportions in whole numbers without a common divisor.

        >>> Witness.of(np.array([3, 5]), [Fraction(1, 2), 3]).multipliers
        (1, 6)
        """
        under = lcm(*(m.denominator for m in multipliers))
        whole = [int(m * under) for m in multipliers]
        common = gcd(*whole)
        return cls(rows, tuple(m // common for m in whole))

    def to_json(self) -> tuple[list[int], list[str]]:
        """Rows, and multipliers in hexadecimal: they may be longer than JSON's readers expect of a number."""
        return self.rows.tolist(), [hex(m) for m in self.multipliers]

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str]) -> "Witness":
        """The witness that `to_json` wrote."""
        return cls(np.array(rows, dtype=np.int64), tuple(int(m, 16) for m in multipliers))
