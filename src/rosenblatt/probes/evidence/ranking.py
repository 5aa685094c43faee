"""Rows sorted by score, for many probes at once: pairs in the right order, midranks and ties.

Arrays are probes × rows. NumPy and torch do the same.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.probes.devices.arrays import Values, beside, numpy_or_torch, padded

__all__ = ["Ranked", "rank", "wins_within"]


class Ranked(NamedTuple):
    """Of every row, in the order of the rows given.

    `wins`: of a positive row the negative rows below it, of a negative row the positive rows above it, ties half; 0
    without a label. `rank`: midrank among labelled rows. `above`: negative rows with at least this score. `ties`: of
    each probe Σ (t³ − t) over runs of t equal scores.
    """

    wins: Any
    rank: Any
    above: Any
    ties: Any


def rank(S: Values, positive: Values, negative: Values) -> Ranked:
    """Scores S, and which rows are positive and negative (1.0 or 0.0)."""
    order = S.argsort(1)
    values, pos, neg = (_take(part, order) for part in (S, positive, negative))
    cum_pos, cum_neg = padded(pos.cumsum(1)), padded(neg.cumsum(1))
    first, last = _runs(values[:, 1:] != values[:, :-1])
    neg_below, pos_below = _take(cum_neg, first), _take(cum_pos, first)
    neg_tied, pos_tied = _take(cum_neg, last) - neg_below, _take(cum_pos, last) - pos_below
    wins = pos * (neg_below + neg_tied / 2) + neg * (cum_pos[:, -1:] - pos_below - pos_tied / 2)
    tied = neg_tied + pos_tied
    ranks = (neg_below + pos_below + (tied + 1) / 2) * (pos + neg)
    wins, ranks, above = (_unsorted(part, order) for part in (wins, ranks, cum_neg[:, -1:] - neg_below))
    return Ranked(wins, ranks, above, ((tied**2 - 1) * (pos + neg)).sum(1))


def wins_within(S: Values, positive: Values, negative: Values, starts: Places) -> Any:
    """`Ranked.wins` over the rows of the same group alone; groups lie side by side and begin at `starts`."""
    ends = np.append(starts[1:], S.shape[1])
    group = np.repeat(np.arange(len(starts)), ends - starts)
    by_score = S.argsort(1)
    by_group = numpy_or_torch(S).argsort(beside(group, S)[by_score], stable=True)  # by score within a group
    order = _take(by_score, by_group)
    values, pos, neg = (_take(part, order) for part in (S, positive, negative))
    cum_pos, cum_neg = padded(pos.cumsum(1)), padded(neg.cumsum(1))
    apart = group[1:] != group[:-1]
    first, last = _runs((values[:, 1:] != values[:, :-1]) | beside(apart, values))
    begin, end = np.repeat(starts, ends - starts), np.repeat(ends, ends - starts)
    neg_below, pos_below = _take(cum_neg, first), _take(cum_pos, first)
    neg_tied, pos_tied = _take(cum_neg, last) - neg_below, _take(cum_pos, last) - pos_below
    lower = neg_below - cum_neg[:, begin] + neg_tied / 2
    upper = cum_pos[:, end] - pos_below - pos_tied / 2
    return _unsorted(pos * lower + neg * upper, order)


def _runs(new: Values) -> tuple[Any, Any]:
    """For each value, where its run of equal values begins and ends; `new` marks values unlike the one before."""
    xp = numpy_or_torch(new)
    edge = xp.ones_like(new[:, :1])
    places = xp.concatenate([edge, new | True], 1).cumsum(1) - 1
    if bool(new.all()):
        return places, places + 1
    begins = xp.where(xp.concatenate([edge, new], 1), places, 0)
    ends = xp.where(xp.concatenate([new, edge], 1), places + 1, places.shape[1])
    if xp is np:
        return np.maximum.accumulate(begins, axis=1), np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return xp.cummax(begins, 1).values, xp.cummin(ends.flip(1), 1).values.flip(1)


def _take(values: Values, index: Values) -> Any:
    """In each row the values at the places that the same row of `index` names."""
    return np.take_along_axis(values, index, axis=1) if isinstance(values, np.ndarray) else values.gather(1, index)


def _unsorted(values: Values, order: Values) -> Any:
    """The inverse of `_take` with this order."""
    if isinstance(values, np.ndarray):
        found = np.empty_like(values)
        np.put_along_axis(found, order, values, axis=1)
        return found
    return values.new_empty(values.shape).scatter_(1, order, values)
