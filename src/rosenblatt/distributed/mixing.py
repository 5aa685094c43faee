"""Iterative parameter mixing: every shard makes a pass from the same weights, then the weights are mixed.

    for each pass:
        for each shard s, side by side:  w_s = one pass of the local learner over shard s, from w;  k_s its corrections
        w = Σ k_s w_s / Σ k_s            # mixing by mistakes; uniform: Σ w_s / S; no correction anywhere: w stays

McDonald, Hall & Mann (2010), figure 3. If ŵ separates the data with margin γ and R is the largest length of (x, 1),
then from w = 0, for any mixing weights μ ≥ 0 that sum to 1, Σ_passes Σ_shards μ·k ≤ (R/γ)² (their theorem 3). So there
are at most (R/γ)² passes with mistakes when mixing by mistakes, and S·(R/γ)² with equal weights. All corrections
together may be more than (R/γ)²: shards correct side by side what one would have put right for all.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Integers
from rosenblatt.data.numbers import as_rows

__all__ = ["MixedTrace", "mix"]


def mix(vectors: list[Floats], shares: list[int]) -> Floats:
    """Σ share·vector / Σ shares, summed from the first to the last.

    One vector alone keeps its bits, and a quotient of whole numbers is rounded once.

    >>> mix([np.array([1.0, 0.0]), np.array([4.0, 3.0])], [1, 2])
    array([3., 2.])
    """
    kept = [(vector, share) for vector, share in zip(vectors, shares, strict=True) if share]
    if len(kept) == 1:
        return kept[0][0].copy()
    with np.errstate(over="ignore", invalid="ignore"):  # weights that leave float64 are refused after the pass
        total = np.zeros_like(kept[0][0])
        for vector, share in kept:
            total += vector * float(share)
        return total / float(sum(shares))


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

    start: Floats
    rows: Integers
    steps: Floats
    made: Integers
    shares: Integers
    first_rows: Integers

    def __len__(self) -> int:
        """Return the number of corrections."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<MixedTrace: {len(self)} corrections in {len(self.made)} passes of {self.made.shape[1]} shards>"

    def of_pass(self, number: int, s: int) -> tuple[Integers, Floats]:
        """Rows and steps of shard s in pass `number` (from 0)."""
        ends = np.cumsum(self.made)
        last = int(ends[number * self.made.shape[1] + s])
        span = slice(last - int(self.made[number, s]), last)
        return self.rows[span], self.steps[span]

    def weights_after(self, passes: int, X: Any) -> Floats:
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
