"""What a verdict is worth: the chance that labels drawn at random would have been separable too."""

from dataclasses import dataclass
from math import lgamma, log

from rosenblatt.counting import log10_probability

__all__ = ["Worth"]


@dataclass(frozen=True)
class Worth:
    """Upper bounds that hold wherever the points lie (Cover 1965), as powers of ten.

    Attributes
    ----------
    points, weights : int
        m distinct points and the r weights they can use: C(m, r) labelings are separable at most.
    log10_fair : float
        Of labels by fair coins, one in 10^(−log10_fair) at most is completely separable.
    log10_sizes : float
        The same for labels shuffled with the class sizes as they are.
    """

    points: int
    weights: int
    log10_fair: float
    log10_sizes: float

    @classmethod
    def of(cls, n: int, positive: int, distinct: int, d: int) -> "Worth":
        """For n rows, `positive` of one class, `distinct` different ones, and d weights."""
        r = min(d, distinct)
        labelings = log10_probability(distinct, r) + distinct * log(2) / log(10)  # log10 C(m, r)
        sizes = (lgamma(n + 1) - lgamma(positive + 1) - lgamma(n - positive + 1)) / log(10)
        half = 0.0 if 2 * positive == n else log(2) / log(10)
        fair = min(0.0, labelings - n * log(2) / log(10))
        return cls(distinct, r, fair, min(0.0, labelings - half - sizes))

    def __str__(self) -> str:
        """In words."""
        rows = f"{self.points} points, {self.weights} weights"
        if self.log10_fair > -0.5:
            return f"{rows}: labels by fair coins are often separable too; complete separation would say little."
        fair = f"{rows}: at most 1 labeling by fair coins in 10^{-self.log10_fair:.1f} is separable"
        if self.log10_sizes > -0.5:
            return f"{fair}, but with these class sizes many are."
        return f"{fair}; with these class sizes 1 in 10^{-self.log10_sizes:.1f}."
