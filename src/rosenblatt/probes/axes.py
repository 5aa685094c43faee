"""The rows in their principal axes: what least squares, logistic regression and class means are made from.

Columns that go together make a loss long and narrow, and a descent slow. In the axes of the rows' second moments,
X = Z·Vᵀ, curvatures are known beforehand: those of the mean squared loss are the eigenvalues, those of the logistic
loss about mean p(1 − p) times as large. One rotation serves all probes. NumPy and torch do the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.probes.ranking import host

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
        if self.xp is np:
            return Y.astype(self.Z.dtype)
        there = self.xp.as_tensor(Y if Y.flags.writeable else Y.copy())  # torch warns of read-only arrays
        return there.to(self.Z.device).to(self.Z.dtype)  # as they are to the device: signs are a byte each


def axes_of(X: Any) -> Axes:
    """Of scaled rows: an array, whatever gives rows by slices, or a tensor."""
    if hasattr(X, "is_cuda"):
        import torch

        values, V = torch.linalg.eigh((X.T @ X).double() / X.shape[0])
        return Axes(torch, X @ V.to(X), V.to(X), values.clamp(min=0.0).to(X))
    X = np.asarray(X[0 : X.shape[0]])
    values, V = np.linalg.eigh(np.asarray(X.T @ X, dtype=np.float64) / len(X))
    V = V.astype(X.dtype)
    return Axes(np, X @ V, V, np.maximum(values, 0.0).astype(X.dtype))
