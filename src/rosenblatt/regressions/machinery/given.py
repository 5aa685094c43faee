"""The arguments of `existence`, looked at: rows, columns of one value a row, and choices; rows of weight 0 are gone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.data.numbers.gate import named_rows, number_column, present_rows
from rosenblatt.data.numbers.rows import Rows
from rosenblatt.data.tables import Named
from rosenblatt.regressions.machinery.rows import Values

__all__ = [
    "SEVERAL",
    "BadValue",
    "Given",
    "ModelColumns",
    "coded",
    "given_numbers",
    "grouped",
    "missing_values",
    "read_rows",
    "refuse_missing",
    "refuse_where",
]

_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|-?inf", re.ASCII)

SEVERAL = ("fixed_effects", "items")  # these arguments are several columns, the others one


class BadValue(ValueError):
    """A column has a value that a model cannot use; the command line says it with the names and numbers of a file."""

    def __init__(self, argument: str, value: str, row: int, why: str) -> None:
        super().__init__(f"{argument} has {value} in row {row}: {why}.")
        self.argument, self.row, self._value, self._why = argument, row, value, why

    def in_file(self, column: str, row: int) -> str:
        """The same sentence for a column and a row of a file."""
        return f'column "{column}" has {self._value} in row {row}: {self._why}.'


@dataclass(frozen=True)
class ModelColumns:
    """A model's columns in numbers, in the order in which they are hashed, and what its certificate says of them."""

    arrays: dict[str, npt.NDArray[Any]]  # float64, or int64 codes; several columns of one name side by side
    weights: tuple[str, ...]  # names of the model's weights
    entry: dict[str, Any]  # the certificate's entry "model", without the name
    against: tuple[str, ...] = ()  # what a row is compared with (a class, a threshold), by its number
    notes: tuple[str, ...] = ()  # what else a reader should know
    bias: bool = False  # whether the model has an intercept of its own

    @property
    def effects(self) -> list[Places]:
        """The codes of each set of effects."""
        return list(self.arrays["fixed_effects"].T) if "fixed_effects" in self.arrays else []

    @property
    def facts(self) -> dict[str, Any]:
        """The entry without the names of columns: what the rows z depend on."""
        return {name: value for name, value in self.entry.items() if name != "columns"}


@dataclass(frozen=True)
class Given:
    """`columns` are arguments with one value a row (lists of them for SEVERAL), `choices` all other arguments."""

    rows: Rows
    names: list[str]
    columns: dict[str, Any]
    choices: dict[str, Any]
    places: Places | None  # the caller's numbers of the rows, where some are absent
    sample_weight: Floats | None

    def arguments(self) -> set[str]:
        """The names of the arguments that were given."""
        return {*self.columns, *(name for name, value in self.choices.items() if value is not None)}

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.rows.n

    @property
    def bias(self) -> bool:
        """Whether an intercept is wanted, where the model may have one."""
        return self.choices.get("fit_intercept") is not False

    @property
    def values(self) -> Values:
        """X in floats, as estimates take it."""
        return Values(self.rows.take(slice(0, self.n)), (1,) * self.rows.p)

    @property
    def named(self) -> Named:
        """X in floats, with the names of its columns."""
        return Named(self.rows.take(slice(0, self.n)), self.names)

    @property
    def weights(self) -> Floats:
        """How often each row counts."""
        return np.ones(self.n) if self.sample_weight is None else self.sample_weight

    @property
    def offset(self) -> Floats:
        """The offset plus the logarithm of the exposure."""
        total = np.zeros(self.n)
        if "offset" in self.columns:
            total += np.asarray(self.columns["offset"], dtype=np.float64)
        if "exposure" in self.columns:
            total += np.log(np.asarray(self.columns["exposure"], dtype=np.float64))
        return total

    @classmethod
    def of(cls, X: object, columns: dict[str, Any], choices: dict[str, Any], sample_weight: object) -> "Given":
        """Look at the arguments; refuses a column of another length than X."""
        columns = {name: _list_of_columns(name, value) for name, value in columns.items() if value is not None}
        if X is None:  # a table without columns, as long as the first argument
            X = np.empty((len(next(iter(columns.values()), [])), 0))
        names, rows = read_rows(X)
        columns = {name: _long(name, value, rows.n) for name, value in columns.items()}
        if "offset" in columns:
            columns["offset"] = given_numbers(columns["offset"], "offset")
        rows, places, weights = present_rows(rows, sample_weight)
        if places is not None:
            columns = {name: _taken(name, value, places) for name, value in columns.items()}
        return cls(rows, names, columns, choices, places, weights)


