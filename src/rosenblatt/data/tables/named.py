"""Arrays with names: accepted wherever a table, or a column of one, is."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers import Origin

__all__ = ["Named"]


class Named:
    """An array with the names of its columns, or its own name. `origin` is what its floats do not tell."""

    def __init__(self, values: npt.NDArray[Any], names: list[str], origin: Origin = Origin()) -> None:  # noqa: B008
        self.values, self.shape, self.origin = values, values.shape, origin
        if values.ndim == 2:
            self.columns = names
        else:
            self.name = names[0]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)
