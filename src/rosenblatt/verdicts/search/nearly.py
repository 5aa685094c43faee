"""Columns that can be computed from others to ten digits, though not exactly: most often, they were.

Inches calculated from centimetres are rounded to floats, and no longer the exact multiple that they should be. An
exact verdict takes them as they are: rounding errors may then separate the classes, or identify coefficients. The
verdict stays as it is, but says which columns these are.

Floats find the dependence, as singular values; exact arithmetic shows that it is not exact.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.exact import null_space
from rosenblatt.verdicts.points import Points

__all__ = ["Nearly", "Relations", "near_relations", "nearly_computable"]

_WIDEST = 300  # columns up to which it is looked for: some milliseconds
_LARGEST = 1 << 25  # values of all rows
_NOTHING = 1e-12  # a response of columns of size one that counts as zero
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


def nearly_computable(points: Points, names: list[str]) -> Nearly | None:
    """The columns; None where there are none, or the data are too large."""
    columns = _nearly_computed(points)
    return Nearly(columns, names) if columns else None


class Relations(NamedTuple):
    """Σ parts·(x − origin)/sizes is zero but for rounding, on every row: a line of parts for each such relation."""

    parts: Floats
    origin: Floats  # the first row, if there is an intercept
    sizes: Floats  # of the columns, measured from there; 1 for a column that is constant


def near_relations(points: Points, nothing: float = _NOTHING) -> Relations | None:
    """The relations of columns that floats cannot tell from exact ones; None: none, or the data are too large.

    A larger `nothing` finds those too that hold to fewer digits.
    """
    n, p = points.n, points.rows.p
    if n <= p or not 1 < p <= _WIDEST or n * p > _LARGEST or points.rows.sparse:
        return None
    X = points.rows.take(_rows_enough(points)).astype(np.float64)
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
    rest = (points.rows.take(slice(0, n))[:, used] - origin[used]) / sizes[used] @ V[r:].T
    turned = np.linalg.svd(np.linalg.qr(rest, mode="r"))[2]
    holding = turned[np.abs(rest @ turned.T).max(axis=0) <= nothing * np.sqrt(p)]
    if not len(holding):
        return None
    parts = np.zeros((len(holding), p))
    parts[:, used] = holding @ V[r:]
    return Relations(parts, origin, np.where(sizes > 0, sizes, 1.0))


def _rows_enough(points: Points) -> Places:
    """Rows enough to see a dependence of the columns."""
    size = min(points.n, 2 * points.rows.p + 50)
    if size == points.n:
        return np.arange(points.n)
    return np.sort(np.random.default_rng(0).choice(points.n, size, replace=False))


def _nearly_computed(points: Points) -> list[int]:
    relations = near_relations(points)
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
