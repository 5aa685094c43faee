"""The gate: values of arrays, lists, frames and sparse matrices become rows of numbers, exactly; labels become −1/+1.

Every value that comes out is the one that went in: its float, or the number as it was written (`Origin`). What has no
such number (text, complex or masked values, gaps) is refused with its row, its column, and what to do.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Integers, Places, Signs
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.readings import FARTHEST, LONGEST, Origin, Written, decimal_of, number_of, single_columns
from rosenblatt.data.numbers.rows import Rows, as_rows, column_names, refuse_lazy, refuse_text
from rosenblatt.later import sparse as sp

__all__ = [
    "float_rows",
    "label_values",
    "named_rows",
    "number_column",
    "positive_last",
    "present_rows",
    "refuse_hidden",
    "refuse_missing_labels",
    "rows_of",
    "signs",
    "signs_of",
    "two_class_signs",
]

_WHOLE = 2**53  # whole numbers up to this one are floats
_HALF = 10**16
_MASKED = "a masked value in {where}: drop the row, or fill the value in first."


def rows_of(X: object) -> Rows:
    """The rows of an array, a list, a frame or a sparse matrix, as its numbers were given."""
    return named_rows(X)[1]


def named_rows(X: Any) -> tuple[list[str] | None, Rows]:
    """The names of X's columns, if it has any, and its rows."""
    if isinstance(X, Rows):
        return None, X
    refuse_lazy(X)
    refuse_text(X)
    names = column_names(X)
    if sp.issparse(X):
        return None, _sparse_rows(X)
    if names is not None and hasattr(X, "__getitem__") and not hasattr(X, "dtype"):
        if hasattr(X, "iloc") and all(str(kind) == "float64" for kind in X.dtypes):
            return names, as_rows(np.asarray(X))
        columns = _frame_columns(X)
        return names, _rows_of_columns(
            [_read_column(values, _At(f"column {name!r}")) for name, values in zip(names, columns, strict=True)], len(X)
        )
    values = X if isinstance(X, np.ma.MaskedArray) else _unrounded(X)
    if isinstance(origin := getattr(X, "origin", None), Origin):  # floats that were read before
        return names, Rows(as_rows(values).matrix, origin)
    if values.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns; it has {values.ndim}.")
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8 and not isinstance(values, np.ma.MaskedArray):
        return names, as_rows(values)
    named = names or [str(j) for j in range(values.shape[1])]
    columns = (values[:, j] for j in range(values.shape[1]))
    made = [_read_column(one, _At(f"column {name}")) for name, one in zip(named, columns, strict=True)]
    return names, _rows_of_columns(made, values.shape[0])


def present_rows(rows: Rows, sample_weight: object) -> tuple[Rows, Places | None, Floats | None]:
    """The rows of weight above zero, their numbers where some are absent, and their weights; refuses NaN and inf."""
    places, weights = None, None
    if sample_weight is not None:
        try:
            weights = np.asarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError):
            weights = np.empty(0)
        if weights.shape != (rows.n,) or not np.all(weights >= 0):
            raise ValueError(f"sample_weight must be {rows.n} numbers, none negative or NaN.")
        if weights.size and not weights.any():
            raise ValueError("sample_weight must not be all zero: there is nothing to decide.")
        if not weights.all():
            places = np.flatnonzero(weights)
            rows, weights = rows.subset(places), weights[places]
    if rows.n == 0:
        raise ValueError("X has no rows: there is nothing to decide.")
    rows = rows.within_range()
    rows.radius_sq(True)
    return rows, places, weights


def float_rows(X: object, what: str) -> tuple[list[str] | None, Rows]:
    """The names of X's columns, if it has any, and its rows as float64, for `what`, which computes in floats.

    Columns of float32 that are short decimals become the float64 nearest to these, so that verdicts on the floats and
    on X are the same. Numbers that floats do not hold are refused.
    """
    names, rows = named_rows(X)
    if rows.origin.columns:
        j = rows.origin.columns[0]
        raise ValueError(
            f"X has numbers in column {j if names is None else repr(names[j])} that floats do not hold, and {what} "
            f"works in floats: round them to 15 digits, or subtract a constant; rb.separability takes them as they are."
        )
    if not single_columns(rows).any():
        return names, rows
    rows.radius_sq(False, str if names is None else (lambda j: repr(names[j])))  # refuses NaN and inf
    read = exact_rows(rows)
    assert read is not None
    return names, read.read_as(None).as_doubles()


