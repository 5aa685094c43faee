"""Coefficients that run away: each is a combination of strict rows with factors μ > 0, in exact arithmetic.

A single coefficient costs one exact solve. Many coefficients share a basis: for each of them floats find factors that
are well above zero on the basis's rows. The rounded factors leave a tiny remainder; a small change of the factors on
the basis's rows makes up for it. The matrix is the same for all coefficients: one lifting solves for all remainders.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.exact import DenseSystem, combination, independent, lift_all, mix, primitive, solve
from rosenblatt.verdicts.certificates import dot
from rosenblatt.verdicts.fates.cone import Cone
from rosenblatt.verdicts.fates.fates import Fate
from rosenblatt.verdicts.fates.span import Span
from rosenblatt.verdicts.points import Points

__all__ = ["OpenDirections", "Responses", "by_shared_basis"]

_FEW = 4  # coefficients up to which each is solved for by itself
_SMALL = 16  # directions up to which a solve takes next to nothing
_MORE = 2520  # times the denominator of one remainder is most often enough for all: it may lack small factors
_ROUNDED = 2.0**60  # the size of the largest factor when factors are rounded


@dataclass
class OpenDirections:
    """The directions to which plane rows do not respond; w is one of them, with all other rows strictly right."""

    points: Points
    w: list[int]  # empty for overlap
    strict: Places
    plane: Span | None

    @cached_property
    def cone(self) -> Cone:
        """The strict rows, as floats see them."""
        on_plane = np.empty(0, dtype=np.int64) if self.plane is None else self.plane.rows
        return Cone(self.points, self.strict, on_plane, self.w)

    @property
    def open(self) -> list[list[int]] | None:
        """A basis of the open directions; None: the unit vectors."""
        return None if self.plane is None else self.plane.open

    def at(self, j: int) -> list[int]:
        """The j-th coordinates of these basis directions."""
        if self.plane is not None:
            return [v[j] for v in self.plane.open]
        return [int(i == j) for i in range(self.points.d)]

    def sign(self, j: int) -> int:
        """The sign of w_j."""
        return 1 if self.w[j] > 0 else -1

    def between(self) -> None:
        """Look at the clock."""
        self.points.context.check()


class Responses:
    """z·v of some strict rows for every open direction v, as whole numbers: all are multiplied by the same `unit`."""

    def __init__(self, known: OpenDirections, rows: Places) -> None:
        self.known, self.rows = known, rows
        whole = known.points.whole(rows)
        self.of = dict(zip(rows.tolist(), whole.responses(known.open), strict=True))
        side = whole.responses([known.w])[0][0]
        self.unit = side / dot(known.points.mixed({int(rows[0]): 1}), known.w)

    def wanted(self, j: int) -> list[int]:
        """What rows must combine to if the coefficient runs to infinity with the sign of w_j."""
        return [self.known.sign(j) * v for v in self.known.at(j)]

    def alone(self, j: int, rows: Places) -> Fate | None:
        """The fate of a coefficient, if these rows combine to it, by one exact solve; None where they do not."""
        found = combination(self.wanted(j), [self.of[int(i)] for i in rows], self.known.between) if rows.size else None
        return None if found is None or min(found[0]) < 0 else self.fate(j, rows, *found)

    def fate(self, j: int, rows: Places, factors: list[int], denominator: int) -> Fate:
        """The fate that follows from denominator · wanted = Σ factors · responses."""
        used = {int(i): f for i, f in zip(rows, factors, strict=True) if f}
        size = denominator / self.unit
        scale, *mu = primitive([size.numerator, *(f * size.denominator for f in used.values())])
        return Fate("+inf" if self.known.sign(j) > 0 else "-inf", dict(zip(used, mu, strict=True)), scale)


class _Rounded(NamedTuple):
    """times · wanted = Σ factors · responses + rest, where the rest is tiny."""

    rows: Places
    factors: list[int]
    times: int
    rest: list[int]


def by_shared_basis(responses: Responses, combined: dict[int, Places]) -> dict[int, Fate]:
    """Fates of many coefficients at once, from rows that combine to each of them as far as floats can tell.

    Coefficients for which that fails are left out. `responses` must have all rows of `combined`.
    """
    known = responses.known
    if len(combined) <= _FEW or len(known.at(next(iter(combined)))) <= _SMALL or not known.points.modest:
        return {}
    basis = _most_used(responses, combined)
    shares = {j: known.cone.share(j, known.sign(j), basis) for j in combined} if basis.size else {}
    found = {j: share for j, share in shares.items() if share is not None}
    if not found:
        return {}
    responses = Responses(known, np.unique(np.concatenate([basis, *(rows for rows, _ in found.values())])))
    rounded = {j: _rounded_share(responses, j, *share) for j, share in found.items()}
    return _made_exact(responses, basis, {j: part for j, part in rounded.items() if part.times > 0})


def _most_used(responses: Responses, combined: dict[int, Places]) -> Places:
    """Independent rows that combine to the most coefficients, as many as directions; empty where there are too few."""
    used = Counter(int(i) for rows in combined.values() for i in rows)
    often, directions = [i for i, _ in used.most_common()], len(next(iter(responses.of.values())))
    if len(often) < directions:
        return np.empty(0, dtype=np.int64)
    chosen, columns = independent([responses.of[i] for i in often], responses.known.between)
    return np.array(often, dtype=np.int64)[chosen if len(columns) == directions else []]


def _rounded_share(responses: Responses, j: int, rows: Places, mu: Floats) -> _Rounded:
    """Factors of unit rows, rounded to whole numbers for the rows as they are; and the remainder that this leaves."""
    sizes = mu / responses.known.points.lengths[rows]
    factors = [int(f) for f in np.rint(sizes * (_ROUNDED / sizes.max()))]
    wanted = responses.wanted(j)
    made = mix(factors, [responses.of[int(i)] for i in rows], len(wanted), responses.known.between)
    largest = max(range(len(wanted)), key=lambda k: abs(wanted[k]))
    times = made[largest] // wanted[largest]
    return _Rounded(rows, factors, times, [times * c - s for c, s in zip(wanted, made, strict=True)])


def _made_exact(responses: Responses, basis: Places, rounded: dict[int, _Rounded]) -> dict[int, Fate]:
    """Change the factors on the basis's rows so that no remainder is left; keep fates whose factors are all ≥ 0."""
    between = responses.known.between
    columns = [list(column) for column in zip(*(responses.of[int(i)] for i in basis), strict=True)]
    rests = [part.rest for part in rounded.values()]
    first = next((rest for rest in rests if any(rest)), None)
    denominator = 1 if first is None else _MORE * abs(solve(columns, first, between)[1])
    fates = {}
    taken = lift_all(DenseSystem(columns, between), rests, denominator, between) if rests else []
    for (j, part), x in zip(rounded.items(), taken, strict=True):
        if x is None:
            continue
        factors = dict(zip(part.rows.tolist(), (f * denominator for f in part.factors), strict=True))
        for i, v in zip(basis.tolist(), x, strict=True):
            factors[i] = factors.get(i, 0) + v
        if min(factors.values()) >= 0:
            fates[j] = responses.fate(j, np.array(list(factors)), list(factors.values()), part.times * denominator)
    return fates
