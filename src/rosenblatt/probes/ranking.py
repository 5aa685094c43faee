"""Rows sorted by score, for many probes at once: pairs in the right order, midranks and ties.

Arrays are probes × rows. NumPy and torch do the same.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Ranked", "at_least", "beside", "float64", "host", "ones_where", "padded", "rank", "softplus", "wins_within"]


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


def rank(S: Any, positive: Any, negative: Any) -> Ranked:
    """Scores S, and which rows are positive and negative (1.0 or 0.0)."""
    values, order = _sorted(S)
    pos, neg = _take(positive, order), _take(negative, order)
    cum_pos, cum_neg = padded(pos.cumsum(1)), padded(neg.cumsum(1))
    first, last = _runs(values[:, 1:] != values[:, :-1])
    neg_below, pos_below = _take(cum_neg, first), _take(cum_pos, first)
    neg_tied, pos_tied = _take(cum_neg, last) - neg_below, _take(cum_pos, last) - pos_below
    wins = pos * (neg_below + neg_tied / 2) + neg * (cum_pos[:, -1:] - pos_below - pos_tied / 2)
    tied = neg_tied + pos_tied
    ranks = (neg_below + pos_below + (tied + 1) / 2) * (pos + neg)
    wins, ranks, above = (_unsorted(part, order) for part in (wins, ranks, cum_neg[:, -1:] - neg_below))
    return Ranked(wins, ranks, above, ((tied**2 - 1) * (pos + neg)).sum(1))


def wins_within(S: Any, positive: Any, negative: Any, starts: npt.NDArray[np.int64]) -> Any:
    """`Ranked.wins` over the rows of the same group alone; groups lie side by side and begin at `starts`."""
    n = S.shape[1]
    ends = np.append(starts[1:], n)
    group = np.repeat(np.arange(len(starts)), ends - starts)
    values, order = _sorted(S)
    again = _by_group(group, order)
    values, order = _take(values, again), _take(order, again)
    pos, neg = _take(positive, order), _take(negative, order)
    cum_pos, cum_neg = padded(pos.cumsum(1)), padded(neg.cumsum(1))
    apart = group[1:] != group[:-1]
    first, last = _runs((values[:, 1:] != values[:, :-1]) | beside(apart, values))
    begin, end = np.repeat(starts, ends - starts), np.repeat(ends, ends - starts)
    neg_below, pos_below = _take(cum_neg, first), _take(cum_pos, first)
    neg_tied, pos_tied = _take(cum_neg, last) - neg_below, _take(cum_pos, last) - pos_below
    lower = neg_below - cum_neg[:, begin] + neg_tied / 2
    upper = cum_pos[:, end] - pos_below - pos_tied / 2
    return _unsorted(pos * lower + neg * upper, order)


def _runs(new: Any) -> tuple[Any, Any]:
    """For each value, where its run of equal values begins and ends; `new` marks values unlike the one before."""
    places = _places(new)
    if bool(new.all()):
        return places, places + 1
    count = places.shape[1]
    if isinstance(new, np.ndarray):
        begins, ends = places.copy(), places + 1
        begins[:, 1:][~new] = 0
        ends[:, :-1][~new] = count
        return np.maximum.accumulate(begins, axis=1), np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    import torch

    begins, ends = places.clone(), places + 1
    begins[:, 1:].masked_fill_(~new, 0)
    ends[:, :-1].masked_fill_(~new, count)
    return torch.cummax(begins, 1).values, torch.cummin(ends.flip(1), 1).values.flip(1)


# ------------------------------------------------------------------------------------------------- NumPy or torch


def _sorted(S: Any) -> tuple[Any, Any]:
    if isinstance(S, np.ndarray):
        order = np.argsort(S, axis=1)
        return np.take_along_axis(S, order, axis=1), order
    found = S.sort(1)
    return found.values, found.indices


def _take(values: Any, index: Any) -> Any:
    return np.take_along_axis(values, index, axis=1) if isinstance(values, np.ndarray) else values.gather(1, index)


def _unsorted(values: Any, order: Any) -> Any:
    if isinstance(values, np.ndarray):
        found = np.empty_like(values)
        np.put_along_axis(found, order, values, axis=1)
        return found
    return values.new_empty(values.shape).scatter_(1, order, values)


def _by_group(group: npt.NDArray[np.int64], order: Any) -> Any:
    """An order that puts rows group by group, and keeps this order within a group."""
    if isinstance(order, np.ndarray):
        return np.argsort(group[order], axis=1, kind="stable")
    return beside(group, order)[order].argsort(dim=1, stable=True)


def beside(values: npt.NDArray[Any], other: Any) -> Any:
    """An array in the place of another one: as it is, or as a tensor on its device."""
    if isinstance(other, np.ndarray):
        return values
    import torch

    return torch.from_numpy(values).to(other.device)


def _places(new: Any) -> Any:
    shape = (new.shape[0], new.shape[1] + 1)
    if isinstance(new, np.ndarray):
        return np.broadcast_to(np.arange(shape[1]), shape).copy()
    import torch

    return torch.arange(shape[1], device=new.device).expand(shape).contiguous()


def padded(values: Any) -> Any:
    """With a column of zeros before."""
    if isinstance(values, np.ndarray):
        return np.pad(values, ((0, 0), (1, 0)))
    import torch

    return torch.nn.functional.pad(values, (1, 0))


def at_least(values: Any) -> Any:
    """At least one: a number to divide by."""
    return np.maximum(values, 1.0) if isinstance(values, np.ndarray) else values.clamp(min=1.0)


def ones_where(condition: Any) -> Any:
    """1.0 where it holds, else 0.0, in float64."""
    return condition * 1.0 if isinstance(condition, np.ndarray) else condition.double()


def softplus(values: Any) -> Any:
    """log(1 + exp(v)), whatever its size."""
    if isinstance(values, np.ndarray):
        return np.logaddexp(0.0, values)
    import torch

    return torch.nn.functional.softplus(values, threshold=50.0)


def float64(values: Any) -> Any:
    """In float64."""
    return values.astype(np.float64) if isinstance(values, np.ndarray) else values.double()


def host(values: Any) -> Any:
    """As a NumPy array."""
    return values if isinstance(values, np.ndarray) else values.cpu().numpy()
