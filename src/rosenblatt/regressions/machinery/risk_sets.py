"""Few comparisons of events with rows at risk that imply all of them. docs/explanation/existence.md has the proof.

Number the times at which a stratum has events, and let u_k be the smallest x_i·v of the events i of time k. Row j is at
risk at the times from a_j to b_j, so x_j·v ≤ u_k for each of these times. Where an event of a later time l was at risk
at time k, u_k ≥ u_l: time l *covers* time k. So row j needs the time b_j, and each earlier time that no later time up
to b_j covers. Without late entry every time covers all earlier ones, so each row needs one time: n comparisons in all.

The times that a row needs are found from b_j backwards. A row that needs many gets instead all times from a_j to b_j
that the *next* time does not cover: more times, but the same list for all rows. In a binary tree over this list each
row needs O(log n) nodes. A node is a set: the events of its times on one side, the rows that need it on the other. So
there are O(n log n) comparisons at worst.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.regressions.machinery.sets import Members

__all__ = ["AtRisk", "risk_sets"]

_MANY = 16  # times before its last that a row may need without the tree


class AtRisk(NamedTuple):
    """At which times each row is at risk; the times of events are numbered from 0 through all strata."""

    event: Places  # the rows that are events, ordered by time, then by entry, then by number
    at: Places  # the time of each event
    first: Places  # of each row, the first time at which it is at risk
    last: Places  # of each row, the last such time, its own event's not counted

    @classmethod
    def of(cls, time: Floats, event: Flags, entry: Floats | None, strata: Places | None) -> "AtRisk":
        """Of rows that were followed until a time, perhaps an event, since their entry, in strata."""
        strata = np.zeros(len(time), dtype=np.int64) if strata is None else strata
        instants, rank = np.unique(time if entry is None else np.concatenate([time, entry]), return_inverse=True)
        start = strata * len(instants)
        moment = start + rank[: len(time)]
        found = np.flatnonzero(event)
        found = found[np.lexsort((found if entry is None else entry[found], moment[found]))]
        times, at = np.unique(moment[found], return_inverse=True)
        last = np.searchsorted(times, moment, side="right") - 1
        last[found] -= 1
        since = start - 1 if entry is None else start + rank[len(time) :]
        return cls(found, at, np.searchsorted(times, since, side="right"), last)

    @property
    def until(self) -> Places:
        """Of each row, the last time at which it is at risk or an event."""
        until = self.last.copy()
        until[self.event] = self.at
        return until

    @property
    def sizes(self) -> Places:
        """How many rows are at risk at each time, its events among them."""
        return np.cumsum(self._steps(self.until + 1))

    @property
    def chains(self) -> Places:
        """The chain of each row that is ever at risk: times of a chain are linked by rows that are at risk at both."""
        linked = np.cumsum(self._steps(self.until)) > 0  # whether some row is at risk at a time and the next one
        chain = np.cumsum(~np.append([False], linked)[: linked.size])
        return np.asarray(chain[self.until] - 1)

    def _steps(self, end: Places) -> Places:
        """How many more rows each time has than the one before, where rows have theirs from `first` to before `end`."""
        times = int(self.at.max(initial=-1)) + 1
        ever = self.first < end
        begins, ends = (np.bincount(one[ever], minlength=times + 1)[:times] for one in (self.first, end))
        return begins - ends


def risk_sets(events: Members, rows: Places, first: Places, last: Places) -> tuple[Members, Members]:
    """Sets with events above and rows below: one set for each time, of the same number, then the tree's inner nodes.

    `events` has the events of each time, ordered by time. A row is at risk from `first` to `last`; never if that is
    empty.
    """
    times = 1 + events.sets.max(initial=-1)
    rows = rows[first[rows] <= last[rows]]
    earliest = np.full(times, times)
    np.minimum.at(earliest, events.sets, first[events.rows])
    who, needed, many = _needed_times(_uncovered(earliest), first[rows], last[rows])
    ends = np.flatnonzero(earliest[1:] > np.arange(times - 1))  # times that the next time does not cover
    size = 1 << max(len(ends) - 1, 0).bit_length()
    begin, stop = (np.searchsorted(ends, bound[rows[many]]) for bound in (first, last))
    which, nodes = _covering_nodes(begin, stop, size)
    leaf = nodes >= size
    sets = np.where(leaf, ends[np.where(leaf, nodes - size, 0)] if len(ends) else 0, times + nodes)
    below = Members(np.concatenate([needed, sets]), np.concatenate([rows[who], rows[many[which]]]))
    inner = _climb(events, ends, np.bincount(nodes, minlength=size)[:size] > 0)
    return Members(np.concatenate([events.sets, times + inner.sets]), np.concatenate([events.rows, inner.rows])), below


def _uncovered(earliest: Places) -> Places:
    """For each time l, the last time before l that neither l nor a time between covers; −1 where there is none.

    `earliest` has, for each time, the first time at which one of its events was at risk.
    """
    before, open_ = np.full(len(earliest), -1), list[int]()
    for k, least in enumerate(earliest.tolist()):
        while open_ and open_[-1] >= least:
            open_.pop()
        before[k] = open_[-1] if open_ else -1
        open_.append(k)
    return before


def _needed_times(before: Places, first: Places, last: Places) -> tuple[Places, Places, Places]:
    """Pairs of a row and a time that it needs; then the rows that need many, whose last time alone is in the pairs."""
    who, time = np.arange(len(first)), last
    found = [(who, time)]
    for _ in range(_MANY + 1):
        time = before[time]
        going = time >= first[who]
        who, time = who[going], time[going]
        found.append((who, time))
    many = who
    few = np.ones(len(first), dtype=bool)
    few[many] = False
    parts = [found[0], *((who[few[who]], time[few[who]]) for who, time in found[1:])]
    return np.concatenate([who for who, _ in parts]), np.concatenate([time for _, time in parts]), many


def _covering_nodes(begin: Places, stop: Places, size: int) -> tuple[Places, Places]:
    """The tree's nodes that make up each range of leaves begin … stop − 1; the children of node N are 2N and 2N + 1."""
    who, left, right = np.arange(len(begin)), begin + size, stop + size
    found: list[tuple[Places, Places]] = [(who[:0], left[:0])]
    while who.size:
        odd = (left & 1).astype(bool)
        found.append((who[odd], left[odd]))
        left = (left + 1) >> 1
        odd = (right & 1).astype(bool)
        found.append((who[odd], right[odd] - 1))
        right >>= 1
        open_ = left < right
        who, left, right = who[open_], left[open_], right[open_]
    return np.concatenate([one for one, _ in found]), np.concatenate([node for _, node in found])


def _climb(events: Members, ends: Places, wanted: Flags) -> Members:
    """The events of the times `ends`, the tree's leaves, as members of each wanted node above their leaf."""
    in_tree = np.isin(events.sets, ends)
    node, row = len(wanted) + np.searchsorted(ends, events.sets[in_tree]), events.rows[in_tree]
    sets, rows_ = [node[:0]], [row[:0]]
    for _ in range(len(wanted).bit_length() - 1):
        node = node >> 1
        sets.append(node[wanted[node]])
        rows_.append(row[wanted[node]])
    return Members(np.concatenate(sets), np.concatenate(rows_))
