"""The arguments that say what the data are, the same for a table of estimates and for a curve."""

from dataclasses import fields
from typing import Any, TypedDict, Unpack

from rosenblatt.data.table import Table
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven, given_table, given_values
from rosenblatt.estimates.formula import given_formula

__all__ = ["DataGiven", "asked"]


class DataGiven(TypedDict, total=False):
    """What may be said beside X and y; `estimate` describes each."""

    data: Any
    trials: Any
    offset: Any
    exposure: Any
    sample_weight: Any
    groups: Any
    time: Any
    event: Any
    entry: Any
    fit_intercept: bool
    missing: str


def asked(X: Any, y: Any, **how: Unpack[DataGiven]) -> tuple[RowsGiven, bool]:
    """Rows and outcomes, whatever they came in; and whether there is an intercept."""
    columns = BesideColumns(**{one.name: how.get(one.name) for one in fields(BesideColumns)})
    data, intercept = how.get("data"), how.get("fit_intercept", True)
    if isinstance(X, str):
        return _by_formula(X, y, data, columns, intercept, how.get("missing", "refuse"))
    if data is not None:
        raise TypeError("data goes with a formula: estimate('died ~ age', data=data).")
    given = given_table(X, y, columns) if isinstance(X, Table) else given_values(X, y, columns)
    return given, intercept


def _by_formula(
    text: str, y: Any, data: Any, columns: BesideColumns, intercept: bool, missing: str
) -> tuple[RowsGiven, bool]:
    """What a formula says, and whether it has an intercept."""
    if y is not None:
        raise TypeError("a formula names its outcome: leave y out.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing must be 'refuse' or 'drop'; it is {missing!r}.")
    return given_formula(text, data, columns, missing)
