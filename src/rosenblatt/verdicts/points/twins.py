"""Rows that are equal: how many different points there are, and which of them carry both labels."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers, Places
from rosenblatt.data.numbers import Rows, pieces
from rosenblatt.later import sparse as sp
from rosenblatt.verdicts.points.points import Points

__all__ = ["Twins", "distinct_rows"]

_HEAD = 64  # rows that show whether a column's values may all differ


@dataclass(frozen=True)
class Twins:
    """`pairs` has two rows, one of each class, for each point that has both labels; `zeros` has the rows with z = 0."""

    pairs: Integers
    zeros: Places

    @classmethod
    def of(cls, points: Points) -> "Twins":
        """Look at all rows."""
        first = _first_equals(points.rows)
        positive, negative = (_lowest_row(first, points.y == sign) for sign in (1, -1))
        both = np.flatnonzero((positive >= 0) & (negative >= 0))
        zeros = both[:0] if points.bias else np.flatnonzero(_all_zero(points.rows))
        pairs = np.column_stack([positive[both], negative[both]])
        return cls(pairs[~np.isin(pairs[:, 0], zeros)], zeros)


def distinct_rows(rows: Rows, positive: Flags) -> tuple[int, int]:
    """How many different rows there are, and how many of these are of a positive row."""
    if not rows.sparse and rows.n > 0:
        head = np.sort(rows.kernel.X[:_HEAD], axis=0)
        for j in np.flatnonzero((head[1:] != head[:-1]).all(axis=0))[:1]:  # often one column tells all rows apart
            if np.unique(rows.kernel.X[:, j]).size == rows.n:
                return rows.n, int(np.count_nonzero(positive))
    first = _first_equals(rows)
    return int(np.count_nonzero(first == np.arange(rows.n))), len(np.unique(first[positive]))


def _lowest_row(first: Places, mask: Flags) -> Places:
    """For each group, named by its first row, the lowest row in the mask; −1 where there is none."""
    out = np.full(len(first), -1, dtype=np.int64)
    places = np.flatnonzero(mask)[::-1]
    out[first[places]] = places
    return out


def _first_equals(rows: Rows) -> Places:
    """For each row the first row equal to it: by hash, then value by value."""
    h = _hashes(rows)
    order = np.argsort(h, kind="stable")
    starts = np.flatnonzero(np.append(True, h[order][1:] != h[order][:-1]))
    first = np.empty(rows.n, dtype=np.int64)
    first[order] = np.repeat(order[starts], np.diff(np.append(starts, rows.n)))
    repeats = np.flatnonzero(first != np.arange(rows.n))
    for part in np.array_split(repeats, 1 + repeats.size * rows.p // (1 << 20)):
        same = np.all(_all_parts(rows, part) == _all_parts(rows, first[part]), axis=1)
        first[part[~same]] = part[~same]  # a hash shared by chance: may hide an equal row, on which no proof relies
    return first


def _hashes(rows: Rows) -> npt.NDArray[np.uint64]:
    rng = np.random.default_rng(0)
    width = rows.p + (len(rows.exact.owner) if rows.exact else 0)
    odd = rng.integers(0, 1 << 63, size=width, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty(rows.n, dtype=np.uint64)
    if rows.sparse:
        k = rows.kernel
        mixed = _mix(k.data.astype(np.float64), odd[k.indices.astype(np.int64)])
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
        return np.asarray(sums[k.indptr[1:]] - sums[k.indptr[:-1]])
    for start, stop in pieces(rows.n, rows.p):
        block = _all_parts(rows, np.arange(start, stop))
        out[start:stop] = _mix(block + 0.0, odd).sum(axis=1, dtype=np.uint64)  # −0.0 + 0.0 is 0.0
    return out


def _all_parts(rows: Rows, some: Places) -> Floats:
    """Some rows, dense, with what floats do not hold of them."""
    low = None if rows.exact is None else rows.exact.low
    if low is None:
        return rows.take(some)
    return np.hstack([rows.take(some), low[some].toarray() if sp.issparse(low) else low[some]])


def _mix(values: Floats, odd: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    bits = values.view(np.uint64)
    return np.asarray((bits ^ (bits >> np.uint64(29))) * odd)


def _all_zero(rows: Rows) -> Flags:
    """Which rows are zero; a value whose first float is 0 may have others."""
    if rows.sparse:
        return np.asarray(np.diff(rows.kernel.indptr) == 0)
    return np.concatenate([~np.any(_all_parts(rows, np.arange(a, b)) != 0, axis=1) for a, b in pieces(rows.n, rows.p)])
