"""The arguments of `fit`: each is checked, and turned into what training takes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import Flags, Places
from rosenblatt.probes.devices import gpu
from rosenblatt.probes.devices.training import Deal
from rosenblatt.probes.learning.trainer import METHODS
from rosenblatt.probes.reading.labels import Labels
from rosenblatt.probes.reading.splits import split
from rosenblatt.probes.sides import Side

__all__ = ["check_numbers", "chooses", "dealer", "device_of", "methods_of", "rows_aside", "titles_of"]

_FEW = 20  # with fewer rows all are learned from, and none is set aside to choose on


def methods_of(method: str | Sequence[str]) -> list[str]:
    """The names of the methods; an unknown one, or one named twice, is refused."""
    methods = [method] if isinstance(method, str) else list(method)
    for name in methods:
        if name not in METHODS:
            raise ValueError(f"method={name!r} must be one of {', '.join(map(repr, METHODS))}.")
    if not methods or len(set(methods)) < len(methods):
        raise ValueError("method names no method, or one twice.")
    return methods


def titles_of(names: Sequence[str] | None, layers: int) -> list[str]:
    """The name of each layer."""
    if names is None:
        return [f"layer {number}" for number in range(layers)]
    if len(names) != layers:
        raise ValueError(f"names has {len(names)} names for {layers} layers.")
    return [str(name) for name in names]


def device_of(device: str) -> str:
    """The device to train on, "cpu" or "cuda"; a GPU that cannot be used is refused."""
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device={device!r} must be 'auto', 'cpu' or 'cuda'.")
    if device == "cuda" and gpu.missing():
        raise ValueError(f"device='cuda' needs a GPU with torch and Triton: {gpu.missing()}.")
    return "cuda" if device == "cuda" or (device == "auto" and gpu.available()) else "cpu"


def check_numbers(passes: int, order: str, controls: int, control: str, types: Any, l2: float | None) -> None:
    """Refuse numbers out of range and choices that do not exist."""
    if order not in ("cyclic", "shuffled"):
        raise ValueError(f"order={order!r} must be 'cyclic' or 'shuffled'.")
    for name, value, least in (("passes", passes, 1), ("controls", controls, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name}={value!r} must be a whole number from {least} on.")
    if control not in ("labels", "type"):
        raise ValueError(f"control={control!r} must be 'labels' or 'type'.")
    if (control == "type") != (types is not None):
        raise ValueError("control='type' and types go together: the type of each row, for instance its word.")
    if l2 is not None and not (isinstance(l2, (int, float, np.number)) and 0 < l2 < np.inf):
        raise ValueError(f"l2={l2!r} must be a number above 0.")


def chooses(methods: list[str], labels: Labels, l2: float | None, layers: int) -> bool:
    """Whether there is anything to choose: the layer, or λ."""
    penalised = bool(labels.number_names) or {"logistic", "least-squares"} & set(methods)
    return layers > 1 or (bool(penalised) and l2 is None)


def rows_aside(validation: Any, rows: Places, learn: Side, random: np.random.RandomState) -> Flags | None:
    """Which training rows are set aside to choose the layer and λ on; None where there are too few."""
    if validation is None or len(rows) < _FEW or (learn.groups is not None and np.unique(learn.groups).size < 2):
        return None
    groups = None if learn.groups is None else np.unique(learn.groups, return_inverse=True)[1]
    if np.ndim(validation):
        validation = np.asarray(validation)
        if validation.ndim == 1 and len(validation) > len(rows):  # a mask of all rows; those of `test` stay there
            validation = validation[rows]
    return split(validation, len(rows), groups, random, "validation")


def dealer(order: str, n: int, seed: int) -> Deal | None:
    """The permutations that a Perceptron with this seed makes."""
    if order == "cyclic":
        return None
    from rosenblatt.kernels.orders import Shuffled, deal_pass

    shuffled = Shuffled(n, np.uint64(seed), np.empty(n, dtype=np.uint32))

    def deal(number: int) -> Places:
        deal_pass(shuffled, number * n)
        return np.asarray(shuffled.permutation, dtype=np.int64)

    return deal
