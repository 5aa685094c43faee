"""Filters whose weights are cut into partitions of one block each: long filters with short transforms."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_signal, to_spectrum
from rosenblatt.filters.machinery.blocks import BlockFilter

__all__ = ["PartitionedFilter", "mean_of", "power_of", "whitened"]


class PartitionedFilter(BlockFilter):
    """Partition k weighs the samples of k blocks ago: its output comes from the input's spectrum of k blocks ago."""

    def _layout(self, channels: int) -> Layout:
        taps, block = self.taps // channels, int(self.block)
        partitions = -(-taps // block)
        return Layout(channels, taps, block, 2 * block, partitions, block, partitions - 1)

    def _inside(self, memory: BlockMemory, correction: npt.NDArray[np.complex128]) -> npt.NDArray[Any]:
        """The correction of each partition in time, cut to the times that belong to the partition."""
        layout = memory.layout
        inside = to_signal(correction, layout.size, memory.complex_)[..., : layout.block].reshape(layout.channels, -1)
        inside[:, layout.taps :] = 0.0
        return inside

    def _add(self, memory: BlockMemory, inside: npt.NDArray[Any]) -> None:
        memory.w += inside
        self._spread(memory)


def whitened(memory: BlockMemory, Z: npt.NDArray[np.complex128]) -> tuple[npt.NDArray[np.complex128], float]:
    """Set the signal z of this spectrum to zero outside the block, where no error is known.

    Returns its spectrum then, and Re Σ e*·z.
    """
    layout = memory.layout
    z = to_signal(Z, layout.size, memory.complex_)
    z[: layout.block] = 0.0
    return to_spectrum(z, layout.size), float(np.vdot(memory.e, z[layout.block :]).real)


def mean_of(each: Floats, memory: BlockMemory) -> float:
    """The mean over all frequencies. Of real signals half a spectrum is given: all but its ends count twice."""
    return float(each.sum() if memory.complex_ else 2 * each.sum() - each[0] - each[-1]) / memory.layout.size


def power_of(X: npt.NDArray[np.complex128]) -> Floats:
    """|X|²."""
    return np.asarray(X.real**2 + X.imag**2)
