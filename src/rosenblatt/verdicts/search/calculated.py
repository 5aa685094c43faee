"""Calculated columns, replaced by what rounding has left of them.

A total, a mean or inches from centimetres are linear functions of other columns, but for rounding in the last digit.
Float arithmetic cannot tell such a column from the others, so it finds no proof, although there is one. A change of
variables cures that: the column x_j becomes D·(x_j − Σ f_k x_k − f_0) with fractions f and a whole number D. These
remainders are exact, and about as large as the rounding errors; scaled like any other column, floats see them. The
factors are short fractions where those leave least, for a person has chosen them (2.54, a third); else they are floats,
fitted once more to what they leave: a standard deviation is no short fraction.

The change is invertible, so the verdict stays the same. A mixture that vanishes in the new columns vanishes in the old
ones. Weights for the new columns become weights for the old ones.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from scipy.linalg import qr

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import BINARY, ExactColumns, as_rows, whole_parts
from rosenblatt.exact import primitive
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.nearly import Relations, near_relations

__all__ = ["Remainders", "without_calculated"]

_SIMPLE = 10**6  # the largest denominator of a factor that a person would have chosen
_DIGITS = 1e-9  # how far a factor may be from such a fraction, relative to it
_FAR_LESS = 8  # how many times smaller a remainder must be for factors that are not short
_ALIKE = 1e-6  # a part of a column that is worth telling from the others
_ABSENT = 1e-10  # a part of a column's size that counts as no part
_NOISE = 1e-12  # a constant that counts as none, relative to the column
_SHORT = 26  # bits of a factor that is no such fraction: longer ones make remainders that no float holds


@dataclass(frozen=True)
class Remainders:
    """For each calculated column: the factors f of the others, by column (−1: the constant), and D."""

    factors: dict[int, dict[int, Fraction]]
    multiples: dict[int, int]

    def weights(self, w: list[int]) -> list[int]:
        """Weights for the columns as they were, from weights for the remainders."""
        old = [Fraction(v) for v in w]
        for j, factors in self.factors.items():
            old[j] = Fraction(w[j] * self.multiples[j])
            for k, f in factors.items():
                old[k] -= f * old[j]
        common = lcm(*(v.denominator for v in old))
        return primitive([int(v * common) for v in old])


def without_calculated(points: Points, nearly: bool = False) -> tuple[Points, Remainders] | None:
    """The points with calculated columns replaced; None where there are none.

    With `nearly`, columns too that others leave a millionth of: such as neighbours in a smooth curve.
    """
    relations = near_relations(points, _ALIKE) if nearly else near_relations(points)
    if relations is None:
        return None
    X = points.rows.take(slice(0, points.n)).astype(np.float64)
    found, lows = Remainders({}, {}), list[tuple[int, Floats]]()
    for j, factors in _factors(relations).items():
        points.context.check()
        short = {k: _simple_or_rounded(f) for k, f in factors.items()}
        remainder, multiple = _remainder(points, j, short)
        if not any(remainder):  # the dependence is exact
            continue
        fitted = _fitted_again(points, X, j, {k: Fraction(f) for k, f in factors.items()})
        again, other = _remainder(points, j, fitted)
        if any(again) and _FAR_LESS * max(map(abs, again)) * multiple < max(map(abs, remainder)) * other:
            short, remainder, multiple = fitted, again, other
        main, parts, top = whole_parts(remainder)
        if top:
            continue
        X[:, j] = main
        lows += [(j, low) for _, low in parts]
        found.factors[j], found.multiples[j] = short, multiple
    if not found.factors:
        return None
    exact = points.rows.exact
    exact = exact and exact.replaced(list(found.factors), lows)
    if exact is None and lows:
        exact = ExactColumns((BINARY,) * points.rows.p, (0,) * points.rows.p).replaced([], lows)
    return type(points)(as_rows(X).read_as(exact), points.y, points.bias, points.context), found


def _fitted_again(points: Points, X: Floats, j: int, factors: dict[int, Fraction]) -> dict[int, Fraction]:
    """The factors, corrected by a least-squares fit to the remainder that they leave."""
    remainder, multiple = _remainder(points, j, factors)
    left = np.array([float(Fraction(v, multiple)) for v in remainder])
    inside = [k for k in factors if k >= 0]
    A = np.column_stack([X[:, inside], np.ones(points.n)] if -1 in factors else [X[:, inside]])
    sizes = np.maximum(np.abs(A).max(axis=0), 1e-300)
    more = np.linalg.lstsq(A / sizes, left)[0] / sizes
    keys = [*inside, -1][: len(more)]
    return {k: factors[k] + Fraction(float(f)) for k, f in zip(keys, more, strict=True) if np.isfinite(f)}


def _factors(relations: Relations) -> dict[int, dict[int, float]]:
    """For each relation one column of its own, as a sum of others that no relation has for its own."""
    parts, origin, sizes = relations
    pivots: Places = qr(parts, mode="r", pivoting=True)[1][: len(parts)]
    solved = -np.linalg.solve(parts[:, pivots], parts)
    solved[:, pivots] = 0.0
    found = {}
    for j, row in zip(pivots.tolist(), solved, strict=True):
        used = np.flatnonzero(np.abs(row) > _ABSENT)
        with np.errstate(over="ignore", under="ignore"):
            factors = row[used] * (sizes[j] / sizes[used])
        if np.isfinite(factors).all():
            found[j] = dict(zip(used.tolist(), factors.tolist(), strict=True))
            # of the fractions that are tried first: what is short must not look long for the factors' last digits
            shorts = sum((_simple_or_rounded(f) * Fraction(origin[k]) for k, f in found[j].items()), Fraction(0))
            constant = Fraction(origin[j]) - shorts
            if abs(constant) > _NOISE * max(abs(origin[j]), sizes[j]):
                found[j][-1] = float(constant)
    return found


def _simple_or_rounded(factor: float) -> Fraction:
    """The simplest fraction near a factor, or else the factor rounded to few bits."""
    simple = Fraction(factor).limit_denominator(_SIMPLE)
    if abs(float(simple) - factor) <= _DIGITS * abs(factor):
        return simple
    m, e = np.frexp(factor)
    return Fraction(round(float(m) * 2**_SHORT)) * Fraction(2) ** (int(e) - _SHORT)


def _remainder(points: Points, j: int, factors: dict[int, Fraction]) -> tuple[list[int], int]:
    """D·(x_j − Σ f_k x_k − f_0) of every row in whole numbers, and D > 0."""
    columns = [j, *(k for k in factors if k >= 0)]
    whole = points.whole_columns(columns)
    weights = [unit * (-factors[k] if k != j else 1) for (_, unit), k in zip(whole, columns, strict=True)]
    constant = factors.get(-1, Fraction(0))
    common = lcm(constant.denominator, *(f.denominator for f in weights))
    totals: Any = sum(m * int(f * common) for (m, _), f in zip(whole, weights, strict=True))
    return (totals - int(constant * common)).tolist(), common
