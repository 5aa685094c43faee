"""Kinds of arrays, by name."""

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Mask", "Places", "Signs"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]  # numbers of rows, probes or groups; also counts
Signs = npt.NDArray[np.int8]  # labels: −1, +1, 0 for none
