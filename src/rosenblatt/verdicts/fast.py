"""Whether a claim holds, whatever its size: floats with an error bound where they decide, FLINT where numbers are long.

One `holds` for rows in memory, on disk and in shards. Tested to agree with `checker.py`, which remains the authority on
what a certificate means.
"""

import hashlib
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import Rows, as_rows, pieces
from rosenblatt.exact.linear import rank
from rosenblatt.exact.sums import length_sq
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.checker import Refused, proved
from rosenblatt.verdicts.claim import Claim, Interval
from rosenblatt.verdicts.points import Floats, Weighed, Whole

__all__ = ["Weighable", "as_csr", "digest", "holds"]


def digest(rows: Rows, y: npt.NDArray[np.int8], layout: str) -> str:
    """SHA-256 of X and y as the certificate's `layout` has them; −0.0 as 0.0."""
    h = hashlib.sha256()
    if layout == "csr":
        _hash_csr(h, rows)
    else:
        for first, stop in pieces(rows.n, rows.p):
            block = rows.take(np.arange(first, stop)) if rows.sparse else rows.kernel.X[first:stop]
            h.update(_plain(block))
    h.update(np.ascontiguousarray(y, dtype=np.int8).data)
    return h.hexdigest()


def _hash_csr(h: Any, rows: Rows) -> None:
    k = as_csr(rows).kernel
    h.update(np.ascontiguousarray(k.indptr, dtype="<i8"))
    for part in np.array_split(k.indices, 1 + k.indices.size // (1 << 22)):
        h.update(np.ascontiguousarray(part, dtype="<i8"))
    for part in np.array_split(k.data, 1 + k.data.size // (1 << 22)):
        h.update(_plain(part))


def as_csr(rows: Rows) -> Rows:
    """The same rows in CSR, as a certificate may have hashed them."""
    if rows.sparse:
        return rows
    import scipy.sparse as sp

    return as_rows(sp.csr_matrix(rows.kernel.X))


def _plain(values: Any) -> Any:
    """Little-endian float64 without negative zeros, on the same memory where that is what they are."""
    if values.dtype == np.dtype("<f8") and not np.any((values == 0) & np.signbit(values)):
        return np.ascontiguousarray(values)
    return np.ascontiguousarray(values.astype("<f8") + 0.0)


class Weighable(Protocol):
    """Rows that a claim is checked on: in memory, on disk (`Points`), or in shards (`PointSet`)."""

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """How w, λ and the vectors of null stand to all rows."""

    def mixed(self, mixture: dict[int, int]) -> list[Fraction]:
        """Σ λ z, exactly."""

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row."""

    def floats(self, rows: Any) -> Floats:
        """Z of some rows."""


def holds(claim: Claim, points: Weighable) -> str:
    """What the claim proves of these rows; hash and shape are checked elsewhere. Raises `checker.Refused`."""
    weighed = points.weigh(claim.w, claim.mixture, claim.base, claim.null)
    least = 1 if claim.kind == "complete" else 0
    if claim.w is not None and (weighed.lowest < least or weighed.highest <= 0):
        raise Refused("a row is not where w should have it")
    if claim.kind == "complete":
        for interval in claim.intervals:
            _hold_interval(interval, points)
        ends = {one.name: (one.lower.as_integer_ratio(), one.upper.as_integer_ratio()) for one in claim.intervals}
        return str(proved("complete", claim.n, 0, 0, ends))
    _hold_mixture(claim, weighed, points)
    rows = len(claim.mixture) if claim.base is None else weighed.plane
    return str(proved(claim.kind, claim.n, weighed.plane, rows))


def _hold_mixture(claim: Claim, weighed: Weighed, points: Weighable) -> None:
    """λ is positive, vanishes, and spans the rows of the plane."""
    if not (claim.mixture or (claim.base is not None and weighed.plane)) or not weighed.positive:
        raise Refused("lambda is empty or not positive")
    if any(weighed.residual):
        raise Refused("the mixture does not vanish")
    if claim.base is not None:  # then λ is positive on all of those rows, so they span themselves
        return
    if rank(claim.null) < len(claim.null):
        raise Refused("the vectors of null are dependent")
    if not weighed.vanishing:
        raise Refused("a row that should does not vanish on null")
    if rank(Whole(points.floats(list(claim.mixture))).rows) < claim.d - len(claim.null):
        raise Refused("the rows of lambda do not span the rows on the plane")


def _hold_interval(interval: Interval, points: Weighable) -> None:
    """Both ends are proved."""
    mixed = points.mixed(interval.mixture)
    if interval.street and mixed[-1]:
        raise Refused("lambda does not have the same sum in both classes")
    if length_sq(mixed) > interval.upper**2 * sum(interval.mixture.values()) ** 2:
        raise Refused(f"lambda does not prove the upper end of the {interval.name}")
    # the smallest fraction that is sure to be at least lower·‖w‖, where a root is not one
    if not points.at_least(interval.w, interval.lower * sqrt_above(Fraction(interval.length_sq))):
        raise Refused(f"a row is nearer than the lower end of the {interval.name}")
