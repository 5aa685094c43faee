"""Whether a model's proof holds on its rows, in exact arithmetic: whoever found it is not believed."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.exact.linear import rank
from rosenblatt.verdicts.checker import Refused
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import ModelProof, Sides, points_of
from rosenblatt.verdicts.existence.rows import Places
from rosenblatt.verdicts.fast import Responding, hold_fates
from rosenblatt.verdicts.points import Weighed

__all__ = ["hold"]


def hold(proof: ModelProof, sides: Sides) -> Places:
    """The inequalities that w has strict, by the model's numbers. Raises `checker.Refused` where it does not hold."""
    signs = _signs(proof, sides)
    plane = np.flatnonzero(signs == 0)
    if proof.kind == "complete":
        if plane.size or sides.equal.size:
            raise Refused("a row is not where w should have it")
        return sides.at
    where = {int(row): i for i, row in enumerate(sides.at)}
    if not all(row in where and not signs[where[row]] for row in proof.mixture):
        raise Refused("lambda names a row that is not on the plane")
    mixture = {where[row]: m for row, m in proof.mixture.items()}
    if not mixture and not (proof.base and plane.size) and sides.at.size and not sides.equal.size:
        raise Refused("lambda is empty")
    if proof.base < 0 or any(m + proof.base <= 0 for m in mixture.values()):
        raise Refused("lambda is not positive")
    if any(_residual(proof, sides, mixture, plane)):
        raise Refused("the mixture does not vanish")
    if not proof.base:
        _hold_span(proof, sides, plane, np.array(sorted(mixture), dtype=np.int64))
    return np.asarray(sides.at[signs > 0])


def _signs(proof: ModelProof, sides: Sides) -> Any:
    """Of z·w on the inequalities: none is wrong, some are strict where there is a w, and equalities hold."""
    if proof.kind == "overlap" or not sides.at.size:
        return np.zeros(sides.at.size, dtype=np.int8)
    w = sides.weights(proof.w)
    signs = sides.inequalities.signs(w)
    if signs.min() < 0 or signs.max() <= 0:
        raise Refused("a row is not where w should have it")
    if sides.tied and np.any(points_of(sides.equalities).signs(w)):
        raise Refused("an equality does not hold for w")
    return signs


def _residual(proof: ModelProof, sides: Sides, mixture: dict[int, int], plane: Places) -> list[Fraction]:
    """Σ λ z + Σ free·z."""
    total = [Fraction(0)] * sides.rows.Z.shape[1]
    if sides.at.size:
        total = sides.inequalities.mixed(mixture, proof.base, plane)
    where = {int(row): i for i, row in enumerate(sides.equal)}
    if not all(row in where for row in proof.free):
        raise Refused("free names a row that is no equality")
    if proof.free:
        more = points_of(sides.equalities).mixed({where[row]: f for row, f in proof.free.items()})
        total = [a + b for a, b in zip(total, more, strict=True)]
    return sides.folded(total)


def _hold_span(proof: ModelProof, sides: Sides, plane: Places, some: Places) -> None:
    """λ's rows and the equalities span the plane: their rank, and directions to which none of its rows responds."""
    null = [sides.weights(v) for v in proof.null]
    if rank(null) < len(null):
        raise Refused("the vectors of null are dependent")
    equalities = points_of(sides.equalities) if sides.tied else None
    for v in null:
        if np.any(sides.inequalities.signs(v, plane)[plane]) or (equalities and np.any(equalities.signs(v))):
            raise Refused("a row that should does not vanish on null")
    own = sides.rows.Z[sides.at[some]]
    both: list[Any] = [own, sides.equalities]
    together = sp.csr_array(sp.vstack(both)) if sp.issparse(own) else np.vstack(both)
    if not together.shape[0] or Equalities(together, None).basis.rows.size < together.shape[1] - len(null):
        raise Refused("the rows of lambda and the equalities do not span the rows on the plane")


def hold_coefficients(proof: ModelProof, sides: Sides) -> list[str]:
    """Every coefficient's kind, proved; none where the proof says nothing of them. Raises `checker.Refused`."""
    if proof.fates is None:
        return []
    n = len(sides.rows.row)
    claim = Claim(proof.kind, n, sides.d, False, "dense", "", w=proof.w or None)
    return hold_fates(claim, proof.fates, InUnits(sides))


class _Whole:
    """Some rows: their responses to weights in the user's units, all times the same positive number."""

    def __init__(self, sides: Sides, rows: Any) -> None:
        self._sides, self._whole = sides, sides.all.whole(rows)

    @property
    def rows(self) -> list[list[int]]:
        """Whole numbers of the same rank."""
        return self._whole.rows if not self._sides.rows.low else self.responses(None)

    def responses(self, directions: list[list[int]] | None) -> list[list[int]]:
        """z·v for every direction; None: the unit vectors."""
        d = self._sides.d
        own = [[int(i == j) for i in range(d)] for j in range(d)] if directions is None else directions
        return self._whole.responses([self._sides.weights(v) for v in own])


class InUnits:
    """All rows of a model as `fast` weighs rows, for weights in the user's units."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides

    def whole(self, rows: Any) -> Responding:
        """Some rows."""
        return _Whole(self._sides, rows)

    def mixed(self, mixture: dict[int, int]) -> list[Fraction]:
        """Σ λ z, exactly."""
        return self._sides.folded(self._sides.all.mixed(mixture))

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """How w and the vectors of null stand to all rows."""
        own = self._sides.weights
        return self._sides.all.weigh(w and own(w), mixture, base, [own(v) for v in null])

    def strict_with(self, w: list[int], others: list[list[int]]) -> npt.NDArray[np.bool_]:
        """Which of the others have z·v > 0 wherever z·w > 0."""
        own = self._sides.weights
        return self._sides.all.strict_with(own(w), [own(v) for v in others])
