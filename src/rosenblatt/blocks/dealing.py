"""Rows dealt across shards, where the classes are spread unevenly: a shard of one class has nothing to learn.

Mixing assumes that each shard is a sample of all rows. Where rows are sorted by class, a shard knows one answer and
makes a few corrections towards it, and the mixture errs more than a fit of all rows. So shards are put into groups that
have about the classes of the whole. In a group of m shards, shard t gets every m-th row of each shard j of the group,
from row (t − j) modulo m on. Of its own rows, j = t, that begins with row 0: each shard keeps at least one row.
"""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places
from rosenblatt.blocks import shard
from rosenblatt.blocks.blocks import Blocks
from rosenblatt.blocks.shard import ShardSurvey

__all__ = ["Deal", "DealtBlocks", "OneClassWarning", "are_uneven", "deal_rows", "name_shards_of_one_class"]

_GROUP = 16  # shards whose rows are dealt among them
_UNEVEN = 0.1  # the part of the rows that would have to move for every shard to have the classes of the whole


class OneClassWarning(UserWarning):
    """A shard has rows of one class only, while other shards have other classes."""


@dataclass(frozen=True)
class Deal:
    """Which rows go where: the shards of a group, with these lengths, get each other's rows in turn."""

    lengths: list[int]
    groups: list[list[int]]

    @classmethod
    def of(cls, surveys: list[ShardSurvey], shares: Floats) -> "Deal":
        """Groups with shards of all kinds: shards are sorted by their classes, and dealt to the groups in turn."""
        order = np.lexsort(shares.T)
        groups = -(-len(surveys) // _GROUP)
        return cls([one.n for one in surveys], [sorted(order[g::groups].tolist()) for g in range(groups)])

    @cached_property
    def homes(self) -> list[tuple[list[int], int]]:
        """For each shard, its group and its place in the group."""
        found = {s: (group, t) for group in self.groups for t, s in enumerate(group)}
        return [found[s] for s in range(len(self.lengths))]

    def firsts(self, s: int) -> list[int]:
        """The first row that shard s gets from each of its group."""
        group, t = self.homes[s]
        return [(t - j) % len(group) for j in range(len(group))]

    def counts(self, s: int) -> list[int]:
        """How many rows shard s gets from each of its group."""
        group, _ = self.homes[s]
        return [len(range(first, self.lengths[a], len(group))) for first, a in zip(self.firsts(s), group, strict=True)]


@dataclass
class DealtBlocks(Blocks):
    """Shards after a deal; rows have the numbers that they had before."""

    deal: Deal = field(kw_only=True)

    @cached_property
    def _before(self) -> Places:
        return np.concatenate([[0], np.cumsum(self.deal.lengths)]).astype(np.int64)

    def number(self, s: int, places: Places) -> Places:
        """The numbers in the whole of rows of shard s."""
        group, _ = self.deal.homes[s]
        ends = np.cumsum(self.deal.counts(s))
        at = np.searchsorted(ends, places, side="right")
        own = places - (ends - self.deal.counts(s))[at]
        return np.asarray((self._before[group] + self.deal.firsts(s))[at] + len(group) * own)

    def homes(self, rows: Places) -> tuple[Places, Places]:
        """The shard of each row, by the row's number in the whole, and its place there."""
        found = np.array([self._home(row) for row in rows.tolist()], dtype=np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def _home(self, row: int) -> tuple[int, int]:
        """The shard of a row, and where it is there."""
        a = int(np.searchsorted(self._before, row, side="right")) - 1
        group, j = self.deal.homes[a]
        own = row - int(self._before[a])
        s = group[(own + j) % len(group)]
        return s, sum(self.deal.counts(s)[:j]) + own // len(group)


def are_uneven(surveys: list[ShardSurvey], classes: npt.NDArray[Any]) -> bool:
    """Whether shards differ in their classes, beyond chance, by so much that mixing suffers."""
    shares, n = _shares(surveys, classes), np.array([one.n for one in surveys])
    whole = (n / n.sum()) @ shares
    distances = np.abs(shares - whole).sum(axis=1) / 2
    by_chance = np.sqrt(whole * (1 - whole)).sum() / 2 / np.sqrt(n)
    return bool((n / n.sum()) @ (distances - 2 * by_chance) > _UNEVEN)


def deal_rows(raw: Blocks, surveys: list[ShardSurvey], classes: npt.NDArray[Any], wanted: bool | None) -> Blocks:
    """The shards' rows, dealt where they are, if that is wanted (None: where the classes are spread unevenly).

    Every row travels at most once.
    """
    uneven = len(surveys) > 1 and are_uneven(surveys, classes)
    wanted = len(surveys) > 1 and (uneven if wanted is None else wanted)
    if uneven:
        name_shards_of_one_class(surveys, wanted)
    if not wanted:
        return raw
    deal = Deal.of(surveys, _shares(surveys, classes))
    where, dealt = "dealing the rows", list[Any]()
    for s in range(len(raw)):
        group, _ = deal.homes[s]
        pieces = raw.place.put(where, shard.every, [raw.parts[a] for a in group], deal.firsts(s), step=len(group))
        dealt += raw.place.put(where, shard.joined, [pieces])
    return DealtBlocks(raw.place, dealt, [sum(deal.counts(s)) for s in range(len(raw))], raw.context, deal=deal)


def name_shards_of_one_class(surveys: list[ShardSurvey], dealt: bool) -> None:
    """Warn of shards of several rows that have one class only."""
    alone = [one for one in surveys if len(one.classes) == 1 and one.n > 1]
    if not alone:
        return
    more = "" if len(alone) == 1 else f", and {len(alone) - 1} more of the {len(surveys)} shards have one class too"
    then = (
        "the rows are dealt across the shards before they are learned from (deal=False leaves them where they are)"
        if dealt
        else "a pass over such a shard learns one answer (deal=True deals the rows across the shards)"
    )
    warnings.warn(
        f"{alone[0].where} has rows of class {alone[0].classes.tolist()[0]!r} alone{more}: {then}.",
        OneClassWarning,
        stacklevel=2,
    )


def _shares(surveys: list[ShardSurvey], classes: npt.NDArray[Any]) -> Floats:
    """The part of each shard's rows that each class has, shards × classes."""
    shares = np.zeros((len(surveys), len(classes)))
    for s, one in enumerate(surveys):
        shares[s, np.searchsorted(classes, one.classes)] = one.counts / one.n
    return shares
