"""Filter one recording by another, from file to file in constant memory: what `--reference` does."""

import os
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.context import Progress
from rosenblatt.filters.machinery.base import AdaptiveFilter, joined
from rosenblatt.filters.machinery.blocks import Channels
from rosenblatt.filters.machinery.inputs import taps_fit
from rosenblatt.filters.machinery.stepping import SteppingFilter
from rosenblatt.filters.uses.files import WavReader, WavWriter, place_of, read_signals, write_signals
from rosenblatt.filters.uses.tasks import as_json, describe, final_errors, within

__all__ = ["EchoRun", "filter_recordings", "split_channels"]

_CHUNK = 1 << 15  # samples read at once
_POINTS = 1000  # levels over time that are kept, at least
_CLIPPED = 3  # so many samples in a row at full scale are clipped; fewer may be loud peaks


class _Signals:
    """Channels of a file: WAV is read piece by piece, other formats whole. `name` is what the user calls them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path, names = split_channels(name)
        self._wav = WavReader(self.path) if Path(self.path).suffix.lower() == ".wav" else None
        self.rate: float | None
        if self._wav is None:
            file = read_signals(self.path)
            self._whole = np.column_stack([file[name] for name in names or file.signals[:1] or file.others[:1]])
            self.rate, (self.length, self.channels) = file.rate, self._whole.shape
        else:
            refusal = f"{self.path}: there is no channel"
            self._columns = [place_of(name.strip(), self._wav.names, refusal) for name in names or ["0"]]
            self.rate, self.length, self.channels = self._wav.rate, len(self._wav), len(self._columns)
        self.clipped, self._top, self.loudest = 0, 0, 0.0

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Samples start..stop, a channel in each column; counts those that are clipped."""
        values = self._whole[start:stop] if self._wav is None else self._wav.read(start, stop)[:, self._columns]
        size = np.abs(values).max(axis=1) if len(values) else np.zeros(0)
        self.loudest = max(self.loudest, float(size.max(initial=0.0)))
        if self._wav is not None:
            top = size >= self._wav.top
            self._count(np.split(top, np.flatnonzero(np.diff(top)) + 1))
        return values

    def _count(self, runs: list[npt.NDArray[Any]]) -> None:
        """Count clipped samples, in runs at full scale; a run may go on from the piece before."""
        for place, run in enumerate(runs):
            before = 0 if place else self._top
            self._top = before + len(run) if len(run) and run[0] else 0
            if self._top >= _CLIPPED:
                self.clipped += self._top - (before if before >= _CLIPPED else 0)


