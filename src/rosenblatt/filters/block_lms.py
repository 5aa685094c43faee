"""BlockLMS: the corrections of LMS, added up over a block."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery.base import COUNT, POSITIVE, POSITIVE_OR_NONE, START, one_of
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_signal
from rosenblatt.filters.machinery.blocks import BlockFilter
from rosenblatt.filters.theory.stability import energy, fourth_moment_factor

__all__ = ["BlockLMS"]


@dataclass(eq=False, repr=False)
class BlockLMS(BlockFilter):
    """Least mean squares with one correction a block, by one long transform.

    *Algorithm.* y = w·x, e = d − y with the weights of the block's beginning; at its end w += η·Σ e(n)·x(n)*, the sum
    over the block. Both sums are convolutions, computed by transforms (overlap-save). With block = 1 it is `LMS`; with
    a small step it learns as `LMS` does with the same η, for a small part of the work. The output is immediate (see
    `rosenblatt.filters.machinery.blocks`), the weights are up to one block late.

    *Stability.* A block's step is `block` times that of a sample, so η must be smaller: with white input, in the mean
    square, below 2/((taps + block + 1) · input power); coloured input needs less. A larger η warns.

    Parameters
    ----------
    taps : int, default 1024
        Number of weights; the channels of several inputs share them evenly.
    eta : float, default 1e-4
        The step, in the unit of `LMS`.
    block : int, default 256
        Samples between two corrections.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    freeze : {"geigel", "coherence", "two-path"}, optional
        Hold the weights still while somebody else is heard (see `FilterRun.frozen`). "geigel": the microphone is louder
        than `freeze_at` times the loudest input within reach. "coherence": the output explains less than `freeze_at` of
        the microphone, and has explained more before. "two-path": a filter in the background learns, and the output
        takes over its weights when they have done better, beyond `freeze_at` standard errors; `frozen` is where they
        had done worse.
    freeze_at : float, optional
        The detector's threshold; by default 0.5 for "geigel" (an echo at least 6 dB below the loudspeaker), 0.9 for
        "coherence", 3 for "two-path".

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Clark, Mitra & Parker (1981), Block implementation of adaptive digital filters. Ferrara (1980), Fast implementation
    of LMS adaptive filters. Gardner (1995), Efficient convolution without input-output delay.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import BlockLMS
    >>> rng = np.random.default_rng(0)
    >>> u, h = rng.normal(size=100_000), rng.normal(size=1000) * 0.99 ** np.arange(1000)
    >>> d = np.convolve(u, h)[:100_000]
    >>> w = BlockLMS(taps=1000, eta=2e-4).run(u, d).w
    >>> bool(np.linalg.norm(w - h) < 1e-3 * np.linalg.norm(h))
    True
    """

    taps: int = field(default=1024, metadata=COUNT)
    eta: float = field(default=1e-4, metadata=POSITIVE)
    block: int = field(default=256, metadata=COUNT)
    start: Any = field(default="zeros", metadata=START)
    freeze: str | None = field(default=None, metadata=one_of("geigel", "coherence", "two-path", None))
    freeze_at: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    def _layout(self, channels: int) -> Layout:
        from scipy.fft import next_fast_len

        taps, block = self.taps // channels, int(self.block)
        return Layout(channels, taps, block, next_fast_len(taps + block - 1, real=True), 1, taps, int(taps > block))

    def _learn(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        slope = to_signal(memory.spectra[:, 0].conj() * E, memory.layout.size, memory.complex_)
        memory.w += self.eta * slope[:, : memory.layout.taps]
        self._spread(memory)

    def _largest_step(self, memory: BlockMemory, u: npt.NDArray[Any]) -> tuple[float, str]:
        with np.errstate(over="ignore"):
            memory.energy += energy(u)
        power = memory.energy / (memory.n + len(u)) * memory.layout.taps  # ‖x‖², on average
        bound = 2 / (power * (1 + (self.block + fourth_moment_factor(u) - 1) / self.taps)) if power else np.inf
        return bound, "the largest step that theory calls stable for BlockLMS on white input of this power"
