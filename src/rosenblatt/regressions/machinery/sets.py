"""Sets of rows, some above and some below: x_a·v ≥ x_b·v for each row a above and each row b below.

A set with one row above, or one below, becomes the list of its pairs. Any other set gets an unknown u of its own, with
x_a·v ≥ u ≥ x_b·v: one row z for each member instead of one for each pair. The same v are allowed, as u can be the
smallest x_a·v. A pair is strict for some v exactly where one of its two members is strict for some v and u.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Floats, Matrix, Places
from rosenblatt.regressions.machinery.rows import Low, ModelRows, Names, Values, differences, signed

__all__ = ["AtRisk", "Members", "Pairs", "between", "pairs_of", "risk_sets", "silent"]


class Members(NamedTuple):
    """The rows on one side (above or below) of all sets; a row may belong to many sets."""

    sets: Places
    rows: Places


class Pairs(NamedTuple):
    """Pairs of rows, each for one z = x_left − x_right."""

    left: Places
    right: Places


def between(
    values: Values, above: Members, below: Members, names: Names, equal: Pairs | None = None, unknown: str = ""
) -> ModelRows:
    """The rows z of sets, which are numbered from 0; a set with no row on one side says nothing.

    `equal` are pairs with x_left·v = x_right·v. The key of a pair is its two rows. The key of a member i of a set with
    an unknown is i alone. Where a row may be a member of several sets N, `unknown` is what they are called, and the key
    is "i against n + 2N" above and "i against n + 2N + 1" below, with n the number of the caller's rows.
    """
    equal = equal or Pairs(*(np.zeros(0, dtype=np.int64),) * 2)
    many = 1 + max(above.sets.max(initial=-1), below.sets.max(initial=-1))
    over, under = (np.bincount(side.sets, minlength=many) for side in (above, below))
    pairs = _pairs_of_sets(above, below, over, under)
    left, right = (np.concatenate(both) for both in zip(equal, pairs, strict=True))
    Z, low = differences(values, left, right)
    large = (over > 1) & (under > 1)
    split, unknown_of = np.flatnonzero(large), np.cumsum(large) - 1
    up, down = (Members(side.sets[large[side.sets]], side.rows[large[side.sets]]) for side in (above, below))
    sides = Members(*(np.concatenate(both) for both in zip(up, down, strict=True)))
    signs = np.repeat([1, -1], [len(up.rows), len(down.rows)])
    if split.size:
        Z = _with_unknowns(Z, values.X, sides.rows, signs, unknown_of[sides.sets], split.size)
        low = _low_joined(low, values.low, len(left), sides.rows, signs)
    against = values.X.shape[0] + 2 * sides.sets + (signs < 0) if unknown else np.full(len(signs), -1, dtype=np.int64)
    return ModelRows(
        Z,
        np.arange(Z.shape[0]) < len(equal.left),
        np.concatenate([left, sides.rows]),
        np.concatenate([right, against]),
        names + tuple(f"{unknown or 'threshold of set'} {s}" for s in split.tolist()),
        values.tens + (values.one,) * split.size,
        low,
        values.one,
    )


def _pairs_of_sets(above: Members, below: Members, over: Places, under: Places) -> Pairs:
    """All pairs of the sets with one row above, then of the sets with several rows above and one below."""
    only_above, only_below = np.zeros_like(over), np.zeros_like(under)
    only_above[above.sets], only_below[below.sets] = above.rows, below.rows
    fan = over[below.sets] == 1
    funnel = (under[above.sets] == 1) & (over[above.sets] > 1)
    return Pairs(
        np.concatenate([only_above[below.sets[fan]], above.rows[funnel]]),
        np.concatenate([below.rows[fan], only_below[above.sets[funnel]]]),
    )


def _with_unknowns(pairs: Matrix, X: Matrix, rows: Places, signs: Places, unknowns: Places, many: int) -> Any:
    """The rows z of pairs, then ±(x, −u) for members of sets with an unknown; columns: X, unknowns."""
    places = np.arange(len(rows))
    shares = sp.csr_array((-signs.astype(np.float64), (places, unknowns)), shape=(len(rows), many))
    top = sp.hstack([sp.csr_array(pairs), sp.csr_array((pairs.shape[0], many))])
    return sp.csr_array(sp.vstack([top, sp.hstack([signed(sp.csr_array(X[rows]), signs), shares])]))


def _low_joined(pairs: Low | None, values: Low | None, many: int, rows: Places, signs: Places) -> Low | None:
    """The low parts of `many` pairs, then those of members."""

    def among(low: Low, above: int, below: int) -> Low:
        nothing = (sp.csr_array((size, len(low.owner))) for size in (above, below))
        return Low(sp.csr_array(sp.vstack([next(nothing), sp.csr_array(low.values), next(nothing)])), low.owner)

    of_pairs = pairs and among(pairs, 0, len(rows))
    of_members = values and among(values.signed(rows, signs), many, 0)
    return Low.joined([of_pairs, of_members])


def pairs_of(made: ModelRows, p: int) -> Pairs:
    """For each z that `between` made from p columns, a pair of the caller's rows that it is about: above, below.

    The z of a member beside an unknown is about many pairs: the other row is then the first on the other side. Where
    such a z is strict, all its pairs are.
    """
    left, right = made.row.copy(), made.against.copy()
    if len(made.names) == p:
        return Pairs(left, right)
    shares = sp.coo_array(sp.csr_array(made.Z)[:, p : len(made.names)])
    z, unknown, above = shares.row, shares.col, shares.data < 0
    first = np.zeros((2, len(made.names) - p), dtype=np.int64)  # the first row of each set: below, above
    for side in (0, 1):
        at = np.flatnonzero(above == side)[::-1]
        first[side, unknown[at]] = made.row[z[at]]
    left[z], right[z] = (np.where(above == side, made.row[z], first[side][unknown]) for side in (1, 0))
    return Pairs(left, right)


def silent(made: ModelRows, p: int) -> bool:
    """Whether no comparison depends on one of p coefficients, so that the likelihood is constant.

    Then every z is 0 where it has no unknown, and all rows beside the same unknown are equal. Without coefficients
    there is nothing to say.
    """
    if len(made.names) == p:
        return p > 0 and not np.any(made.Z.data if sp.issparse(made.Z) else made.Z)  # then low parts are 0 too
    Z = sp.csr_array(made.Z)
    shares = sp.coo_array(Z[:, p : len(made.names)])
    own = sp.csr_array(sp.hstack([Z[:, :p], *([made.low.values] if made.low else [])]))
    x = sp.csr_array(sp.diags_array(-shares.data) @ own[shares.row])  # ±(x, −u) without the sign
    _, first, place = np.unique(shares.col, return_index=True, return_inverse=True)
    pairs = own[np.setdiff1d(np.arange(Z.shape[0]), shares.row)]
    return p > 0 and not pairs.count_nonzero() and not (x - x[first[place]]).count_nonzero()


# ------------------------------------------------------------------------------------------------------------ risk sets
# Number the times at which a stratum has events, and let u_k be the smallest x_i·v of the events i of time k. Row j
# is at risk at the times from a_j to b_j, so x_j·v ≤ u_k for each of these times. Where an event of a later time l
# was at risk at time k, u_k ≥ u_l: time l *covers* time k. So row j needs the time b_j, and each earlier time that no
# later time up to b_j covers. Without late entry every time covers all earlier ones, so each row needs one time: n
# comparisons in all.
# The times that a row needs are found from b_j backwards. A row that needs many gets instead all times from a_j to
# b_j that the *next* time does not cover: more times, but the same list for all rows. In a binary tree over this list
# each row needs O(log n) nodes. A node is a set: the events of its times on one side, the rows that need it on the
# other. So there are O(n log n) comparisons at worst.


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
