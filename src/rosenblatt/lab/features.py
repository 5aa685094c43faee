"""Features Φ(x) of a point in the plane; `lab-ui/src/features.ts` has the same, with the same rounding."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats

__all__ = ["MAPS", "expand"]


MAPS: dict[str, dict[str, Callable[[Floats, Floats], Floats]]] = {
    "x": {},
    "product": {"x1·x2": lambda a, b: a * b},
    "squares": {"x1²": lambda a, b: a * a, "x2²": lambda a, b: b * b},
    "quadratic": {"x1·x2": lambda a, b: a * b, "x1²": lambda a, b: a * a, "x2²": lambda a, b: b * b},
}


def expand(X: Floats, phi: str) -> npt.NDArray[Any]:
    """The columns of X and those that Φ adds; only points of the plane have any to add.

    >>> expand(np.array([[2.0, 3.0]]), "product")
    array([[2., 3., 6.]])
    """
    if phi == "x":
        return X
    if X.shape[1] != 2:
        raise ValueError(f"Φ is for points of the plane; these have {X.shape[1]} features.")
    return np.column_stack([X, *(f(X[:, 0], X[:, 1]) for f in MAPS[phi].values())])
