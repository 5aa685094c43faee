"""FxLMS: active noise control, where the output passes through a path before it meets the noise."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.filters.machinery.base import COUNT, POSITIVE, START, FilterRun, allowed
from rosenblatt.filters.machinery.inputs import as_numbers, refuse_nonfinite
from rosenblatt.filters.machinery.memory import WeightMemory
from rosenblatt.filters.machinery.stepping import Advance, SteppingFilter
from rosenblatt.filters.theory.stability import NORMALISED
from rosenblatt.models.storage import numbers

__all__ = ["FxLMS"]


@dataclass
class _Memory(WeightMemory):
    """Weights, running mean of ‖x'‖², and past values of the reference, the output and the filtered reference.

    `filtered` begins taps − 1 values before the first sample that was played and not heard yet.
    """

    mean: Floats
    u: Floats
    spoken: Floats
    filtered: Floats

    ARRAYS: ClassVar[tuple[str, ...]] = ("w", "mean", "u", "spoken", "filtered")


@dataclass(eq=False, repr=False)
class FxLMS(SteppingFilter):
    """Filtered-x least mean squares, normalised: a loudspeaker learns to cancel a noise where a microphone is.

    *Algorithm.* The loudspeaker plays y = w·x, where x are the last values of a reference that hears the noise early.
    On its way to the microphone y goes through the secondary path: a(n) = Σ secondary[k]·y(n − k) arrives, and
    e = d − a is left of the noise d. The gradient of e² contains that path, so the reference goes through an estimate:
    w += η/(ε + ‖x'‖²)·e·x' with x'(n) = Σ estimate[k]·x(n − k). ε is `eps` times the mean of ‖x'‖² so far.

    *Stability.* η must be smaller than for `NLMS`, the more so the longer the delay of the secondary path. An estimate
    that is wrong by more than 90° at some frequency diverges there with every step. Measure it: play noise, record it,
    and take the weights of `identify`.

    Parameters
    ----------
    taps : int, default 32
        Number of weights.
    eta : float, default 0.1
        The step.
    secondary : array, default (1.0,)
        The impulse response from loudspeaker to microphone.
    estimate : array, optional
        What the filter knows of the secondary path; by default the path itself.
    eps : float, default 1e-3
        ε, as a share of the running mean of ‖x'‖².
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    Notes
    -----
    `run` simulates: it is given the noise as it would be without control, and the secondary path. On a real system only
    the microphone knows what is left: there, `play` returns what the loudspeaker is to play, and `hear` learns from
    what the microphone measured. Then `secondary` serves only as the estimate, if `estimate` is not given.

    References
    ----------
    Widrow & Stearns (1985), Adaptive Signal Processing. Kuo & Morgan (1999), Active noise control: a tutorial review.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import FxLMS, NLMS, identify
    >>> rng = np.random.default_rng(0)
    >>> noise, path = rng.normal(size=20_000), [0.0, 0.0, 0.8, 0.3]       # the loudspeaker is two samples away
    >>> d = np.convolve(noise, [0, 0, 0, 0, 0.5, 0.4, 0.2])[:20_000]      # the noise is four
    >>> test = rng.normal(size=5000)                                      # what is played to measure the path
    >>> heard = np.convolve(test, path)[:5000] + 0.01 * rng.normal(size=5000)
    >>> known = identify(test, heard, NLMS(taps=4, eta=0.1)).w
    >>> run = FxLMS(taps=16, secondary=path, estimate=known).run(noise, d)
    >>> bool(np.std(run.e[-2000:]) < 0.05 * np.std(d))
    True
    """

    _bound: ClassVar[tuple[float, str]] = NORMALISED
    _memory_kind: ClassVar[Any] = _Memory
    _arrays: ClassVar[tuple[str, ...]] = ("start", "secondary", "estimate")

    taps: int = field(default=32, metadata=COUNT)
    eta: float = field(default=0.1, metadata=POSITIVE)
    secondary: Any = field(default=(1.0,), metadata=allowed("array-like"))
    estimate: Any = field(default=None, metadata=allowed("array-like", None))
    eps: float = field(default=1e-3, metadata=POSITIVE)
    start: Any = field(default="zeros", metadata=START)

    def run(self, u: npt.ArrayLike, d: npt.ArrayLike, history: int | None = None) -> FilterRun:
        """Control noise, sample by sample, from where the last call left off; chunks give the bits of one call.

        Parameters
        ----------
        u : array of n samples
            The reference.
        d : array of n samples
            The noise at the microphone, as it is without control.
        history : int, optional
            Keep the weights before every `history`-th sample.

        Returns
        -------
        FilterRun
            y, what arrives at the microphone; e = d − y, what is left there; the weights; history.
        """
        return self._run_one(u, d, history)

    def _advance(self, memory: _Memory, u: npt.NDArray[Any], d: npt.NDArray[Any], every: int) -> Advance:
        from rosenblatt.kernels.filters import control

        y, e, kept = np.empty(len(d)), np.empty(len(d)), []
        paths, done = self._paths(), 0
        while done < len(d):
            due = -memory.n % every if every else len(d)
            if every and due == 0:
                kept.append(memory.w.copy())
                due = every
            _, size = next(pieces(min(due, len(d) - done), 4.0 * self.taps + paths[0].size + paths[1].size))
            part, long = slice(done, done + size), np.concatenate([memory.u, u[done : done + size]])
            spoken, filtered = (np.concatenate([past, np.empty(size)]) for past in (memory.spoken, memory.filtered))
            rest = (*paths, spoken, filtered, memory.mean, float(self.eta), float(self.eps), y[part], e[part])
            control(frozen(long), frozen(d[part]), memory.w, *rest)
            memory.u, memory.spoken, memory.filtered = long[size:], spoken[size:], filtered[size:]
            memory.n, done = memory.n + size, part.stop
            self._refuse_divergence(memory.w, memory.n)
        return y, e, np.array(kept).reshape(-1, self.taps), []

    def play(self, u: npt.ArrayLike) -> Any:
        """What the loudspeaker is to play now, for one sample of the reference or for several."""
        from rosenblatt.kernels.filters import speak

        self._check_parameters()
        u = _real(u, "u", "real samples", (0, 1))
        memory = self._begun(u)
        long = np.concatenate([memory.u, np.atleast_1d(u)])
        spoken, filtered = np.empty(u.size), np.concatenate([memory.filtered, np.empty(u.size)])
        speak(frozen(long), memory.w, self._paths()[1], spoken, filtered)
        memory.u, memory.filtered = long[u.size :], filtered
        memory.spoken = np.concatenate([memory.spoken, spoken])[u.size :]
        memory.n += u.size
        return spoken if u.ndim else float(spoken[0])

    def hear(self, e: npt.ArrayLike) -> None:
        """Learn from what the microphone measured, in the order in which the samples were played."""
        from rosenblatt.kernels.filters import hear

        self._check_parameters()
        e = _real(e, "e", "real samples", (0, 1))
        waiting = self._waiting()
        if e.size > waiting:
            raise ValueError(
                f"hear was given {e.size} samples, and {waiting} are waiting to be heard: play them first."
            )
        memory = self._memory
        hear(np.atleast_1d(e), memory.w, frozen(memory.filtered), memory.mean, float(self.eta), float(self.eps))
        memory.filtered = memory.filtered[e.size :]
        self._refuse_divergence(memory.w, memory.n)

    def _waiting(self) -> int:
        """Samples that were played and not heard."""
        return 0 if self._memory is None else len(self._memory.filtered) - (self.taps - 1)

    def _signals(self, u: npt.ArrayLike, d: npt.ArrayLike) -> tuple[Floats, Floats]:
        self._check_parameters()
        u, d = (_real(one, name, "a real signal (1-D)", (1,)) for one, name in ((u, "u"), (d, "d")))
        if len(u) != len(d):
            raise ValueError(f"u has {len(u)} samples and d has {len(d)}: they must have the same length.")
        if self._waiting():
            raise ValueError(f"{self._waiting()} samples were played and not heard: hear them first, or reset().")
        return u, d

    def _paths(self) -> tuple[Floats, Floats]:
        """Secondary path and estimate."""
        given = self.secondary, self.secondary if self.estimate is None else self.estimate
        paths = []
        for one, name in zip(given, ("secondary", "estimate"), strict=True):
            path = as_numbers(one, name)
            if path.ndim != 1 or not path.size or path.dtype.kind == "c" or not np.isfinite(path).all():
                raise ValueError(f"{name} must be an impulse response: at least one finite real number, 1-D.")
            paths.append(np.array(path, dtype=np.float64))
        return paths[0], paths[1]

    def _pasts(self) -> dict[str, int]:
        """How many earlier values are kept."""
        secondary, estimate = self._paths()
        return {"u": max(self.taps, estimate.size) - 1, "spoken": secondary.size - 1, "filtered": self.taps - 1}

    def _fits(self, memory: _Memory) -> bool:
        exact = (len(getattr(memory, k)) == n for k, n in self._pasts().items() if k != "filtered")
        return memory.w.size == self.taps and all(exact) and self._waiting() >= 0

    def _begun(self, u: npt.NDArray[Any]) -> _Memory:
        if self._memory is None:
            pasts: dict[str, Any] = {name: np.zeros(size) for name, size in self._pasts().items()}
            self._memory = _Memory(np.array(self._start_weights().real), np.zeros(2), **pasts)
        memory: _Memory = self._memory
        self._refuse_other_lengths(memory)  # a path may be changed in place, which `_check_parameters` does not see
        return memory

    def _check_memory(self, memory: _Memory) -> None:
        numbers(memory.w, self.taps)
        numbers(memory.mean, 2)
        for name, size in self._pasts().items():
            numbers(getattr(memory, name), max(size, len(memory.filtered)) if name == "filtered" else size)
        memory.check_numbers()


def _real(values: npt.ArrayLike, name: str, what: str, dimensions: tuple[int, ...]) -> Floats:
    """The values as floats; refused if they are complex or have other dimensions. `what` is what they should be."""
    array = as_numbers(values, name)
    if array.ndim not in dimensions or array.dtype.kind == "c":
        raise ValueError(f"{name} must be {what}; it is {array.dtype.name} of shape {array.shape}.")
    refuse_nonfinite(np.atleast_1d(array), name)
    return array.astype(np.float64)