def read_rows(X: object) -> tuple[list[str], Rows]:
    """The names of X's columns, and its rows; refuses what is no table of numbers."""
    names, rows = named_rows(X)
    return names or [f"x{j}" for j in range(rows.p)], rows


def _list_of_columns(name: str, value: Any) -> Any:
    """An argument of several columns (an array, a table or a list) as a list of columns; others as they are."""
    if name not in SEVERAL:
        return value
    if isinstance(value, str):
        raise TypeError(f"{name} must be columns of values; it is the text {value!r}.")
    if hasattr(value, "columns"):
        return [value[column] for column in value.columns]
    if isinstance(value, np.ndarray):
        return list(value.T) if value.ndim == 2 else [value]
    listed = list(value)
    return [value] if all(isinstance(one, str) or np.ndim(one) == 0 for one in listed) else listed


def _long(name: str, value: Any, n: int) -> Any:
    """A column of n values, or several; a single number of trials, or a single exposure, is repeated."""
    if name in ("trials", "exposure") and np.ndim(value) == 0:
        return np.full(n, value)
    value = value.compute() if hasattr(value, "compute") else value  # of Dask
    for column in value if name in SEVERAL else [value]:
        if np.shape(column) != (n,):
            raise ValueError(f"{name} must hold one value for each of {n} rows; it has shape {np.shape(column)}.")
    return value


def _taken(name: str, value: Any, places: Places) -> Any:
    """The rows at these places of a column, or of several columns, which keep their names."""
    if name in SEVERAL:
        return [column.iloc[places] if hasattr(column, "iloc") else np.asarray(column)[places] for column in value]
    return np.asarray(value)[places]


def given_numbers(values: object, name: str) -> Floats:
    """A column of finite numbers, as floats."""
    if np.asarray(values).dtype.kind in "US":
        raise ValueError(f"{name} must hold numbers.")
    found = np.asarray(number_column(values, name).kernel.X[:, 0], dtype=np.float64)
    refuse_where(~np.isfinite(found), found, name, "it must hold finite numbers")
    return found


def refuse_where(wrong: Flags, values: Floats, name: str, why: str) -> None:
    """Refuse a column that is wrong somewhere; the sentence names the first such row."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise BadValue(name, f"{values[row]:g}", row, why)


def coded(values: object, name: str, listed: Sequence[object] | None = None) -> tuple[Places, list[str]]:
    """Each value as its number among the sorted values, or among those `listed`; and the names of these values."""
    values = np.asarray(values)
    refuse_missing(values, name)
    try:
        found, inverse = np.unique(values, return_inverse=True)
    except TypeError:  # numbers and texts have no order between them
        values = values.astype(str)
        found, inverse = np.unique(values, return_inverse=True)
    codes = inverse.reshape(-1).astype(np.int64)
    if listed is None:
        return codes, [str(v) for v in found.tolist()]
    order = {str(v): i for i, v in enumerate(listed)}
    if len(order) < len(listed):
        raise ValueError(f"a value is listed twice for {name}.")
    missing = [v for v in found.tolist() if str(v) not in order]
    if missing:
        row = int(np.flatnonzero(values == missing[0])[0])
        raise ValueError(
            f"{name} has {missing[0]!r} in row {row}, which is not among those listed: {', '.join(order)}."
        )
    return np.array([order[str(v)] for v in found.tolist()], dtype=np.int64)[codes], list(order)


def grouped(values: object, name: str) -> tuple[Places, list[str]]:
    """The same for groups, effects and items, in an order that whoever has the names alone can check."""
    codes, names = coded(values, name)
    if _in_order(names):
        return codes, names
    order = sorted(range(len(names)), key=names.__getitem__)  # times, fractions, …: sorted as text instead
    return np.argsort(order)[codes].astype(np.int64), [names[k] for k in order]


def _in_order(names: list[str]) -> bool:
    """Whether names are sorted, as text or, where all are numbers, as numbers: the rule that `checker.py` has too."""
    return names == sorted(names) or (all(map(_PLAIN.fullmatch, names)) and names == sorted(names, key=Decimal))


def refuse_missing(values: npt.NDArray[Any], name: str) -> None:
    """Refuse a column with NaN, None or NA."""
    missing = np.flatnonzero(missing_values(values))
    if missing.size:
        raise BadValue(name, "no value", int(missing[0]), "drop the row or give it a value first")


def missing_values(values: npt.NDArray[Any]) -> Flags:
    """Where a column has NaN, None or NA."""
    if values.dtype.kind != "O":
        return np.asarray(values != values)
    # NA of pandas is neither equal to itself nor unequal: it is known by its name
    return np.array([v is None or type(v).__name__ in ("NAType", "NaTType") or v != v for v in values], dtype=bool)
