"""Activations in: layers of rows, float32 or float64, from arrays, memory maps, torch tensors and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Places, Selection
from rosenblatt.data.numbers import refuse_hidden, refuse_lazy, refuse_long_integers, refuse_text
from rosenblatt.probes.devices.arrays import RowSource, Values, is_tensor

__all__ = ["RowsOnDemand", "layers_of"]

_PIECE = 1 << 22  # values checked at a time


@dataclass(frozen=True)
class RowsOnDemand:
    """Some rows of X (None: all), in one precision. They are read when asked for, so a memory map stays on disk."""

    X: Any
    dtype: np.dtype[Any]
    rows: Places | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.X.shape[0] if self.rows is None else len(self.rows), self.X.shape[1]

    def __getitem__(self, some: Selection) -> Any:
        return np.asarray(self.X[some if self.rows is None else self.rows[some]], dtype=self.dtype)


def layers_of(X: Any, on_gpu: bool = False) -> tuple[list[Any], bool]:
    """The layers, each n × p, and whether X was a stack of them. For a GPU a torch tensor stays where it is."""
    refuse_lazy(X)
    if sp.issparse(X):
        raise ValueError("X is a sparse matrix, and probes take dense rows: pass X.toarray().")
    X = list(X.values()) if isinstance(X, Mapping) else X
    for part in X if isinstance(X, (list, tuple)) else [X]:
        refuse_hidden(part)
    if isinstance(X, (list, tuple)):
        X = _stacked(X)
    if hasattr(X, "detach"):
        X = X.detach()
        if X.dtype.is_floating_point and X.element_size() < 4:
            X = X.float()
        if not (on_gpu and X.is_cuda):
            X = X.cpu().numpy()
    elif not isinstance(X, np.ndarray):
        refuse_text(X)
        X = np.asarray(X)
    if X.ndim not in (2, 3):
        raise ValueError(f"X must be rows × columns, or layers × rows × columns; it has {X.ndim} dimensions.")
    if 0 in X.shape:
        raise ValueError(f"X is empty: its shape is {tuple(X.shape)}.")
    stacked = X.ndim == 3
    layers = [_canonical(layer) for layer in (X if stacked else [X])]
    for number, layer in enumerate(layers):
        _refuse_extremes(layer, f"layer {number}, " if stacked else "", on_gpu)
    return layers, stacked


def _stacked(layers: Sequence[Any]) -> Any:
    """A list of layers as one array or tensor; a list of rows as it is."""
    shapes = {tuple(layer.shape) for layer in layers if getattr(layer, "ndim", 0) > 1}
    if len(shapes) > 1:
        raise ValueError(f"the layers of X differ in shape: {' and '.join(map(str, sorted(shapes)))}.")
    if shapes and hasattr(layers[0], "detach"):
        import torch

        return torch.stack(list(layers))
    return layers


def _canonical(X: Values) -> Any:
    """Float32 or float64; other types become one of them when their rows are read."""
    if is_tensor(X):
        return X
    if X.dtype.kind not in "fiub":
        refuse_text(X)
        X = np.frompyfunc(lambda v: np.nan if type(v).__name__ == "NAType" else v, 1, 1)(X).astype(np.float64)
    refuse_long_integers(X)
    if X.dtype in (np.float32, np.float64) and X.dtype.isnative:
        return X
    return RowsOnDemand(X, np.dtype(np.float32 if X.dtype == np.float16 else np.float64))


def _refuse_extremes(X: RowSource, where: str, on_gpu: bool) -> None:
    """Refuse NaN, infinity, and values whose products would overflow."""
    if is_tensor(X):
        largest = float(X.abs().max())
        if largest <= _largest_value(np.float32, X.shape[1]):  # false for NaN
            return
        X = X.cpu().numpy()
    size = max(1, _PIECE // X.shape[1])
    limit = _largest_value(np.float32 if on_gpu else X.dtype, X.shape[1])
    for first in range(0, X.shape[0], size):
        piece = X[first : first + size]
        if np.abs(piece).max() <= limit:
            continue
        if not np.isfinite(piece).all():
            i, j = np.argwhere(~np.isfinite(piece))[0]
            raise ValueError(
                f"X has {piece[i, j]} in {where}row {first + i}, column {j}; a missing or infinite value has no side "
                f"of a hyperplane: drop the row or replace the value first."
            )
        raise ValueError(
            f"X has values up to {np.abs(piece).max():.3g} in {where}rows from {first} on, too large to be multiplied "
            f"in {'float32' if on_gpu else X.dtype}: scale X, for example with sklearn.preprocessing.StandardScaler."
        )


def _largest_value(dtype: npt.DTypeLike, p: int) -> float:
    """How large |x| may be: a billion corrections by rows of p such values still have finite responses."""
    return float(np.sqrt(np.finfo(dtype).max / 1e9 / (p + 1)))
