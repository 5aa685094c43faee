"""What arrays hold, for annotations."""

import numpy as np
import numpy.typing as npt

__all__ = ["Flags", "Floats", "Integers", "Signs"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]  # −1, 0 or 1
Flags = npt.NDArray[np.bool_]
