"""Zooming in on a hyperplane that floats cannot resolve (iterative refinement, Gleixner, Steffy & Wolter 2016).

Around whole-numbered weights w the responses z·w are computed exactly; where they are tiny, a linear program seeks the
correction δ with z·δ ≥ τ − 2^26·(z·w), and w becomes 2^26·w + δ: each step sees 26 bits further.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rosenblatt.exact.dyadic import mantissas
from rosenblatt.verdicts.candidates import Guess, LinearProgram, Scan
from rosenblatt.verdicts.points import Floats, Places, Points, nearest_float

__all__ = ["zoom"]

_SHIFT = 26
_STEPS = 12
_ROUNDS = 60
_EASE = 1e-9
_BITS = 40  # of a correction


def zoom(
    points: Points,
    open_rows: npt.NDArray[np.bool_],
    known: Places,
    pass_through: Callable[[list[int]], list[int]],
    deadline: float | None,
) -> Iterator[Guess]:
    """Weights that see further and further, and rows; `pass_through` makes weights pass through known rows exactly."""
    scan = Scan(points, open_rows)
    u = _centre(scan, known, deadline)
    if u is None:
        return
    w = pass_through(_whole_weights(u, points.exponents))
    yield Guess(u, w=w)
    chosen = scan(u)[0]
    for _ in range(_STEPS):
        if not any(w):
            return
        program = LinearProgram(points.unit_rows(known), points.d, deadline)
        fresh, corrected = chosen, w
        for _ in range(_ROUNDS):
            right = np.clip(-(2.0**_SHIFT) * _responses(points, fresh, w), -1e6, 1e6)
            program.add(points.unit_rows(fresh), right)
            solved = program.solve()
            if solved is None:
                return
            delta, tau, active = solved
            corrected = pass_through(_corrected(w, delta, points.exponents))
            if not any(corrected):
                return
            signs = points.signs(corrected, np.flatnonzero(open_rows))
            wrong = np.flatnonzero(open_rows & (signs <= 0))
            if not wrong.size:
                yield Guess(delta, w=corrected)
                return
            fresh = np.setdiff1d(wrong, chosen)[: 4 * points.d]
            if not fresh.size:
                break
            chosen = np.concatenate([chosen, fresh])
        if tau <= _EASE:  # a proof that nothing separates; or, if exact arithmetic refuses it, a reason to look closer
            yield Guess(delta, chosen[active], corrected)
        w = corrected


def _centre(scan: Scan, known: Places, deadline: float | None) -> Floats | None:
    """max Σ z·u, z·u ≥ 0, |u| ≤ 1: far out in a cone that may be too thin to have floats strictly inside."""
    points = scan.points
    push = points.total / points.n  # closed rows add nothing to it: weights pass through them
    program = LinearProgram(points.unit_rows(known), points.d, deadline, push)
    chosen = fresh = scan(push)[0]
    for _ in range(_ROUNDS):
        program.add(points.unit_rows(fresh), np.zeros(fresh.size))
        solved = program.solve()
        if solved is None:
            return None
        u = solved[0]
        worst, least = scan(u)
        fresh = np.setdiff1d(worst, chosen)
        if not fresh.size or least > -_EASE:
            return u if np.max(np.abs(u)) > _EASE else None
        chosen = np.concatenate([chosen, fresh])
    return None


def _whole_weights(u: Floats, exponents: npt.NDArray[np.int64]) -> list[int]:
    """Weights of scaled columns as whole numbers for rows as they are, times a common power of two."""
    m, e = mantissas(u)
    return _together([[(int(a), int(b))] for a, b in zip(m, e - exponents, strict=True)])


def _corrected(w: list[int], delta: Floats, exponents: npt.NDArray[np.int64]) -> list[int]:
    """2^26·w + δ, with w brought to about one in scaled columns first."""
    size = _size(w, exponents)
    bits = np.rint(np.ldexp(delta, _BITS)).astype(np.int64)
    return _together(
        [[(v, _SHIFT), (int(b), size - int(e) - _BITS)] for v, b, e in zip(w, bits, exponents, strict=True)]
    )


def _together(terms: list[list[tuple[int, int]]]) -> list[int]:
    """Sums of m · 2^e, as whole numbers times a common power of two."""
    lowest = min((e for pairs in terms for m, e in pairs if m), default=0)
    return [sum(m << (e - lowest) for m, e in pairs if m) for pairs in terms]


def _size(w: list[int], exponents: npt.NDArray[np.int64]) -> int:
    """The exponent of the largest weight, in scaled columns."""
    return max(v.bit_length() + int(e) for v, e in zip(w, exponents, strict=True) if v)


def _responses(points: Points, rows: Places, w: list[int]) -> Floats:
    """Unit rows times w, brought to about one: rounded only at the very end."""
    unit = Fraction(2) ** _size(w, points.exponents)
    return np.asarray(
        np.array([nearest_float(value / unit) for value in points.values(w, rows)]) / points.lengths[rows]
    )
