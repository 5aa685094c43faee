"""Columns far from zero, such as years or coordinates, moved to zero without rounding.

With an intercept, taking c from a column is a change of variables: w stays, the bias takes −c·w. Where all of its
values lie within a factor of two, the differences are exact (Sterbenz 1974), and floats see what the offset hid.
The differences of decimals are decimals with as many digits, or fewer.
"""

from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import as_rows
from rosenblatt.exact.linear import primitive
from rosenblatt.verdicts.columns import prove
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof

__all__ = ["centred", "prove_centred", "uncentred"]

Kind = TypeVar("Kind", bound=Points)

_FAR = 16.0  # a column this many times farther from zero than it is wide is moved


def prove_centred(points: Points, deadline: float | None) -> Proof:
    """The proof, found with columns moved to zero where they are far from it; a mixture is the same there."""
    moved = centred(points)
    if moved is None:
        return prove(points, deadline)
    proof = prove(moved[0], deadline)
    proof.w = uncentred(proof.w, moved[1]) if proof.w else []
    return proof


def centred(points: Kind) -> tuple[Kind, list[Fraction]] | None:
    """The points with far columns moved to zero, and by how much; None where there are none."""
    if not points.bias or points.rows.sparse or not points.rows.p:
        return None
    X: npt.NDArray[np.floating] = points.rows.kernel.X
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    nearest = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    with np.errstate(over="ignore"):  # a column as wide as float64 is not far from zero
        far = np.abs(nearest) > _FAR * (high - low)
    if not far.any():
        return None
    offsets = np.where(far, nearest, 0.0)
    moved = X.astype(np.float64) - offsets
    exactly = [Fraction(c) for c in offsets.tolist()]
    for j in np.flatnonzero(far):
        ten = points.tens[j]
        if ten > 1:
            m, c = np.rint(X[:, j] * float(ten)), round(offsets[j] * ten)
            moved[:, j] = (m - c) / float(ten)
            exactly[j] = Fraction(c, ten)
    return type(points)(as_rows(moved), points.y, points.bias, points.decimals, points.phases), exactly


def uncentred(w: list[int], offsets: list[Fraction]) -> list[int]:
    """Weights for the data as they are."""
    bias = w[-1] - sum((v * c for v, c in zip(w[:-1], offsets, strict=True)), Fraction(0))
    return primitive([*(v * bias.denominator for v in w[:-1]), bias.numerator])
