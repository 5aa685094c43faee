"""Several channels into one filter, piece after piece."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery.base import AdaptiveFilter, FilterRun
from rosenblatt.filters.machinery.blocks import BlockFilter, refuse_uneven
from rosenblatt.filters.machinery.inputs import delay_line

__all__ = ["Channels"]


class Channels:
    """Runs a filter on channels that share its taps evenly.

    A filter takes one channel as a signal. A block filter takes several as they are, any other filter as rows of a
    delay line, which goes on from piece to piece. `taps` is how many each channel has.
    """

    def __init__(self, learner: object, channels: int) -> None:
        if not isinstance(learner, AdaptiveFilter):
            kind = f"the class {learner.__name__}" if isinstance(learner, type) else type(learner).__name__
            raise TypeError(f"filter must be an adaptive filter, such as NLMS(taps=32), not {kind}.")
        refuse_uneven(learner.taps, channels)
        self.learner, self.taps = learner, learner.taps // channels
        self._before: npt.NDArray[Any] | None = None  # samples that the delay lines still hold

    def run(self, u: npt.NDArray[Any], d: npt.NDArray[Any], **options: object) -> FilterRun:
        """The filter's run on these samples, a channel in each column of u."""
        run: Callable[..., FilterRun] = self.learner.run
        if u.shape[1] == 1 or isinstance(self.learner, BlockFilter):
            return run(u[:, 0] if u.shape[1] == 1 else u, d, **options)
        result = run(delay_line(u, self.taps, self._before), d, **options)
        long = u if self._before is None else np.concatenate([self._before, u])
        self._before = long[max(0, len(long) - self.taps + 1) :].copy()
        return result

    def responses(self, w: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The weights by channel, channels × taps; of one channel as they are."""
        return w if self.taps == len(w) else w.reshape(-1, self.taps)
