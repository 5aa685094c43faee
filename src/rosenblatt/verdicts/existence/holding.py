"""Whether a model's proof holds on its rows, in exact arithmetic: whoever found it is not believed."""

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.exact.linear import rank
from rosenblatt.verdicts.checker import Refused
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides, points_of
from rosenblatt.verdicts.existence.rows import Places

__all__ = ["hold"]


def hold(claim: Claim, sides: Sides) -> Places:
    """The inequalities that w has strict, by the model's numbers. Raises `checker.Refused` where it does not hold."""
    signs = _signs(claim, sides)
    plane = np.flatnonzero(signs == 0)
    if claim.kind == "complete":
        if plane.size or sides.equal.size:
            raise Refused("a row is not where w should have it")
        return sides.at
    where = {int(row): i for i, row in enumerate(sides.at)}
    if not all(row in where and not signs[where[row]] for row in claim.mixture):
        raise Refused("lambda names a row that is not on the plane")
    mixture = {where[row]: m for row, m in claim.mixture.items()}
    if not mixture and not (claim.base and plane.size) and sides.at.size and not sides.equal.size:
        raise Refused("lambda is empty")
    if claim.base is not None and claim.base <= 0:
        raise Refused("base is not positive")
    if any(m + (claim.base or 0) <= 0 for m in mixture.values()):
        raise Refused("lambda is not positive")
    if any(_residual(claim, sides, mixture, plane)):
        raise Refused("the mixture does not vanish")
    if claim.base is None:
        _hold_span(claim, sides, plane, np.array(sorted(mixture), dtype=np.int64))
    return np.asarray(sides.at[signs > 0])


def _signs(claim: Claim, sides: Sides) -> Any:
    """Of z·w on the inequalities: none is wrong, some are strict where there is a w, and equalities hold."""
    if claim.kind == "overlap" or not sides.at.size:
        return np.zeros(sides.at.size, dtype=np.int8)
    w = sides.weights(claim.w or [])
    signs = sides.inequalities.signs(w)
    if signs.min() < 0 or signs.max() <= 0:
        raise Refused("a row is not where w should have it")
    if sides.tied and np.any(sides.equalities.signs(w)):
        raise Refused("an equality does not hold for w")
    return signs


def _residual(claim: Claim, sides: Sides, mixture: dict[int, int], plane: Places) -> list[Fraction]:
    """Σ λ z + Σ free·z; low parts join the values that they are parts of."""
    total = [Fraction(0)] * sides.rows.Z.shape[1]
    if sides.at.size:
        total = sides.inequalities.mixed(mixture, claim.base or 0, plane)
    where = {int(row): i for i, row in enumerate(sides.equal)}
    if not all(row in where for row in claim.free):
        raise Refused("free names a row that is no equality")
    if claim.free:
        more = sides.equalities.mixed({where[row]: f for row, f in claim.free.items()})
        total = [a + b for a, b in zip(total, more, strict=True)]
    for j, low in zip(sides.rows.low, total[sides.d :], strict=True):
        total[j] += low
    return total[: sides.d]


def _hold_span(claim: Claim, sides: Sides, plane: Places, some: Places) -> None:
    """λ's rows and the equalities span the plane: their rank, and directions to which none of its rows responds."""
    null = [sides.weights(v) for v in claim.null]
    if rank(null) < len(null):
        raise Refused("the vectors of null are dependent")
    for v in null:
        if np.any(sides.inequalities.signs(v, plane)[plane]) or (sides.tied and np.any(sides.equalities.signs(v))):
            raise Refused("a row that should does not vanish on null")
    together = points_of(sides.with_ties(sides.rows.Z[np.concatenate([sides.at[some], sides.equal])]))
    if not together.n or Equalities(together, None).basis.rows.size < together.d - len(null):
        raise Refused("the rows of lambda and the equalities do not span the rows on the plane")
