"""The rows to learn from and the rows to judge on: their layers, labels and groups."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import beside
from rosenblatt.probes.reading.activations import RowsOnDemand, layers_of
from rosenblatt.probes.reading.labels import Labels, read_test_labels
from rosenblatt.probes.reading.splits import group_numbers, labels_of_types, shuffled_signs, split

__all__ = ["Side", "sides"]

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
        layers = [X[beside(rows, X)] if hasattr(X, "is_cuda") else RowsOnDemand(X, X.dtype, rows) for X in self.layers]
        return Side(layers, *some)

    def grouped(self) -> "Side":
        """The same, the rows of a group side by side."""
        return self if self.groups is None else self.some(np.argsort(self.groups, kind="stable"))

    def on(self, device: str, number: int) -> Any:
        """A layer; on the GPU where it fits there."""
        X = self.layers[number]
        if device == "cpu" or hasattr(X, "is_cuda"):
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
    layers: list[Any], labels: Labels, test: Any, groups: Any, types: Any, random: np.random.RandomState, device: str
) -> tuple[Side, Places, Side | None]:
    """The training side, the numbers of its rows, and the test side (None where nothing is held out)."""
    n = len(labels.signs)
    whole = Side(layers, labels.signs, labels.numbers, group_numbers(groups, n), group_numbers(types, n, "types"))
    if isinstance(test, tuple) or (isinstance(test, list) and np.ndim(test[0]) > 1):
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
