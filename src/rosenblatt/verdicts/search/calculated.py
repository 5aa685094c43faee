"""Columns that can be computed from others to ten digits, though not exactly: most often, they were.

Inches calculated from centimetres are rounded to floats, and no longer the exact multiple that they should be. An
exact verdict takes them as they are: rounding errors may then separate the classes, or identify coefficients. The
verdict stays as it is, but says which columns these are.

Floats find the dependence, as singular values; exact arithmetic shows that it is not exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import BINARY, ExactColumns, Rows, as_rows, whole_parts
from rosenblatt.exact import null_space, primitive
from rosenblatt.later import linalg
from rosenblatt.verdicts.points import Points

__all__ = ["ALIKE", "Nearly", "Relations", "Remainders", "near_relations", "nearly_computable", "without_calculated"]

ALIKE = 1e-6  # a part of a column that is worth telling from the others, such as neighbours in a smooth curve
_WIDEST = 300  # columns up to which it is looked for: some milliseconds
_LARGEST = 1 << 25  # values of all rows
_NOTHING = 1e-12  # a response of columns of size one that counts as zero
_SURE = 1e-10  # an eigenvalue of that is no rounding
_FEW = 100  # weights up to which all eigenvalues are bounded at no cost
_PART = 0.05  # the least factor of a column in a dependence: the column is then right to _NOTHING / _PART of its size
_SHOWN = 8  # names that are listed


class Nearly(NamedTuple):
    """The numbers of such columns, and the names of all columns."""

    columns: list[int]
    names: list[str]

    def sentence(self, names: Sequence[str] | None = None) -> str:
        """The columns, and what to do; by other names, if they are given."""
        named = [str((names or self.names)[j]) for j in self.columns]
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        what = "can be computed from others to 10 digits, though not exactly"
        return f"{', '.join(named[:_SHOWN])}{more} {what}: drop a column that was calculated from others"


def nearly_computable(points: Points, names: list[str], rows: Rows) -> Nearly | None:
    """The columns; None where there are none, or the data are too large. `rows` are the points' as they were given."""
    columns = _nearly_computed(points, rows)
    return Nearly(columns, names) if columns else None


class Relations(NamedTuple):
    """Σ parts·(x − origin)/sizes is zero but for rounding, on every row: a line of parts for each such relation."""

    parts: Floats
    origin: Floats  # the first row, if there is an intercept
    sizes: Floats  # of the columns, measured from there; 1 for a column that is constant


def near_relations(points: Points, nothing: float = _NOTHING, rows: Rows | None = None) -> Relations | None:
    """The relations of columns that floats cannot tell from exact ones; None: none, or the data are too large.

    A larger `nothing` finds those too that hold to fewer digits; `rows` are the points' (None: those that they have).
    """
    n, p = points.n, points.rows.p
    if nothing == _NOTHING and rows is None and _far_from_dependent(points):
        return None
    rows = rows or points.rows
    if n <= p or not 1 < p <= _WIDEST or n * p > _LARGEST or rows.sparse:
        return None
    X = rows.take(_rows_enough(points)).astype(np.float64)
    origin = X[0].copy() if points.bias else np.zeros(p)  # with an intercept, columns may differ by a constant
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = np.abs(X - origin).max(axis=0)
        if not np.isfinite(sizes).all():
            return None
        used = np.flatnonzero(sizes)
        A = (X - origin)[:, used] / sizes[used]
    values, V = np.linalg.svd(np.linalg.qr(A, mode="r"), full_matrices=True)[1:]
    r = int(np.count_nonzero(values > nothing * max(1.0, values.max(initial=0.0))))
    if r == min(len(X) - points.bias, used.size):  # no larger rank is possible
        return None
    # of what holds on some rows, that which holds on all
    rest = (rows.take(slice(0, n))[:, used] - origin[used]) / sizes[used] @ V[r:].T
    turned = np.linalg.svd(np.linalg.qr(rest, mode="r"))[2]
    holding = turned[np.abs(rest @ turned.T).max(axis=0) <= nothing * np.sqrt(p)]
    if not len(holding):
        return None
    parts = np.zeros((len(holding), p))
    parts[:, used] = holding @ V[r:]
    return Relations(parts, origin, np.where(sizes > 0, sizes, 1.0))


def _far_from_dependent(points: Points) -> bool:
    """Whether Σ aaᵀ over the unit rows shows that no column is nearly computed from others.

    With an intercept these rows are ½ long or more before they are brought to length one. So a relation that holds to
    `_NOTHING` on all of them would leave an eigenvalue below 1e-22 a row and column; floats see those above 1e-13.
    """
    if points.gram is None or not points.bias or points.d > _FEW:
        return False
    try:
        inverse = np.linalg.inv(points.gram)
    except np.linalg.LinAlgError:
        return False
    return bool(0 < np.trace(inverse) * _SURE * points.n * points.d < 1)


