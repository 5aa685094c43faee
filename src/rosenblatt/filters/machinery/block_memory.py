"""What a block filter keeps between calls: weights, spectra of its input, and the block that is being filled."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery.inputs import zeros
from rosenblatt.filters.machinery.memory import WeightMemory
from rosenblatt.models.storage import Damaged, numbers

__all__ = ["BlockMemory", "Layout", "to_signal", "to_spectrum"]


class Layout(NamedTuple):
    """How the weights are divided among spectra.

    channels    inputs side by side
    taps        weights of each
    block       samples between two corrections
    size        length of the transforms
    partitions  pieces that the weights of a channel are cut into
    length      weights in a piece (the last may have fewer in use)
    tails       spectra that hold the weights beyond the first `block`
    """

    channels: int
    taps: int
    block: int
    size: int
    partitions: int
    length: int
    tails: int

    @property
    def head(self) -> int:
        """How many weights are multiplied with samples of the block that is being filled."""
        return min(self.block, self.taps)

    def arrays(self, complex_: bool) -> dict[str, tuple[tuple[int, ...], str]]:
        """Shape and dtype of everything that every block filter keeps."""
        bins = self.size if complex_ else self.size // 2 + 1
        number = "complex128" if complex_ else "float64"
        return {
            "w": ((self.channels, self.partitions * self.length), number),
            "tail": ((self.channels, self.tails, bins), "complex128"),
            "spectra": ((self.channels, self.partitions, bins), "complex128"),
            "u": ((self.channels, self.size), number),
            "d": ((self.block,), number),
            "e": ((self.block,), number),
            "ahead": ((self.block,), number),
        }


@dataclass
class BlockMemory(WeightMemory):
    """State between two samples.

    w        weights in time, a channel in each row
    tail     spectra of the weights beyond the head, one for each earlier spectrum of the input that they multiply
    spectra  of the last `size` samples, at the end of the last block and of the blocks before it
    u        the last `size` − `block` samples before this block, then the block
    d, e     desired values and errors of this block
    ahead    what samples before this block put into each of its outputs
    rule     what the algorithm keeps beside these
    """

    tail: npt.NDArray[Any]
    spectra: npt.NDArray[Any]
    u: npt.NDArray[Any]
    d: npt.NDArray[Any]
    e: npt.NDArray[Any]
    ahead: npt.NDArray[Any]
    layout: Layout
    rule: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    ARRAYS: ClassVar[tuple[str, ...]] = ("w", "tail", "spectra", "u", "d", "e", "ahead")
    NUMBERS: ClassVar[tuple[str, ...]] = ("n", "warned", "energy", "layout")

    def __post_init__(self) -> None:
        self.layout = Layout(*self.layout)  # a file has a list

    @classmethod
    def new(cls, layout: Layout, complex_: bool) -> "BlockMemory":
        """Zeros throughout, and nothing yet that the algorithm keeps for itself."""
        arrays: dict[str, Any] = {name: zeros(*kind) for name, kind in layout.arrays(complex_).items()}
        return cls(**arrays, layout=layout)

    def keep(self, rule: dict[str, tuple[tuple[int, ...], str]]) -> bool:
        """Keep the arrays that the rule needs now, zeros where they are new; returns whether any is new.

        They change when another detector of double talk is chosen.
        """
        if self.rule.keys() == rule.keys():
            return False
        self.rule = {name: self.rule[name] if name in self.rule else zeros(*one) for name, one in rule.items()}
        return True

    @property
    def complex_(self) -> bool:
        """Whether the signals are complex."""
        return bool(self.w.dtype.kind == "c")

    def to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers to be saved."""
        arrays, numbers = super().to_parts()
        return arrays | {f"rule.{name}": array for name, array in self.rule.items()}, numbers

    @classmethod
    def from_parts(cls, arrays: dict[str, Any], numbers: dict[str, Any]) -> Self:
        """The memory that `to_parts` took apart."""
        memory = super().from_parts(arrays, numbers)
        memory.rule = {name[5:]: np.array(array) for name, array in arrays.items() if name.startswith("rule.")}
        return memory

    def check(self, rule: dict[str, tuple[tuple[int, ...], str]]) -> None:
        """Refuse a saved memory that no filter can have written: the compiled loop does not check types and lengths."""
        for name, (shape, dtype) in self.layout.arrays(self.complex_).items():
            numbers(getattr(self, name), *shape, dtype=dtype)
        if set(rule) != set(self.rule):
            raise Damaged("a filter has not kept what its rule needs")
        for name, (shape, dtype) in rule.items():
            numbers(self.rule[name], *shape, dtype=dtype)
        self.check_numbers()


def to_spectrum(x: npt.NDArray[Any], size: int) -> npt.NDArray[np.complex128]:
    """The transform of each row, filled up with zeros to `size`; of real rows half of it, which says all."""
    return np.fft.fft(x, size) if x.dtype.kind == "c" else np.fft.rfft(x, size)


def to_signal(X: npt.NDArray[np.complex128], size: int, complex_: bool) -> npt.NDArray[Any]:
    """The rows that have these transforms."""
    return np.fft.ifft(X, size) if complex_ else np.fft.irfft(X, size)
