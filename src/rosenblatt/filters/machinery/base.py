"""Filters that are given a desired signal: their parameters' ranges, and what all of them do."""

from collections.abc import Sequence
from dataclasses import Field
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.filters.machinery.inputs import as_numbers, refuse_nonfinite, zeros
from rosenblatt.filters.machinery.memory import FilterMemory, WeightMemory
from rosenblatt.models.saving import to_scalar
from rosenblatt.models.storage import numbers

__all__ = [
    "COUNT",
    "COUNT_SQUARED",
    "NOT_NEGATIVE",
    "PART",
    "PART_OR_ALL",
    "POSITIVE",
    "POSITIVE_OR_NONE",
    "START",
    "AdaptiveFilter",
    "FilterRun",
    "allowed",
    "joined",
    "one_of",
]


def allowed(*constraints: object) -> dict[str, list[Any]]:
    """Metadata of a field."""
    return {"allowed": list(constraints)}


def one_of(*names: str | None) -> dict[str, list[Any]]:
    """One of these words; None where it is among them."""
    words = StrOptions({name for name in names if name is not None})
    return allowed(words, None) if None in names else allowed(words)


COUNT = allowed(Interval(Integral, 1, 2**24, closed="both"))
COUNT_SQUARED = allowed(Interval(Integral, 1, 2**14, closed="both"))  # where memory grows with the square: 2 GB
POSITIVE = allowed(Interval(Real, 0, None, closed="neither"))
POSITIVE_OR_NONE = allowed(Interval(Real, 0, None, closed="neither"), None)
NOT_NEGATIVE = allowed(Interval(Real, 0, None, closed="left"))
PART = allowed(Interval(Real, 0, 1, closed="left"))  # 0 ≤ value < 1
PART_OR_ALL = allowed(Interval(Real, 0, 1, closed="right"))  # 0 < value ≤ 1
START = allowed(StrOptions({"zeros"}), "array-like")


class _Run(NamedTuple):
    y: npt.NDArray[Any]
    e: npt.NDArray[Any]
    w: npt.NDArray[Any]
    history: npt.NDArray[Any] | None = None


class FilterRun(_Run):
    """The result of a run: (y, e, w, history).

    Attributes
    ----------
    y : array
        Output w·x, before the weights learn from the sample.
    e : array
        Error d − y.
    w : array
        Weights at the end.
    history : array or None
        Weights before every k-th sample, if they were asked for (`history=k`).
    frozen : tuple of pairs
        Stretches in which the weights were held still because somebody else was heard (see `freeze`): (first sample,
        sample after the last), counted from the first sample the filter ever saw. A block filter lists the blocks that
        ended in this run.
    """

    frozen: tuple[tuple[int, int], ...] = ()


