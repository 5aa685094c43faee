"""The rows to learn from and the rows to judge on: how they are split, their layers, labels and groups."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.probes.devices.arrays import beside, is_tensor
from rosenblatt.probes.reading.activations import RowsOnDemand, layers_of
from rosenblatt.probes.reading.labels import Labels, read_test_labels

__all__ = ["Side", "group_numbers", "labels_of_types", "shuffled_signs", "sides", "split"]


def group_numbers(groups: object, n: int, what: str = "groups") -> Places | None:
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
        return _held_out(float(part), n, groups, random, what)
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


def _held_out(part: float, n: int, groups: Places | None, random: np.random.RandomState, what: str) -> Flags:
    if not 0 < part < 1:
        parts = ", or be a number of parts from 2 on" if what == "validation" else ""
        raise ValueError(
            f"{what}={part:g} must lie between 0 and 1{parts}: the part of the rows to hold out (None, or --{what} 0: "
            f"none)."
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


_FITS = 0.4  # the part of a GPU's free memory that a layer may take


@dataclass(frozen=True)
class Side:
    """The rows of one side. Rows to judge on are sorted by group. `types` have the same numbers on both sides."""

    layers: list[Any]
    signs: Signs
    numbers: Floats
    groups: Places | None = None
    types: Places | None = None

    def some(self, rows: Places) -> "Side":
        """These rows, in this order."""
        columns = (self.signs, self.numbers, self.groups, self.types)
        some: Any = (None if one is None else one[rows] for one in columns)
        layers = [X[beside(rows, X)] if is_tensor(X) else RowsOnDemand(X, X.dtype, rows) for X in self.layers]
        return Side(layers, *some)

    def grouped(self) -> "Side":
        """The same, the rows of a group side by side."""
        return self if self.groups is None else self.some(np.argsort(self.groups, kind="stable"))

    def on(self, device: str, number: int) -> Any:
        """A layer; on the GPU where it fits there."""
        X = self.layers[number]
        if device == "cpu" or is_tensor(X):
            return X
        import torch

        if X.shape[0] * X.shape[1] * X.dtype.itemsize > _FITS * torch.cuda.mem_get_info()[0]:
            return X
        return torch.from_numpy(np.ascontiguousarray(X[0 : X.shape[0]])).to("cuda")

    def controls(self, cut: slice, copies: int, seed: list[int], learn: "Side", device: str) -> Signs:
        """Signs for `copies` controls of these probes, copy after copy: shuffled, or drawn by type from `learn`.

        A type has the same answer on both sides. Each side shuffles its labels for itself. A GPU shuffles labels of
        independent rows itself, so its controls are other ones than the CPU's.
        """
        if device == "cuda" and copies and self.types is None and self.groups is None and self.signs[:, cut].all():
            return _shuffled_there(self.signs[:, cut], copies, [*seed, cut.start], device)
        count = 1 + max((int(side.types.max()) for side in (self, learn) if side.types is not None), default=-1)
        made = np.empty((len(self.signs), copies * (cut.stop - cut.start)), dtype=np.int8)
        for k, (copy, j) in enumerate(product(range(copies), range(cut.start, cut.stop))):
            if self.types is not None:
                answers = labels_of_types(learn.signs[:, j], count, np.random.default_rng([seed[0], copy, j]))
                made[:, k] = np.where(self.signs[:, j] == 0, 0, answers[self.types])
            else:
                made[:, k] = shuffled_signs(self.signs[:, j], self.groups, np.random.default_rng([*seed, copy, j]))
        return made


def sides(
    layers: list[Any], labels: Labels, test: Any, groups: Any, types: object, random: np.random.RandomState, device: str
) -> tuple[Side, Places, Side | None]:
    """The training side, the numbers of its rows, and the test side (None where nothing is held out)."""
    n = len(labels.signs)
    whole = Side(layers, labels.signs, labels.numbers, group_numbers(groups, n), group_numbers(types, n, "types"))
    if isinstance(test, tuple) or (isinstance(test, list) and test and np.ndim(test[0]) > 1):
        return whole, np.arange(n), _own_data(test, whole, labels, device).grouped()
    held = split(test, n, whole.groups, random)
    if not held.any():
        return whole, np.arange(n), None
    rows = np.flatnonzero(~held)
    return whole.some(rows), rows, whole.some(np.flatnonzero(held)).grouped()


def _own_data(test: Any, whole: Side, learned: Labels, device: str) -> Side:
    """Rows of their own to judge on; their labels are read as those that were learned."""
    if len(test) not in (2, 3):
        raise ValueError(f"test must be a pair (X, Y) or (X, Y, groups); it is a tuple of {len(test)}.")
    if whole.types is not None:
        raise ValueError("types name the rows of X; with data of its own to test on, control='type' cannot be made.")
    layers, _ = layers_of(test[0], device == "cuda")
    n = int(layers[0].shape[0])
    labels = read_test_labels(test[1], n, learned)
    found, wanted = (
        (len(some), some[0].shape[1], one.signs.shape[1] + one.numbers.shape[1])
        for some, one in ((layers, labels), (whole.layers, learned))
    )
    if found != wanted:
        raise ValueError(
            f"test has {found[0]} layers, {found[1]} columns and {found[2]} probes; X and Y have {wanted[0]}, "
            f"{wanted[1]} and {wanted[2]}."
        )
    return Side(layers, labels.signs, labels.numbers, group_numbers(test[2] if len(test) == 3 else None, n))


def _shuffled_there(signs: Signs, copies: int, seed: list[int], device: str) -> Signs:
    """Every column in a random order of its own, by sorting random numbers on the device."""
    import torch

    random = torch.Generator(device).manual_seed(int(np.random.default_rng(seed).integers(2**63)))
    labels = torch.from_numpy(np.ascontiguousarray(signs)).to(device)
    made = []
    for _ in range(copies):
        order = torch.rand(labels.shape, generator=random, device=device).argsort(0)
        made.append(labels.gather(0, order).cpu().numpy())
    return np.concatenate(made, axis=1)
