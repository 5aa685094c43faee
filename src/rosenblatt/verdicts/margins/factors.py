"""Independent rows as R'·Q, with orthonormal rows of Q and a triangular R: rows come and go one at a time.

A row comes in by Gram and Schmidt's method, done twice so that Q stays orthonormal, and leaves by Givens rotations. No
Gram matrix is formed, which would square rounding errors, and a step costs as much as a few products with Q.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, qr_delete
from scipy.linalg.lapack import dtrtrs

from rosenblatt.arrays import Floats, Places

__all__ = ["Factors", "Placed"]

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
