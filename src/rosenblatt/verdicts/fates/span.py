"""Rows that span others, and the open directions, to which these rows do not respond: found on few, confirmed on all.

Rows that respond to a random open direction, in floats, join until there are none. Then the open directions are made
whole numbers, each by one exact solve, and no row may respond to a random mixture of them.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import independent, mix
from rosenblatt.verdicts.checker import LONGEST_FILE
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Basis, by_pivots

__all__ = ["Span", "complement", "span"]

_LARGEST = 3000  # weights up to which a basis is sought: rows written out are half a gigabyte, a step takes minutes
_OUTSIDE = 1e-9  # a response above this shows that a row is outside a span
_NONE = np.empty(0, dtype=np.int64)


class Span(NamedTuple):
    """`rows` are independent; `open` has whole v with z·v = 0 on all that they span, one v for each column in `free`.

    A v is not 0 in its own column of `free`, and 0 in the other columns of `free`.
    """

    rows: Places
    free: list[int]
    open: list[list[int]]


def span(points: Points, rows: Places, seed: Places = _NONE, known: Places | None = None) -> Span:
    """The span of these rows and `known` ones. Known rows are independent and come first; `seed` rows are tried first.

    Raises `Unfinished` where time is over, where there are too many weights, and where the open directions are too long
    for a certificate.
    """
    if points.d > _LARGEST:
        raise Unfinished(f"what the rows span in {points.d} dimensions would take too long")
    rng, most = np.random.default_rng(0), points.sample_size
    known = _NONE if known is None else known
    fresh = np.union1d(seed, rng.choice(rows, min(rows.size, most), replace=False))
    basis, by_floats = Basis(points, known, []), True
    while True:
        points.context.check()
        before, chosen_by_floats = basis, by_floats
        basis = _basis(points, known, np.concatenate([basis.rows[known.size :], fresh]), by_floats)
        by_floats = by_floats and basis.rows.size > before.rows.size
        outside = _responding_to_floats(points, rows, basis.rows, rng) if by_floats else rows[:0]
        if not outside.size:
            found = _open_span(points, basis)
            outside = _responding(points, rows, found.open, rng)
            if not outside.size:
                return found
            if not chosen_by_floats and basis.rows.size == before.rows.size:
                raise Unfinished("the rows are dependent modulo a prime, although they are not")
        fresh = outside if outside.size <= most else rng.choice(outside, most, replace=False)


def _basis(points: Points, known: Places, some: Places, by_floats: bool) -> Basis:
    """A basis of what the known rows and some others span; it contains the known rows.

    `by_floats`: no more rows are looked at than floats say are enough. Of nearly dependent columns they choose wrong.
    """
    if not known.size and (by_floats or points.rows.sparse):
        return Basis.of(points, some)
    if by_floats:
        across = points.unit_rows(some) @ complement(points, known)
        some = some[by_pivots(across.T, points.context)[: across.shape[1]]] if across.size else some[:0]
    together = np.concatenate([known, some])
    chosen, columns = independent(points.whole(together).rows, points.context.check)
    return Basis(points, together[chosen], columns)


def complement(points: Points, rows: Places) -> Floats:
    """Orthonormal columns that span the weights (for scaled columns) to which these independent rows do not respond."""
    return np.asarray(np.linalg.qr(points.unit_rows(rows).T, mode="complete")[0][:, rows.size :])


def _responding_to_floats(points: Points, rows: Places, spanning: Places, rng: np.random.Generator) -> Places:
    if spanning.size == points.d:
        return rows[:0]
    u = complement(points, spanning) @ rng.normal(size=points.d - spanning.size)
    return np.setdiff1d(rows[np.abs(points.respond(u / np.linalg.norm(u))[rows]) > _OUTSIDE], spanning)


def _open_span(points: Points, basis: Basis) -> Span:
    taken, found, digits = set(basis.columns), list[list[int]](), 0
    free = [j for j in range(points.d) if j not in taken]
    for j in free:
        found.append(basis.pass_through([int(i == j) for i in range(points.d)]))
        digits += sum(v.bit_length() for v in found[-1]) // 4
        if digits > LONGEST_FILE:
            raise Unfinished(f"the {len(free)} directions that the rows leave open are too long to write down")
    return Span(basis.rows, free, found)


def _responding(points: Points, rows: Places, directions: list[list[int]], rng: np.random.Generator) -> Places:
    """Rows that respond to some direction.

    One mixture of all directions, with random factors, shows them in one pass; it misses a row about once in 10^9. The
    check of the certificate looks at every direction.
    """
    if not directions:
        return rows[:0]
    v = mix(rng.integers(1, 1 << 31, len(directions)).tolist(), directions, points.d)
    return np.asarray(rows[points.signs(v, rows)[rows] != 0])
