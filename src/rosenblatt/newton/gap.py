"""How far a loss is from its minimum, proved: every error of float64 is bounded and counted in.

Both losses come down to Q = gᵀA⁻¹g, Newton's decrement, with g the gradient and A the curvature in the same
coordinates. Squared loss: loss − minimum = Q/2. Logistic loss: with u = −A⁻¹g, the probabilities p + p(1 − p)·z·u
(more classes: p + (diag p − ppᵀ)·Uz) satisfy Σ c·(y − p)·z = 0 exactly, are dual feasible while |z·u| ≤ ½, and their
duality gap Σ c·KL is at most Σ c·χ² = Q. A ridge adds its curvature to A. All of them are > 0, so the minimum exists.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpocon, dpotrf

from rosenblatt.newton.columns import UP

__all__ = ["Decrement", "decrement"]

_UNIT = 2.0**-53


class Decrement(NamedTuple):
    """Upper bounds: of Q = gᵀA⁻¹g, and of any |z·A⁻¹g| with |z_j| ≤ 1."""

    Q: float
    reach: float


@np.errstate(over="ignore", invalid="ignore")  # what is not finite in the end proves nothing
def decrement(
    A: npt.NDArray[np.float64], g: npt.NDArray[np.float64], rounding: float, doubt: npt.NDArray[np.float64]
) -> Decrement | None:
    """Bounds for every g within `doubt` (a number per entry) and every A within `rounding`·(the sums of its sizes).

    Needs A proved positive definite: if Cholesky of A − μI runs to its end in floats, the least eigenvalue of A is at
    least μ − γ·trace (Rump 2006, Verification of positive definiteness). None where that fails.
    """
    if not len(g):  # no column makes a difference
        return Decrement(0.0, 0.0)
    diagonal = A.diagonal()
    if not (np.isfinite(A).all() and np.isfinite(g).all() and np.isfinite(doubt).all() and np.all(diagonal > 0)):
        return None
    m = len(g)
    s = np.ldexp(1.0, -np.rint(np.log2(diagonal) / 2).astype(np.int64))  # A gets a diagonal of about one
    A, g, doubt_g = A * s * s[:, None], g * s, float(np.linalg.norm(doubt * s)) * UP
    gamma, trace = (m + 8) * _UNIT * UP, float(A.trace()) * UP
    doubt_A = 2.0 * rounding * trace
    L, failed = dpotrf(A, lower=1)
    if failed:
        return None
    # an estimate of 1/‖A⁻¹‖₁, which is not above the least eigenvalue; the next factorisation proves it or not
    norm = float(np.abs(A).sum(axis=0).max())
    estimate = 0.5 * norm * float(dpocon(L, norm, uplo="L")[0])
    for mu in (estimate, estimate / 8):
        least = mu - 2.0 * gamma * trace - doubt_A
        if least <= 0 or not dpotrf(A - mu * np.eye(m), lower=1)[1]:
            break
    else:
        return None
    if least <= 0:
        return None
    x = cho_solve((L, True), g)
    Ax = A @ x
    size, length = np.linalg.norm(np.abs(A) @ np.abs(x)) + np.linalg.norm(g), float(np.linalg.norm(x)) * UP
    left = float(np.linalg.norm(g - Ax)) * UP + gamma * float(size) + doubt_g + doubt_A * length
    # Q = x·(2g − Ax) + ρᵀA⁻¹ρ with ρ = g − Ax, for any x
    near = float(x @ (2.0 * g - Ax)) + 8.0 * gamma * length * float(size) + 2.0 * length * doubt_g + doubt_A * length**2
    Q = (max(near, 0.0) + left**2 / least) * UP
    reach = float(np.linalg.norm(s)) * (length + left / least) * UP
    return Decrement(Q, reach) if np.isfinite(Q) and np.isfinite(reach) else None
