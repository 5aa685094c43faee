"""Can a coefficient be 0 while no row is wrong and all rows that can be strict are? Floats suggest why, or why not.

In the directions that the plane rows leave open, the strict rows have vectors a, and w_j = c·u. First w is tilted until
w_j changes its sign: a few steps, each as long as the distances a·u of the rows allow (Dikin's affine scaling, 1967).
If the sign cannot be changed so, a non-negative least-squares problem decides. Either c (or −c) is a combination of the
rows with factors μ ≥ 0; or minus the remainder of the best combination is a direction with a·u ≥ 0 on every row in
which w_j changes its sign. A direction is kept, as it may settle other coefficients too. Of many rows only the nearest
take part, and those that a direction has on the wrong side.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.later import linalg
from rosenblatt.verdicts.fates.span import complement
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import smallest

__all__ = ["Cone"]

_ROUNDS = 40
_LARGEST = 1000  # directions up to which a combination is sought: about a minute, which nothing can interrupt
_SAMPLE, _SAMPLE_EACH = 200, 4  # rows that show how long directions are: so many, and so many more for each direction
_FLAT = 1e-12  # a direction to which rows respond so little, compared with others, does not count
_NOTHING = 1e-9  # a remainder of a vector of length one that counts as zero
_SHARES = (2.0**-6, 2.0**-12)  # parts of a combination that the basis's rows get; a large part is better
_STEPS = 8
_STEP = 0.9  # of the way to the nearest row
_ENOUGH = 0.5  # how far beyond 0 w_j is tilted, relative to |w_j|: the farther, the more coefficients it settles
_ALIGNED = 1e-13  # one minus the cosine of a row and w_j that may be multiples of one another
_MANY = 1 << 23  # values of strict rows up to which each is looked at for that
_FAR = 1e-3  # how far beyond 0 a known direction must lead, relative to |w_j|, to be used again
_EASE = 1e-9  # a response this much below zero is on the wrong side; of rows of length about one


_Surroundings = tuple[Floats, Any]


class Cone:
    """The strict rows, and directions that have none of them on the wrong side, as far as floats can tell."""

    def __init__(self, points: Points, strict: Places, plane: Places, w: list[int]) -> None:
        self.points, self.strict = points, strict
        self.w = points.scaled(w)
        self.w /= np.linalg.norm(self.w)
        Q = complement(points, plane) if plane.size else np.eye(points.d)
        near = strict[smallest(points.respond(self.w)[strict], 2 * Q.shape[1] + 10)]
        size = min(strict.size, _SAMPLE + _SAMPLE_EACH * Q.shape[1])
        sample = np.union1d(near, np.random.default_rng(0).choice(strict, size, replace=False))
        _, sizes, axes = linalg.svd(points.unit_rows(sample) @ Q, full_matrices=False)
        kept = sizes > _FLAT * sizes[0]
        self._axes = (Q @ axes[kept].T) / sizes[kept] * np.sqrt(sample.size)  # rows respond about equally to them
        self._chosen = strict if sample.size == strict.size else near
        self._rows = points.unit_rows(self._chosen) @ self._axes
        self._u = sizes[kept] * (axes[kept] @ (Q.T @ self.w)) / np.sqrt(sample.size)  # w in these axes
        self._directions = np.empty((0, points.d))  # as weights for scaled columns
        self._ran_away = False  # whether the last coefficient did: the next most often does too, and no tilt shows it
        self._first: _Surroundings | None = None  # the surroundings of w among the rows chosen when it was computed

    def hardest_first(self, places: Iterable[int]) -> list[int]:
        """Coefficients, those first for which w must be tilted farthest: what settles them settles many others."""
        far = np.abs(self.w) / np.maximum(np.linalg.norm(self._axes, axis=1), 1e-300)
        return sorted(places, key=lambda j: -far[j])

    def along(self, j: int, sign: int) -> Places:
        """The strict row (or none) that by itself is a multiple of w_j, as those of a level of one class are."""
        c = sign * self._axes[j]
        closeness = self._aligned @ (c / np.linalg.norm(c))
        best = int(np.argmax(closeness))
        return self._considered[best : best + int(closeness[best] > 1.0 - _ALIGNED)]

    @cached_property
    def _considered(self) -> Places:
        return self.strict if self.strict.size * self._axes.shape[1] <= _MANY else self._chosen

    @cached_property
    def _aligned(self) -> Floats:
        """These rows in the axes, each of length one."""
        rows = self.points.unit_rows(self._considered) @ self._axes
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300))

    def ask(self, j: int, sign: int) -> tuple[Floats | None, Places]:
        """A direction in which w_j loses its sign; or None, and rows whose combination shows that there is none.

        None and no rows: floats cannot tell.
        """
        moved: Floats = self._directions[:, j] * sign
        if moved.min(initial=0.0) < -_FAR * abs(self.w[j]):
            return self._directions[np.argmin(moved)], self._chosen[:0]
        c = sign * self._axes[j]
        c = c / np.linalg.norm(c)
        for _ in range(_ROUNDS):
            self.points.context.check()
            u, rows = None if self._ran_away else self._tilt(c), self._chosen[:0]
            if u is None:
                u, rows = self._left_over(c)
            if u is None and self._ran_away and not rows.size:
                u = self._tilt(c)
            self._ran_away = u is None and rows.size > 0
            if u is None:
                return None, rows
            u = self._axes @ u
            u /= np.linalg.norm(u)
            if not self._join(u):
                self._directions = np.vstack([self._directions, u])
                return u, rows
        return None, self._chosen[:0]

    def share(self, j: int, sign: int, basis: Places) -> tuple[Places, Floats] | None:
        """Unit rows and factors that combine to w_j, positive on the basis; None where floats find none.

        A share of the basis's rows is set aside first and added at the end: so their factors are positive.
        """
        c = sign * self._axes[j]
        c = c / np.linalg.norm(c)
        places = np.searchsorted(self._chosen, basis, sorter=(order := np.argsort(self._chosen)))
        shared = self._rows[order[places]].mean(axis=0)
        for share in _SHARES:
            self.points.context.check()
            mu, left = self._combination(c - share * shared)
            if mu is not None and left < _NOTHING:
                mu[order[places]] += share / basis.size
                return self._chosen[mu > 0], mu[mu > 0]
        return None

    def _tilt(self, c: Floats) -> Floats | None:
        """Move from w to a u with c·u < 0 without passing a chosen row; None where no such u is reached."""
        u: Floats = self._u
        size = abs(float(c @ self._u))
        for k in range(_STEPS):
            surroundings = self._around(u) if k else self._around_w()
            if surroundings is None:
                return None
            relative, factor = surroundings
            step = -linalg.lapack.dpotrs(factor, c)[0]
            nearest = float(np.min(relative @ step))
            u = u + step * (_STEP / max(-nearest, _FLAT))
            if c @ u < -_ENOUGH * size:
                break
        return u if c @ u < -_FAR * size else None

    def _around(self, u: Floats) -> _Surroundings | None:
        """The chosen rows, each divided by its distance a·u, and their factorised Gram matrix; None: u is outside."""
        distances = self._rows @ u
        if distances.min() <= 0:
            return None
        relative = self._rows / distances[:, None]
        gram = relative.T @ relative
        gram.flat[:: len(gram) + 1] *= 1 + _FLAT
        factor, failed = linalg.lapack.dpotrf(gram)  # SciPy's own functions take as long to call as these take
        return None if failed else (relative, factor)

    def _around_w(self) -> _Surroundings | None:
        """The same around w, where every tilt begins."""
        if self._first is None or len(self._first[0]) < len(self._rows):
            self._first = self._around(self._u)
        return self._first

    def _left_over(self, c: Floats) -> tuple[Floats | None, Places]:
        """(None, rows that combine to c); or, where none do, (minus the remainder of the best combination, no rows)."""
        mu, left = self._combination(c) if len(c) <= _LARGEST else (None, np.inf)
        if mu is None:
            return None, self._chosen[:0]
        return (None, self._chosen[mu > 0]) if left < _NOTHING else (self._rows.T @ mu - c, self._chosen[:0])

    def _combination(self, c: Floats) -> tuple[Floats | None, float]:
        """Factors ≥ 0 with which the chosen rows come nearest to c, and the distance left; None where it fails."""
        try:
            from scipy.optimize import nnls  # slow to load, and small tables never come here

            mu, left = nnls(self._rows.T, c, maxiter=50 * len(self._rows))
        except RuntimeError:  # it cycles
            return None, np.inf
        return mu, float(left)

    def _join(self, u: Floats) -> bool:
        """Let the rows that u has on the wrong side take part. Returns whether any of them is new."""
        if self._chosen.size == self.strict.size:
            return False
        responses = self.points.respond(u)[self.strict]
        worst = smallest(responses, self._axes.shape[1] + 10)
        fresh = np.setdiff1d(self.strict[worst[responses[worst] < -_EASE]], self._chosen)
        self._chosen = np.concatenate([self._chosen, fresh])
        self._rows = np.vstack([self._rows, self.points.unit_rows(fresh) @ self._axes])
        return bool(fresh.size)
