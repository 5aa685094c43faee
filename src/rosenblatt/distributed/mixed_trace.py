"""The corrections of a run whose weights were mixed from shards after every pass."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.rows import as_rows
from rosenblatt.distributed.mixing import mix

__all__ = ["MixedTrace"]


@dataclass(repr=False, eq=False)
class MixedTrace:
    """Which rows each shard corrected in each pass, and in what parts the shards' weights were mixed.

    Parameters
    ----------
    start : array of d weights, the bias last
        w(0).
    rows, steps : arrays
        Row numbers in the whole data and signed steps, pass by pass and within a pass shard by shard.
    made, shares : arrays of shape (passes, S)
        Corrections; whole numbers in proportion to which the shards' weights were mixed (all zero: nothing was).
    first_rows : array of S + 1 numbers
        Where each shard begins in the whole.

    Examples
    --------
    >>> trace = MixedTrace(np.zeros(2), np.array([0, 1]), np.array([1.0, -1.0]), np.array([[1, 1]]), np.array([[1, 1]]),
    ...                    np.array([0, 1, 2]))
    >>> trace, trace.weights_after(1, [[4.0], [2.0]])
    (<MixedTrace: 2 corrections in 1 passes of 2 shards>, array([1., 0.]))
    """

    start: npt.NDArray[np.float64]
    rows: npt.NDArray[np.int64]
    steps: npt.NDArray[np.float64]
    made: npt.NDArray[np.int64]
    shares: npt.NDArray[np.int64]
    first_rows: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of corrections."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<MixedTrace: {len(self)} corrections in {len(self.made)} passes of {self.made.shape[1]} shards>"

    def of_pass(self, number: int, s: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Rows and steps of shard s in pass `number` (from 0)."""
        ends = np.cumsum(self.made)
        last = int(ends[number * self.made.shape[1] + s])
        span = slice(last - int(self.made[number, s]), last)
        return self.rows[span], self.steps[span]

    def weights_after(self, passes: int, X: Any) -> npt.NDArray[np.float64]:
        """The mixed weights after so many passes over the rows X of all shards, with the very bits of the run."""
        all_rows, w = as_rows(X), self.start.copy()
        for number in range(passes):
            shares = self.shares[number].tolist()
            if not any(shares):
                continue
            ends = []
            for s in range(len(shares)):
                end = w.copy()
                rows, steps = self.of_pass(number, s)
                all_rows.replay(rows, steps, end, 0, len(rows))
                ends.append(end)
            w = mix(ends, shares)
        return w
