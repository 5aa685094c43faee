"""PartitionedKalman: a filter for rooms that tracks its own uncertainty. No step to choose; robust to double talk."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT, PART, POSITIVE_OR_NONE, START, one_of
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_spectrum
from rosenblatt.filters.machinery.blocks import PartitionedFilter, mean_of, power_of, whitened
from rosenblatt.filters.machinery.double_talk import AT

__all__ = ["PartitionedKalman"]


@dataclass(eq=False, repr=False)
class PartitionedKalman(PartitionedFilter):
    """Frequency-domain Kalman filter: partitions as in `PartitionedLMS`, and the variance of each weight beside it.

    *Algorithm.* P_k is the variance of what is still unknown of W_k, Ψ the power of what no echo explains (somebody
    speaks, noise), both at each frequency. After each block, with E the spectrum of its errors after as many zeros,

        Ψ    = smoothing·Ψ + (1 − smoothing)·|E|²
        W_k += P_k·X_k*·E / (Σ P_k|X_k|² + 2Ψ)
        P_k  = (1 − ½·P_k|X_k|²/(Σ P_k|X_k|² + 2Ψ))·P_k + drift·block·|W_k|²

    and each W_k is constrained to its partition. The step is large while little is known, and small while the error is
    not the filter's: near-end speech raises Ψ. P begins with the first block in which neither u nor d is silent, at
    the power of d over that of the input: units do not matter.

    *Stability.* The length of a correction is limited as in `PartitionedLMS`. Weights that the filter is sure of change
    slowly: after a sudden change of the room it learns again at the pace of `drift`; `PartitionedLMS` is faster.

    Parameters
    ----------
    taps : int, default 4096
        Number of weights; the channels of several inputs share them evenly.
    block : int, default 512
        Samples between two corrections, and taps in a partition. Powers of two are fastest.
    drift : float, default 1e-6
        How much of a weight's power changes from a sample to the next. More is faster after a change and less precise.
    smoothing : float in [0, 1), default 0.8
        How much of Ψ a block leaves unchanged.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    freeze : {"geigel", "coherence", "covariance", "two-path"}, optional
        Hold the weights still while somebody else is heard (see `FilterRun.frozen`). "geigel": the microphone is louder
        than `freeze_at` times the loudest input within reach. "coherence": the output explains less than `freeze_at` of
        the microphone, and has explained more before. "covariance": the error has more than `freeze_at` times the power
        that the variance of the weights and Ψ predict. "two-path": a filter in the background learns, and the output
        takes over its weights when they have done better, beyond `freeze_at` standard errors; `frozen` is where they
        had done worse.
    freeze_at : float, optional
        The detector's threshold; by default 0.5 for "geigel" (an echo at least 6 dB below the loudspeaker), 0.9 for
        "coherence", 4 for "covariance", 3 for "two-path".

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Enzner & Vary (2006), Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones.
    Kuech, Mabande & Enzner (2014), State-space architecture of the partitioned-block-based acoustic echo controller.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import PartitionedKalman, PartitionedLMS
    >>> rng = np.random.default_rng(0)
    >>> u, h = rng.normal(size=40_000), rng.normal(size=500) * 0.99 ** np.arange(500)
    >>> d = np.convolve(u, h)[:40_000] + 0.01 * rng.normal(size=40_000)
    >>> d[20_000:] += 5 * rng.normal(size=20_000)                       # somebody speaks
    >>> kinds = PartitionedKalman(500, block=64), PartitionedLMS(500, block=64)
    >>> far = [np.linalg.norm(one.run(u, d).w - h) / np.linalg.norm(h) for one in kinds]
    >>> bool(far[1] > 5 * far[0])
    True
    """

    taps: int = field(default=4096, metadata=COUNT)
    block: int = field(default=512, metadata=COUNT)
    drift: float = field(default=1e-6, metadata=PART)
    smoothing: float = field(default=0.8, metadata=PART)
    start: Any = field(default="zeros", metadata=START)
    freeze: str | None = field(default=None, metadata=one_of("geigel", "coherence", "covariance", "two-path", None))
    freeze_at: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    def _rule_arrays(self, layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
        own = {"variance": ((layout.channels, layout.partitions, bins), "float64"), "noise": ((bins,), "float64")}
        return super()._rule_arrays(layout, bins) | own

    def _learn(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        layout, variance, noise = memory.layout, memory.rule["variance"], memory.rule["noise"]
        power = power_of(memory.spectra)
        self._hold(memory, E)
        if not variance.any():
            self._begin(memory, power)
        known = variance * power
        echo = known.sum(axis=(0, 1))
        below = echo + 2 * noise
        below[below == 0] = np.inf
        Z, gain = whitened(memory, E / below)
        length = mean_of(echo * power_of(Z), memory)
        step = min(1.0, gain / length) if length > 0 else 0.0
        self._add(memory, self._inside(memory, variance * memory.spectra.conj() * (step * Z)))
        pieces = memory.w.reshape(layout.channels, layout.partitions, layout.block)
        variance *= 1 - 0.5 * known / below
        variance += self.drift * layout.block * power_of(to_spectrum(pieces, layout.size))

    def _hold(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        """Add the block's error to Ψ: while somebody else is heard, Ψ still learns how loud they are."""
        noise = memory.rule["noise"]
        noise[:] = self.smoothing * noise + (1 - self.smoothing) * power_of(E)

    def _heard(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> bool:
        if self.freeze != "covariance":
            return super()._heard(memory, E)
        echo = (memory.rule["variance"] * power_of(memory.spectra)).sum(axis=(0, 1))
        predicted = mean_of(echo / 2 + memory.rule["noise"], memory)
        at = AT["covariance"] if self.freeze_at is None else self.freeze_at
        return bool(memory.rule["noise"].any() and mean_of(power_of(E), memory) > at * predicted)

    def _begin(self, memory: BlockMemory, power: Floats) -> None:
        """Begin P with the power of d over that of the input, for all weights alike; twice, as half of E is zeros."""
        heard, spoken = float(np.vdot(memory.d, memory.d).real), mean_of(power.sum(axis=(0, 1)), memory)
        if heard > 0 and spoken > 0:
            memory.rule["variance"][:] = 2 * heard / spoken
