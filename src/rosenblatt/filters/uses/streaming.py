"""A filter at work while samples arrive: lines of text, and the frames of a sound card."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rosenblatt.data.wording import is_number
from rosenblatt.filters.machinery.blocks import Channels
from rosenblatt.filters.machinery.inputs import as_numbers
from rosenblatt.filters.machinery.stepping import SteppingFilter
from rosenblatt.filters.uses.files import is_clock, place_of
from rosenblatt.filters.uses.tasks import describe, final_errors, refuse_other_roles

__all__ = ["LineFilter", "Stream"]

_FINAL = 4096  # samples at the end that the summary's final error is taken over


class LineFilter:
    """Runs a task on lines of numbers, which commas, semicolons, tabs or blanks separate.

    Parameters
    ----------
    task : {"identify", "cancel", "predict", "equalize"}
        As in `rosenblatt.filters.uses.tasks`.
    filter : LMS, NLMS, RLS, …
        Learns, and goes on from what it has learned so far.
    inputs : list of column names or numbers, optional
        The input u; by default the first column that is not a time. Of several, each has a delay line that begins with
        zeros.
    desired : column name or number, optional
        The desired signal d; by default the second such column (for "predict": the input itself).
    shift : int, default 0
        `ahead` of "predict" (at least 1) or `delay` of "equalize".

    Examples
    --------
    >>> from rosenblatt.filters import NLMS
    >>> from rosenblatt.filters.uses.streaming import LineFilter
    >>> lines = LineFilter("identify", NLMS(taps=1, eta=1.0, eps=1e-300), ["x"], "d")
    >>> for line in lines.run(["x,d", "1,2", "2,4", "3,6.5"]):
    ...     print(line)
    y,e
    0.0,2.0
    4.0,0.0
    6.0,0.5
    """

    def __init__(
        self,
        task: str,
        filter: SteppingFilter,  # noqa: A002
        inputs: list[str] | None = None,
        desired: str | None = None,
        shift: int = 0,
    ) -> None:
        refuse_other_roles(task, inputs, desired, shift)
        self.task, self.filter, self.inputs, self.desired = task, filter, inputs, desired
        self.shift = max(1, shift) if task == "predict" else shift
        if not isinstance(filter, SteppingFilter):
            raise ValueError(
                f"{type(filter).__name__} needs the whole signal; a stream needs one that learns by the sample."
            )
        self._channels = Channels(filter, len(inputs or [""]))
        self._late: deque[float] = deque([0.0] * self.shift, maxlen=self.shift + 1)
        self._levels: deque[tuple[float, float]] = deque(maxlen=_FINAL)  # |d| and |e|

    def run(self, lines: Iterable[str]) -> Iterator[str]:
        """Answer each line with "y,e"; a header is answered with a header, an empty line with nothing."""
        places: tuple[list[int], int] | None = None
        separator: str | None = None
        for number, line in enumerate(lines, 1):
            text = line.strip().removeprefix("\ufeff")  # some programs begin a stream with this mark
            if not text:
                continue
            if places is None:
                separator = next((mark for mark in ";\t," if mark in text), None)  # None: blanks
            cells = [cell.strip().strip('"') for cell in text.split(separator)]
            if places is None:
                header = not is_number(cells[0])
                places = self._places(cells if header else [str(k) for k in range(len(cells))])
                if header:
                    yield "y,e"
                    continue
            values = [_sample(cells, k, number) for k in (*places[0], places[1])]
            y, e = self.step(values[:-1], values[-1])
            yield f"{y!r},{e!r}"

    def step(self, u: list[float], d: float) -> tuple[float, float]:
        """One sample: (y, e)."""
        if self.task == "predict":
            self._late.append(u[0])
            d, u = u[0], [self._late[0]]
        elif self.task == "equalize":
            self._late.append(d)
            d = self._late[0]
        run = self._channels.run(np.array([u]), np.array([d]))
        y, e = float(run.y[0]), float(run.e[0])
        self._levels.append((abs(d), abs(e)))
        return y, e

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers as in `Filtered.summary`; those called final are over the last 4,096 samples."""
        desired, error = np.array(self._levels or [(0.0, 0.0)]).T
        about = describe(self.task, self.filter, self.filter.n_samples_, len(self.inputs or [""]))
        weights = self._channels.responses(self.filter.w_)
        return {**about, **final_errors(desired, error, np.full(error.size, True)), "weights": weights.tolist()}

    def _places(self, names: list[str]) -> tuple[list[int], int]:
        refusal = "standard input: there is no column"
        signals = [name for name in names if not is_clock(name)] or names
        inputs = [place_of(name, names, refusal) for name in self.inputs or signals[:1]]
        if self.desired is None and self.task != "predict" and len(signals) < 2:
            raise ValueError(f"standard input has one signal; {self.task} needs two, the input and the desired signal.")
        if self.task == "predict":
            return inputs, inputs[0]
        return inputs, place_of(signals[1] if self.desired is None else self.desired, names, refusal)


def _sample(cells: list[str], k: int, line: int) -> float:
    if k >= len(cells):
        raise ValueError(f"standard input: line {line} has {len(cells)} values; value {k + 1} is missing.")
    if not is_number(cells[k]) or not np.isfinite(float(cells[k])):
        raise ValueError(f"standard input: {cells[k]!r} in line {line} is not a finite number.")
    return float(cells[k])


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
        output: Literal["e", "y"] = "e",
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

    def __call__(self, indata: Any, outdata: Any, frames: int = 0, time: object = None, status: object = None) -> None:
        """Filter the frames of `indata` (frames × columns) and fill `outdata`; frames that are refused leave it silent.

        A status (samples were lost) is counted, and does not stop the stream.
        """
        self.lost_ += bool(status)
        outdata[:] = 0
        for k in range(0, len(indata), self.block):
            part = slice(k, k + self.block)
            outdata[part] = self.process(indata[part])[:, None]

    def process(self, frames: npt.ArrayLike) -> npt.NDArray[Any]:
        """The output for these frames."""
        frames = as_numbers(frames, "frames")
        last = max(*self.inputs, self.desired)
        if frames.ndim != 2 or frames.shape[1] <= last:
            raise ValueError(f"frames must have a column {last}, counted from 0; their shape is {frames.shape}.")
        run = self._channels.run(frames[:, self.inputs], frames[:, self.desired])
        return run.e if self.output == "e" else run.y
