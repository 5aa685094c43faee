"""What a verdict is worth: the chance that labels drawn at random would have been separable too."""

from dataclasses import dataclass
from math import lgamma, log

from rosenblatt.counting import log10_count

__all__ = ["Worth"]

_RARE = -1.5  # log10 of the chance, about 3 %, below which "1 in …" says more than a percentage


@dataclass(frozen=True)
class Worth:
    """Upper bounds that hold wherever the points lie (Cover 1965), as powers of ten.

    Both are given because class sizes matter: few examples of one class are cut off by chance much more easily than
    labels by fair coins are separated.

    Attributes
    ----------
    points, weights : int
        m distinct points and the r weights they can use: C(m, r) labelings are separable at most.
    log10_fair : float
        Of labels by fair coins, one in 10^(−log10_fair) at most is completely separable.
    log10_sizes : float
        The same for labels shuffled with the class sizes as they are.
    d : int
        Weights in all, with the intercept.
    fit_intercept : bool or None
        Whether one of them is the intercept, if that is known.

    Examples
    --------
    >>> print(Worth.of(22, 11, 22, 11, fit_intercept=True))
    22 points in 10 dimensions (11 weights with the intercept): up to half of all fair-coin labelings are separable;
    this verdict says little.
    """

    points: int
    weights: int
    log10_fair: float
    log10_sizes: float
    d: int
    fit_intercept: bool | None = None

    @classmethod
    def of(cls, n: int, positive: int, distinct: int, d: int, fit_intercept: bool | None = None) -> "Worth":
        """For n rows, `positive` of one class, `distinct` different ones, and d weights."""
        r = min(d, distinct)
        labelings = log10_count(distinct, r)
        sizes = (lgamma(n + 1) - lgamma(positive + 1) - lgamma(n - positive + 1)) / log(10)
        half = 0.0 if 2 * positive == n else log(2) / log(10)  # of C(m, r) labelings only one of two opposite ones fits
        fair = min(0.0, labelings - n * log(2) / log(10))
        return cls(distinct, r, fair, min(0.0, labelings - half - sizes), d, fit_intercept)

    def __str__(self) -> str:
        """In words."""
        if self.points <= self.d:
            return f"{self._where()}: all labelings of so few points may be separable; this verdict says nothing."
        if self.log10_fair > _RARE:
            return (
                f"{self._where()}: up to {_share(self.log10_fair)} of all fair-coin labelings are separable; "
                f"this verdict says little."
            )
        fair = f"{self._where()}: at most 1 fair-coin labeling in 10^{-self.log10_fair:.1f} is separable"
        if self.log10_sizes > _RARE:
            return (
                f"{fair}, but with these class sizes up to {_share(self.log10_sizes)} may be: count them by shuffling."
            )
        return f"{fair}; with these class sizes 1 in 10^{-self.log10_sizes:.1f}."

    def _where(self) -> str:
        points = f"{self.points:,} point{'' if self.points == 1 else 's'}"
        if self.fit_intercept is None:
            return f"{points} with {self.d:,} weights"
        if not self.fit_intercept:
            return f"{points} in {self.d:,} dimensions (no intercept)"
        return f"{points} in {self.d - 1:,} dimensions ({self.d:,} weights with the intercept)"


def _share(log10_share: float) -> str:
    share = 10**log10_share
    if share > 0.995:
        return "all"
    return "half" if abs(share - 0.5) < 0.005 else f"{100 * share:.0f} %"
