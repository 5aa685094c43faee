"""The shortest weights u with z·u ≥ 1 on every row, and multipliers that prove it, as good as floats can tell.

Few rows take part (`kernels.shortest`), all are scanned with u, and those that come nearest join. Where there are fewer
rows than weights, their triangular factor stands for them: it has the same products.
"""

import time
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

from rosenblatt.kernels.shortest import GOING, ShortestState, activate, continue_search, new_state, refine
from rosenblatt.verdicts.points import Floats, Places, Points

__all__ = ["Shortest", "Weights"]

_ROUNDS = 60
_CALL = 1 << 27  # multiplications of a compiled call: about a tenth of a second
_MOST_STEPS = 100  # for each weight: whoever needs more goes in circles
_EASE = 1e-12  # a response this much below 1 is not worth another row


class Weights(NamedTuple):
    """`u`, and `rows` with their multipliers; `ended` says why the search ended early, where it did."""

    u: Floats
    rows: Places
    multipliers: Floats
    ended: str = ""

    @property
    def finite(self) -> bool:
        """Whether float64 held all of it."""
        return bool(self.rows.size and np.isfinite(self.u).all() and np.isfinite(self.multipliers).all())

    @property
    def mixture(self) -> dict[int, Fraction]:
        """The multipliers as fractions."""
        return dict(zip(self.rows.tolist(), map(Fraction, self.multipliers.tolist()), strict=True))


class Shortest:
    """The search, of the theorem's margin or of the `street`, whose bias does not count in the length of u.

    A street's rows are seen from between the classes: wherever the origin is, Σ μ y = 0.
    """

    def __init__(self, points: Points, street: bool, deadline: float | None) -> None:
        self.points, self.street, self.deadline = points, street, deadline
        self.size = 2 * points.d + 10  # rows that join in a round; of a street, half of each class
        self.chosen = np.empty(0, dtype=np.int64)
        self._Z = np.empty((0, 0))
        self._state: ShortestState
        self._middle, self._scale, self._side = np.zeros(points.d), 1.0, 0.0

    def find(self, w: Floats) -> Weights | None:
        """From weights w that separate the rows; None where the numbers left float64."""
        k = self.size // 2 if self.street else self.size
        rows = self.points.nearest(np.ldexp(w, self.points.exponents), k, self.street)[0]
        wide = self.points.n < self.points.d
        self._begin(np.arange(self.points.n) if wide else rows, wide)
        for _ in range(_ROUNDS):
            ended = self._settle()
            v = self._weights()
            if not np.isfinite(v).all() or not v.any():
                return None
            fresh = self._nearer(v, k)
            if ended or wide or not fresh.size:
                return self._found(v, ended)
            self._join(fresh)
        return self._found(v, "more and more rows came near it")

    def _begin(self, rows: Places, wide: bool) -> None:
        """Let rows take part, and one of them, or one of each class, be active."""
        y = self.points.y[rows]
        if self.street:
            X = self.points.floats(rows)[:, :-1] * y[:, None]
            middle = (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2
            self._middle = np.append(middle, 0.0)
            self._side = max(float(np.sqrt(np.mean(np.sum((X - middle) ** 2, axis=1)))), 1e-300)
        self.chosen, seen = rows, self._seen(rows)
        self._scale = max(float(np.max(np.abs(seen), initial=0.0)), 1e-300)
        seen /= self._scale
        self._Z = np.ascontiguousarray(qr(seen.T, mode="r")[0][: len(rows)].T) if wide else seen
        self._state = new_state(self._Z.shape[1])
        activate(
            self._Z, self._state, np.unique(y, return_index=True)[1] if self.street else np.zeros(1, dtype=np.int64)
        )

    def _seen(self, rows: Places) -> Floats:
        """z of some rows; of a street from its middle, with the bias as long as the rows are."""
        Z, y = self.points.floats(rows), self.points.y[rows]
        if self.street:
            Z -= y[:, None] * self._middle
            Z[:, -1] = y * self._side
        return Z

    def _join(self, rows: Places) -> None:
        self.chosen = np.concatenate([self.chosen, rows])
        self._Z = np.vstack([self._Z, self._seen(rows) / self._scale])

    def _settle(self) -> str:
        """Solve it for the rows that take part; why that ended early, where it did."""
        d = self._Z.shape[1]
        steps = max(1, _CALL // (d * (len(self._Z) + 8 * d)))
        largest, responses = np.max(np.abs(self._Z), axis=0), np.empty(len(self._Z))
        side = self.points.y[self.chosen].astype(np.float64)
        for _ in range(1 + _MOST_STEPS * (d + 10) // steps):
            status = continue_search(self._Z, side, self.street, largest, self._state, responses, steps)
            if status != GOING:  # or floats can do no better: what they found is checked anyway
                self._refine(side)
                return ""
            if self.deadline is not None and time.monotonic() > self.deadline:
                return "the time limit was reached"
        return "float arithmetic went in circles"

    def _refine(self, side: Floats) -> None:
        """The same active rows, without what rounding has done to them."""
        active = self._state.active[: int(self._state.count[0])].copy()
        self._state = new_state(self._Z.shape[1])
        activate(self._Z, self._state, active)
        refine(self._Z, side, self.street, self._state)

    def _active(self) -> tuple[Places, Floats]:
        count = int(self._state.count[0])
        return self.chosen[self._state.active[:count]], self._state.mu[:count]

    def _weights(self) -> Floats:
        """The weights and the bias for rows as they are."""
        rows, mu = self._active()
        u = self._state.u if self._state.u.size == self.points.d else self._seen(rows).T @ mu / self._scale
        u = u / self._scale
        if self.street:
            u[-1] = self._state.bias[0] - self._middle[:-1] @ u[:-1]
        return np.asarray(u)

    def _nearer(self, v: Floats, k: int) -> Places:
        """Rows with a response below 1 that do not take part yet."""
        scaled = np.ldexp(v, self.points.exponents)
        rows, values = self.points.nearest(scaled, k, self.street)
        rounding = 2.0**-50 * float(np.abs(scaled).sum())
        return np.setdiff1d(rows[values < 1 - _EASE - rounding], self.chosen)

    def _found(self, v: Floats, ended: str) -> Weights:
        rows, mu = self._active()
        kept: Any = mu > 0
        return Weights(v, rows[kept], mu[kept], ended)
