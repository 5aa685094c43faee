"""Cox regression: each event against all who are at risk then.

v is a direction of recession where x_i·v ≥ x_j·v for each event i and each j at risk at its time: the same stratum, and
entry_j < time_i ≤ time_j. By Breslow's and Efron's likelihood tied events are at risk for each other, so x·v is
the same for all of them: an equality with the first (to enter, then in the table). The exact one does not compare them.

Those are far more pairs than needed. Number the times at which a stratum has events, and let u_k be the smallest x_i·v
of the events i of time k. Row j is at risk at the times from a_j to b_j, so x_j·v ≤ u_k for each of them. Where an
event of time k + 1 was at risk at time k, u_k ≥ u_{k+1}: both times belong to one run, along which u falls. So the
smallest of u_a … u_b is u_b, or that of the last time of a run before b. The rows z are

    the events of time b_j against j, for each row j;
    those of the last times of runs from a_j to b_j − 1 against j: a tree over those times has O(log n) nodes for each
    j, and a node is a set that has the events below it on one side, its rows j on the other.

Without late entry a stratum is one run, and there is no tree: n rows in all. With it there are O(n log n) at worst.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.verdicts.existence.conditional import cases_of
from rosenblatt.verdicts.existence.rows import Floats, ModelRows, Places, Values
from rosenblatt.verdicts.existence.sets import Members, Pairs, between

__all__ = ["TIES", "Survival", "rows", "ties_of"]

TIES = ("efron", "breslow", "exact")


class Survival(NamedTuple):
    """Until when each row was followed, whether that was an event, from when, and in which stratum (numbers from 0)."""

    time: Floats
    event: npt.NDArray[np.bool_]
    entry: Floats | None = None
    strata: Places | None = None

    @classmethod
    def of(cls, time: Floats, event: Any, entry: Floats | None = None, strata: Places | None = None) -> "Survival":
        """The same of a caller's columns, times being finite; refuses what cannot be."""
        negative = np.flatnonzero(time < 0)
        if negative.size:
            raise ValueError(f"time has {time[negative[0]]:g} in row {negative[0]}: a time is not negative.")
        if entry is not None and np.any(entry >= time):
            i = np.flatnonzero(entry >= time)[0]
            told = f"entry has {entry[i]:g} in row {i}, and time has {time[i]:g}"
            raise ValueError(f"{told}: a row is at risk after its entry, so this one never is.")
        return cls(time, cases_of(event, "event", "an event"), entry, strata)


def ties_of(name: str | None) -> str:
    """Efron's, where nothing is said."""
    if name is not None and name not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; it is {name!r}.")
    return name or TIES[0]


def rows(values: Values, survival: Survival, names: tuple[str, ...], ties: str = "efron") -> ModelRows:
    """Tied events as equalities, then event against row, then (late entry, exact ties) rows against a set's unknown."""
    risk = _Risk.of(survival)
    events, members, tied = _untied(risk, ties == "exact")
    above, below = _runs(risk, events, members)
    return between(values, above, below, names, tied, "set")


class _Risk(NamedTuple):
    """At which times of events, numbered from 0 through all strata, each row is at risk: first to last."""

    event: Places  # the rows that are events, by time, then by entry, then by number
    at: Places  # the time of each of those
    first: Places  # of each row
    last: Places  # of each row; an event's own time is not among them

    @classmethod
    def of(cls, survival: Survival) -> "_Risk":
        time, event, entry, strata = survival
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


def _untied(risk: _Risk, exact: bool) -> tuple[Members, Places, Pairs]:
    """The events of each time, the rows that they are compared with, and ties: the first event of a time, another.

    The first of tied events entered first, so it speaks for all; by the exact likelihood each counts.
    """
    everyone = np.arange(len(risk.first))
    if exact:
        return Members(risk.at, risk.event), everyone, Pairs(risk.event[:0], risk.event[:0])
    leads = np.diff(risk.at, prepend=-1) > 0
    leader, tied = risk.event[leads], risk.event[~leads]
    members = np.setdiff1d(everyone, tied, assume_unique=True)
    return Members(risk.at[leads], leader), members, Pairs(leader[risk.at[~leads]], tied)


def _runs(risk: _Risk, events: Members, members: Places) -> tuple[Members, Members]:
    """The sets: times, numbered as such, then the inner nodes of a tree over the last times of runs."""
    times = 1 + events.sets.max(initial=-1)
    members = members[risk.first[members] <= risk.last[members]]
    earliest = np.full(times, times)
    np.minimum.at(earliest, events.sets, risk.first[events.rows])
    ends = np.flatnonzero(earliest[1:] > np.arange(times - 1))
    begin, stop = (np.searchsorted(ends, bound[members]) for bound in (risk.first, risk.last))
    late = np.flatnonzero(begin < stop)
    size = 1 << max(len(ends) - 1, 0).bit_length()
    which, nodes = _cover(begin[late], stop[late], size)
    leaf = nodes >= size
    sets = np.where(leaf, ends[np.where(leaf, nodes - size, 0)] if len(ends) else 0, times + nodes)
    below = Members(np.concatenate([risk.last[members], sets]), np.concatenate([members, members[late[which]]]))
    inner = _climb(events, ends, np.bincount(nodes, minlength=size)[:size] > 0)
    return Members(np.concatenate([events.sets, times + inner.sets]), np.concatenate([events.rows, inner.rows])), below


def _cover(begin: Places, stop: Places, size: int) -> tuple[Places, Places]:
    """The nodes of a binary tree that make up each range of leaves begin … stop − 1; 2N and 2N + 1 are N's children."""
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


def _climb(events: Members, ends: Places, wanted: npt.NDArray[np.bool_]) -> Members:
    """The events of the last times of runs, in each wanted node above their leaf."""
    some = np.isin(events.sets, ends)
    node, row = len(wanted) + np.searchsorted(ends, events.sets[some]), events.rows[some]
    sets, rows_ = [node[:0]], [row[:0]]
    for _ in range(len(wanted).bit_length() - 1):
        node = node >> 1
        sets.append(node[wanted[node]])
        rows_.append(row[wanted[node]])
    return Members(np.concatenate(sets), np.concatenate(rows_))
