"""Newton's method, and a ball around its end in which the minimum is proved to lie.

Let H be the information at v, Q = gᵀH⁻¹g, and κ² the largest z·H⁻¹·z. Along a step Δ of length ρ = ‖Δ‖_H no response
changes by more than κρ, so the curvature stays above e^(−κρ)·H (see `families`). On the sphere of radius ρ the loss
then grows outward as soon as (1 − e^(−κρ))/κ > √Q, and a convex loss has its minimum inside.
"""

from dataclasses import dataclass
from math import inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.estimates.likelihood import AnyPoint, Loss, LossPoint
from rosenblatt.newton.columns import UP
from rosenblatt.newton.gap import ProvedInverse

__all__ = ["HIDDEN", "Ball", "ball", "descend", "minimise", "widest"]

Floats = npt.NDArray[np.float64]

HIDDEN = np.linalg.LinAlgError  # a matrix is singular in floats, though not in truth: rounding hides the answer

_STEPS, _HALVINGS = 200, 50
_FLOOR = 1e-26  # Q from which a further step changes nothing in float64
_HELD_FLOOR = 1e-16  # the same for a penalised loss with a weight held, of which nothing is proved
_DOUBTFUL = 1e-9  # Q, relative to the loss, above which a point where no step helps is no minimum


class Ball(NamedTuple):
    """What is proved of a minimum: its distance from v in each weight, and how much lower the loss is there."""

    distances: Floats
    gap: float


@dataclass(frozen=True)
class _Free:
    """The weights that may move; the others stay."""

    places: npt.NDArray[np.int64]

    def of(self, point: AnyPoint) -> tuple[Floats, Floats]:
        """Gradient and a positive definite curvature for these weights."""
        g, H, full = point.gradient[self.places], point.information, point.full_curvature
        if full is not None and np.linalg.eigvalsh(full)[0] > 0:
            H = full
        return g, H[np.ix_(self.places, self.places)]


def minimise(loss: Loss, v: Floats, fixed: int | None = None, steps: int = _STEPS) -> AnyPoint:
    """The minimum over all weights but the `fixed` one, as far as floats and so many steps go; it must exist."""
    free = _Free(np.array([j for j in range(loss.d) if j != fixed], dtype=np.int64))
    floor = _HELD_FLOOR if loss.penalised and fixed is not None else _FLOOR
    point, last = loss.at(v), inf
    for _ in range(steps):
        g, H = free.of(point)
        step = -np.linalg.solve(H, g)
        Q = float(-(step @ g))
        if not isfinite(Q):
            raise HIDDEN("the loss leaves float64")
        if floor >= Q or (Q < 1e-18 and 0.25 * last <= Q):  # steps that do not shorten are rounding errors
            return point
        last = Q
        full = np.zeros(loss.d)
        full[free.places] = step
        new = descend(point, full, Q)
        if new is point:  # rounding hides whether the loss falls
            if _DOUBTFUL * max(1.0, abs(point.loss)) < Q:
                raise HIDDEN("rounding hides where the minimum is")
            return point
        point = new
    return point


def descend(point: AnyPoint, step: Floats, Q: float) -> AnyPoint:
    """A step, halved until the loss falls; nothing is asked of steps so short that rounding decides."""
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
    """Where the minimum of the likelihood over all weights but the `fixed` one is; None where there is no proof."""
    free = np.array([j for j in range(point.of.d) if j != fixed], dtype=np.int64)
    if not isinstance(point, LossPoint) or not point.bounded:  # of sets nothing is bounded
        return None
    if not free.size:
        return Ball(np.zeros(point.of.d), 0.0)
    rounding = point.of.rounding + point.relative + (point.of.d + 16) * 2.0**-53
    inverse = ProvedInverse.of(point.information[np.ix_(free, free)], rounding)
    if inverse is None:
        return None
    (Q,), _ = inverse.forms(point.gradient[free][:, None], np.full(free.size, point.gradient_error))
    kappa = sqrt(float(widest(inverse, point.of.Z[:, free]))) * UP
    push = sqrt(float(Q)) * UP
    if not kappa * push < 0.5:
        return None
    radius = -log(1.0 - kappa * push) / kappa * UP if kappa * push > 1e-8 else push * UP * UP
    distances = np.zeros(point.of.d)
    distances[free] = np.sqrt(inverse.forms(np.eye(free.size))[0]) * radius * UP
    return Ball(distances, push * radius * UP)


def widest(inverse: ProvedInverse, Z: Floats, rows: int = 1 << 14) -> float:
    """A bound on z·H⁻¹·z over all rows."""
    return max(float(inverse.forms(Z[i : i + rows].T)[0].max()) for i in range(0, len(Z), rows))
