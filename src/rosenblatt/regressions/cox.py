"""Cox regression: each event is compared with all rows that are at risk at its time.

v is a direction of recession where x_i·v ≥ x_j·v for each event i and each j at risk at its time: the same stratum, and
entry_j < time_i ≤ time_j. In Breslow's and Efron's likelihood tied events are at risk for each other, so x·v is the
same for all of them: each is an equality with the one that entered first (or comes first in the table). The exact
likelihood does not compare tied events. These are far more pairs than needed: `risk_sets` finds few that say the same.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.regressions.conditional import cases_of
from rosenblatt.regressions.machinery.given import BadValue, refuse_where
from rosenblatt.regressions.machinery.risk_sets import risk_sets
from rosenblatt.regressions.machinery.rows import ModelRows, Names, Values
from rosenblatt.regressions.machinery.sets import Members, Pairs, between

__all__ = ["TIES", "Survival", "rows", "ties_of"]

TIES = ("efron", "breslow", "exact")


class Survival(NamedTuple):
    """Of each row: until when it was followed, whether that was an event, since when, and its stratum (from 0)."""

    time: Floats
    event: Flags
    entry: Floats | None = None
    strata: Places | None = None

    @classmethod
    def of(cls, time: Floats, event: Any, entry: Floats | None = None, strata: Places | None = None) -> "Survival":
        """Look at a caller's columns, whose times are finite numbers; refuses impossible ones."""
        refuse_where(time < 0, time, "time", "a time is not negative")
        if entry is not None and np.any(entry >= time):
            i = np.flatnonzero(entry >= time)[0]
            raise BadValue("entry", f"{entry[i]:g}", int(i), f"its time is {time[i]:g}, so it is never at risk")
        return cls(time, cases_of(event, "event", "an event"), entry, strata)


def ties_of(name: str | None) -> str:
    """The way to take ties: Efron's, where none is named."""
    if name is not None and name not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; it is {name!r}.")
    return name or TIES[0]


def rows(values: Values, survival: Survival, names: Names, ties: str = "efron") -> ModelRows:
    """The rows z: ties as equalities, then events against rows, then members of sets (late entry, exact ties)."""
    risk = _Risk.of(survival)
    events, members, tied = _untied(risk, ties == "exact")
    above, below = risk_sets(events, members, risk.first, risk.last)
    return between(values, above, below, names, tied, "set")


class _Risk(NamedTuple):
    """At which times each row is at risk; the times of events are numbered from 0 through all strata."""

    event: Places  # the rows that are events, ordered by time, then by entry, then by number
    at: Places  # the time of each event
    first: Places  # of each row, the first time at which it is at risk
    last: Places  # of each row, the last such time, its own event's not counted

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
    """The events of each time, the rows that they are compared with, and pairs of tied events (the first, another).

    The first of tied events entered first, so it stands for all. The exact likelihood keeps all of them.
    """
    everyone = np.arange(len(risk.first))
    if exact:
        return Members(risk.at, risk.event), everyone, Pairs(risk.event[:0], risk.event[:0])
    leads = np.diff(risk.at, prepend=-1) > 0
    leader, tied = risk.event[leads], risk.event[~leads]
    members = np.setdiff1d(everyone, tied, assume_unique=True)
    return Members(risk.at[leads], leader), members, Pairs(leader[risk.at[~leads]], tied)
