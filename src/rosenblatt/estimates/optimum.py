"""Newton's method, and a ball around its last point that is proved to hold the minimum.

Let H be the information at v, Q = gᵀH⁻¹g, and κ² the largest z·H⁻¹·z. Along a step Δ of length ρ = ‖Δ‖_H no response
changes by more than κρ, so the curvature stays above e^(−κρ)·H (see `families`). On the sphere of radius ρ the loss
then grows outward as soon as (1 − e^(−κρ))/κ > √Q, and a convex loss has its minimum inside. The information G of a
nearby point can stand in for H: where no response differs by more than δ, H is above e^(−δ)·G, so Q ≤ e^δ·gᵀG⁻¹g, and
κ² is at most e^δ times its value by G.
"""

from math import exp, inf, isfinite, log1p, sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.likelihood import AnyPoint, Loss, LossPoint
from rosenblatt.minimise import UP, ProvedInverse

__all__ = ["HIDDEN", "Ball", "ball", "curvature", "improve", "minimise", "others", "short_gap", "widest"]

HIDDEN = np.linalg.LinAlgError  # rounding hides the answer: a matrix is singular in floats that is not in truth

_STEPS, _HALVINGS = 200, 50
_FLOOR = 1e-26  # Q from which a further step changes nothing in float64
_SHORT = 1e-3  # κ·√Q up to which the ball's radius is √Q within a thousandth, so that a rough κ is good enough
_LENDING = 20.0  # change of a response up to which another point's information is worth a try
_DOUBTFUL = 1e-9  # Q, relative to the loss, above which a point from which no step helps is not taken for a minimum


class Ball(NamedTuple):
    """Proved bounds on a minimum: its distance from v in each weight, and how much lower the loss is there."""

    distances: Floats
    gap: float


def curvature(point: AnyPoint, free: Places) -> Floats:
    """Second derivatives that are positive definite in the `free` weights: the full ones, or else the information.

    They need not be so in the weight that is held: a penalised profile may bend down while the loss has a minimum at
    each value of that weight.
    """
    full = point.full_curvature
    return point.information if full is None or dpotrf(full[np.ix_(free, free)], lower=1)[1] else full


def others(d: int, fixed: int | None) -> Places:
    """All weights but the `fixed` one."""
    return np.array([j for j in range(d) if j != fixed], dtype=np.int64)


def minimise(loss: Loss, v: Floats, fixed: int | None = None) -> AnyPoint:
    """The minimum over all weights but the `fixed` one, as exact as floats allow; it must exist."""
    return improve(loss.at(v), fixed, _FLOOR)


def improve(point: AnyPoint, fixed: int | None, enough: float, steps: int = _STEPS, scoring: bool = False) -> AnyPoint:
    """Steps towards the minimum over all weights but the `fixed` one, until Q = gᵀH⁻¹g is at most `enough`.

    Q is about twice what the loss can still fall. `scoring` takes the information for the curvature (Fisher): steps are
    longer then, and pass small humps of a penalised loss.
    """
    if isinstance(point, LossPoint):
        found, sure = point.improved(fixed, enough, steps, scoring)
        if not sure:
            raise HIDDEN("rounding hides where the minimum is")
        return found
    loss, last = point.of, inf
    free = others(loss.d, fixed)
    for _ in range(steps):
        g, H = point.gradient[free], point.information if scoring else curvature(point, free)
        H = H[np.ix_(free, free)]
        step = -np.linalg.solve(H, g)
        Q = float(-(step @ g))
        if not isfinite(Q):
            raise HIDDEN("the loss leaves float64")
        if enough >= Q or (Q < 1e-18 and 0.25 * last <= Q):  # steps that do not shorten are rounding errors
            return point
        last = Q
        full = np.zeros(loss.d)
        full[free] = step
        new = _descend(point, full, Q)
        if new is point:  # rounding hides whether the loss falls
            if _DOUBTFUL * max(1.0, abs(point.loss)) < Q:
                raise HIDDEN("rounding hides where the minimum is")
            return point
        point = new
    return point


def _descend(point: AnyPoint, step: Floats, Q: float) -> AnyPoint:
    """The point after a step, halved until the loss falls; a step so short that rounding decides is always taken."""
    new, t = point.of.at(point.v + step), 1.0
    if Q < 1e-12:
        return new
    for _ in range(_HALVINGS):
        if new.loss <= point.loss - 1e-4 * t * Q:
            return new
        t /= 2
        if t * Q < 2.0**-54 * abs(point.loss):  # no float is that little lower
            return point
        new = point.of.at(point.v + t * step)
    return point


def ball(point: AnyPoint, fixed: int | None = None) -> Ball | None:
    """A ball that holds the minimum of the likelihood over all weights but the `fixed` one; None without a proof."""
    free = others(point.of.d, fixed)
    if not isinstance(point, LossPoint) or not point.bounded:  # the losses of choices have no error bounds
        return None
    if not free.size:
        return Ball(np.zeros(point.of.d), 0.0)
    near = point.lender or point  # its variances times `wider` are above those of `point`
    wider = 1.0 if near is point else exp(point.change(near)) * UP
    rounding = near.of.rounding + near.relative + (near.of.d + 16) * 2.0**-53
    inverse = ProvedInverse.of(near.information[np.ix_(free, free)], rounding)
    if inverse is None or not near.bounded:
        return None
    (Q,), _ = inverse.forms(point.gradient[free][:, None], np.full(free.size, point.gradient_error))
    push = sqrt(float(Q) * wider) * UP
    kappa = sqrt(inverse.widest * wider) * UP
    if kappa * push > _SHORT:  # κ is a rough bound; a sharper one takes longer than a look at the rows
        kappa = sqrt(widest(inverse, point.of.Z[:, free]) * wider) * UP
    if not kappa * push < 0.5:
        return None
    radius = -log1p(-kappa * push) / kappa * UP
    distances = np.zeros(point.of.d)
    distances[free] = np.sqrt(inverse.forms(np.eye(free.size))[0] * wider) * radius * UP
    return Ball(distances, push * radius * UP)


def short_gap(point: LossPoint, near: LossPoint, fixed: int) -> float | None:
    """A rough bound on how much lower the loss is at its minimum with a weight fixed, without solving anything.

    `near` lends its information, which is proved once for all points that are compared with it.
    """
    inverse = near.proved_inverse if point.bounded else None
    if inverse is None:
        return None
    change = point.change(near)
    if change > _LENDING:
        return None
    wider = exp(change) * UP
    slopes = (np.abs(point.gradient) + point.gradient_error) * inverse.s
    slopes[fixed] = 0.0
    push = sqrt(float(slopes @ slopes) * wider / inverse.least) * UP
    kappa = sqrt(inverse.widest * wider) * UP
    return None if kappa * push > _SHORT else push * (-log1p(-kappa * push) / kappa) * UP


def widest(inverse: ProvedInverse, Z: Floats, rows: int = 1 << 14) -> float:
    """A bound on z·H⁻¹·z over all rows."""
    return max(float(inverse.forms(Z[i : i + rows].T)[0].max()) for i in range(0, len(Z), rows))
