"""NumPy or torch: the same few functions for arrays on the CPU and tensors on a GPU."""

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, Union

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Selection

if TYPE_CHECKING:
    import torch

__all__ = [
    "RowSource",
    "Values",
    "at_least",
    "beside",
    "float64",
    "host",
    "is_tensor",
    "like",
    "numpy_or_torch",
    "padded",
    "softplus",
    "turned",
]

Values = Union[npt.NDArray[Any], "torch.Tensor"]


class RowSource(Protocol):
    """Rows, given when they are asked for: an array, a memory map, a tensor, or rows that are made on demand."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    @property
    def dtype(self) -> Any:
        """The type of the values."""

    def __getitem__(self, some: Selection, /) -> Any:
        """Some rows."""


def is_tensor(values: object) -> TypeGuard["torch.Tensor"]:
    """Whether this is a tensor of torch, which need not be imported to see it."""
    return hasattr(values, "is_cuda")


def numpy_or_torch(values: object) -> Any:
    """The module to compute with: torch for a tensor, else NumPy."""
    if not is_tensor(values):
        return np
    import torch

    return torch


def beside(values: npt.NDArray[Any], other: object) -> Any:
    """An array where `other` is: as it is beside an array, or as a tensor on the device of a tensor."""
    if not is_tensor(other):
        return values
    # a read-only array is copied: torch would warn of it
    return numpy_or_torch(other).from_numpy(np.require(values, requirements=["C", "W"])).to(other.device)


def like(values: Values, other: Values) -> Any:
    """The values in the precision of `other`, which is on the same device."""
    return values.astype(other.dtype) if isinstance(values, np.ndarray) else values.to(other)


def turned(values: Values) -> Any:
    """Columns as rows, in C order."""
    return np.ascontiguousarray(values.T) if isinstance(values, np.ndarray) else values.T.contiguous()


def padded(values: Values) -> Any:
    """The values with a column of zeros on the left."""
    xp = numpy_or_torch(values)
    return xp.concatenate([xp.zeros_like(values[:, :1]), values], 1)


def at_least(values: Values) -> Any:
    """The values, those below 1 raised to 1, to be divided by."""
    return values.clip(1.0)


def softplus(values: Values) -> Any:
    """log(1 + exp(v)) without overflow."""
    xp = numpy_or_torch(values)
    return np.logaddexp(0.0, values) if xp is np else xp.nn.functional.softplus(values, threshold=50.0)


def float64(values: Values) -> Any:
    """The values in float64; a condition becomes 1.0 where it holds, else 0.0."""
    return values.astype(np.float64, copy=False) if isinstance(values, np.ndarray) else values.double()


def host(values: Values) -> Any:
    """The values as a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
