"""λ > 0 on every row of a plane with Σ λ z = 0, in short whole numbers; and which rows are on that plane (partition).

A mixture takes one linear program and one exact solve.

Give every row of the plane the same share. What the sum then lacks, −Σ z, is sought as a combination of few rows with
factors e ≥ 0; a vertex of that program has at most as many rows as the plane has dimensions, and they are independent.
So e is the solution of one square system: quotients of determinants, as short as such numbers can be expected to be.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import primitive
from rosenblatt.later import highspy, linalg
from rosenblatt.later import sparse as sp
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.basis import Basis, few_values
from rosenblatt.verdicts.search.candidates import (
    OpenFace,
    add_rows,
    guesses,
    prefer_interior,
    prefer_primal,
    run,
    solver,
)
from rosenblatt.verdicts.search.fitting import Fit, Fitted

__all__ = ["Mixture", "Partition", "WholeMixture", "few_rows", "vanishing", "written_out"]

_OF_EACH = 8  # rows of either sign for each sparse column, of which a mixture may vanish
_TINY = 1e-9  # the weight of rows that the program leaves out, relative to the rows that it takes


class Mixture(NamedTuple):
    """λ is `base` on every row of a plane, plus its entry on rows of `basis`, which span the plane."""

    entries: dict[int, int]
    base: int
    basis: Basis


class WholeMixture(NamedTuple):
    """λ is `base` on every row of a plane, plus `entries`; `few` is a λ on few rows. Rows by their numbers outside."""

    entries: dict[int, int]
    base: int
    few: dict[int, int]


def written_out(fitted: Fitted) -> WholeMixture:
    """The exact mixture of rows that a fit in floats has proved to overlap. Raises Unfinished where floats fail."""
    points, number = fitted.points, fitted.rows.tolist()
    plane = np.arange(points.n)
    for chosen in _samples(points):
        found = vanishing(points, plane, chosen)
        if found is not None:
            few = few_rows(points, chosen, found.basis)
            entries, few = ({number[i]: m for i, m in lam.items()} for lam in (found.entries, few))
            return WholeMixture(entries, found.base, few)
    raise Unfinished("floats prove that the rows overlap; whole numbers for that were not found from them")


def _samples(points: Points) -> Iterator[Places]:
    """Rows of which a mixture may vanish: few at first, as a program of many takes long, and at last all."""
    rng = np.random.default_rng(0)
    if not points.many_sparse:
        face = OpenFace(points, np.ones(points.n, dtype=bool), np.empty(0, dtype=np.int64))
        yield from (guess.rows for guess in islice(guesses(face), 1, 2) if guess.rows.size)
    if points.rows.sparse:
        some = points.some_of_each_column(_OF_EACH, rng)
    else:
        some = np.sort(rng.choice(points.n, min(points.n, points.sample_size), replace=False))
    if 2 * some.size < points.n:
        part = type(points)(points.rows.subset(some), points.y[some], points.bias, points.context)
        fit, whole = Fit.of(part), Fit.of(points)
        if fit and whole and fit.columns.size == whole.columns.size and any(s.weights is not None for s in fit.steps()):
            yield some
    yield np.arange(points.n)


def vanishing(points: Points, plane: Places, chosen: Places) -> Mixture | None:
    """The mixture, confirmed exactly; None where what floats suggested is wrong.

    `chosen` are rows of the plane that span it and, by themselves, have a mixture λ > 0 that vanishes.
    """
    basis = Basis.of(points, chosen)
    sums = points.sums(plane)
    if any(sums):
        A = _unit(points, chosen, basis)
        e = _combination(A, _off(points, sums, plane)[basis.columns], points)
        if e is None:
            return None
        basis = Basis.of(points, chosen, e / max(e.max(), 1e-300) + _TINY)
    x, base = basis.factors([-s for s in sums])
    base, *x = primitive([base, *x])
    if any(v <= -base for v in x):
        return None
    entries = {int(i): v for i, v in zip(basis.rows, x, strict=True) if v}  # none where equal shares vanish
    rest = [t + base * s for t, s in zip(points.mixed(entries), sums, strict=True)]
    return None if any(rest) else Mixture(entries, base, basis)


def few_rows(points: Points, chosen: Places, basis: Basis) -> dict[int, int]:
    """λ > 0 on few of the rows with Σ λ z = 0, confirmed exactly; empty where what floats suggested is wrong.

    λ is a vertex of Σ e z = 0, Σ e = 1, e ≥ 0: at most one row more than the rows have dimensions.
    """
    A, ones = _unit(points, chosen, basis), np.ones((chosen.size, 1))
    A = np.hstack([A, ones]) if isinstance(A, np.ndarray) else sp.hstack([A, ones], "csr")
    e = _combination(A, np.append(np.zeros(len(basis.columns)), 1.0), points)
    if e is None:
        return {}
    rows = chosen[e > _TINY]
    found = Basis.of(points, rows)
    others = np.setdiff1d(rows, found.rows)
    if others.size != 1:
        return {}
    other = int(others[0])
    x, denominator = found.factors([-t for t in points.mixed({other: 1})])
    total = dict(zip([other, *found.rows.tolist()], primitive([denominator, *x]), strict=True))
    total = {i: v for i, v in total.items() if v}
    return {} if min(total.values()) < 0 or any(points.mixed(total)) else total


def _off(points: Points, sums: list[Fraction], plane: Places) -> Floats:
    """−Σ z in scaled columns, divided by the number of rows, rounded to floats."""
    return np.array(
        [-float(s / Fraction(2) ** int(e)) / plane.size for s, e in zip(sums, points.exponents, strict=True)]
    )


def _unit(points: Points, chosen: Places, basis: Basis) -> "sp.csr_array | Floats":
    """Some rows in the basis's columns, in CSR where the data are."""
    rows = points.unit_csr(chosen) if points.rows.sparse else points.unit_rows(chosen)
    return rows[:, basis.columns]


