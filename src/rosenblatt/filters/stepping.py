"""What filters with feedback share: a step that may be too large, weights that may diverge, a history of them."""

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.base import AdaptiveFilter, FilterRun

__all__ = ["SteppingFilter", "every_kth"]


class SteppingFilter(AdaptiveFilter):
    """A filter whose errors correct its weights while it runs."""

    @abstractmethod
    def run(self, u: Any, d: Any, history: int | None = None) -> FilterRun:
        """Filter, compare, adapt, from where the last call left off."""

    def _largest_step(self, memory: Any, u: npt.NDArray[Any]) -> tuple[float, str]:
        """The largest stable step on `u`, which is about to be filtered, after all that came before; and its name."""
        return np.inf, ""

    def _warn_of_step(self, memory: Any, u: npt.NDArray[Any]) -> None:
        """Say so once where the step is too large for the input so far; the first few samples say little about it."""
        if memory.warned or not len(u):
            return
        bound, name = self._largest_step(memory, u)
        eta = getattr(self, "eta", 0.0)
        if eta > bound and memory.n + len(u) >= self.taps:
            memory.warned = True
            advice = "take a smaller step (a tenth of the bound is a good start)"
            warnings.warn(f"eta={eta:g} is above {bound:.3g}, {name}: {advice}.", stacklevel=3)

    def _refuse_divergence(self, w: npt.NDArray[Any], n: int) -> None:
        if not np.isfinite(w).all():
            self._memory = None
            raise OverflowError(
                f"{type(self).__name__} diverged: its weights left the range of float64 within the first {n:,} "
                f"samples. It has been reset; take a smaller step, or scale the input."
            )


def every_kth(history: int | None) -> int:
    """How many samples lie between two weights that are kept; 0 keeps none."""
    if history is None:
        return 0
    if not (isinstance(history, (int, np.integer)) and history >= 1):
        raise ValueError(f"history={history!r} must be a whole number of samples, at least 1 (or None).")
    return int(history)
