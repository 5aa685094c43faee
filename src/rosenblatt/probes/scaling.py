"""Columns with mean 0 and deviation 1, and weights for them as weights for the columns as they are.

Means and deviations are those of the rows learned from. A few outlier columns, as residual streams have them, would
otherwise decide every correction.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ColumnScale", "Scaled", "columns_of", "scaled"]

_PIECE = 1 << 22  # values looked at at a time
_IN_MEMORY = 1 << 29  # bytes of scaled rows that are made once and kept


class ColumnScale(NamedTuple):
    """Means and deviations, float64; a constant column has deviation 1."""

    mean: npt.NDArray[np.float64]
    deviation: npt.NDArray[np.float64]

    def fold(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Weights (bias last) of scaled columns as those of the columns themselves: the same responses."""
        plain = weights.copy()
        plain[:-1] /= self.deviation[:, None]
        plain[-1] -= self.mean @ plain[:-1]
        return plain


class Scaled:
    """Rows of X, scaled when they are asked for, in the precision of X."""

    def __init__(self, X: Any, columns: ColumnScale) -> None:
        self.X, self.shape, self.dtype = X, X.shape, np.dtype(X.dtype)
        self.mean, self.factor = columns.mean, 1.0 / columns.deviation

    def __getitem__(self, rows: Any) -> Any:
        return ((self.X[rows] - self.mean) * self.factor).astype(self.dtype)


def columns_of(X: Any) -> ColumnScale:
    """Means and deviations of the rows of X, in two looks at them."""
    if hasattr(X, "is_cuda"):
        deviation, mean = (part.double() for part in _of_tensor(X))
        return ColumnScale(mean.cpu().numpy(), deviation.cpu().numpy())
    n, size = X.shape[0], max(1, _PIECE // X.shape[1])
    pieces = [slice(first, min(n, first + size)) for first in range(0, n, size)]
    mean = sum(np.sum(X[rows], axis=0, dtype=np.float64) for rows in pieces) / n
    square = sum(np.sum((X[rows] - mean) ** 2, axis=0) for rows in pieces) / n
    return ColumnScale(np.asarray(mean), _not_zero(np.sqrt(square), np.abs(mean)))


def scaled(X: Any, columns: ColumnScale) -> Any:
    """Scaled rows: in memory where they are few, else made when asked for; on the GPU where X is there."""
    if hasattr(X, "is_cuda"):
        mean, deviation = (X.new_tensor(part) for part in columns)
        return (X - mean) / deviation
    view = Scaled(X, columns)
    return view[0 : X.shape[0]] if X.shape[0] * X.shape[1] * view.dtype.itemsize <= _IN_MEMORY else view


def _of_tensor(X: Any) -> tuple[Any, Any]:
    mean = X.double().mean(0)
    deviation = ((X - mean) ** 2).mean(0).sqrt()
    small = deviation <= 1e-12 * mean.abs()
    return deviation.masked_fill(small, 1.0), mean


def _not_zero(deviation: npt.NDArray[np.float64], size: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The deviations, with 1 for a column that varies by rounding alone: its weight stays 0, or joins the bias."""
    return np.where(deviation <= 1e-12 * size, 1.0, deviation)