def _rows_enough(points: Points) -> Places:
    """Rows enough to see a dependence of the columns."""
    size = min(points.n, 2 * points.rows.p + 50)
    if size == points.n:
        return np.arange(points.n)
    return np.sort(np.random.default_rng(0).choice(points.n, size, replace=False))


def _nearly_computed(points: Points, rows: Rows) -> list[int]:
    relations = near_relations(points, rows=rows)
    if relations is None:
        return []
    whole = points.whole(_rows_enough(points))
    dependent = null_space(whole.rows, points.d)
    holding = points.silent([whole.weights(v) for v in dependent])  # on all rows, not on these only
    null = [v for v, holds in zip(dependent, holding, strict=True) if holds]
    if len(null) >= len(relations.parts):  # the dependences are exact
        return []
    exact = {j for v in null for j, a in enumerate(v) if a}
    largest = np.abs(relations.parts).max(axis=0)
    return [j for j in np.flatnonzero(largest > _PART).tolist() if j not in exact]


# --------------------------------------------------------------------------------------------------- calculated columns
# A total, a mean or inches from centimetres are linear functions of other columns, but for rounding in the last
# digit. Float arithmetic cannot tell such a column from the others, so it finds no proof, although there is one. A
# change of variables cures that: the column x_j becomes D·(x_j − Σ f_k x_k − f_0) with fractions f and a whole number
# D. These remainders are exact, and about as large as the rounding errors; scaled like any other column, floats see
# them. The factors are short fractions where those leave least, for a person has chosen them (2.54, a third); else
# they are floats, fitted once more to what they leave: a standard deviation is no short fraction.
# The change is invertible, so the verdict stays the same. A mixture that vanishes in the new columns vanishes in the
# old ones. Weights for the new columns become weights for the old ones.


_SIMPLE = 10**6  # the largest denominator of a factor that a person would have chosen
_DIGITS = 1e-9  # how far a factor may be from such a fraction, relative to it
_FAR_LESS = 8  # how many times smaller a remainder must be for factors that are not short
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


def without_calculated(points: Points, relations: Relations | None) -> tuple[Points, Remainders] | None:
    """The points with calculated columns replaced, those that have these `relations`; None where there are none."""
    if relations is None:
        return None
    wanted = _factors(relations)
    shorts = {j: {k: _simple_or_rounded(f) for k, f in factors.items()} for j, factors in wanted.items()}
    vectors = {j: _whole_weights(points, j, short) for j, short in shorts.items()}
    asked = [j for j, v in vectors.items() if max(map(abs, v)) <= _SIMPLE]
    holding = {j for j, holds in zip(asked, points.silent([vectors[j] for j in asked]), strict=True) if holds}
    left = [j for j in wanted if j not in holding]  # the other dependences are exact
    columns = _WholeColumns(points, {k for j in left for k in (j, *wanted[j]) if k >= 0})
    X = points.rows.take(slice(0, points.n)).astype(np.float64)
    found, lows = Remainders({}, {}), list[tuple[int, Floats]]()
    for j in left:
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
    """Columns as whole numbers, each with its unit; of smaller tables, those that are `wanted` are kept."""

    def __init__(self, points: Points, wanted: set[int]) -> None:
        self.points, kept = points, sorted(wanted) if points.n * points.d <= _KEPT else []
        self._kept = dict(zip(kept, points.whole_columns(kept), strict=True))

    def of(self, j: int) -> tuple[Any, Fraction]:
        """Column j."""
        return self._kept.get(j) or self.points.whole_columns([j])[0]

    def remainder(self, j: int, factors: dict[int, Fraction]) -> _Remainder:
        """What these factors (of the constant at −1) leave of column j."""
        columns = [j, *(k for k in factors if k >= 0)]
        whole = [self.of(k) for k in columns]
        weights = [unit if k == j else -unit * factors[k] for (_, unit), k in zip(whole, columns, strict=True)]
        constant = factors.get(-1, Fraction(0))
        common = lcm(constant.denominator, *(f.denominator for f in weights))
        times = [f.numerator * (common // f.denominator) for f in [*weights, constant]]
        totals: Any = sum(m * f for (m, _), f in zip(whole, times, strict=False))
        return _Remainder(factors, (totals - times[-1]).tolist(), common)


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
    pivots: Places = linalg.qr(parts, mode="r", pivoting=True)[1][: len(parts)]
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


@lru_cache(1 << 10)
def _simple_or_rounded(factor: float) -> Fraction:
    """The simplest fraction near a factor, or else the factor rounded to few bits."""
    if abs(round(factor) - factor) <= _NOISE * abs(factor):
        return Fraction(round(factor))
    simple = Fraction(factor).limit_denominator(_SIMPLE)
    if abs(float(simple) - factor) <= _DIGITS * abs(factor):
        return simple
    m, e = np.frexp(factor)
    return Fraction(round(float(m) * 2**_SHORT)) * Fraction(2) ** (int(e) - _SHORT)
