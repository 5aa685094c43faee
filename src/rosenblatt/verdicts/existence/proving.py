"""From a model's rows z to a proof.

Equalities are eliminated where floats hold the rows that are left; else the search gets them as pairs of rows z and −z.

    complete   w with z·w > 0 on every inequality, and there is no equality
    quasi      w with z·w ≥ 0 on every inequality, > 0 on some, and z·w = 0 on the equalities; a mixture that vanishes
    overlap    a mixture that vanishes

A mixture adds up to zero. It has λ > 0 on every inequality with z·w = 0, or on some of them that span all together with
the equalities, and numbers `free` of any sign on equalities. So no w with z·w ≥ 0 on all rows has z·w > 0 on these.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Places
from rosenblatt.data.rows import as_rows
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.clock import SILENT, PhaseReporter, Unfinished
from rosenblatt.verdicts.columns import prove, prove_on_clear_columns
from rosenblatt.verdicts.existence.equalities import Direction, Equalities, Reduction
from rosenblatt.verdicts.existence.rows import ModelRows
from rosenblatt.verdicts.points import Points

__all__ = ["Sides", "points_of", "prove_model", "relations"]

_DENSE = 0.1  # the share of values other than zero from which rows are made dense


class Sides:
    """A model's rows as the engine takes them: inequalities and equalities; ties of low parts are equalities too."""

    def __init__(self, rows: ModelRows, phases: PhaseReporter = SILENT) -> None:
        self.rows, self.phases = rows, phases
        self.d = len(rows.names)
        self.at, self.equal = np.flatnonzero(~rows.equal), np.flatnonzero(rows.equal)
        most = max(rows.tens, default=1)
        self._factors = [most // ten for ten in rows.tens]

    @cached_property
    def inequalities(self) -> Points:
        """The rows with z·w ≥ 0."""
        Z = self.rows.Z if not self.equal.size else self.rows.Z[self.at]
        return points_of(Z, self.phases)

    @cached_property
    def equalities(self) -> Points:
        """The rows with z·w = 0; the last of them tie each low part to its weight."""
        return points_of(self.with_ties(self.rows.Z[self.equal]))

    def with_ties(self, some: Any) -> Any:
        """These rows, dense or CSR, then the rows that tie each low part to its weight."""
        if not self.rows.low:
            return some
        k = len(self.rows.low)
        places = (np.tile(np.arange(k), 2), np.concatenate([self.rows.low, self.d + np.arange(k)]))
        ties = sp.csr_array((np.repeat([1.0, -1.0], k), places), shape=(k, self.d + k))
        return sp.csr_array(sp.vstack([some, ties])) if sp.issparse(some) else np.vstack([some, ties.toarray()])

    @cached_property
    def all(self) -> Points:
        """All rows as they are numbered, then the ties."""
        return points_of(self.with_ties(self.rows.Z), self.phases) if self.tied else self.inequalities

    @property
    def tied(self) -> bool:
        """Whether there are equalities of any kind."""
        return bool(self.equal.size or self.rows.low)

    def kind(self, separated: bool, plane: bool) -> str:
        """The verdict of a proof: `separated` if there is a w, `plane` if z·w = 0 on some inequality."""
        if not separated:
            return "overlap"
        return "quasi" if plane or self.equal.size else "complete"

    def weights(self, w: list[int]) -> list[int]:
        """Weights w of the user's units in the units of these rows, times a factor > 0: signs of z·w stay the same."""
        own = [a * factor for a, factor in zip(w, self._factors, strict=True)]
        return own + [own[j] for j in self.rows.low]

    def in_units(self, w: list[int]) -> list[int]:
        """Weights of these rows in the user's units, without those of low parts; an empty list stays empty."""
        return primitive([a * ten for a, ten in zip(w[: self.d], self.rows.tens, strict=True)]) if w else []

    def claim(
        self, kind: str, w: list[int], mixture: dict[int, int], base: int, free: dict[int, int] | None = None
    ) -> Claim:
        """The claim that a mixture of inequalities and `free` factors of equalities prove; `base` 0 is none.

        Rows get the model's numbers. Ties of low parts are left out: every reader of a certificate knows them.
        """
        named = {int(self.at[i]): m for i, m in mixture.items()}
        freed = {int(self.equal[i]): f for i, f in (free or {}).items() if i < self.equal.size}
        return Claim(kind, w=w or None, mixture=named, base=base or None, free=freed)


def prove_model(sides: Sides, deadline: float | None) -> Claim:
    """The proof. Raises `Unfinished` where a limit is hit."""
    if not sides.at.size or not sides.d:  # no row that could be strict, or no weight to make it so
        return sides.claim("overlap", [], {}, 1)
    if not sides.tied:
        proof = prove_on_clear_columns(sides.inequalities, deadline)
        return sides.claim(proof.kind, sides.in_units(proof.w), proof.mixture, proof.base)
    equalities = Equalities(sides.equalities, deadline)
    N = equalities.directions()
    reduced = None if N is None else Reduction.of(sp.csr_array(sides.rows.Z[sides.at]), N)
    if N is None or reduced is None:
        return _with_pairs(sides, equalities, deadline)
    return _Reduced(sides, equalities, N, reduced, deadline).prove()


def points_of(Z: Any, phases: PhaseReporter = SILENT) -> Points:
    """Rows z for the engine."""
    return Points(as_rows(Z), np.ones(Z.shape[0], dtype=np.int8), False, None, phases)


class _Reduced:
    """The search on the rows A·N that elimination leaves; rows of zeros are on the plane and stay out of it."""

    def __init__(
        self, sides: Sides, equalities: Equalities, N: list[Direction], rows: Reduction, deadline: float | None
    ) -> None:
        self.sides, self.equalities, self.N, self.rows, self.deadline = sides, equalities, N, rows, deadline
        self._nonzero = np.flatnonzero(np.diff(rows.values.indptr) > 0)

    def prove(self) -> Claim:
        """The proof, in the columns as they were before the elimination."""
        m = self._nonzero.size
        if not m:
            return self._completed("overlap", [], {}, np.arange(self.sides.at.size))
        # the search proves it for the rows that are left, with λ on every row of the plane
        rows, pairs = self.rows.with_ties(self._nonzero)
        dense = rows.nnz > _DENSE * rows.shape[0] * rows.shape[1]
        points = points_of(rows.toarray() if dense else rows)
        proof = prove(points, self.deadline, True, pairs)
        w = self._widened(proof.w) if proof.w else []
        plane = np.ones(self.sides.at.size, dtype=bool)
        if proof.w:
            plane[self._nonzero] = points.signs(proof.w)[:m] == 0
        mixture = {int(self._nonzero[i]): v for i, v in proof.mixture.items() if i < m}
        kind = self.sides.kind(bool(w), bool(plane.any()))
        return self._completed(kind, w, mixture, np.flatnonzero(plane), proof.base or 1)

    def _widened(self, u: list[int]) -> list[int]:
        """w = N·u."""
        w = [0] * (self.sides.d + len(self.sides.rows.low))
        for factor, direction in zip(u[len(self.rows.low) :], self.N, strict=True):
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


def _with_pairs(sides: Sides, equalities: Equalities, deadline: float | None) -> Claim:
    """The proof by a search that has a basis of the equalities as pairs of rows, z and −z."""
    low = len(sides.rows.low)
    order = [*range(sides.d, sides.d + low), *range(sides.d)]  # low parts first: see `Reduction`
    A = sides.rows.Z[sides.at][:, order]
    basis = sides.with_ties(sides.rows.Z[sides.equal])[equalities.basis.rows][:, order]
    stack: Callable[[list[Any]], Any] = (lambda parts: sp.vstack(parts, "csr")) if sp.issparse(A) else np.vstack
    m, k = A.shape[0], basis.shape[0]
    points = points_of(stack([A, basis, -basis]), sides.phases)
    proof = prove(points, deadline, pairs=m + np.arange(2 * k).reshape(2, k).T)
    if proof.kind == "complete":
        raise Unfinished("rows that cannot be strict are, to floats")
    w = sides.in_units(proof.w[low:])
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
    sides = Sides(replace(rows, **chosen))
    found = list[dict[str, int]]()
    for direction in Equalities(sides.all, None).directions(longest=None) or []:
        v = [direction.get(j, 0) for j in range(sides.all.d)]
        if not np.any(sides.all.signs(v)):
            found.append({name: a for name, a in zip(rows.names, sides.in_units(v), strict=True) if a})
    return found
