"""The arguments of `estimate`, checked and made arrays: a table, a frame, arrays, or a formula with its data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.numbers import Rows, float_rows, label_values, signs
from rosenblatt.data.tables import Named, Table, coded_frame
from rosenblatt.estimates.choice_design import cox, multinomial
from rosenblatt.estimates.design import Design, Estimable
from rosenblatt.regressions.cox import Survival, ties_of
from rosenblatt.regressions.machinery.given import BadValue, coded, refuse_missing, refuse_where

__all__ = ["BesideColumns", "RowsGiven", "as_design", "asked"]

_TAKEN = {  # the models, and the columns that each may have beside X and y
    "logistic": ("offset", "sample_weight"),
    "binomial": ("trials", "offset", "sample_weight"),
    "poisson": ("offset", "exposure", "sample_weight"),
    "multinomial": ("sample_weight",),
    "cox": ("offset", "groups", "time", "event", "entry"),
}


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

    def named(self, X: Floats) -> Any:
        """These rows with the names of their columns, if there are names."""
        return X if self.names is None else Named(X, self.names)

    def coefficients(self, design: Estimable) -> list[str]:
        """What the coefficients are called."""
        if isinstance(design, Design):
            return [*(self.names or [f"x{j}" for j in range(design.X.shape[1])]), *["(1)"] * design.bias]
        return [one.name for one in design.verdict.coefficients or []]


def asked(
    X: Any, y: Any, columns: BesideColumns, data: Any = None, intercept: bool = True, missing: str = "refuse"
) -> tuple[RowsGiven, bool]:
    """Rows and outcomes, in whatever form they were given; and whether there is an intercept."""
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
    target, coded = getattr(y, "name", None), coded_frame(X, intercept)
    called = str(target) if target not in (None, "") else "y"
    if isinstance(coded, Table):
        return RowsGiven(_rows_of(coded), y, columns, coded.features, called, coded.encoding.levels)
    names, X = float_rows(X, "an estimate")
    return RowsGiven(X, y, columns, names, called)


def _of_table(table: Table, y: Any, columns: BesideColumns) -> RowsGiven:
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
    given: RowsGiven, model: str, bias: bool, limit: float | None, ties: str | None = None
) -> tuple[Estimable, str]:
    """The rows that count, as floats; and what the outcome is called."""
    try:
        return _designed(given, model, bias, limit, ties)
    except BadValue as bad:
        if given.numbers is None or bad.argument not in given.called:
            raise
        raise ValueError(bad.in_file(given.called[bad.argument], int(given.numbers[bad.row]))) from None


def _designed(given: RowsGiven, model: str, bias: bool, limit: float | None, ties: str | None) -> tuple[Estimable, str]:
    rows = _looked_at(given, model, bias)
    X = rows.take(slice(0, rows.n))
    if model == "cox":
        return _cox(given, X, limit, ties)
    weights = _column(given.columns.sample_weight, rows.n, "sample_weight", 1.0)
    if not (weights >= 0).all() or not weights.any():
        raise ValueError("sample_weight must not be negative, and not all zero.")
    kept = weights > 0
    if model == "multinomial":
        return _multinomial(given, X, weights, kept, bias, limit)
    y, trials, outcome = _outcomes(given, model, rows.n)
    offset = _offset(given.columns, rows.n)
    return Design(X[kept], y[kept], trials[kept], weights[kept], offset[kept], model, bias, limit), outcome  # type: ignore[arg-type]


def _looked_at(given: RowsGiven, model: str, bias: bool) -> Rows:
    """The rows; refuses a model, an argument or values that cannot be used."""
    if model not in _TAKEN:
        raise ValueError(f"model must be one of {', '.join(_TAKEN)}; it is {model!r}.")
    for name, column in vars(given.columns).items():
        if column is not None and name not in _TAKEN[model]:
            raise TypeError(f"model={model!r} does not take {name}.")
    rows = float_rows(given.X, "an estimate")[1]
    if not rows.n:
        raise ValueError("X has no rows: there is nothing to estimate.")
    if not rows.p + (bias and model != "cox"):
        raise ValueError("there is no coefficient to estimate: X has no columns, and there is no intercept.")
    names = given.names
    rows.radius_sq(bias, str if names is None else (lambda j: repr(names[j])))  # refuses NaN and inf
    return rows


def _multinomial(
    given: RowsGiven, X: Floats, weights: Floats, kept: Flags, bias: bool, limit: float | None
) -> tuple[Estimable, str]:
    if np.shape(given.y) != (len(X),):
        raise ValueError(f"y must hold one label for each of {len(X)} rows; it has shape {np.shape(given.y)}.")
    codes, classes = coded(np.asarray(given.y)[kept], "y")
    if len(classes) < 2:
        raise ValueError("y has one class alone: there is nothing to compare.")
    design = multinomial(given.named(X[kept]), codes, classes, weights[kept], bias, limit)
    return design, f"{given.target} against {classes[0]}"


def _cox(given: RowsGiven, X: Floats, limit: float | None, ties: str | None) -> tuple[Estimable, str]:
    columns, n = given.columns, len(X)
    if given.y is not None or columns.time is None or columns.event is None:
        raise TypeError("model='cox' takes time and event instead of y.")
    if ties_of(ties) == "exact":
        raise ValueError("estimates of a Cox model are for ties='efron' or 'breslow'.")
    if len(np.asarray(columns.event)) != n:
        raise ValueError(f"event must hold one value for each of {n} rows.")
    entry = None if columns.entry is None else _column(columns.entry, n, "entry", 0.0)
    strata = None if columns.groups is None else coded(columns.groups, "groups")[0]
    survival = Survival.of(_column(columns.time, n, "time", 0.0), columns.event, entry, strata)
    if not survival.event.any():
        raise ValueError("there are no events: the likelihood is constant, and there is nothing to estimate.")
    offset = _column(columns.offset, n, "offset", 0.0)
    return cox(given.named(X), survival, offset, ties_of(ties), limit), getattr(columns.event, "name", None) or "event"


def _offset(columns: BesideColumns, n: int) -> Floats:
    offset = _column(columns.offset, n, "offset", 0.0)
    exposure = _column(columns.exposure, n, "exposure", 1.0)
    if not (exposure > 0).all():
        raise ValueError("exposure must be positive in every row: leave out rows of exposure 0.")
    return np.asarray(offset + np.log(exposure))


def _outcomes(given: RowsGiven, model: str, n: int) -> tuple[Floats, Floats, str]:
    """Successes and trials of each row as numbers, and what is counted."""
    if model == "logistic":
        positive, outcome = _positive(given, n)
        return positive.astype(np.float64), np.ones(n), outcome
    counts = _column(given.y, n, "y", 0.0)
    refuse_where(counts < 0, counts, "y", "a count is not negative")
    if model == "poisson":
        return counts, np.full(n, inf), given.target
    if given.columns.trials is None:
        raise ValueError("trials is missing: a binomial model needs how many trials each row had.")
    trials = _column(given.columns.trials, n, "trials", 1.0)
    refuse_where(trials <= 0, trials, "trials", "there must be some")
    more = counts > trials
    refuse_where(more, counts, "y", f"of {trials[np.argmax(more)]:g} trials there cannot be more successes")
    return counts, trials, given.target


def _positive(given: RowsGiven, n: int) -> tuple[Flags, str]:
    """Which rows are of the positive class, and the outcome's name with that class: "died = yes"."""
    labels = np.asarray(given.y)
    if labels.shape != (n,):
        raise ValueError(f"y must hold one label for each of {n} rows; it has shape {labels.shape}.")
    refuse_missing(labels, "y")
    classes = label_values(labels)
    if len(classes) > 2:
        raise ValueError(f"y must have two classes; it has {len(classes)}.")
    if given.classes is not None:
        return labels > 0, f"{given.target} = {given.classes[1]}"
    failures = len(classes) == 1 and classes[0] in (0, -1)  # one class alone, and it means no success; False is 0
    positive = np.zeros(n, dtype=np.bool_) if failures else signs(labels, classes[-1]) > 0
    success = (True if labels.dtype.kind == "b" else 1) if failures else classes[-1]
    return positive, f"{given.target} = {_called(success)}"


def _called(label: Any) -> str:
    """A label as a person writes it: 1.0 is written 1."""
    return f"{label:g}" if isinstance(label, float) else str(label)


def _column(values: Any, n: int, name: str, default: float) -> Floats:
    if values is None:
        return np.full(n, default)
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        column = np.empty(0)
    if column.shape != (n,):
        raise ValueError(f"{name} must be {n} finite numbers.")
    refuse_where(~np.isfinite(column), column, name, "it must hold finite numbers")
    return column
