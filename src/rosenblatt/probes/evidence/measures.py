"""How well scores tell on new rows: AUROC, balanced accuracy, recall at 1 % false positives, log loss, R².

Arrays are probes × rows, the rows of a group side by side.

AUROC is the part of all pairs (positive, negative) in the right order, a tie being half. Pairs within a group are left
out: what rows of one group share would count as skill, the more the fewer groups there are. How far a row's pairs are
from the AUROC is the row's influence value (DeLong, DeLong and Clarke-Pearson 1988), which `intervals` sums by groups.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.probes.devices.arrays import Values, at_least, float64, host, padded, softplus
from rosenblatt.probes.evidence.chance import Shuffles, by_exchange, by_groups, by_ranks
from rosenblatt.probes.evidence.intervals import Uncertainty, bounded, of_pairs, of_recalls, plain, spread
from rosenblatt.probes.evidence.ranking import Ranked, rank, wins_within

__all__ = ["MEASURES", "Clusters", "Findings", "judge_classes", "judge_numbers", "part_with_interval"]

MEASURES = ("accuracy", "auc", "balanced_accuracy", "recall_at_1", "log_loss", "r2")
_FALSE_POSITIVES = 0.01
_FEW_FALSE = 5  # with fewer independent false positives the threshold of 1 % is too uncertain for an interval


class Findings(NamedTuple):
    """Of each probe: every measure with its interval, 6 × 3 × B (value, low, high; NaN where not meant), and p.

    `draws`: arrangements of the labels that p was drawn from; 0 where it was counted or computed. `groups`: how many
    groups have rows of the class that fewer groups have; 0 where every row stands alone.
    """

    values: Floats
    p: Floats
    draws: Places
    groups: Places


@dataclass(frozen=True)
class Clusters:
    """Which rows belong together: where each group begins (its rows are side by side). None: every row stands alone."""

    starts: Places | None = None

    @classmethod
    def of(cls, groups: Places | None) -> "Clusters":
        """From a number for each row, equal ones being neighbours."""
        return cls(None if groups is None else np.flatnonzero(np.diff(groups, prepend=-1)))

    def sums(self, values: Values) -> Any:
        """Sums over the rows of each group, probes × groups."""
        if self.starts is None:
            return values
        total = padded(values.cumsum(1))
        return total[:, np.append(self.starts[1:], values.shape[1])] - total[:, self.starts]

    def effective(self, weights: Values) -> Floats:
        """Kish's effective number of groups, (Σ m)²/Σ m², of each probe; `weights` say which rows count."""
        m = self.sums(weights)
        return np.asarray(host(m.sum(1) ** 2 / at_least((m * m).sum(1))))

    def counts(self, rows: Flags) -> Places:
        """How many of these rows (probes × rows) each group has; a row that stands alone is a group."""
        starts = np.arange(rows.shape[1]) if self.starts is None else self.starts
        return np.asarray(np.add.reduceat(rows, starts, axis=1, dtype=np.int64))

    def one_label(self, y: npt.NDArray[Any], known: Flags) -> npt.NDArray[Any] | None:
        """The label of each group if its known rows have one (NaN: none known), or None if some group has several."""
        if self.starts is None:
            return None
        low = np.minimum.reduceat(np.where(known, y, np.inf), self.starts)
        high = np.maximum.reduceat(np.where(known, y, -np.inf), self.starts)
        return np.where(low > high, np.nan, low) if np.all((low == high) | (low > high)) else None


# ---------------------------------------------------------------------------------------------------------- two classes


@dataclass(frozen=True)
class _Classes:
    """Labelled rows of every probe, and how many independent groups they come from."""

    positive: Any
    negative: Any
    clusters: Clusters

    def mean(self, x: Values, interval: Callable[[Floats, Uncertainty], tuple[Floats, Floats]]) -> Floats:
        """The mean of x over all labelled rows: (value, low, high)."""
        there = self.positive + self.negative
        n = at_least(there.sum(1))
        value = (x * there).sum(1) / n
        a = self.clusters.sums((x - value[:, None]) * there / n[:, None])
        found = _one_sided(a, self.clusters.effective(there))
        return np.stack([host(value), *interval(host(value), found)])

    def of_both(self, x: Values, slope: Any = None) -> Floats:
        """The mean over both classes of the means of x: (value, low, high).

        With a slope that of the positive rows, which falls so much with that of the negative rows.
        """
        weights = (0.5, 0.5) if slope is None else (1.0, -slope[:, None])
        shares, means, squares = [], [], []
        for rows, weight in zip((self.positive, self.negative), weights, strict=True):
            n = at_least(rows.sum(1))
            mean = (x * rows).sum(1) / n
            influence = (x - mean[:, None]) * rows / n[:, None]
            sums = self.clusters.sums(influence)
            means.append(host(mean))
            squares.append(host((sums * sums).sum(1)))
            shares.append(influence * weight)
        found = self.spread(*shares)
        if slope is None:
            return np.stack([(means[0] + means[1]) / 2, *of_recalls(means, squares, self.groups, found)])
        return np.stack([means[0], *bounded(means[0], found)])

    def spread(self, of_positive: Values, of_negative: Values) -> Uncertainty:
        """From the influence values of positive and of negative rows."""
        a, b = self.clusters.sums(of_positive), self.clusters.sums(of_negative)
        squares, cross = [host((one * one).sum(1)) for one in (a, b)], 2.0 * host((a * b).sum(1))
        return spread(squares, cross, self.groups, self.clusters.effective(self.positive + self.negative))

    @cached_property
    def groups(self) -> tuple[Floats, Floats]:
        """The effective numbers of groups with positive and with negative rows."""
        return self.clusters.effective(self.positive), self.clusters.effective(self.negative)


