"""How a fit ended, in one word and one sentence; and what proves it: a hyperplane, or examples that add up to zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Signs

__all__ = ["Hyperplane", "JointWitness", "Outcome", "Witness", "read_witness"]


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
    def from_threshold(cls, w: npt.ArrayLike, theta: float) -> Self:
        """The canonical form of the neuron w·x ≥ θ: bias −θ on an input that is always one."""
        return cls(np.asarray(w, dtype=np.float64), -theta)

    @property
    def threshold(self) -> float:
        """θ = −b: the neuron fires where w·x ≥ θ."""
        return -self.b

    @classmethod
    def between(cls, f1: npt.ArrayLike, f0: npt.ArrayLike) -> Self:
        """Where two linear functions, given as (weights, constant), are equal; f1 is larger on the positive side."""
        difference = np.subtract(np.asarray(f1, dtype=np.float64), np.asarray(f0, dtype=np.float64))
        return cls(difference[:-1], difference[-1])

    def respond(self, X: npt.ArrayLike) -> Floats:
        """w·x + b for each row."""
        return np.asarray(np.atleast_2d(np.asarray(X, dtype=np.float64)) @ self.w + self.b)

    def distance(self, X: npt.ArrayLike) -> Floats:
        """Signed distance of each row in input space: positive on the side that w points to."""
        length = float(np.linalg.norm(self.w))
        if length == 0:
            raise ValueError("w is zero: there is no hyperplane to be at a distance from.")
        return self.respond(X) / length

    def side(self, X: npt.ArrayLike) -> Signs:
        """+1 where w·x + b > 0, −1 where it is < 0, 0 on the hyperplane (as computed)."""
        return np.sign(self.respond(X)).astype(np.int8)

    def same_side(self, a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> bool:
        """Whether two points lie strictly on the same side."""
        return bool(self.side(a)[0] == self.side(b)[0] != 0)


class Witness(NamedTuple):
    """Positive integers λ on rows with Σ λ_i z_i = 0, z = y·(x, 1): every w has w·z_i ≤ 0 for one of them (Gordan)."""

    rows: Integers
    multipliers: tuple[int, ...]

    @classmethod
    def of(cls, rows: Integers, multipliers: Sequence[int | Fraction]) -> "Witness":
        """The witness with the same proportions in whole numbers without a common divisor.

        >>> Witness.of(np.array([3, 5]), [Fraction(1, 2), 3]).multipliers
        (1, 6)
        """
        under = lcm(*(m.denominator for m in multipliers))
        whole = [int(m * under) for m in multipliers]
        common = gcd(*whole)
        return cls(rows, tuple(m // common for m in whole))

    def may_prove(self, n: int) -> bool:
        """Whether its rows and multipliers are possible for n rows; it may come from a damaged file."""
        inside = bool(self.rows.size) and self.rows.min() >= 0 and self.rows.max() < n
        return inside and len(self.multipliers) == len(self.rows) and min(self.multipliers) > 0

    def to_json(self) -> tuple[list[int], list[str]]:
        """Rows, and multipliers in hexadecimal, because they may be too long for a number in JSON."""
        return self.rows.tolist(), [hex(m) for m in self.multipliers]

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str]) -> "Witness":
        """The witness that `to_json` wrote."""
        return cls(np.array(rows, dtype=np.int64), tuple(int(m, 16) for m in multipliers))


class JointWitness(NamedTuple):
    """The same for K classes that learn together, on pairs of a row and a wrong class.

    z has (x, 1) in the place of the row's own class and −(x, 1) in the place of the class in `rivals`.
    """

    rows: Integers
    rivals: Integers  # numbers of classes, as in `classes_`
    multipliers: tuple[int, ...]

    def may_prove(self, n: int) -> bool:
        """Whether its rows, rivals and multipliers are possible for n rows."""
        return Witness(self.rows, self.multipliers).may_prove(n) and self.rivals.shape == self.rows.shape

    def to_json(self) -> tuple[list[int], list[str], list[int]]:
        """Rows, multipliers in hexadecimal, and rivals."""
        return (*Witness(self.rows, self.multipliers).to_json(), self.rivals.tolist())

    @classmethod
    def from_json(cls, rows: list[int], multipliers: list[str], rivals: list[int]) -> "JointWitness":
        """The witness that `to_json` wrote."""
        plain = Witness.from_json(rows, multipliers)
        return cls(plain.rows, np.array(rivals, dtype=np.int64), plain.multipliers)


def read_witness(written: Sequence[Any]) -> Witness | JointWitness:
    """The witness that one of the two `to_json` wrote."""
    return Witness.from_json(*written) if len(written) == 2 else JointWitness.from_json(*written)


class Outcome(str):
    """The name of an outcome, a `str`; `.sentence` explains it, `.hyperplane` is the plane that proves it, if one does.

    SEPARATED  every y·(w·x + b) > 0, each sign certified by an error bound or exactly
    CONVERGED  the loss is within a proved distance of its minimum; the sentence has the number
    TIED       no mistake by the tie rule, but rows on the hyperplane: proves y·(w·x + b) ≥ 0, and strict separability
               where only one class is on the plane: `hyperplane` is the plane shifted off it
    RECEDING   the loss has no minimum, proved by `hyperplane`: no row is on its wrong side, some are strictly right
    CYCLING    the weights came back and the corrections between add up to zero exactly: nothing separates the classes
    BUDGET     none of these: a limit was reached, or a loss is not proved to be near its minimum
    ONLINE     after `partial_fit`: the model has not been tried on all data

    >>> Outcome("SEPARATED", "all 4 examples are on their side.") == "SEPARATED"
    True
    """

    __slots__ = ("hyperplane", "sentence")

    # from the best to the worst: what was sought is proved, is proved impossible, is not known
    NAMES: ClassVar[tuple[str, ...]] = ("SEPARATED", "CONVERGED", "TIED", "RECEDING", "CYCLING", "BUDGET", "ONLINE")
    sentence: str
    hyperplane: Hyperplane | None

    def __new__(cls, name: str, sentence: str = "", hyperplane: Hyperplane | None = None) -> "Outcome":
        """Make the outcome called `name`."""
        if name not in cls.NAMES:
            raise ValueError(f"no outcome is called {name!r}; they are {', '.join(cls.NAMES)}")
        outcome = super().__new__(cls, name)
        outcome.sentence, outcome.hyperplane = sentence, hyperplane
        return outcome

    def __getnewargs__(self) -> tuple[str, str, Hyperplane | None]:  # type: ignore[override]
        return str(self), self.sentence, self.hyperplane

    def __repr__(self) -> str:
        return f"<{self}: {self.sentence}>" if self.sentence else f"<{self}>"

    @property
    def name(self) -> str:
        """The bare name."""
        return str(self)

    @property
    def rank(self) -> int:
        """0 for the best outcome; the worst of several is the one of largest rank."""
        return self.NAMES.index(str(self))
