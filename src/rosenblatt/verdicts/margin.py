"""The largest margin, in an interval that is proved.

γ* = max min w·z/‖w‖ is the distance from 0 to the hull of the z. The nearest point Σ λ z (λ ≥ 0, Σ λ = 1) solves a
non-negative least-squares problem; it is solved on few rows, all are scanned with w = Σ λ z, the worst are added.
Whatever comes out, any separating w proves a lower end and any λ an upper one, in exact arithmetic.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from rosenblatt.data.rows import Rows
from rosenblatt.exact import integers
from rosenblatt.verdicts.candidates import smallest
from rosenblatt.theory import Extremes, sqrt_above

__all__ = ["Margin", "largest_margin", "squared_length"]

_ROUNDS = 40
_BITS = 64  # significant bits of the ends


@dataclass(frozen=True)
class Margin:
    """lower ≤ γ* ≤ upper; `w` proves the lower end, `mixture` the upper one."""

    lower: Fraction
    upper: Fraction
    w: list[int]
    mixture: dict[int, int]

    def entry(self) -> dict[str, Any]:
        """The certificate's `margin`."""
        ends = {"lower": self.lower, "upper": self.upper}
        written = {name: f"{hex(q.numerator)}/{hex(q.denominator)}" for name, q in ends.items()}
        return {**written, "lambda": {str(i): hex(m) for i, m in sorted(self.mixture.items())}}


def largest_margin(rows: Rows, y: npt.NDArray[np.int8], bias: bool, w: npt.NDArray[np.float64]) -> Margin | None:
    """The interval for separable data, from a separating w; None where float64 cannot carry it."""
    with np.errstate(all="ignore"):
        chosen, lam = _nearest_point(rows, y, bias, w)
        point = _rows_of(rows, y, bias, chosen).T @ lam
    if not np.isfinite(point).all() or not point.any():
        return None
    try:
        delta = Extremes(rows, y, point, bias).delta()
    except ValueError:  # so small a margin that rounding hides it
        return None
    kept = lam > 0
    whole, _ = integers(lam[kept])
    mixture = dict(zip(chosen[kept].tolist(), (int(m) for m in whole), strict=True))
    lower = delta / sqrt_above(sum((Fraction(v) ** 2 for v in point.tolist()), Fraction(0)))
    upper = sqrt_above(squared_length(rows, y, bias, mixture)) / sum(mixture.values())
    return Margin(_down(lower), -_down(-upper), [int(v) for v in integers(point)[0]], mixture)


def _nearest_point(
    rows: Rows, y: npt.NDArray[np.int8], bias: bool, w: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Rows and their λ; Wolfe's condition z·v ≥ ‖v‖² holds on all rows, to rounding, at the nearest point v."""
    size = 2 * w.size + 10
    chosen = smallest(y * rows.respond(w), size)
    lam = np.zeros(0)
    for _ in range(_ROUNDS):
        Z = _rows_of(rows, y, bias, chosen)
        scale = float(np.max(np.abs(Z)))
        system = np.vstack([Z.T / scale, np.ones(len(Z))])
        lam = nnls(system, np.append(np.zeros(Z.shape[1]), 1.0), maxiter=100 * len(Z))[0]
        lam = lam / lam.sum()
        v = Z.T @ lam
        agreements = y * rows.respond(v)
        worst = smallest(agreements, size)
        fresh = np.setdiff1d(worst[agreements[worst] < (v @ v) * (1 - 1e-12)], chosen)
        if not fresh.size:
            break
        chosen = np.concatenate([chosen, fresh])
        lam = np.append(lam, np.zeros(fresh.size))
    return chosen, lam


def _rows_of(rows: Rows, y: npt.NDArray[np.int8], bias: bool, some: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    X = rows.take(some)
    return (np.column_stack([X, np.ones(len(X))]) if bias else X) * y[some, None]


def squared_length(rows: Rows, y: npt.NDArray[np.int8], bias: bool, mixture: dict[int, int]) -> Fraction:
    """‖Σ λ z‖²."""
    some = np.array(list(mixture), dtype=np.int64)
    m, e = integers(_rows_of(rows, y, bias, some))
    total: Any = np.array(list(mixture.values()), dtype=object) @ m
    return Fraction(sum(int(v) ** 2 for v in total)) * Fraction(4) ** e


def _down(q: Fraction) -> Fraction:
    """A nearby fraction of few bits, not above q."""
    if q == 0:
        return q
    shift = abs(q.numerator).bit_length() - q.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return (q / unit).__floor__() * unit
