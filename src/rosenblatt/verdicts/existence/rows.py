"""A model as the engine sees it: rows z, of which some are equalities.

The log-likelihood is concave, and v is a direction of recession where z·v ≥ 0 on every row and z·v = 0 on every
equality. The estimate exists exactly if each such v has z·v = 0 on all rows.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Places
from rosenblatt.verdicts.decimals import Powers

__all__ = ["ModelRows", "Names", "Values", "differences"]

Names = tuple[str, ...]

_KEY = re.compile(r"(0|[1-9][0-9]{0,8})(?::(0|[1-9][0-9]{0,8}))?")  # "i" or "i:k"


class Values(NamedTuple):
    """A user's columns in numbers that floats hold exactly: decimals times a power of ten, or the floats themselves."""

    X: Any  # 2-D float64 array, or CSR
    tens: tuple[int, ...]  # the power of ten by which each column was multiplied

    @classmethod
    def of(cls, X: Any, decimals: Powers | None) -> "Values":
        """Columns whose values fit `decimals` become whole numbers."""
        tens = tuple(10 ** (k or 0) for k in decimals or [0] * X.shape[1])
        scale = np.array(tens, dtype=np.float64)
        if not sp.issparse(X):
            return cls(np.where(scale > 1, np.rint(X * scale), X), tens)
        X = sp.csr_array(X, dtype=np.float64)
        scales = scale[X.indices]
        data = np.where(scales > 1, np.rint(X.data * scales), X.data)
        return cls(sp.csr_array((data, X.indices, X.indptr), shape=X.shape), tens)


@dataclass(frozen=True)
class ModelRows:
    """The rows z of a model and its data.

    `Z` is exact in floats. Its first `len(names)` columns belong to the model's weights. Where a value of z is a
    difference that no float holds, its low part stands in a further column.
    """

    Z: Any  # float64, dense or CSR
    equal: Flags  # which rows are equalities, z·w = 0
    row: Places  # the caller's row that each z comes from
    against: Places  # the class, threshold, row or node that it is compared with; −1 where a row has one z
    names: Names  # of the weights
    tens: tuple[int, ...]  # the power of ten by which the column of each weight was multiplied
    low: tuple[int, ...] = ()  # for each column of low parts, the weight that it belongs to

    def keys(self) -> list[str]:
        """The keys of all rows in a certificate: "i", or "i:k"."""
        return list(self.keys_of(range(len(self.row))).values())

    def keys_of(self, rows: Iterable[int]) -> dict[int, str]:
        """The keys of these rows, by their numbers."""
        return {r: f"{self.row[r]}" if self.against[r] < 0 else f"{self.row[r]}:{self.against[r]}" for r in rows}

    def place_of(self, key: str) -> int | None:
        """The number of the row with this key; None where there is no such row."""
        found = _KEY.fullmatch(key)
        if found is None or not len(self.row):
            return None
        wide, codes, order = self._codes
        row, against = int(found[1]), int(found[2] or -1)
        at = int(order[min(int(np.searchsorted(codes, row * wide + against + 1)), len(codes) - 1)])
        return at if (self.row[at], self.against[at]) == (row, against) else None

    @cached_property
    def _codes(self) -> tuple[int, Places, Places]:
        """For a search by keys: how many numbers k there are, each row's key as one number, sorted, and the rows."""
        wide = int(self.against.max(initial=0)) + 2
        codes = self.row * wide + self.against + 1
        order = np.argsort(codes, kind="stable")
        return wide, codes[order], order


def differences(X: Any, left: Places, right: Places) -> tuple[Any, tuple[int, ...]]:
    """X[left] − X[right], exactly: differences as floats, then low parts of those columns in which some are needed.

    Also the column that each low part belongs to. Values above 2^1022 must be scaled before.

    >>> differences(np.array([[1.0, 1.0], [0.25, 2.0**-70]]), np.array([0]), np.array([1]))
    (array([[ 7.50000000e-01,  1.00000000e+00, -8.47032947e-22]]), (1,))
    """
    if sp.issparse(X):
        high, low = _sparse_differences(X, left, right)
        needed = np.unique(low.nonzero()[1])
        return (sp.hstack([high, low[:, needed]], "csr") if needed.size else high), tuple(needed.tolist())
    a, b = X[left], -X[right]
    high = a + b
    # Knuth's TwoSum: `low` is exactly what rounding lost
    part = high - a
    low = (a - (high - part)) + (b - part)
    needed = np.flatnonzero(low.any(axis=0))
    return (np.hstack([high, low[:, needed]]) if needed.size else high), tuple(needed.tolist())


def _sparse_differences(X: Any, left: Places, right: Places) -> tuple[Any, Any]:
    """The differences in CSR, and their low parts: only values that both rows have can lose anything."""
    a, b = sp.csr_array(X[left]), sp.csr_array(-X[right])
    high = sp.csr_array(a + b)
    part = sp.csr_array(high - a)
    low = sp.csr_array((a - sp.csr_array(high - part)) + sp.csr_array(b - part))
    low.eliminate_zeros()
    high.eliminate_zeros()
    return high, low
