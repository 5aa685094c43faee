"""A square system of whole numbers, written out, that can be solved exactly by lifting."""

from math import isqrt, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import nmod_mat

from rosenblatt.exact.lifting import Digits
from rosenblatt.exact.sums import whole_limbs

__all__ = ["DenseSystem"]


class DenseSystem:
    """Rows of whole numbers and their inverse modulo a prime; ZeroDivisionError where they are dependent.

    Limbs and digits are so short that float64 multiplies and adds them without rounding: a step of lifting is two
    products of a matrix and a vector.
    """

    def __init__(self, rows: list[list[int]]) -> None:
        self.n, self._rows = len(rows), rows
        self.bits = (53 - self.n.bit_length()) // 2
        self.prime, self._inverse = _inverse(rows, self.bits)
        limbs = whole_limbs([v for row in rows for v in row], self.bits)[::-1]  # the lowest first
        self.count = len(limbs)
        self._limbs = limbs.reshape(-1, self.n)

    def solve(self, residues: Digits) -> Digits:
        """x with A·x = residues, modulo the prime."""
        return np.asarray((self._inverse @ residues.astype(np.float64)).astype(np.int64) % self.prime)

    def times(self, x: Digits) -> Digits:
        """The limbs of A, the lowest first, times x."""
        return np.asarray((self._limbs @ x.astype(np.float64)).astype(np.int64).reshape(self.count, self.n))

    def longest(self, target: list[int]) -> tuple[float, float]:
        """Bits of the solution's numbers as floats see them, which may be too few; and at most (Hadamard 1893)."""
        columns = [*zip(*self._rows, strict=True), target]
        sizes = [max(1, *(abs(v).bit_length() for v in column)) for column in columns]
        bound = sum(sizes) + (self.n + 1) * 0.5 * log2(self.n)
        A = sum(
            np.ldexp(limb.reshape(self.n, self.n), k * self.bits - np.array(sizes[:-1]))
            for k, limb in enumerate(self._limbs.reshape(self.count, -1))
        )
        right = sum(
            np.ldexp(limb, k * self.bits - sizes[-1]) for k, limb in enumerate(whole_limbs(target, self.bits)[::-1])
        )
        return min(bound, _expected(A, right, sizes)), bound

    def holds(self, x: list[int], denominator: int, target: list[int]) -> bool:
        """Whether it is a solution, modulo another prime: who uses it checks what follows from it exactly."""
        q, n = (1 << 61) - 1, self.n
        A = nmod_mat(n, n, [v % q for row in self._rows for v in row], q)
        right = nmod_mat(n, 1, [denominator * t % q for t in target], q)
        return bool(A * nmod_mat(n, 1, [v % q for v in x], q) == right)


def _inverse(rows: list[list[int]], bits: int) -> tuple[int, npt.NDArray[np.float64]]:
    """A prime below 2^bits and the inverse modulo it."""
    n, singular = len(rows), 0
    for p in range((1 << bits) - 1, 2, -2):
        if any(p % q == 0 for q in range(3, isqrt(p) + 1, 2)):
            continue
        try:
            found: Any = nmod_mat(n, n, [v % p for row in rows for v in row], p).inv()
        except ZeroDivisionError:
            singular += 1
            if singular == 4:
                raise
            continue
        return p, np.array([int(v) for v in found.entries()], dtype=np.float64).reshape(n, n)
    raise ZeroDivisionError("no prime left")


def _expected(A: npt.NDArray[np.float64], target: npt.NDArray[np.float64], sizes: list[int]) -> float:
    """Bits of the solution's fractions, as floats see them, for columns divided by 2^sizes; more may be needed."""
    logarithm = float(np.linalg.slogdet(A)[1]) / np.log(2)
    if not np.isfinite(logarithm):
        return float("inf")
    x = np.linalg.solve(A, target)
    largest = float(np.max(np.log2(np.maximum(np.abs(x), 1e-300)) + sizes[-1] - np.array(sizes[:-1])))
    return float(max(8.0, logarithm + sum(sizes[:-1]) + max(0.0, largest)))
