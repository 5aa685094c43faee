"""The shortest u with z·u ≥ 1 on all rows of a matrix: Goldfarb & Idnani's dual method (1983), in floats.

Active rows have z·u = 1, and multipliers μ ≥ 0 with u = Σ μ z. The row with the smallest response comes in: its
multiplier grows, those of the others follow, until its own response is 1; a row whose multiplier is 0 by then leaves.

With `free`, a bias does not count in the length of u: z·u + bias·side ≥ 1 and Σ μ·side = 0. Then the last column of Z
is a multiple of `side`, which makes the rows independent; the last weight is 0, for Σ μ·side is.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.verdicts.margins.factors import Factors, Placed

__all__ = ["ActiveRows"]

_FINE = 1e-13  # a response this much below 1 is 1


class ActiveRows:
    """The active `rows` of Z, by their numbers, and what follows from them: μ, u and the bias."""

    def __init__(self, Z: Floats, side: Floats, free: bool) -> None:
        self.Z, self.side, self.free = Z, side, free

    def begin(self, rows: Places) -> bool:
        """Make these rows active, except those whose multiplier is not positive. Returns whether any are left.

        With `free`, rows of both sides must be left. False also where numbers leave float64.
        """
        while rows.size and (not self.free or np.ptp(self.side[rows]) > 0):
            self._activate(rows)
            if self.rows.size and self.mu.min() > 0:
                return True
            rows = self.rows[self.mu > 0]
        return False

    def join(self, Z: Floats, side: Floats) -> None:
        """Let more rows take part."""
        self.Z, self.side = np.vstack([self.Z, Z]), np.concatenate([self.side, side])

    def settle(self, most: int, late: Callable[[], bool]) -> str:
        """Let rows in until every response is at least 1, to rounding, or floats can do no better.

        Returns why it ended before that (after `most` rows, or when `late` says so); "" where it did not.
        """
        largest = np.max(np.abs(self.Z), axis=0)
        for _ in range(most):
            responses = self.Z @ self.u
            if self.free:
                responses += self.bias * self.side
            row = int(responses.argmin())
            rounding = _FINE + 2.0**-50 * float(np.abs(self.u) @ largest)
            if not np.isfinite(responses[row]) or responses[row] >= 1.0 - rounding:
                return ""
            if row in self.rows or not self._bring_in(row, 1.0 - responses[row]):
                return ""
            self._weigh()
            if late():
                return "the time limit was reached"
        return "float arithmetic went in circles"

    def refine(self) -> None:
        """Factorise the active rows anew, and correct u, bias and multipliers once by the residuals.

        Where columns differ much in size, factors are less exact than the rows, and updates add rounding errors.
        """
        self._activate(self.rows)
        Z, side, Q = self.Z[self.rows], self.side[self.rows], self._factors.basis
        h = self._factors.solve(1.0 - Z @ self.u - self.bias * side, transposed=True)
        if self.free:
            along = np.dot(self._t, h) / np.dot(self._t, self._t)
            self.bias += along
            h -= along * self._t
        self.u += h @ Q
        if self.free:  # what rounding left in the last weight is a bias too
            self.bias += self.u[-1] * Z[0, -1] / side[0]
            self.u[-1] = 0.0
        self.mu += self._factors.solve(Q @ (self.u - self.mu @ Z))

    def _activate(self, rows: Places) -> None:
        """Make these rows active, as far as they are independent, and no others."""
        self._factors = Factors(self.Z.shape[1])
        self.rows = rows[self._factors.let_all_in(self.Z[rows])]
        self._forget()
        self._weigh()

    def _forget(self) -> None:
        """After the active rows have changed: drop h, and compute t anew."""
        self._h = np.empty(0)  # R'h = 1; where it is known, it grows with every row that comes in
        self._t = self._factors.solve(self.side[self.rows], transposed=True) if self.free else np.empty(0)  # R't = side

    def _weigh(self) -> None:
        """Compute the multipliers, u and the bias of the active rows."""
        if self._h.size < self.rows.size:
            self._h = self._factors.solve(np.ones(self.rows.size), transposed=True)
        h, self.bias = self._h, 0.0
        if self.free:
            self.bias = np.dot(self._t, h) / np.dot(self._t, self._t)
            h = h - self.bias * self._t
        self.mu = self._factors.solve(h)
        self.u = h @ self._factors.basis

    def _bring_in(self, row: int, lacking: float) -> bool:
        """Bring in a row with response 1 − lacking. Returns whether that was possible."""
        while True:
            placed = self._factors.place(self.Z[row])
            right, gain = placed.inside, placed.length**2
            if self.free:
                lean, length = self.side[row] - self._t @ placed.inside, self._t @ self._t
                gain += lean * lean / length
                right = right + lean / length * self._t
            along = self._factors.solve(right)  # multipliers fall by it for each unit of the new one
            falling = along > 0
            steps = np.where(falling, self.mu, np.inf) / np.where(falling, along, 1.0)
            step = float(steps.min(initial=np.inf))
            if placed.independent and lacking <= step * gain:
                self._let_in(row, placed)
                return True
            if step == np.inf:
                return False
            lacking -= step * gain
            self._let_out(int(steps.argmin()), self.mu - step * along)

    def _let_in(self, row: int, placed: Placed) -> None:
        if self._h.size == self.rows.size:
            self._h = np.append(self._h, (1.0 - placed.inside @ self._h) / placed.length)
        if self.free:
            self._t = np.append(self._t, (self.side[row] - placed.inside @ self._t) / placed.length)
        self.rows = np.append(self.rows, row)
        self._factors.let_in(placed)

    def _let_out(self, at: int, mu: Floats) -> None:
        self.rows, self.mu = np.delete(self.rows, at), np.delete(mu, at)
        self._factors.let_out(at)
        self._forget()
