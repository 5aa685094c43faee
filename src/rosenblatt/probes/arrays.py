"""NumPy or torch: the same few words for arrays on the CPU and tensors on a GPU."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["at_least", "beside", "float64", "host", "like", "numpy_or_torch", "padded", "softplus", "turned"]


def numpy_or_torch(values: Any) -> Any:
    """The library of an array, a tensor, or whatever gives rows of arrays."""
    if not hasattr(values, "is_cuda"):
        return np
    import torch

    return torch


def beside(values: npt.NDArray[Any], other: Any) -> Any:
    """An array in the place of another one: as it is, or as a tensor on its device."""
    xp = numpy_or_torch(other)
    # a copy of what is read-only: torch warns of it
    return values if xp is np else xp.from_numpy(np.require(values, requirements=["C", "W"])).to(other.device)


def like(values: Any, other: Any) -> Any:
    """In the precision of another array, which lies in the same place."""
    return values.astype(other.dtype) if isinstance(values, np.ndarray) else values.to(other)


def turned(values: Any) -> Any:
    """Columns as rows, in C order."""
    return np.ascontiguousarray(values.T) if isinstance(values, np.ndarray) else values.T.contiguous()


def padded(values: Any) -> Any:
    """With a column of zeros before."""
    xp = numpy_or_torch(values)
    return xp.concatenate([xp.zeros_like(values[:, :1]), values], 1)


def at_least(values: Any) -> Any:
    """At least one: a number to divide by."""
    return values.clip(1.0)


def softplus(values: Any) -> Any:
    """log(1 + exp(v)), whatever its size."""
    xp = numpy_or_torch(values)
    return np.logaddexp(0.0, values) if xp is np else xp.nn.functional.softplus(values, threshold=50.0)


def float64(values: Any) -> Any:
    """In float64; of conditions, 1.0 where they hold, else 0.0."""
    return values.astype(np.float64, copy=False) if isinstance(values, np.ndarray) else values.double()


def host(values: Any) -> Any:
    """As a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
