"""The fast check of a claim: floats with an error bound where they decide a sign, whole numbers elsewhere.

One `holds` serves rows in memory, on disk and in shards. The tests hold it against `checker.py`, which remains the
authority on what a certificate means.
"""

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Signs
from rosenblatt.data.numbers import BINARY, Reading, Rows, as_rows, data_digest, exact_rows, pieces
from rosenblatt.exact import length_sq, mix, rank
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.certificates.claim import Claim, Interval
from rosenblatt.verdicts.checker import DoesNotHold, OtherData, proved
from rosenblatt.verdicts.fates import Fates
from rosenblatt.verdicts.points import Weighed, Which, Whole

__all__ = [
    "LabelledRows",
    "as_csr",
    "claimed_readings",
    "digest",
    "digest_of_columns",
    "holds",
    "known_to",
    "plain",
    "proven",
    "read_as_claimed",
    "refuse_unread",
]

_OTHER_VALUE = "a value is not what the reading of its column says"


def read_as_claimed(rows: Rows, claim: Claim) -> Rows:
    """The rows as the claim reads them. Raises `DoesNotHold` or `OtherData` where a value is not what it says."""
    return refuse_unread(exact_rows(known_to(rows, claim), claimed_readings(claim)), claim)


def claimed_readings(claim: Claim) -> tuple[Reading, ...]:
    """The readings of X's columns. Whole numbers of version 2 are floats."""
    readings = claim.readings[: claim.p]
    return readings if claim.version > 2 else tuple(one if one.power else BINARY for one in readings)


def known_to(rows: Rows, claim: Claim) -> Rows:
    """The rows as certificates of the claim's version know them. Raises `DoesNotHold` where these cannot.

    Version 2 knew decimals of at most 15 digits, whole numbers in units of 10^−k; its other columns are floats.
    """
    if claim.version > 2:
        return rows
    if rows.origin.columns:
        raise DoesNotHold("a number is longer than certificates of this version can tell")
    for j, one in enumerate(claim.readings[: rows.p]):
        if one.power == 0 and not np.array_equal(np.rint(rows.values_in(j)), rows.values_in(j)):
            raise DoesNotHold(_OTHER_VALUE)
    return rows.as_doubles()


def refuse_unread(found: Rows | None, claim: Claim) -> Rows:
    """The rows that were read. Raises where that failed, or the claim's version could not read them.

    The hash of version 3 is over the numbers as they are read: others are other data. Older ones hashed the floats.
    """
    exact = None if found is None else found.exact
    if found is None or exact is None or (claim.version < 3 and (exact.owner or exact.own)):
        raise OtherData(_OTHER_VALUE) if claim.version > 2 else DoesNotHold(_OTHER_VALUE)
    return found


def digest(rows: Rows, y: Signs, layout: str, version: int = 3) -> str:
    """The hash of X and y as the certificate's `layout` has them."""
    if version > 2:
        return data_digest(rows, [np.ascontiguousarray(y, dtype=np.int8)], layout)
    h = _hashed(rows, layout)
    h.update(np.ascontiguousarray(y, dtype=np.int8).data)
    return str(h.hexdigest())


def digest_of_columns(rows: Rows, columns: Iterable[Any], layout: str, version: int = 3) -> str:
    """The hash of X and a model's columns: codes, or rows of one column of numbers."""
    if version > 2:
        return data_digest(rows, list(columns), layout)
    h = _hashed(rows, layout)
    for column in columns:
        h.update(plain(column.kernel.X[:, 0] if isinstance(column, Rows) else column))
    return str(h.hexdigest())


