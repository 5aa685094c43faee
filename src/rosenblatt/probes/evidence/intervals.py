"""Confidence intervals that know which rows belong together.

A measure is a mean over rows, or a smooth function of such means. A row's influence value says how much the row moves
the measure. Sums of influence values over groups are independent, so their squares add up to the variance. Student's t
with the degrees of freedom of the groups gives the interval. Without groups, every row is a group of its own.

A measure of positive and of negative rows has two such sums. Each has its own effective number of groups,
(Σ m)²/Σ m² for m rows a group (Kish 1965), and the degrees of freedom are Satterthwaite's. A measure between 0 and 1
gets the interval of its logit: near 0 and 1 the plain interval would leave that range.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats

__all__ = ["Uncertainty", "bounded", "plain", "spread"]

_LEVEL = 0.975  # both sides together 95 %


class Uncertainty(NamedTuple):
    """Of each measure: its variance, the variance's degrees of freedom, and the groups of the class with fewer."""

    variance: Floats
    degrees: Floats
    groups: Floats


def spread(sums: tuple[Floats, Floats, Floats], counts: tuple[Floats, Floats], together: Floats) -> Uncertainty:
    """The uncertainty from Σ_g a², Σ_g b², Σ_g ab, and the effective numbers of groups of each class and of both.

    a and b are a group's sums of influence values over positive and over negative rows; a measure of all rows together
    has b = 0 and infinitely many negative groups.
    """
    squares = [
        total / np.maximum(1.0 - 1.0 / np.maximum(size, 1.0), 1e-12)
        for total, size in zip(sums[:2], counts, strict=True)
    ]
    least = np.minimum(*counts)
    variance = squares[0] + squares[1] + 2.0 * sums[2] * least / np.maximum(least - 1, 1e-12)
    # A group with both classes is part of what it is compared with, which hides some of its variance (as in CR3).
    variance = np.where(sums[2] == 0, variance, variance / np.maximum(1.0 - 1.0 / np.maximum(together, 1.0), 1e-12))
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [part**2 / np.maximum(size - 1, 1e-12) for part, size in zip(squares, counts, strict=True)]
        degrees = (squares[0] + squares[1]) ** 2 / (parts[0] + parts[1])
    degrees = np.where(np.isfinite(degrees), degrees, np.maximum(least - 1, 0.0))
    degrees = np.minimum(degrees, np.maximum(together - 1, 0.0))  # a group with both classes is one
    return Uncertainty(np.maximum(variance, 0.0), degrees, least)


def bounded(part: Floats, found: Uncertainty) -> tuple[Floats, Floats]:
    """95 % interval of something between 0 and 1, by its logit; of 0 and 1 themselves Wilson's.

    >>> found = Uncertainty(np.array([9e-4, 0.0]), np.full(2, 99.0), np.full(2, 100.0))
    >>> low, high = bounded(np.array([0.9, 1.0]), found)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.823, 0.962], [0.946, 1.0])
    """
    t = _student(found.degrees)
    inner = (found.variance > 0) & (part > 0) & (part < 1)
    q = np.where(inner, part, 0.5)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        middle, half = np.log(q / (1 - q)), t * np.sqrt(found.variance) / (q * (1 - q))
        ends = [1 / (1 + np.exp(-(middle + sign * half))) for sign in (-1, 1)]
        # nothing varies, all groups are right or all are wrong: Wilson's interval of so many groups
        far = t**2 / found.groups
        low = np.where(inner, ends[0], np.maximum(part - far / (1 + far), 0.0))
        high = np.where(inner, ends[1], np.minimum(part + far / (1 + far), 1.0))
    nothing = ~np.isfinite(t) | (found.groups <= 1)
    low, high = np.where(nothing, 0.0, low), np.where(nothing, 1.0, high)
    absent = np.isnan(part)
    return np.where(absent, np.nan, low), np.where(absent, np.nan, high)


def plain(value: Floats, found: Uncertainty) -> tuple[Floats, Floats]:
    """95 % interval of something without bounds: ± t standard errors."""
    t = _student(found.degrees)
    with np.errstate(invalid="ignore"):
        half = np.where(found.groups <= 1, np.inf, t * np.sqrt(found.variance))
    return value - half, value + half


def _student(degrees: Floats) -> Floats:
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        return np.where(degrees > 0, stdtrit(np.maximum(degrees, 1e-3), _LEVEL), np.inf)
