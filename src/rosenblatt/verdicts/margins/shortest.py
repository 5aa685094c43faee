"""The shortest weights u with z·u ≥ 1 on every row, and multipliers that prove it, as far as floats can tell.

Few rows take part (`active_set_floats`), all are scanned with u, and those that come nearest join. Where there are
fewer rows than weights, their triangular factor takes their place: it has the same products.

min ‖Σ μ z‖²/2 − Σ μ over μ ≥ 0 is also found by block principal pivoting (Júdice & Pires 1994) on the Gram matrix of
few rows: rows whose multiplier is negative leave, rows whose response is below 1 come in, all at once. A street has one
equation more, Σ μ y = 0, whose multiplier is the bias.
"""

from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Context
from rosenblatt.threads import aside
from rosenblatt.verdicts.margins.active_set import ActiveRows
from rosenblatt.verdicts.points import Points

__all__ = ["Shortest", "Weights", "all_rows"]

_ROUNDS = 60
_MOST_STEPS = 100  # for each weight: a search that needs more goes in circles
_EXCHANGES = 30  # of all wrong rows
_PATIENCE = 3  # exchanges of all although no fewer are wrong
_SLACK = 1e-9
_EASE = 1e-12  # a response this much below 1 counts as 1


class Weights(NamedTuple):
    """`u`, and `rows` with their multipliers; `ended` says why the search ended early, "" if it did not."""

    u: Floats
    rows: Places
    multipliers: Floats
    ended: str = ""

    @property
    def finite(self) -> bool:
        """Whether there are rows, and all numbers are finite."""
        return bool(self.rows.size and np.isfinite(self.u).all() and np.isfinite(self.multipliers).all())

    @property
    def mixture(self) -> dict[int, Fraction]:
        """The multipliers as fractions."""
        return dict(zip(self.rows.tolist(), map(Fraction, self.multipliers.tolist()), strict=True))


