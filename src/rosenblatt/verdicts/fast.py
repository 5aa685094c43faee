"""The checker's answer for large data: floats with an error bound where they decide, FLINT where numbers are long.

Covers what certificates of large data look like: complete, and overlap whose witness spans everything. Tested to agree
with `checker.py`, which remains the authority on what a certificate means.
"""

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import Rows, pieces
from rosenblatt.exact import vanishes
from rosenblatt.exact.linear import rank
from rosenblatt.learners.examples import Examples
from rosenblatt.theory import Extremes
from rosenblatt.verdicts.margin import squared_length

__all__ = ["applies", "digest", "holds", "margin_holds"]


def digest(rows: Rows, y: npt.NDArray[np.int8]) -> str:
    """SHA-256 over X as little-endian float64 in C order, −0.0 as 0.0, then y as int8."""
    h = hashlib.sha256()
    for first, stop in pieces(rows.n, rows.p):
        h.update((rows.take(np.arange(first, stop)) + 0.0).astype("<f8", copy=False).tobytes())
    h.update(y.astype(np.int8).tobytes())
    return h.hexdigest()


def applies(content: dict[str, Any]) -> bool:
    """Whether a certificate is of a kind that can be checked here."""
    if content.get("verdict") == "complete":
        return _as_floats(content.get("w")) is not None
    return content.get("verdict") == "overlap" and content.get("null") == [] and "base" not in content


def holds(content: dict[str, Any], rows: Rows, y: npt.NDArray[np.int8], bias: bool) -> bool:
    """Whether the claim is true of these rows; hash and shape are checked elsewhere."""
    if content["verdict"] == "complete":
        w = _as_floats(content["w"])
        if w is None or w.size != rows.p + bias:
            return False
        found = Examples(rows, y, np.empty(0), bias, rows.radius_sq(bias)).judge(w, (True, True))
        if found.mistakes or found.exact_mistakes or found.on_plane:
            return False
        return "margin" not in content or margin_holds(content, rows, y, bias)
    mixture = {int(i): int(m, 16) for i, m in content["lambda"].items()}
    if not mixture or min(mixture.values()) <= 0 or min(mixture) < 0 or max(mixture) >= rows.n:
        return False
    some = np.array(list(mixture), dtype=np.int64)
    signs = y[some].astype(np.float64)
    Z = rows.take(some) * signs[:, None]
    Z = np.column_stack([Z, signs]) if bias else Z
    return vanishes(list(mixture.values()), Z) and rank(_whole(Z)) == rows.p + bias


def margin_holds(content: dict[str, Any], rows: Rows, y: npt.NDArray[np.int8], bias: bool) -> bool:
    """Whether both ends of the margin are proved."""
    ends = content["margin"]
    lower, upper = (Fraction(*(int(part, 16) for part in ends[end].split("/"))) for end in ("lower", "upper"))
    w = [int(v, 16) for v in content["w"]]
    mixture = {int(i): int(m, 16) for i, m in ends["lambda"].items()}
    if not mixture or min(mixture.values()) <= 0 or min(mixture) < 0 or max(mixture) >= rows.n or lower < 0:
        return False
    delta = Extremes(rows, y, w, bias).delta()
    total = squared_length(rows, y, bias, mixture)
    return delta**2 >= lower**2 * sum(v * v for v in w) and total <= upper**2 * sum(mixture.values()) ** 2


def _whole(Z: npt.NDArray[np.float64]) -> list[list[int]]:
    """Rows in whole numbers, each times a power of two of its own: the rank is the same."""
    from rosenblatt.exact import integers

    return [[int(v) for v in integers(z)[0]] for z in Z]


def _as_floats(w: Any) -> npt.NDArray[np.float64] | None:
    """Whole numbers as floats, times a common power of two, where floats can hold them exactly."""
    try:
        numbers = [int(v, 16) for v in w]
    except (TypeError, ValueError):
        return None
    top = max((abs(v).bit_length() for v in numbers), default=0)
    out = np.zeros(len(numbers))
    for k, v in enumerate(numbers):
        if v:
            zeros = (v & -v).bit_length() - 1
            if abs(v >> zeros).bit_length() > 53 or zeros - top < -1000:
                return None
            out[k] = np.ldexp(float(v >> zeros), zeros - top)
    return out if out.any() else None