class AdaptiveFilter(BaseEstimator):  # type: ignore[misc]
    """A linear neuron on a stream; `taps` weights, which start at zero or at `start`."""

    taps: int
    start: Any
    _memory: Any = None  # None until the first sample
    _memory_kind: ClassVar[Any] = FilterMemory
    _arrays: ClassVar[tuple[str, ...]] = ("start",)  # parameters that may be arrays
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # scikit-learn validates by these

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Collect the constraints that the parameters' fields state."""
        super().__init_subclass__(**kwargs)
        own = {name: value.metadata["allowed"] for name, value in vars(cls).items() if isinstance(value, Field)}
        cls._parameter_constraints = cls._parameter_constraints | own

    # ---------------------------------------------------------------------------------------- what a filter is made of

    @property
    def _past(self) -> int:
        """How many earlier regressors a correction looks at."""
        return 0

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], Floats]:
        """The rule's matrix and vector at the beginning."""
        return np.empty((0, 0), dtype=dtype), np.empty(0)

    # -------------------------------------------------------------------------------------------------- what is known

    @property
    def w_(self) -> npt.NDArray[Any]:
        """The weights now; a copy that cannot be written to."""
        return frozen(self._weights.copy())  # type: ignore[no-any-return]

    @property
    def n_samples_(self) -> int:
        """Samples seen since the beginning or the last `reset`."""
        return 0 if self._memory is None else self._memory.n

    def reset(self) -> Self:
        """Forget everything learned; parameters stay."""
        self._memory = None
        return self

    def predict(self, x: npt.ArrayLike) -> Any:
        """w·x of one regressor (`taps` values) or of each row of a matrix, with the weights as they are."""
        from rosenblatt.kernels.filters import respond

        self._check_parameters()
        rows = as_numbers(x, "x")
        single = rows.ndim == 1
        rows = self._check_rows(rows[None, :] if single else rows, "x")
        refuse_nonfinite(rows, "x")
        w = self._weights
        if "c" in (w.dtype.kind, rows.dtype.kind):
            rows, w = rows.astype(np.result_type(rows, np.complex64), copy=False), w.astype(np.complex128, copy=False)
        y = np.empty(len(rows), dtype=rows.dtype)
        flat = frozen(np.ascontiguousarray(rows).reshape(-1))
        for start, stop in pieces(len(rows), self.taps):
            respond(flat, 0, self.taps, w, y, start, stop)
        return y[0] if single else y

    @property
    def _weights(self) -> npt.NDArray[Any]:
        return self._start_weights() if self._memory is None else self._memory.w

    def _start_weights(self, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """w(0), float64 or complex128."""
        if isinstance(self.start, str):
            return zeros((self.taps,), np.result_type(dtype, np.float64))
        given = as_numbers(self.start, "start")
        if given.shape != (self.taps,) or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {self.taps} finite weights, one for each tap; its shape is {given.shape}."
            )
        return given.astype(np.result_type(dtype, given.dtype, np.float64))

    # ------------------------------------------------------------------------------------------------ what is accepted

    def _sample(self, x: Any, d: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """One regressor and its desired value as signals of one sample."""
        regressor = as_numbers(x, "x")
        if regressor.ndim != 1 or (np.shape(d) == (self.taps,) != regressor.shape):
            raise ValueError(
                f"adapt(x, d) takes a regressor (taps={self.taps}) and its desired value, in this order (padasip's "
                f"is the other one); x has the shape {regressor.shape}, and d {np.shape(d)}."
            )
        return regressor[None, :], np.asarray(d)[None]

    def _signals(self, u: npt.ArrayLike, d: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Input and desired signal in one dtype, all of it checked first: a chunk is taken whole or not at all."""
        self._check_parameters()
        (u, name), d = self._input(u), as_numbers(d, "d")
        if d.ndim != 1:
            raise ValueError(f"d must be a signal (1-D); it has {d.ndim} dimensions.")
        if len(u) != len(d):
            what = "rows" if name == "X" else "samples"
            raise ValueError(f"{name} has {len(u)} {what} and d has {len(d)}: they must have the same length.")
        refuse_nonfinite(u, name)
        refuse_nonfinite(d, "d")
        dtype = np.result_type(u, d)
        if self._weights.dtype.kind == "c":
            dtype = np.result_type(dtype, np.complex64)
        return u.astype(dtype, copy=False), d.astype(dtype, copy=False)

    def _input(self, u: npt.ArrayLike) -> tuple[npt.NDArray[Any], str]:
        """The input in a shape that this filter takes, and its name in messages: X for rows of regressors, else u."""
        name = "u" if np.ndim(u) == 1 else "X"
        u = as_numbers(u, name)
        return (u if u.ndim == 1 else self._check_rows(u, name)), name

    def _check_rows(self, X: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        if X.ndim != 2:
            raise ValueError(f"{name} must be a signal (1-D) or rows of regressors (2-D); it has {X.ndim} dimensions.")
        if X.shape[1] != self.taps:
            raise ValueError(
                f"{name} has {X.shape[1]} columns and the filter {self.taps} taps: the rows of a 2-D input are "
                f"regressors, one value for each tap (see delay_line)."
            )
        return X

    def _check_parameters(self) -> None:
        """Validate the parameters, if any has changed: that costs more than to learn one sample."""
        if self._memory is not None and self._memory.n == 0:
            self._memory = None  # an empty run left it: the filter has not begun
        memory = self._memory
        now = tuple(getattr(self, name) for name in self._parameter_constraints if name not in self._arrays)
        if memory is not None and memory.checked == now:
            return
        self._validate_params()
        if memory is not None:
            self._refuse_other_lengths(memory)
            memory.checked = now

    def _refuse_other_lengths(self, memory: WeightMemory) -> None:
        if not self._fits(memory):
            raise ValueError("the filter's length was changed after it had begun to learn: reset() it first.")

    def _fits(self, memory: Any) -> bool:
        """Whether the memory is that of a filter of these lengths."""
        return bool(memory.w.size == self.taps and memory.d.size == self._past)

    def _begun(self, u: npt.NDArray[Any]) -> Any:
        """The memory, which is made before the first sample; refuses an input of another kind than before."""
        memory = self._memory
        if memory is None:
            w = self._start_weights(u.dtype)
            shape = (self._past + self.taps - 1,) if u.ndim == 1 else (self._past, self.taps)
            earlier = np.zeros(shape, dtype=u.dtype), np.zeros(self._past, dtype=u.dtype)
            memory = self._memory = FilterMemory(w, *self._new_matrix(w.dtype), *earlier)
        if u.dtype.kind == "c" and memory.w.dtype.kind != "c":
            raise ValueError("this filter has learned from real signals; reset() it before it takes complex ones.")
        if memory.u.ndim != u.ndim:
            was, now = ("a signal", "rows") if u.ndim == 2 else ("rows", "a signal")
            raise ValueError(f"this filter has been fed {was}, and now {now}: reset() it, or go on as it began.")
        return memory

    # --------------------------------------------------------------------------------------------------- save and load

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._memory is None or not self._memory.n:
            raise NotFittedError(f"this {type(self).__name__} has not seen a sample yet: there is nothing to save.")
        arrays, numbers = self._memory.to_parts()
        parameters = self.get_params(deep=False)
        for name in self._arrays:
            if parameters[name] is not None and not isinstance(parameters[name], str):
                arrays[name] = as_numbers(parameters.pop(name), name)
        pairs = [name for name, array in arrays.items() if array.dtype.kind == "c"]  # safetensors has no complex128
        arrays |= {name: np.stack([arrays[name].real, arrays[name].imag], axis=-1) for name in pairs}
        metadata = {"parameters": {name: to_scalar(value) for name, value in parameters.items()}}
        return arrays, metadata | {"memory": numbers, "complex": pairs}

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> Self:
        arrays = arrays | {name: _from_pairs(arrays[name]) for name in metadata["complex"]}
        model = cls(**metadata["parameters"], **{name: arrays[name] for name in cls._arrays if name in arrays})
        model._validate_params()
        model._memory = cls._memory_kind.from_parts(arrays, metadata["memory"])
        model._check_memory(model._memory)
        return model

    def _check_memory(self, memory: Any) -> None:
        """Refuse a memory that this filter cannot have saved: the compiled loop does not check types and lengths."""
        kind = numbers(memory.w, self.taps, dtype="complex128" if memory.w.dtype.kind == "c" else "float64").dtype
        matrix, vector = self._new_matrix(kind)
        if memory.vector.shape != vector.shape:
            raise ValueError(
                f"this {type(self).__name__} was saved before eps and delta were shares of the input's power, and "
                f"cannot go on: let it learn again (eps_absolute and delta_absolute mean what eps and delta meant)."
            )
        numbers(memory.vector, *vector.shape)
        numbers(memory.matrix, *matrix.shape, dtype=matrix.dtype.name)
        earlier = (self._past, self.taps) if memory.u.ndim == 2 else (self._past + self.taps - 1,)
        kinds = ("float32", "float64", "complex64", "complex128")
        for array, shape in ((memory.u, earlier), (memory.d, (self._past,))):
            numbers(array, *shape, dtype=array.dtype.name if array.dtype.name in kinds else "float64")
        memory.check_numbers()


def _from_pairs(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Complex numbers from real and imaginary parts along the last axis."""
    parts = np.ascontiguousarray(array)
    return parts.view(np.complex64 if parts.dtype == np.float32 else np.complex128).reshape(parts.shape[:-1])


def joined(ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join ranges that touch; they are given in order.

    >>> joined([(0, 4), (4, 8), (12, 16)])
    ((0, 8), (12, 16))
    """
    whole: list[tuple[int, int]] = []
    for first, last in ranges:
        if whole and whole[-1][1] == first:
            first = whole.pop()[0]
        whole.append((first, last))
    return tuple(whole)
