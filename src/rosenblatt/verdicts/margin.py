"""The largest margin, in an interval that is proved.

γ* = max min w·z/‖w‖ is the distance from 0 to the hull of the z. The nearest point Σ λ z (λ ≥ 0, Σ λ = 1) solves a
non-negative least-squares problem; it is solved on few rows, all are scanned with w = Σ λ z, the worst are added.
Whatever comes out, any separating w proves a lower end and any λ an upper one, in exact arithmetic.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import nnls

from rosenblatt.exact import integers
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts.candidates import smallest
from rosenblatt.verdicts.points import Floats, Places, Points

__all__ = ["Margin", "largest_margin"]

_ROUNDS = 40
_LARGEST = 1 << 25  # values of the rows that may take part, written out: a quarter of a gigabyte
_BITS = 64  # significant bits of the ends


@dataclass(frozen=True)
class Margin:
    """lower ≤ γ* ≤ upper; `w` with z·w ≥ δ proves the lower end, `mixture` the upper one."""

    lower: Fraction
    upper: Fraction
    w: list[int]
    delta: Fraction
    mixture: dict[int, int]

    def entry(self) -> dict[str, Any]:
        """The certificate's `margin`."""
        ends = {"lower": self.lower, "upper": self.upper}
        written = {name: f"{hex(q.numerator)}/{hex(q.denominator)}" for name, q in ends.items()}
        return {**written, "lambda": {str(i): hex(m) for i, m in sorted(self.mixture.items())}}


def largest_margin(points: Points, w: Floats) -> Margin | None:
    """The interval for separable data, from a separating w; None where float64 or memory cannot carry it."""
    if min(points.n, 2 * points.d) * points.d > _LARGEST:
        return None
    with np.errstate(all="ignore"):
        chosen = np.arange(points.n)
        lam = _nearest_among_all(points) if points.n < points.d and not points.rows.sparse else None
        if lam is None:
            chosen, lam = _nearest_point(points, w)
        point = points.floats(chosen).T @ lam
    if not np.isfinite(point).all() or not point.any():
        return None
    w_whole = [int(v) for v in integers(point)[0]]
    delta = points.smallest_response(w_whole)
    if delta <= 0:  # so small a margin that rounding hides it
        return None
    kept = lam > 0
    whole, _ = integers(lam[kept])
    mixture = dict(zip(chosen[kept].tolist(), (int(m) for m in whole), strict=True))
    lower = delta / sqrt_above(Fraction(sum(v * v for v in w_whole)))
    upper = sqrt_above(sum((v * v for v in points.mixed(mixture)), Fraction(0))) / sum(mixture.values())
    return Margin(_down(lower), -_down(-upper), w_whole, delta, mixture)


def _nearest_point(points: Points, w: Floats) -> tuple[Places, Floats]:
    """Rows and their λ; Wolfe's condition z·v ≥ ‖v‖² holds on all rows, to rounding, at the nearest point v."""
    size = 2 * w.size + 10
    chosen = smallest(points.y * points.rows.respond(w), size)
    lam = np.zeros(0)
    for _ in range(_ROUNDS):
        Z = points.floats(chosen)
        scale = float(np.max(np.abs(Z)))
        system = np.vstack([Z.T / scale, np.ones(len(Z))])
        lam = nnls(system, np.append(np.zeros(Z.shape[1]), 1.0), maxiter=100 * len(Z))[0]
        lam = lam / lam.sum()
        v = Z.T @ lam
        agreements = points.y * points.rows.respond(v)
        worst = smallest(agreements, size)
        fresh = np.setdiff1d(worst[agreements[worst] < (v @ v) * (1 - 1e-12)], chosen)
        if not fresh.size:
            break
        chosen = np.concatenate([chosen, fresh])
        lam = np.append(lam, np.zeros(fresh.size))
    return chosen, lam


def _nearest_among_all(points: Points) -> Floats | None:
    """λ of all rows, where there are fewer of them than weights and so most take part; None if that fails.

    min ‖Σ μ z‖²/2 − Σ μ over μ ≥ 0, by block principal pivoting (Júdice & Pires 1994) on the Gram matrix.
    """
    Z = points.floats(np.arange(points.n))
    gram = Z @ Z.T
    gram.flat[:: points.n + 1] *= 1 + 1e-13
    active = np.ones(points.n, dtype=bool)
    mu = np.zeros(points.n)
    fewest, patience = points.n + 1, 3
    for _ in range(30):
        mu[:] = 0.0
        mu[active] = np.linalg.solve(gram[np.ix_(active, active)], np.ones(np.count_nonzero(active)))
        slack = gram @ mu - 1
        wrong = np.where(active, mu < 0, slack < -1e-9)
        count = int(np.count_nonzero(wrong))
        if not count:
            return np.asarray(mu / mu.sum())
        if count < fewest:
            fewest, patience = count, 3
        elif patience:
            patience -= 1
        else:  # exchanging all of them may cycle; exchanging the last cannot
            wrong[: np.flatnonzero(wrong)[-1]] = False
        active ^= wrong
    return None


def _down(q: Fraction) -> Fraction:
    """A nearby fraction of few bits, not above q."""
    if q == 0:
        return q
    shift = abs(q.numerator).bit_length() - q.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return (q / unit).__floor__() * unit
