"""λ > 0 on every row of a plane with Σ λ z = 0, in short whole numbers: one linear program and one exact solve.

Give every row of the plane the same share. What the sum then lacks, −Σ z, is sought as a combination of few rows with
factors e ≥ 0; a vertex of that program has at most as many rows as the plane has dimensions, and they are independent.
So e is the solution of one square system: quotients of determinants, as short as such numbers can be expected to be.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy.sparse import csr_array, hstack

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import primitive
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.basis import Basis
from rosenblatt.verdicts.search.candidates import OpenFace, guesses
from rosenblatt.verdicts.search.fitting import Fit, Fitted
from rosenblatt.verdicts.search.program import add_rows, prefer_interior, run, solver

__all__ = ["Mixture", "WholeMixture", "few_rows", "vanishing", "written_out"]

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
        A = points.unit_csr(chosen)[:, basis.columns]
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
    A = hstack([points.unit_csr(chosen)[:, basis.columns], np.ones((chosen.size, 1))], "csr")
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


def _combination(A: csr_array, target: Floats, points: Points) -> Floats | None:
    """e ≥ 0 with Σ e·a = target and Σ e small, at a vertex."""
    program: Any = solver()
    if points.many_sparse:
        prefer_interior(program)
    n = A.shape[0]
    program.addVars(n, np.zeros(n), np.full(n, highspy.kHighsInf))
    program.changeColsCost(n, np.arange(n, dtype=np.int32), np.ones(n))
    add_rows(program, csr_array(A.T), target, target, points.context)
    if not run(program, points.context):
        return None
    return np.array(program.getSolution().col_value)