@dataclass(repr=False)
class EchoRun:
    """The result of filtering one recording by another.

    task, filter   what was done, and the filter that did it, with all it has learned
    samples, rate  how many, and how many a second (None: the files do not say)
    hop            samples in each of the means below
    d_power, e_power   mean |d|² and |e|² over each hop
    w              final weights, channels × taps: the impulse responses
    frozen         where the weights were held still (see `FilterRun`)
    notes          sentences about the recordings that a user should read
    """

    task: str
    filter: AdaptiveFilter
    samples: int
    rate: float | None
    hop: int
    d_power: Floats
    e_power: Floats
    w: npt.NDArray[Any]
    frozen: tuple[tuple[int, int], ...]
    notes: list[str] = field(default_factory=list)

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers for a report, with the names that `Filtered.summary` has."""
        last = slice(len(self.e_power) - max(1, len(self.e_power) // 4), None)
        alone = ~within(self.frozen, len(self.e_power), self.hop)[last]
        ends = final_errors(np.sqrt(self.d_power[last]), np.sqrt(self.e_power[last]), alone)
        return {
            **describe(self.task, self.filter, self.samples, len(self.w)),
            **ends,
            "final_samples": self.samples - self.hop * (len(self.e_power) - ends["final_samples"]),
            "frozen": [list(stretch) for stretch in self.frozen],
            "weights": as_json(self.w[0] if len(self.w) == 1 else self.w),
        }


def filter_recordings(
    reference: str,
    desired: str,
    filter: AdaptiveFilter,  # noqa: A002
    task: str = "cancel",
    *,
    output: str | os.PathLike[str] | None = None,
    response: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EchoRun:
    """Filter one recording by another.

    Parameters
    ----------
    reference, desired : paths
        WAV files (any other format is read whole); "room.wav:1" or "room.wav:right" is a channel of a file,
        "room.wav:0,2" are two of them.
    filter : a filter that learns while it runs
        It goes on from what it has learned so far.
    task : {"cancel", "identify"}
        Whether the result is e or y.
    output : path, optional
        Where to write the result.
    response : path, optional
        Where to write the final weights: the room's impulse response, a column for each channel of the reference.
    progress : callable, optional
        Called now and then with the number of samples done and of all.
    """
    u, d = _Signals(reference), _Signals(desired)
    _refuse_unequal(u, d)
    channels = Channels(filter, u.channels)
    taps_fit(channels.taps, d.length, "the recordings")
    if not isinstance(filter, SteppingFilter):
        raise ValueError(f"{type(filter).__name__} needs the whole signal; recordings are filtered piece by piece.")
    hop = max(64, 1 << max(0, int(np.log2(max(1, d.length / _POINTS)))))
    levels: list[Floats] = []
    frozen: list[tuple[int, int]] = []
    piece = _CHUNK // hop * hop or hop
    rate = u.rate or d.rate
    with nullcontext() if output is None else _writer(output, rate) as writer:
        for start in range(0, d.length, piece):
            stop = min(d.length, start + piece)
            wanted = d.read(start, stop)[:, 0]
            run = channels.run(u.read(start, stop), wanted)
            first = filter.n_samples_ - stop
            frozen += [(max(0, a - first), b - first) for a, b in run.frozen]
            levels.append(np.array([_means(wanted, hop), _means(run.e, hop)]))
            if writer is not None:
                writer.write(run.e if task == "cancel" else run.y)
            if progress:
                progress("filtering", stop, d.length)
    powers, responses = np.concatenate(levels, axis=1), run.w.reshape(u.channels, -1)
    if response is not None:
        write_signals(response, {f"channel {k}": one for k, one in enumerate(responses)}, rate)
    return EchoRun(task, filter, d.length, rate, hop, powers[0], powers[1], responses, joined(frozen), _notes(u, d))


def split_channels(text: str) -> tuple[str, list[str]]:
    """A path and the channels after a colon; a file whose own name has a colon is taken whole."""
    path, colon, names = text.rpartition(":")
    return (path, names.split(",")) if colon and not Path(text).exists() and Path(path).is_file() else (text, [])


def _refuse_unequal(u: _Signals, d: _Signals) -> None:
    if d.channels != 1:
        raise ValueError(f"{d.path}: the desired signal is one channel; {d.channels} were named.")
    if u.rate and d.rate and u.rate != d.rate:
        raise ValueError(
            f"{u.path} has {u.rate:g} samples a second and {d.path} {d.rate:g}: resample one of them first."
        )
    if u.length != d.length:
        raise ValueError(f"{u.path} has {u.length:,} samples and {d.path} {d.length:,}: cut the longer one first.")


def _means(signal: npt.NDArray[Any], hop: int) -> Floats:
    """The mean power of each hop; the last may be shorter."""
    starts = np.arange(0, len(signal), hop)
    with np.errstate(over="ignore"):
        power = np.abs(signal).astype(np.float64) ** 2
    return np.asarray(np.add.reduceat(power, starts) / np.minimum(hop, len(signal) - starts))


def _writer(path: str | os.PathLike[str], rate: float | None) -> WavWriter:
    if Path(path).suffix.lower() != ".wav":
        raise ValueError(f"{path}: recordings are written to .wav files.")
    if rate is None:
        raise ValueError(f"{path}: a WAV file needs a sampling rate, and the files that were read have none.")
    return WavWriter(path, rate)


def _notes(u: _Signals, d: _Signals) -> list[str]:
    """Faults of the recordings that do not stop the filter."""
    files = (u, d)
    silent = [
        f"{file.name} is silent throughout: there was nothing to learn from." for file in files if not file.loudest
    ]
    clipped = [
        f"{file.name} is clipped at {file.clipped:,} samples: no filter can make what was cut off there; record it "
        f"more quietly."
        for file in files
        if file.clipped
    ]
    return silent + clipped
