"""Rows for training and rows for the test; related rows stay on one side."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Places, Signs

__all__ = ["group_numbers", "labels_of_types", "shuffled_signs", "split"]


def group_numbers(groups: Any, n: int, what: str = "groups") -> Places | None:
    """0, 1, 2, … for the names of groups, or of types; a row without a name is refused."""
    if groups is None:
        return None
    names = np.asarray(groups)
    if names.shape != (n,):
        raise ValueError(f"{what} must name the {what[:-1]} of each of {n} rows; it has shape {names.shape}.")
    missing = [i for i, name in enumerate(names.tolist()) if name is None or str(name) in ("nan", "<NA>", "NaT")]
    if missing:
        raise ValueError(
            f"{what} names no {what[:-1]} for row {missing[0]}: give a row that stands alone its own name."
        )
    try:
        return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)
    except TypeError:  # numbers beside text
        return np.asarray(np.unique(names.astype(str), return_inverse=True)[1], dtype=np.int64)


def split(part: Any, n: int, groups: Places | None, random: np.random.RandomState, what: str = "test") -> Flags:
    """Which rows are held out: none (None), a part of them (0 < f < 1, drawn by groups), or those of a Boolean mask."""
    if part is None:
        return np.zeros(n, dtype=bool)
    if np.ndim(part) == 0:
        return _drawn(float(part), n, groups, random, what)
    held = np.asarray(part)
    if held.dtype != bool or held.shape != (n,):
        raise ValueError(
            f"{what} must be a part between 0 and 1, a Boolean for each of {n} rows, or a pair (X, Y); it is an "
            f"array of {held.dtype} with shape {held.shape}."
        )
    if held.all() or not held.any():
        raise ValueError(f"{what} holds out {'all' if held.all() else 'none'} of the {n} rows.")
    if groups is not None:
        torn = np.intersect1d(groups[held], groups[~held])
        if torn.size:
            raise ValueError(f"{what} tears {torn.size} groups apart: a group must be held out as a whole.")
    return held


def _drawn(part: float, n: int, groups: Places | None, random: np.random.RandomState, what: str) -> Flags:
    if not 0 < part < 1:
        raise ValueError(
            f"{what}={part!r} must lie between 0 and 1: the part of the rows to hold out (None, or --{what} 0: none)."
        )
    of_row = np.arange(n) if groups is None else groups
    number = int(of_row.max()) + 1
    if number < 2:
        raise ValueError(f"{what} needs two groups or more to hold one out.")
    # whole groups in random order, until their rows make up the part; one at least, not all
    order = random.permutation(number)
    sizes = np.cumsum(np.bincount(of_row, minlength=number)[order])
    chosen = order[: min(number - 1, 1 + int(np.searchsorted(sizes, part * n)))]
    return np.isin(of_row, chosen)


def shuffled_signs(y: Signs, groups: Places | None, random: np.random.Generator) -> Signs:
    """A control's labels: those of the labelled rows in random order.

    Where every group has one label, groups exchange labels as wholes: rows that belong together would otherwise make
    the control easier or harder than the probe.
    """
    control = y.copy()
    labelled = np.flatnonzero(y)
    if groups is not None and labelled.size:
        of_row = groups[labelled]
        names, first, of_row = np.unique(of_row, return_index=True, return_inverse=True)
        of_group = y[labelled][first]
        if names.size < labelled.size and np.array_equal(of_group[of_row], y[labelled]):
            control[labelled] = random.permutation(of_group)[of_row]
            return control
    control[labelled] = random.permutation(y[labelled])
    return control


def labels_of_types(y: Signs, count: int, random: np.random.Generator) -> Signs:
    """What each type answers in the control task of Hewitt and Liang (2019): drawn from the labels as they occur."""
    labelled = y[y != 0]
    return random.choice(labelled, count) if labelled.size else np.zeros(count, dtype=np.int8)
