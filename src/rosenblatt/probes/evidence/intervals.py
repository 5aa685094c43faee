"""Confidence intervals that know which rows belong together.

A measure is a mean over rows, or a smooth function of such means. A row's influence value says how much the row moves
the measure. Sums of influence values over groups are independent, so their squares add up to the variance. Student's t
with the degrees of freedom of the groups gives the interval. Without groups, every row is a group of its own.

A measure of positive and of negative rows has two such sums. Each has its own effective number of groups,
(Σ m)²/Σ m² for m rows a group (Kish 1965), and the degrees of freedom are Satterthwaite's. A measure between 0 and 1
gets the interval of its logit: near 0 and 1 the plain interval would leave that range.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats

__all__ = ["Uncertainty", "bounded", "of_pairs", "of_recalls", "plain", "spread"]

_LEVEL = 0.975  # both sides together 95 %
_NORMAL = 1.959964  # the normal distribution's quantile of that
_HALVINGS = 40  # of the way to an end


class Uncertainty(NamedTuple):
    """Of each measure: its variance, the variance's degrees of freedom, and the groups of the class with fewer."""

    variance: Floats
    degrees: Floats
    groups: Floats


def spread(squares: Sequence[Floats], cross: Floats, counts: Sequence[Floats], together: Floats) -> Uncertainty:
    """The uncertainty from sums over groups, and the effective numbers of groups of each class and of both.

    a_c is a group's sum of influence values over the rows of class c: `squares` are Σ_g a_c² of each class, `cross` is
    Σ_g (Σ_c a_c)² − Σ_c Σ_g a_c². A measure of all rows together has one class.
    """
    parts = [
        total / np.maximum(1.0 - 1.0 / np.maximum(size, 1.0), 1e-12)
        for total, size in zip(squares, counts, strict=True)
    ]
    least, own = np.minimum.reduce(list(counts)), np.sum(parts, axis=0)
    variance = own + cross * least / np.maximum(least - 1, 1e-12)
    # A group with both classes is part of what it is compared with, which hides some of its variance (as in CR3).
    variance = np.where(cross == 0, variance, variance / np.maximum(1.0 - 1.0 / np.maximum(together, 1.0), 1e-12))
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = own**2 / sum(part**2 / np.maximum(size - 1, 1e-12) for part, size in zip(parts, counts, strict=True))
    degrees = np.where(np.isfinite(degrees), degrees, np.maximum(least - 1, 0.0))
    degrees = np.minimum(degrees, np.maximum(together - 1, 0.0))  # a group with both classes is one
    return Uncertainty(np.maximum(variance, 0.0), degrees, least)


def of_pairs(value: Floats, found: Uncertainty, positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """95 % interval of an AUROC, from so many positive and negative rows that each stand alone.

    That of its logit, widened to Newcombe's (2006, method 5), whose variance is that of scores with this AUROC and not
    that of the rows: with few positive rows these may be all alike by chance. Alone, either holds less than 90 % in
    some settings; together they hold 95 % and more.

    >>> one = np.ones(1)
    >>> low, high = of_pairs(0.9 * one, Uncertainty(1e-4 * one, 4 * one, 5 * one), 5 * one, 95 * one)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.654], [0.974])
    """
    low, high = bounded(value, found)
    likeness = (positive + negative) / 2 - 1
    rows = np.maximum(positive * negative, 1e-12)

    def outside(place: Floats) -> Floats:
        """Where an AUROC of this size would be too far from what was found."""
        factor = 1 + likeness * (1 - place) / (2 - place) + likeness * place / (1 + place)
        return np.asarray(np.abs(value - place) > _NORMAL * np.sqrt(place * (1 - place) * factor / rows))

    ends = []
    for end in (0.0, 1.0):
        far, near = np.full_like(value, end), value.astype(np.float64)
        for _ in range(_HALVINGS):
            middle = (far + near) / 2
            far, near = np.where(outside(middle), middle, far), np.where(outside(middle), near, middle)
        ends.append(near)
    return np.where(np.isnan(low), low, np.minimum(low, ends[0])), np.where(
        np.isnan(high), high, np.maximum(high, ends[1])
    )


def of_recalls(
    parts: Sequence[Floats], squares: Sequence[Floats], counts: Sequence[Floats], found: Uncertainty
) -> tuple[Floats, Floats]:
    """95 % interval of the mean of some parts, one of each class: how far each may be off makes up how far the mean is.

    (Zou and Donner 2008.) A rare class of which nearly all are right, or wrong, has a lopsided interval; a standard
    error of the mean would miss that. `squares` and `counts` are those of each part alone, as `spread` takes them;
    `found` is the mean's uncertainty, by which parts that vary together count more.

    >>> none = np.zeros(1)
    >>> found = Uncertainty(none + 1e-4, none + 200, none + 20)
    >>> low, high = of_recalls([none, none + 0.9], [none, none + 4e-4], [none + 20, none + 200], found)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.427], [0.541])
    """
    value, alone, below, above = (np.zeros_like(parts[0]) for _ in range(4))
    for part, square, count in zip(parts, squares, counts, strict=True):
        doubt = spread([square], np.zeros_like(square), [count], count)
        low, high = bounded(part, doubt)
        value, alone = value + part, alone + doubt.variance
        below, above = below + (part - low) ** 2, above + (high - part) ** 2
    K = len(parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        more = np.where(alone > 0, found.variance * K * K / alone, 1.0)
    low, high = ((value + sign * np.sqrt(more * far)) / K for sign, far in ((-1, below), (1, above)))
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


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
