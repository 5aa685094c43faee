"""What a caller gives for a model: rows, columns of one value a row, and choices; without the rows of weight zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.data.rows import Rows, as_rows, values_of

__all__ = ["SEVERAL", "Given", "ModelColumns", "coded", "numbers", "present_rows", "read_rows", "refuse_where"]

SEVERAL = ("fixed_effects", "items")  # arguments of several columns; others have one value a row


@dataclass(frozen=True)
class ModelColumns:
    """A model's columns in numbers, in the order in which they are hashed, and what its certificate says of them."""

    arrays: dict[str, npt.NDArray[Any]]  # float64, or int64 codes; several columns of one name side by side
    weights: tuple[str, ...]  # names of the model's weights
    entry: dict[str, Any]  # of the certificate's `model`, besides the name
    against: tuple[str, ...] = ()  # what the comparisons of a row are called, by their number
    notes: tuple[str, ...] = ()  # what else a reader should know
    bias: bool = False  # whether the model has an intercept of its own

    @property
    def effects(self) -> list[Places]:
        """The codes of each set of effects."""
        return list(self.arrays["fixed_effects"].T) if "fixed_effects" in self.arrays else []

    @property
    def facts(self) -> dict[str, Any]:
        """The entry without the names of columns: what rows are made by."""
        return {name: value for name, value in self.entry.items() if name != "columns"}


@dataclass(frozen=True)
class Given:
    """`columns` has what was given with one value a row, lists of those for SEVERAL; `choices` the rest."""

    rows: Rows
    names: list[str]
    columns: dict[str, Any]
    choices: dict[str, Any]
    places: Places | None  # the caller's numbers of the rows, where some are absent
    sample_weight: Floats | None

    def told(self) -> set[str]:
        """The arguments that were given."""
        return {*self.columns, *(name for name, value in self.choices.items() if value is not None)}

    @property
    def n(self) -> int:
        """Rows."""
        return self.rows.n

    @property
    def bias(self) -> bool:
        """Whether an intercept is wanted, of a model that may have one."""
        return self.choices.get("fit_intercept") is not False

    def matrix(self) -> Any:
        """X as float64, dense or CSR."""
        k = self.rows.kernel
        if not self.rows.sparse:
            return np.asarray(k.X, dtype=np.float64)
        return sp.csr_array((k.data.astype(np.float64), k.indices.view(np.int32), k.indptr), (self.n, self.rows.p))

    @classmethod
    def of(cls, X: Any, columns: dict[str, Any], choices: dict[str, Any], sample_weight: Any) -> "Given":
        """Refuses what has another length than X."""
        columns = {name: _separate(name, value) for name, value in columns.items() if value is not None}
        if X is None:  # as many rows without columns as there are values in the first column
            X = np.empty((len(next(iter(columns.values()), [])), 0))
        names, rows = read_rows(X)
        columns = {name: _long(name, value, rows.n) for name, value in columns.items()}
        if "offset" in columns:
            columns["offset"] = numbers(columns["offset"], "offset")
        rows, places, weights = present_rows(rows, sample_weight)
        if places is not None:
            columns = {name: _some(name, value, places) for name, value in columns.items()}
        return cls(rows, names, columns, choices, places, weights)


def read_rows(X: Any) -> tuple[list[str], Rows]:
    """The names of X's columns, and its rows; refuses what is no table of numbers."""
    X, names = values_of(X)
    rows = as_rows(X)
    return names or [f"x{j}" for j in range(rows.p)], rows


def present_rows(rows: Rows, sample_weight: Any) -> tuple[Rows, Places | None, Floats | None]:
    """The rows of weight above zero, their numbers where some are absent, and their weights; refuses NaN and inf."""
    places, weights = None, None
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (rows.n,) or not np.all(weights >= 0):
            raise ValueError(f"sample_weight must be {rows.n} numbers, none negative or NaN.")
        if not weights.all():
            places = np.flatnonzero(weights)
            rows, weights = rows.subset(places), weights[places]
    if rows.n == 0:
        raise ValueError("X has no rows: there is nothing to decide.")
    rows.radius_sq(True)
    return rows, places, weights


def _separate(name: str, value: Any) -> Any:
    """Several columns as a list of them, whether they were one array, a table or a list."""
    if name not in SEVERAL:
        return value
    if hasattr(value, "columns"):
        return [value[one] for one in value.columns]
    if isinstance(value, np.ndarray):
        return list(value.T) if value.ndim == 2 else [value]
    return list(value)


def _long(name: str, value: Any, n: int) -> Any:
    """A column of n values; one number of trials or one exposure is that of every row."""
    if name in ("trials", "exposure") and np.ndim(value) == 0:
        return np.full(n, value)
    for one in value if name in SEVERAL else [value]:
        if np.shape(one) != (n,):
            raise ValueError(f"{name} must hold one value for each of {n} rows; it has shape {np.shape(one)}.")
    return value


def _some(name: str, value: Any, places: Places) -> Any:
    """Some rows of a column or of several, which keep their names."""
    if name in SEVERAL:
        return [one.iloc[places] if hasattr(one, "iloc") else np.asarray(one)[places] for one in value]
    return np.asarray(value)[places]


def numbers(values: Any, name: str) -> Floats:
    """A column of finite numbers."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers.") from None
    refuse_where(~np.isfinite(found), found, name, "it must hold finite numbers")
    return found


def refuse_where(wrong: Flags, values: Floats, name: str, why: str) -> None:
    """Refuse a column that is wrong somewhere, in a sentence that names the first such row."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name} has {values[row]:g} in row {row}: {why}.")


def coded(values: Any, name: str, listed: Any = None) -> tuple[Places, list[str]]:
    """The number of each value in the order of the sorted values, or of those listed; and what they are called."""
    values = np.asarray(values)
    _refuse_missing(values, name)
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


def _refuse_missing(values: npt.NDArray[Any], name: str) -> None:
    """NaN and None are no values."""
    missing = np.flatnonzero(values != values) if values.dtype.kind in "fO" else np.empty(0, dtype=np.int64)
    if values.dtype.kind == "O":
        missing = np.union1d(missing, np.flatnonzero([v is None for v in values]))
    if missing.size:
        raise ValueError(f"{name} has no value in row {missing[0]}: drop the row or give it a value first.")
