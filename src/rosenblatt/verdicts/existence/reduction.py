"""Rows A in the directions N that equalities leave open, A·N: exactly, in floats.

Most sums are short and floats hold them. Where one does not fit, what it lacks stands in a further column, which has
the same unknown: the two are tied, as the low parts of a model's rows are.
"""

from math import ldexp
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.exact.dyadic import low_bit, mantissas

__all__ = ["LONGEST", "Direction", "Reduction", "as_columns", "product"]

Direction = dict[int, int]  # whole numbers by their columns

LONGEST = 160  # bits of a direction's numbers: three floats hold them
_PARTS = 4  # columns that one direction may need
_RANGE = 900  # exponents within which floats are neither too large nor too small
_NEVER = 5000  # above the exponent of any float


class Reduction(NamedTuple):
    """`values` has columns of lower parts, of the directions `low`; then one column for each direction.

    A search makes weights fit the first columns of ties: so it is the lower parts' that change, by almost nothing.
    """

    values: Any  # CSR without zeros
    low: list[int]

    @classmethod
    def of(cls, A: Any, N: list[Direction]) -> "Reduction | None":
        """A·N, A in CSR; None where it would need too many parts."""
        sure, values = product(A, as_columns(N, A.shape[1]))
        unsure = np.flatnonzero(~sure)
        if not unsure.size:
            return cls(values, [])
        by_column, low, parts = sp.csc_array(A), list[int](), list[Any]()
        values = sp.csc_array(values)
        columns = [values[:, [k]] for k in range(len(N))]
        for k in unsure.tolist():
            found = _in_parts(by_column, N[k])
            if found is None:
                return None
            columns[k], *lower = found
            parts += lower
            low += [k] * len(lower)
        made = sp.csr_array(sp.hstack([*parts, *columns], "csr"))
        made.eliminate_zeros()
        return cls(made, low)

    def with_ties(self, some: Any) -> tuple[Any, npt.NDArray[np.int64] | None]:
        """Some rows, then each tie and its negative; and which rows those pairs are."""
        rows, k = sp.csr_array(self.values[some]), len(self.low)
        if not k:
            return rows, None
        places = (np.tile(np.arange(k), 2), np.concatenate([k + np.array(self.low), np.arange(k)]))
        ties = sp.csr_array((np.repeat([1.0, -1.0], k), places), shape=(k, rows.shape[1]))
        pairs = rows.shape[0] + np.arange(2 * k).reshape(2, k).T
        return sp.csr_array(sp.vstack([rows, ties, -ties])), pairs


def as_columns(N: list[Direction], d: int) -> Any:
    """Directions as columns of floats, in CSC; those that are too long for floats are rounded."""
    columns = np.repeat(np.arange(len(N)), [len(v) for v in N])
    places, values = [j for v in N for j in v], [float(a) for v in N for a in v.values()]
    return sp.csc_array((np.array(values), (np.array(places, dtype=np.int64), columns)), shape=(d, len(N)))


def product(A: Any, N: Any) -> tuple[npt.NDArray[np.bool_], Any]:
    """Which columns of A·N (A in CSR, N in CSC) floats are sure to hold exactly, and A·N in CSR without zeros.

    All terms of such a column are multiples of one power of two, and their sizes add up to less than 2^53 of it.
    """
    lowest = np.full(A.shape[1], _NEVER)
    np.minimum.at(lowest, A.indices, low_bit(A.data))
    bits = np.full(N.shape[1], _NEVER)
    np.minimum.at(bits, np.repeat(np.arange(N.shape[1]), np.diff(N.indptr)), lowest[N.indices])
    sizes, total = np.zeros(N.shape[1]), sp.csr_array(abs(A) @ abs(N))
    np.maximum.at(sizes, total.indices, total.data)
    made = sp.csr_array(A @ N)
    made.eliminate_zeros()
    whole = np.abs(N).max(axis=0).toarray().ravel() < 2.0**53 if N.shape[1] else np.zeros(0, dtype=bool)
    return whole & np.isfinite(sizes) & (np.frexp(sizes)[1] <= bits + 52), made


def _in_parts(A: Any, v: Direction) -> list[Any] | None:
    """A·v (A in CSC) as columns of floats that add up to it; None where they would be too many."""
    rows = np.concatenate([A.indices[A.indptr[j] : A.indptr[j + 1]] for j in v])
    m, e = mantissas(np.concatenate([A.data[A.indptr[j] : A.indptr[j + 1]] for j in v]))
    factors = np.repeat(np.array(list(v.values()), dtype=object), [A.indptr[j + 1] - A.indptr[j] for j in v])
    lowest = int(e.min(initial=_NEVER)) if rows.size else 0
    if rows.size and (lowest < -_RANGE or int(e.max()) > _RANGE - LONGEST):
        return None
    terms = (m.astype(object) << (e - lowest).astype(object)) * factors
    order = np.argsort(rows, kind="stable")
    places, starts = np.unique(rows[order], return_index=True)
    rest = np.add.reduceat(terms[order], starts).tolist() if rows.size else []
    found = list[Any]()
    while any(rest) or not found:
        if len(found) == _PARTS:
            return None
        nearest = [float(value) for value in rest]
        column = [ldexp(value, lowest) for value in nearest]
        found.append(sp.csc_array((column, (places, np.zeros(len(places), dtype=int))), shape=(A.shape[0], 1)))
        rest = [value - int(high) for value, high in zip(rest, nearest, strict=True)]
    return found