def number_column(values: Any, name: str) -> Rows:
    """One column of numbers, such as times or counts."""
    if np.ndim(values) != 1 and not hasattr(values, "to_numpy"):
        values = np.ravel(values)
    return _rows_of_columns(
        [_read_column(values if hasattr(values, "dtype") else _unrounded(values), _At("", name))], len(values)
    )


def refuse_hidden(X: object) -> None:
    """Refuse masked values and complex numbers in an array of rows, or of layers of rows."""
    if isinstance(X, np.ma.MaskedArray) and (hidden := np.argwhere(np.ma.getmaskarray(X))).size:
        at: list[int] = [0, *hidden[0].tolist()]
        raise _At(f"column {at[-1]}").refusal(at[-2], _MASKED)
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise ValueError("X has complex numbers: take their real part, or another number of them.")


class _At:
    """Where a value stands, for sentences."""

    def __init__(self, column: str, what: str = "X") -> None:
        self.column, self.what = column, what

    def refusal(self, row: int, said: str) -> ValueError:
        where = f"row {row}, {self.column}" if self.column else f"row {row}"
        return ValueError(f"{self.what} has {said.replace('{where}', where)}")


Column = tuple[npt.NDArray[Any], Written | None]


def _rows_of_columns(columns: list[Column], n: int) -> Rows:
    """Rows of columns."""
    kinds = {values.dtype for values, _ in columns}
    X = np.empty((n, len(columns)), dtype=np.float32 if kinds == {np.dtype(np.float32)} else np.float64)
    for j, (values, _) in enumerate(columns):
        X[:, j] = values
    long = [(j, written) for j, (_, written) in enumerate(columns) if written is not None]
    written = (
        Written(*(np.column_stack(part) for part in zip(*(one for _, one in long), strict=True))) if long else None
    )
    single = np.array([values.dtype == np.float32 for values, _ in columns])
    mixed = X.dtype == np.float64 and single.any()
    return Rows(X, Origin(tuple(j for j, _ in long), written, single if mixed else None))


def _unrounded(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A list or an array as an array in which no number was rounded."""
    if isinstance(values, np.ndarray):
        return values
    found = np.asarray(values)
    rounded = found.dtype.kind == "f" and found.size and float(np.nanmax(np.abs(found), initial=0.0)) >= _WHOLE
    # NumPy makes floats of a list that has some: long whole numbers in it would be rounded
    return np.asarray(values, dtype=object) if rounded and isinstance(values, (list, tuple)) else found


def _frame_columns(frame: Any) -> Iterable[Any]:
    """The columns of a pandas or polars frame, or of an Arrow table."""
    if hasattr(frame, "iloc"):
        return (frame.iloc[:, j] for j in range(frame.shape[1]))
    return (frame[name] for name in (getattr(frame, "column_names", None) or frame.columns))


def _read_column(values: object, at: _At) -> Column:
    """One column: its floats, and its numbers as they were written where floats do not hold them."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.flatnonzero(np.ma.getmaskarray(values))
        if hidden.size:
            raise at.refusal(int(hidden[0]), _MASKED)
        values = values.data
    plain = values if isinstance(values, np.ndarray) else _frame_values(values, at)
    kind = plain.dtype.kind
    if kind == "c":
        raise at.refusal(
            0, f"complex numbers ({plain[0]} in {{where}}): take their real part, or another number of them."
        )
    if kind == "f" and plain.dtype.itemsize <= 8:
        return (plain if plain.dtype.itemsize == 8 else plain.astype(np.float32)), None
    if kind in "mM":
        return _times_column(plain, at)
    if kind in "biu":
        return _whole_column(plain)
    if kind == "f":
        return _long_floats(plain, at)
    if kind == "O":
        return _python_numbers(plain, at)
    raise at.refusal(0, f"values of type {plain.dtype} in {{where}}: only numbers have a side of a hyperplane.")


def _frame_values(column: Any, at: _At) -> npt.NDArray[Any]:
    """A column of a frame as an array; gaps are refused."""
    gaps = np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), dtype=bool)
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if gaps.any():
        raise at.refusal(
            int(np.argmax(gaps)),
            "NaN in {where}; a missing or infinite value has no side of a hyperplane: drop the row "
            "or impute the value first (Input X contains NaN or infinity).",
        )
    if kind.startswith("sparse"):
        return np.asarray(column.sparse.to_dense())
    if "decimal" in kind:
        return np.array(list(column.to_list() if hasattr(column, "to_list") else column.to_pylist()), dtype=object)
    if kind.startswith(("int", "uint")):
        return np.asarray(column, dtype=kind.partition("[")[0])
    if kind.startswith(("float32", "float64", "float", "double")):
        return np.asarray(column, dtype=np.float32 if kind in ("float32", "float", "float32[pyarrow]") else np.float64)
    return np.asarray(column)


