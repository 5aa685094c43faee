"""Double talk: somebody speaks into the microphone while the far end is heard. A filter must not learn from that.

Detectors of block filters look at each complete block, those of filters that learn by the sample at each sample. Their
answer holds for as long as the filter is: the echo of what was just said is still in the room.
"""

from typing import Any

import numpy as np

from rosenblatt.arrays import Flags
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_spectrum
from rosenblatt.filters.machinery.memory import FilterMemory, Piece
from rosenblatt.filters.theory.stability import energy

__all__ = ["AT", "arrays", "heard", "held", "held_samples"]

AT = {"geigel": 0.5, "coherence": 0.9, "covariance": 4.0}  # thresholds, where none is given
_NOBODY = 0.01  # a microphone below this share of its loudest value so far is silent
_FEW = 25  # blocks of high coherence that are needed before the detector speaks
_SMOOTHING = 0.8  # of the spectra that coherence is made of
_PATIENCE = 50  # filter lengths: a room that has changed looks like somebody who speaks, but for longer


def _blocks_back(layout: Layout) -> int:
    """How many blocks the filter looks back."""
    return -(-layout.taps // layout.block) + 1


def arrays(kind: str | None, layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and dtype of what the detector keeps."""
    kept: dict[str, tuple[tuple[int, ...], str]] = {} if kind is None else {"left": ((1,), "float64")}
    if kind == "geigel":
        kept |= {"peaks": ((_blocks_back(layout),), "float64"), "loudest": ((1,), "float64")}
    if kind == "coherence":
        kept |= {"cross": ((bins,), "complex128"), "powers": ((2, bins), "float64"), "counts": ((6,), "float64")}
    return {f"freeze.{name}": one for name, one in kept.items()}


def heard(kind: str, at: float | None, memory: BlockMemory) -> bool:
    """Whether somebody is heard beside the echo in the block that is complete."""
    look = _geigel if kind == "geigel" else _coherence
    return look(memory, AT[kind] if at is None else at)


def held(memory: BlockMemory, now: bool) -> bool:
    """Whether the weights hold still in this block: somebody was heard in it, or a short time before."""
    left = memory.rule["freeze.left"]
    left[0] = _blocks_back(memory.layout) if now else max(0.0, left[0] - 1)
    return bool(left[0])


def _geigel(memory: BlockMemory, at: float) -> bool:
    """Geigel's test: the microphone is louder than `at` times the loudest sample of the far end within reach.

    A microphone below a hundredth of its loudest value so far counts as silent.
    """
    peaks, loudest = memory.rule["freeze.peaks"], memory.rule["freeze.loudest"]
    peaks[1:] = peaks[:-1]
    peaks[0], now = np.abs(memory.u[:, -memory.layout.block :]).max(), np.abs(memory.d).max()
    loudest[0] = max(loudest[0], now)
    return bool(now > max(at * peaks.max(), _NOBODY * loudest[0]))


def held_samples(memory: FilterMemory, piece: Piece, taps: int, at: float | None) -> Flags:
    """Geigel's test at each sample: whether the weights hold still there."""
    from scipy.ndimage import maximum_filter1d

    m, size = piece.samples, np.abs(piece.x)
    if piece.stride < 0:  # a signal, backwards: the regressor of sample n begins at m − 1 − n
        peaks = maximum_filter1d(size, taps, origin=-(taps // 2))[:m][::-1]
    else:
        peaks = size[piece.first :].reshape(m, taps).max(axis=1)
    now = np.abs(piece.d[piece.past :])
    loudest = np.maximum(np.maximum.accumulate(now), memory.loudest)
    talk = now > np.maximum((AT["geigel"] if at is None else at) * peaks, _NOBODY * loudest)
    places = np.arange(m)
    last = np.maximum.accumulate(np.where(talk, places, memory.left - taps - 1))  # the last sample of talk, so far
    memory.loudest, memory.left = float(loudest[-1]), int(max(0, last[-1] + taps + 1 - m))
    return np.asarray(places <= last + taps)


def _coherence(memory: BlockMemory, at: float) -> bool:
    """Whether the share of the microphone's power that the output explains, by coherence, has fallen below `at`.

    That share is small before the filter has learned anything. So the detector says nothing until the share has stayed
    above the middle between `at` and 1 for a while; once it has fallen, it must come back there. If it stays small for
    long while the far end speaks, the room has changed, and the detector begins anew: with 4,096 taps at 48 kHz after
    four seconds.
    """
    layout, half = memory.layout, (1 + at) / 2
    armed, low, high, mean, blocks, loudest = range(6)
    counts, now, heard = memory.rule["freeze.counts"], energy(memory.u[:, -layout.block :]), energy(memory.d)
    counts[loudest] = max(counts[loudest], heard)
    counts[blocks] += 1
    counts[mean] += (now - counts[mean]) / counts[blocks]
    if heard <= _NOBODY**2 * counts[loudest]:
        return False
    explained, active = _explained(memory), now > 0.1 * counts[mean]
    if not counts[armed]:
        counts[high] = counts[high] + active if explained > half else 0
        counts[armed] = counts[high] > _FEW
        return False
    if explained >= (half if memory.rule["freeze.left"][0] else at):  # to let go takes more than to keep going
        counts[low] = 0
        return False
    counts[low] += active
    if counts[low] * layout.block > _PATIENCE * layout.taps:
        counts[[armed, low, high]] = 0
    return bool(counts[armed])


def _explained(memory: BlockMemory) -> float:
    """Coherence of desired signal and output, averaged over frequencies by the power of the first; 1 in silence."""
    cross, powers = memory.rule["freeze.cross"], memory.rule["freeze.powers"]
    D, Y = (to_spectrum(one, memory.layout.size) for one in (memory.d, memory.d - memory.e))
    new: tuple[tuple[Any, Any], ...] = ((cross, D * Y.conj()), (powers[0], np.abs(D) ** 2), (powers[1], np.abs(Y) ** 2))
    for mean, now in new:
        mean *= _SMOOTHING
        mean += (1 - _SMOOTHING) * now
    whole = powers[0].sum()
    shared = np.abs(cross) ** 2 / np.where(powers[1] > 0, powers[1], np.inf)
    return float(shared.sum() / whole) if whole > 0 else 1.0