def _combination(A: "sp.csr_array | Floats", target: Floats, points: Points) -> Floats | None:
    """e ≥ 0 with Σ e·a = target and Σ e small, at a vertex."""
    program: Any = solver()
    if points.many_sparse:
        prefer_interior(program)
    n = A.shape[0]
    program.addVars(n, np.zeros(n), np.full(n, highspy.kHighsInf))
    program.changeColsCost(n, np.arange(n, dtype=np.int32), np.ones(n))
    add_rows(program, A.T if isinstance(A, np.ndarray) else sp.csr_array(A.T), target, target, points.context)
    if not run(program, points.context):
        return None
    return np.array(program.getSolution().col_value)


# ------------------------------------------------------------------------------------------------------------ partition
# All rows at once that some hyperplane has strictly on their side, while it has no row on the wrong side:
# max Σ t with z·w ≥ t and 0 ≤ t ≤ 1
# A row that can be strict can have t = 1 (make w longer), and the sum of two such w serves both rows. So the optimum
# has t = 1 on every row that can be strict, and t = 0 on the rows of the plane. Of many rows only a few take part:
# rows that w has on the wrong side join, until there are none.
# Floats propose. The search confirms the signs of w, and the mixture of the rows on the plane, in exact arithmetic.


_SAMPLE_SIGN = 2  # rows of either sign to begin with, for each of many sparse columns
_ROUNDS = 40
_EASE = 1e-7  # a response this much below zero is on the wrong side; of rows of length one
_FEW = 1 << 14  # values of a matrix up to which NumPy will do: a small table need not load SciPy
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
        if self.points.rows.sparse or k * (before + k) > _FEW:
            A = sp.csr_array(sp.hstack([self.points.unit_csr(rows), sp.csr_array((k, before)), -sp.identity(k)]))
        else:
            A = np.hstack([self.points.unit_rows(rows), np.zeros((k, before)), -np.eye(k)])
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
        solve = partial(np.linalg.solve, gram)
        if gram.size > _FEW:
            factor = linalg.cho_factor(gram)
            solve = partial(linalg.cho_solve, factor)
        v = self._rng.normal(size=len(gram))
        size = float(np.linalg.norm(v))
        for _ in range(3):
            v = ease * solve(v)
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
