"""PartitionedLMS: the filter for rooms. Thousands of taps, a step for each frequency."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT, PART, POSITIVE, POSITIVE_OR_NONE, START, allowed, one_of
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_signal, to_spectrum
from rosenblatt.filters.machinery.blocks import PartitionedFilter, mean_of, power_of, whitened
from rosenblatt.filters.theory.stability import NORMALISED, energy

__all__ = ["PartitionedLMS"]


@dataclass(eq=False, repr=False)
class PartitionedLMS(PartitionedFilter):
    """Partitioned block frequency-domain adaptive filter (PBFDAF, "multidelay filter").

    *Algorithm.* The weights are cut into partitions of `block` taps with spectra W_k; X_k is the spectrum of the last
    two blocks of input, k blocks ago. After each block, with E the spectrum of its errors after as many zeros,

        Z    = E / (ε + max(S, mean of S)),    S = Σ_k |X_k|²
        W_k += η·a·X_k*·Z

    at each frequency by itself: quiet frequencies of a coloured input are learned as fast as loud ones, where `NLMS`
    learns them slowly. The mean of S is over the blocks so far, older ones count less (`smoothing`). ε is `eps` times
    the mean of S over all frequencies and blocks so far: units do not matter. Before Z is used, its signal z is set to
    zero outside the block, where no error is known. Then each W_k is constrained to the times that belong to its
    partition, by two transforms. `constraint="alternating"` constrains the first and one other in turn, which saves
    most of the transforms; "none" constrains the first only, and learns much less well. `normalized=False` takes η·E
    for η·a·Z: it is `BlockLMS`, partitioned. The output is immediate (see `machinery/blocks.py`), the weights are up
    to one block late.

    *Stability.* 0 < η < 2 with `normalized`, whatever the input; a larger η warns. The factor a = min(1, Σ e*z / ‖g‖²)
    guarantees it, where g is the whole correction for a = η = 1: if d is h·x without noise, ‖h − w‖² changes by
    −2ηa·Σ e*z + (ηa)²·‖g‖², so the weights never move away from h. Textbooks have no such factor; there a sine or a
    random walk as input makes the weights diverge.

    Parameters
    ----------
    taps : int, default 4096
        Number of weights; the channels of several inputs share them evenly.
    eta : float, default 0.5
        The step.
    block : int, default 512
        Samples between two corrections, and taps in a partition. Powers of two are fastest: from 32 on, whole
        recordings (`run(…, offline=True)`) of real signals are learned in one compiled loop, where all is constrained.
    eps : float, default 1e-4
        ε, as a share of the mean power.
    smoothing : float in [0, 1), default 0.9
        How much of the mean of S a block leaves unchanged.
    constraint : {"full", "alternating", "none"}, default "full"
        Which partitions are constrained after a block, beside the first: all, one in turn, or none. The last two need
        taps that are a whole number of blocks.
    normalized : bool, default True
        Whether the step is divided by the power at each frequency.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    freeze, freeze_at
        As in `BlockLMS`.

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Soo & Pang (1990), Multidelay block frequency domain adaptive filter. Shynk (1992), Frequency-domain and multirate
    adaptive filtering.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import NLMS, PartitionedLMS
    >>> rng = np.random.default_rng(0)
    >>> u = np.convolve(rng.normal(size=40_000), 0.95 ** np.arange(100))[:40_000]        # coloured: mostly low tones
    >>> h = rng.normal(size=500) * 0.99 ** np.arange(500)
    >>> d = np.convolve(u, h)[:40_000]
    >>> kinds = NLMS(500), PartitionedLMS(500, block=64)
    >>> far = [np.linalg.norm(one.run(u, d).w - h) / np.linalg.norm(h) for one in kinds]
    >>> bool(far[1] < far[0] / 10)
    True
    """

    taps: int = field(default=4096, metadata=COUNT)
    eta: float = field(default=0.5, metadata=POSITIVE)
    block: int = field(default=512, metadata=COUNT)
    eps: float = field(default=1e-4, metadata=POSITIVE)
    smoothing: float = field(default=0.9, metadata=PART)
    constraint: str = field(default="full", metadata=one_of("full", "alternating", "none"))
    normalized: bool = field(default=True, metadata=allowed("boolean"))
    start: Any = field(default="zeros", metadata=START)
    freeze: str | None = field(default=None, metadata=one_of("geigel", "coherence", "two-path", None))
    freeze_at: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    def _layout(self, channels: int) -> Layout:
        layout = super()._layout(channels)
        if self.constraint != "full" and layout.taps % layout.block:
            raise ValueError(
                f"constraint={self.constraint!r} needs a whole number of blocks: {layout.taps} taps are not a "
                f"multiple of block={layout.block}."
            )
        return layout

    def _rule_arrays(self, layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
        own = {"power": ((bins,), "float64"), "mean": ((2,), "float64")}  # of each bin; of all bins, and its blocks
        return super()._rule_arrays(layout, bins) | own

    def _learn(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        Z, gain = self._whitened(memory, E) if self.normalized else (E, np.inf)
        correction = memory.spectra.conj() * Z
        if self.constraint == "full":
            inside = self._inside(memory, correction)
            self._add(memory, self._safe(gain, energy(inside)) * inside)
            return
        layout = memory.layout
        correction *= self._safe(gain, mean_of(power_of(correction).sum(axis=(0, 1)), memory))
        memory.w[:, : layout.block] += to_signal(correction[:, 0], layout.size, memory.complex_)[:, : layout.block]
        memory.tail += correction[:, 1:]
        if self.constraint == "alternating" and layout.tails:
            turn = memory.tail[:, memory.n // layout.block % layout.tails]
            turn[:] = to_spectrum(to_signal(turn, layout.size, memory.complex_)[:, : layout.block], layout.size)

    def _whitened(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> tuple[npt.NDArray[np.complex128], float]:
        """Errors over the power at each frequency, cut to the block; and Re Σ e*·z."""
        now = power_of(memory.spectra).sum(axis=(0, 1))
        return whitened(memory, E / self._below(memory, now))

    def _safe(self, gain: float, length: float) -> float:
        """η·a for a correction of this squared length."""
        return float(self.eta * (min(1.0, gain / length) if length > 0 else 0.0))

    def _below(self, memory: BlockMemory, now: Floats) -> Floats:
        """ε + max(S, mean of S); infinite where there was no input at all."""
        power, mean = memory.rule["power"], memory.rule["mean"]
        power[:] = np.where(power > 0, power + (1 - self.smoothing) * (now - power), now)
        mean[1] += 1
        mean[0] += (mean_of(now, memory) - mean[0]) / mean[1]
        below = self.eps * mean[0] + np.maximum(now, power)
        return np.asarray(np.where(below > 0, below, np.inf))

    # ------------------------------------------------------------------------------------------------ a whole recording

    def _is_compiled(self, memory: BlockMemory) -> bool:
        block = self.block
        return not (block & (block - 1) or block < 32 or memory.complex_ or self.freeze) and self.constraint == "full"

    def _filter_blocks(self, memory: BlockMemory, u: npt.NDArray[Any], d: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The same as block by block, to rounding; spectra lie in another order (see `kernels/transforms.py`)."""
        from rosenblatt.kernels.partitions import learn_blocks
        from rosenblatt.kernels.transforms import places, tables

        layout, (place, turned) = memory.layout, places(memory.layout.size)
        channels, partitions, block, size = layout.channels, layout.partitions, layout.block, layout.size
        spectra = memory.spectra[:, ::-1, place]  # the last block's lies last in the ring
        X = np.stack([spectra.real, np.where(turned, -spectra.imag, spectra.imag)], axis=-2)
        X = X.reshape(channels, partitions, size + 16)
        power, y, e = memory.rule["power"][place], np.empty_like(d), np.empty_like(d)
        blocks = learn_blocks(
            np.concatenate([memory.u[:, :block], u.T], axis=1),
            np.ascontiguousarray(d),
            *(
                y,
                e,
                memory.w,
                partitions,
                layout.taps,
                np.empty_like(X).reshape(-1),
                X.reshape(-1),
                power.reshape(-1),
                memory.rule["mean"],
            ),
            *((self.eta, self.eps, 1 - self.smoothing), self.normalized, tables(size)),
            *(np.empty_like(memory.w), np.empty((7, size + 16))),
        )
        self._refuse_divergence(memory.w, memory.n + (blocks + 1) * block)
        memory.n += len(d)
        rows = np.roll(X, -blocks, axis=1)[:, ::-1].reshape(channels, partitions, -1, 2, 8)
        real, imaginary = rows[..., 0, :], np.where(turned, -rows[..., 1, :], rows[..., 1, :])
        memory.spectra.real[..., place], memory.spectra.imag[..., place] = real, imaginary
        memory.rule["power"][place] = power
        memory.u[:, :block] = memory.u[:, -block:] = u[-block:].T
        memory.d[:], memory.e[:] = d[-block:], e[-block:]
        self._spread(memory)
        self._look_ahead(memory)
        self._refuse_divergence(memory.ahead, memory.n)
        return y

    def _in_time(self, memory: BlockMemory) -> npt.NDArray[Any]:
        if self.constraint == "full":
            return memory.w
        tail = to_signal(memory.tail, memory.layout.size, memory.complex_)[..., : memory.layout.block]
        return np.concatenate([memory.w[:, : memory.layout.block], tail.reshape(memory.layout.channels, -1)], axis=1)

    def _largest_step(self, memory: BlockMemory, u: npt.NDArray[Any]) -> tuple[float, str]:
        return NORMALISED if self.normalized else super()._largest_step(memory, u)
