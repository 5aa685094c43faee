"""Logistic regression of two classes. z is x where y is the second class, and −x where it is the first.

Without fixed effects or listed classes this is separability: the estimate exists exactly where the classes overlap.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.data.numbers import label_values
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.regressions.machinery.counts import CountRegression, one_z_a_row, with_effects
from rosenblatt.regressions.machinery.given import Given, ModelColumns, coded
from rosenblatt.regressions.machinery.libraries import Shares, from_sklearn, of_family, offset_of, statsmodels, unequal
from rosenblatt.regressions.machinery.regression import ModelWords, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import Outcomes

__all__ = ["REGRESSION", "TwoClasses"]

_MANY = 20  # a target with more values is hardly a column of classes


def _logistic_arguments(model: object, y: object) -> dict[str, Any] | None:
    """Two classes; where rows have both successes and failures, that is a binomial model."""
    if not of_family(model, "Binomial") or not (found := Shares.of(model, y)).two_classes:
        return None
    more = {"fit_intercept": False, **offset_of(model), **unequal(found.trials)}
    return {"model": "logistic", "y": found.shares.astype(np.int64), **more}


class TwoClasses(CountRegression):
    """Two classes: P(y = second class) = 1/(1 + e^(−x·w))."""

    name = "logistic"
    roles = taking(target="classes", offset="number", fixed_effects="groups")
    options = ("fit_intercept", "classes")
    links = ("logit", "probit", "cloglog")
    words = ModelWords("two classes")
    libraries = statsmodels(_logistic_arguments, "Logit", "Probit", "GLM") | from_sklearn("logistic", several=False)
    two_classes = True

    def classes(self, y: object, positive: object = None) -> list[Any] | None:
        """One class alone is a success, unless it is 0, −1 or False; of the lectures' pairs the first is."""
        found = label_values(y, positive=positive).tolist()
        if len(found) != 1:
            return found if len(found) == 2 and found[1] < found[0] else None
        failures = found[0] in (0, -1)
        return [found[0], isinstance(found[0], bool) or 1] if failures else ["", found[0]]

    def read(self, given: Given) -> ModelColumns:
        """y as the number of its class."""
        codes, classes = coded(given.columns["y"], "y", given.choices.get("classes"))
        if len(classes) > 2:
            kinds = ("multinomial", "of all classes") if len(classes) <= _MANY else ("poisson", "of counts")
            raise Refused(
                f"y must have two classes; it has {len(classes)}: say ",
                Remedy("model", kinds[0]),
                f" for a model {kinds[1]}.",
            )
        read = with_effects(given, {"y": codes})
        return replace(read, entry={"classes": classes} | read.entry)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """One z a row."""
        return one_z_a_row(values, columns)

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """One outcome a row."""
        y = columns.arrays["y"].astype(np.float64)[rows.row]
        return Outcomes("binomial", np.where(y > 0, 1.0, -1.0), y, np.ones(len(y)))

    def outcome(self, names: Mapping[str, str], columns: ModelColumns) -> str:
        """The target and the class that counts as a success."""
        return f"{names['y']} = {columns.entry['classes'][-1].removesuffix('.0')}"


REGRESSION = TwoClasses()
