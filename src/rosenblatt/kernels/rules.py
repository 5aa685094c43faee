"""Learning rules: the one line in which the lectures' algorithms differ.

A rule is a NamedTuple. `step` maps label y and response s to the factor a of the correction w += a·(x, 1).
"""

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE
from rosenblatt.kernels.exponential import logistic
from rosenblatt.kernels.formats import row_norm, row_sq
from rosenblatt.kernels.kinds import Aggressive, LeastMeanSquares, Rosenblatt, Sigmoid, WideMargin

__all__ = ["is_mistake", "needs_norm", "step"]


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
