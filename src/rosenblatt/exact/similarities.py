"""Values of a kernel without rounding: polynomials in whole numbers, exponentials as balls that hold the true value.

Every float is a dyadic rational, so x·x' and ‖x − x'‖² are whole numbers times a power of two that is the same for all
pairs of rows. A polynomial of them is exact. e^v is not: it is a ball (flint's `arb`), as small as is asked for.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from rosenblatt.arrays import Floats, Signs
from rosenblatt.exact.dyadic import fraction, integers
from rosenblatt.exact.linear import responses_of

__all__ = ["GaussianValues", "PolynomialValues"]

_FIRST_BITS = 64


def _products(X: Floats, Y: Floats) -> tuple[list[list[int]], int]:
    """x·x' of all pairs as whole numbers m and one e: the values are m · 2^e."""
    stacked, e = integers(np.vstack([X, Y]))
    whole = stacked.tolist()
    return responses_of(whole[: len(X)], whole[len(X) :]), 2 * e


def _rational(q: Fraction) -> Any:
    return flint.fmpq(q.numerator, q.denominator)


class PolynomialValues:
    """k(x, x') = (γ·x·x' + c)^degree of all pairs, as fractions."""

    def __init__(self, X: Floats, Y: Floats, gamma: float, coef0: float, degree: int) -> None:
        found, e = _products(X, Y)
        times, more = fraction(gamma) * Fraction(2) ** e, fraction(coef0)
        under = times.denominator * more.denominator
        a, b = int(times * under), int(more * under)
        self.values = [[(a * m + b) ** degree for m in row] for row in found]
        self.unit = Fraction(1, under**degree)

    def totals(self, dual: Sequence[Fraction]) -> list[Fraction]:
        """Σ_j dual_j·k(x_i, x'_j) for every i."""
        under = np.lcm.reduce([v.denominator for v in dual], dtype=object) if len(dual) else 1
        whole, unit = [int(v * under) for v in dual], self.unit / int(under)
        return [unit * sum(a * m for a, m in zip(whole, row, strict=True)) for row in self.values]

    def signs(self, dual: Sequence[Fraction]) -> Signs:
        """The signs of `totals`."""
        return np.array([(v > 0) - (v < 0) for v in self.totals(dual)], dtype=np.int8)


class GaussianValues:
    """k(x, x') = exp(−γ·‖x − x'‖²) of all pairs, as balls."""

    def __init__(self, X: Floats, Y: Floats, gamma: float) -> None:
        found, e = _products(X, Y)
        whole = integers(np.vstack([X, Y]))[0].tolist()
        own = [sum(int(v) * int(v) for v in row) for row in whole]
        first, second = own[: len(X)], own[len(X) :]
        self.squares = [
            [a + b - 2 * m for b, m in zip(second, row, strict=True)] for a, row in zip(first, found, strict=True)
        ]
        self.rate = fraction(gamma) * Fraction(2) ** e

    def balls(self, bits: int) -> list[list[Any]]:
        """The values to about so many bits, computed once for each distance."""
        with flint.ctx.workprec(bits):
            rate = -_rational(self.rate)
            known = {square: flint.arb(rate * square).exp() for square in {one for row in self.squares for one in row}}
        return [[known[square] for square in row] for row in self.squares]

    def signs(self, dual: Sequence[Fraction]) -> Signs:
        """The sign of Σ_j dual_j·k(x_i, x'_j) for every i.

        Terms of equal distance are added up first. If nothing is left the sum is 0; else it is not, because powers of e
        with different rational exponents are independent (Lindemann), and enough bits show its sign.
        """
        return np.array([self._sign(row, dual) for row in self.squares], dtype=np.int8)

    def _sign(self, squares: list[int], dual: Sequence[Fraction]) -> int:
        terms: dict[int, Fraction] = {}
        for square, factor in zip(squares, dual, strict=True):
            terms[square] = terms.get(square, Fraction(0)) + factor
        terms = {square: factor for square, factor in terms.items() if factor}
        nearest = min(terms, default=0)  # all values are divided by the largest, which may be below any float
        bits = _FIRST_BITS
        while terms:
            with flint.ctx.workprec(bits):
                rate, total = -_rational(self.rate), flint.arb(0)
                for square, factor in terms.items():
                    total += flint.arb(_rational(factor)) * flint.arb(rate * (square - nearest)).exp()
            if not total.contains(0):
                return 1 if total > 0 else -1
            bits *= 2
        return 0
