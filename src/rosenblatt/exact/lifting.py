"""Exact solutions of large linear systems, in steps that can be interrupted (Dixon 1982).

Modulo a prime p the system is solved once and for all. Each step finds one more p-adic digit of the solution
x = x0 + x1·p + …, and what is left, (target − A·x0)/p, is again a vector of whole numbers. Numbers are cut so short
that the processor's own arithmetic multiplies and adds them without rounding. Enough digits give the fractions.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from math import ceil, log2
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Integers
from rosenblatt.exact.dyadic import carry, whole_limbs
from rosenblatt.exact.modular import denominator_of
from rosenblatt.later import flint

__all__ = ["Digits", "System", "lift", "lift_all", "nothing"]

_SLACK = 64  # bits more than the numbers should need: a wrong number shows itself by being longer

Digits = Integers


class System(Protocol):
    """A square matrix A of whole numbers, cut into `count` limbs of `bits` bits, and a `prime` it is invertible for."""

    n: int
    prime: int
    bits: int
    count: int

    def solve(self, residues: Digits) -> Digits:
        """x with A·x = residues, modulo the prime."""

    def times(self, x: Digits) -> Digits:
        """The limbs of A, the lowest first, times x, which is below the prime."""

    def longest(self, target: list[int]) -> tuple[float, float]:
        """How many bits the numbers of a solution should have, and how many they have at most."""

    def holds(self, x: list[int], denominator: int, target: list[int]) -> bool:
        """Whether A·x = denominator·target, at least modulo a prime other than the system's."""


def nothing() -> None:
    """The default of `between`: never give up."""


def lift(system: System, target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
    """Whole x and a denominator > 0 with A·x = denominator · target.

    `between` is called before every step; it may raise to give up.
    """
    p, digits = system.prime, list[Digits]()
    wanted, most = (ceil((2 * size + 80) / log2(p)) for size in system.longest(target))
    for x in _digits(system, np.array(target, dtype=object), between):
        digits.append(x)
        if len(digits) >= wanted:
            found = _fractions(digits, p, between)
            if found is not None and system.holds(*found, target):
                return found
            if wanted >= most:
                raise ArithmeticError("a system of whole numbers has no solution of the size that it must have")
            wanted = min(most, wanted + wanted // 3 + 1)
    raise AssertionError("digits never end")


def lift_all(
    system: System, targets: list[list[int]], denominator: int, between: Callable[[], None]
) -> list[list[int] | None]:
    """For each target whole x with A·x = denominator · target, or None.

    None: this denominator is not enough, or x is longer than the denominator, the targets and 64 bits together. A step
    is a product of two matrices, and half the digits are enough, as no denominator is sought.
    """
    p, rows = system.prime, np.array(targets, dtype=object)
    longest = denominator.bit_length() + max(v.bit_length() for v in rows.ravel()) + _SLACK
    digits = list(islice(_digits(system, rows.T, between), ceil((longest + _SLACK) / log2(p))))
    whole, times = flint.fmpz(p ** len(digits)), flint.fmpz(denominator)
    values = [v * times % whole for v in _assembled([x.ravel() for x in digits], p, between)]
    found = [int(v - whole if 2 * v > whole else v) for v in values]
    each = [found[k :: len(targets)] for k in range(len(targets))]
    fitting = [all(v.bit_length() <= longest for v in x) for x in each]
    return [
        x if fits and system.holds(x, denominator, target) else None
        for x, fits, target in zip(each, fitting, targets, strict=True)
    ]


def _digits(system: System, target: npt.NDArray[np.object_], between: Callable[[], None]) -> Iterator[Digits]:
    """The digits of the solution, one after the other; the target is a vector, or has one in each column."""
    bits, p, count = system.bits, system.prime, system.count
    cut = whole_limbs(target.ravel().tolist(), bits)[::-1]
    rest = np.zeros((max(count, len(cut)) + 2, *target.shape), dtype=np.int64)  # base 2^bits, the lowest first
    rest[: len(cut)] = cut.astype(np.int64).reshape(len(cut), *target.shape)
    while True:
        between()
        x = system.solve(_limbs_modulo(rest, bits, p))
        yield x
        rest[:count] -= system.times(x)
        carry(rest[::-1], bits)
        _divide(rest, bits, p)


def _limbs_modulo(rest: Digits, bits: int, p: int) -> Digits:
    out = np.zeros(rest.shape[1:], dtype=np.int64)
    for limb in rest[::-1]:
        out = ((out << bits) + limb) % p
    return out


def _divide(rest: Digits, bits: int, p: int) -> None:
    """Exact division by p, from the highest limb, which has the sign."""
    over = np.zeros(rest.shape[1:], dtype=np.int64)
    for k in range(len(rest) - 1, -1, -1):
        value = (over << bits) + rest[k]
        rest[k] = value // p
        over = value - rest[k] * p


def _fractions(digits: list[Digits], p: int, between: Callable[[], None]) -> tuple[list[int], int] | None:
    """(numerators, denominator) of the fractions with these digits and one small denominator; None: there are none."""
    modulus = p ** len(digits)
    whole, size = flint.fmpz(modulus), modulus.bit_length() // 2
    denominator, found = flint.fmpz(1), list[Any]()
    for v in _assembled(digits, p, between):
        value = v * denominator % whole
        if min(value, whole - value).bit_length() > size - 16:  # not whole yet: a factor is missing
            between()
            denominator *= denominator_of(int(value), modulus, 1 + (1 << size))
            if denominator.bit_length() > size:
                return None
            value = v * denominator % whole
        found.append((value if 2 * value < whole else value - whole, denominator))
    return [int(value * (denominator // before)) for value, before in found], int(denominator)


def _assembled(digits: list[Digits], p: int, between: Callable[[], None]) -> list[Any]:
    """The numbers with these digits."""
    n, nothing = len(digits[0]), np.zeros_like(digits[0])
    pairs = [low + high * p for low, high in zip(digits[::2], [*digits[1::2], nothing], strict=False)]  # far below 2^63
    parts, power = [flint.fmpz_mat(n, 1, x.tolist()) for x in pairs], p * p
    while len(parts) > 1:
        between()
        neighbours = zip(parts[::2], [*parts[1::2], flint.fmpz_mat(n, 1)], strict=False)
        parts, power = [low + high * power for low, high in neighbours], power * power
    return list(parts[0].entries())
