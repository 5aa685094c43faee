"""Whether a model's proof holds on its rows, in exact arithmetic: whoever found it is not believed."""

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.exact.linear import rank
from rosenblatt.verdicts.checker import Refused
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import ModelProof, Sides, points_of
from rosenblatt.verdicts.existence.rows import Places

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
