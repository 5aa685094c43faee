"""Directions v in which the logistic loss falls for ever: z·v ≥ 0 on every row and > 0 on some, checked exactly.

If there is such a v, Newton's step tends to one: rows on its plane hardly respond to the step, the others by about one.
So floats suggest which rows are on the plane. The directions to which those rows do not respond are rounded to short
numbers, and tried.
"""

from collections.abc import Iterator

import numpy as np

from rosenblatt.arrays import Flags, Floats, Signs
from rosenblatt.minimise import Columns, cleaned, column_ranges, exact_signs, null_vectors, silent

__all__ = ["MOVING", "falling_direction"]

MOVING = 0.3  # a row that responds to Newton's step by this much or more is still moving
_PLANES = (0.3, 0.03, 1e-3, 1e-6)  # responses below one of these are tried as zero
_MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 1024)


def falling_direction(columns: Columns, y: Signs, present: Flags, w: Floats, step: Floats) -> Floats | None:
    """A direction in which the loss falls for ever, on the rows that are present; None where none was found."""
    tried: list[Floats] = []
    for v in _candidates(columns, y, present, w, step):
        if any(np.array_equal(v, other) for other in tried):
            continue
        tried.append(v)
        if is_falling(columns, y, present, v):
            return v
    return None


def is_falling(columns: Columns, y: Signs, present: Flags, v: Floats) -> bool:
    """Whether z·v ≥ 0 on every row and > 0 on some, in exact arithmetic."""
    if not np.isfinite(v).all() or not v.any():
        return False
    rough = (y * columns.rows.respond(v))[present]
    if not (rough >= -columns.doubt(v)).all() or not (rough > 0).any():
        return False
    signs = exact_signs(columns, present, v) * y
    return bool((signs >= 0).all() and (signs > 0).any())


def _candidates(columns: Columns, y: Signs, present: Flags, w: Floats, step: Floats) -> Iterator[Floats]:
    yield w
    yield from _single_columns(columns, y, present)
    responses = y * columns.rows.respond(step)
    for most in _PLANES:
        plane = present & (np.abs(responses) <= most)
        if (responses[present] < -most).any() or not (responses[present] > most).any():
            continue
        found = silent(columns, columns.gram(plane.astype(np.float64)))
        if not found:
            continue
        N = np.column_stack([cleaned(columns, v) for v, _ in found])
        factors = np.linalg.lstsq(N * columns.largest[:, None], step * columns.largest)[0]
        yield cleaned(columns, N @ factors)
        largest = np.abs(factors).max()
        if largest > 0:
            for multiple in _MULTIPLES if N.shape[1] > 1 else (1,):
                yield N @ np.rint(factors / largest * multiple)
        for v in [*N.T, *_held(columns, plane)]:
            yield v
            yield -v


def _held(columns: Columns, plane: Flags) -> Iterator[Floats]:
    """The directions to which these rows do not respond at all, in exact arithmetic, if float64 can hold them."""
    for whole, exponents in null_vectors(columns, plane):
        low = min((v & -v).bit_length() - 1 for v in whole if v)
        if max(abs(v).bit_length() for v in whole) - low <= 1000:
            yield np.ldexp(np.array([float(v >> low) for v in whole]), -exponents + int(exponents.max()))


def _single_columns(columns: Columns, y: Signs, present: Flags) -> Iterator[Floats]:
    """±(x_j − t), where a value t of column j has no row of one class above it and none of the other below."""
    negative, positive = (column_ranges(columns.rows, present & (y == label)) for label in (-1, 1))
    for sign, (low, high), (low_above, high_above) in ((1.0, negative, positive), (-1.0, positive, negative)):
        for j in np.flatnonzero((high <= low_above) & (low < high_above)):
            v = np.zeros(columns.d)
            v[j] = sign
            if columns.bias:
                v[-1] = -sign * low_above[j]
            yield v
