"""Can a coefficient be 0 while no row is wrong and all rows that can be strict are? Floats suggest why, or why not.

In the directions that the plane rows leave open, the strict rows have vectors a, and w_j = c·u. Either c (or −c) is a
combination of them with factors μ ≥ 0, a non-negative least-squares problem; or what is left over by the best
combination is, turned round, a direction with a·u ≥ 0 on every row in which w_j changes its sign: w is tilted there
until w_j is 0. Every such direction is kept, and settles other coefficients too. Of many rows only the nearest take
part, and those that a direction has on the wrong side.
"""

import numpy as np
from scipy.linalg import svd
from scipy.optimize import nnls

from rosenblatt.verdicts.candidates import smallest
from rosenblatt.verdicts.clock import check
from rosenblatt.verdicts.points import Floats, Places, Points
from rosenblatt.verdicts.span import complement

__all__ = ["Cone"]

_ROUNDS = 40
_SAMPLE, _SAMPLE_EACH = 200, 4  # rows that directions are measured by, and so many more for each of these
_FLAT = 1e-12  # a direction in which rows respond so little, beside others, is none to floats
_NOTHING = 1e-9  # what is left over of a vector of length one, where nothing is
_EASE = 1e-9  # a response this much below zero is on the wrong side; of rows of length about one


class Cone:
    """The strict rows, and directions with none of them on the wrong side, as far as floats can tell."""

    def __init__(self, points: Points, strict: Places, plane: Places, w: list[int], deadline: float | None) -> None:
        self.points, self.strict, self.deadline = points, strict, deadline
        self.w = points.scaled(w)
        self.w /= np.linalg.norm(self.w)
        Q = complement(points, plane) if plane.size else np.eye(points.d)
        near = strict[smallest(points.respond(self.w)[strict], 2 * Q.shape[1] + 10)]
        size = min(strict.size, _SAMPLE + _SAMPLE_EACH * Q.shape[1])
        sample = np.union1d(near, np.random.default_rng(0).choice(strict, size, replace=False))
        _, sizes, axes = svd(points.unit_rows(sample) @ Q, full_matrices=False)
        kept = sizes > _FLAT * sizes[0]
        self._axes = (Q @ axes[kept].T) / sizes[kept] * np.sqrt(sample.size)  # rows respond about equally to them
        self._chosen = strict if sample.size == strict.size else near
        self._rows = points.unit_rows(self._chosen) @ self._axes
        self._directions = np.empty((0, points.d))  # as weights for scaled columns

    def directions(self, j: int, sign: int) -> list[Floats]:
        """Known ones in which w_j leaves the side of its sign, the farthest first."""
        moved = self._directions[:, j] * sign
        return [self._directions[k] for k in np.argsort(moved, kind="stable") if moved[k] < 0]

    def ask(self, j: int, sign: int) -> tuple[Floats | None, Places]:
        """A direction in which w_j leaves the side of its sign; or None, and rows whose combination forbids it."""
        c = sign * self._axes[j]
        c = c / np.linalg.norm(c)
        for _ in range(_ROUNDS):
            check(self.deadline)
            try:
                mu, left = nnls(self._rows.T, c, maxiter=50 * len(self._rows))
            except RuntimeError:  # it cycles
                break
            if left < _NOTHING:
                return None, self._chosen[mu > 0]
            u = self._axes @ (self._rows.T @ mu - c)
            u /= np.linalg.norm(u)
            if not self._join(u):
                self._directions = np.vstack([self._directions, u])
                return u, self._chosen[:0]
        return None, self._chosen[:0]

    def _join(self, u: Floats) -> bool:
        """Let the rows that u has on the wrong side take part: whether there are new ones."""
        responses = self.points.respond(u)[self.strict]
        worst = smallest(responses, self._axes.shape[1] + 10)
        fresh = np.setdiff1d(self.strict[worst[responses[worst] < -_EASE]], self._chosen)
        self._chosen = np.concatenate([self._chosen, fresh])
        self._rows = np.vstack([self._rows, self.points.unit_rows(fresh) @ self._axes])
        return bool(fresh.size)
