"""The types of what pictures are made of. Reading this file does not load matplotlib: the first picture does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any

__all__ = ["Array", "Axes", "Classes", "Signs"]

Array = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]  # classes as −1 and +1
Classes = Sequence[tuple[str, int]]  # name and count of the negative class, then of the positive one
