"""What filters with feedback share: a step that may be too large, weights that may diverge, a history of weights."""

import warnings
from abc import abstractmethod
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from rosenblatt.data.numbers import frozen
from rosenblatt.filters.machinery import double_talk
from rosenblatt.filters.machinery.base import AdaptiveFilter, FilterRun, joined
from rosenblatt.filters.machinery.inputs import Diverged
from rosenblatt.filters.machinery.memory import FilterMemory, Piece, WeightMemory

__all__ = ["Advance", "OnlineFilter", "SteppingFilter", "shares"]

Advance = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], list[tuple[int, int]]]


class SteppingFilter(AdaptiveFilter):
    """A filter whose errors correct its weights while it runs."""

    freeze: str | None = None
    freeze_at: float | None = None
    _bound: ClassVar[tuple[float, str]] = (np.inf, "")  # the largest stable step on every input, and its name
    _others: list[Self] | None = None  # filters of the second and further desired signals, where d is a matrix
    _silent = False  # the first of several filters warns for all
    _offline = False  # block filters: while a whole recording is filtered

    def run(self, u: npt.ArrayLike, d: npt.ArrayLike, history: int | None = None) -> FilterRun:
        """Filter, compare, adapt, sample by sample, from where the last call left off.

        Chunks of any size, down to single samples, give the output of one call, bit for bit. A block filter filters
        and compares sample by sample, too; it adapts block by block.

        Parameters
        ----------
        u : array of n samples, or n × taps (block filters: n × c)
            One signal, whose present and past values the taps weigh (before the first sample there are zeros); or rows
            of regressors: sensors side by side, or several channels through `delay_line`. A block filter takes c
            signals side by side as they are; they share the taps evenly: all taps of the first, then of the second, …
        d : array of n samples, or n × m
            The desired signal; or m of them, each with weights of its own on the same input. Then y and e are n × m, w
            is m × taps, and history has m × taps at each place.
        history : int, optional
            Keep the weights before every `history`-th sample: 1 keeps all. Counted since the first sample of all.

        Returns
        -------
        FilterRun
            Output y, error e = d − y, weights w at the end, and history. Signals have the dtype of the input, weights
            are float64 or complex128.
        """
        columns = np.shape(d)[1:]
        if len(columns) > 1 or columns == (0,):
            raise ValueError(f"d must be a signal (1-D) or signals side by side (2-D); its shape is {np.shape(d)}.")
        if self._memory is None or not self._memory.n:
            self._others = [clone(self) for _ in range(columns[0] - 1)] if columns else None
        before, now = None if self._others is None else 1 + len(self._others), columns[0] if columns else None
        if before != now:
            raise ValueError(
                f"this filter has learned from {_in_words(before)}, and d is now {_in_words(now)}: reset() it, or go "
                f"on as it began."
            )
        return self._run_one(u, d, history) if self._others is None else self._run_all(u, np.asarray(d), history)

    # ---------------------------------------------------------------------------------------- several desired signals

    def _run_one(self, u: npt.ArrayLike, d: npt.ArrayLike, history: int | None) -> FilterRun:
        """`run` of one desired signal."""
        u, d = self._signals(u, d)
        every = _every_kth(history)
        memory = self._begun(u)
        self._warn_of_step(memory, u)
        try:
            y, e, kept, frozen = self._advance(memory, u, d, every)
        except Diverged as problem:
            raise Diverged(" ".join([str(problem), *self._steps_that_are_safe(u)])) from None
        self._warn_of_growth(memory, u, d, e)
        run = FilterRun(y, e, self._weights.copy(), kept if every else None)
        run.frozen = joined(frozen)
        return run

    @abstractmethod
    def _advance(self, memory: Any, u: npt.NDArray[Any], d: npt.NDArray[Any], every: int) -> Advance:
        """Filter, compare, adapt; keep the weights before every `every`-th sample (0: none).

        Returns output, error, the weights that were kept, and where the weights were held still (see `FilterRun`).
        """

    def _run_all(self, u: npt.ArrayLike, d: npt.NDArray[Any], history: int | None) -> FilterRun:
        """A run for each column of d; all columns are checked before the first runs."""
        filters: list[Any] = [self, *(self._others or [])]
        for learner in filters:
            learner._silent, learner._offline = learner is not self, self._offline
            learner.set_params(**self.get_params(deep=False))
        for learner, column in zip(filters, d.T, strict=True):
            learner._signals(u, column)
        try:
            runs = [learner._run_one(u, column, history) for learner, column in zip(filters, d.T, strict=True)]
        except OverflowError:
            self.reset()  # some columns have learned these samples and others have not
            raise
        y, e, w = (np.stack([run[k] for run in runs], axis=axis) for k, axis in ((0, 1), (1, 1), (2, 0)))
        kept = None if runs[0].history is None else np.stack([run.history for run in runs], axis=1)
        whole = FilterRun(y, e, w, kept)
        whole.frozen = joined(sorted(pair for run in runs for pair in run.frozen))
        return whole

    @property
    def w_(self) -> npt.NDArray[Any]:
        """The weights now, a row for each desired signal where there are several; a copy that cannot be written to."""
        return super().w_ if self._others is None else frozen(np.stack([super().w_, *(one.w_ for one in self._others)]))

    def reset(self) -> Self:
        """Forget everything learned; parameters stay."""
        self._others = None
        return super().reset()

    def predict(self, x: npt.ArrayLike) -> Any:
        """w·x of one regressor (`taps` values) or of each row of a matrix; a column for each desired signal."""
        own = super().predict(x)
        return own if self._others is None else np.stack([own, *(other.predict(x) for other in self._others)], axis=-1)

    def _to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        arrays, metadata = super()._to_parts()
        if self._others is not None:
            metadata["others"] = []
            for k, one in enumerate(self._others):
                more, about = one._to_parts()
                arrays |= {f"others.{k}.{name}": array for name, array in more.items()}
                metadata["others"].append({"memory": about["memory"], "complex": about["complex"]})
        return arrays, metadata

    @classmethod
    def _from_parts(cls, arrays: dict[str, Any], metadata: dict[str, Any]) -> Self:
        model = super()._from_parts({k: v for k, v in arrays.items() if not k.startswith("others.")}, metadata)
        if "others" in metadata:
            model._others = []
            for k, about in enumerate(metadata["others"]):
                begin = f"others.{k}."
                own = {name.removeprefix(begin): one for name, one in arrays.items() if name.startswith(begin)}
                model._others.append(super()._from_parts(own, {**about, "parameters": metadata["parameters"]}))
        return model

    # --------------------------------------------------------------------------------------------- steps, divergence

    def _largest_step(self, memory: Any, u: npt.NDArray[Any]) -> tuple[float, str]:
        """The largest stable step on all input so far and `u`, which is filtered next; and what the bound is called."""
        return self._bound

    def _warn_of_step(self, memory: WeightMemory, u: npt.NDArray[Any]) -> None:
        """Warn once if the step is too large for the input so far; fewer samples than taps are too few to judge by."""
        if memory.warned or self._silent or not len(u):
            return
        bound, name = self._largest_step(memory, u)
        eta = getattr(self, "eta", 0.0)
        if eta > bound and memory.n + len(u) >= self.taps:
            memory.warned = True
            advice = "take a smaller step (a tenth of the bound is a good start)"
            warnings.warn(f"eta={eta:g} is above {bound:.3g}, {name}: {advice}.", stacklevel=3)

    def _warn_of_growth(
        self, memory: WeightMemory, u: npt.NDArray[Any], d: npt.NDArray[Any], e: npt.NDArray[Any]
    ) -> None:
        """Warn once if errors got larger than what is to be found, and the step is why."""
        if memory.warned or self._silent or len(e) < _STRETCHES * self.taps:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            powers = [float(np.mean(np.abs(part) ** 2)) for part in np.array_split(e, _STRETCHES)]
            grown = not max(powers) <= 2.0 * float(np.mean(np.abs(d) ** 2))
        advice = self._steps_that_are_safe(u) if grown else []
        if advice:
            memory.warned = True
            eta = getattr(self, "eta", 0.0)
            warnings.warn(f"eta={eta:g} makes errors of the weights grow. {advice[0]}", stacklevel=3)

    def _steps_that_are_safe(self, u: npt.NDArray[Any]) -> list[str]:
        """One sentence on the steps that are safe on this signal, where this filter's is not and that can be told."""
        return []

    def _refuse_divergence(self, w: npt.NDArray[Any], n: int) -> None:
        if not np.isfinite(w).all():
            self._memory = None
            less = "take a smaller step, or scale the input" if hasattr(self, "eta") else "scale the input"
            raise Diverged(
                f"{type(self).__name__} diverged: its weights left the range of float64 within the first {n:,} "
                f"samples. It has been reset; {less}."
            )


