"""Where the convex hulls of two classes meet, by a witness that no hyperplane separates them strictly."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Signs

__all__ = ["Meeting", "meeting_of"]


class Meeting(NamedTuple):
    """`rows` of both classes, their `parts` in the mixture of their class (they add up to 1), and the common point."""

    rows: list[int]
    parts: list[float]
    point: Floats


def meeting_of(witness: dict[int, int] | None, X: Floats, y: Signs) -> Meeting | None:
    """The point where the hulls meet, from a witness λ > 0 with Σ λ·y·(x, 1) = 0; None without a witness.

    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1], dtype=np.int8)
    >>> meeting_of({0: 1, 1: 1, 2: 1, 3: 1}, X, y)
    Meeting(rows=[0, 1, 2, 3], parts=[0.5, 0.5, 0.5, 0.5], point=array([0.5, 0.5]))
    """
    total = sum(m for i, m in (witness or {}).items() if y[i] > 0)
    if witness is None or total == 0:
        return None
    rows = sorted(witness)
    parts = [float(Fraction(witness[i], total)) for i in rows]
    mine = [k for k, i in enumerate(rows) if y[i] > 0]
    return Meeting(rows, parts, sum((parts[k] * X[rows[k]] for k in mine), np.zeros(X.shape[1])))
