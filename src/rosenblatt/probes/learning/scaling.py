"""Columns scaled to mean 0 and deviation 1, and their weights turned into weights of the columns as they are.

Means and deviations are those of the rows learned from. A few outlier columns, as residual streams have them, would
otherwise decide every correction.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Selection
from rosenblatt.probes.devices.arrays import RowSource, host, is_tensor
from rosenblatt.probes.reading.activations import RowsOnDemand

__all__ = ["ColumnScale", "columns_of", "scaled"]

_PIECE = 1 << 22  # values summed at a time
_IN_MEMORY = 1 << 29  # bytes: scaled rows up to this size are kept in memory


class ColumnScale(NamedTuple):
    """Means and deviations, float64; a constant column has deviation 1."""

    mean: Floats
    deviation: Floats

    def fold(self, weights: Floats) -> Floats:
        """Weights (bias last) of scaled columns as those of the columns themselves: the same responses."""
        plain = weights.copy()
        plain[:-1] /= self.deviation[:, None]
        plain[-1] -= self.mean @ plain[:-1]
        return plain


@dataclass(frozen=True)
class Scaled(RowsOnDemand):
    """Rows of X, scaled when they are asked for."""

    scale: ColumnScale = field(kw_only=True)

    def __getitem__(self, some: Selection) -> Any:
        return ((self.X[some] - self.scale.mean) * (1.0 / self.scale.deviation)).astype(self.dtype)


def columns_of(X: RowSource) -> ColumnScale:
    """Means and deviations of the rows of X, in two looks at them."""
    if is_tensor(X):
        mean = X.double().mean(0)
        mean, deviation = host(mean), host(((X - mean) ** 2).mean(0).sqrt())
    else:
        n, size = X.shape[0], max(1, _PIECE // X.shape[1])
        pieces = [slice(first, min(n, first + size)) for first in range(0, n, size)]
        mean = np.asarray(sum(np.sum(X[rows], axis=0, dtype=np.float64) for rows in pieces) / n)
        deviation = np.sqrt(sum(np.sum((X[rows] - mean) ** 2, axis=0) for rows in pieces) / n)
    # a column that varies by rounding alone: its weight stays 0, or joins the bias
    return ColumnScale(mean, np.where(deviation <= 1e-12 * np.abs(mean), 1.0, deviation))


def scaled(X: RowSource, columns: ColumnScale) -> Any:
    """Scaled rows, in the precision of X: in memory where they are few, else made when asked for; on the GPU with X."""
    if is_tensor(X):
        mean, deviation = (X.new_tensor(part) for part in columns)
        return (X - mean) / deviation
    view = Scaled(X, X.dtype, scale=columns)
    return view[0 : X.shape[0]] if X.shape[0] * X.shape[1] * X.dtype.itemsize <= _IN_MEMORY else view
