"""Kernels k(x, x'): values, error bounds and exact signs, computed when they are needed, kept while there is room."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import Rows, pieces
from rosenblatt.exact import fraction, integers, responses_of, row_signs

__all__ = [
    "CallableKernel",
    "GaussianKernel",
    "GaussianValues",
    "Gram",
    "Kernel",
    "PolynomialKernel",
    "PolynomialValues",
]

# ----------------------------------------------------------------------------------------------------- without rounding
# Every float is a dyadic rational, so x·x' and ‖x − x'‖² are whole numbers times a power of two that is the same for
# all pairs of rows. A polynomial of them is exact. e^v is not: it is a ball (flint's `arb`), as small as is asked
# for.


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


# -------------------------------------------------------------------------------------------------------------- kernels


_UNIT = 2.0**-53
_FARTHEST = 708.0  # e^−v is 0 beyond
_TINY = 1e-300  # more than underflow can take from a sum of products


class _Compiled(ABC):
    """A kernel k(x, x') that the compiled loops compute."""

    function: Any  # of kernels/dual.py

    def values(self, rows: Rows, others: Rows, j: int) -> Floats:
        """k(x_i, x'_j) for every i."""
        from rosenblatt.kernels.dual import compare_all

        out = np.empty(rows.n)
        for start, stop in pieces(rows.n, rows.width):
            compare_all(self.function, rows.kernel, others.kernel, j, out, start, stop)
        return out

    def respond(self, rows: Rows, others: Rows, dual: Floats) -> Floats:
        """Σ_j dual[c, j]·k(x_i, x'_j) for every c and i."""
        from rosenblatt.kernels.dual import respond_alike

        out, dual = np.empty((len(dual), rows.n)), np.ascontiguousarray(dual)
        for start, stop in pieces(rows.n, others.n * (rows.width + len(dual) + 4)):
            respond_alike(self.function, rows.kernel, others.kernel, dual, out, start, stop)
        return out

    def doubt(self, rows: Rows, dual: Floats) -> float:
        """A bound on the rounding error of `respond` between these rows.

        It is twice Σ|α|·(the error of one value + the error of the sum), plus what underflow may take.
        """
        size = float(np.sum(np.abs(dual)))
        error = self._largest(rows) * (self._error(rows.p) + np.count_nonzero(dual) + 2)
        with np.errstate(over="ignore", invalid="ignore"):
            found = 2.0 * size * error * _UNIT + _TINY * (1.0 + size)
        return float(found) if np.isfinite(found) else np.inf

    def signs(self, rows: Rows, at: Integers, others: Integers, dual: Floats) -> Signs:
        """The exact sign of Σ_j dual_j·k(x_i, x_j) for each row i of `at`, summed over the rows j of `others`."""
        return self.exact(rows.take(at), rows.take(others)).signs([fraction(v) for v in dual])

    @abstractmethod
    def exact(self, X: Floats, Y: Floats) -> GaussianValues | PolynomialValues:
        """The values of all pairs of a row of X and a row of Y, without rounding."""

    @abstractmethod
    def _largest(self, rows: Rows) -> float:
        """A bound on |k(x, x')| for these rows."""

    @abstractmethod
    def _error(self, p: int) -> float:
        """The rounding error of one value, in units of `_largest`·2^-53."""


class GaussianKernel(_Compiled):
    """exp(−γ·‖x − x'‖²)."""

    def __init__(self, gamma: float) -> None:
        from rosenblatt.kernels.dual import Gaussian

        self.function = Gaussian(gamma)

    def exact(self, X: Floats, Y: Floats) -> GaussianValues:
        """As balls."""
        return GaussianValues(X, Y, self.function.gamma)

    def signs(self, rows: Rows, at: Integers, others: Integers, dual: Floats) -> Signs:
        """The exact signs; ball arithmetic, which is slow, only where an error bound for the row is too coarse.

        No value is negative, so Σ|α|·k times a constant bounds the error of a row: it is small for rows far from all
        others.
        """
        f, size = self.respond(rows.subset(at), rows.subset(others), np.vstack([dual, np.abs(dual)]))
        error = 2.0 * (_FARTHEST * (rows.p + 8) + 40 + len(dual)) * _UNIT
        unsure = np.flatnonzero(~(np.abs(f) > error * size + _TINY * (1.0 + np.sum(np.abs(dual)))))
        signs: Signs = np.sign(f).astype(np.int8)
        if unsure.size:
            signs[unsure] = super().signs(rows, at[unsure], others, dual)
        return signs

    def _largest(self, rows: Rows) -> float:
        return 1.0

    def _error(self, p: int) -> float:
        # v = γ·‖x − x'‖² has the relative error (p + 8)·2^-53, v·e^−v < 1, and e^−v a few units of its own
        return p + 40.0


class PolynomialKernel(_Compiled):
    """(γ·x·x' + c)^degree."""

    def __init__(self, gamma: float, coef0: float, degree: int) -> None:
        from rosenblatt.kernels.dual import Polynomial

        self.function = Polynomial(gamma, coef0, degree)

    def exact(self, X: Floats, Y: Floats) -> PolynomialValues:
        """As fractions."""
        return PolynomialValues(X, Y, *self.function)

    def _largest(self, rows: Rows) -> float:
        gamma, coef0, degree = self.function
        with np.errstate(over="ignore"):
            return float(np.float64(gamma * rows.radius_sq(False) + abs(coef0)) ** degree)

    def _error(self, p: int) -> float:
        return float(self.function.degree * (p + 6))


class CallableKernel:
    """The caller's own function of two arrays of rows. Its numbers are believed to be inner products."""

    def __init__(self, function: Callable[[Floats, Floats], Any]) -> None:
        self.function = function

    def values(self, rows: Rows, others: Rows, j: int) -> Floats:
        """k(x_i, x'_j) for every i."""
        return self._ask(rows.take(slice(None)), others.take([j]))[:, 0]

    def respond(self, rows: Rows, others: Rows, dual: Floats) -> Floats:
        """Σ_j dual[c, j]·k(x_i, x'_j) for every c and i."""
        return np.asarray(dual @ self._ask(rows.take(slice(None)), others.take(slice(None))).T)

    def doubt(self, rows: Rows, dual: Floats) -> float:
        """No bound: nothing is known of the function's values."""
        return np.inf

    def signs(self, rows: Rows, at: Integers, others: Integers, dual: Floats) -> Signs:
        """The exact signs of sums of the function's numbers."""
        return np.asarray(row_signs(self._ask(rows.take(at), rows.take(others)), dual))

    def _ask(self, X: Floats, Y: Floats) -> Floats:
        """The function's numbers; refuses an array of another shape, and what is not finite."""
        values = np.asarray(self.function(X, Y))
        if values.shape != (len(X), len(Y)) or values.dtype.kind not in "biuf":
            raise ValueError(
                f"kernel(X, Y) must return {len(X)} × {len(Y)} numbers, one for each row of X and each row of Y; it "
                f"returned {values.dtype} of shape {values.shape}."
            )
        values = values.astype(np.float64)
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"kernel(X, Y) returned {values[i, j]} for row {i} of X and row {j} of Y: it must be finite."
            )
        return values


