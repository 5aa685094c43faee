"""The checker's answer for large data: floats with an error bound where they decide, FLINT where numbers are long.

Tested to agree with `checker.py`, which remains the authority on what a certificate means.
"""

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import Rows, as_rows, pieces
from rosenblatt.exact.linear import rank
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.checker import number, vector
from rosenblatt.verdicts.points import Points

__all__ = ["digest", "holds", "margin_holds"]


def digest(rows: Rows, y: npt.NDArray[np.int8], layout: str) -> str:
    """SHA-256 of X and y as the certificate's `layout` has them; −0.0 as 0.0."""
    h = hashlib.sha256()
    if layout == "csr":
        _hash_csr(h, rows)
    else:
        for first, stop in pieces(rows.n, rows.p):
            block = rows.take(np.arange(first, stop)) if rows.sparse else rows.kernel.X[first:stop]
            h.update(_plain(block))
    h.update(y.astype(np.int8).tobytes())
    return h.hexdigest()


def _hash_csr(h: Any, rows: Rows) -> None:
    if not rows.sparse:
        import scipy.sparse as sp

        rows = as_rows(sp.csr_matrix(rows.kernel.X))
    k = rows.kernel
    h.update(np.ascontiguousarray(k.indptr, dtype="<i8"))
    for part in np.array_split(k.indices, 1 + k.indices.size // (1 << 22)):
        h.update(np.ascontiguousarray(part, dtype="<i8"))
    for part in np.array_split(k.data, 1 + k.data.size // (1 << 22)):
        h.update(_plain(part))


def _plain(values: Any) -> Any:
    """Little-endian float64 without negative zeros, on the same memory where that is what they are."""
    if values.dtype == np.dtype("<f8") and not np.any((values == 0) & np.signbit(values)):
        return np.ascontiguousarray(values)
    return np.ascontiguousarray(values.astype("<f8") + 0.0)


def holds(content: dict[str, Any], points: Points) -> bool:
    """Whether the claim is true of these rows; hash and shape are checked elsewhere. Raises `checker.Refused`."""
    kind = content.get("verdict")
    if kind in ("complete", "quasi"):
        signs = points.signs(vector(content.get("w"), points.d))
        if signs.min() < 0 or signs.max() <= 0 or (kind == "complete" and signs.min() == 0):
            return False
        if kind == "complete":
            return "margin" not in content or margin_holds(content, points)
        return _mixture_holds(content, points, np.flatnonzero(signs == 0))
    return kind == "overlap" and _mixture_holds(content, points, np.arange(points.n))


def _mixture_holds(content: dict[str, Any], points: Points, plane: npt.NDArray[np.int64]) -> bool:
    """Whether λ is positive, vanishes, and spans the rows of the plane."""
    mixture = _entries(content.get("lambda", {}), points.n)
    if mixture is None or not np.isin(np.array(list(mixture), dtype=np.int64), plane).all():
        return False
    based = "base" in content  # then λ is base plus its entry, on every row of the plane
    base = number(content["base"]) if based else 0
    if not (mixture or based) or min(mixture.values(), default=1) + base <= 0:
        return False
    if based and base <= 0 and len(mixture) < plane.size:
        return False
    if any(points.mixed(mixture, base, plane)):
        return False
    if based:
        return True
    null = [vector(v, points.d) for v in content.get("null", [])]
    if rank(null) < len(null) or any(np.any(points.signs(v, plane)[plane]) for v in null):
        return False
    return rank(points.whole(list(mixture)).rows) >= points.d - len(null)


def _entries(entries: Any, n: int) -> dict[int, int] | None:
    """λ's entries, all on rows that are there."""
    if not isinstance(entries, dict) or not all(isinstance(i, str) and i.isdecimal() for i in entries):
        return None
    mixture = {int(i): number(m) for i, m in entries.items()}
    return mixture if len(mixture) == len(entries) and max(mixture, default=0) < n else None


def margin_holds(content: dict[str, Any], points: Points) -> bool:
    """Whether both ends of the margin are proved."""
    ends = content["margin"]
    lower, upper = (Fraction(*(number(part) for part in ends[end].split("/"))) for end in ("lower", "upper"))
    w = [number(v) for v in content["w"]]
    mixture = _entries(ends["lambda"], points.n)
    if not mixture or min(mixture.values()) <= 0 or lower < 0:
        return False
    total = sum((v * v for v in points.mixed(mixture)), Fraction(0))
    if total > upper**2 * sum(mixture.values()) ** 2:
        return False
    # z·w ≥ lower·‖w‖, and the smallest fraction that is sure to be at least lower·‖w‖ where a root is not one
    return lower == 0 or points.at_least(w, lower * sqrt_above(Fraction(sum(v * v for v in w))))
