"""From a model's rows z to a proof.

Equalities are eliminated where floats hold the rows that are left; else the search gets them as pairs of rows z and −z.

    complete   w with z·w > 0 on every inequality, and there is no equality
    quasi      w with z·w ≥ 0 on every inequality, > 0 on some, and z·w = 0 on the equalities; a mixture that vanishes
    overlap    a mixture that vanishes

A mixture adds up to zero. It has λ > 0 on every inequality with z·w = 0, or on some of them that span all together with
the equalities, and numbers `free` of any sign on equalities. So no w with z·w ≥ 0 on all rows has z·w > 0 on these.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Places
from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.data.numbers import BINARY, ExactColumns, as_rows
from rosenblatt.exact.linear import primitive
from rosenblatt.regressions.machinery.rows import Low, ModelRows, signed
from rosenblatt.verdicts.certificates import Claim
from rosenblatt.verdicts.existence.equalities import Direction, Equalities, Reduction
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import prove, prove_on_clear_columns

__all__ = ["Sides", "points_of", "prove_model", "relations"]

_DENSE = 0.1  # the share of values other than zero from which rows are made dense


class Sides:
    """A model's rows as the engine takes them: inequalities and equalities."""

    def __init__(self, rows: ModelRows, context: Context = SILENT) -> None:
        self.rows, self.context = rows, context
        self.d = len(rows.names)
        self.at, self.equal = np.flatnonzero(~rows.equal), np.flatnonzero(rows.equal)
        most = max(rows.tens, default=1)
        self._factors = [most // ten for ten in rows.tens]

    @cached_property
    def inequalities(self) -> Points:
        """The rows with z·w ≥ 0."""
        return self.some(self.at) if self.equal.size else self.all

    @cached_property
    def equalities(self) -> Points:
        """The rows with z·w = 0."""
        return self.some(self.equal)

    @cached_property
    def all(self) -> Points:
        """All rows as they are numbered."""
        return points_of(self.rows.Z, self.rows.low, self.context)

    def some(self, rows: Places) -> Points:
        """Some of the rows."""
        low = self.rows.low
        return points_of(self.rows.Z[rows], low and Low(low.values[rows], low.owner), self.context)

    def kind(self, separated: bool, plane: bool) -> str:
        """The verdict of a proof: `separated` if there is a w, `plane` if z·w = 0 on some inequality."""
        if not separated:
            return "overlap"
        return "quasi" if plane or self.equal.size else "complete"

    def weights(self, w: list[int]) -> list[int]:
        """Weights w of the user's units in the units of these rows, times a factor > 0: signs of z·w stay the same."""
        return [a * factor for a, factor in zip(w, self._factors, strict=True)]

    def in_units(self, w: list[int]) -> list[int]:
        """Weights of these rows in the user's units; an empty list stays empty."""
        return primitive([a * ten for a, ten in zip(w, self.rows.tens, strict=True)]) if w else []

    def claim(
        self, kind: str, w: list[int], mixture: dict[int, int], base: int, free: dict[int, int] | None = None
    ) -> Claim:
        """The claim that a mixture of inequalities and `free` factors of equalities prove; `base` 0 is none.

        Rows get the model's numbers.
        """
        named = {int(self.at[i]): m for i, m in mixture.items()}
        freed = {int(self.equal[i]): f for i, f in (free or {}).items()}
        return Claim(kind, w=w or None, mixture=named, base=base or None, free=freed)


def prove_model(sides: Sides) -> Claim:
    """The proof. Raises `Unfinished` where a limit is hit."""
    if not sides.at.size or not sides.d:  # no row that could be strict, or no weight to make it so
        return sides.claim("overlap", [], {}, 1)
    if not sides.equal.size:
        proof = prove_on_clear_columns(sides.inequalities)
        return sides.claim(proof.kind, sides.in_units(proof.w), proof.mixture, proof.base)
    equalities = Equalities(sides.equalities)
    N = equalities.directions()
    reduced = None if N is None else Reduction.of(sides.inequalities, N)
    if N is None or reduced is None:
        return _with_pairs(sides, equalities)
    return _Reduced(sides, equalities, N, reduced).prove()


def points_of(Z: Any, low: Low | None = None, context: Context = SILENT) -> Points:
    """Rows z for the engine, with what floats do not hold of them."""
    rows = as_rows(Z)
    if low is not None and low.owner:
        d = Z.shape[1]
        values = low.values if rows.sparse or not sp.issparse(low.values) else low.values.toarray()
        shifts = (0,) * len(low.owner)
        rows = rows.read_as(ExactColumns((BINARY,) * d, (0,) * d, low=values, owner=low.owner, low_shifts=shifts))
    return Points(rows, np.ones(Z.shape[0], dtype=np.int8), False, context)


class _Reduced:
    """The search on the rows A·N that elimination leaves; rows of zeros are on the plane and stay out of it."""

    def __init__(self, sides: Sides, equalities: Equalities, N: list[Direction], rows: Reduction) -> None:
        self.sides, self.equalities, self.N, self.rows = sides, equalities, N, rows
        self._nonzero = rows.nonzero

    def prove(self) -> Claim:
        """The proof, in the columns as they were before the elimination."""
        m = self._nonzero.size
        if not m:
            return self._completed("overlap", [], {}, np.arange(self.sides.at.size))
        # the search proves it for the rows that are left, with λ on every row of the plane
        rows, low = self.rows.values[self._nonzero], self.rows.low
        dense = rows.nnz > _DENSE * rows.shape[0] * rows.shape[1]
        low = low and Low(low.values[self._nonzero], low.owner)
        points = points_of(rows.toarray() if dense else rows, low, self.sides.context)
        proof = prove(points, True)
        w = self._widened(proof.w) if proof.w else []
        plane = np.ones(self.sides.at.size, dtype=bool)
        if proof.w:
            plane[self._nonzero] = points.signs(proof.w) == 0
        mixture = {int(self._nonzero[i]): v for i, v in proof.mixture.items()}
        kind = self.sides.kind(bool(w), bool(plane.any()))
        return self._completed(kind, w, mixture, np.flatnonzero(plane), proof.base or 1)

    def _widened(self, u: list[int]) -> list[int]:
        """w = N·u."""
        w = [0] * self.sides.d
        for factor, direction in zip(u, self.N, strict=True):
            if factor:
                for j, v in direction.items():
                    w[j] += factor * v
        return self.sides.in_units(w)

    def _completed(self, kind: str, w: list[int], mixture: dict[int, int], plane: Places, base: int = 1) -> Claim:
        """The claim, with factors on equalities that bring the sum of the plane's mixture to 0."""
        total = self.sides.inequalities.mixed(mixture, base, plane)
        free, denominator = self.equalities.factors([-t for t in total])
        base, *values = primitive([base * denominator, *(m * denominator for m in mixture.values()), *free.values()])
        mixture = dict(zip(mixture, values[: len(mixture)], strict=True))
        free = dict(zip(free, values[len(mixture) :], strict=True))
        return self.sides.claim(kind, w, mixture, base, free)


def _with_pairs(sides: Sides, equalities: Equalities) -> Claim:
    """The proof by a search that has a basis of the equalities as pairs of rows, z and −z."""
    m, k = sides.at.size, equalities.basis.rows.size
    basis = sides.equal[equalities.basis.rows]
    taken, signs = np.concatenate([sides.at, basis, basis]), np.repeat([1.0, 1.0, -1.0], [m, k, k])
    low = sides.rows.low and sides.rows.low.signed(taken, signs)
    points = points_of(signed(sides.rows.Z[taken], signs), low, sides.context)
    proof = prove(points, pairs=m + np.arange(2 * k).reshape(2, k).T)
    if proof.kind == "complete":
        raise Unfinished("rows that cannot be strict are, to floats")
    w = sides.in_units(proof.w)
    kind = sides.kind(bool(w), bool(w) and not np.all(points.signs(proof.w)[:m]))
    inner = {i: v for i, v in proof.mixture.items() if i < m}
    free = {
        int(row): proof.mixture.get(m + i, 0) - proof.mixture.get(m + k + i, 0)
        for i, row in enumerate(equalities.basis.rows)
    }
    free = {i: v for i, v in free.items() if v}
    return sides.claim(kind, w, inner, proof.base, free)


def relations(rows: ModelRows, places: Places) -> list[dict[str, int]]:
    """All independent relations between columns on these rows: whole factors v with z·v = 0, by the weights' names.

    A relation of one name says that its column is 0 on these rows.
    """
    if not places.size:
        return [{name: 1} for name in rows.names]
    chosen = {name: getattr(rows, name)[places] for name in ("Z", "equal", "row", "against")}
    low = rows.low and Low(rows.low.values[places], rows.low.owner)
    sides = Sides(replace(rows, **chosen, low=low))
    found = list[dict[str, int]]()
    for direction in Equalities(sides.all).directions(longest=None) or []:
        v = [direction.get(j, 0) for j in range(sides.all.d)]
        if not np.any(sides.all.signs(v)):
            found.append({name: a for name, a in zip(rows.names, sides.in_units(v), strict=True) if a})
    return found
