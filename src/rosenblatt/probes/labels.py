"""What probes look for: signs (−1, +1, 0 for no label) of classes, and numbers (NaN for none)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Signs
from rosenblatt.data.rows import column_names, refuse_lazy

__all__ = ["Labels", "read_labels"]

_MOST_WHOLE = 50  # different whole numbers, and others, that are taken as names of classes
_MOST_NUMBERS = 10


@dataclass(frozen=True)
class Labels:
    """n × B signs and n × Q numbers, what each column is called, and the columns of each concept of several classes."""

    signs: Signs
    names: list[str]
    numbers: Floats
    number_names: list[str]
    concepts: list[tuple[str, list[str]]]  # name, names of its columns: one class each


def read_labels(Y: Any, n: int, regress: bool | Sequence[str] = False, bins: int | None = None) -> Labels:
    """Signs from whatever says which rows have what.

    - an n × B array of −1, +1 and 0 for "no label", or of Booleans: one probe a column;
    - n labels: of two classes, one probe (the second in sorted order is +1); of more, one against the rest each;
    - a table (pandas, polars, Arrow) or dict of columns: each column by itself, as above; a missing value is no label.

    `regress`: which column or columns are numbers to be predicted (True: all). `bins`: columns of many numbers are cut
    into so many classes of equal size; without either they are refused.
    """
    refuse_lazy(Y)
    regress = [regress] if isinstance(regress, str) else regress
    names = list(Y) if isinstance(Y, Mapping) else column_names(Y) if np.ndim(Y) != 1 else None
    if names is not None:
        for one in () if isinstance(regress, bool) else regress:
            if one not in names:
                raise ValueError(f"regress names {one!r}, which is no column; they are {', '.join(names[:8])}.")
        return _joined([_column(_values(Y, name), name, n, _asked(regress, name), bins) for name in names], n)
    Y = Y.detach().cpu().numpy() if hasattr(Y, "detach") else np.asarray(Y)
    if Y.ndim == 1:
        name = getattr(Y, "name", None) or "y"
        return _joined([_column(_with_missing(Y), name, n, _asked(regress, name), bins)], n)
    if Y.ndim != 2:
        raise ValueError(f"Y must have one or two dimensions, labels or rows × probes; it has {Y.ndim}.")
    _check_rows(len(Y), n)
    if regress is not False:
        return _joined(
            [_column(_with_missing(y), str(j), n, _asked(regress, str(j)), bins) for j, y in enumerate(Y.T)], n
        )
    signs = _signs_of_array(Y)
    for j in np.flatnonzero((signs.max(axis=0) < 1) | (signs.min(axis=0) > -1)):
        _refuse_one_class(signs[:, j], f"column {j} of Y")
    return Labels(signs, [str(j) for j in range(Y.shape[1])], np.zeros((n, 0)), [], [])


def _asked(regress: bool | Sequence[str], name: str) -> bool:
    return regress if isinstance(regress, bool) else name in regress


def _signs_of_array(Y: npt.NDArray[Any]) -> Signs:
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


def _column(values: tuple[npt.NDArray[Any], Flags], name: str, n: int, number: bool, bins: int | None) -> Labels:
    """One column of a table: Booleans, signs, classes, or numbers."""
    y, known = values
    _check_rows(len(y), n)
    if number:
        return _numbers(y, known, name)
    classes = np.unique(y[known])
    if len(classes) and y.dtype.kind in "iuf" and classes[0] == -1 and set(classes.tolist()) <= {-1, 0, 1}:
        signs = np.where(known, y, 0).astype(np.int8)
        _refuse_one_class(signs, repr(name))
        return _of_signs(signs[:, None], [name])
    if y.dtype.kind in "iuf" and _many_numbers(classes):
        if bins is None:
            raise ValueError(
                f"{name!r} has {len(classes):,} different numbers: regress=[{name!r}] (--regress {name}) predicts "
                f"them, bins=4 (--bins 4) makes classes of them; if each is a class, pass them as text."
            )
        y = _binned(y, known, bins)
        classes = np.array(sorted(np.unique(y[known]).tolist(), key=lambda text: int(text.partition(":")[0])))
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"{name!r} has {found}: a probe needs two classes to tell apart.")
    positive = classes[1:] if len(classes) == 2 else classes
    signs = np.where(y[:, None] == positive[None, :], np.int8(1), np.int8(-1))
    signs[~known] = 0
    return _of_signs(signs, [name] if len(classes) == 2 else [f"{name}={one}" for one in classes.tolist()], name)


def _many_numbers(classes: npt.NDArray[Any]) -> bool:
    """Whether a column has more different numbers than classes would have: they are values, not names."""
    whole = classes.dtype.kind != "f" or bool(np.all(classes == np.rint(classes)))
    return len(classes) > (_MOST_WHOLE if whole else _MOST_NUMBERS)


def _numbers(y: npt.NDArray[Any], known: Flags, name: str) -> Labels:
    if y.dtype.kind not in "iufb":
        raise ValueError(f"{name!r} holds text, so it cannot be predicted as numbers (regress).")
    numbers = np.where(known, y, np.nan).astype(np.float64)
    if not np.isfinite(numbers[known]).all():
        raise ValueError(f"{name!r} has an infinite number; it cannot be predicted.")
    if np.unique(numbers[known]).size < 2:
        raise ValueError(f"{name!r} has one number only: there is nothing to predict.")
    return Labels(np.zeros((len(y), 0), dtype=np.int8), [], numbers[:, None], [name], [])


def _binned(y: npt.NDArray[Any], known: Flags, bins: int) -> npt.NDArray[Any]:
    """Names of classes of about equal size, as in "2: 0.5 to 1.25"."""
    if bins < 2:
        raise ValueError(f"bins={bins} must be 2 or more.")
    edges = np.unique(np.quantile(y[known], np.linspace(0, 1, bins + 1)))
    place = np.clip(np.searchsorted(edges, y, side="right") - 1, 0, len(edges) - 2)
    names = np.array([f"{k + 1}: {edges[k]:.4g} to {edges[k + 1]:.4g}" for k in range(len(edges) - 1)])
    return names[np.where(known, place, 0)]


def _of_signs(signs: Signs, names: list[str], concept: str | None = None) -> Labels:
    concepts = [(concept, names)] if concept is not None and len(names) > 1 else []
    return Labels(signs, names, np.zeros((len(signs), 0)), [], concepts)


def _values(table: Any, name: str) -> tuple[npt.NDArray[Any], Flags]:
    """A column's values and which of them are there."""
    column = table[name]
    if hasattr(column, "to_pylist"):  # Arrow
        return _with_missing(np.array(column.to_pylist(), dtype=object))
    return _with_missing(np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column))


def _with_missing(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Flags]:
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


def _joined(parts: list[Labels], n: int) -> Labels:
    return Labels(
        np.ascontiguousarray(np.hstack([np.zeros((n, 0), dtype=np.int8), *(part.signs for part in parts)])),
        [name for part in parts for name in part.names],
        np.hstack([np.zeros((n, 0)), *(part.numbers for part in parts)]),
        [name for part in parts for name in part.number_names],
        [concept for part in parts for concept in part.concepts],
    )


def _check_rows(found: int, n: int) -> None:
    if found != n:
        raise ValueError(f"Y has {found} rows and X has {n}: there must be one row of labels for each row of X.")


def _refuse_one_class(signs: Signs, name: str) -> None:
    if not (signs > 0).any() or not (signs < 0).any():
        found = "no labels" if not signs.any() else f"only {'+1' if (signs > 0).any() else '−1'} among its labels"
        raise ValueError(f"{name} has {found}: a probe needs two classes to tell apart.")
