"""Exact solutions of large linear systems, in steps that can be interrupted (Dixon 1982).

Modulo a prime p the inverse is known once. Each step finds one more p-adic digit of the solution x = x0 + x1·p + …, and
what is left, (target − A·x0)/p, is again a vector of whole numbers. Numbers are cut so short that float64 multiplies
and adds them without rounding: a step is two products of a matrix and a vector. Enough digits give the fractions.
"""

from collections.abc import Callable
from math import ceil, isqrt, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpz, fmpz_mat, nmod_mat

from rosenblatt.exact.sums import whole_limbs

__all__ = ["lift"]

Digits = npt.NDArray[np.int64]


def lift(rows: list[list[int]], target: list[int], between: Callable[[], None]) -> tuple[list[int], int]:
    """Whole x and a denominator > 0 with rows · x = denominator · target; ZeroDivisionError where rows are dependent.

    `between` is called before every step; it may raise to give up.
    """
    n = len(rows)
    bits = (53 - n.bit_length()) // 2
    p, inverse = _inverse(rows, bits)
    A = whole_limbs([v for row in rows for v in row], bits)[::-1].reshape(-1, n)  # the lowest limb first
    count, cut = len(A) // n, whole_limbs(target, bits)[::-1]
    rest = np.zeros((max(count, len(cut)) + 2, n), dtype=np.int64)  # base 2^bits, the lowest first
    rest[: len(cut)] = cut.astype(np.int64)
    digits: list[Digits] = []
    sizes = [max(1, *(abs(v).bit_length() for v in column)) for column in [*zip(*rows, strict=True), target]]
    bound = sum(sizes) + (n + 1) * 0.5 * log2(n)  # no determinant of these columns has more bits (Hadamard)
    floats = sum(
        np.ldexp(limb.reshape(n, n), k * bits - np.array(sizes[:-1])) for k, limb in enumerate(A.reshape(count, -1))
    )
    right = sum(np.ldexp(limb, k * bits - sizes[-1]) for k, limb in enumerate(cut))
    most, wanted = (ceil((2 * size + 80) / log2(p)) for size in (bound, min(bound, _expected(floats, right, sizes))))
    while True:
        between()
        x = (inverse @ _modulo(rest, bits, p).astype(np.float64)).astype(np.int64) % p
        digits.append(x)
        rest[:count] -= (A @ x.astype(np.float64)).astype(np.int64).reshape(count, n)
        _carry(rest, bits)
        _divide(rest, bits, p)
        if len(digits) >= wanted:
            found = _fractions(digits, p, between)
            if found is not None and _holds(rows, target, *found):
                return found
            if wanted >= most:
                raise ArithmeticError("a system of whole numbers has no solution of the size that it must have")
            wanted = min(most, wanted + wanted // 3 + 1)


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


def _modulo(rest: Digits, bits: int, p: int) -> Digits:
    out = np.zeros(rest.shape[1], dtype=np.int64)
    for limb in rest[::-1]:
        out = ((out << bits) + limb) % p
    return out


def _carry(rest: Digits, bits: int) -> None:
    for k in range(len(rest) - 1):
        rest[k + 1] += rest[k] >> bits
        rest[k] &= (1 << bits) - 1


def _divide(rest: Digits, bits: int, p: int) -> None:
    """Exact division by p, from the highest limb, which has the sign."""
    over = np.zeros(rest.shape[1], dtype=np.int64)
    for k in range(len(rest) - 1, -1, -1):
        value = (over << bits) + rest[k]
        rest[k] = value // p
        over = value - rest[k] * p


def _fractions(digits: list[Digits], p: int, between: Callable[[], None]) -> tuple[list[int], int] | None:
    """The fractions with one small denominator that have these digits, where there are any."""
    n, modulus, nothing = len(digits[0]), p ** len(digits), np.zeros_like(digits[0])
    pairs = [low + high * p for low, high in zip(digits[::2], [*digits[1::2], nothing], strict=False)]  # far below 2^63
    parts, power = [fmpz_mat(n, 1, x.tolist()) for x in pairs], p * p
    while len(parts) > 1:
        between()
        neighbours = zip(parts[::2], [*parts[1::2], fmpz_mat(n, 1)], strict=False)
        parts, power = [low + high * power for low, high in neighbours], power * power
    whole, size = fmpz(modulus), modulus.bit_length() // 2
    denominator, x = fmpz(1), list[Any]()
    for v in parts[0].entries():
        value = v * denominator % whole
        if min(value, whole - value).bit_length() > size - 16:  # not whole yet: a factor is missing
            factor = _denominator(int(value), modulus)
            between()
            denominator *= factor
            x = [w * factor for w in x]
            if denominator.bit_length() > size:
                return None
            value = v * denominator % whole
        x.append(value if 2 * value < whole else value - whole)
    return [int(v) for v in x], int(denominator)


def _denominator(value: int, modulus: int) -> int:
    """The denominator of the fraction that is `value` modulo this, by Euclid's algorithm, stopped half way."""
    half = 1 << (modulus.bit_length() // 2)
    a, b, s, t = modulus, value, 0, 1
    while b > half:
        q = a // b
        a, b, s, t = b, a - q * b, t, s - q * t
    return abs(t)


def _holds(rows: list[list[int]], target: list[int], x: list[int], denominator: int) -> bool:
    """Whether it is a solution, modulo another prime: who uses it checks what follows from it exactly."""
    q, n = (1 << 61) - 1, len(rows)
    A = nmod_mat(n, n, [v % q for row in rows for v in row], q)
    return bool(A * nmod_mat(n, 1, [v % q for v in x], q) == nmod_mat(n, 1, [denominator * t % q for t in target], q))
