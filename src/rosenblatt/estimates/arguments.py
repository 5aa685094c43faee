"""What `estimate` was given, a table, a frame, arrays, or a formula with its data: checked, and made a design."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.context import Context
from rosenblatt.data.numbers import Rows, float_rows
from rosenblatt.data.tables import Named, Table, coded_frame
from rosenblatt.estimates.design import Estimable, LeftOut, design_of
from rosenblatt.regressions import BadValue, Given, Link, ModelName, Regression, own_levels, regression_of

if TYPE_CHECKING:
    from rosenblatt.estimates.formula import Encoded

__all__ = ["BesideColumns", "Missing", "RowsGiven", "as_design", "asked"]

Missing = Literal["refuse", "drop"]  # what is to be done with rows that lack a value


@dataclass(frozen=True)
class BesideColumns:
    """The columns that a model may use beside X and y."""

    trials: Any = None
    offset: Any = None
    exposure: Any = None
    sample_weight: Any = None
    groups: Any = None
    time: Any = None
    event: Any = None
    entry: Any = None
    fixed_effects: Any = None
    items: Any = None
    cluster: Any = None  # which rows belong together, for standard errors


@dataclass(frozen=True)
class RowsGiven:
    """Rows and outcomes with their names; `levels` has, for columns that are a factor's level, the reference level."""

    X: Any
    y: Any
    columns: BesideColumns
    names: list[str] | None = None
    target: str = "y"
    levels: Mapping[str, str] = field(default_factory=dict)
    classes: tuple[str, str] | None = None  # where y is −1/+1: what these stand for
    called: Mapping[str, Any] = field(default_factory=dict)  # the columns of a file that y and the others come from
    numbers: Any = None  # of the rows, as the file counts them
    ordered: list[str] | None = None  # the outcome's levels from low to high, where the table has an order
    encode: "Encoded | None" = None  # new data of a formula as rows of X
    positive: Any = None  # which of two classes is the success

    @property
    def usual_model(self) -> ModelName:
        """The model that is meant where none is named."""
        return "logistic" if self.columns.time is None else "cox"


def asked(
    X: object,
    y: Any,
    columns: BesideColumns,
    data: object = None,
    intercept: bool = True,
    missing: Missing = "refuse",
    positive: object = None,
) -> tuple[RowsGiven, bool]:
    """Rows and outcomes, in whatever form they were given; and whether there is an intercept."""
    if positive is not None:
        if isinstance(X, Table):
            raise TypeError("a table has its own classes: open it with positive=.")
        given, bias = asked(X, y, columns, data, intercept, missing)
        return replace(given, positive=positive), bias
    if isinstance(X, str):
        from rosenblatt.estimates.formula import given_formula

        if y is not None:
            raise TypeError("a formula names its outcome: leave y out.")
        if not intercept:
            raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
        return given_formula(X, data, columns, missing)
    if data is not None:
        raise TypeError("data goes with a formula: estimate('died ~ age', data=data).")
    return (_of_table(X, y, columns) if isinstance(X, Table) else _of_values(X, y, columns, intercept)), intercept


def _of_values(X: Any, y: Any, columns: BesideColumns, intercept: bool) -> RowsGiven:
    """Rows and outcomes of arrays or frames."""
    if y is None and columns.time is None:
        raise TypeError(
            "y is missing: say the outcomes, or give a formula with data, or a table of rb.data.open_table."
        )
    if np.ndim(y) == 2 and np.shape(y)[1] == 1:  # a frame of one column is that column
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y[y.columns[0]] if hasattr(y, "columns") else np.asarray(y)[:, 0]
    X = np.empty((np.size(y), 0)) if X is None else X
    target, coded = getattr(y, "name", None), coded_frame(X, intercept)
    called = str(target) if target not in (None, "") else "y"
    if isinstance(coded, Table):
        return RowsGiven(_rows_of(coded), y, columns, coded.features, called, coded.encoding.levels)
    names, X = float_rows(X, "an estimate")
    return RowsGiven(X, y, columns, names, called)


def _of_table(table: Table, y: object, columns: BesideColumns) -> RowsGiven:
    """Rows and outcomes of a table of `open_table`, which brings its own classes and weights."""
    if y is not None or columns.sample_weight is not None:
        raise TypeError("a table has its own labels and weights: leave y and sample_weight out.")
    if table.called:
        return _of_roles(table)
    if len(table.classes) != 2:
        raise ValueError(f"{table.name} has {len(table.classes)} classes: open it with positive= to tell one of them.")
    _, labels, weights = table.arrays()
    encoding, classes = table.encoding, (table.classes[0], table.classes[1])
    columns = replace(columns, sample_weight=weights)
    return RowsGiven(_rows_of(table), labels, columns, table.features, encoding.target or "y", encoding.levels, classes)


def _of_roles(table: Table) -> RowsGiven:
    """Rows, outcomes and other columns of a table that was opened for a regression."""
    given = table.arguments()
    classes = (table.classes[0], table.classes[1]) if table.classes else None
    y = given.get("y")
    return RowsGiven(
        _rows_of(table),
        y if y is None or classes is None else np.where(np.asarray(y) == classes[1], 1, -1),
        BesideColumns(**{name: value for name, value in given.items() if name not in ("X", "y", "classes")}),
        table.features,
        table.encoding.target or "y",
        table.encoding.levels,
        classes,
        table.called,
        table.row_numbers,
        table.target_levels,
    )


def _rows_of(table: Table) -> Rows:
    rows = table.rows()
    for name in (table.features[j] for j in rows.origin.columns):
        raise ValueError(
            f"{table.name}: column {name!r} has numbers that floats do not hold, and an estimate works in floats: "
            f"round them to 15 digits, or subtract a constant; `separability` takes them as they are."
        )
    return float_rows(rows, "an estimate")[1]


def as_design(
    given: RowsGiven,
    model: ModelName,
    bias: bool,
    context: Context,
    ties: str | None = None,
    link: Link | None = None,
) -> tuple[Estimable, str]:
    """The rows that count, as floats; and what the regression is about.

    Of columns that can be computed from others the last ones are left out, as R does.
    """
    try:
        regression = regression_of(model)
        design = design_of(regression, _given(given, regression, bias, ties), context, link)
        if left := design.dependent_columns():
            called = given.names or [f"x{j}" for j in range(len(left) + design.given.rows.p)]
            kept = [j for j in range(design.given.rows.p) if j not in left]
            rows = float_rows(given.X, "an estimate")[1]
            fewer = replace(given, X=rows.take(slice(0, rows.n))[:, kept], names=[called[j] for j in kept])
            reduced = design_of(regression, _given(fewer, regression, bias, ties), context, link)
            out = tuple(LeftOut(called[j], j, constant) for j, constant in left.items())
            design = replace(reduced, left_out=out)
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
    del columns["cluster"]  # of the errors, not of the model
    choices: dict[str, Any] = {"ties": ties, "fit_intercept": None if bias else False}
    if "levels" in regression.options:
        choices["levels"] = given.ordered or own_levels(given.y, weights)
    if given.classes is not None:
        columns["y"], choices["classes"] = np.asarray(given.classes)[(np.asarray(given.y) > 0) * 1], [*given.classes]
    elif given.y is not None:
        choices["classes"] = regression.classes(given.y, given.positive)
    regression.refuse({name for name, value in (columns | choices).items() if value is not None})
    others = given.columns.items is not None or "levels" in regression.options  # weights of items, or thresholds
    rows = _looked_at(given, others or (bias and "fit_intercept" in regression.options))
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
