"""The rows in their principal axes, from which least squares, logistic regression and class means are computed.

Correlated columns make the valley of a loss long and narrow, and a descent slow. In the axes of the rows' second
moments, X = Z·Vᵀ, curvatures are known beforehand: those of the mean squared loss are the eigenvalues, those of the
logistic loss about mean p(1 − p) times as large. One rotation serves all probes, in NumPy and in torch.

Probes that need no steps: the difference of the class means, and least squares with a ridge.

mean difference: w = μ₊ − μ₋, with the plane half way between the means.
least squares: minimises mean (y − s)² + λ‖w‖², bias free. In principal axes that is a division where every row has a
label; probes whose rows have gaps share one solution for each pattern of gaps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Signs
from rosenblatt.probes.devices.arrays import at_least, beside, float64, host, like, numpy_or_torch

__all__ = ["Axes", "axes_of", "class_means", "least_squares"]


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


_TINY = 1e-7  # times the largest curvature, added to all: weights along axes in which rows do not vary stay near 0


def class_means(axes: Axes, Y: Signs) -> Any:
    """Weights in the axes' coordinates, bias last, of labels −1, +1, 0 for none."""
    signs = axes.labels(Y)
    rows = [(signs * signs + signs) / 2, (signs * signs - signs) / 2]  # 1 where the label is +1, and where it is −1
    counts = [of_class.sum(0) for of_class in rows]
    means = [axes.Z.T @ of_class / at_least(count) for of_class, count in zip(rows, counts, strict=True)]
    both = (counts[0] > 0) & (counts[1] > 0)  # with one class only the weights stay 0
    w = (means[0] - means[1]) * both
    b = -(w * (means[0] + means[1])).sum(0) / 2
    return axes.xp.concatenate([w, b[None]])


def least_squares(axes: Axes, Y: npt.NDArray[Any], known: Flags, strength: Any) -> Any:
    """Weights in the axes' coordinates, bias last, of numbers Y where they are `known`; λ of each probe."""
    strength = np.broadcast_to(np.asarray(strength, dtype=np.float64), Y.shape[1])
    targets = axes.labels(np.where(known, Y, 0.0) if Y.dtype.kind == "f" else Y)  # signs are 0 where there is no label
    weights = axes.xp.zeros_like(axes.xp.concatenate([axes.Z.T @ targets, targets[:1]]))
    for columns, rows in _patterns(known):
        if rows.all():
            lam = axes.labels(strength[columns])
            mean = targets[:, columns].mean(0)
            product = axes.Z.T @ (targets[:, columns] - mean) / len(rows)
            weights[:-1, columns] = product / (axes.squares[:, None] + lam + _TINY * axes.squares.max())
            weights[-1, columns] = mean
        elif rows.any():
            _with_gaps(axes, targets, rows, columns, strength, weights)
    return weights


def _patterns(known: Flags) -> list[tuple[Any, Flags]]:
    """Columns that are known on the same rows, and these rows; most often these are all columns."""
    as_first = (known == known[:, :1]).all(axis=0)
    if as_first.all():
        return [(slice(None), known[:, 0])] if known.shape[1] else []
    patterns: dict[bytes, list[int]] = {}
    for j, column in enumerate(known.T):
        patterns.setdefault(b"" if as_first[j] else column.tobytes(), []).append(j)
    return [(columns, known[:, columns[0]]) for columns in patterns.values()]


def _with_gaps(axes: Axes, targets: Any, rows: Flags, columns: Any, strength: Any, weights: Any) -> None:
    """Least squares for columns with missing rows: the rows that are left have principal axes of their own."""
    xp, there = axes.xp, np.flatnonzero(rows)
    Z, y = axes.Z[there], targets[there][:, columns]
    middle, mean = Z.mean(0), y.mean(0)
    Z = Z - middle
    values, V = xp.linalg.eigh(Z.T @ Z / len(there))
    product = V.T @ (Z.T @ (y - mean) / len(there))
    lam = axes.labels(strength[columns])
    w = V @ (product / (abs(values)[:, None] + lam + _TINY * abs(values).max()))
    weights[:-1, columns], weights[-1, columns] = w, mean - middle @ w
