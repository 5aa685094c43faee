"""From rows and outcomes that were given to the design of a regression, and the question that verdicts answer."""

from typing import Any

import numpy as np

from rosenblatt.context import Context
from rosenblatt.data.numbers import Rows, float_rows
from rosenblatt.data.tables import Named
from rosenblatt.estimates.arguments import RowsGiven
from rosenblatt.estimates.design import Estimable, design_of
from rosenblatt.regressions import ModelName, Regression, regression_of
from rosenblatt.regressions.machinery.given import BadValue, Given
from rosenblatt.regressions.machinery.levels import own_levels

__all__ = ["as_design"]


def as_design(
    given: RowsGiven, model: ModelName, bias: bool, context: Context, ties: str | None = None
) -> tuple[Estimable, str]:
    """The rows that count, as floats; and what the regression is about."""
    try:
        regression = regression_of(model)
        design = design_of(regression, _given(given, regression, bias, ties), context)
        names = {"y": given.target, "event": str(getattr(given.columns.event, "name", None) or "event")}
        return design, regression.outcome(names, design.columns)
    except BadValue as bad:
        if given.numbers is None or bad.argument not in given.called:
            raise
        raise ValueError(bad.in_file(given.called[bad.argument], int(given.numbers[bad.row]))) from None


def _given(given: RowsGiven, regression: Regression, bias: bool, ties: str | None) -> Given:
    """The arguments as the regression reads them."""
    columns = {"y": given.y} | vars(given.columns)
    weights = columns.pop("sample_weight")
    choices: dict[str, Any] = {"ties": ties, "fit_intercept": None if bias else False}
    if "levels" in regression.options:
        choices["levels"] = own_levels(given.y, weights)
    if given.classes is not None:
        columns["y"], choices["classes"] = np.asarray(given.classes)[(np.asarray(given.y) > 0) * 1], [*given.classes]
    elif given.y is not None:
        choices["classes"] = regression.classes(given.y)
    regression.refuse({name for name, value in (columns | choices).items() if value is not None})
    rows = _looked_at(given, bias and "fit_intercept" in regression.options)
    X = Named(rows.take(slice(0, rows.n)), given.names or [f"x{j}" for j in range(rows.p)])
    return Given.of(X, columns, choices, weights)


def _looked_at(given: RowsGiven, bias: bool) -> Rows:
    """The rows; refuses values that cannot be used."""
    rows = float_rows(given.X, "an estimate")[1]
    if not rows.n:
        raise ValueError("X has no rows: there is nothing to estimate.")
    if not rows.p + bias:
        raise ValueError("there is no coefficient to estimate: X has no columns, and there is no intercept.")
    names = given.names
    rows.radius_sq(bias, str if names is None else (lambda j: repr(names[j])))  # refuses NaN and inf
    return rows