def judge_classes(S: Values, y: Values, clusters: Clusters, shuffles: Shuffles, loss: Flags) -> Findings:
    """Scores S and labels y (−1, +1, 0 for none), probes × rows; `loss`: which probes mean a probability."""
    rows = _Classes(float64(y > 0), float64(y < 0), clusters)
    ranked = rank(S, rows.positive, rows.negative)
    right = float64(y * S > 0)
    n_pos, n_neg = host(rows.positive.sum(1)), host(rows.negative.sum(1))
    pairs = _pairs(S, rows, ranked, [clusters.one_label(one, one != 0) is None for one in host(y)])
    values = np.full((len(MEASURES), 3, len(S)), np.nan)
    values[0] = rows.mean(right, bounded)
    auc, found = pairs.spread(rows)
    values[1] = auc, *(of_pairs(auc, found, n_pos, n_neg) if clusters.starts is None else bounded(auc, found))
    values[2] = rows.of_both(right)
    values[3] = _recall(rows, ranked)
    if np.any(loss):
        values[4] = np.where(loss, rows.mean(softplus(-(y * S)), plain), np.nan)
    values[1:4, :, (n_pos < 1) | (n_neg < 1)] = np.nan
    values[:, :, n_pos + n_neg < 1] = np.nan
    labels = host(y)
    p, draws = _p_of_classes(clusters, host(ranked.rank), labels, shuffles)
    all_in_one_group = host((pairs.all * rows.positive).sum(1)) == 0  # there is no pair to put in order
    values[1, :, all_in_one_group] = p[all_in_one_group] = np.nan
    groups = np.zeros(len(S), dtype=np.int64)
    if clusters.starts is not None:
        groups = np.minimum(*((clusters.counts(one) > 0).sum(1) for one in (labels > 0, labels < 0)))
    return Findings(values, p, draws, groups)


class _Pairs(NamedTuple):
    """For each row, its pairs with rows of the other class in other groups: those in the right order, and all."""

    won: Any
    all: Any

    def spread(self, rows: _Classes) -> tuple[Floats, Uncertainty]:
        """The AUROC and its variance."""
        total = at_least((self.all * rows.positive).sum(1))
        value = (self.won * rows.positive).sum(1) / total
        share = (self.won - value[:, None] * self.all) / total[:, None]
        return host(value), rows.spread(share * rows.positive, share * rows.negative)


def _pairs(S: Values, rows: _Classes, ranked: Ranked, mixed: list[bool]) -> _Pairs:
    """The pairs of each row. `mixed`: which probes have groups with both classes, so that there are pairs within."""
    clusters, positive, negative = rows.clusters, rows.positive, rows.negative
    others = positive * negative.sum(1)[:, None] + negative * positive.sum(1)[:, None]
    if clusters.starts is None or not any(mixed):
        return _Pairs(ranked.wins, others)
    inside = wins_within(S, positive, negative, clusters.starts)
    sizes = np.diff(np.append(clusters.starts, S.shape[1]))
    group = np.repeat(np.arange(len(sizes)), sizes)
    of_group = [clusters.sums(part)[:, group] for part in (positive, negative)]
    return _Pairs(ranked.wins - inside, others - positive * of_group[1] - negative * of_group[0])


def _recall(rows: _Classes, ranked: Ranked) -> Floats:
    """The part of positive rows above all but 1 % of the negative ones.

    Where the threshold lies depends on the negative rows: by how much the recall moves with it is its slope, taken
    between half and one and a half times as many false positives.
    """
    n_neg = rows.negative.sum(1)[:, None]
    allowed = (_FALSE_POSITIVES * n_neg) // 1
    hit = float64(ranked.above <= allowed)
    n_pos = at_least(rows.positive.sum(1))
    fewer, more = allowed // 2, (1.5 * allowed) // 1 + 1
    ends = [((ranked.above <= end) * rows.positive).sum(1) / n_pos for end in (fewer, more)]
    slope = (ends[1] - ends[0]) / ((more - fewer)[:, 0] / at_least(n_neg[:, 0]))
    found = rows.of_both(hit, slope)
    found[1:, _FALSE_POSITIVES * rows.clusters.effective(rows.negative) < _FEW_FALSE] = np.nan
    return found


