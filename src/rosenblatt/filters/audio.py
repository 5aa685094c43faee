"""A filter behind an audio callback: frames come in, frames go out, nothing piles up."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.channels import Channels
from rosenblatt.filters.inputs import as_numbers
from rosenblatt.filters.stepping import SteppingFilter

__all__ = ["Stream"]


class Stream:
    """Runs a filter on frames as a sound card delivers them. Calling it has the signature of sounddevice's callback.

    The output has no latency beside that of the sound card. Any number of frames a call gives the bits of one long run,
    and memory does not grow. `PartitionedLMS` does most of its work in the call that completes one of its blocks: let
    the sound card's blocks be as long as the filter's.

    Parameters
    ----------
    filter : LMS, NLMS, RLS, BlockLMS, PartitionedLMS, …
        Learns, from where it stands.
    block : int, default 512
        The most frames that are filtered at once; longer calls are cut, which changes nothing but the memory they need.
    inputs : list of int, default [0]
        Columns of the frames that play u: the far end, references of a noise. Several share the filter's taps evenly.
    desired : int, default 1
        The column that plays d: the microphone.
    output : {"e", "y"}, default "e"
        What goes out, to every column: the error (echo or noise cancelled) or the filter's output.

    Attributes
    ----------
    lost_ : int
        Calls that came with a status, of samples lost before or after them.

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
        self.filter, self.block, self.inputs, self.desired = filter, int(block), list(inputs), desired
        self.output, self.lost_ = output, 0
        self._channels = Channels(filter, len(self.inputs))

    def __call__(self, indata: Any, outdata: Any, frames: int = 0, time: Any = None, status: Any = None) -> None:
        """Filter the frames of `indata` (frames × columns) and fill `outdata`; silence goes out where they are refused.

        A status that says something (samples were lost) is counted, and does not stop the stream.
        """
        self.lost_ += bool(status)
        outdata[:] = 0
        for k in range(0, len(indata), self.block):
            part = slice(k, k + self.block)
            outdata[part] = self.process(indata[part])[:, None]

    def process(self, frames: Any) -> npt.NDArray[Any]:
        """What goes out for these frames."""
        frames = as_numbers(frames, "frames")
        most = max(*self.inputs, self.desired)
        if frames.ndim != 2 or frames.shape[1] <= most:
            raise ValueError(f"frames must have a column {most}, counted from 0; their shape is {frames.shape}.")
        run = self._channels.run(frames[:, self.inputs], frames[:, self.desired])
        return run.e if self.output == "e" else run.y
