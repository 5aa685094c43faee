"""Proof that no hyperplane separates strictly: positive multiples of examples that add up to zero."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Integers

__all__ = ["JointWitness", "Witness", "read_witness"]


class Witness(NamedTuple):
    """Positive integers λ on rows with Σ λ_i z_i = 0, z = y·(x, 1): every w has w·z_i ≤ 0 for one of them (Gordan)."""

    rows: Integers
    multipliers: tuple[int, ...]

    @classmethod
    def of(cls, rows: Integers, multipliers: Sequence[int | Fraction]) -> "Witness":
        """The witness with the same proportions in whole numbers without a common divisor.

        >>> Witness.of(np.array([3, 5]), [Fraction(1, 2), 3]).multipliers
        (1, 6)
        """
        under = lcm(*(m.denominator for m in multipliers))
        whole = [int(m * under) for m in multipliers]
        common = gcd(*whole)
        return cls(rows, tuple(m // common for m in whole))

    def may_prove(self, n: int) -> bool:
        """Whether its rows and multipliers are possible for n rows; it may come from a damaged file."""
        inside = bool(self.rows.size) and self.rows.min() >= 0 and self.rows.max() < n
        return inside and len(self.multipliers) == len(self.rows) and min(self.multipliers) > 0

    def to_json(self) -> tuple[list[int], list[str]]:
        """Rows, and multipliers in hexadecimal, because they may be too long for a number in JSON."""
        return self.rows.tolist(), [hex(m) for m in self.multipliers]

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str]) -> "Witness":
        """The witness that `to_json` wrote."""
        return cls(np.array(rows, dtype=np.int64), tuple(int(m, 16) for m in multipliers))


class JointWitness(NamedTuple):
    """The same for K classes that learn together, on pairs of a row and a wrong class.

    z has (x, 1) in the place of the row's own class and −(x, 1) in the place of the class in `rivals`.
    """

    rows: Integers
    rivals: Integers  # numbers of classes, as in `classes_`
    multipliers: tuple[int, ...]

    def may_prove(self, n: int) -> bool:
        """Whether its rows, rivals and multipliers are possible for n rows."""
        return Witness(self.rows, self.multipliers).may_prove(n) and self.rivals.shape == self.rows.shape

    def to_json(self) -> tuple[list[int], list[str], list[int]]:
        """Rows, multipliers in hexadecimal, and rivals."""
        return (*Witness(self.rows, self.multipliers).to_json(), self.rivals.tolist())

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str], rivals: list[int]) -> "JointWitness":
        """The witness that `to_json` wrote."""
        plain = Witness.from_json(rows, multipliers)
        return cls(plain.rows, np.array(rivals, dtype=np.int64), plain.multipliers)


def read_witness(written: Sequence[Any]) -> Witness | JointWitness:
    """The witness that one of the two `to_json` wrote."""
    return Witness.from_json(*written) if len(written) == 2 else JointWitness.from_json(*written)
