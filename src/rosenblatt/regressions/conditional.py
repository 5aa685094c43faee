"""Conditional logistic regression: matched sets, discrete choice.

Given that a set has m cases, its likelihood compares the sum of x·β over them with the sum over any m rows of the set.
v is a direction of recession where no exchange of a case for another row gains: x_case·v ≥ x_other·v for all pairs of a
set (an exchange of several is a sum of such exchanges). A set of cases only, or without a case, says nothing.
"""

from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Places
from rosenblatt.regressions.machinery.given import BadValue, Given, ModelColumns, grouped
from rosenblatt.regressions.machinery.libraries import statsmodels
from rosenblatt.regressions.machinery.regression import ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Names, Values
from rosenblatt.regressions.machinery.sets import Members, between
from rosenblatt.regressions.machinery.terms import RiskTerms

__all__ = ["REGRESSION", "Conditional", "cases_of", "of_one_kind", "rows"]


def _conditional_arguments(model: Any, y: object) -> dict[str, Any]:
    return {"model": "conditional", "y": np.asarray(y), "groups": np.asarray(model.groups)}


class Conditional(Regression):
    """Matched sets, each with a number of cases that is taken as given."""

    name = "conditional"
    roles = taking(target="flag", groups="groups", offset="number")
    needs = ("target", "groups")
    words = ModelWords("cases in matched sets", compared="row of its set")
    libraries = statsmodels(_conditional_arguments, "ConditionalLogit")

    def read(self, given: Given) -> ModelColumns:
        """Who is a case, and the number of each row's set."""
        cases = cases_of(given.columns["y"])
        sets, names = grouped(given.columns["groups"], "groups")
        silent = len(of_one_kind(cases, sets))
        notes = (f"{silent} of {len(names)} sets have cases only, or none: they say nothing",) if silent else ()
        entry = {"groups": names, "columns": {"groups": "groups"}}
        return ModelColumns({"y": cases.astype(np.int64), "groups": sets}, tuple(given.names), entry, (), notes)

    def terms(self, given: Given, columns: ModelColumns) -> RiskTerms:
        """The cases of each set were chosen among its rows, as events among rows at risk."""
        sets, case = columns.arrays["groups"], columns.arrays["y"] > 0
        if not len(np.setdiff1d(sets, of_one_kind(case, sets))):
            raise ValueError("every set has cases only, or none: the likelihood is constant.")
        several = bool(np.bincount(sets[case]).max() > 1)
        if several and np.any(given.weights != 1):
            raise ValueError("sets of several cases have no weights: list each row as often as it counts.")
        time = np.ones(given.n)
        return RiskTerms(given.values.X, given.offset, given.weights, time, case, None, sets, False, several)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """Each case against each other row of its set."""
        return rows(values, columns.arrays["y"] > 0, columns.arrays["groups"], columns.weights)


def cases_of(values: object, name: str = "y", meaning: str = "a case") -> Flags:
    """Where a column of zeros and ones has 1; `meaning` says in an error what a 1 is."""
    given = np.asarray(values)
    wrong = np.flatnonzero(~np.isin(given, (0, 1)))
    if wrong.size:
        value = repr(given.tolist()[wrong[0]])
        raise BadValue(name, value, int(wrong[0]), f"say 1 for {meaning}, 0 for any other row")
    return given.astype(bool)


def rows(values: Values, cases: Flags, sets: Places, names: Names) -> ModelRows:
    """The rows z: one for each pair of a set that has one case or one other row; in larger sets one for each member."""
    case, other = np.flatnonzero(cases), np.flatnonzero(~cases)
    return between(values, Members(sets[case], case), Members(sets[other], other), names)


def of_one_kind(cases: Flags, sets: Places) -> Places:
    """The sets that have cases only, or no case."""
    return np.setxor1d(sets[cases], sets[~cases])


REGRESSION = Conditional()
