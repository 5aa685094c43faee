"""Candidates by float arithmetic: a direction that may separate, or rows that may prove that none does.

A candidate proves nothing. The search checks it in exact arithmetic, and drops it if it fails.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import highspy
import numpy as np
from scipy.sparse import csr_array

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.context import Context
from rosenblatt.threads import aside, in_threads
from rosenblatt.verdicts.margins import Nearest
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.program import add_rows, run, solver

__all__ = ["Guess", "LinearProgram", "OpenFace", "guesses", "rounds", "smallest"]

_ROUNDS = 60
_EASE = 1e-9  # a row this much below the optimum is violated
_SHORT = 500  # equations that are solved in less time than a second thread might wait for
_PIECE = 256  # rows of a Gram matrix that are worked out between two looks at the clock
_LARGEST_GRAM = 4096  # sides up to which a Gram matrix is made of sparse rows


@dataclass(frozen=True)
class Guess:
    """A candidate: `u` (or the whole numbers `w`) may separate, or a mixture of `rows` and known rows may vanish."""

    u: Floats  # for scaled columns
    rows: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    w: list[int] | None = None


@dataclass(frozen=True)
class OpenFace:
    """The question: do weights pass through the `known` rows with all `open_rows` (a mask) strictly on their side.

    Every hyperplane that has no row on the wrong side passes through the known rows.
    """

    points: Points
    open_rows: Flags
    known: Places

    def scan(self, u: Floats) -> tuple[Places, float]:
        """Look at all open rows: those with the smallest responses, smallest first, and the smallest response."""
        rows, responses = self.points.worst(u, 2 * self.points.d + 10, self.open_rows)
        return rows, float(responses[0])

    def projection(self) -> Callable[[Floats], Floats]:
        """The projection of weights onto those that pass through the known rows."""
        if not self.known.size:
            return lambda u: u
        Q = np.linalg.qr(self.points.unit_rows(self.known).T)[0]
        return lambda u: u - Q @ (Q.T @ u)

    def program(self, push: Floats | None = None) -> "LinearProgram":
        """A linear program that has no open rows yet."""
        return LinearProgram(self.points.unit_rows(self.known), self.points.d, self.points.context, push)


def guesses(face: OpenFace) -> Iterator[Guess]:
    """Candidates by least squares, by the point of the hull nearest to 0, and by a linear program, in this order.

    Least squares alone separates easy data. Each later candidate separates as far as floats can tell, or names rows.
    """
    along = face.projection()
    u = along(least_squares(face.points, face.open_rows))
    yield Guess(u)
    worst = face.scan(u)[0]
    yield from _nearest_point(face, along, worst)
    yield from _best_on_few(face, worst)


def least_squares(points: Points, open_rows: Flags) -> Floats:
    """About the shortest u with response 1 on the open rows and 0 on others, by the smaller of two Gram matrices."""
    n, d = points.n, points.d
    if points.rows.sparse and min(n, d) > _LARGEST_GRAM:
        ((_, _, matrix),) = points.blocks()
        from scipy.sparse.linalg import lsmr  # slow to load, and small tables never come here

        return np.asarray(lsmr(matrix, open_rows.astype(np.float64), damp=1e-8, maxiter=300)[0])
    if n < d:
        A = np.vstack([_dense(block) for _, _, block in points.blocks()])
        gram = _row_products(A, points.context)
        gram.flat[:: n + 1] += 1e-10
        return np.asarray(A.T @ _solution(gram, open_rows.astype(np.float64), points.context))
    if points.gram is not None:
        gram = points.gram.copy()
    else:
        ((_, _, matrix),) = points.blocks()
        gram = _dense(matrix.T @ matrix)
    gram.flat[:: d + 1] += 1e-10 * n
    closed = np.flatnonzero(~open_rows)
    right = points.total.copy()
    for part in np.array_split(closed, 1 + closed.size * d // (1 << 20)):
        right -= points.unit_rows(part).sum(axis=0)
    return _solution(gram, right, points.context)


def _row_products(A: Floats, context: Context) -> Floats:
    """A·Aᵀ in pieces, each multiplied with the rows up to its own last one; symmetry gives the rest."""
    n = len(A)
    ends = np.linspace(0, n, max(1, n // _PIECE) + 1).astype(int).tolist()
    parts = list(pairwise(ends))
    out = np.empty((n, n))
    for (first, stop), products in zip(parts, in_threads(lambda at: A[slice(*at)] @ A[: at[1]].T, parts), strict=True):
        context.check()
        out[first:stop, :stop] = products
        out[:stop, first:stop] = products.T
    return out


def _solution(gram: Floats, right: Floats, context: Context) -> Floats:
    if len(gram) <= _SHORT:
        return np.asarray(np.linalg.solve(gram, right))
    return np.asarray(aside(lambda: np.linalg.solve(gram, right), context))


def _dense(block: csr_array | Floats) -> Floats:
    return np.asarray(block.toarray() if hasattr(block, "toarray") else block)


def smallest(values: Floats, k: int) -> Places:
    """Where the k smallest values are, smallest first."""
    places = np.argpartition(values, k)[:k] if k < len(values) else np.arange(len(values))
    return np.asarray(places[np.argsort(values[places], kind="stable")])


def _nearest_point(face: OpenFace, along: Callable[[Floats], Floats], chosen: Places) -> Iterator[Guess]:
    """The point Σ λ z of the hull nearest to 0, a non-negative least-squares problem on few rows; the worst rows join.

    Where the unit rows are separable, this point is the direction of their theorem's margin. Where they are not, it is
    0, and its rows are the proof.
    """
    nearest, fresh = Nearest(face.points.d), chosen
    for _ in range(_ROUNDS):
        nearest.add(along(face.points.unit_rows(fresh).T).T)
        if not nearest.solve(face.points.context.check):
            return
        lam = nearest.weights
        u = along(lam @ face.points.unit_rows(chosen)) / max(lam.sum(), 1e-300)
        worst, least = face.scan(u)
        fresh = np.setdiff1d(worst, chosen)
        if least > 0 or not fresh.size or u @ u < 1e-18:
            yield Guess(u, chosen[lam > 0])
            return
        chosen = np.concatenate([chosen, fresh])


def _best_on_few(face: OpenFace, chosen: Places) -> Iterator[Guess]:
    """max t with z·u ≥ t and |u| ≤ 1 on few rows; the worst of the other rows join until none is below t."""
    for u, t, active, least, last in rounds(face, face.program(), chosen):
        if least > 0 or last or t < _EASE:
            yield Guess(u, active)
        if last or t < _EASE or least >= t - _EASE:
            return


class _Round(NamedTuple):
    """The program's optimum on some of the open rows, and how the others stand to it."""

    u: Floats
    t: float
    active: Places  # rows with a positive multiplier
    least: float  # the smallest response of all open rows
    last: bool  # the rows of smallest response all take part: no further one can join


