"""The models: successes of trials with logit link (logistic regression), and counts with log link (Poisson).

Of a row with response s: its part of the loss (the negative log-likelihood without constants), its mean, and the
variance V with its first two derivatives in s. In both families |V'| ≤ V and |V''| ≤ V, so that V(s + t) is between
e^(−|t|)·V(s) and e^|t|·V(s): the proofs rest on that.
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["FAMILIES", "CountFamily", "Moments"]

Floats = npt.NDArray[np.float64]


class Moments(NamedTuple):
    """What a family says of responses s, each an array of one number a row."""

    loss: Floats
    size: Floats  # |terms of the loss|, of which it is the sum
    residual: Floats  # mean − y
    doubtful: Floats  # |terms of the residual|: it is off by their relative error
    V: Floats
    V1: Floats  # V'
    V2: Floats  # V''


class CountFamily(Protocol):
    """A model of y given its response."""

    def moments(self, s: Floats, y: Floats, trials: Floats) -> Moments:
        """All of them at once."""


class _Binomial:
    """y successes of so many trials, with probability 1/(1 + e^(−s))."""

    def moments(self, s: Floats, y: Floats, trials: Floats) -> Moments:
        failures = trials - y
        with np.errstate(under="ignore"):
            e = np.exp(-np.abs(s))
            large, small = 1.0 / (1.0 + e), e / (1.0 + e)
            p, q = np.where(s >= 0, large, small), np.where(s >= 0, small, large)
            rest = np.log1p(e)
            loss = y * (rest + np.maximum(-s, 0.0)) + failures * (rest + np.maximum(s, 0.0))
            V = trials * p * q
            doubtful = failures * p + y * q
            return Moments(loss, loss, failures * p - y * q, doubtful, V, V * (q - p), V * (1.0 - 6.0 * p * q))


class _Poisson:
    """A count with mean e^s."""

    def moments(self, s: Floats, y: Floats, trials: Floats) -> Moments:
        with np.errstate(under="ignore", over="ignore"):
            mean = np.exp(s)
            return Moments(mean - y * s, mean + np.abs(y * s), mean - y, mean + y, mean, mean, mean)


FAMILIES: dict[str, CountFamily] = {"logistic": _Binomial(), "binomial": _Binomial(), "poisson": _Poisson()}
