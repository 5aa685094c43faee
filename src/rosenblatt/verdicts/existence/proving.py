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

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Matrix, Places
from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.data.numbers import BINARY, ExactColumns, Rows, as_rows
from rosenblatt.exact import primitive
from rosenblatt.regressions import Low, ModelRows, signed
from rosenblatt.verdicts.checker import DoesNotHold
from rosenblatt.verdicts.existence.equalities import Direction, Equalities, Reduction
from rosenblatt.verdicts.points import Points, Weighed
from rosenblatt.verdicts.search import Proof, prove, prove_on_clear_columns, written

__all__ = ["Sides", "prove_model", "relations"]

_DENSE = 0.1  # the share of values other than zero from which rows are made dense


class ModelPoints(Points):
    """All rows z of a model, in the table's units; some are equalities."""

    equal: Flags

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """What w, λ and the vectors of null give on all inequalities; on equalities all must be 0."""
        signs = np.zeros(self.n, dtype=np.int8) if w is None else self.signs(w)
        if np.any(signs[self.equal]):
            raise DoesNotHold("an equality does not hold for w")
        if any(self.equal[row] or signs[row] for row in mixture):
            raise DoesNotHold("lambda names a row that is not on the plane")
        plane, zero = np.flatnonzero((signs == 0) & ~self.equal), np.flatnonzero(signs == 0)
        positive = all(m + (base or 0) > 0 for m in mixture.values()) and (base is None or base > 0)
        vanishing = not any(np.any(self.signs(v, zero)[zero]) for v in null)
        ends = (int(signs.min(initial=1)), int(signs.max(initial=-1)))
        return Weighed(*ends, plane.size, positive, vanishing, self.mixed(mixture, base or 0, plane))


class Sides:
    """A model's rows as the engine takes them: inequalities and equalities, in the units of the rows z."""

    def __init__(self, rows: ModelRows, context: Context = SILENT) -> None:
        self.rows, self.context, self.d = rows, context, len(rows.names)
        self.at, self.equal = np.flatnonzero(~rows.equal), np.flatnonzero(rows.equal)

    @cached_property
    def inequalities(self) -> Points:
        """The rows with z·w ≥ 0."""
        return self.some(self.at)

    @cached_property
    def equalities(self) -> Points:
        """The rows with z·w = 0."""
        return self.some(self.equal)

    @cached_property
    def all(self) -> ModelPoints:
        """All rows as they are numbered, in the table's units."""
        one, low = len(str(self.rows.one)), self.rows.low
        rows = _rows_with_low(self.rows.Z, low, tuple(one - len(str(ten)) for ten in self.rows.tens))
        points = ModelPoints(rows, np.ones(rows.n, dtype=np.int8), False, self.context)
        points.equal = self.rows.equal
        return points

    def some(self, rows: Places) -> Points:
        """Some of the rows."""
        low = self.rows.low
        return _points_of(self.rows.Z[rows], low and Low(low.values[rows], low.owner), self.context)

    def proof(self, w: list[int], plane: bool, mixture: dict[int, int], base: int, free: dict[int, int]) -> Proof:
        """A mixture of inequalities and `free` factors of equalities as a proof; `plane` if z·w = 0 on an inequality.

        Rows get the model's numbers, and w is made one of the table's units.
        """
        kind = "quasi" if plane or self.equal.size else "complete"
        named = {int(self.at[i]): m for i, m in mixture.items()}
        freed = {int(self.equal[i]): f for i, f in free.items()}
        return Proof(kind if w else "overlap", self.in_units(w) if w else [], named, base, free=freed)

    def in_units(self, w: list[int]) -> list[int]:
        """Weights of these rows in the table's units."""
        return primitive([a * ten for a, ten in zip(w, self.rows.tens, strict=True)])


def prove_model(sides: Sides) -> Proof:
    """The proof. Raises `Unfinished` where a limit is hit."""
    if not sides.at.size or not sides.d:  # no row that could be strict, or no weight to make it so
        return Proof("overlap", [], {}, 1)
    if not sides.equal.size:
        return prove_on_clear_columns(sides.all, floats=True)
    equalities = Equalities(sides.equalities)
    N = equalities.directions()
    reduced = None if N is None else Reduction.of(sides.inequalities, N)
    if N is None or reduced is None:
        return _with_pairs(sides, equalities)
    return _Reduced(sides, equalities, N, reduced).prove()


def _points_of(Z: Matrix, low: Low | None, context: Context) -> Points:
    """Rows z for the engine, in units of their own."""
    rows = _rows_with_low(Z, low, (0,) * Z.shape[1])
    return Points(rows, np.ones(rows.n, dtype=np.int8), False, context)


