"""Probes that need no steps: the difference of the class means, and least squares with a ridge.

mean difference: w = μ₊ − μ₋, with the plane half way between the means.
least squares: minimises mean (y − s)² + λ‖w‖², bias free. In principal axes that is a division where every row has a
label; probes whose rows have gaps share one solution for each pattern of gaps.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Signs
from rosenblatt.probes.devices.arrays import at_least
from rosenblatt.probes.learning.axes import Axes

__all__ = ["class_means", "least_squares"]

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
