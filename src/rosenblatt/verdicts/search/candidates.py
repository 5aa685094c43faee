"""Candidates by float arithmetic: a direction that may separate, or rows that may prove that none does; the solver.

HiGHS solves them as the search wants it: silent, one thread, tight tolerances, a time limit.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Places
from rosenblatt.context import Context
from rosenblatt.exact import mantissas
from rosenblatt.later import highspy
from rosenblatt.later import sparse as sp
from rosenblatt.minimise import positive_solution
from rosenblatt.threads import aside, in_threads
from rosenblatt.verdicts.margins import Nearest
from rosenblatt.verdicts.points import Points, nearest_float

__all__ = [
    "Guess",
    "LinearProgram",
    "OpenFace",
    "add_rows",
    "guesses",
    "prefer_interior",
    "prefer_primal",
    "rounds",
    "run",
    "smallest",
    "solver",
    "zoom",
]

_QUICK = 10_000  # values up to which a program takes milliseconds, no longer than to start a thread
_ROWS = 256  # rows that are added at a time
_TOLERANCE = 1e-10  # the tightest that the solver allows


def solver() -> Any:
    """A solver without a problem."""
    made: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": _TOLERANCE,
        "dual_feasibility_tolerance": _TOLERANCE,
    }
    for option, value in options.items():
        made.setOptionValue(option, value)
    return made


def prefer_interior(program: "highspy.Highs") -> None:
    """Use the interior-point method with crossover: several times as fast on thousands of sparse columns."""
    program.setOptionValue("solver", "ipm")
    program.setOptionValue("presolve", "on")


def prefer_primal(program: "highspy.Highs") -> None:
    """Use the primal simplex method, which begins where the last run ended."""
    program.setOptionValue("solver", "simplex")
    program.setOptionValue("presolve", "off")
    program.setOptionValue("simplex_strategy", 4)


def add_rows(program: "highspy.Highs", A: "sp.csr_array | Floats", low: Floats, high: Floats, context: Context) -> None:
    """Add rows with low ≤ a·x ≤ high, of an array or CSR; a few at a time, as many dense rows take long."""
    for first in range(0, A.shape[0], _ROWS):
        context.check()
        some = slice(first, first + _ROWS)
        part = A[some]
        if isinstance(part, np.ndarray):
            there = part != 0
            data, places = part[there], there.nonzero()[1]
            starts = np.cumsum(there.sum(axis=1)) - there.sum(axis=1)
        else:
            part = sp.csr_array(part)
            data, places, starts = part.data, part.indices, part.indptr[:-1]
        starts, places = starts.astype(np.int32), places.astype(np.int32)
        program.addRows(part.shape[0], low[some], high[some], len(data), starts, places, data)


def run(program: "highspy.Highs", context: Context) -> bool:
    """Solve. Returns whether an optimum was reached; raises Unfinished where time is over."""
    if program.getNumNz() <= _QUICK:
        program.run()
    else:
        _run_aside(program, context)
    context.check()
    return bool(program.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _run_aside(program: "highspy.Highs", context: Context) -> None:
    """Solve in a thread; where time is over the solver is told to stop, which it asks about at each of its steps."""
    stop = Event()

    def interrupt(event: Any) -> None:
        event.data_in.user_interrupt = stop.is_set()

    asking = (program.cbSimplexInterrupt, program.cbIpmInterrupt)
    for one in asking:
        one.subscribe(interrupt)
    aside(program.run, context, stop.set)
    for one in asking:
        one.unsubscribe(interrupt)


# ----------------------------------------------------------------------------------------------------------- candidates
# A candidate proves nothing. The search checks it in exact arithmetic, and drops it if it fails.


_ROUNDS = 60
_EASE = 1e-9  # a row this much below the optimum is violated
_SHORT = 500  # equations that are solved in less time than a second thread might wait for
_PIECE = 256  # rows of a Gram matrix that are worked out between two looks at the clock
_CHEAP = 1 << 16  # values of all rows that are looked at in some microseconds
_FAR_BELOW = 1e-6  # a response of weights of size one that is below zero, however floats were rounded
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

    def others(self, rows: Places, chosen: Places) -> Places:
        """Those of the rows that are not chosen yet, in order."""
        new = np.zeros(self.points.n, dtype=bool)
        new[rows] = True
        new[chosen] = False
        return np.flatnonzero(new)

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
    if face.points.n * face.points.d > _CHEAP:
        yield Guess(u)
        worst = face.scan(u)[0]
    else:  # a look at the rows costs less than what it may show to be in vain
        worst, least = face.scan(u)
        yield Guess(u if face.known.size or least > -_FAR_BELOW * float(np.abs(u).sum()) else np.zeros_like(u))
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
    return aside(lambda: _of_many(gram, right), context)


def _of_many(gram: Floats, right: Floats) -> Floats:
    try:
        return positive_solution(gram, right)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.solve(gram, right))


def _dense(block: "sp.csr_array | Floats") -> Floats:
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
        fresh = face.others(worst, chosen)
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
        fresh = face.others(worst, chosen)
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


# ----------------------------------------------------------------------------------------------------------------- zoom
# Around whole-numbered weights w the responses z·w are computed exactly; where they are tiny, a linear program finds
# the correction δ with z·δ ≥ τ − 2^26·(z·w), and w becomes 2^26·w + δ: each step sees 26 bits further.


_SHIFT = 26
_STEPS = 12
_BITS = 40  # of a correction


def zoom(face: OpenFace, pass_through: Callable[[list[int]], list[int]]) -> Iterator[Guess]:
    """Yield guesses, each with 26 bits more; `pass_through` makes weights pass through the known rows exactly."""
    points = face.points
    # The cone of weights that have no row on the wrong side may be too thin for floats: begin in its middle.
    u = _centre(face)
    if u is None:
        return
    w = pass_through(_unscaled_weights(u, points.exponents))
    yield Guess(u, w=w)
    chosen = face.scan(u)[0]
    # Each step shifts w by 26 bits, so that the next correction fills in bits that no float had room for.
    for _ in range(_STEPS):
        if not any(w):
            return
        program = face.program()
        fresh, corrected = chosen, w
        # Few rows take part in the program. Rows that exact arithmetic finds on the wrong side join it.
        for _ in range(_ROUNDS):
            # As |δ| ≤ 1, a limit beyond a million is met by every δ, or by none.
            right = np.clip(-(2.0**_SHIFT) * _rounded_responses(points, fresh, w), -1e6, 1e6)
            program.add(points.unit_rows(fresh), right)
            solved = program.solve()
            if solved is None:
                return
            delta, tau, active = solved
            corrected = pass_through(_refined(w, delta, points.exponents))
            if not any(corrected):
                return
            signs = points.signs(corrected, np.flatnonzero(face.open_rows))
            wrong = np.flatnonzero(face.open_rows & (signs <= 0))
            if not wrong.size:
                yield Guess(delta, w=corrected)
                return
            fresh = np.setdiff1d(wrong, chosen)[: 4 * points.d]
            # The program knows all of them already: floats see no further with this w.
            if not fresh.size:
                break
            chosen = np.concatenate([chosen, fresh])
        # To floats nothing separates. Exact arithmetic proves that from these rows, or the next step looks closer.
        if tau <= _EASE:
            yield Guess(delta, chosen[active], corrected)
        w = corrected


def _centre(face: OpenFace) -> Floats | None:
    """The u with z·u ≥ 0 and |u| ≤ 1 that makes Σ z·u largest: the middle of the cone, as far as floats can tell."""
    # Rows that are not open add nothing to the sum: the weights pass through them.
    push = face.points.total / face.points.n
    for u, _, _, least, last in rounds(face, face.program(push), face.scan(push)[0]):
        if last or least > -_EASE:
            return u if np.max(np.abs(u)) > _EASE else None
    return None


def _unscaled_weights(u: Floats, exponents: Integers) -> list[int]:
    """The weights u of scaled columns as whole numbers for the unscaled rows, times a common power of two."""
    m, e = mantissas(u)
    return _sums_as_whole([[(int(a), int(b))] for a, b in zip(m, e - exponents, strict=True)])


def _refined(w: list[int], delta: Floats, exponents: Integers) -> list[int]:
    """2^26·w + δ, with w scaled so that its largest weight is about one."""
    size = _largest_exponent(w, exponents)
    bits = np.rint(np.ldexp(delta, _BITS)).astype(np.int64)
    return _sums_as_whole(
        [[(v, _SHIFT), (int(b), size - int(e) - _BITS)] for v, b, e in zip(w, bits, exponents, strict=True)]
    )


def _sums_as_whole(terms: list[list[tuple[int, int]]]) -> list[int]:
    """Sums of m · 2^e, as whole numbers times a common power of two."""
    lowest = min((e for pairs in terms for m, e in pairs if m), default=0)
    return [sum(m << (e - lowest) for m, e in pairs if m) for pairs in terms]


def _largest_exponent(w: list[int], exponents: Integers) -> int:
    """The exponent of the largest weight, in scaled columns."""
    return max(v.bit_length() + int(e) for v, e in zip(w, exponents, strict=True) if v)


def _rounded_responses(points: Points, rows: Places, w: list[int]) -> Floats:
    """The responses of unit rows to w, whose largest weight is scaled to about one; rounded once, at the end."""
    unit = Fraction(2) ** _largest_exponent(w, points.exponents)
    return np.asarray(
        np.array([nearest_float(value / unit) for value in points.values(w, rows)]) / points.lengths[rows]
    )
