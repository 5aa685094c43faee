"""The rows in their principal axes, from which least squares, logistic regression and class means are computed.

Correlated columns make the valley of a loss long and narrow, and a descent slow. In the axes of the rows' second
moments, X = Z·Vᵀ, curvatures are known beforehand: those of the mean squared loss are the eigenvalues, those of the
logistic loss about mean p(1 − p) times as large. One rotation serves all probes, in NumPy and in torch.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.probes.devices.arrays import beside, float64, host, like, numpy_or_torch

__all__ = ["Axes", "axes_of"]


@dataclass(frozen=True)
class Axes:
    """Rows Z (n × p, mean 0), the axes V (p × p), and the mean squares of the columns of Z."""

    xp: Any  # numpy or torch
    Z: Any
    V: Any
    squares: Any

    def back(self, weights: Any) -> Any:
        """Weights in these axes (bias last) as float64 weights of the columns."""
        return np.asarray(host(self.xp.concatenate([self.V @ weights[:-1], weights[-1:]])), dtype=np.float64)

    def labels(self, Y: Any) -> Any:
        """Labels (n × B) in the precision and the place of Z."""
        return like(beside(Y, self.Z), self.Z)  # converted on the device: signs travel as one byte each


def axes_of(X: Any) -> Axes:
    """The axes of scaled rows X: an array, a tensor, or an object that gives rows by slices."""
    xp, X = numpy_or_torch(X), X[0 : X.shape[0]]
    values, V = xp.linalg.eigh(float64(X.T @ X) / X.shape[0])
    V = like(V, X)
    return Axes(xp, X @ V, V, like(values.clip(0.0), X))
