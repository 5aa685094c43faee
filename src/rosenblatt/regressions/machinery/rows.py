"""A model as the engine sees it: rows z, of which some are equalities.

The log-likelihood is concave, and v is a direction of recession where z·v ≥ 0 on every row and z·v = 0 on every
equality. The estimate exists exactly if each such v has z·v = 0 on all rows.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Matrix, Places
from rosenblatt.context import Unfinished
from rosenblatt.data.numbers import Rows, power_of_ten
from rosenblatt.exact import distilled, two_sum
from rosenblatt.later import sparse as sp

__all__ = ["Low", "ModelRows", "Names", "Values", "differences", "signed"]

Names = tuple[str, ...]

_KEY = re.compile(r"(0|[1-9][0-9]{0,8})(?::(0|[1-9][0-9]{0,8}))?")  # "i" or "i:k"


class Low(NamedTuple):
    """Parts of values that floats do not hold: further columns (dense or CSR), each with the column it belongs to."""

    values: Any
    owner: tuple[int, ...]

    @classmethod
    def joined(cls, parts: "Sequence[Low | None]") -> "Low | None":
        """All columns of several parts."""
        present = [part for part in parts if part is not None and part.owner]
        if not present:
            return None
        sparse = any(sp.issparse(part.values) for part in present)
        stack = [part.values for part in present]
        return cls(
            sp.csr_array(sp.hstack(stack, "csr")) if sparse else np.hstack(stack), sum((p.owner for p in present), ())
        )

    def of_columns(self, new: dict[int, int]) -> "Low":
        """The parts of some columns, by their `new` numbers."""
        kept = [at for at, j in enumerate(self.owner) if j in new]
        return Low(self.values[:, kept], tuple(new[self.owner[at]] for at in kept))

    def signed(self, rows: Places, signs: Floats | Places, owner: Sequence[int] | None = None) -> "Low":
        """These rows, each times its sign; `owner` are other numbers of the columns they belong to."""
        return Low(signed(self.values[rows], signs), self.owner if owner is None else tuple(owner))


class Values(NamedTuple):
    """A user's columns in numbers that floats hold exactly: decimals in units of a power of ten, or the floats.

    A value is (X + low) · unit / tens; a 1 in another column is a `one` in these units.
    """

    X: Any  # 2-D float64 array, or CSR
    tens: tuple[int, ...]
    one: int = 1
    low: Low | None = None

    @classmethod
    def of(cls, rows: Rows) -> "Values":
        """The exact values of rows, in whole numbers where they are decimals."""
        X: Any = rows.matrix.astype(np.float64) if rows.sparse else np.asarray(rows.kernel.X, dtype=np.float64)
        X = sp.csr_array(X) if rows.sparse else X
        exact = rows.exact
        if exact is None or not (any(exact.powers) or exact.owner):
            return cls(X, (1,) * rows.p)
        if exact.shifts:
            raise Unfinished("a column has values that are more than 300 powers of ten apart")
        top = max(0, *exact.powers)
        factors = np.zeros(rows.p)
        factors[exact.decimal] = [power_of_ten(-exact.powers[j]) for j in exact.decimal]
        if rows.sparse:
            scale = factors[X.indices]
            X = sp.csr_array((np.where(scale > 0, np.rint(X.data * scale), X.data), X.indices, X.indptr), shape=X.shape)
        else:
            X = np.where(factors > 0, np.rint(X * factors), X)
        low = Low(exact.low, exact.owner) if exact.owner else None
        return cls(X, tuple(10 ** (top - k) for k in exact.powers), 10**top, low)


@dataclass(frozen=True)
class ModelRows:
    """The rows z of a model and its data.

    `Z` and `low` together are exact. Z has a column for each of the model's weights.
    """

    Z: Any  # float64, dense or CSR
    equal: Flags  # which rows are equalities, z·w = 0
    row: Places  # the caller's row that each z comes from
    against: Places  # the class, threshold, row or node that it is compared with; −1 where a row has one z
    names: Names  # of the weights
    tens: tuple[int, ...]  # the number by which the column of each weight was multiplied, times `one`
    low: Low | None = None
    one: int = 1  # what all of these numbers were multiplied by, to be whole

    def without(self, weights: Collection[int]) -> "ModelRows":
        """The rows of the model that lacks some weights."""
        kept = [j for j in range(len(self.names)) if j not in weights]
        low = self.low and self.low.of_columns({j: at for at, j in enumerate(kept)})
        names, tens = tuple(self.names[j] for j in kept), tuple(self.tens[j] for j in kept)
        return replace(self, Z=self.Z[:, kept], names=names, tens=tens, low=low)

    def key(self, row: int) -> str:
        """What a certificate calls a row: "i", or "i:k"."""
        return f"{self.row[row]}" if self.against[row] < 0 else f"{self.row[row]}:{self.against[row]}"

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


def signed(Z: Matrix, signs: Floats | Places) -> Any:
    """Rows, dense or CSR, each times its sign."""
    return (
        sp.csr_array(sp.diags_array(np.asarray(signs, dtype=np.float64)) @ Z) if sp.issparse(Z) else Z * signs[:, None]
    )


def differences(values: Values, left: Places, right: Places) -> tuple[Any, Low | None]:
    """The differences of rows, exactly: as floats, and low parts of those columns in which some are needed.

    Values above 2^1022 must be scaled before.

    >>> differences(Values(np.array([[1.0, 1.0], [0.25, 2.0**-70]]), (1, 1)), np.array([0]), np.array([1]))
    (array([[0.75, 1.  ]]), Low(values=array([[-8.47032947e-22]]), owner=(1,)))
    """
    high, lost = _difference_parts(values.X, left, right)
    if values.low is None:
        low = _low_columns(lost, range(values.X.shape[1]))
        return high, low if low.owner else None
    return _nearest_first(values.low, high, lost, *_difference_parts(values.low.values, left, right))


def _nearest_first(known: Low, high: Any, lost: Any, *of_low: Any) -> tuple[Any, Low | None]:
    """Differences whose first parts may have cancelled: the float nearest to each comes first again."""
    sparse, d = sp.issparse(high), high.shape[1]
    columns = [{j: one[:, [at]] for at, j in enumerate(range(d))} for one in (high, lost)]
    parts = {j: [column[j] for column in columns] for j in range(d)}
    for at, j in enumerate(known.owner):
        parts[j] += [one[:, [at]] for one in of_low]
    main, low, owner = list[Any](), list[Any](), list[int]()
    for j in range(d):
        first, *others = distilled([one.toarray() if sp.issparse(one) else one for one in parts[j]])
        others = [one for one in others if one.any()]
        main.append(first)
        low += others
        owner += [j] * len(others)
    stack = (lambda some: sp.csr_array(sp.hstack([sp.csr_array(one) for one in some], "csr"))) if sparse else np.hstack
    return stack(main), Low(stack(low), tuple(owner)) if low else None


def _difference_parts(X: Matrix, left: Places, right: Places) -> tuple[Any, Any]:
    """X[left] − X[right] as floats, and what rounding lost of it."""
    if not sp.issparse(X):
        return two_sum(X[left], -X[right])
    a, b = sp.csr_array(X[left]), sp.csr_array(-X[right])
    high = sp.csr_array(a + b)
    part = sp.csr_array(high - a)
    low = sp.csr_array((a - sp.csr_array(high - part)) + sp.csr_array(b - part))
    low.eliminate_zeros()
    high.eliminate_zeros()
    return high, low


def _low_columns(low: Matrix, owner: Sequence[int]) -> Low:
    """The columns that are not zero throughout."""
    places = np.unique(low.nonzero()[1])
    return Low(low[:, places], tuple(int(owner[at]) for at in places))
