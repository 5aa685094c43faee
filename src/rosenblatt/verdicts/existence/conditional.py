"""Conditional logistic regression: matched sets, discrete choice.

Given how many cases a set has, its likelihood compares their sum of x·β with that of as many other rows.
v is a direction of recession where no exchange of a case for another row gains: x_case·v ≥ x_other·v for all pairs of a
set (an exchange of several is a sum of those). Sets of one kind only say nothing.
"""

from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Places
from rosenblatt.verdicts.existence.rows import ModelRows, Names, Values
from rosenblatt.verdicts.existence.sets import Members, between

__all__ = ["cases_of", "of_one_kind", "rows"]


def cases_of(values: Any, name: str = "y", told: str = "a case") -> Flags:
    """Where a column of zeros and ones has 1."""
    given = np.asarray(values)
    wrong = np.flatnonzero(~np.isin(given, (0, 1)))
    if wrong.size:
        raise ValueError(f"{name} has {given[wrong[0]]} in row {wrong[0]}: say 1 for {told}, 0 for any other row.")
    return given.astype(bool)


def rows(values: Values, cases: Flags, sets: Places, names: Names) -> ModelRows:
    """One z a pair of a set with one case, or one other row; one a row, with an unknown of the set, in larger sets."""
    case, other = np.flatnonzero(cases), np.flatnonzero(~cases)
    return between(values, Members(sets[case], case), Members(sets[other], other), names)


def of_one_kind(cases: Flags, sets: Places) -> Places:
    """The sets that have cases only, or none."""
    return np.setxor1d(sets[cases], sets[~cases])
