"""A square system of whole numbers, stored densely, that can be solved exactly by lifting."""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from math import isqrt, log2

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.exact.elimination import echelon
from rosenblatt.exact.lifting import Digits
from rosenblatt.exact.limbs import whole_limbs

__all__ = ["DenseSystem"]

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
            not np.any((rows @ _modulo(x, q) - denominator % q * _modulo(target, q)) % q) for q, rows in self._witnesses
        )

    @cached_property
    def _witnesses(self) -> list[tuple[int, Floats]]:
        """Other primes, and the rows modulo each."""
        return [(q, self._modulo(q)) for q in islice(_primes_below(self.prime), _WITNESSES)]


def _modulo(values: list[int], prime: int) -> Floats:
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