def _p_of_classes(clusters: Clusters, ranks: Floats, y: Signs, shuffles: Shuffles) -> tuple[Floats, Places]:
    """One-sided permutation p-values of the AUROC, and how many arrangements were drawn."""
    draws = np.zeros(len(y), dtype=np.int64)
    if clusters.starts is None:
        return by_ranks(ranks, y), draws
    p = np.full(len(y), np.nan)
    for same in _equal_rows(y):
        labels = y[same[0]]
        rows = labels != 0
        of_group, sizes = clusters.one_label(labels, rows), clusters.counts(rows[None, :])[0]
        if of_group is None:
            positive = (labels[rows] > 0) * 1.0
            given = positive if 2 * positive.sum() <= positive.size else positive - 1.0  # the class with fewer rows
            p[same], draws[same] = by_exchange(given, ranks[same][:, rows].T, sizes, shuffles)
        else:
            known = sizes > 0
            given, sums = (of_group[known] > 0) * 1.0, clusters.sums(ranks[same])
            p[same], draws[same] = by_groups(given, sums[:, known].T, sizes[known] * 1.0, shuffles)
    return p, draws


def _equal_rows(y: npt.NDArray[Any]) -> list[Places]:
    """Probes with the same labels, as lists of their numbers: their labels are exchanged together."""
    found: dict[bytes, list[int]] = {}
    for j, labels in enumerate(y):
        found.setdefault(labels.tobytes(), []).append(j)
    return [np.array(some) for some in found.values()]


# -------------------------------------------------------------------------------------------------------------- numbers


def judge_numbers(S: Floats, y: Floats, clusters: Clusters, shuffles: Shuffles) -> Findings:
    """Predictions S of numbers y (NaN for none), probes × rows: R² = 1 − Σ(y − s)²/Σ(y − ȳ)², and its chance."""
    values, p = np.full((len(MEASURES), 3, len(S)), np.nan), np.full(len(S), np.nan)
    draws, groups = np.zeros(len(S), dtype=np.int64), np.zeros(len(S), dtype=np.int64)
    for j in range(len(S)):
        known = ~np.isnan(y[j])
        if np.count_nonzero(known) < 3 or np.ptp(y[j][known]) == 0:
            continue
        there = known * 1.0
        off = np.where(known, y[j] - y[j][known].mean(), 0.0)
        error = np.where(known, y[j] - S[j], 0.0)
        total = off @ off
        r2 = 1.0 - error @ error / total
        influence = clusters.sums(((1.0 - r2) * off**2 - error**2)[None, :] / total)
        low, high = plain(np.array([r2]), _one_sided(influence, clusters.effective(there[None, :])))
        values[5, :, j] = r2, low[0], min(high[0], 1.0)
        centred = np.where(known, S[j] - S[j][known].mean(), 0.0)
        p[j], draws[j] = _p_of_numbers(off, centred, known, clusters, shuffles)
        groups[j] = 0 if clusters.starts is None else np.count_nonzero(clusters.counts(known[None, :]))
    return Findings(values, p, draws, groups)


def part_with_interval(right: Floats, clusters: Clusters) -> list[float]:
    """The part of the rows that are right (1.0): value, low, high; NaN without rows."""
    if not right.size:
        return [np.nan] * 3
    there = np.ones((1, right.size))
    return [float(end[0]) for end in _Classes(there, 0.0 * there, clusters).mean(right[None, :], bounded)]


def _one_sided(influence: Values, groups: Floats) -> Uncertainty:
    """The uncertainty of a measure of all rows together, from its influence sums, probes × groups."""
    squares = host((influence * influence).sum(1))
    return spread([squares], np.zeros_like(squares), [groups], groups)


def _p_of_numbers(
    off: Floats, centred: Floats, known: Flags, clusters: Clusters, shuffles: Shuffles
) -> tuple[float, int]:
    """One-sided permutation p-value. When numbers are exchanged, R² rises and falls with Σ y·s alone."""
    if not centred.any():
        return 1.0, 0
    of_group = clusters.one_label(off, known)
    if of_group is None:
        found = by_exchange(off[known], centred[known][:, None], clusters.counts(known[None, :])[0], shuffles)
    else:
        there = ~np.isnan(of_group)
        found = by_groups(of_group[there], clusters.sums(centred[None, :]).T[there], None, shuffles)
    return float(found[0][0]), int(found[1][0])
