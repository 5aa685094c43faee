"""The shortest u with z·u ≥ 1 on all rows of a matrix: Goldfarb & Idnani's dual method (1983), in floats.

Active rows have z·u = 1, and multipliers μ ≥ 0 with u = Σ μ z. The row with the smallest response comes in: its
multiplier grows, those of the others follow, until its own response is 1; a row whose multiplier is 0 by then leaves.

With `free`, a bias does not count in the length of u: z·u + bias·side ≥ 1 and Σ μ·side = 0. Then the last column of Z
is a multiple of `side`, which makes the rows independent; the last weight is 0, for Σ μ·side is.

Independent rows are R'·Q, with orthonormal rows of Q and a triangular R. A row comes in by Gram and Schmidt's method,
done twice so that Q stays orthonormal, and leaves by Givens rotations. No Gram matrix is formed, which would square
rounding errors, and a step costs as much as a few products with Q.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, qr_delete
from scipy.linalg.lapack import dtrtrs

from rosenblatt.arrays import Floats, Places

__all__ = ["ActiveRows", "Factors"]

_FINE = 1e-13  # a response this much below 1 is 1
_DEPENDENT = 1e-11  # of a row's length: less than that outside of the others' span is rounding


class Placed(NamedTuple):
    """A row relative to the others: its coordinates `inside` their span, and the part `outside` with its length."""

    inside: Floats
    outside: Floats
    length: float

    @property
    def independent(self) -> bool:
        """Whether the row is outside of the span, as far as floats can tell."""
        return bool(self.length > _DEPENDENT * np.hypot(self.length, np.linalg.norm(self.inside)))


class Factors:
    """The factors of `count` rows of d numbers; at most d rows."""

    def __init__(self, d: int) -> None:
        self.count = 0
        self._Q, self._R = np.zeros((d, d)), np.zeros((d, d), order="F")

    @property
    def basis(self) -> Floats:
        """The rows of Q: orthonormal, with the same span."""
        return self._Q[: self.count]

    def let_all_in(self, rows: Floats) -> Places:
        """Let many rows into empty factors. Returns which came in: rows that depend on rows before them stay out."""
        Q, R = qr(rows.T, mode="economic", check_finite=False)
        outside = np.abs(np.diag(R))
        if len(rows) == outside.size and np.all(outside > _DEPENDENT * np.linalg.norm(rows, axis=1)):
            self.count = len(rows)
            self._Q[: self.count], self._R[: self.count, : self.count] = Q.T, R
            return np.arange(len(rows))
        let_in = []
        for at, row in enumerate(rows):
            placed = self.place(row)
            if placed.independent:
                self.let_in(placed)
                let_in.append(at)
        return np.array(let_in, dtype=np.int64)

    def place(self, row: Floats) -> Placed:
        """The row relative to those that are in."""
        inside = self.basis @ row
        outside = row - inside @ self.basis
        again = self.basis @ outside  # the second time removes what rounding has left the first time
        outside -= again @ self.basis
        return Placed(inside + again, outside, float(np.linalg.norm(outside)))

    def let_in(self, row: Placed) -> None:
        """Let the row in as the last one; it must be independent."""
        k = self.count
        self._Q[k] = row.outside / row.length
        self._R[:k, k], self._R[k, k] = row.inside, row.length
        self.count += 1

    def let_out(self, at: int) -> None:
        """Take out the row at this place."""
        k = self.count
        self.count -= 1
        if at < self.count:  # without the last row the other factors stay as they are
            # works in place: its results are parts of the same arrays
            qr_delete(self._Q[:k].T, self._R[:k, :k], at, which="col", overwrite_qr=True, check_finite=False)

    def solve(self, right: Floats, transposed: bool = False) -> Floats:
        """h with R h = right, or R'h = right."""
        k = self.count
        return np.asarray(dtrtrs(self._R[:k, :k], right, trans=transposed)[0]) if k else np.empty(0)


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
