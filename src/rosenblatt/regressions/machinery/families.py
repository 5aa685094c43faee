"""Two families: successes of trials with logit link (logistic regression), and counts with log link (Poisson).

For a row with response s they give its part of the loss (the negative log-likelihood without constants), its mean, and
the variance V with its first two derivatives in s. In both families |V'| ≤ V and |V''| ≤ V, so that V(s + t) is between
e^(−|t|)·V(s) and e^|t|·V(s). The proofs of `optimum` and `penalised` rest on that.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats

__all__ = ["CountFamily", "Moments", "binomial", "poisson"]


class Moments(NamedTuple):
    """What a family computes from responses s; each field has one number for each row."""

    loss: Floats
    size: Floats  # the sum of the sizes of the loss's terms, which bounds its rounding error
    residual: Floats  # mean − y
    doubtful: Floats  # the same sum for the residual
    V: Floats
    V1: Floats  # V'
    V2: Floats  # V''


CountFamily = Callable[[Floats, Floats, Floats], Moments]  # of responses, counts and trials


def binomial(s: Floats, y: Floats, trials: Floats) -> Moments:
    """Counts of successes in so many trials, with probability 1/(1 + e^(−s))."""
    failures, above = trials - y, s >= 0
    with np.errstate(under="ignore"):
        size = np.abs(s)
        e = np.exp(-size)
        large = 1.0 / (1.0 + e)
        small = e * large
        p, q = np.where(above, large, small), np.where(above, small, large)
        # log1p(e) for each trial, and |s| for each outcome that is the less likely one
        loss = trials * np.log1p(e) + np.where(above, failures, y) * size
        failed, succeeded, both = failures * p, y * q, small * large
        V = trials * both
        return Moments(loss, loss, failed - succeeded, failed + succeeded, V, V * (q - p), V * (1.0 - 6.0 * both))


def poisson(s: Floats, y: Floats, trials: Floats) -> Moments:
    """A count with mean e^s."""
    with np.errstate(under="ignore", over="ignore"):
        mean = np.exp(s)
        return Moments(mean - y * s, mean + np.abs(y * s), mean - y, mean + y, mean, mean, mean)
