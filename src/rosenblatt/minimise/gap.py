"""A proved bound on how far a loss is from its minimum; it includes every rounding error of float64.

Both losses come down to Q = gᵀA⁻¹g, Newton's decrement, with g the gradient and A the curvature in the same
coordinates. Squared loss: loss − minimum = Q/2. Logistic loss: with u = −A⁻¹g, the probabilities p + p(1 − p)·z·u
(more classes: p + (diag p − ppᵀ)·Uz) satisfy Σ c·(y − p)·z = 0 exactly, are dual feasible while |z·u| ≤ ½, and their
duality gap Σ c·KL is at most Σ c·χ² = Q. A ridge adds its curvature to A. All these probabilities are > 0, which proves
that the minimum exists.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.later import linalg
from rosenblatt.minimise.columns import UP

__all__ = ["Decrement", "ProvedInverse", "decrement"]

_UNIT = 2.0**-53


class Decrement(NamedTuple):
    """Upper bounds: of Q = gᵀA⁻¹g, and of any |z·A⁻¹g| with |z_j| ≤ 1."""

    Q: float
    reach: float


@dataclass(frozen=True)
class ProvedInverse:
    """Bounds on A⁻¹ that hold for every matrix within rounding errors of a float matrix A.

    All these matrices are proved positive definite. `A` is scaled by powers of two, `s`, to a diagonal of about one;
    `L` is its Cholesky factor.
    """

    A: Floats
    L: Floats
    s: Floats
    least: float  # a bound below the least eigenvalue
    doubt: float  # a bound on the norm of A's errors

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")
    def of(cls, A: Floats, rounding: float) -> "ProvedInverse | None":
        """For every matrix within `rounding`·(the sums of A's sizes) of A; None where there is no proof.

        If Cholesky of A − μI runs to its end in floats, the least eigenvalue of A is at least μ − γ·trace
        (Rump 2006, Verification of positive definiteness).
        """
        diagonal, m = A.diagonal(), len(A)
        if not (np.isfinite(A).all() and np.all(diagonal > 0)):
            return None
        s = np.ldexp(1.0, -np.rint(np.log2(diagonal) / 2).astype(np.int64))
        A = A * s * s[:, None]
        trace = float(A.trace()) * UP
        doubt = 2.0 * rounding * trace
        L, failed = linalg.lapack.dpotrf(A, lower=1)
        if failed:
            return None
        # 1/‖A⁻¹‖₁ is not above the least eigenvalue; LAPACK estimates it, and the next factorisation proves it or fails
        norm = float(np.abs(A).sum(axis=0).max())
        estimate = 0.5 * norm * float(linalg.lapack.dpocon(L, norm, uplo="L")[0])
        for mu in (estimate, estimate / 8):
            least = mu - 2.0 * _gamma(m) * trace - doubt
            if least <= 0:
                return None
            if not linalg.lapack.dpotrf(A - mu * np.eye(m), lower=1)[1]:
                return cls(A, L, s, least, doubt)
        return None

    @property
    def widest(self) -> float:
        """A rough upper bound of zᵀA⁻¹z for any z with |z_j| ≤ 1, found without solving anything."""
        return float(self.s @ self.s) / self.least * UP

    @np.errstate(over="ignore", invalid="ignore")
    def forms(self, G: Floats, doubt: Floats | None = None) -> tuple[Floats, Floats]:
        """Upper bounds for each column g of G: of gᵀA⁻¹g, and of any |z·A⁻¹g| with |z_j| ≤ 1.

        They hold for every g within `doubt` (a number per entry, the same for all columns).
        """
        doubt_g = 0.0 if doubt is None else float(np.linalg.norm(doubt * self.s)) * UP
        gamma, G = _gamma(len(G)), G * self.s[:, None]
        x = linalg.cho_solve((self.L, True), G)
        Ax = self.A @ x
        size = np.linalg.norm(np.abs(self.A) @ np.abs(x), axis=0) + np.linalg.norm(G, axis=0)
        length = np.linalg.norm(x, axis=0) * UP
        left = np.linalg.norm(G - Ax, axis=0) * UP + gamma * size + doubt_g + self.doubt * length
        # Q = x·(2g − Ax) + ρᵀA⁻¹ρ with ρ = g − Ax, for any x
        near = np.sum(x * (2.0 * G - Ax), axis=0) + 8.0 * gamma * length * size
        near += 2.0 * length * doubt_g + self.doubt * length**2
        Q = (np.maximum(near, 0.0) + left**2 / self.least) * UP
        reach = float(np.linalg.norm(self.s)) * (length + left / self.least) * UP
        return Q, reach


def _gamma(m: int) -> float:
    return (m + 8) * _UNIT * UP


def decrement(A: Floats, g: Floats, rounding: float, doubt: Floats) -> Decrement | None:
    """Bounds for every g within `doubt` (a number per entry) and every A within `rounding`·(the sums of its sizes).

    None where A is not proved positive definite.
    """
    if not len(g):  # there are no columns
        return Decrement(0.0, 0.0)
    if not (np.isfinite(g).all() and np.isfinite(doubt).all()):
        return None
    inverse = ProvedInverse.of(A, rounding)
    if inverse is None:
        return None
    (Q,), (reach,) = inverse.forms(g[:, None], doubt)
    return Decrement(float(Q), float(reach)) if np.isfinite(Q) and np.isfinite(reach) else None
