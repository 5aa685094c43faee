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
from typing import Any, NamedTuple

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
_KEPT = 1 << 20  # values of a table up to which its columns are kept as whole numbers
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
    wanted = _factors(relations)
    shorts = {j: {k: _simple_or_rounded(f) for k, f in factors.items()} for j, factors in wanted.items()}
    vectors = {j: _whole_weights(points, j, short) for j, short in shorts.items()}
    asked = [j for j, v in vectors.items() if max(map(abs, v)) <= _SIMPLE]
    holding = {j for j, holds in zip(asked, points.silent([vectors[j] for j in asked]), strict=True) if holds}
    X, columns = points.rows.take(slice(0, points.n)).astype(np.float64), _WholeColumns(points)
    found, lows = Remainders({}, {}), list[tuple[int, Floats]]()
    for j in (j for j in wanted if j not in holding):  # the other dependences are exact
        points.context.check()
        made = _least_remainder(columns, X, j, shorts[j], wanted[j])
        main, parts, top = whole_parts(made.values) if made else (X[:, j], [], 1)
        if made is None or top:
            continue
        X[:, j] = main
        lows += [(j, low) for _, low in parts]
        found.factors[j], found.multiples[j] = made.factors, made.multiple
    if not found.factors:
        return None
    exact = points.rows.exact
    exact = exact and exact.replaced(list(found.factors), lows)
    if exact is None and lows:
        exact = ExactColumns((BINARY,) * points.rows.p, (0,) * points.rows.p).replaced([], lows)
    return type(points)(as_rows(X).read_as(exact), points.y, points.bias, points.context), found


class _Remainder(NamedTuple):
    """`multiple`·(x_j − Σ factor·x_k − constant) of every row in whole numbers."""

    factors: dict[int, Fraction]
    values: list[int]
    multiple: int

    @property
    def size(self) -> Fraction:
        """The largest of them."""
        return Fraction(max(map(abs, self.values)), self.multiple)


class _WholeColumns:
    """Columns as whole numbers, each with its unit; those of smaller tables are kept."""

    def __init__(self, points: Points) -> None:
        self.points, self._kept = points, dict[int, tuple[Any, Fraction]]()

    def of(self, j: int) -> tuple[Any, Fraction]:
        """Column j."""
        found = self._kept.get(j) or self.points.whole_columns([j])[0]
        if self.points.n * self.points.d <= _KEPT:
            self._kept[j] = found
        return found

    def remainder(self, j: int, factors: dict[int, Fraction]) -> _Remainder:
        """What these factors (of the constant at −1) leave of column j."""
        columns = [j, *(k for k in factors if k >= 0)]
        whole = [self.of(k) for k in columns]
        weights = [unit * (-factors[k] if k != j else 1) for (_, unit), k in zip(whole, columns, strict=True)]
        constant = factors.get(-1, Fraction(0))
        common = lcm(constant.denominator, *(f.denominator for f in weights))
        totals: Any = sum(m * int(f * common) for (m, _), f in zip(whole, weights, strict=True))
        return _Remainder(factors, (totals - int(constant * common)).tolist(), common)


def _whole_weights(points: Points, j: int, factors: dict[int, Fraction]) -> list[int]:
    """Weights with response 0 on every row of which x_j = Σ factor·x_k + constant."""
    common = lcm(*(f.denominator for f in factors.values()))
    w = [0] * points.d
    w[j] = common
    for k, f in factors.items():
        w[k] = -f.numerator * (common // f.denominator)
    return w


def _least_remainder(
    columns: _WholeColumns, X: Floats, j: int, short: dict[int, Fraction], factors: dict[int, float]
) -> _Remainder | None:
    """The remainder with short factors, or with floats fitted once more, if that is far less; None: it is exact."""
    made = columns.remainder(j, short)
    if not any(made.values):
        return None
    again = columns.remainder(j, _fitted_again(columns, X, j, {k: Fraction(f) for k, f in factors.items()}))
    return again if any(again.values) and _FAR_LESS * again.size < made.size else made


def _fitted_again(columns: _WholeColumns, X: Floats, j: int, factors: dict[int, Fraction]) -> dict[int, Fraction]:
    """The factors, corrected by a least-squares fit to the remainder that they leave."""
    _, values, multiple = columns.remainder(j, factors)
    left = np.array([v / multiple for v in values])
    inside = [k for k in factors if k >= 0]
    A = np.column_stack([X[:, inside], np.ones(len(X))] if -1 in factors else [X[:, inside]])
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
    if abs(round(factor) - factor) <= _NOISE * abs(factor):
        return Fraction(round(factor))
    simple = Fraction(factor).limit_denominator(_SIMPLE)
    if abs(float(simple) - factor) <= _DIGITS * abs(factor):
        return simple
    m, e = np.frexp(factor)
    return Fraction(round(float(m) * 2**_SHORT)) * Fraction(2) ** (int(e) - _SHORT)