_STRETCHES = 16  # of a run, whose errors are compared


def _in_words(columns: int | None) -> str:
    """The shape of d; None is a signal that is no column of a matrix."""
    return "one signal (1-D)" if columns is None else f"{columns} signals side by side (2-D)"


def _every_kth(history: int | None) -> int:
    """How many samples lie between two weights that are kept; 0 keeps none."""
    if history is None:
        return 0
    if not (isinstance(history, (int, np.integer)) and history >= 1):
        raise ValueError(f"history={history!r} must be a whole number of samples, at least 1 (or None).")
    return int(history)


_FLOAT64, _REAL = np.dtype(np.float64), (float, int)


class OnlineFilter(SteppingFilter):
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

    def _advance(self, memory: FilterMemory, u: npt.NDArray[Any], d: npt.NDArray[Any], every: int) -> Advance:
        from rosenblatt.kernels.filter_rules import FilterState, Held
        from rosenblatt.kernels.filters import advance

        y, e = np.empty_like(d), np.empty_like(d)
        due = -memory.n % every if every else 0
        kept = np.empty((len(range(due, len(d), every)) if every else 0, self.taps), dtype=memory.w.dtype)
        state, rule = FilterState(memory.w, memory.matrix, memory.vector, self._scratch(memory.w.dtype)), self._rule()
        done = filled = 0
        still: list[tuple[int, int]] = []
        for piece in memory.pieces(u, d, self._cost):
            part = slice(done, done + piece.samples)
            for begin, end, held in self._stretches(memory, piece):
                active, range_ = Held() if held else rule, (begin, end)
                more, due = advance(*piece[:5], active, state, y[part], e[part], kept[filled:], every, due, *range_)
                filled += more
                still += [(memory.n + begin, memory.n + end)] if held else []
            done = part.stop
            self._refuse_divergence(memory.w, memory.n + piece.samples)
        return y, e, kept, still

    def _stretches(self, memory: FilterMemory, piece: Piece) -> list[tuple[int, int, bool]]:
        """The piece, cut where holding begins or ends: first sample, sample after the last, whether weights hold."""
        if self.freeze is None:
            return [(0, piece.samples, False)]
        held = double_talk.held_samples(memory, piece, self.taps, self.freeze_at)
        ends = [0, *(np.flatnonzero(np.diff(held)) + 1).tolist(), piece.samples]
        return [(begin, end, bool(held[begin])) for begin, end in pairwise(ends)]

    def adapt(self, x: Any, d: Any) -> Any:
        """Learn from one regressor (`taps` values) and its desired value; returns the error before the correction."""
        if self._quick and type(x) is np.ndarray and x.dtype is _FLOAT64 and x.strides == (8,) and isinstance(d, _REAL):
            error = self._quick[0](x, float(d), *self._quick[1:])
            if -np.inf < error < np.inf:
                self._memory.n += 1
                return error
        error = self.run(*self._sample(x, d)).e[0]
        self._make_quick()
        return error

    # To check everything costs more than to learn one sample. So the kernel's arguments are made ready once, after a
    # call that has checked all of them, and thrown away when any attribute changes.

    _quick: tuple[Any, ...] = ()

    def _make_quick(self) -> None:
        from rosenblatt.kernels.filters import advance_one

        memory = self._memory
        real, nothing_earlier = memory.w.dtype == np.float64, not len(memory.u)
        if real and nothing_earlier and not (self.freeze or self._others):
            parts = memory.w, memory.matrix, memory.vector, self._scratch(memory.w.dtype)
            object.__setattr__(self, "_quick", (advance_one, self._rule(), *parts))

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, "_quick", ())
        super().__setattr__(name, value)

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_quick"}


def shares(relative: float, absolute: float | None) -> tuple[float, float]:
    """(share, constant) as the kernels take them: a share of the mean ‖x‖² is added to ‖x‖², or a constant is."""
    return (float(relative), 0.0) if absolute is None else (0.0, float(absolute))
