"""A hyperplane: its normal vector, distances from it, and its two sides."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.arrays import Floats, Signs

__all__ = ["Hyperplane"]


@dataclass(frozen=True)
class Hyperplane:
    """All x with w·x + b = 0. The normal vector w (the lectures' direction vector) points to the positive side.

    Parameters
    ----------
    w : array of p numbers
        The normal vector.
    b : float
        The bias; a neuron that fires when w·x ≥ θ has b = −θ (`from_threshold`).

    Examples
    --------
    >>> plane = Hyperplane.from_threshold([3.0, 4.0], 10.0)
    >>> plane.distance([[0.0, 0.0], [2.0, 1.0], [6.0, 8.0]])
    array([-2.,  0.,  8.])
    >>> plane.same_side([0.0, 0.0], [1.0, 1.0])
    True
    >>> plane.threshold
    10.0

    Two rules f1(x, y) = 2x + y − 1 and f0(x, y) = x + y + 1 decide for the larger; the border is x = 2:

    >>> Hyperplane.between([2, 1, -1], [1, 1, 1])
    Hyperplane(w=array([1., 0.]), b=-2.0)
    """

    w: Floats
    b: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "w", np.array(self.w, dtype=np.float64).ravel())
        object.__setattr__(self, "b", float(self.b))

    @classmethod
    def from_threshold(cls, w: Any, theta: float) -> Self:
        """The canonical form of the neuron w·x ≥ θ: bias −θ on an input that is always one."""
        return cls(w, -theta)

    @property
    def threshold(self) -> float:
        """θ = −b: the neuron fires where w·x ≥ θ."""
        return -self.b

    @classmethod
    def between(cls, f1: Any, f0: Any) -> Self:
        """Where two linear functions, given as (weights, constant), are equal; f1 is larger on the positive side."""
        difference = np.subtract(np.asarray(f1, dtype=np.float64), np.asarray(f0, dtype=np.float64))
        return cls(difference[:-1], difference[-1])

    def respond(self, X: Any) -> Floats:
        """w·x + b for each row."""
        return np.asarray(np.atleast_2d(np.asarray(X, dtype=np.float64)) @ self.w + self.b)

    def distance(self, X: Any) -> Floats:
        """Signed distance of each row in input space: positive on the side that w points to."""
        length = float(np.linalg.norm(self.w))
        if length == 0:
            raise ValueError("w is zero: there is no hyperplane to be at a distance from.")
        return self.respond(X) / length

    def side(self, X: Any) -> Signs:
        """+1 where w·x + b > 0, −1 where it is < 0, 0 on the hyperplane (as computed)."""
        return np.sign(self.respond(X)).astype(np.int8)

    def same_side(self, a: Any, b: Any) -> bool:
        """Whether two points lie strictly on the same side."""
        return bool(self.side([a])[0] == self.side([b])[0] != 0)