def _rows_with_low(Z: object, low: Low | None, powers: tuple[int, ...]) -> Rows:
    """Rows with what floats do not hold of them; column j is in units of 10^powers[j]."""
    rows, own = as_rows(Z), tuple(np.flatnonzero(powers).tolist())
    exact = ExactColumns((BINARY,) * len(powers), powers, own)
    if low is not None and low.owner:
        values = low.values if rows.sparse or not sp.issparse(low.values) else low.values.toarray()
        exact = replace(exact, low=values, owner=low.owner, low_shifts=(0,) * len(low.owner))
    return rows.read_as(exact) if own or exact.owner else rows


class _Reduced:
    """The search on the rows A·N that elimination leaves; rows of zeros are on the plane and stay out of it."""

    def __init__(self, sides: Sides, equalities: Equalities, N: list[Direction], rows: Reduction) -> None:
        self.sides, self.equalities, self.N, self.rows = sides, equalities, N, rows
        self._nonzero = rows.nonzero

    def prove(self) -> Proof:
        """The proof, in the columns as they were before the elimination."""
        m = self._nonzero.size
        if not m:
            return self._completed([], {}, np.arange(self.sides.at.size))
        # the search proves it for the rows that are left, with λ on every row of the plane
        rows, low = self.rows.values[self._nonzero], self.rows.low
        dense = rows.nnz > _DENSE * rows.shape[0] * rows.shape[1]
        low = low and Low(low.values[self._nonzero], low.owner)
        points = _points_of(rows.toarray() if dense else rows, low, self.sides.context)
        proof = written(prove(points, True))
        w = self._widened(proof.w) if proof.w else []
        plane = np.ones(self.sides.at.size, dtype=bool)
        if proof.w:
            plane[self._nonzero] = points.signs(proof.w) == 0
        mixture = {int(self._nonzero[i]): v for i, v in proof.mixture.items()}
        return self._completed(w, mixture, np.flatnonzero(plane), proof.base or 1)

    def _widened(self, u: list[int]) -> list[int]:
        """w = N·u."""
        w = [0] * self.sides.d
        for factor, direction in zip(u, self.N, strict=True):
            if factor:
                for j, v in direction.items():
                    w[j] += factor * v
        return w

    def _completed(self, w: list[int], mixture: dict[int, int], plane: Places, base: int = 1) -> Proof:
        """The proof, with factors on equalities that bring the sum of the plane's mixture to 0."""
        total = self.sides.inequalities.mixed(mixture, base, plane)
        free, denominator = self.equalities.factors([-t for t in total])
        base, *values = primitive([base * denominator, *(m * denominator for m in mixture.values()), *free.values()])
        mixture = dict(zip(mixture, values[: len(mixture)], strict=True))
        free = dict(zip(free, values[len(mixture) :], strict=True))
        return self.sides.proof(w, bool(plane.size), mixture, base, free)


def _with_pairs(sides: Sides, equalities: Equalities) -> Proof:
    """The proof by a search that has a basis of the equalities as pairs of rows, z and −z."""
    m, k = sides.at.size, equalities.basis.rows.size
    basis = sides.equal[equalities.basis.rows]
    taken, signs = np.concatenate([sides.at, basis, basis]), np.repeat([1.0, 1.0, -1.0], [m, k, k])
    low = sides.rows.low and sides.rows.low.signed(taken, signs)
    points = _points_of(signed(sides.rows.Z[taken], signs), low, sides.context)
    proof = written(prove(points, pairs=m + np.arange(2 * k).reshape(2, k).T))
    if proof.kind == "complete":
        raise Unfinished("rows that cannot be strict are, to floats")
    plane = bool(proof.w) and not np.all(points.signs(proof.w)[:m])
    inner = {i: v for i, v in proof.mixture.items() if i < m}
    free = {
        int(row): proof.mixture.get(m + i, 0) - proof.mixture.get(m + k + i, 0)
        for i, row in enumerate(equalities.basis.rows)
    }
    return sides.proof(proof.w, plane, inner, proof.base, {i: v for i, v in free.items() if v})


def relations(rows: ModelRows, places: Places) -> list[dict[str, int]]:
    """All independent relations between columns on these rows: whole factors v with z·v = 0, by the weights' names.

    A relation of one name says that its column is 0 on these rows.
    """
    if not places.size:
        return [{name: 1} for name in rows.names]
    chosen = {name: getattr(rows, name)[places] for name in ("Z", "equal", "row", "against")}
    low = rows.low and Low(rows.low.values[places], rows.low.owner)
    sides = Sides(replace(rows, **chosen, low=low))
    found, points = list[dict[str, int]](), sides.some(np.arange(places.size))
    for direction in Equalities(points).directions(longest=None) or []:
        v = [direction.get(j, 0) for j in range(sides.d)]
        if not np.any(points.signs(v)):
            found.append({name: a for name, a in zip(rows.names, sides.in_units(v), strict=True) if a})
    return found
