"""Firth's estimate (Jeffreys' prior): a root of the penalised score, proved to be there.

The penalised likelihood is not known to be concave, so a root is what can be proved (Newton and Kantorovich), and that
no other value is larger is true to rounding only: the search goes uphill from zero.

In the norm of the information H at the root found in floats: let κ² be the largest z·H⁻¹·z and r the radius of a ball
around it. No response changes there by more than κr, and with d weights the third derivatives of the penalised
likelihood are at most e^(κr)·κ + 3·d·κ³·e^(1.5·κr). A simplified Newton step from anywhere in the ball then stays in it
where η + ½·β·L·r² ≤ r, with β the norm of the inverse curvature and η the length of the first step.
"""

from math import exp, sqrt

import numpy as np
from scipy.linalg import cho_factor, eigh, solve_triangular

from rosenblatt.estimates.arrays import Floats
from rosenblatt.estimates.likelihood import AnyPoint, LossPoint
from rosenblatt.estimates.optimum import widest
from rosenblatt.newton.columns import UP
from rosenblatt.newton.gap import ProvedInverse

__all__ = ["root"]


_LARGEST = 1 << 33  # n·d³ up to which the penalty's own curvature is worth while: seconds, once a table


def root(point: AnyPoint) -> Floats | None:
    """How far a root of the penalised score may be from this point, in each weight; None where that is not proved."""
    if not isinstance(point, LossPoint) or not point.bounded:
        return None
    rounding = point.of.rounding + point.relative + (point.of.d + 16) * 2.0**-53
    inverse = ProvedInverse.of(point.information, rounding)
    if inverse is None:
        return None
    kappa = sqrt(widest(inverse, point.of.Z)) * UP
    d = point.of.d
    off = 8.0 * (rounding + inverse.doubt / inverse.least)  # of anything that is made with H⁻¹, relatively
    (pull,), _ = inverse.forms(point.gradient[:, None], np.full(d, point.gradient_error + 0.5 * d * off))
    length = sqrt(float(pull)) * UP  # ‖H⁻¹ times the gradient‖ in the norm of H
    if len(point.of.Z) * d**3 <= _LARGEST:
        beta = _norm_of_inverse(point, off * (1.0 + d * kappa * kappa) * d)
        if beta is None:
            return None
        radius = 2.0 * beta * length * UP
        lipschitz = exp(kappa * radius) * kappa + 3.0 * d * kappa**3 * exp(1.5 * kappa * radius)
        holds = beta * length + 0.5 * beta * lipschitz * radius**2 * UP <= radius
    else:  # H in place of the curvature: what it leaves out is at most d·κ² of it
        radius = 2.0 * length * UP
        grown = exp(kappa * radius)
        holds = length + radius * (d * kappa * kappa * grown + grown - 1.0) * UP <= radius
    if not holds:
        return None
    return np.sqrt(inverse.forms(np.eye(d))[0]) * radius * UP


def _norm_of_inverse(point: LossPoint, off: float) -> float | None:
    """A bound on the inverse of the penalised curvature, in the norm of H."""
    C = cho_factor(point.information, lower=True)[0]
    C = np.tril(C)
    part = solve_triangular(C, point.penalty_curvature, lower=True)
    part = solve_triangular(C, part.T, lower=True)
    least = 1.0 - float(eigh((part + part.T) / 2, eigvals_only=True)[-1]) - off
    return None if least <= 0 else 1.0 / least * UP
