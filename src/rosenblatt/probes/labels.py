"""Labels of all probes as one table of signs: −1, +1, and 0 where a row has no label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import column_names, refuse_lazy

__all__ = ["Labels", "read_labels"]


@dataclass(frozen=True)
class Labels:
    """n × B signs, and what each column is called."""

    signs: npt.NDArray[np.int8]
    names: list[str]


def read_labels(Y: Any, n: int) -> Labels:
    """Signs from whatever says which rows have what.

    - an n × B array of −1, +1 and 0 for "no label", or of Booleans: one probe a column;
    - n labels: of two classes, one probe (the second in sorted order is +1); of more, one against the rest each;
    - a table (pandas, polars, Arrow) or dict of columns: each column by itself, as above; a missing value is no label.
    """
    refuse_lazy(Y)
    names = list(Y) if isinstance(Y, Mapping) else column_names(Y) if np.ndim(Y) != 1 else None
    if names is not None:
        columns = [_column(_values(Y, name), name, n) for name in names]
        return _joined(columns)
    Y = Y.detach().cpu().numpy() if hasattr(Y, "detach") else np.asarray(Y)
    if Y.ndim == 1:
        return _joined([_column(_with_missing(Y), getattr(Y, "name", None) or "y", n)])
    if Y.ndim != 2:
        raise ValueError(f"Y must have one or two dimensions, labels or rows × probes; it has {Y.ndim}.")
    _check_rows(len(Y), n)
    signs = _signs_of_array(Y)
    for j in np.flatnonzero(~((signs > 0).any(axis=0) & (signs < 0).any(axis=0))):
        _refuse_one_class(signs[:, j], f"column {j} of Y")
    return Labels(signs, [str(j) for j in range(Y.shape[1])])


def _signs_of_array(Y: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
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
    return Y.astype(np.int8)


def _column(values: tuple[npt.NDArray[Any], npt.NDArray[np.bool_]], name: str, n: int) -> Labels:
    """One column of a table: Booleans, signs, or classes."""
    y, known = values
    _check_rows(len(y), n)
    classes = np.unique(y[known])
    if len(classes) and y.dtype.kind in "iuf" and classes[0] == -1 and set(classes.tolist()) <= {-1, 0, 1}:
        signs = np.where(known, y, 0).astype(np.int8)
        _refuse_one_class(signs, repr(name))
        return Labels(signs[:, None], [name])
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"{name!r} has {found}: a probe needs two classes to tell apart.")
    positive = classes[1:] if len(classes) == 2 else classes
    signs = np.where(y[:, None] == positive[None, :], np.int8(1), np.int8(-1))
    signs[~known] = 0
    return Labels(signs, [name] if len(classes) == 2 else [f"{name}={one}" for one in classes.tolist()])


def _values(table: Any, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """A column's values and which of them are there."""
    column = table[name]
    if hasattr(column, "to_pylist"):  # Arrow
        return _with_missing(np.array(column.to_pylist(), dtype=object))
    return _with_missing(np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column))


def _with_missing(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """NaN, None and NA are no labels."""
    if y.dtype.kind == "f":
        return y, ~np.isnan(y)
    if y.dtype != object:
        return y, np.ones(len(y), dtype=bool)
    known = np.array([one is not None and type(one).__name__ != "NAType" and one == one for one in y], dtype=bool)
    filled = np.array([one for one, there in zip(y, known, strict=True) if there])
    whole = np.zeros(len(y), dtype=filled.dtype if filled.size else bool)
    whole[known] = filled
    return whole, known


def _joined(parts: list[Labels]) -> Labels:
    return Labels(
        np.ascontiguousarray(np.hstack([part.signs for part in parts])), [name for part in parts for name in part.names]
    )


def _check_rows(found: int, n: int) -> None:
    if found != n:
        raise ValueError(f"Y has {found} rows and X has {n}: there must be one row of labels for each row of X.")


def _refuse_one_class(signs: npt.NDArray[np.int8], name: str) -> None:
    if not (signs > 0).any() or not (signs < 0).any():
        found = "no labels" if not signs.any() else f"only {'+1' if (signs > 0).any() else '−1'} among its labels"
        raise ValueError(f"{name} has {found}: a probe needs two classes to tell apart.")
