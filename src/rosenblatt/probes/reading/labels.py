"""What probes look for: signs (−1, +1, 0 for no label) of classes, and numbers (NaN for none)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Signs
from rosenblatt.data.numbers import column_names, refuse_lazy

__all__ = ["Labels", "read_labels", "read_test_labels"]

# A column with more different numbers than this holds quantities; with fewer, the numbers are names of classes.
_MOST_WHOLE = 50  # whole numbers
_MOST_NUMBERS = 10  # numbers with a fraction
_FEW_TEXTS = 20  # text with more different values, most of which occur once, names the rows


class _LabelValues(NamedTuple):
    """The values of a column, and which of them are there."""

    y: npt.NDArray[Any]
    known: Flags


@dataclass(frozen=True)
class _Column:
    """How a column is read: as numbers to be predicted, as signs (`classes` is None), or as names of classes."""

    name: str
    numeric: bool = False
    classes: npt.NDArray[Any] | None = None
    edges: Floats | None = None  # of the bins, where the classes are bins


@dataclass(frozen=True)
class Labels:
    """n × B signs and n × Q numbers, what each column is called, and the columns of each concept of several classes."""

    signs: Signs
    names: list[str]
    numbers: Floats
    number_names: list[str]
    concepts: list[tuple[str, list[str]]]  # name, names of its columns: one class each
    columns: list[_Column] = field(default_factory=list)  # how labels of other rows are read; empty: an array of signs


def read_labels(Y: object, n: int, regress: bool | Sequence[str] = False, bins: int | None = None) -> Labels:
    """Signs and numbers from labels in any form.

    - an n × B array of −1, +1 and 0 for "no label", or of Booleans: one probe a column;
    - n labels: of two classes, one probe (the second in sorted order is +1); of more, one against the rest each;
    - a table (pandas, polars, Arrow) or dict of columns: each column by itself, as above; a missing value is no label.

    `regress`: which column or columns are numbers to be predicted (True: all). `bins`: columns of many numbers are cut
    into so many classes of about equal size. Columns of many numbers are refused without either.
    """
    refuse_lazy(Y)
    regress = [regress] if isinstance(regress, str) else regress
    values = _named_columns(Y, as_columns=regress is not False)
    if values is None:
        signs = _signs_of_array(Y, n)
        for j in np.flatnonzero((signs.max(axis=0) < 1) | (signs.min(axis=0) > -1)):
            _refuse_one_class(signs[:, j], f"column {j} of Y")
        return _of_unnamed_signs(signs)
    if isinstance(Y, Mapping) or column_names(Y) is not None:
        for name in () if isinstance(regress, bool) else regress:
            if name not in values:
                raise ValueError(f"regress names {name!r}, which is no column; they are {', '.join([*values][:8])}.")
    columns = []
    for name, column in values.items():
        _check_rows(len(column.y), n)
        columns.append(_column(column, name, regress if isinstance(regress, bool) else name in regress, bins))
    return _of_all_columns([_labels_in(column, values[column.name]) for column in columns], columns, n)


def read_test_labels(Y: object, n: int, learned: Labels) -> Labels:
    """Labels of other rows, read as the labels that were learned: the same columns by name, the same classes.

    Columns without names, those of an array, are taken in their order. A class that was not learned is refused.
    """
    refuse_lazy(Y)
    values = _named_columns(Y, as_columns=bool(learned.columns))
    if values is None or not learned.columns:
        return _of_unnamed_signs(_signs_of_array(Y, n))
    named = isinstance(Y, Mapping) or column_names(Y) is not None
    in_order = list(values.values())
    if not named and len(in_order) != len(learned.columns):
        wanted = ", ".join(column.name for column in learned.columns[:8])
        raise ValueError(
            f"the labels of test have {len(in_order)} columns, those of Y {len(learned.columns)}: {wanted}."
        )
    parts = []
    for j, column in enumerate(learned.columns):
        if named and column.name not in values:
            raise ValueError(
                f"the labels of test have no column {column.name!r}; they have {', '.join([*values][:8])}."
            )
        found = values[column.name] if named else in_order[j]
        _check_rows(len(found.y), n, "the test's ")
        parts.append(_labels_in(column, found))
    return _of_all_columns(parts, learned.columns, n)


# -------------------------------------------------------------------------------------------------------------- columns


def _named_columns(Y: Any, as_columns: bool) -> dict[str, _LabelValues] | None:
    """The columns by name; None for an array of signs, unless its columns are to be read `as_columns` of a table."""
    names = [*Y] if isinstance(Y, Mapping) else column_names(Y) if np.ndim(Y) != 1 else None
    if names is not None:
        return {name: _values_of(Y[name]) for name in names}
    array = _array(Y)
    if array.ndim == 1:
        name = getattr(Y, "name", None)  # of a pandas or polars series
        return {name if isinstance(name, str) and name else "y": _with_missing(array)}
    if array.ndim != 2:
        raise ValueError(f"Y must have one or two dimensions, labels or rows × probes; it has {array.ndim}.")
    return {str(j): _with_missing(y) for j, y in enumerate(array.T)} if as_columns else None


def _array(Y: object) -> npt.NDArray[Any]:
    return np.asarray(Y.detach().cpu().numpy() if hasattr(Y, "detach") else Y)


def _values_of(column: object) -> _LabelValues:
    if hasattr(column, "to_pylist"):  # Arrow
        return _with_missing(np.array(column.to_pylist(), dtype=object))
    return _with_missing(np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else _array(column)))


def _with_missing(y: npt.NDArray[Any]) -> _LabelValues:
    """NaN, None and NA are no labels."""
    if y.dtype.kind == "f":
        return _LabelValues(y, ~np.isnan(y))
    if y.dtype != object:
        return _LabelValues(y, np.ones(len(y), dtype=bool))
    known = np.array([v is not None and type(v).__name__ != "NAType" and v == v for v in y], dtype=bool)
    filled = np.array([v for v, there in zip(y, known, strict=True) if there])
    whole = np.zeros(len(y), dtype=filled.dtype if filled.size else bool)
    whole[known] = filled
    return _LabelValues(whole, known)


# ----------------------------------------------------------------------------------------------------- how to read them


def _column(values: _LabelValues, name: str, numeric: bool, bins: int | None) -> _Column:
    """What a column holds: numbers to be predicted, signs, or classes; a column that holds none of these is refused."""
    y, known = values
    if numeric:
        if np.unique(_as_numbers(values, name)[known]).size < 2:
            raise ValueError(f"{name!r} has one number only: there is nothing to predict.")
        return _Column(name, numeric=True)
    classes, counts = np.unique(y[known], return_counts=True)
    if len(classes) and y.dtype.kind in "iuf" and classes[0] == -1 and set(classes.tolist()) <= {-1, 0, 1}:
        _refuse_one_class(np.where(known, y, 0).astype(np.int8), repr(name))
        return _Column(name)
    if y.dtype.kind in "iuf" and _many_numbers(classes):
        if bins is None:
            raise ValueError(
                f"{name!r} has {len(classes):,} different numbers: regress=[{name!r}] (--regress {name}) predicts "
                f"them, bins=4 (--bins 4) makes classes of them; if each is a class, pass them as text."
            )
        if not isinstance(bins, (int, np.integer)) or bins < 2:
            raise ValueError(f"bins={bins} must be 2 or more, and a whole number.")
        edges = np.unique(np.quantile(y[known], np.linspace(0, 1, bins + 1)))
        used = np.unique(_places(edges, y[known]))
        return _Column(name, classes=_names_of_bins(edges)[used], edges=edges)
    if len(classes) < 2:
        found = f"one class only, {classes[0].item()!r}" if len(classes) else "no labels"
        raise ValueError(f"{name!r} has {found}: a probe needs two classes to tell apart.")
    if len(classes) > _FEW_TEXTS and np.count_nonzero(counts == 1) > len(classes) / 2:
        raise ValueError(
            f"{name!r} has {len(classes):,} different values in {int(counts.sum()):,} rows, and most occur once: they "
            f"name rows, not classes. Leave this column out (--labels names the columns to probe for)."
        )
    return _Column(name, classes=classes)


def _many_numbers(classes: npt.NDArray[Any]) -> bool:
    """Whether a column has more different numbers than classes would have: they are values, not names."""
    whole = classes.dtype.kind != "f" or bool(np.all(classes == np.rint(classes)))
    return len(classes) > (_MOST_WHOLE if whole else _MOST_NUMBERS)


def _places(edges: Floats, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The bin of each number; those beyond the ends are in the first and in the last bin."""
    return np.clip(np.searchsorted(edges, y, side="right") - 1, 0, len(edges) - 2)


