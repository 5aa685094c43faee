"""Learning rules: the one line in which the lectures' algorithms differ.

A rule is a NamedTuple. `step` maps label y and response s to the factor a of the correction w += a·(x, 1).
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE
from rosenblatt.kernels.exponential import logistic
from rosenblatt.kernels.formats import row_norm, row_sq

__all__ = [
    "RULES",
    "Aggressive",
    "LeastMeanSquares",
    "Rosenblatt",
    "Sigmoid",
    "WideMargin",
    "is_mistake",
    "needs_norm",
    "step",
]


class Rosenblatt(NamedTuple):
    """The perceptron rule: after a mistake, y·s < 0 or a tie that counts as one, step η·y.

    `tie_positive`, `tie_negative`: whether s = 0 is a mistake on an example of that class.
    `normalize`: learn from z/‖z‖, z = (x, 1), instead of z.
    """

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any


class WideMargin(NamedTuple):
    """The perceptron rule with a margin m: y·s ≤ m·‖w‖ (with `normalize`, y·s ≤ m·‖w‖·‖z‖) is a mistake too."""

    eta: Any
    tie_positive: Any
    tie_negative: Any
    normalize: Any
    margin: Any


class Aggressive(NamedTuple):
    """Passive-aggressive (Crammer et al. 2006): with loss = 1 − y·s > 0, the smallest step that brings it to zero.

    τ = loss/(‖z‖² + slack), at most `most`: variant I has most = C and slack = 0, variant II most = ∞, slack = 1/(2C).
    """

    most: Any
    slack: Any


class LeastMeanSquares(NamedTuple):
    """Widrow and Hoff (1960), LMS: always step by η·(y − s), the residual."""

    eta: Any


class Sigmoid(NamedTuple):
    """Logistic regression, one example at a time: always step by η·y·σ(−y·s), the probability of the other class."""

    eta: Any


# A saved stream names its rule, and is read only if the rule is one of these.
RULES = (Rosenblatt, WideMargin, Aggressive, LeastMeanSquares, Sigmoid)


def step(rule, y, s, rows, i, bias, w_sq):
    """The factor a of the correction w += a·(x_i, 1); 0 when the example teaches nothing.

    `bias` is the input that belongs to the bias (1, or 0 without one), `w_sq` is ‖w‖².
    A response that is not a number (after an overflow) must count as wrong. So the bodies ask whether a row is right,
    not whether it is wrong: every comparison with NaN is false.
    """


@overload(step, jit_options=INLINE)
def _step(rule, y, s, rows, i, bias, w_sq):
    def rosenblatt(rule, y, s, rows, i, bias, w_sq):
        agreement = y * s
        if agreement > 0.0:
            return 0.0
        if agreement == 0.0 and not (rule.tie_positive if y > 0 else rule.tie_negative):
            return 0.0
        return rule.eta * y / (row_norm(rows, i, bias) if rule.normalize else 1.0)

    def wide_margin(rule, y, s, rows, i, bias, w_sq):
        length = row_norm(rows, i, bias) if rule.normalize else 1.0
        agreement, needed = y * s, rule.margin * np.sqrt(w_sq) * length
        if agreement > needed:
            return 0.0
        if agreement == needed and not (rule.tie_positive if y > 0 else rule.tie_negative):
            return 0.0
        return rule.eta * y / length

    def aggressive(rule, y, s, rows, i, bias, w_sq):
        loss = 1.0 - y * s
        if loss <= 0.0:
            return 0.0
        return y * min(rule.most, loss / (row_sq(rows, i) + bias + rule.slack))

    def least_mean_squares(rule, y, s, rows, i, bias, w_sq):
        return rule.eta * (y - s)

    def sigmoid(rule, y, s, rows, i, bias, w_sq):
        return rule.eta * y * logistic(-y * s)

    bodies = {
        Rosenblatt: rosenblatt,
        WideMargin: wide_margin,
        Aggressive: aggressive,
        LeastMeanSquares: least_mean_squares,
        Sigmoid: sigmoid,
    }
    return bodies[rule.instance_class]


def is_mistake(rule, y, s):
    """1 if the correction followed a mistake, else 0: some rules correct after a right answer too."""


@overload(is_mistake, jit_options=INLINE)
def _is_mistake(rule, y, s):
    if rule.instance_class in (Rosenblatt, WideMargin):
        return lambda rule, y, s: 1
    return lambda rule, y, s: 0 if y * s > 0.0 else 1


def needs_norm(rule):
    """Whether the rule looks at ‖w‖; then the loop keeps ‖w‖² up to date."""


@overload(needs_norm, jit_options=INLINE)
def _needs_norm(rule):
    return (lambda rule: True) if rule.instance_class is WideMargin else (lambda rule: False)
