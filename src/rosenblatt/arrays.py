"""Types of arrays for annotations, named by what the arrays hold."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # slow to load

__all__ = ["Flags", "Floats", "Integers", "Labels", "Matrix", "Places", "Selection", "Signs"]

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = Integers  # numbers of rows, columns, examples
Signs = npt.NDArray[np.int8]  # −1, 0 or 1
Labels = npt.NDArray[Any]  # as users write them, or the names of classes
Matrix: TypeAlias = "Floats | csr_array"  # rows of numbers, all written or those that are not zero
Selection = slice | Places | Flags | list[int] | range  # of rows or columns, as NumPy takes it