def _whole_column(values: npt.NDArray[Any]) -> Column:
    """Whole numbers of a type of NumPy."""
    floats = values.astype(np.float64)
    if values.dtype.itemsize < 8 or not values.size or (int(values.max()) <= _WHOLE and int(values.min()) >= -_WHOLE):
        return floats, None
    if values.dtype.kind == "u":
        high, low = values // np.uint64(_HALF), values % np.uint64(_HALF)
    else:
        high = np.sign(values) * (np.abs(values.astype(object)) // _HALF).astype(np.int64)
        low = values - high * _HALF
    written = Written(high.astype(np.int64), low.astype(np.int64), np.zeros(values.size, dtype=np.int64))
    return floats, written.shortened()


def _times_column(values: npt.NDArray[Any], at: _At) -> Column:
    """Dates and durations: whole numbers of their unit."""
    if np.isnat(values).any():
        raise at.refusal(int(np.argmax(np.isnat(values))), "no moment in {where}: drop the row or give it one first.")
    return _whole_column(values.view(np.int64))


def _long_floats(values: npt.NDArray[Any], at: _At) -> Column:
    """Floats of more than 64 bits, where float64 holds them."""
    floats = values.astype(np.float64)
    lost = np.flatnonzero((floats != values) & ~np.isnan(values))
    if lost.size:
        i = int(lost[0])
        raise at.refusal(
            i, f"{values[i]!s} in {{where}}, which float64 does not hold: round it to float64, or give it as a Decimal."
        )
    return floats, None


def _python_numbers(values: npt.NDArray[Any], at: _At) -> Column:
    """Python's numbers, by the rule for written numbers."""
    if all(type(v) is float for v in values):
        return values.astype(np.float64), None
    pairs = [_digits_and_power(v, i, at) for i, v in enumerate(values)]
    floats = np.array([float(f"{m}e{e}") for m, e in pairs])
    told = [_is_told(m, e, x) for (m, e), x in zip(pairs, floats.tolist(), strict=True)]
    if all(abs(m) < 10**15 for m, _ in pairs) and all(told):
        return floats, None
    whole = (isinstance(v, (int, np.integer)) for v in values)
    if all(told) and all(
        not one or x == m * 10**e for (m, e), x, one in zip(pairs, floats.tolist(), whole, strict=True)
    ):
        return floats, None
    for i, (m, _) in enumerate(pairs):
        if abs(m) >= 10**LONGEST:
            raise at.refusal(
                i,
                f"a number of {len(str(abs(m)))} digits in {{where}} ({str(m)[:12]}…): at most {LONGEST} are taken; "
                f"round it.",
            )
    return floats, Written.of(pairs)


def _is_told(m: int, e: int, x: float) -> bool:
    """Whether m·10^e can be told from its float x: it is the shortest text of x."""
    return np.isfinite(x) and decimal_of(x) == (m, e)


def _digits_and_power(value: object, row: int, at: _At) -> tuple[int, int]:
    """(m, e) of one of Python's numbers."""
    found = number_of(value)
    if found is None:
        raise _no_number(value, row, at)
    if abs(found[1]) > FARTHEST:
        raise at.refusal(
            row, f"a number of size 10^{found[1]} in {{where}}: exponents beyond {FARTHEST} are not taken."
        )
    return found


def _no_number(value: object, row: int, at: _At) -> ValueError:
    if isinstance(value, Fraction):
        return at.refusal(
            row, f"the fraction {value} in {{where}}, which is no decimal: multiply its column by {value.denominator}."
        )
    if isinstance(value, (complex, np.complexfloating)):
        return at.refusal(row, f"the complex number {value} in {{where}}: take its real part, or another number of it.")
    finite = bool(np.isfinite(value)) if isinstance(value, np.floating) else not isinstance(value, float)
    if isinstance(value, (int, Decimal, np.longdouble)) and (
        value.is_finite() if isinstance(value, Decimal) else finite
    ):
        return at.refusal(row, f"a number in {{where}} that is too long: at most {LONGEST} digits are taken; round it.")
    missing = value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
    if missing or isinstance(value, (float, np.floating, Decimal)):
        return at.refusal(
            row,
            f"{'NaN' if missing else 'inf'} in {{where}}; a missing or infinite value has no side of a hyperplane: "
            f"drop the row or impute the value first (Input X contains NaN or infinity).",
        )
    return at.refusal(row, f"{value!r} in {{where}}, which is no number: give numbers only.")


def _sparse_rows(X: "sp.spmatrix") -> Rows:
    """Sparse rows, which hold float64."""
    kind = X.dtype.kind
    if kind == "c":
        raise ValueError("X holds complex numbers: take their real part, or another number of them.")
    if kind == "f" and X.dtype.itemsize > 8:
        _long_floats(X.tocoo().data, _At("the stored values"))
    return as_rows(X)


# --------------------------------------------------------------------------------------------------------------- labels

_LECTURES = {("⊕", "⊖"), ("C1", "C2")}  # in these pairs the positive class is the first in order


def label_values(y: object, numbers: Integers | None = None, positive: object = None) -> npt.NDArray[Any]:
    """The different labels, sorted, but for a positive one: `positive_last`. Two passes where there are two numbers.

    A missing label is refused; `numbers` are as in `refuse_missing_labels`.
    """
    labels = np.asarray(y)
    if labels.dtype.kind in "biuf" and labels.size:
        low, high = labels.min(), labels.max()
        if np.all((labels == low) | (labels == high)):
            return positive_last(np.array([low, high] if low != high else [low]), positive)
    refuse_missing_labels(y, numbers)
    return positive_last(np.unique(labels), positive)


def positive_last(classes: npt.NDArray[Any], positive: object = None) -> npt.NDArray[Any]:
    """Sorted classes with the positive one of two last: `positive`, or what the lectures call so (⊕, C1).

    >>> positive_last(np.array(["C1", "C2"])), positive_last(np.array([0, 1]), positive=0)
    (array(['C2', 'C1'], dtype='<U2'), array([1, 0]))
    """
    names = classes.tolist()
    if positive is None:
        return classes[::-1] if tuple(names) in _LECTURES else classes
    if len(names) > 2:
        raise ValueError(
            f"positive={positive!r} is for two classes, and y has {len(names)}: y == {positive!r} has two."
        )
    if positive not in names:
        raise ValueError(f"positive={positive!r} is not among the classes {names}.")
    return classes[::-1] if len(names) == 2 and names[0] == positive else classes


def refuse_missing_labels(y: object, numbers: Integers | None = None, where: str = "") -> None:
    """Refuse NaN, None, NaT and pandas' NA: as classes they would be counted, or could not be sorted.

    `numbers` are the rows' numbers in that sentence, if they are not 0, 1, …; `where` is what it begins with.
    """
    labels = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=object)  # a list of texts makes NaN "nan"
    if labels.ndim != 1 or labels.dtype.kind not in "fOM" or (labels.dtype.kind == "f" and not np.isnan(labels).any()):
        return
    if labels.dtype.kind == "O" and {*map(type, labels.tolist())} <= {str, int, bool}:
        return
    # only NaN and NaT differ from themselves; whether NA does is NA itself, which is neither True nor NumPy's
    missing = np.array([label is None or not _is_itself(label) for label in labels.tolist()], dtype=bool)
    if missing.any():
        row = int(missing.argmax()) if numbers is None else int(numbers[missing.argmax()])
        raise ValueError(f"{where}y has no label in row {row}: drop the row, or give it a label.")


def _is_itself(label: object) -> bool:
    same = label == label
    return isinstance(same, (bool, np.bool_)) and bool(same)


def signs(y: object, positive: object) -> Signs:
    """+1 where y is `positive`, −1 elsewhere."""
    return np.where(np.asarray(y) == positive, np.int8(1), np.int8(-1))


def two_class_signs(y: object, n: int, positive: object = None) -> Signs:
    """The labels as −1/+1: the second of the two in order is +1, or the positive one (`positive_last`)."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y must hold one label for each of {n} rows; it has shape {labels.shape}.")
    classes = label_values(y, positive=positive)
    if len(classes) != 2:
        raise ValueError(f"y must have two classes; it has {len(classes)}.")
    return signs(labels, classes[1])


def signs_of(y: object, n: int, positive: object = None) -> Signs:
    """As `two_class_signs`; but where there is one class only, every row is +1: the rows are y·x already (P ∪ −N)."""
    labels = np.asarray(y)
    if labels.shape == (n,) and len(label_values(y)) == 1:
        return np.ones(n, dtype=np.int8)
    return two_class_signs(labels, n, positive)
