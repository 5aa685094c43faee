"""NumPy or torch: the same few functions for arrays on the CPU and tensors on a GPU."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["at_least", "beside", "float64", "host", "like", "numpy_or_torch", "padded", "softplus", "turned"]


def numpy_or_torch(values: Any) -> Any:
    """The module to compute with: torch for a tensor, else NumPy."""
    if not hasattr(values, "is_cuda"):
        return np
    import torch

    return torch


def beside(values: npt.NDArray[Any], other: Any) -> Any:
    """An array where `other` is: as it is beside an array, or as a tensor on the device of a tensor."""
    xp = numpy_or_torch(other)
    # a read-only array is copied: torch would warn of it
    return values if xp is np else xp.from_numpy(np.require(values, requirements=["C", "W"])).to(other.device)


def like(values: Any, other: Any) -> Any:
    """The values in the precision of `other`, which is on the same device."""
    return values.astype(other.dtype) if isinstance(values, np.ndarray) else values.to(other)


def turned(values: Any) -> Any:
    """Columns as rows, in C order."""
    return np.ascontiguousarray(values.T) if isinstance(values, np.ndarray) else values.T.contiguous()


def padded(values: Any) -> Any:
    """The values with a column of zeros on the left."""
    xp = numpy_or_torch(values)
    return xp.concatenate([xp.zeros_like(values[:, :1]), values], 1)


def at_least(values: Any) -> Any:
    """The values, those below 1 raised to 1, to be divided by."""
    return values.clip(1.0)


def softplus(values: Any) -> Any:
    """log(1 + exp(v)) without overflow."""
    xp = numpy_or_torch(values)
    return np.logaddexp(0.0, values) if xp is np else xp.nn.functional.softplus(values, threshold=50.0)


def float64(values: Any) -> Any:
    """The values in float64; a condition becomes 1.0 where it holds, else 0.0."""
    return values.astype(np.float64, copy=False) if isinstance(values, np.ndarray) else values.double()


def host(values: Any) -> Any:
    """The values as a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
