"""How often chance alone would do as well: permutation p-values, and the correction for many probes.

The probe is fixed, the rows that judge it are new to it, and its labels are exchanged in every way that the null
hypothesis allows: labels tell nothing of scores.

- Rows are independent: labels are exchanged between rows. For classes the rank sum's distribution is counted, or
  computed by a saddlepoint (below); for numbers exchanges are drawn.
- Every group has one label: labels are exchanged between whole groups. All arrangements are counted where they are few,
  else random ones are drawn.
- Groups with mixed labels: the labels of a group, as they follow each other, go to a group with as many labelled rows,
  and are turned round there (the last become the first). That holds whatever rows of a group have in common, in scores
  and in labels, and if neighbours are alike.

With drawn arrangements p = (1 + as good or better)/(1 + draws), which is a p-value however few are drawn. Counting
stops for a probe after 50 arrangements that are as good (Besag and Clifford 1991). p is one-sided: a probe has learned
which side is the positive one, so only "better than chance" counts.

The rank sum if k of N rows are positive by chance: each choice of k rows is equally likely; equal scores share their
mean rank. Many equal scores (most rows of a sparse column) and few positive rows make a tail much heavier than that of
the normal distribution.

counted: rows away from the most frequent score are added one by one. ways[j, w] is the number of ways to choose j of
them with sum w; the other k − j positive rows have the most frequent score. Sums are put on a grid where they are many,
each rounded up, so p is never too small.

saddlepoint (Skovgaard 1987; Booth and Butler 1990): N coins with chance k/N, given that k of them show heads. Its error
is a few percent, however far out in the tail, where sums take many values; where they take few, they are counted.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, gammaln, ndtr

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.cover import arrangements

__all__ = ["Shuffles", "adjusted", "by_exchange", "by_groups", "by_ranks", "log_choices", "rank_sum_tail", "upper_end"]

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


_WORK = 10_000_000  # additions of a count
_GRID = 150  # of the grid, for each positive row away from the most frequent score
_NEGLIGIBLE = 1e-13  # chance of more positive rows than are counted; it is added to p
_LEAST = 1e-12  # a tail that is not counted is not trusted below this
_STEPS = 60  # of Newton's method
_NEAR = 0.3  # so near to the mean, in deviations, the normal limit is good and the saddlepoint is not defined


def log_choices(n: Places | int, k: Places | int) -> Floats:
    """The log of the number of ways to choose k of n; −inf where there is none."""
    return np.asarray(gammaln(np.add(n, 1.0)) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0))


def rank_sum_tail(ranks: Floats, positive: Flags) -> float:
    """P(the rank sum of the positive rows ≥ what it is); NaN with one class only.

    >>> round(rank_sum_tail(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True])), 6)
    0.166667
    """
    N, k = len(ranks), int(np.count_nonzero(positive))
    if k in (0, N):
        return np.nan
    values = np.rint(2.0 * ranks).astype(np.int64)
    if 2 * k > N:  # the sum of the others is small where that of these is large
        values, positive, k = -values, ~positive, N - k
    scores, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(scores) == 1:
        return 1.0
    there = np.bincount(place[positive], minlength=len(scores))
    most = int(np.argmax(sizes))
    jumps, found = scores - scores[most], int((scores - scores[most]) @ there)
    counted = _counted(jumps, sizes, most, k, found)
    same = float(np.exp(log_choices(sizes, there).sum() - log_choices(N, k)))
    return max(_saddlepoint(values - values.mean(), k, positive) if counted is None else counted, same)


def _counted(jumps: Places, sizes: Places, most: int, k: int, found: int) -> float | None:
    """By dynamic programming; None where that would take long."""
    N, usual = int(sizes.sum()), int(sizes[most])
    away = N - usual
    j = np.arange(max(0, k - usual), min(k, away) + 1)
    chance = np.exp(log_choices(away, j) + log_choices(usual, k - j) - log_choices(N, k))
    beyond = np.cumsum(chance[::-1])[::-1]
    top = int(j[beyond > _NEGLIGIBLE][-1])
    ends = np.sort(np.repeat(np.delete(jumps, most), np.delete(sizes, most)))
    lowest, highest = int(np.minimum(ends[:top], 0).sum()), int(np.maximum(ends[len(ends) - top :], 0).sum())
    room = _WORK // max(1, away * (top + 1))
    step = max(1, -(-(highest - lowest + 1) // max(1, room)))
    if step > 1 and room < _GRID * (top + 1):
        return None
    width, offset = (highest - lowest) // step + top + 3, -lowest // step + 1
    ways = np.zeros((top + 1, width))
    ways[0, offset] = 1.0
    for jump, size in zip(np.delete(jumps, most).tolist(), np.delete(sizes, most).tolist(), strict=True):
        cell = -(-jump // step)  # rounded up
        for _ in range(size):  # one row more: it is chosen, or not
            if cell >= 0:
                ways[1:, cell:] += ways[:-1, : width - cell]
            else:
                ways[1:, :cell] += ways[:-1, -cell:]
    rest = k - np.arange(top + 1)  # positive rows with the most frequent score; more than there are: no way, weight 0
    weights = np.exp(log_choices(usual, rest) - log_choices(N, k))
    tail = ways[:, offset + found // step :].sum(axis=1) @ weights
    return float(min(1.0, tail + (beyond[j > top].max(initial=0.0))))


def _saddlepoint(values: Floats, k: int, positive: Flags) -> float:
    """P(T ≥ t) for the sum T of k values of mean zero, with half a rank of continuity."""
    N = len(values)
    a = values / np.sqrt(np.mean(values**2))
    t = float(a[positive].sum()) - 1.0 / float(np.sqrt(np.mean(values**2)))
    part = k / N
    deviation = np.sqrt(part * (1 - part) * N * N / (N - 1))
    if t < _NEAR * deviation:
        return float(ndtr(-t / deviation))
    top = float(np.sort(a)[N - k :].sum())
    if t >= top:
        return _LEAST  # the chance of this very arrangement is the caller's
    x, target = np.array([0.0, t / deviation**2]), np.array([float(k), t])
    value, gradient, curvature = _cumulants(a, part, x, target)
    for _ in range(_STEPS):
        if np.all(np.abs(gradient) <= 1e-9 * (1.0 + np.abs(target))):
            break
        move, size = np.linalg.lstsq(curvature, gradient, rcond=None)[0], 1.0
        while size > 1e-6:
            tried = _cumulants(a, part, x - size * move, target)
            if tried[0] <= value + 1e-4 * size * -(gradient @ move):
                break
            size /= 2
        x = x - size * move
        value, gradient, curvature = tried
    w = float(np.sqrt(max(-2.0 * value, 0.0)))
    u = float(x[1] * np.sqrt(max(np.linalg.det(curvature), 0.0) / (N * part * (1 - part))))
    if w < 1e-3 or u <= 0:
        return float(ndtr(-t / deviation))
    tail = ndtr(-w) + np.exp(-w * w / 2) / np.sqrt(2 * np.pi) * (1 / u - 1 / w)
    return float(np.clip(tail, _LEAST, 1.0))


def _cumulants(a: Floats, part: float, x: Floats, target: Floats) -> tuple[float, Floats, Floats]:
    """K(s, t) − s·k − t·T with its gradient and curvature; K = Σ log(1 − p + p·exp(s + t·a))."""
    e = x[0] + x[1] * a + np.log(part / (1 - part))
    q = 1.0 / (1.0 + np.exp(-np.clip(e, -700, 700)))
    value = float(np.logaddexp(0.0, e).sum() + len(a) * np.log(1 - part) - x @ target)
    spread = q * (1 - q)
    mixed = float(spread @ a)
    gradient = np.array([q.sum(), q @ a]) - target
    return value, gradient, np.array([[spread.sum(), mixed], [mixed, spread @ (a * a)]])
