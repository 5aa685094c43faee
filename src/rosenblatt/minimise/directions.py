"""Directions to which no row responds (z·v = 0): guessed from floats, rounded to short numbers, and checked exactly.

Floats give such a direction to about ten digits. For data that people enter (0/1 columns, whole numbers, short
decimals) the true direction has short numbers, and rounding finds them. The check is exact, and made on every row.
"""

from fractions import Fraction
from math import lcm

import numpy as np

from rosenblatt.arrays import Flags, Floats, Integers, Signs
from rosenblatt.exact import integers, null_space, rank, row_signs
from rosenblatt.later import flint, linalg
from rosenblatt.minimise.columns import Columns

__all__ = ["SILENT", "Dependence", "cleaned", "dependent_columns", "exact_signs", "null_vectors", "reduced", "silent"]

_BLOCK_VALUES = 1 << 20
_EXACT_VALUES = 1 << 18  # values of a table up to which long whole numbers are multiplied in a moment
SILENT = 1e-13  # an eigenvalue of an equilibrated Gram matrix up to this suggests a direction without response
_ROUND = 1e-9  # relative distance up to which a number is taken for a short one
_DENOMINATORS = 100  # the largest denominator of a short number


class Dependence:
    """Columns `dropped` that are combinations of others: each v of `directions` has z·v = 0 on every row.

    `exact` says whether that was confirmed exactly.
    """

    def __init__(self, directions: list[Floats], dropped: list[int], exact: bool) -> None:
        self.directions, self.dropped, self.exact = directions, dropped, exact

    def __bool__(self) -> bool:
        return bool(self.dropped)

    def shortest(self, w: Floats, lengths: Floats) -> Floats:
        """The weights with the same responses as w whose norm is least, if all columns are scaled to length one."""
        if not self.dropped:
            return w
        N = np.column_stack([v * lengths for v in self.directions])
        factors = np.linalg.lstsq(N, w * lengths)[0]
        return np.asarray(w - np.column_stack(self.directions) @ factors)


def dependent_columns(columns: Columns, present: Flags) -> Dependence:
    """The columns that are combinations of others on the rows that are `present`."""
    found = silent(columns, columns.gram(present.astype(np.float64)))
    directions, dropped = [cleaned(columns, v) for v, _ in found], [pivot for _, pivot in found]
    exact = all(not np.any(exact_signs(columns, present, v)) for v in directions)
    if not exact:  # long numbers, which float64 does not hold
        true = null_vectors(columns, present)
        exact = len(true) == len(dropped) and rank([[v[j] for j in dropped] for v, _ in true]) == len(dropped)
    return Dependence(directions, dropped, exact)


def silent(columns: Columns, G: Floats) -> list[tuple[Floats, int]]:
    """Independent weights w with wᵀGw ≈ 0, and for each w a column in which all other w are zero.

    G is Σ z' z'ᵀ over some rows; wᵀGw ≈ 0 means that these rows hardly respond to w.
    """
    diagonal = G.diagonal()
    s = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 1.0)
    values, vectors = np.linalg.eigh(G * s * s[:, None])
    N, pivots = reduced(vectors[:, values <= SILENT * max(1.0, values[-1])], columns.bias)
    return [(columns.move(N[:, k] * s), pivot) for k, pivot in enumerate(pivots)]


def reduced(N: Floats, bias: bool) -> tuple[Floats, list[int]]:
    """Columns with the same span as those of N, each with a pivot: an entry 1 where all others have 0. Also the pivots.

    By Gauss-Jordan elimination. Later entries are preferred as pivots, the bias last of all.
    """
    N, pivots = N.copy(), list[int]()
    for k in range(N.shape[1]):
        sizes = np.abs(N[:, k])
        if bias:
            sizes[-1] *= 1e-3
        pivot = int(np.flatnonzero(sizes > 0.5 * sizes.max())[-1])
        N[:, k] /= N[pivot, k]
        others = np.arange(N.shape[1]) != k
        N[:, others] -= np.outer(N[:, k], N[pivot, others])
        pivots.append(pivot)
    return N, pivots


def null_vectors(columns: Columns, present: Flags) -> list[tuple[list[int], Integers]]:
    """A basis of all v with v·(x, 1) = 0 on the rows that are `present`, exact: each is (m, e) with v_j = m_j·2^−e_j.

    Floats choose rows that span all others; whole numbers check that they do. Empty where this check fails, where there
    is no such v, or where there are too many rows.
    """
    places = np.flatnonzero(present)
    if not places.size or places.size * columns.d > _EXACT_VALUES:
        return []
    Z = columns.rows.take(places)
    if columns.bias:
        Z = np.hstack([Z, np.ones((len(Z), 1))])
    felt = Z / np.where(np.abs(Z).max(axis=0) > 0, np.abs(Z).max(axis=0), 1.0)
    _, R, order = linalg.qr(felt.T, mode="economic", pivoting=True)
    sizes = np.abs(R.diagonal())
    spanning = order[: int(np.count_nonzero(sizes > 1e-11 * sizes.max(initial=0.0)))]
    whole = [integers(column) for column in Z.T]
    table = np.column_stack([m for m, _ in whole])
    found = null_space(table[spanning].tolist(), columns.d) if len(spanning) else []
    if not found or any((flint.fmpz_mat(table.tolist()) * flint.fmpz_mat(found).transpose()).entries()):
        return []
    return [(v, np.array([e for _, e in whole])) for v in found]


def cleaned(columns: Columns, v: Floats) -> Floats:
    """A multiple of v with short numbers: whole ones where v is nearly in fractions, else ten-digit decimals."""
    felt = np.abs(v) * np.where(columns.largest > 0, columns.largest, 1.0)
    if not np.isfinite(felt).all() or not felt.any():
        return v
    v = np.where(felt > _ROUND * felt.max(), v, 0.0)
    v = v / np.min(np.abs(v[v != 0]))
    fractions = [Fraction(float(x)).limit_denominator(_DENOMINATORS) for x in v]
    if all(abs(float(f) - x) <= _ROUND * abs(x) for f, x in zip(fractions, v, strict=True)):
        common = lcm(*(f.denominator for f in fractions))
        return np.array([float(f * common) for f in fractions])
    return np.array([float(f"{x:.10g}") for x in v])


def exact_signs(columns: Columns, present: Flags, v: Floats) -> Signs:
    """The exact sign of v·(x, 1) for every row; 0 for rows that are not present."""
    signs = np.zeros(columns.rows.n, dtype=np.int8)
    if not np.isfinite(v).all():
        return np.ones_like(signs)
    p = columns.rows.p
    used = np.flatnonzero(v[:p])
    rows = np.flatnonzero(present)
    for some in np.array_split(rows, 1 + rows.size * columns.d // _BLOCK_VALUES):
        signs[some] = row_signs(columns.rows.take(some)[:, used], np.append(v[used], v[p:]))
    return signs
