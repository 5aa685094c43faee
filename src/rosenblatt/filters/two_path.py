"""Two paths (Ochiai, Araseki and Ogihara 1977): a filter in the background always learns, another makes the output.

The output's filter takes the background's weights over when they have shown themselves better; the background goes back
to the output's weights when its own have shown themselves worse. So whatever misleads the background, somebody who
speaks or a step that is too large, is not heard; and a room that changes is learned without delay.

How they show it: in each block since the last decision, D is the power of the foreground's error less that of the
background's, as a share of both, before the block is learned from. Loud blocks and quiet ones count alike. Where
neither filter is better, D is as likely to be negative as positive, and ΣD/√ΣD² is about a standard normal number;
beyond `freeze_at` it decides.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.block_memory import BlockMemory, Layout, to_signal, to_spectrum
from rosenblatt.filters.stability import energy

__all__ = ["AT", "arrays", "background_learns", "begin"]

AT = 3.0  # so at least nine blocks must agree
_FADING = 0.95  # what a block counts in the sums, once the next one has come
_TOTAL, _SQUARES, _WORSE = range(3)

Learn = Callable[[BlockMemory, npt.NDArray[np.complex128]], None]


def arrays(layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and dtype of what is kept: the background's weights, real ones too as complex numbers; and sums."""
    return {
        "back.w": ((layout.channels, layout.partitions * layout.length), "complex128"),
        "back.tail": ((layout.channels, layout.tails, bins), "complex128"),
        "back.sums": ((3,), "float64"),  # ΣD, ΣD², and whether the background was found worse
    }


def begin(memory: BlockMemory) -> None:
    """Both paths begin with the same weights."""
    memory.rule["back.w"][:], memory.rule["back.tail"][:] = memory.w, memory.tail
    memory.rule["back.sums"][:_WORSE] = 0.0


def background_learns(memory: BlockMemory, learn: Learn, at: float | None) -> bool:
    """After a complete block: decide, and let the background learn; returns whether it was misled by something."""
    front, rule = (memory.w, memory.tail, memory.e), memory.rule
    stored = rule["back.w"] if memory.complex_ else rule["back.w"].real
    memory.w, memory.tail = stored.copy(), rule["back.tail"].copy()
    error = _error(memory)
    decided = _compare(rule["back.sums"], energy(memory.e), energy(error), AT if at is None else at)
    if decided < 0:
        memory.w, memory.tail, memory.e = front
        begin(memory)
        return True
    if decided > 0:
        front[0][:], front[1][:] = memory.w, memory.tail
        rule["back.sums"][:] = 0.0
    memory.e = error
    late = np.zeros(memory.layout.size, dtype=error.dtype)
    late[-len(error) :] = error
    learn(memory, to_spectrum(late, memory.layout.size))
    rule["back.w"][:], rule["back.tail"][:] = memory.w, memory.tail
    memory.w, memory.tail, memory.e = front
    return bool(rule["back.sums"][_WORSE])


def _error(memory: BlockMemory) -> npt.NDArray[Any]:
    """What the weights leave of the desired signal in the block that is complete."""
    layout, spectra = memory.layout, memory.spectra
    sums = to_spectrum(memory.w[:, : layout.length], layout.size) * spectra[:, 0]
    if layout.partitions > 1:
        sums += (memory.tail * spectra[:, 1:]).sum(axis=1)
    return np.asarray(memory.d - to_signal(sums.sum(axis=0), layout.size, memory.complex_)[-layout.block :])


def _compare(sums: Floats, front: float, back: float, at: float) -> int:
    """1 where the background is better, −1 where it is worse, 0 where that is open."""
    if not np.isfinite(front + back):  # the background has diverged
        sums[_WORSE] = 1.0
        return -1
    D = (front - back) / (front + back) if front + back > 0 else 0.0
    sums[:_WORSE] = _FADING * sums[:_WORSE] + (D, D * D)
    decided = int(np.sign(sums[_TOTAL])) if abs(sums[_TOTAL]) > at * np.sqrt(sums[_SQUARES]) else 0
    if decided or sums[_TOTAL] > 0:
        sums[_WORSE] = float(decided < 0)
    return decided
