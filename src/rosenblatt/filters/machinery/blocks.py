"""Filters that correct weights once a block, by fast transforms: overlap-save; in partitions, of several channels.

    for each block of samples:
        y(n) = w · x(n)                     # filter, with the weights of the block's beginning
        e(n) = d(n) − y(n)                  # compare
        w = w + correction(e of the block)  # adapt, at its end

The transforms see whole blocks only, so a stream may be cut anywhere and gives the same bits. The output does not wait
until the block is full: the part that earlier samples put into its outputs is known when the block begins (`ahead`, by
transforms), and the part of its own samples is summed directly, sample by sample, over the first `block` weights
(Gardner 1995). So the output has no latency; only the weights are late, by at most one block. A recording that is all
there need not be summed directly (`run(…, offline=True)`): its blocks are filtered by transforms, too.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen
from rosenblatt.filters.machinery import double_talk, two_path
from rosenblatt.filters.machinery.base import AdaptiveFilter, FilterRun
from rosenblatt.filters.machinery.block_memory import BlockMemory, Layout, to_signal, to_spectrum
from rosenblatt.filters.machinery.inputs import as_numbers, delay_line
from rosenblatt.filters.machinery.stepping import Advance, SteppingFilter

__all__ = ["BlockFilter", "Channels", "PartitionedFilter", "mean_of", "power_of", "refuse_uneven", "whitened"]


_AT_ONCE = 1 << 20  # samples of a compiled loop, which cannot be interrupted


class BlockFilter(SteppingFilter):
    """A filter that corrects its weights once in `block` samples."""

    block: int
    _memory_kind: ClassVar[Any] = BlockMemory

    def run(self, u: npt.ArrayLike, d: npt.ArrayLike, history: int | None = None, offline: bool = False) -> FilterRun:
        """As every filter's `run`: filter, compare, adapt, from where the last call left off.

        Parameters
        ----------
        u, d, history
            As in `LMS`; several signals u side by side share the taps.
        offline : bool, default False
            Filter whole blocks by transforms, which is faster for long blocks. An output is then known only when its
            block is complete, and equal to the immediate one up to rounding; chunks of whole blocks give the bits of
            one call.
        """
        self._offline = offline
        try:
            return super().run(u, d, history)
        finally:
            self._offline = False

    # ---------------------------------------------------------------------------------------- what a filter is made of

    @abstractmethod
    def _layout(self, channels: int) -> Layout:
        """Where the weights lie."""

    @abstractmethod
    def _learn(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        """Correct weights and tail after a block; E is the spectrum of its errors, after zeros."""

    def _heard(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> bool:
        """Whether somebody else is heard in the block that is complete."""
        return self.freeze is not None and double_talk.heard(self.freeze, self.freeze_at, memory)

    def _hold(self, memory: BlockMemory, E: npt.NDArray[np.complex128]) -> None:
        """Do what is done in place of learning while somebody else is heard: here nothing."""

    def _rule_arrays(self, layout: Layout, bins: int) -> dict[str, tuple[tuple[int, ...], str]]:
        """Shape and dtype of what the algorithm keeps for itself."""
        if self.freeze == "two-path":
            return two_path.arrays(layout, bins)
        return double_talk.arrays(self.freeze, layout, bins)

    # ------------------------------------------------------------------------------------------------------------ run

    def _advance(self, memory: BlockMemory, u: npt.NDArray[Any], d: npt.NDArray[Any], every: int) -> Advance:
        wide = memory.w.dtype
        u, wanted = (u if u.ndim == 2 else u[:, None]).astype(wide, copy=False), d.astype(wide, copy=False)
        y, kept, done = np.empty(len(d), dtype=wide), [], 0
        still: list[tuple[int, int]] = []
        compiled = self._offline and self._is_compiled(memory)
        while done < len(d):
            part = slice(done, min(len(d), done + self.block - memory.n % self.block))
            many = compiled and part.stop - done == self.block
            if many and not every:
                part = slice(done, done + min(len(d) - done, max(_AT_ONCE, self.block)) // self.block * self.block)
            if every and -memory.n % every < part.stop - done:
                kept += [self._weights.copy()] * len(range(-memory.n % every, part.stop - done, every))
            if many:
                y[part], held = self._filter_blocks(memory, u[part], wanted[part]), False
            else:
                y[part], held = self._filter(memory, u[part], wanted[part])
            done = part.stop
            still += [(memory.n - self.block, memory.n)] if held else []
        rows = np.array(kept, dtype=wide).reshape(len(kept), self.taps)
        return y.astype(d.dtype), (wanted - y).astype(d.dtype), rows, still

    def _is_compiled(self, memory: BlockMemory) -> bool:
        """Whether whole blocks that are all there can be learned in one compiled loop."""
        return False

    def _filter_blocks(self, memory: BlockMemory, u: npt.NDArray[Any], d: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The output of whole blocks; learns from all of them."""
        raise NotImplementedError

    def _filter(self, memory: BlockMemory, u: npt.NDArray[Any], d: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], bool]:
        """The output of samples that lie within one block; learns if they complete it, or says that it held still."""
        from rosenblatt.kernels.filters import respond

        layout, begin, m = memory.layout, memory.n % self.block, len(d)
        here, place = slice(begin, begin + m), layout.size - layout.block + begin
        memory.u[:, place : place + m] = u.T
        y, now = memory.ahead[here].copy(), None
        if self._offline and m == layout.block:
            with np.errstate(over="ignore", invalid="ignore"):
                now = to_spectrum(memory.u, layout.size)
                own = (to_spectrum(memory.w[:, : layout.head], layout.size) * now).sum(axis=0)
                y += to_signal(own, layout.size, memory.complex_)[-m:]
        else:
            direct = np.empty_like(y)
            for signal, w in zip(memory.u, memory.w, strict=True):
                backwards = frozen(signal[place - layout.head + 1 : place + m][::-1].copy())
                respond(backwards, m - 1, -1, w[: layout.head], direct, 0, m)
                y += direct
        memory.d[here], memory.e[here] = d, d - y
        memory.n += m
        return y, begin + m == layout.block and self._end_block(memory, now)

    def _end_block(self, memory: BlockMemory, now: npt.NDArray[np.complex128] | None) -> bool:
        """Learn from the block, or hold still, and look ahead into the next; returns whether it held still.

        `now`: the input's spectra, if they are known.
        """
        layout, spectra = memory.layout, memory.spectra
        spectra[:, 1:] = spectra[:, :-1]
        with np.errstate(over="ignore", invalid="ignore"):
            spectra[:, 0] = to_spectrum(memory.u, layout.size) if now is None else now
            late = np.zeros(layout.size, dtype=memory.e.dtype)
            late[-layout.block :] = memory.e
            E = to_spectrum(late, layout.size)
            if self.freeze == "two-path":
                still = two_path.background_learns(memory, self._learn, self.freeze_at)
            else:
                still = self.freeze is not None and double_talk.held(memory, self._heard(memory, E))
                (self._hold if still else self._learn)(memory, E)
            self._look_ahead(memory)
            self._refuse_divergence(memory.w, memory.n)
            self._refuse_divergence(memory.ahead, memory.n)
        memory.u[:, : -layout.block] = memory.u[:, layout.block :]
        return still

    def _look_ahead(self, memory: BlockMemory) -> None:
        """What the samples so far put into the outputs of the next block."""
        if tails := memory.layout.tails:
            sums = (memory.tail * memory.spectra[:, :tails]).sum(axis=(0, 1))
            memory.ahead[:] = to_signal(sums, memory.layout.size, memory.complex_)[-memory.layout.block :]

    # -------------------------------------------------------------------------------------------------- what is known

    @property
    def _weights(self) -> npt.NDArray[Any]:
        """All taps of the first channel, then of the next."""
        if self._memory is None:
            return self._start_weights()
        return np.ascontiguousarray(self._in_time(self._memory)[:, : self._memory.layout.taps]).reshape(-1)

    def _in_time(self, memory: BlockMemory) -> npt.NDArray[Any]:
        return memory.w

    # ------------------------------------------------------------------------------------------------ what is accepted

    def _input(self, u: npt.ArrayLike) -> tuple[npt.NDArray[Any], str]:
        u = as_numbers(u, "u")
        if u.ndim not in (1, 2) or (u.ndim == 2 and not u.shape[1]):
            raise ValueError(f"u must be a signal (1-D) or signals side by side (2-D); its shape is {u.shape}.")
        refuse_uneven(self.taps, 1 if u.ndim == 1 else u.shape[1])
        return u, "u"

    def _fits(self, memory: BlockMemory) -> bool:
        channels = memory.layout.channels
        return not self.taps % channels and self._layout(channels) == memory.layout

    def _begun(self, u: npt.NDArray[Any]) -> BlockMemory:
        """The memory, which is made before the first sample; refuses an input of another kind than before."""
        channels = 1 if u.ndim == 1 else u.shape[1]
        if self._memory is None:
            start = self._start_weights(u.dtype).reshape(channels, -1)
            layout, complex_ = self._layout(channels), start.dtype.kind == "c"
            self._memory = BlockMemory.new(layout, complex_)
            self._memory.w[:, : layout.taps] = start
            self._spread(self._memory)
        memory: BlockMemory = self._memory
        if memory.keep(self._rule_arrays(memory.layout, memory.spectra.shape[-1])) and self.freeze == "two-path":
            two_path.begin(memory)
        if u.dtype.kind == "c" and not memory.complex_:
            raise ValueError("this filter has learned from real signals; reset() it before it takes complex ones.")
        if memory.layout.channels != channels:
            raise ValueError(
                f"this filter has been fed {memory.layout.channels} signals side by side, and now {channels}: reset() "
                f"it, or go on as it began."
            )
        return memory

    def _spread(self, memory: BlockMemory) -> None:
        """Compute the tail's spectra anew from the weights."""
        layout = memory.layout
        if layout.tails:
            beyond = memory.w[:, layout.block :].reshape(layout.channels, layout.tails, -1)
            memory.tail[:] = to_spectrum(beyond, layout.size)

    def _check_memory(self, memory: BlockMemory) -> None:
        if memory.layout.channels < 1 or not self._fits(memory):
            raise ValueError("the weights of a filter are laid out in another way")
        memory.layout = self._layout(int(memory.layout.channels))  # ints, where the file has floats equal to them
        memory.check(self._rule_arrays(memory.layout, memory.spectra.shape[-1]))


