"""Types of the pictures' parts, for annotations. Importing them does not load matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any

__all__ = ["Axes", "Classes"]

Classes = Sequence[tuple[str, int]]  # name and count of the negative class, then of the positive one
