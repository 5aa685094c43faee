"""The values of a kernel between all pairs of rows: computed when they are needed, kept while there is room."""

from fractions import Fraction

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.data.numbers import Rows
from rosenblatt.learners.duals.kernel_functions import CallableKernel, Kernel, PolynomialKernel

__all__ = ["Gram"]

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
