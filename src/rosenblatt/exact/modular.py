"""Rows modulo a prime, many at a time: cheap evidence that a row lies in a span. Claims need an exact check as well.

2^31 − 1 is prime and powers of two are shifts modulo it, so a float m · 2^e is (m mod p) shifted by e mod 31.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.exact.dyadic import mantissas
from rosenblatt.later import flint
from rosenblatt.later import sparse as sp

__all__ = ["PRIME", "SpanTest", "denominator_of", "float_residues", "short_fractions", "vanishes_on"]

PRIME = (1 << 31) - 1
_SHORT = 1 << 15  # numerators and denominators below this are told apart modulo the prime


class SpanTest:
    """Which rows (`residues`) lie in the span of others; about once in 10^9 it says yes where the answer is no.

    It takes one random direction to which the spanning rows do not respond: rows in the span do not respond either.
    """

    def __init__(self, spanning: Integers, rng: np.random.Generator) -> None:
        k, d = spanning.shape
        reduced, r = flint.nmod_mat(k, d, spanning.ravel().tolist(), PRIME).rref()
        table = np.array([int(v) for v in reduced.entries()], dtype=np.int64).reshape(k, d)[:r]
        pivots = np.argmax(table != 0, axis=1)
        direction: Integers = rng.integers(0, PRIME, size=int(d))
        direction[pivots] = 0
        direction[pivots] = -((table * direction) % PRIME).sum(axis=1) % PRIME
        self._direction = direction

    def __call__(self, rows: Integers) -> Flags:
        """True for rows in the span."""
        return np.asarray(((rows * self._direction) % PRIME).sum(axis=1) % PRIME == 0)


def float_residues(values: Floats, shifts: Integers, fold: Callable[[Integers], Integers]) -> Integers:
    """Rows of floats, each column times 2^shift, modulo 2^31 − 1; `fold` adds columns up."""
    found = _residues(values)
    if shifts.any():
        found = (found << (shifts % 31)) % PRIME
    return fold(found) % PRIME


def vanishes_on(z: "sp.csr_array", v: Integers, units: Integers) -> Flags:
    """True for rows (floats in CSR) with Σ z_j · 2^−unit_j · v_j = 0, modulo 2^31 − 1."""
    v = (v << (-units % 31)) % PRIME
    products = _residues(z.data) * v[z.indices] % PRIME
    sums = sp.csr_array((products, z.indices, z.indptr), z.shape).sum(axis=1)
    return np.asarray(sums % PRIME == 0)


def _residues(values: npt.ArrayLike) -> Integers:
    """Floats modulo 2^31 − 1."""
    m, e = mantissas(values)
    return np.asarray(((m % PRIME) << (e % 31)) % PRIME)


def short_fractions(residues: Integers) -> dict[int, int] | None:
    """The residues times one short denominator, as short whole numbers modulo 2^31 − 1; None where there are none.

    >>> short_fractions(np.array([1, PRIME - 2]))
    {1: 1, 2147483645: -2}
    >>> half = (PRIME + 1) // 2
    >>> short_fractions(np.array([1, half]))
    {1: 2, 1073741824: 1}
    """
    denominator = 1
    for r in residues.tolist():
        value = r * denominator % PRIME
        if min(value, PRIME - value) >= _SHORT:
            denominator *= denominator_of(value, PRIME, _SHORT)
            if denominator >= _SHORT:
                return None
    values = residues * denominator % PRIME
    values = np.where(values > PRIME // 2, values - PRIME, values)
    if np.any(np.abs(values) >= _SHORT):
        return None
    return dict(zip(residues.tolist(), values.tolist(), strict=True))


def denominator_of(value: int, modulus: int, end: int) -> int:
    """The denominator of the fraction that is `value` modulo `modulus` and has a numerator below `end`.

    Euclid's algorithm, cut short.
    """
    a, b, s, t = modulus, value, 0, 1
    while b >= end:
        q = a // b
        a, b, s, t = b, a - q * b, t, s - q * t
    return abs(t)