def _names_of_bins(edges: Floats) -> npt.NDArray[Any]:
    """As in "2: 0.5 to 1.25"."""
    return np.array([f"{k + 1}: {edges[k]:.4g} to {edges[k + 1]:.4g}" for k in range(len(edges) - 1)])


# -------------------------------------------------------------------------------------------------------------- reading


def _labels_in(column: _Column, values: _LabelValues) -> Labels:
    """The labels of some rows, which need not be those that showed how the column is to be read."""
    y, known = values
    name, classes = column.name, column.classes
    if column.numeric:
        return Labels(np.zeros((len(y), 0), dtype=np.int8), [], _as_numbers(values, name)[:, None], [name], [])
    if classes is None:
        if y.dtype.kind not in "iuf" or not set(y[known].tolist()) <= {-1, 0, 1}:
            raise ValueError(f"{name!r} of test must hold −1, +1 and 0 (no label), as it did among the rows of Y.")
        return _of_signs(np.where(known, y, 0).astype(np.int8)[:, None], [name])
    if column.edges is not None:
        y = _names_of_bins(column.edges)[np.where(known, _places(column.edges, y), 0)]
    new = np.setdiff1d(y[known], classes)
    if new.size:
        raise ValueError(f"the labels of test have the class {new[0].item()!r} of {name!r}, which was not learned.")
    positive = classes[1:] if len(classes) == 2 else classes
    signs = np.where(y[:, None] == positive[None, :], np.int8(1), np.int8(-1))
    signs[~known] = 0
    return _of_signs(signs, [name] if len(classes) == 2 else [f"{name}={one}" for one in classes.tolist()], name)