Kernel = GaussianKernel | PolynomialKernel | CallableKernel


_KEPT_VALUES = 1 << 25  # at most so many are kept: 256 MB
_SYMMETRIC = 1e-9  # k(x, x') and k(x', x) may differ by so much of the larger


class Gram:
    """The kernel's values between all pairs of some rows. Row i holds k(x_i, x_j) for all j."""

    def __init__(self, kernel: Kernel, rows: Rows, budget: int | None = None) -> None:
        self.kernel, self.rows, self.n = kernel, rows, rows.n
        places = max(_KEPT_VALUES // max(1, rows.n), 2, (budget or 0) + 2)
        self.values = np.empty((min(rows.n, places), rows.n))
        self.place = np.full(rows.n, -1, dtype=np.int64)
        self.owner = np.full(len(self.values), -1, dtype=np.int64)  # which row is kept in each place

    def row(self, i: int) -> Floats:
        """k(x_i, x_j) for every j."""
        place = self.place[i]
        return self._compute(i) if place < 0 else self.values[place]

    def keep(self, i: int, dual: Floats, corrected: Integers) -> None:
        """Keep row i; if there is no room, in place of a row with coefficient 0, or of the oldest."""
        free = np.flatnonzero(self.owner < 0)
        if free.size:
            place = int(free[0])
        else:
            place = int(np.lexsort((corrected[self.owner], dual[self.owner] != 0))[0])
            self.place[self.owner[place]] = -1
        self.values[place] = self._compute(i)
        self.place[i], self.owner[place] = place, i

    def _compute(self, i: int) -> Floats:
        values = self.kernel.values(self.rows, self.rows, i)
        if not np.isfinite(values).all():
            raise ValueError(
                "the kernel's values overflowed float64: scale X, for example with "
                "sklearn.preprocessing.StandardScaler."
            )
        if isinstance(self.kernel, CallableKernel):
            self._refuse_asymmetry(i, values)
        return values

    def _refuse_asymmetry(self, i: int, values: Floats) -> None:
        for j in self.owner[self.owner >= 0]:
            other = self.values[self.place[j], i]
            if abs(values[j] - other) > _SYMMETRIC * max(abs(values[j]), abs(other)):
                raise ValueError(
                    f"kernel(X, Y) is not symmetric: for rows {j} and {i} it returned {other:.6g} one way and "
                    f"{values[j]:.6g} the other."
                )

    def respond(self, dual: Floats) -> Floats:
        """Σ_j dual_j·k(x_j, x_i) for every i, summed in the order in which `decision_function` sums."""
        f = np.zeros(self.n)
        for j in np.flatnonzero(dual):
            f += dual[j] * self.row(int(j))
        return f

    def doubt(self, dual: Floats) -> float:
        """A bound on the rounding error of `respond`."""
        return self.kernel.doubt(self.rows, dual)

    def signs(self, rows: Integers, dual: Floats) -> Signs:
        """The exact signs of `respond` at these rows."""
        others = np.flatnonzero(dual)
        return self.kernel.signs(self.rows, rows, others, dual[others])

    def vanishes(self, rows: Integers, factors: list[int]) -> bool:
        """Whether Σ λ_i φ(x_i) = 0 is proved: because equal rows cancel, or because its length is exactly 0."""
        X = self.rows.take(rows)
        _, place = np.unique(X, axis=0, return_inverse=True)
        left = [0] * (int(place.max()) + 1)
        for at, factor in zip(place.ravel(), factors, strict=True):
            left[at] += factor
        if not any(left):
            return True
        if not isinstance(self.kernel, PolynomialKernel):
            return False  # "rbf": the features of different rows are independent; a function: nothing is known of them
        exact = [Fraction(v) for v in factors]
        totals = self.kernel.exact(X, X).totals(exact)
        return sum((a * b for a, b in zip(exact, totals, strict=True)), Fraction(0)) == 0
