"""Exact linear algebra on integers, by FLINT: null spaces, ranks, combinations."""

from fractions import Fraction
from math import gcd
from typing import Any

from flint import fmpz_mat

__all__ = ["express", "null_space", "primitive", "rank"]


def primitive(vector: list[int]) -> list[int]:
    """The shortest whole-numbered vector along this one."""
    common = gcd(*vector)
    return [v // common for v in vector] if common > 1 else list(vector)


def rank(rows: list[list[int]]) -> int:
    """The number of independent rows."""
    return int(fmpz_mat(rows).rank()) if rows else 0


def null_space(rows: list[list[int]], d: int) -> list[list[int]]:
    """Independent whole-numbered v with row · v = 0 for every row, as many as there are."""
    if not rows:
        return [[int(j == k) for j in range(d)] for k in range(d)]
    basis, nullity = fmpz_mat(rows).nullspace()
    return [primitive([int(basis[j, k]) for j in range(d)]) for k in range(nullity)]


def express(target: list[int], rows: list[list[int]]) -> list[Fraction] | None:
    """Factors ν with target = Σ ν_i rows_i, or None where there are none."""
    matrix: Any = fmpz_mat([[*column, t] for column, t in zip(zip(*rows, strict=True), target, strict=True)])
    reduced, denominator, r = matrix.rref()
    factors = [Fraction(0)] * len(rows)
    for i in range(r):
        pivot = next(j for j in range(len(rows) + 1) if reduced[i, j] != 0)
        if pivot == len(rows):
            return None
        factors[pivot] = Fraction(int(reduced[i, len(rows)]), int(denominator))
    return factors