def _hashed(rows: Rows, layout: str) -> Any:
    h = hashlib.sha256()
    if layout == "csr":
        k = as_csr(rows).kernel
        for column in (k.indptr, k.indices, k.data):
            for part in np.array_split(column, 1 + column.size // (1 << 22)):
                h.update(plain(part))
    else:
        for first, stop in pieces(rows.n, rows.p):
            block = rows.take(np.arange(first, stop)) if rows.sparse else rows.kernel.X[first:stop]
            h.update(plain(block))
    return h


def as_csr(rows: Rows) -> Rows:
    """The same rows in CSR, for certificates that hashed them so."""
    if rows.sparse:
        return rows
    import scipy.sparse as sp

    return as_rows(sp.csr_matrix(rows.kernel.X))


def plain(values: npt.NDArray[np.generic]) -> Any:
    """Values as little-endian float64 without negative zeros, or as int64; not copied where they are that already."""
    if values.dtype.kind != "f":
        return np.ascontiguousarray(values, dtype="<i8")
    if values.dtype == np.dtype("<f8") and not np.any((values == 0) & np.signbit(values)):
        return np.ascontiguousarray(values)
    return np.ascontiguousarray(values.astype("<f8") + 0.0)


class Weighable(Protocol):
    """Rows that a claim is checked on: in memory or on disk (`Points`), in shards (`PointSet`), or a model's."""

    def weigh(self, w: list[int] | None, mixture: dict[int, int], base: int | None, null: list[list[int]]) -> Weighed:
        """What w, λ and the vectors of null give on all rows."""

    def mixed(self, mixture: dict[int, int]) -> list[Fraction]:
        """Σ λ z, exactly."""

    def strict_with(self, w: list[int], others: list[list[int]]) -> Flags:
        """Which of the others have z·v > 0 wherever z·w > 0."""

    def whole(self, rows: Which) -> Whole:
        """Some rows as whole numbers."""


class LabelledRows(Weighable, Protocol):
    """Rows of two classes: their claims may be about margins, too."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How each column is read."""

    @property
    def n(self) -> int:
        """How many rows there are."""

    @property
    def d(self) -> int:
        """Weights, the bias included."""

    def at_least(self, w: list[int], bound: Fraction) -> bool:
        """Whether z·w ≥ bound ≥ 0 on every row."""


def holds(claim: Claim, points: LabelledRows) -> str:
    """What the claim proves about these rows. Raises `checker.DoesNotHold`.

    The caller has compared hash and shape, and has read the rows as the claim does.
    """
    if claim.version > 2 and claim.readings != points.readings:
        raise DoesNotHold("its readings are not those of the rows")
    if (claim.n, claim.d) != (points.n, points.d):
        raise DoesNotHold("its numbers of rows and weights are not those of the rows")
    plane, kinds = proven(claim, points)
    for interval in claim.intervals:
        _hold_interval(interval, points)
    ends = {one.name: (one.lower.as_integer_ratio(), one.upper.as_integer_ratio()) for one in claim.intervals}
    rows = len(claim.mixture) if claim.base is None else plane
    return str(proved(claim.kind, claim.n, plane, rows, ends, kinds))


def proven(claim: Claim, points: Weighable, equal: list[int] | None = None) -> tuple[int, list[str]]:
    """How many rows are on the plane, and the kind of each coefficient. Raises unless the whole claim is proved.

    Of a model, `equal` are equalities that span all of them: they help λ's rows to span the plane.
    """
    weighed = points.weigh(claim.w, claim.mixture, claim.base, claim.null)
    least = 1 if claim.kind == "complete" else 0
    if claim.w is not None and (weighed.lowest < least or weighed.highest <= 0):
        raise DoesNotHold("a row is not where w should have it")
    for w in claim.because:
        why = points.weigh(w, {}, None, [])
        if why.lowest < least or why.highest <= 0:
            raise DoesNotHold("weights of its because do not separate")
    kinds = [] if claim.fates is None else _fates_held(claim, claim.fates, points)
    if claim.kind != "complete":
        _hold_mixture(claim, weighed, points, equal)
    return weighed.plane, kinds


def _hold_mixture(claim: Claim, weighed: Weighed, points: Weighable, equal: list[int] | None) -> None:
    """Raise unless λ is positive, Σ λ z = 0, and λ's rows span the rows of the plane.

    λ may be empty only where equalities span the plane, or where a model has no comparisons at all.
    """
    empty = not claim.mixture and not (claim.base is not None and weighed.plane)
    may_be = equal is not None and (len(equal) > 0 or (claim.kind == "overlap" and not weighed.plane))
    if (empty and not may_be) or not weighed.positive:
        raise DoesNotHold("lambda is empty or not positive")
    left = weighed.residual
    if claim.free:
        left = [a + b for a, b in zip(left, points.mixed(claim.free), strict=True)]
    if len(left) != claim.d or any(left):
        raise DoesNotHold("the mixture does not vanish")
    if claim.base is not None:  # then λ is positive on all of those rows, so they span themselves
        return
    if rank(claim.null) < len(claim.null):
        raise DoesNotHold("the vectors of null are dependent")
    if not weighed.vanishing:
        raise DoesNotHold("a row responds to a vector of null, to which it should not")
    if rank(points.whole([*claim.mixture, *(equal or ())]).rows) < claim.d - len(claim.null):
        raise DoesNotHold("the rows of lambda do not span the rows on the plane")


def _hold_interval(interval: Interval, points: LabelledRows) -> None:
    """Raise unless w proves the lower end and λ the upper one."""
    mixed = points.mixed(interval.mixture)
    if interval.street and mixed[-1]:
        raise DoesNotHold("lambda does not have the same sum in both classes")
    if length_sq(mixed) > interval.upper**2 * sum(interval.mixture.values()) ** 2:
        raise DoesNotHold(f"lambda does not prove the upper end of the {interval.name}")
    # ‖w‖ is a root, so a fraction just above it stands for it
    if not points.at_least(interval.w, interval.lower * sqrt_above(Fraction(interval.length_sq))):
        raise DoesNotHold(f"a row is nearer than the lower end of the {interval.name}")


def _fates_held(claim: Claim, fates: Fates, points: Weighable) -> list[str]:
    """The kind of every coefficient. Raises unless each is proved."""
    whole = points.whole(fates.rows)
    if rank(whole.rows) < len(fates.rows):
        raise DoesNotHold("the rows of coefficients are dependent")
    _hold_directions(fates.null, None, points)
    strict = [any(side > 0 for side in sides) for sides in whole.responses([claim.w] if claim.w else [])]
    if strict != sorted(strict):
        raise DoesNotHold("the rows of coefficients do not begin with those on the plane")
    if fates.open is not None:
        if strict.count(False) + len(fates.open) != claim.d:
            raise DoesNotHold("the rows of coefficients and open are not as many as weights")
        _hold_directions(fates.open, claim.w, points)
    for j, one in enumerate(fates.each):
        if one.kind == "open":  # nothing is claimed
            continue
        if (one.kind == "not identified") != any(v[j] for v in fates.null):
            raise DoesNotHold(f"null does not show whether coefficient {j} is identified")
        if one.kind != "not identified" and (one.kind == "finite") == _is_open(claim, fates, j):
            raise DoesNotHold(f"the open directions do not show whether coefficient {j} is finite")
    _hold_separating(claim, fates, points, fates.rows[: strict.count(False)])
    _hold_running(claim, fates, points)
    return [one.kind for one in fates.each]


def _hold_directions(directions: list[list[int]], w: list[int] | None, points: Weighable) -> None:
    """Raise unless the directions are independent, and 0 on every row of the plane of w (None: on all rows)."""
    if rank(directions) < len(directions):
        raise DoesNotHold("directions of coefficients are dependent")
    if directions and not points.weigh(w, {}, None, directions).vanishing:
        raise DoesNotHold("a row responds to a direction of coefficients, to which it should not")


def _is_open(claim: Claim, fates: Fates, j: int) -> bool:
    """Whether some open direction has a j-th coordinate other than 0."""
    if claim.kind == "complete":
        return True
    return any(v[j] for v in (fates.null if fates.open is None else fates.open))


def _hold_separating(claim: Claim, fates: Fates, points: Weighable, plane: list[int]) -> None:
    """Raise unless the weights of each undetermined coefficient j have w_j = 0, are 0 on the plane, and separate."""
    found = [one.separating for one in fates.each if one.separating]
    if any(one.separating[j] for j, one in enumerate(fates.each) if one.separating):
        raise DoesNotHold("the weights that should leave a coefficient out do not")
    if not found:
        return
    if plane and any(any(sides) for sides in points.whole(plane).responses(found)):
        raise DoesNotHold("the weights that leave a coefficient out do not pass through the plane's rows")
    if claim.w is None or not points.strict_with(claim.w, found).all():
        raise DoesNotHold("the weights that leave a coefficient out do not separate")


def _hold_running(claim: Claim, fates: Fates, points: Weighable) -> None:
    """Raise unless each coefficient that runs away is a combination of strict rows, in every open direction."""
    running = [(j, one) for j, one in enumerate(fates.each) if one.strict]
    rows = sorted({i for _, one in running for i in one.strict})
    if not rows:
        return
    whole = points.whole(rows)
    sides = [side for side, *_ in whole.responses([claim.w] if claim.w else [[0] * claim.d])]
    if min(sides) <= 0 or claim.w is None:
        raise DoesNotHold("a combination of strict rows has a row that is not strict")
    responses = dict(zip(rows, whole.responses(fates.open), strict=True))
    unit = sides[0] / dot(points.mixed({rows[0]: 1}), claim.w)  # responses are z·v times this
    for j, one in running:
        scale = unit * one.scale * (1 if one.kind == "+inf" else -1)
        at = [int(i == j) for i in range(claim.d)] if fates.open is None else [v[j] for v in fates.open]
        total = mix(list(one.strict.values()), [responses[i] for i in one.strict], len(at))
        if [scale.denominator * t for t in total] != [scale.numerator * v for v in at]:  # faster than with fractions
            raise DoesNotHold(f"strict rows do not combine to coefficient {j}")


def dot(z: list[Fraction], w: list[int]) -> Fraction:
    """z·w, exactly."""
    return sum((a * b for a, b in zip(z, w, strict=True)), Fraction(0))
