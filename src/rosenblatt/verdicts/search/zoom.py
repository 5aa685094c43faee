"""Zoom in on a hyperplane that floats cannot resolve (iterative refinement, Gleixner, Steffy & Wolter 2016).

Around whole-numbered weights w the responses z·w are computed exactly; where they are tiny, a linear program finds the
correction δ with z·δ ≥ τ − 2^26·(z·w), and w becomes 2^26·w + δ: each step sees 26 bits further.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from rosenblatt.arrays import Floats, Integers, Places
from rosenblatt.exact import mantissas
from rosenblatt.verdicts.points import Points, nearest_float
from rosenblatt.verdicts.search.candidates import Guess, OpenFace, rounds

__all__ = ["zoom"]

_SHIFT = 26
_STEPS = 12
_ROUNDS = 60
_EASE = 1e-9
_BITS = 40  # of a correction


def zoom(face: OpenFace, pass_through: Callable[[list[int]], list[int]]) -> Iterator[Guess]:
    """Yield guesses, each with 26 bits more; `pass_through` makes weights pass through the known rows exactly."""
    points = face.points
    # The cone of weights that have no row on the wrong side may be too thin for floats: begin in its middle.
    u = _centre(face)
    if u is None:
        return
    w = pass_through(_whole_weights(u, points.exponents))
    yield Guess(u, w=w)
    chosen = face.scan(u)[0]
    # Each step shifts w by 26 bits, so that the next correction fills in bits that no float had room for.
    for _ in range(_STEPS):
        if not any(w):
            return
        program = face.program()
        fresh, corrected = chosen, w
        # Few rows take part in the program. Rows that exact arithmetic finds on the wrong side join it.
        for _ in range(_ROUNDS):
            # As |δ| ≤ 1, a limit beyond a million is met by every δ, or by none.
            right = np.clip(-(2.0**_SHIFT) * _rounded_responses(points, fresh, w), -1e6, 1e6)
            program.add(points.unit_rows(fresh), right)
            solved = program.solve()
            if solved is None:
                return
            delta, tau, active = solved
            corrected = pass_through(_refined(w, delta, points.exponents))
            if not any(corrected):
                return
            signs = points.signs(corrected, np.flatnonzero(face.open_rows))
            wrong = np.flatnonzero(face.open_rows & (signs <= 0))
            if not wrong.size:
                yield Guess(delta, w=corrected)
                return
            fresh = np.setdiff1d(wrong, chosen)[: 4 * points.d]
            # The program knows all of them already: floats see no further with this w.
            if not fresh.size:
                break
            chosen = np.concatenate([chosen, fresh])
        # To floats nothing separates. Exact arithmetic proves that from these rows, or the next step looks closer.
        if tau <= _EASE:
            yield Guess(delta, chosen[active], corrected)
        w = corrected


def _centre(face: OpenFace) -> Floats | None:
    """The u with z·u ≥ 0 and |u| ≤ 1 that makes Σ z·u largest: the middle of the cone, as far as floats can tell."""
    # Rows that are not open add nothing to the sum: the weights pass through them.
    push = face.points.total / face.points.n
    for u, _, _, least, last in rounds(face, face.program(push), face.scan(push)[0]):
        if last or least > -_EASE:
            return u if np.max(np.abs(u)) > _EASE else None
    return None


def _whole_weights(u: Floats, exponents: Integers) -> list[int]:
    """The weights u of scaled columns as whole numbers for the unscaled rows, times a common power of two."""
    m, e = mantissas(u)
    return _sums_as_whole([[(int(a), int(b))] for a, b in zip(m, e - exponents, strict=True)])


def _refined(w: list[int], delta: Floats, exponents: Integers) -> list[int]:
    """2^26·w + δ, with w scaled so that its largest weight is about one."""
    size = _largest_exponent(w, exponents)
    bits = np.rint(np.ldexp(delta, _BITS)).astype(np.int64)
    return _sums_as_whole(
        [[(v, _SHIFT), (int(b), size - int(e) - _BITS)] for v, b, e in zip(w, bits, exponents, strict=True)]
    )


def _sums_as_whole(terms: list[list[tuple[int, int]]]) -> list[int]:
    """Sums of m · 2^e, as whole numbers times a common power of two."""
    lowest = min((e for pairs in terms for m, e in pairs if m), default=0)
    return [sum(m << (e - lowest) for m, e in pairs if m) for pairs in terms]


def _largest_exponent(w: list[int], exponents: Integers) -> int:
    """The exponent of the largest weight, in scaled columns."""
    return max(v.bit_length() + int(e) for v, e in zip(w, exponents, strict=True) if v)


def _rounded_responses(points: Points, rows: Places, w: list[int]) -> Floats:
    """The responses of unit rows to w, whose largest weight is scaled to about one; rounded once, at the end."""
    unit = Fraction(2) ** _largest_exponent(w, points.exponents)
    return np.asarray(
        np.array([nearest_float(value / unit) for value in points.values(w, rows)]) / points.lengths[rows]
    )
