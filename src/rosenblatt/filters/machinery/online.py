"""Filters that learn sample by sample: one compiled loop runs all their rules."""

from abc import abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery import double_talk
from rosenblatt.filters.machinery.inputs import as_numbers
from rosenblatt.filters.machinery.memory import FilterMemory, Piece
from rosenblatt.filters.machinery.stepping import Advance, SteppingFilter

__all__ = ["OnlineFilter", "shares"]

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
        error = self.run(as_numbers(x, "x")[None, :], np.asarray(d)[None]).e[0]
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

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "_quick", ())
        super().__setattr__(name, value)

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_quick"}


def shares(relative: float, absolute: float | None) -> tuple[float, float]:
    """(share, constant) as the kernels take them: a share of the mean ‖x‖² is added to ‖x‖², or a constant is."""
    return (float(relative), 0.0) if absolute is None else (0.0, float(absolute))