def refuse_uneven(taps: int, channels: int) -> None:
    """Refuse channels that cannot all have the same number of taps."""
    if taps % channels:
        raise ValueError(
            f"{channels} channels share the filter's taps evenly: taps={taps} is not a multiple of {channels}."
        )


# ----------------------------------------------------------------------------------------------------------- partitions


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


# ----------------------------------------------------------------------------------------------------- several channels


class Channels:
    """Runs a filter on channels that share its taps evenly.

    A filter takes one channel as a signal. A block filter takes several as they are, any other filter as rows of a
    delay line, which goes on from piece to piece. `taps` is how many each channel has.
    """

    def __init__(self, learner: object, channels: int) -> None:
        if not isinstance(learner, AdaptiveFilter):
            kind = f"the class {learner.__name__}" if isinstance(learner, type) else type(learner).__name__
            raise TypeError(f"filter must be an adaptive filter, such as NLMS(taps=32), not {kind}.")
        refuse_uneven(learner.taps, channels)
        self.learner, self.taps = learner, learner.taps // channels
        self._before: npt.NDArray[Any] | None = None  # samples that the delay lines still hold

    def run(self, u: npt.NDArray[Any], d: npt.NDArray[Any], **options: object) -> FilterRun:
        """The filter's run on these samples, a channel in each column of u."""
        run: Callable[..., FilterRun] = self.learner.run
        if u.shape[1] == 1 or isinstance(self.learner, BlockFilter):
            return run(u[:, 0] if u.shape[1] == 1 else u, d, **options)
        result = run(delay_line(u, self.taps, self._before), d, **options)
        long = u if self._before is None else np.concatenate([self._before, u])
        self._before = long[max(0, len(long) - self.taps + 1) :].copy()
        return result

    def responses(self, w: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The weights by channel, channels × taps; of one channel as they are."""
        return w if self.taps == len(w) else w.reshape(-1, self.taps)
