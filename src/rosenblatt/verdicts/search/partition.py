"""All rows at once that some hyperplane has strictly on their side, while it has no row on the wrong side.

    max Σ t   with   z·w ≥ t   and   0 ≤ t ≤ 1

A row that can be strict can have t = 1 (make w longer), and the sum of two such w serves both rows. So the optimum has
t = 1 on every row that can be strict, and t = 0 on the rows of the plane. Of many rows only a few take part: rows that
w has on the wrong side join, until there are none.

Floats propose. The search confirms the signs of w, and the mixture of the rows on the plane, in exact arithmetic.
"""

from typing import Any

import highspy
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, hstack, identity

from rosenblatt.arrays import Floats, Places
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.basis import Basis, few_values
from rosenblatt.verdicts.search.program import add_rows, prefer_interior, prefer_primal, run, solver

__all__ = ["Partition"]

_SAMPLE_SIGN = 2  # rows of either sign to begin with, for each of many sparse columns
_ROUNDS = 40
_EASE = 1e-7  # a response this much below zero is on the wrong side; of rows of length one
_OUTSIDE = 1e-9  # a response that shows a row to be outside a span


class Partition:
    """The program with the rows `chosen` so far; after `settle`, its weights `u` (for scaled columns) and `strict`."""

    def __init__(self, points: Points, rows: Places) -> None:
        self.points = points
        self._rng = np.random.default_rng(0)
        self._solver: Any = solver()
        if points.many_sparse:
            prefer_interior(self._solver)
        else:
            prefer_primal(self._solver)  # w = 0 is where it begins
        inf = highspy.kHighsInf
        self._solver.addVars(points.d, np.full(points.d, -inf), np.full(points.d, inf))
        self.chosen = np.empty(0, dtype=np.int64)
        self.u: Floats = np.zeros(points.d)
        self.strict = np.zeros(0, dtype=bool)
        self._basis: tuple[Places, Basis] | None = None
        self.add(np.union1d(rows, self._sample()))

    def _sample(self) -> Places:
        """Random rows to begin with; for many sparse columns, rows of either sign for each column."""
        if self.points.many_sparse:
            return self.points.some_of_each_column(_SAMPLE_SIGN, self._rng)
        return self._rng.choice(self.points.n, min(self.points.n, self.points.sample_size), replace=False)

    @property
    def plane(self) -> Places:
        """The chosen rows that cannot be strict."""
        return self.chosen[~self.strict]

    def add(self, rows: Places) -> bool:
        """Let rows take part, at most `sample_size` of them at a time. Returns whether any of them is new."""
        rows = np.setdiff1d(rows, self.chosen)
        if rows.size > self.points.sample_size:
            rows = rows[np.sort(self._rng.choice(rows.size, self.points.sample_size, replace=False))]
        k, before = rows.size, self.chosen.size
        nothing = np.zeros(k, dtype=np.int32)
        self._solver.addCols(k, -np.ones(k), np.zeros(k), np.ones(k), 0, nothing, nothing[:0], np.zeros(0))
        A = csr_array(hstack([self.points.unit_csr(rows), csr_array((k, before)), -identity(k)]))
        add_rows(self._solver, A, np.zeros(k), np.full(k, highspy.kHighsInf), self.points.context)
        self.chosen = np.concatenate([self.chosen, rows])
        return bool(k)

    @property
    def values(self) -> int:
        """Values of the program other than zero: what it costs grows with them."""
        return int(self._solver.getNumNz())

    def settle(self) -> bool:
        """Solve until, to floats, no row is on the wrong side and the chosen plane rows span the plane.

        Returns whether that was reached.
        """
        for _ in range(_ROUNDS):
            if not run(self._solver, self.points.context):
                return False
            prefer_primal(self._solver)  # rows that join change little: the next run begins where this one ended
            x = np.array(self._solver.getSolution().col_value)
            self.u, self.strict = x[: self.points.d], x[self.points.d :] > 0.5
            responses = self.points.respond(self.u, np.float32)
            wrong = np.flatnonzero(responses < -_EASE)
            if not self.add(wrong) and not self.add(self._unspanned(responses)):
                return True
        return False

    def _across(self, Z: Floats) -> Floats | None:
        """A random direction to which these rows do not respond; None where they span everything.

        Multiplying by ε/(ZᵀZ + ε) shrinks what they respond to by a factor of 10^4 or more each time.
        """
        gram = Z.T @ Z
        ease = 1e-10 * max(1.0, float(gram.diagonal().max(initial=0.0)))
        gram.flat[:: len(gram) + 1] += ease
        factor = cho_factor(gram)
        v = self._rng.normal(size=len(gram))
        size = float(np.linalg.norm(v))
        for _ in range(3):
            v = ease * cho_solve(factor, v)
        left = float(np.linalg.norm(v))
        return v / left if left > 1e-4 * size else None

    @property
    def basis(self) -> Basis:
        """A basis of what the chosen rows on the plane span."""
        plane = self.plane
        if self._basis is None or not np.array_equal(plane, self._basis[0]):
            self._basis = plane, Basis.of(self.points, plane)
        return self._basis[1]

    def _unspanned(self, responses: Floats) -> Places:
        """Rows on the plane that the chosen ones there do not span: perhaps they can be strict."""
        if not self.plane.size:
            return np.flatnonzero(np.abs(responses) <= _EASE)
        if few_values(self.points, self.plane):
            return self.basis.outside(np.flatnonzero(np.abs(responses) <= _EASE), self._rng)
        v = self._across(self.points.unit_rows(self.plane))
        if v is None:
            return np.empty(0, dtype=np.int64)
        found = [
            first + np.flatnonzero((np.abs(responses[first:stop]) <= _EASE) & (np.abs(across) > _OUTSIDE))
            for first, stop, across in self.points.responses(v)
        ]
        return np.concatenate(found)
