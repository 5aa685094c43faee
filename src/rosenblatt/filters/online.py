"""Filters that learn sample by sample: one run of the compiled loop, whatever the rule."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.base import AdaptiveFilter, FilterRun
from rosenblatt.filters.inputs import as_numbers
from rosenblatt.filters.memory import Memory

__all__ = ["OnlineFilter"]


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
        memory = self._begun(u)
        self._warn_of_step(memory, u)
        y, e = np.empty_like(d), np.empty_like(d)
        due = -memory.n % every if every else 0
        kept = np.empty((len(range(due, len(d), every)) if every else 0, self.taps), dtype=memory.w.dtype)
        state, rule = State(memory.w, memory.matrix, memory.vector, self._scratch(memory.w.dtype)), self._rule()
        done = filled = 0
        for piece in memory.pieces(u, d, self._cost):
            part = slice(done, done + piece.samples)
            more, due = advance(*piece[:5], rule, state, y[part], e[part], kept[filled:], every, due, 0, piece.samples)
            filled, done = filled + more, part.stop
            self._refuse_divergence(memory, piece.samples)
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


def _energy(u: npt.NDArray[Any]) -> float:
    """Σ|u|² without a copy; einsum, because the threads that BLAS wakes for a dot product cost more than they help."""
    letters = "ij"[: u.ndim]
    parts = (u.real, u.imag) if u.dtype.kind == "c" else (u,)
    return float(sum(np.einsum(f"{letters},{letters}->", part, part, dtype=np.float64) for part in parts))
