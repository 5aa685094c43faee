"""What all adaptive filters share: signals in, pieces through the compiled loop, state kept between calls."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rosenblatt.data.rows import frozen, pieces
from rosenblatt.filters.inputs import as_numbers, common_type, refuse_nonfinite
from rosenblatt.models.saving import to_scalar

__all__ = ["AdaptiveFilter", "FilterRun", "OnlineFilter"]

_WIDTH = 256.0  # a piece has no more samples than rows of this width: its buffers stay in the cache


class FilterRun(NamedTuple):
    """What a filter made of a signal.

    y        output w·x, before the weights learn from the sample
    e        error d − y
    w        weights at the end
    history  weights before every k-th sample, if they were asked for (`history=k`), else None
    """

    y: npt.NDArray[Any]
    e: npt.NDArray[Any]
    w: npt.NDArray[Any]
    history: npt.NDArray[Any] | None = None


class Piece(NamedTuple):
    """Some samples as the kernels take them: regressor n at x[first + n·stride], desired value n at d[past + n]."""

    x: npt.NDArray[Any]
    first: int
    stride: int
    d: npt.NDArray[Any]
    past: int
    start: int
    stop: int


@dataclass
class Memory:
    """What a filter keeps between calls; `u` are earlier samples or rows, `d` their desired values."""

    w: npt.NDArray[Any]
    matrix: npt.NDArray[Any]
    vector: npt.NDArray[np.float64]
    u: npt.NDArray[Any]
    d: npt.NDArray[Any]
    n: int = 0  # samples so far
    warned: bool = False  # of a step that is too large
    energy: float = 0.0  # Σ|u|² so far, where the bound of the step needs it
    checked: tuple[Any, ...] = ()  # the parameters as they were when they were last found valid
    quick: tuple[Any, ...] = ()  # what `adapt` hands to the kernel, if these parameters still hold

    ARRAYS: ClassVar[tuple[str, ...]] = ("w", "matrix", "vector", "u", "d")  # to be saved
    NUMBERS: ClassVar[tuple[str, ...]] = ("n", "warned", "energy")


def _energy(u: npt.NDArray[Any]) -> float:
    """Σ|u|² without a copy; einsum, because the threads that BLAS wakes for a dot product cost more than they help."""
    letters = "ij"[: u.ndim]
    parts = (u.real, u.imag) if u.dtype.kind == "c" else (u,)
    return float(sum(np.einsum(f"{letters},{letters}->", part, part, dtype=np.float64) for part in parts))


def _as_pairs(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Complex numbers as real and imaginary parts, along one more axis."""
    return np.stack([array.real, array.imag], axis=-1)