def rounds(face: OpenFace, program: "LinearProgram", chosen: Places) -> Iterator[_Round]:
    """Solve the program on few rows, then let the rows with the smallest responses join, round after round."""
    fresh = chosen
    for _ in range(_ROUNDS):
        program.add(face.points.unit_rows(fresh), np.zeros(fresh.size))
        solved = program.solve()
        if solved is None:
            return
        u, t, active = solved
        worst, least = face.scan(u)
        fresh = np.setdiff1d(worst, chosen)
        yield _Round(u, t, chosen[active], least, not fresh.size)
        chosen = np.concatenate([chosen, fresh])


class LinearProgram:
    """max t over |u| ≤ 1, with a·u − t ≥ right on rows that join and b·u = 0 on known ones; a warm dual simplex.

    With a `push`, it maximises push·u instead, and t is 0.
    """

    def __init__(self, known: Floats, d: int, context: Context, push: Floats | None = None) -> None:
        self.d = d
        self._context = context
        self._solver = solver()
        inf = highspy.kHighsInf
        ends = (-inf, 1.0) if push is None else (0.0, 0.0)
        self._solver.addVars(d + 1, np.append(-np.ones(d), ends[0]), np.append(np.ones(d), ends[1]))
        costs = np.append(np.zeros(d), -1.0) if push is None else np.append(-push, 0.0)
        self._solver.changeColsCost(d + 1, np.arange(d + 1, dtype=np.int32), costs)
        self._known = len(known)
        if len(known):
            zeros = np.zeros(len(known))
            add_rows(self._solver, np.column_stack([known, zeros]), zeros, zeros, context)

    def add(self, A: Floats, right: Floats) -> None:
        """Let rows join: a·u − t ≥ right."""
        A = np.column_stack([A, -np.ones(len(A))])
        add_rows(self._solver, A, right, np.full(len(A), highspy.kHighsInf), self._context)

    def solve(self) -> tuple[Floats, float, Places] | None:
        """u, t, and which of the rows have a positive multiplier; None where the solver gave up."""
        if not run(self._solver, self._context):
            return None
        solution = self._solver.getSolution()
        x, multipliers = np.array(solution.col_value), np.array(solution.row_dual)[self._known :]
        return x[: self.d], float(x[self.d]), np.flatnonzero(multipliers > 1e-12)
