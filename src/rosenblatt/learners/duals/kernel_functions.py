"""Kernels k(x, x') in the sense of support vector machines: values between rows, in floats and exactly."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import Rows, pieces
from rosenblatt.exact import row_signs
from rosenblatt.exact.dyadic import fraction
from rosenblatt.exact.similarities import GaussianValues, PolynomialValues

__all__ = ["CallableKernel", "GaussianKernel", "Kernel", "PolynomialKernel"]

_UNIT = 2.0**-53
_FARTHEST = 708.0  # e^−v is 0 beyond
_TINY = 1e-300  # more than underflow can take from a sum of products


class _Compiled(ABC):
    """A kernel k(x, x') that the compiled loops compute."""

    function: Any  # of kernels/similarity.py

    def values(self, rows: Rows, others: Rows, j: int) -> Floats:
        """k(x_i, x'_j) for every i."""
        from rosenblatt.kernels.similarity import compare_all

        out = np.empty(rows.n)
        for start, stop in pieces(rows.n, rows.width):
            compare_all(self.function, rows.kernel, others.kernel, j, out, start, stop)
        return out

    def respond(self, rows: Rows, others: Rows, dual: Floats) -> Floats:
        """Σ_j dual[c, j]·k(x_i, x'_j) for every c and i."""
        from rosenblatt.kernels.similarity import respond_alike

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
        from rosenblatt.kernels.similarity import Gaussian

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
        from rosenblatt.kernels.similarity import Polynomial

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
