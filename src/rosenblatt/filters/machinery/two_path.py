"""Two paths (Ochiai, Araseki and Ogihara 1977): a filter in the background always learns, another makes the output.

The output's filter (the foreground) copies the background's weights when these have proved better; the background goes
back to the output's weights when its own have proved worse. So the output does not suffer from what misleads the
background, a speaker or a step that is too large; and a room that changes is learned without delay.

How they are compared: in each block since the last decision, before it is learned from, D is the power of the
foreground's error minus that of the background's, divided by their sum. Loud blocks and quiet ones count alike. Where
neither filter is better, D is as likely to be negative as positive, and ΣD/√ΣD² is about a standard normal number; when
it is larger than `freeze_at`, or smaller than −`freeze_at`, it decides.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_signal, to_spectrum
from rosenblatt.filters.theory.stability import energy

__all__ = ["AT", "arrays", "background_learns", "begin"]

AT = 3.0  # so at least nine blocks must agree
_FADING = 0.95  # each block counts so many times what the next one counts
_TOTAL, _SQUARES, _WORSE = range(3)

Learn = Callable[[BlockMemory, npt.NDArray[np.complex128]], None]


def arrays(layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and dtype of what is kept: the background's weights (as complex numbers, even if real) and the sums."""
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
    """After a complete block: decide, and let the background learn; returns whether it was last found worse."""
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
    """The error of the memory's weights in the block that is complete."""
    layout, spectra = memory.layout, memory.spectra
    sums = to_spectrum(memory.w[:, : layout.length], layout.size) * spectra[:, 0]
    if layout.partitions > 1:
        sums += (memory.tail * spectra[:, 1:]).sum(axis=1)
    return np.asarray(memory.d - to_signal(sums.sum(axis=0), layout.size, memory.complex_)[-layout.block :])


def _compare(sums: Floats, front: float, back: float, at: float) -> int:
    """1 if the background is better, −1 if it is worse, 0 if that is open."""
    if not np.isfinite(front + back):  # the background has diverged
        sums[_WORSE] = 1.0
        return -1
    D = (front - back) / (front + back) if front + back > 0 else 0.0
    sums[:_WORSE] = _FADING * sums[:_WORSE] + (D, D * D)
    decided = int(np.sign(sums[_TOTAL])) if abs(sums[_TOTAL]) > at * np.sqrt(sums[_SQUARES]) else 0
    if decided or sums[_TOTAL] > 0:
        sums[_WORSE] = float(decided < 0)
    return decided
