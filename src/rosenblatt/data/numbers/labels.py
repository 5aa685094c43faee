"""From the user's labels, any two values, to −1/+1, which all code inside works with."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Integers, Signs

__all__ = ["label_values", "positive_last", "refuse_missing_labels", "signs", "signs_of", "two_class_signs"]

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
