"""What arrays are called here."""

import numpy as np
import numpy.typing as npt

__all__ = ["Flags", "Floats", "Places"]

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]  # numbers of rows, columns, or comparisons
