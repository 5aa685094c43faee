"""Where a table read as floats differs from the same table read in decimals: in its rank, or in the verdict.

For most tables both readings agree, and float arithmetic shows that cheaply. A decimal is within a factor 1 ± 2^-53 of
its float, so a result with room to spare cannot differ: columns whose singular values are far above that are
independent in both readings; a w may have the floats on their side too; a mixture λ of the decimals misses zero by so
little, in floats, that a small change of λ on a few independent rows makes up for it and leaves λ positive.

Other tables are compared exactly, where that is affordable. Only what is proved is said: the vectors that vanish on all
rows in decimals and the rank of the floats, or the floats' own verdict. Where nothing was compared, nothing is said.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from scipy.linalg import qr

from rosenblatt.arrays import Places
from rosenblatt.context import Unfinished
from rosenblatt.exact import null_space, rank
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.columns import prove_on_clear_columns
from rosenblatt.verdicts.search.search import Proof

__all__ = ["Difference", "difference"]

_WIDEST = 500  # weights up to which readings are compared
_LARGEST = 1 << 22  # values of all rows, up to which it is proved that a vector vanishes on them
_SMALL = 1 << 17  # values up to which the floats get a verdict of their own
_SECONDS = 1.0  # the least time that this verdict gets; it gets as long as the decimals' verdict took, if that is more
_FAR = 1e-8  # a singular value of unit rows above this is not due to rounding
_SHOWN = 8  # names that are listed
_ROUNDS = 4  # in which rows that contradict a dependence may join the sample
_WORDS = {"complete": "completely separable", "quasi": "quasi-separable", "overlap": "overlapping"}


@dataclass(frozen=True)
class Difference:
    """What differs for the floats: the rank of the columns, or the kind of verdict, or both."""

    columns: list[int] = field(default_factory=list)  # columns that can be computed from others in decimals
    ranks: tuple[int, int] = (0, 0)  # the rank of the decimals, and a lower bound of the floats' rank
    d: int = 0  # the largest rank there can be
    kind: str = ""  # the kind of the floats' verdict, where it is another one

    def __bool__(self) -> bool:
        return bool(self.columns or self.kind)

    def sentence(self, names: Sequence[str]) -> str:
        """The difference in words, with the columns' names."""
        parts = [self._rank(names)] if self.columns else []
        parts += [f"as floats the classes would be {_WORDS[self.kind]}"] if self.kind else []
        return "; ".join(parts)

    def _rank(self, names: Sequence[str]) -> str:
        named = [str(names[j]) for j in self.columns]
        shown = ", ".join(named[:_SHOWN]) + (f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else "")
        decimals, floats = self.ranks
        least = floats if floats == self.d else f"at least {floats}"
        return f"{shown} can be computed from others: rank {decimals} in decimals, {least} in floats"


def difference(points: Points, proof: Proof, plane: Places, began: float) -> Difference:
    """What differs for the floats; an empty difference where nothing differs, or nothing was compared."""
    if not points.differ or not points.metric or points.d > _WIDEST:
        return Difference()
    sample = _sample(points, np.arange(points.n))
    found = Difference() if _decided_by_floats(points, sample)[1] else _ranks(points, sample)
    if not _same_kind(points, proof, plane) and points.n * points.d <= _SMALL:
        soon = max(_SECONDS, time.monotonic() - began)
        return replace(found, kind=_other_kind(points.within(soon), proof))
    return found


def _sample(points: Points, rows: Places) -> Places:
    """A random sample of the rows: 50 more than twice the number of weights."""
    size = 2 * points.d + 50
    return rows if rows.size <= size else np.sort(np.random.default_rng(0).choice(rows, size, replace=False))


def _decided_by_floats(points: Points, rows: Places) -> tuple[int, bool]:
    """The rank of some rows as floats see it, and whether that leaves no dependence of decimal columns in doubt."""
    values, V = np.linalg.svd(np.linalg.qr(points.unit_rows(rows), mode="r"), full_matrices=True)[1:]
    r = int(np.count_nonzero(values > _FAR * max(values.max(initial=0.0), 1e-300)))
    return r, not np.any(np.abs(V[r:, points.decimal_columns]) > _FAR)


# -- the rank


def _ranks(points: Points, sample: Places) -> Difference:
    """The columns that can be computed from others in decimals, if the floats have a larger rank."""
    floats = points.as_floats()
    above = rank(floats.whole(sample).rows)
    null = _vanishing(points, sample, above)
    if points.d - len(null) >= above:
        return Difference()
    lost = [v for v in null if np.any(floats.signs(v, sample)[sample])]
    columns = [j for j in range(points.rows.p) if any(v[j] for v in lost)]
    return Difference(columns, (points.d - len(null), above), points.d)


def _vanishing(points: Points, sample: Places, above: int) -> list[list[int]]:
    """Independent v with z·v = 0 on every row, so many that the rank is below `above`; empty where that fails."""
    for _ in range(_ROUNDS):
        whole = points.whole(sample)
        if rank(whole.rows) >= above or points.n * points.d > _LARGEST:
            break
        null = [whole.weights(v) for v in null_space(whole.rows, points.d)]
        astray = np.concatenate([np.flatnonzero(points.signs(v))[: points.d] for v in null])
        if not astray.size:
            return null
        sample = np.union1d(sample, astray)
    return []


# -- the verdict


def _same_kind(points: Points, proof: Proof, plane: Places) -> bool:
    """Whether the floats' verdict is sure to be of the same kind; False where float arithmetic cannot tell."""
    if proof.kind == "complete":
        return bool(np.all(points.as_floats().signs(proof.w) > 0))
    if proof.fitted is not None and not proof.w:  # the bounds hold for the floats too
        return True
    if not points.modest or any(proof.w[j] for j in points.decimal_columns if proof.w):
        return False
    rows = np.array(sorted(proof.mixture), dtype=np.int64)
    rows = np.union1d(rows, _sample(points, plane)) if proof.base else rows
    r, decided = _decided_by_floats(points, rows)
    if not decided:
        return False
    basis = rows[qr(points.unit_rows(rows).T, mode="r", pivoting=True)[1][:r]]
    smallest = float(np.linalg.svd(points.unit_rows(basis), compute_uv=False)[-1])
    total = proof.base * plane.size + sum(proof.mixture.values())
    shares = np.array([float(Fraction(proof.base + proof.mixture.get(int(i), 0), total)) for i in basis])
    off = 2.0**-53 * np.sqrt(points.d)  # Σ λ z of the floats, for Σ λ = 1 and columns of size one
    return bool(np.all(4 * off < smallest * shares * points.lengths[basis]))


def _other_kind(points: Points, proof: Proof) -> str:
    """The kind of the floats' own verdict, if it differs and is found in time; otherwise ""."""
    try:
        other = prove_on_clear_columns(points.as_floats())
    except Unfinished:
        return ""
    return "" if other.kind == proof.kind else other.kind
