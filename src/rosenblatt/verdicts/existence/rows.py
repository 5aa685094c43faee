"""What a model is to the engine: rows z, of which some are equalities.

The log-likelihood is concave, and v is one of its directions of recession where z·v ≥ 0 on every row, and z·v = 0 on
every equality. The estimate exists exactly where each of those v has z·v = 0 on all rows.
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
    """A user's columns in numbers that floats hold exactly: decimals times their power of ten, or the floats."""

    X: Any  # 2-D float64 array, or CSR
    tens: tuple[int, ...]  # by which each column was multiplied

    @classmethod
    def of(cls, X: Any, decimals: Powers | None) -> "Values":
        """Columns whose values fit `decimals` become whole numbers."""
        tens = tuple(10 ** (k or 0) for k in decimals or [0] * X.shape[1])
        scale = np.array(tens, dtype=np.float64)
        if not sp.issparse(X):
            return cls(np.where(scale > 1, np.rint(X * scale), X), tens)
        X = sp.csr_array(X, dtype=np.float64)
        each = scale[X.indices]
        data = np.where(each > 1, np.rint(X.data * each), X.data)
        return cls(sp.csr_array((data, X.indices, X.indptr), shape=X.shape), tens)


@dataclass(frozen=True)
class ModelRows:
    """The rows z of a model for some data.

    `Z` is exact in floats. Its first `len(names)` columns belong to the model's weights. Where a value of z is a
    difference that no float holds, its low part stands in a further column; `low` names the weight of each of those.
    """

    Z: Any  # float64, dense or CSR
    equal: Flags  # equalities: z and −z are both meant
    row: Places  # the caller's row that each z comes from
    against: Places  # the class, threshold, row or node that it is compared with; −1 where there is one z a row
    names: Names  # of the weights
    tens: tuple[int, ...]  # by which the values of each weight's column were multiplied
    low: tuple[int, ...] = ()

    def keys(self) -> list[str]:
        """What a certificate calls the rows: "i", or "i:k"."""
        return list(self.keys_of(range(len(self.row))).values())

    def keys_of(self, rows: Iterable[int]) -> dict[int, str]:
        """The same of some rows."""
        return {r: f"{self.row[r]}" if self.against[r] < 0 else f"{self.row[r]}:{self.against[r]}" for r in rows}

    def place_of(self, name: str) -> int | None:
        """The row of that name; None where there is none."""
        found = _KEY.fullmatch(name)
        if found is None or not len(self.row):
            return None
        wide, codes, order = self._codes
        row, against = int(found[1]), int(found[2] or -1)
        at = int(order[min(int(np.searchsorted(codes, row * wide + against + 1)), len(codes) - 1)])
        return at if (self.row[at], self.against[at]) == (row, against) else None

    @cached_property
    def _codes(self) -> tuple[int, Places, Places]:
        """Rows by one number each, sorted, and which rows they are."""
        wide = int(self.against.max(initial=0)) + 2
        codes = self.row * wide + self.against + 1
        order = np.argsort(codes, kind="stable")
        return wide, codes[order], order


def differences(X: Any, left: Places, right: Places) -> tuple[Any, tuple[int, ...]]:
    """X[left] − X[right], exactly: the differences as floats, then their low parts in columns that need one.

    Also which columns those belong to. Values above 2^1022 must be scaled before.

    >>> differences(np.array([[1.0, 1.0], [0.25, 2.0**-70]]), np.array([0]), np.array([1]))
    (array([[ 7.50000000e-01,  1.00000000e+00, -8.47032947e-22]]), (1,))
    """
    if sp.issparse(X):
        high, low = _sparse_differences(X, left, right)
        needed = np.unique(low.nonzero()[1])
        return (sp.hstack([high, low[:, needed]], "csr") if needed.size else high), tuple(needed.tolist())
    a, b = X[left], -X[right]
    high = a + b
    # Knuth's sum of two floats: what rounding lost, exactly
    part = high - a
    low = (a - (high - part)) + (b - part)
    needed = np.flatnonzero(low.any(axis=0))
    return (np.hstack([high, low[:, needed]]) if needed.size else high), tuple(needed.tolist())


def _sparse_differences(X: Any, left: Places, right: Places) -> tuple[Any, Any]:
    """The same two parts in CSR: only columns that both rows have can lose anything."""
    a, b = sp.csr_array(X[left]), sp.csr_array(-X[right])
    high = sp.csr_array(a + b)
    part = sp.csr_array(high - a)
    low = sp.csr_array((a - sp.csr_array(high - part)) + sp.csr_array(b - part))
    low.eliminate_zeros()
    high.eliminate_zeros()
    return high, low
