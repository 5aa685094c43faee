"""Rows that are on both sides of a split: equal ones, and nearly equal ones. They are answered by heart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Floats, Integers, Places
from rosenblatt.data.numbers import Origin, Rows, Written
from rosenblatt.probes.devices.arrays import is_tensor

__all__ = ["NO_COPIES", "Copies", "between", "copies", "row_numbers"]

_MOST = 1 << 24  # values looked at; of larger tables nothing is said
_NEAR = 1e-3  # of the usual distance between rows: so near rows are copies
_FEW_KINDS = 0.5  # with fewer different rows than this part, equal rows are no copies but few possible values
_WHOLE = 2**53  # whole numbers up to here are floats
_LONGEST = 1000  # bits of whole numbers that are turned into floats
_AWAY = 8  # places away in the order along a direction that near rows are looked for


@dataclass(frozen=True)
class Copies:
    """How many rows have an equal row, or a nearly equal one, on another side, and an example of each; or none."""

    equal: int = 0
    near: int = 0
    pair: tuple[int, int] | None = None  # two such rows, counted from 0

    def __bool__(self) -> bool:
        return self.pair is not None

    @property
    def counted(self) -> str:
        """How many, in words."""
        return " and ".join(f"{n:,} {what}" for n, what in ((self.equal, "equal"), (self.near, "nearly equal")) if n)

    @property
    def sentence(self) -> str:
        """What was found, and what to do."""
        if self.pair is None:
            return ""
        first, second = self.pair
        return (
            f"Rows on both sides of a split: {self.counted} (rows {first:,} and {second:,}, say). Their answers "
            f"were learned by heart: give groups that keep copies together."
        )


NO_COPIES = Copies()


def copies(X: object, side: Places, learned: int = 0) -> Copies:
    """Rows whose equals or near copies have another `side` (a fold, or learned and held out).

    What was written decides (whole numbers, and the numbers of `Rows` beyond floats), not the floats nearest to it.
    Nothing is said of tables that hold text, are sparse, or have so few different rows that equal ones are usual.
    Where the first rows are a table that was `learned`, those of the other table are counted.

    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> X[30], X[31] = X[2], X[3] + 1e-6
    >>> copies(X, np.arange(40) // 20)
    Copies(equal=2, near=2, pair=(2, 30))
    """
    rows = _finite_floats(X.matrix if isinstance(X, Rows) else X)
    if rows is None:
        return NO_COPIES
    written, from_least = _beyond_floats(X)
    kind = row_numbers(np.hstack([rows.view(np.int64), *written]) if written else rows)
    for j, column in from_least.items():
        rows[:, j] = column
    sizes = np.bincount(kind)
    if (2 if learned else 1) * len(sizes) < _FEW_KINDS * len(rows):  # equal tables have half as many kinds
        return NO_COPIES
    order = np.argsort(kind, kind="stable")
    low, high = np.full(len(sizes), np.iinfo(np.int64).max), np.full(len(sizes), np.iinfo(np.int64).min)
    np.minimum.at(low, kind, side)
    np.maximum.at(high, kind, side)
    equal = (low < high)[kind]
    near, pair = _near_copies(rows, kind, side)
    if equal.any():
        first = int(np.flatnonzero(equal)[0])
        same = order[kind[order] == kind[first]]
        pair = first, int(same[side[same] != side[first]][0])
    return Copies(int(equal[learned:].sum()), int(np.count_nonzero((near & ~equal)[learned:])), pair)


def between(learned: Rows, judged: Rows) -> Copies:
    """Rows to be judged, counted on from those that were learned, that are copies of these."""
    n, p = learned.n, learned.p
    if learned.sparse or judged.sparse or (n + judged.n) * p > _MOST or learned.origin.columns != judged.origin.columns:
        return NO_COPIES
    written = [one.origin.written for one in (learned, judged) if one.origin.written is not None]
    origin = Origin(learned.origin.columns, Written.joined(written) if written else None)
    return copies(Rows(np.vstack([learned.matrix, judged.matrix]), origin), (np.arange(n + judged.n) >= n) * 1, n)


def row_numbers(rows: npt.NDArray[Any]) -> Places:
    """0, 1, 2, … in the order in which rows first occur; equal rows have equal numbers."""
    numbers: dict[bytes, int] = {}
    rows = rows + 0  # −0 is 0
    if not rows.shape[1] * rows.dtype.itemsize % 8 and rows.shape[1]:
        words = np.ascontiguousarray(rows).view(np.uint64)
        sums = words @ np.random.default_rng(0).integers(2**64, size=words.shape[1], dtype=np.uint64)
        if np.unique(sums).size == len(rows):  # sums modulo 2⁶⁴ that differ are of rows that differ
            return np.arange(len(rows))
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.int64)


def _beyond_floats(X: Any) -> tuple[list[Integers], dict[int, Floats]]:
    """Columns that, beside the floats, tell numbers apart; and long columns from their least value on, as floats."""
    if isinstance(X, Rows):
        origin, from_least = X.origin, {}
        if origin.written is None:
            return [], {}
        for j in origin.columns:
            column = origin.column(j)
            assert column is not None
            whole = column.whole(int(column.exponent.min()))
            least = min(whole)
            if (max(whole) - least).bit_length() < _LONGEST:
                from_least[j] = np.array([float(one - least) for one in whole])
        return [np.reshape(part, (X.n, -1)) for part in origin.written], from_least
    long = {}
    floats = isinstance(X, np.ndarray) and X.dtype.kind == "f"
    for j in range(0 if floats else X.shape[1]):
        column = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        kind = getattr(column, "dtype", None)
        if str(kind).startswith(("int64", "uint64")):
            values = np.asarray(column)
            if values.size and (values.max() > _WHOLE or values.min() < -_WHOLE):
                long[j] = values
    keys = [np.column_stack([values.view(np.int64) for values in long.values()])] if long else []
    return keys, {j: (values.view(np.uint64) - values.min().view(np.uint64)) * 1.0 for j, values in long.items()}


def _finite_floats(X: Any) -> Floats | None:
    if sp.issparse(X) or is_tensor(X) or np.prod(X.shape) > _MOST or X.shape[0] < 2:
        return None
    try:
        rows = np.asarray(X[0 : X.shape[0]] if not hasattr(X, "columns") else X, dtype=np.float64)
    except (TypeError, ValueError):  # text
        return None
    return rows + 0.0 if rows.ndim == 2 and np.isfinite(rows).all() else None


def _near_copies(rows: Floats, kind: Places, side: Places) -> tuple[Any, tuple[int, int] | None]:
    """Rows with another kind of row nearly on the same place, on another side: neighbours along a random direction."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = rows.std(axis=0)
        unit = 1.0 / np.where(spread > 1e-300, spread, 1.0)
        along = (rows - rows[:1]) @ (unit * np.random.default_rng(0).normal(size=rows.shape[1]))
    near, pair = np.zeros(len(rows), dtype=bool), None
    limit = _NEAR * float(np.sqrt(2 * np.count_nonzero(spread)))
    if not (np.isfinite(along).all() and np.isfinite(spread).all()) or np.count_nonzero(spread) < 3:
        return near, None  # in two columns rows are near by chance
    order = np.argsort(along)
    reach = 4 * limit  # a move of this length seldom goes farther along a normal direction
    for away in range(1, min(_AWAY, len(rows) - 1) + 1):
        a, b = order[:-away], order[away:]
        some = np.flatnonzero((along[b] - along[a] <= reach) & (side[a] != side[b]) & (kind[a] != kind[b]))
        hit = some[np.linalg.norm((rows[a[some]] - rows[b[some]]) * unit, axis=1) <= limit]
        near[a[hit]] = near[b[hit]] = True
        if pair is None and hit.size:
            pair = int(min(a[hit[0]], b[hit[0]])), int(max(a[hit[0]], b[hit[0]]))
    return near, pair