class Shortest:
    """The search for the theorem's margin, or for the `street`, whose bias does not count in the length of u.

    For a street the origin is moved between the classes; that changes nothing, as Σ μ y = 0.
    """

    def __init__(self, points: Points, street: bool) -> None:
        self.points, self.street = points, street
        self.size = 2 * points.d + 10  # rows that join in a round; of a street, half of each class
        self.chosen = np.empty(0, dtype=np.int64)
        self._active: ActiveRows
        self._middle, self._scale, self._side = np.zeros(points.d), 1.0, 0.0

    def find(self, w: Floats, guess: Places) -> Weights | None:
        """The search from separating weights w, and rows that may touch the margin; None where floats overflow."""
        k = self.size // 2 if self.street else self.size
        rows = self.points.nearest(np.ldexp(w, self.points.exponents), k, self.street)[0]
        wide = self.points.n < self.points.d
        if not self._begin(np.arange(self.points.n) if wide else np.union1d(rows, guess), guess, wide):
            return None
        for _ in range(_ROUNDS):
            ended = self._settle()
            v = self._weights()
            if not np.isfinite(v).all() or not v.any():
                return None
            fresh = self._nearer(v, k)
            if ended or wide or not fresh.size:
                return self._found(v, ended)
            self.chosen = np.concatenate([self.chosen, fresh])
            self._active.join(self._seen(fresh) / self._scale, self.points.y[fresh].astype(np.float64))
        return self._found(v, "more and more rows came near it")

    def _begin(self, rows: Places, guess: Places, wide: bool) -> bool:
        """Let rows take part, and make the guessed ones active; otherwise one row, or one of each class."""
        y = self.points.y[rows]
        if self.street:
            X = self.points.floats(rows)[:, :-1] * y[:, None]
            middle = (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2
            self._middle = np.append(middle, 0.0)
            self._side = max(float(np.sqrt(np.mean(np.sum((X - middle) ** 2, axis=1)))), 1e-300)
        self.chosen, seen = rows, self._seen(rows)
        self._scale = max(float(np.max(np.abs(seen), initial=0.0)), 1e-300)
        seen /= self._scale
        self._active = ActiveRows(self._turned(seen) if wide else seen, y.astype(np.float64), self.street)
        first = np.unique(y, return_index=True)[1] if self.street else np.zeros(1, dtype=np.int64)
        return self._active.begin(np.flatnonzero(np.isin(rows, guess))) or self._active.begin(first)

    def _turned(self, seen: Floats) -> Floats:
        """Few long rows in coordinates of their span: as many coordinates as rows."""
        R = aside(lambda: qr(seen.T, mode="r")[0], self.points.context)
        return np.ascontiguousarray(R[: len(seen)].T)

    def _seen(self, rows: Places) -> Floats:
        """z of some rows; for a street seen from its middle, with a bias about as long as the rows."""
        Z, y = self.points.floats(rows), self.points.y[rows]
        if self.street:
            Z -= y[:, None] * self._middle
            Z[:, -1] = y * self._side
        return Z

    def _settle(self) -> str:
        """Solve for the rows that take part. Returns why that ended early; "" where it did not."""
        ended = self._active.settle(_MOST_STEPS * (self._active.u.size + 10), self._late)
        if not ended:
            self._active.refine()
        return ended

    def _late(self) -> bool:
        return self.points.context.left == 0.0

    def _weights(self) -> Floats:
        """The weights and the bias for the rows as they are."""
        active = self._active
        whole = active.u.size == self.points.d
        u = active.u if whole else self._seen(self.chosen[active.rows]).T @ active.mu / self._scale
        u = u / self._scale
        if self.street:
            u[-1] = active.bias - self._middle[:-1] @ u[:-1]
        return np.asarray(u)

    def _nearer(self, v: Floats, k: int) -> Places:
        """Rows with a response below 1 that do not take part yet."""
        scaled = np.ldexp(v, self.points.exponents)
        rows, values = self.points.nearest(scaled, k, self.street)
        rounding = 2.0**-50 * float(np.abs(scaled).sum())
        return np.setdiff1d(rows[values < 1 - _EASE - rounding], self.chosen)

    def _found(self, v: Floats, ended: str) -> Weights:
        rows, mu = self.chosen[self._active.rows], self._active.mu
        kept = mu > 0
        return Weights(v, rows[kept], mu[kept], ended)


# -- fewer rows than weights: most of them take part, so all are active at first


def all_rows(points: Points, street: bool) -> Weights | None:
    """The weights, and rows with their multipliers; None where that fails. Raises Unfinished where time is over."""
    return aside(partial(_all_rows, points, street), points.context)


@np.errstate(all="ignore")
def _all_rows(points: Points, street: bool) -> Weights | None:
    n = points.n
    Z, y = points.floats(np.arange(n)), points.y.astype(np.float64)
    if street:  # as Σ μ y = 0, the origin may be moved: between the classes, rounding errors are smallest
        X = Z * y[:, None]
        Z -= y[:, None] * ((X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2)
        Z[:, -1] = 0.0
    gram = Z @ Z.T
    gram.flat[:: n + 1] *= 1 + 1e-13
    mu = _multipliers(gram, y * np.sqrt(np.trace(gram) / n), street, points.context)
    if mu is None:
        return None
    rows = np.flatnonzero(mu > 0)
    return Weights(Z[rows].T @ mu[rows], rows, mu[rows])


def _multipliers(gram: Floats, side: Floats, street: bool, context: Context) -> Floats | None:
    n = len(gram)
    active, mu = np.ones(n, dtype=bool), np.zeros(n)
    fewest, patience = n + 1, _PATIENCE
    for _ in range(_EXCHANGES):
        context.check()
        mu[:] = 0.0
        try:
            mu[active], bias = _equations(gram[np.ix_(active, active)], side[active], street)
        except np.linalg.LinAlgError:
            return None
        wrong = np.where(active, mu < 0, gram @ mu + side * bias < 1 - _SLACK)
        count = int(np.count_nonzero(wrong))
        if not count:
            return mu
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience:
            patience -= 1
        else:  # to exchange all wrong rows may cycle; to exchange the last one cannot
            wrong[: np.flatnonzero(wrong)[-1]] = False
        active ^= wrong
    return None


def _equations(gram: Floats, side: Floats, street: bool) -> tuple[Floats, float]:
    """The multipliers and the bias of active rows, on all of which the response is 1."""
    k = len(gram)
    if not street:
        return np.asarray(np.linalg.solve(gram, np.ones(k))), 0.0
    system = np.block([[gram, side[:, None]], [side[None, :], np.zeros((1, 1))]])
    found = np.linalg.solve(system, np.append(np.ones(k), 0.0))
    return found[:-1], float(found[-1])
