"""Elimination of dense rows modulo a prime, by products of blocks; `between` looks at the clock between blocks.

Residues are so short that float64 multiplies and adds them without rounding.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats

__all__ = ["PRIMES", "Echelon", "echelon", "whole_residues"]

PRIMES = (2097143, 2097133)  # the largest below 2^21
_LONGEST_SUM = 1 << 12  # so many products of residues add up to less than 2^53
_FEW = 16  # rows up to which elimination goes row by row
_LOOK = 64  # rows between two looks at the clock

Residues = Floats  # whole numbers from −prime/2 to prime/2


class Echelon(NamedTuple):
    """`rows` that are independent, the first ones preferred, and a `pivot` for each.

    `table` has combinations of these rows: the k-th has 1 in the column of the k-th pivot, the others have 0 there.
    As a set, the pivots are the first columns that are independent.
    """

    rows: list[int]
    pivots: list[int]
    table: Residues


def whole_residues(rows: list[list[int]], prime: int, between: Callable[[], None]) -> Residues:
    """Whole numbers of any length modulo a prime."""
    out = np.empty((len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        if i % _LOOK == 0:
            between()
        out[i] = [v % prime for v in row]
    return _modulo(out, prime)


def echelon(A: Residues, prime: int, between: Callable[[], None]) -> Echelon:
    """Gauss and Jordan's elimination of A's rows; `between` is called every now and then, and may raise.

    The prime must be so short that n·prime², for n rows (or 2^12, where there are more), is below 2^54.
    """
    table = A.copy()
    found = _eliminate(table, prime, between)
    rows, pivots = [i for i, _ in found], [j for _, j in found]
    return Echelon(rows, pivots, table[rows])


def _eliminate(table: Residues, prime: int, between: Callable[[], None]) -> list[tuple[int, int]]:
    """Eliminate in place, first one half of the rows, then the other. Returns independent rows with their pivots."""
    between()
    if len(table) <= _FEW:
        return _one_by_one(table, prime)
    half = len(table) // 2
    upper, lower = table[:half], table[half:]
    first = _eliminate(upper, prime, between)
    _clear(lower, upper, first, prime)
    second = _eliminate(lower, prime, between)
    _clear(upper, lower, second, prime)
    return first + [(half + i, j) for i, j in second]


def _one_by_one(block: Residues, prime: int) -> list[tuple[int, int]]:
    """Eliminate few rows in place, one after the other. Returns independent rows with their pivots."""
    found = []
    for i, row in enumerate(block):
        j = int(np.argmax(row != 0))
        if row[j] == 0:
            continue
        row *= pow(int(row[j]), -1, prime)
        _modulo(row, prime)
        factors = block[:, j].copy()
        factors[i] = 0.0
        block -= np.outer(factors, row)
        _modulo(block, prime)
        found.append((i, j))
    return found


def _clear(table: Residues, others: Residues, found: list[tuple[int, int]], prime: int) -> None:
    """Make the table zero in the columns of the pivots found in other rows, in place."""
    if not found:
        return
    rows, columns = [i for i, _ in found], [j for _, j in found]
    factors, chosen = table[:, columns], others[rows]
    for first in range(0, len(found), _LONGEST_SUM):
        part = slice(first, first + _LONGEST_SUM)
        table -= factors[:, part] @ chosen[part]
        _modulo(table, prime)


def _modulo(A: Residues, prime: int) -> Residues:
    """In place, to the residues nearest to zero."""
    A -= prime * np.rint(A * (1.0 / prime))
    return A
