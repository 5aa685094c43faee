"""The point of a hull nearest to zero, by non-negative least squares on rows that join (Lawson & Hanson 1974).

    min ‖Σ λ a‖² + (1 − Σ λ)²   with   λ ≥ 0

A step takes one more row, or drops some; the rows taken are independent, and their QR factors are updated. So the work
done for some rows is kept when others join, and every step is short.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.verdicts.margins.active_set_floats import Factors

__all__ = ["Nearest"]

_SLOPE = 4e-15  # a gain that counts as none: rounding errors are about as large
_STEPS_EACH = 3  # steps for each row, after which the search gives up


class Nearest:
    """Rows that have joined and their λ, which is 0 for most of them; `solve` finds the best λ."""

    def __init__(self, d: int) -> None:
        self._A = np.empty((0, d + 1))  # the rows, each with 1 at the end
        self._factors = Factors(d + 1)  # of the rows taken
        self._taken: list[int] = []
        self._x = np.empty(0)  # λ of the rows taken

    def add(self, rows: Floats) -> None:
        """Let rows join."""
        self._A = np.vstack([self._A, np.column_stack([rows, np.ones(len(rows))])])

    @property
    def weights(self) -> Floats:
        """λ of all rows."""
        out = np.zeros(len(self._A))
        out[self._taken] = self._x
        return out

    def solve(self, between: Callable[[], None]) -> bool:
        """Find the best λ. Returns whether floats found it. `between` is called at every step, and may raise."""
        barred: list[int] = []  # rows that depend on those taken, or gain nothing, until another is taken
        for _ in range(_STEPS_EACH * len(self._A) + 50):
            between()
            slope = self._A @ self._rest()
            slope[self._taken + barred] = 0.0
            j = int(np.argmax(slope))
            if slope[j] <= _SLOPE:
                return True
            if self._take(j):
                barred = []
            else:
                barred.append(j)
        return False

    def _rest(self) -> Floats:
        """The residual (0, …, 0, 1) − Σ λ (a, 1)."""
        Q = self._factors.basis
        rest = -(Q[:, -1] @ Q)
        rest[-1] += 1.0
        return np.asarray(rest)

    def _take(self, j: int) -> bool:
        """Take row j, unless it depends on the rows taken, or rounding makes its λ negative. Returns whether it did."""
        placed = self._factors.place(self._A[j])
        if not placed.independent:
            return False
        self._factors.let_in(placed)
        s = self._unbound()
        if s[-1] <= 0:  # rounding says so, against the slope
            self._factors.let_out(len(self._taken))
            return False
        self._taken.append(j)
        self._walk(np.append(self._x, 0.0), s)
        return True

    def _unbound(self) -> Floats:
        """The best λ of the rows taken, where λ may be negative."""
        return self._factors.solve(self._factors.basis[:, -1])

    def _walk(self, x: Floats, s: Floats) -> None:
        """From x ≥ 0 towards s, dropping rows that reach zero on the way."""
        while s.size and s.min() <= 0:
            down = np.flatnonzero(s <= 0)
            steps = x[down] / np.maximum(x[down] - s[down], 1e-300)
            x = x + steps.min() * (s - x)
            gone = down[steps <= steps.min()]
            for at in gone[::-1].tolist():
                self._factors.let_out(at)
                self._taken.pop(at)
            x = np.maximum(np.delete(x, gone), 0.0)
            s = self._unbound()
        self._x = s
