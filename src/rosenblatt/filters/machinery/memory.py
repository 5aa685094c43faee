"""What a filter keeps between calls, and how a signal is cut into pieces that continue it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.models.storage import Damaged

__all__ = ["FilterMemory", "Piece", "WeightMemory"]

_WIDTH = 256.0  # a sample counts as at least so many multiplications: a piece is short enough for the cache


class Piece(NamedTuple):
    """Some samples as the kernels take them: regressor n at x[first + n·stride], desired value n at d[past + n]."""

    x: npt.NDArray[Any]
    first: int
    stride: int
    d: npt.NDArray[Any]
    past: int
    samples: int


@dataclass
class WeightMemory:
    """Weights, and what filters count. A subclass adds arrays of its own; ARRAYS and NUMBERS name what is saved."""

    w: npt.NDArray[Any]
    n: int = field(default=0, kw_only=True)  # samples so far
    warned: bool = field(default=False, kw_only=True)  # of a step that is too large
    energy: float = field(default=0.0, kw_only=True)  # Σ|u|² so far, where the bound of the step needs it
    loudest: float = field(default=0.0, kw_only=True)  # largest |d| so far, where a detector of double talk needs it
    left: int = field(default=0, kw_only=True)  # samples for which the weights are still held
    checked: tuple[Any, ...] = field(default=(), kw_only=True)  # the parameters when they were last found valid

    ARRAYS: ClassVar[tuple[str, ...]] = ("w",)
    NUMBERS: ClassVar[tuple[str, ...]] = ("n", "warned")

    def to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers to be saved."""
        return {name: getattr(self, name) for name in self.ARRAYS}, {name: getattr(self, name) for name in self.NUMBERS}

    @classmethod
    def from_parts(cls, arrays: dict[str, Any], numbers: dict[str, Any]) -> Self:
        """The memory that `to_parts` took apart."""
        kept: dict[str, Any] = {name: np.array(arrays[name]) for name in cls.ARRAYS}
        return cls(**kept, **{name: numbers[name] for name in cls.NUMBERS})

    def check_numbers(self) -> None:
        """Refuse saved numbers that no filter can have counted."""
        counted = all(type(count) is int and count >= 0 for count in (self.n, self.left))
        if not counted or not all(isinstance(value, float | int) for value in (self.energy, self.loudest)):
            raise Damaged("a filter has not counted its samples")


@dataclass
class FilterMemory(WeightMemory):
    """Weights, the rule's matrix and vector, earlier samples (or rows) `u`, and earlier desired values `d`."""

    matrix: npt.NDArray[Any]
    vector: Floats
    u: npt.NDArray[Any]
    d: npt.NDArray[Any]

    ARRAYS: ClassVar[tuple[str, ...]] = ("w", "matrix", "vector", "u", "d")
    NUMBERS: ClassVar[tuple[str, ...]] = ("n", "warned", "energy", "loudest", "left")

    def pieces(self, u: npt.NDArray[Any], d: npt.NDArray[Any], cost: float) -> Iterator[Piece]:
        """Cut signals into pieces of bounded memory and time, `cost` being that of a sample; move on after each."""
        past = len(self.d)
        for begin, end in pieces(len(d), max(cost, _WIDTH)):
            m, long = end - begin, np.ascontiguousarray(u[begin:end])
            if len(self.u):
                long = np.concatenate([self.u.astype(u.dtype, copy=False), long])
            wanted = frozen(np.concatenate([self.d.astype(d.dtype, copy=False), d[begin:end]]))
            if u.ndim == 1:  # backwards, so that u(n), u(n−1), … lie in a row
                yield Piece(frozen(long[::-1].copy()), m - 1, -1, wanted, past, m)
            else:
                taps = u.shape[1]
                yield Piece(frozen(long.reshape(-1)), past * taps, taps, wanted, past, m)
            self.u, self.d = long[len(long) - len(self.u) :].copy(), wanted[len(wanted) - past :].copy()
            self.n += m
