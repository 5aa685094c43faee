"""A filter as an audio callback: frames come in, frames go out, and memory does not grow."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery.channels import Channels
from rosenblatt.filters.machinery.inputs import as_numbers
from rosenblatt.filters.machinery.stepping import SteppingFilter

__all__ = ["Stream"]


class Stream:
    """Runs a filter on frames as a sound card delivers them. Calling it has the signature of sounddevice's callback.

    The filter adds no latency to that of the sound card. Calls with any number of frames give the bits of one long run.
    `PartitionedLMS` does most of its work in the call that completes one of its blocks: let the sound card's blocks be
    as long as the filter's.

    Parameters
    ----------
    filter : LMS, NLMS, RLS, BlockLMS, PartitionedLMS, …
        Learns, and goes on from what it has learned so far.
    block : int, default 512
        The most frames that are filtered at once; longer calls are cut, which changes nothing but the memory they need.
    inputs : list of int, default [0]
        Columns of the frames that are the input u: the far end, references of a noise. Several share the filter's taps
        evenly.
    desired : int, default 1
        The column that is the desired signal d: the microphone.
    output : {"e", "y"}, default "e"
        What goes out, to every column: the error (echo or noise cancelled) or the filter's output.

    Attributes
    ----------
    lost_ : int
        Calls that came with a status: the sound card lost samples before or after them.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import PartitionedLMS, Stream
    >>> rng = np.random.default_rng(0)
    >>> far = rng.normal(size=50_000)
    >>> frames = np.column_stack([far, np.convolve(far, [0.0, 0.5, 0.2])[:50_000]])
    >>> stream = Stream(PartitionedLMS(taps=256, block=64))        # sounddevice.Stream(channels=2, callback=stream, …)
    >>> out = np.empty((500, 2))
    >>> for k in range(0, 50_000, 500):
    ...     stream(frames[k : k + 500], out, 500, None, None)
    >>> bool(abs(out).max() < 1e-6)                                # the echo is gone
    True
    """

    def __init__(
        self,
        filter: SteppingFilter,  # noqa: A002
        block: int = 512,
        inputs: Sequence[int] = (0,),
        desired: int = 1,
        output: str = "e",
    ) -> None:
        if not isinstance(filter, SteppingFilter):
            raise TypeError(f"a stream needs a filter that learns while it runs, not {type(filter).__name__}.")
        if not (isinstance(block, (int, np.integer)) and block >= 1):
            raise ValueError(f"block={block!r} must be a whole number of frames, at least 1.")
        if output not in ("e", "y"):
            raise ValueError(f'output={output!r} must be "e" or "y".')
        if not len(inputs) or min(*inputs, desired) < 0:
            raise ValueError(f"inputs={list(inputs)} and desired={desired} must be columns of the frames, from 0.")
        self.filter, self.block, self.inputs, self.desired = filter, int(block), list(inputs), desired
        self.output, self.lost_ = output, 0
        self._channels = Channels(filter, len(self.inputs))

    def __call__(self, indata: Any, outdata: Any, frames: int = 0, time: Any = None, status: Any = None) -> None:
        """Filter the frames of `indata` (frames × columns) and fill `outdata`; frames that are refused leave it silent.

        A status (samples were lost) is counted, and does not stop the stream.
        """
        self.lost_ += bool(status)
        outdata[:] = 0
        for k in range(0, len(indata), self.block):
            part = slice(k, k + self.block)
            outdata[part] = self.process(indata[part])[:, None]

    def process(self, frames: Any) -> npt.NDArray[Any]:
        """The output for these frames."""
        frames = as_numbers(frames, "frames")
        last = max(*self.inputs, self.desired)
        if frames.ndim != 2 or frames.shape[1] <= last:
            raise ValueError(f"frames must have a column {last}, counted from 0; their shape is {frames.shape}.")
        run = self._channels.run(frames[:, self.inputs], frames[:, self.desired])
        return run.e if self.output == "e" else run.y
