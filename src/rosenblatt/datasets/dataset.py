"""A data set: its rows and labels, and what is known about them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from rosenblatt.arrays import Floats

__all__ = ["Dataset"]


@dataclass(frozen=True)
class Dataset:
    """Rows X, labels y, and what is known about them; unpacks into (X, y)."""

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    feature_names: tuple[str, ...]
    description: str
    w_star: Floats | None = None  # a planted separating vector, the bias last
    margin: float | None = None  # its margin min y·(w*·(x, 1))/‖w*‖, exact
    drawings: tuple[Floats, ...] = ()  # what the rows were measured on

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return iter((self.X, self.y))
