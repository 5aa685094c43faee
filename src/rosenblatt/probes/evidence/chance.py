"""How often chance alone would do as well: permutation p-values, and the correction for many probes.

The probe is fixed, the rows that judge it are new to it, and its labels are exchanged in every way that the null
hypothesis allows: labels tell nothing of scores.

- Rows are independent: labels are exchanged between rows. For classes the rank sum's distribution is counted, or
  computed by a saddlepoint (`rank_sums`); for numbers exchanges are drawn.
- Every group has one label: labels are exchanged between whole groups. All arrangements are counted where they are few,
  else random ones are drawn.
- Groups with mixed labels: the labels of a group, as they follow each other, go to a group with as many labelled rows,
  and are turned round there (the last become the first). That holds whatever rows of a group have in common, in scores
  and in labels, and if neighbours are alike.

With drawn arrangements p = (1 + as good or better)/(1 + draws), which is a p-value however few are drawn. Counting
stops for a probe after 50 arrangements that are as good (Besag and Clifford 1991). p is one-sided: a probe has learned
which side is the positive one, so only "better than chance" counts.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.cover import arrangements
from rosenblatt.probes.evidence.rank_sums import rank_sum_tail

__all__ = ["Shuffles", "adjusted", "by_exchange", "by_groups", "by_ranks", "upper_end"]

_FEW = 10_000  # so many arrangements are all counted
_DRAWS = 9_999
_MOST = 200_000  # draws, where a family of many probes needs small p-values
_ENOUGH = 50  # arrangements that are as good
_CELLS = 10_000_000  # places of rows in a block of arrangements
_BUDGET = 30_000_000  # places of positive rows drawn for one set of labels, where more than 9,999 are wanted
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


def by_ranks(ranks: Floats, y: Signs) -> Floats:
    """Mann and Whitney's test of each probe: midranks among labelled rows and labels, probes × rows."""
    found = np.full(len(y), np.nan)
    for j, (mine, labels) in enumerate(zip(ranks, y, strict=True)):
        known = labels != 0
        found[j] = rank_sum_tail(mine[known], labels[known] > 0)
    return found


class Shuffles:
    """Random arrangements of rows, the same for all probes of a call."""

    def __init__(self, seed: int, family: int) -> None:
        self.seed, self.most = seed, min(_MOST, max(_DRAWS, 40 * family))
        self._kept: dict[bytes, list[npt.NDArray[np.int32]]] = {}

    def blocks(self, sizes: Places) -> Iterator[npt.NDArray[np.int32]]:
        """Where the label of each row goes, arrangements × rows; groups of these sizes lie side by side.

        Groups change places with groups of their size, and their rows are turned round. The first ten thousand
        arrangements are kept, unless they are large.
        """
        n, made, number = int(sizes.sum()), 0, 0
        kept = self._kept.setdefault(np.asarray(sizes, dtype=np.int64).tobytes(), [])
        usual = int(np.clip(_CELLS // max(1, n), 50, 2500))
        while made < self.most:
            if number < len(kept):
                block = kept[number]
            else:
                random = np.random.default_rng([self.seed, len(sizes), n, number])
                block = arrangements(sizes, 249 if number == 0 else min(usual, self.most - made), random)
                if made < _DRAWS and n * _DRAWS <= 4 * _CELLS:
                    kept.append(block)
            made, number = made + len(block), number + 1
            yield block


def by_exchange(labels: Floats, scores: Floats, sizes: Places, shuffles: Shuffles) -> tuple[Floats, Places]:
    """Labels (one a row) exchanged as `Shuffles` does; `scores` of rows, rows × probes. p of each probe, and draws.

    The statistic is Σ label × score: with ranks as scores and 0 and 1 as labels the rank sum.
    """
    place = np.flatnonzero(labels)
    observed = labels[place] @ scores[place]
    limit = observed - _TIE * np.abs(scores).sum(axis=0) * np.abs(labels).max(initial=0.0)
    most = max(_DRAWS, min(shuffles.most, _BUDGET // max(1, place.size)))

    def statistics() -> Iterator[Floats]:
        made = 0
        for block in shuffles.blocks(sizes):
            if made >= most:
                return
            made += len(block)
            yield np.einsum("k,dkb->db", labels[place], scores[block[:, place]])

    return _drawn(statistics(), limit)


def by_groups(labels: Floats, ranks: Floats, sizes: Floats | None, shuffles: Shuffles) -> tuple[Floats, Places]:
    """Labels (one a group) exchanged between groups; `ranks` are the scores' rank sums, groups × probes.

    The statistic is the AUROC: Σ of the ranks of positive rows, by how many they are. Without `sizes` it is Σ label ×
    sum, for numbers as labels. One p-value a probe, and how many arrangements were drawn (0: all were counted).
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
        return np.asarray(np.mean(statistic(every) >= limit, axis=0)), np.zeros(len(limit), dtype=np.int64)
    blocks = shuffles.blocks(np.ones(G, dtype=np.int64))
    return _drawn((statistic(labels[block]) for block in blocks), limit)


def _drawn(statistics: Iterable[Floats], limit: Floats) -> tuple[Floats, Places]:
    """p and the number of draws of each probe, from statistics (draws × probes), block after block."""
    good, made = np.zeros(len(limit)), np.zeros(len(limit), dtype=np.int64)
    at_work = np.ones(len(limit), dtype=bool)
    for block in statistics:
        good += at_work * np.count_nonzero(block >= limit, axis=0)
        made += at_work * len(block)
        at_work &= good < _ENOUGH
        if not at_work.any():
            break
    return (1.0 + good) / (1.0 + made), made


def upper_end(p: float, draws: int) -> float:
    """Clopper and Pearson's upper end (97.5 %) of the part of all arrangements that are as good, from the drawn ones.

    >>> round(upper_end(1 / 10_000, 9_999), 6)
    0.000369
    """
    good = round(p * (1 + draws)) - 1
    return float(betaincinv(good + 1, draws - good, 0.975)) if draws > good else 1.0
