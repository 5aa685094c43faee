"""How often chance alone would do as well: permutation p-values, and the correction for many probes.

The probe is fixed, the rows that judge it are new to it, and its labels are exchanged in every way that the null
hypothesis allows: labels tell nothing of scores.

- Rows are independent: labels are exchanged between rows. The rank sum's permutation distribution is taken by its
  normal limit, with ties and continuity. Where few rows are positive, or most scores are equal, the limit's tail is far
  too light, so p is at least the chance of an exchange that leaves as many positive rows at every score.
- Every group has one label: labels are exchanged between whole groups. All arrangements are counted where they are few,
  else random ones are drawn.
- Groups with mixed labels cannot be exchanged: Student's t over the groups' contributions takes their place.

With drawn arrangements p = (1 + as good or better)/(1 + draws). Counting stops for a probe after 50 arrangements that
are as good (Besag and Clifford 1991). p is one-sided: only "better than chance" counts.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, ndtr, stdtr

from rosenblatt.arrays import Floats

__all__ = ["Shuffles", "adjusted", "by_correlation", "by_groups", "by_ranks", "by_student", "log_choices"]

_FEW = 10_000  # so many arrangements are all counted
_DRAWS = 9_999
_MOST = 200_000  # draws, where a family of many probes needs small p-values
_ENOUGH = 50  # arrangements that are as good
_LEAST = 1e-12  # the tail of a limit distribution is not trusted below this
_TIE = 1e-9  # relative: equal statistics, computed in floats


def adjusted(p: Floats) -> Floats:
    """Benjamini and Hochberg (1995): the smallest rate of false discoveries at which each of a family is found.

    >>> adjusted(np.array([0.01, 0.04, 0.03, np.nan])).round(3).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    found = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    if known.size:
        order = known[np.argsort(p[known], kind="stable")]
        scaled = p[order] * known.size / np.arange(1, known.size + 1)
        found[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return found


def by_ranks(above: Floats, positive: Floats, negative: Floats, ties: Floats, same: Floats) -> Floats:
    """Mann and Whitney: `above` pairs (positive, negative) in the right order, ties half; `ties` = Σ (t³ − t).

    `same` is the log of the number of exchanges that leave as many positive rows at every score, 0 without ties.
    """
    N = positive + negative
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = positive * negative / 12.0 * (N + 1.0 - ties / (N * (N - 1.0)))
        z = (above - positive * negative / 2.0 - 0.5) / np.sqrt(variance)
    p = np.maximum(ndtr(-z), np.maximum(_LEAST, np.exp(same - log_choices(N, positive))))
    return np.where((positive < 1) | (negative < 1), np.nan, np.where(variance > 0, p, 1.0))


def log_choices(n: Floats, k: Floats) -> Floats:
    """The log of the number of ways to choose k of n."""
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def by_correlation(r: float, n: int) -> float:
    """Numbers exchanged between rows: the correlation's permutation distribution, by its limit, Student's t."""
    return max(_LEAST, float(stdtr(n - 2, -r * np.sqrt((n - 2) / max(1.0 - r * r, 1e-300)))))


def by_student(excess: Floats, variance: Floats, degrees: Floats) -> Floats:
    """p from the excess over chance in standard errors over groups, by Student's t."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(variance > 0, excess / np.sqrt(variance), np.sign(excess) * np.inf)
        return np.where(degrees > 0, np.maximum(stdtr(np.maximum(degrees, 1e-3), -t), _LEAST), 1.0)


class Shuffles:
    """Random arrangements of groups, the same for all probes of a call."""

    def __init__(self, seed: int, family: int) -> None:
        self.seed, self.most = seed, min(_MOST, max(_DRAWS, 40 * family))
        self._kept: dict[int, list[npt.NDArray[np.int32]]] = {}

    def blocks(self, G: int) -> Iterator[npt.NDArray[np.int32]]:
        """Arrangements × groups, block after block; the first ten thousand are kept."""
        kept, made = self._kept.setdefault(G, []), 0
        while made < self.most:
            number, size = (0, 249) if not made else (1 + (made - 249) // 2500, min(2500, self.most - made))
            if number < len(kept):
                block = kept[number]
            else:
                random = np.random.default_rng([self.seed, G, number])
                block = np.argsort(random.random((size, G), dtype=np.float32), axis=1).astype(np.int32)
                if made < _DRAWS:
                    kept.append(block)
            made += len(block)
            yield block


def by_groups(labels: Floats, ranks: Floats, sizes: Floats | None, shuffles: Shuffles) -> Floats:
    """Labels (one a group) exchanged between groups; `ranks` are the scores' rank sums, groups × probes.

    The statistic is the AUROC: Σ of the ranks of positive rows, by how many they are. Without `sizes` it is Σ label ×
    sum, for numbers as labels. One p-value a probe.
    """

    def statistic(given: Floats) -> Floats:
        total = given @ ranks
        if sizes is None:
            return np.asarray(total)
        positive = (given @ sizes)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total - positive * (positive + 1) / 2) / (positive * (sizes.sum() - positive)))

    G, chosen = len(labels), int(np.count_nonzero(labels > 0))
    observed = statistic(labels[None, :])[0]
    limit = observed - _TIE * np.abs(observed)
    if sizes is not None and comb(G, chosen) <= _FEW:
        every = np.zeros((comb(G, chosen), G))
        for row, some in enumerate(combinations(range(G), chosen)):
            every[row, list(some)] = 1.0
        return np.asarray(np.mean(statistic(every) >= limit, axis=0))
    return _drawn(statistic, limit, labels, shuffles)


def _drawn(statistic: Callable[[Floats], Floats], limit: Floats, labels: Floats, shuffles: Shuffles) -> Floats:
    good, made = np.zeros(len(limit)), np.zeros(len(limit))
    at_work = np.ones(len(limit), dtype=bool)
    for block in shuffles.blocks(len(labels)):
        good += at_work * np.count_nonzero(statistic(labels[block]) >= limit, axis=0)
        made += at_work * len(block)
        at_work &= good < _ENOUGH
        if not at_work.any():
            break
    return (1.0 + good) / (1.0 + made)
