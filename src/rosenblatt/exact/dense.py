"""A square system of whole numbers, stored densely, that can be solved exactly by lifting; elimination modulo a prime.

Elimination goes by products of blocks. Residues are so short that float64 multiplies and adds them without rounding;
`between` looks at the clock between blocks.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from math import isqrt, log2
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.exact.dyadic import whole_limbs
from rosenblatt.exact.lifting import Digits

__all__ = ["PRIMES", "DenseSystem", "Echelon", "echelon", "whole_residues"]

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
    return _to_residues(out, prime)


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
        return _row_by_row(table, prime)
    half = len(table) // 2
    upper, lower = table[:half], table[half:]
    first = _eliminate(upper, prime, between)
    _clear(lower, upper, first, prime)
    second = _eliminate(lower, prime, between)
    _clear(upper, lower, second, prime)
    return first + [(half + i, j) for i, j in second]


def _row_by_row(block: Residues, prime: int) -> list[tuple[int, int]]:
    """Eliminate few rows in place, one after the other. Returns independent rows with their pivots."""
    found = []
    for i, row in enumerate(block):
        j = int(np.argmax(row != 0))
        if row[j] == 0:
            continue
        row *= pow(int(row[j]), -1, prime)
        _to_residues(row, prime)
        factors = block[:, j].copy()
        factors[i] = 0.0
        block -= np.outer(factors, row)
        _to_residues(block, prime)
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
        _to_residues(table, prime)


def _to_residues(A: Residues, prime: int) -> Residues:
    """In place, to the residues nearest to zero."""
    A -= prime * np.rint(A * (1.0 / prime))
    return A


_TRIALS = 4  # primes to try before the rows are taken for dependent
_WITNESSES = 3  # other primes for which a solution must hold


class DenseSystem:
    """Rows of whole numbers and their inverse modulo a prime. Raises ZeroDivisionError where the rows are dependent.

    Limbs and digits are so short that float64 multiplies and adds them without rounding: a step of lifting is two
    products of a matrix and a vector.
    """

    def __init__(self, rows: list[list[int]], between: Callable[[], None]) -> None:
        self.n = len(rows)
        self.bits = (53 - self.n.bit_length()) // 2
        limbs = whole_limbs([v for row in rows for v in row], self.bits)[::-1]  # the lowest first
        self.count = len(limbs)
        self._limbs = limbs.reshape(-1, self.n)
        self.prime, self._inverse = self._inverted(between)

    def _modulo(self, prime: int) -> Floats:
        """The rows modulo a prime that is not longer than a limb."""
        out = np.zeros((self.n, self.n))
        for limb in self._limbs.reshape(self.count, self.n, self.n)[::-1]:
            out = np.fmod(out * (1 << self.bits) + limb, prime)
        return np.asarray(out - prime * np.rint(out / prime))

    def _inverted(self, between: Callable[[], None]) -> tuple[int, Floats]:
        """A prime below 2^bits and the inverse modulo it."""
        for prime in islice(_primes_below(1 << self.bits), _TRIALS):
            between()
            found = echelon(np.hstack([self._modulo(prime), np.eye(self.n)]), prime, between)
            if max(found.pivots) < self.n:
                inverse = np.empty((self.n, self.n))
                inverse[found.pivots] = found.table[:, self.n :]
                return prime, inverse
        raise ZeroDivisionError("dependent rows")

    def solve(self, residues: Digits) -> Digits:
        """x with A·x = residues, modulo the prime."""
        return np.asarray((self._inverse @ residues.astype(np.float64)).astype(np.int64) % self.prime)

    def times(self, x: Digits) -> Digits:
        """The limbs of A, the lowest first, times x."""
        return np.asarray((self._limbs @ x.astype(np.float64)).astype(np.int64).reshape(self.count, *x.shape))

    def longest(self, target: list[int]) -> tuple[float, float]:
        """Bits of the solution's numbers: a float estimate, perhaps too low, and an upper bound (Hadamard 1893)."""
        sizes = [*self._column_sizes(), max(1, *(abs(t).bit_length() for t in target))]
        bound = sum(sizes) + (self.n + 1) * 0.5 * log2(self.n)
        A = sum(
            np.ldexp(limb.reshape(self.n, self.n), k * self.bits - np.array(sizes[:-1]))
            for k, limb in enumerate(self._limbs.reshape(self.count, -1))
        )
        right = sum(
            np.ldexp(limb, k * self.bits - sizes[-1]) for k, limb in enumerate(whole_limbs(target, self.bits)[::-1])
        )
        return min(bound, _expected(A, right, sizes)), bound

    def _column_sizes(self) -> list[int]:
        """Bits of each column's longest number."""
        largest = np.abs(self._limbs).reshape(self.count, self.n, self.n).max(axis=1)
        places = self.bits * np.arange(self.count)[:, None]
        sizes = np.where(largest > 0, np.frexp(largest)[1] + places, 1).max(axis=0)
        return [int(size) for size in sizes]

    def holds(self, x: list[int], denominator: int, target: list[int]) -> bool:
        """Whether x solves the system modulo other primes; a proof that uses x is checked exactly later."""
        return all(
            not np.any((rows @ _residues_of(x, q) - denominator % q * _residues_of(target, q)) % q)
            for q, rows in self._witnesses
        )

    @cached_property
    def _witnesses(self) -> list[tuple[int, Floats]]:
        """Other primes, and the rows modulo each."""
        return [(q, self._modulo(q)) for q in islice(_primes_below(self.prime), _WITNESSES)]


def _residues_of(values: list[int], prime: int) -> Floats:
    return np.array([v % prime for v in values], dtype=np.float64)


def _primes_below(end: int) -> Iterator[int]:
    """Odd primes, the largest first."""
    for p in range(end - 1 - end % 2, 2, -2):
        if all(p % q for q in range(3, isqrt(p) + 1, 2)):
            yield p


def _expected(A: Floats, target: Floats, sizes: list[int]) -> float:
    """A float estimate of the bits of the solution's fractions, for columns divided by 2^sizes; it may be too low."""
    logarithm = float(np.linalg.slogdet(A)[1]) / np.log(2)
    if not np.isfinite(logarithm):
        return float("inf")
    x = np.linalg.solve(A, target)
    largest = float(np.max(np.log2(np.maximum(np.abs(x), 1e-300)) + sizes[-1] - np.array(sizes[:-1])))
    return float(max(8.0, logarithm + sum(sizes[:-1]) + max(0.0, largest)))