def _of_signs(signs: Signs, names: list[str], concept: str | None = None) -> Labels:
    concepts = [(concept, names)] if concept is not None and len(names) > 1 else []
    return Labels(signs, names, np.zeros((len(signs), 0)), [], concepts)


def _of_unnamed_signs(signs: Signs) -> Labels:
    return _of_signs(signs, [str(j) for j in range(signs.shape[1])])


def _of_all_columns(parts: list[Labels], columns: list[_Column], n: int) -> Labels:
    return Labels(
        np.ascontiguousarray(np.hstack([np.zeros((n, 0), dtype=np.int8), *(part.signs for part in parts)])),
        [name for part in parts for name in part.names],
        np.hstack([np.zeros((n, 0)), *(part.numbers for part in parts)]),
        [name for part in parts for name in part.number_names],
        [concept for part in parts for concept in part.concepts],
        columns,
    )


def _signs_of_array(Y: object, n: int) -> Signs:
    Y = _array(Y)
    _check_rows(len(Y), n)
    if Y.shape[1] == 0:
        raise ValueError("Y has no columns: there is no probe to train.")
    if Y.dtype == bool:
        return np.where(Y, np.int8(1), np.int8(-1))
    if Y.dtype.kind not in "iuf":
        raise ValueError(f"Y must hold −1, +1 and 0 (no label), or Booleans; it holds {Y.dtype}.")
    strange = (Y != 0) & (np.abs(Y) != 1)
    if strange.any():
        i, j = np.argwhere(strange)[0]
        raise ValueError(
            f"Y has {Y[i, j]} in row {i}, column {j}; only −1, +1 and 0 (no label) mean something here. "
            f"Class labels go in one dimension: each class becomes a probe."
        )
    if not (Y < 0).any() and (Y == 0).any():
        raise ValueError("Y has no −1, and 0 means no label: if 0 is the other class, pass Y.astype(bool) or 2*Y - 1.")
    return np.asarray(Y, dtype=np.int8)


def _check_rows(found: int, n: int, whose: str = "") -> None:
    if found != n:
        raise ValueError(
            f"{whose}Y has {found} rows and {whose}X has {n}: there must be one row of labels for each row of X."
        )


def _as_numbers(values: _LabelValues, name: str) -> Floats:
    y, known = values
    if y.dtype.kind not in "iufb":
        raise ValueError(f"{name!r} holds text, so it cannot be predicted as numbers (regress).")
    if not np.isfinite(y[known]).all():
        raise ValueError(f"{name!r} has an infinite number; it cannot be predicted.")
    return np.where(known, y, np.nan).astype(np.float64)


def _refuse_one_class(signs: Signs, name: str) -> None:
    if not (signs > 0).any() or not (signs < 0).any():
        found = "no labels" if not signs.any() else f"only {'+1' if (signs > 0).any() else '−1'} among its labels"
        raise ValueError(f"{name} has {found}: a probe needs two classes to tell apart.")
