"""Conditional logistic regression: matched sets, discrete choice.

Given how many cases a set has, its likelihood compares their sum of x·β with that of as many other rows.
v is a direction of recession where no exchange of a case for another row gains: x_case·v ≥ x_other·v for all pairs of a
set (an exchange of several is a sum of those). Sets of one kind only say nothing.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.verdicts.existence.rows import ModelRows, Places, Values
from rosenblatt.verdicts.existence.sets import Members, between

__all__ = ["cases_of", "of_one_kind", "rows"]


def cases_of(y: Any, n: int, name: str = "y") -> npt.NDArray[np.bool_]:
    """Which rows are cases (1), of those that are and those that are not (0)."""
    given = np.asarray(y)
    if given.shape != (n,):
        raise ValueError(f"{name} must hold 0 or 1 for each of {n} rows; it has shape {given.shape}.")
    wrong = np.flatnonzero(~np.isin(given, (0, 1)))
    if wrong.size:
        raise ValueError(f"{name} must be 0 or 1; row {wrong[0]} has {given[wrong[0]]}.")
    return given.astype(bool)


def rows(values: Values, cases: npt.NDArray[np.bool_], sets: Places, names: tuple[str, ...]) -> ModelRows:
    """One z a pair of a set with one case, or one other row; one a row, with an unknown of the set, in larger sets."""
    case, other = np.flatnonzero(cases), np.flatnonzero(~cases)
    return between(values, Members(sets[case], case), Members(sets[other], other), names)


def of_one_kind(cases: npt.NDArray[np.bool_], sets: Places) -> Places:
    """The sets that have cases only, or none."""
    return np.setxor1d(sets[cases], sets[~cases])