def _from_pairs(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    parts = np.ascontiguousarray(array)
    return parts.view(np.complex64 if parts.dtype == np.float32 else np.complex128).reshape(parts.shape[:-1])


class AdaptiveFilter(BaseEstimator):  # type: ignore[misc]
    """A linear neuron on a stream; `taps` weights, which start at zero or at `start`."""

    taps: int
    start: Any
    _memory: Memory | None = None

    # -------------------------------------------------------------------------------------------------- what is known

    @property
    def w_(self) -> npt.NDArray[Any]:
        """The weights now (read-only)."""
        return frozen(self._started(np.dtype(np.float64)).w)  # type: ignore[no-any-return]

    @property
    def n_samples_(self) -> int:
        """Samples seen since the beginning or the last `reset`."""
        return 0 if self._memory is None else self._memory.n

    def reset(self) -> Self:
        """Forget everything learned; parameters stay."""
        self._memory = None
        return self

    def predict(self, x: Any) -> Any:
        """w·x of one regressor (`taps` values) or of each row of a matrix, with the weights as they are."""
        from rosenblatt.kernels.filters import respond

        rows = as_numbers(x, "x")
        single = rows.ndim == 1
        rows = self._check_rows(rows[None, :] if single else rows, "x")
        refuse_nonfinite(rows, "x")
        memory = self._started(rows.dtype)
        if memory.w.dtype.kind == "c" and rows.dtype.kind != "c":
            rows = rows.astype(np.complex128)
        y = np.empty(len(rows), dtype=rows.dtype)
        flat = frozen(np.ascontiguousarray(rows).reshape(-1))
        for start, stop in pieces(len(rows), self.taps):
            respond(flat, 0, self.taps, memory.w, y, start, stop)
        return y[0] if single else y

    # ---------------------------------------------------------------------------------------- what a filter is made of

    @property
    def _past(self) -> int:
        """How many earlier regressors a correction looks at."""
        return 0

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The rule's matrix and vector at the beginning."""
        return np.empty((0, 0), dtype=dtype), np.empty(0)

    # --------------------------------------------------------------------------------------------------------- pieces

    def _signals(self, u: Any, d: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Input and desired signal, checked, in one dtype."""
        self._check_parameters()
        name = "u" if np.ndim(u) == 1 else "X"
        u, d = as_numbers(u, name), as_numbers(d, "d")
        if u.ndim != 1:
            self._check_rows(u, name)
        if d.ndim != 1:
            raise ValueError(f"d must be a signal (1-D); it has {d.ndim} dimensions.")
        if len(u) != len(d):
            what = "samples" if u.ndim == 1 else "rows"
            raise ValueError(f"{name} has {len(u)} {what} and d has {len(d)}: they must have the same length.")
        refuse_nonfinite(u, name)  # all of it before anything is learned: a chunk is taken whole or not at all
        refuse_nonfinite(d, "d")
        dtype = common_type(u, d)
        if self._memory is not None and self._memory.w.dtype.kind == "c":
            dtype = np.result_type(dtype, np.complex64)
        return u.astype(dtype, copy=False), d.astype(dtype, copy=False)

    def _check_parameters(self) -> None:
        """Validate what has changed: for a single sample, looking at everything would cost more than learning it."""
        memory = self._memory
        now = tuple(getattr(self, name) for name in self._parameter_constraints if name != "start")
        if memory is not None and memory.checked == now:
            return
        self._validate_params()
        if memory is not None:
            if memory.w.size != self.taps or memory.d.size != self._past:
                raise ValueError("the filter's length was changed after it had begun to learn: reset() it first.")
            memory.checked, memory.quick = now, ()

    def _check_rows(self, X: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        if X.ndim != 2:
            raise ValueError(f"{name} must be a signal (1-D) or rows of regressors (2-D); it has {X.ndim} dimensions.")
        if X.shape[1] != self.taps:
            raise ValueError(
                f"{name} has {X.shape[1]} columns and the filter {self.taps} taps: the rows of a 2-D input are "
                f"regressors, one value for each tap (see delay_line)."
            )
        return X

    def _started(self, dtype: np.dtype[Any], ndim: int = 0) -> Memory:
        """The memory, begun if there is none; refuses what does not go on with it."""
        kind = np.complex128 if dtype.kind == "c" else np.float64
        if self._memory is None:
            self._check_parameters()
            w = self._start_weights(np.dtype(kind))
            matrix, vector = self._new_matrix(w.dtype)
            self._memory = Memory(w, matrix, vector, np.empty(0, dtype=w.dtype), np.zeros(self._past, dtype=w.dtype))
        memory = self._memory
        if memory.n == 0 and ndim:  # nothing has been learned yet: now it is known what the input looks like
            self._take_type(memory, np.dtype(kind))
            shape: tuple[int, ...] = (self._past + self.taps - 1,) if ndim == 1 else (self._past, self.taps)
            memory.u, memory.d = np.zeros(shape, dtype=dtype), np.zeros(self._past, dtype=dtype)
        if kind is np.complex128 and memory.w.dtype.kind != "c" and memory.n:
            raise ValueError("this filter has learned from real signals; reset() it before it takes complex ones.")
        if ndim and memory.u.ndim != ndim:
            was, now = ("a signal", "rows") if ndim == 2 else ("rows", "a signal")
            raise ValueError(f"this filter has been fed {was}, and now {now}: reset() it, or go on as it began.")
        return memory

    def _take_type(self, memory: Memory, kind: np.dtype[Any]) -> None:
        if kind.kind == "c" and memory.w.dtype.kind != "c":
            memory.w = memory.w.astype(np.complex128)
            memory.matrix = memory.matrix.astype(np.complex128)

    def _start_weights(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        if isinstance(self.start, str):
            return np.zeros(self.taps, dtype=dtype)
        given = as_numbers(self.start, "start")
        if given.shape != (self.taps,) or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {self.taps} finite weights, one for each tap; its shape is {given.shape}."
            )
        return given.astype(np.result_type(dtype, given.dtype, np.float64))

    def _pieces(self, memory: Memory, u: npt.NDArray[Any], d: npt.NDArray[Any], cost: float) -> Iterator[Piece]:
        """Cut the signals into pieces of bounded memory and time; the memory moves on after each."""
        past = self._past
        for begin, end in pieces(len(d), max(cost, _WIDTH)):
            long = np.ascontiguousarray(u[begin:end])
            if len(memory.u):
                long = np.concatenate([memory.u.astype(u.dtype, copy=False), long])
            wanted = np.concatenate([memory.d.astype(d.dtype, copy=False), d[begin:end]])
            if u.ndim == 1:
                yield Piece(frozen(long[::-1].copy()), end - begin - 1, -1, frozen(wanted), past, 0, end - begin)
            else:
                yield Piece(frozen(long.reshape(-1)), past * self.taps, self.taps, frozen(wanted), past, 0, end - begin)
            memory.u, memory.d = long[len(long) - len(memory.u) :].copy(), wanted[len(wanted) - past :].copy()
            memory.n += end - begin

    # --------------------------------------------------------------------------------------------------- save and load

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._memory is None:
            raise NotFittedError(f"this {type(self).__name__} has not seen a sample yet: there is nothing to save.")
        arrays = {name: getattr(self._memory, name) for name in Memory.ARRAYS}
        parameters = self.get_params(deep=False)
        if not isinstance(self.start, str):
            arrays["start"] = as_numbers(parameters.pop("start"), "start")
        complex_ = [name for name, array in arrays.items() if array.dtype.kind == "c"]
        arrays |= {name: _as_pairs(arrays[name]) for name in complex_}  # safetensors has no complex128
        metadata = {"parameters": {name: to_scalar(value) for name, value in parameters.items()}, "complex": complex_}
        return arrays, metadata | {name: getattr(self._memory, name) for name in Memory.NUMBERS}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> Self:
        arrays = arrays | {name: _from_pairs(arrays[name]) for name in metadata["complex"]}
        parameters = metadata["parameters"] | ({"start": arrays["start"]} if "start" in arrays else {})
        model = cls(**parameters)
        vectors = {name: arrays[name] for name in Memory.ARRAYS}
        model._memory = Memory(**vectors, **{name: metadata[name] for name in Memory.NUMBERS})
        return model


class OnlineFilter(AdaptiveFilter):
    """A filter that corrects its weights after every sample."""

    @abstractmethod
    def _rule(self) -> Any:
        """The kernels' rule with these parameters."""

    @property
    def _cost(self) -> float:
        """Multiplications a sample, roughly."""
        return 2.0 * self.taps

    def _scratch(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Room for the rule to work in."""
        return np.empty((0, 0), dtype=dtype)

    def _largest_step(self, power: Callable[[], float]) -> tuple[float, str]:
        """The bound of a stable step, and how it is called; `power()` is the regressors' mean squared length."""
        return np.inf, ""

    def run(self, u: Any, d: Any, history: int | None = None) -> FilterRun:
        """Filter, compare, adapt, sample by sample, from where the last call left off.

        Chunks of any size, down to single samples, give the output of one call, bit for bit.

        Parameters
        ----------
        u : array of n samples, or n × taps
            One signal, whose present and past values the taps weigh (before the first sample there are zeros); or rows
            of regressors: sensors side by side, or several channels through `delay_line`.
        d : array of n samples
            The desired signal.
        history : int, optional
            Keep the weights before every `history`-th sample: 1 keeps all. Counted since the first sample of all.

        Returns
        -------
        FilterRun
            Output y, error e = d − y, weights w at the end, and history. Signals have the dtype of the input, weights
            are float64 or complex128.
        """
        from rosenblatt.kernels.filters import State, advance

        u, d = self._signals(u, d)
        every = self._every(history)
        memory = self._started(u.dtype, u.ndim)
        self._warn_of_step(memory, u)
        y, e = np.empty_like(d), np.empty_like(d)
        due = -memory.n % every if every else 0
        kept = np.empty((len(range(due, len(d), every)) if every else 0, self.taps), dtype=memory.w.dtype)
        state, rule = State(memory.w, memory.matrix, memory.vector, self._scratch(memory.w.dtype)), self._rule()
        done = filled = 0
        for piece in self._pieces(memory, u, d, self._cost):
            m = piece.stop
            part = slice(done, done + m)
            more, due = advance(*piece[:5], rule, state, y[part], e[part], kept[filled:], every, due, 0, m)
            filled, done = filled + more, done + m
            self._refuse_divergence(memory, m)
        return FilterRun(y, e, memory.w.copy(), kept if every else None)

    def adapt(self, x: Any, d: Any) -> Any:
        """Learn from one regressor (`taps` values) and its desired value; returns the error before the correction."""
        if type(x) is np.ndarray and x.dtype == np.float64 and isinstance(d, (float, int)):
            error = self._adapt_quickly(x, float(d))
            if error is not None:
                return error
        return self.run(as_numbers(x, "x")[None, :], np.asarray(d)[None]).e[0]

    def _adapt_quickly(self, x: npt.NDArray[np.float64], d: float) -> float | None:
        """One real sample past all checks but the cheap ones; None, with nothing done, where they are needed."""
        from rosenblatt.kernels.filters import advance_one

        memory = self._memory
        if memory is None or memory.n == 0 or memory.u.ndim != 2 or len(memory.u) or memory.w.dtype != np.float64:
            return None
        if x.shape != (self.taps,) or not x.flags.c_contiguous:
            return None
        self._check_parameters()
        if not memory.quick:
            memory.quick = self._rule(), memory.w, memory.matrix, memory.vector, self._scratch(memory.w.dtype)
        error: float = advance_one(x, d, *memory.quick)
        if not abs(error) < np.inf:
            return None
        memory.n += 1
        return error

    def _every(self, history: int | None) -> int:
        if history is None:
            return 0
        if not (isinstance(history, (int, np.integer)) and history >= 1):
            raise ValueError(f"history={history!r} must be a whole number of samples, at least 1 (or None).")
        return int(history)

    def _warn_of_step(self, memory: Memory, u: npt.NDArray[Any]) -> None:
        """Say so once where the step is too large for the input so far; the first few samples say little about it."""
        seen = memory.n + len(u)

        def power() -> float:
            with np.errstate(over="ignore"):
                memory.energy += _energy(u)
                return memory.energy / seen * (self.taps if u.ndim == 1 else 1)

        if memory.warned or not len(u):
            return
        bound, name = self._largest_step(power)
        eta = getattr(self, "eta", 0.0)
        if eta > bound and seen >= self.taps:
            memory.warned = True
            message = f"eta={eta:g} is above {name} = {bound:.3g}, where {type(self).__name__} stops being stable here"
            warnings.warn(f"{message}: take a smaller step (a tenth of the bound is a good start).", stacklevel=3)

    def _refuse_divergence(self, memory: Memory, m: int) -> None:
        if not np.isfinite(memory.w).all():
            n, self._memory = memory.n + m, None
            raise OverflowError(
                f"{type(self).__name__} diverged: its weights left the range of float64 within the first {n:,} "
                f"samples. It has been reset; take a smaller step, or scale the input."
            )
