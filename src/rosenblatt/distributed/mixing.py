"""Iterative parameter mixing: every shard makes a pass from the same weights, then the weights are mixed.

    for each pass:
        for each shard s, side by side:  w_s = one pass of the local learner over shard s, from w;  k_s its corrections
        w = Σ k_s w_s / Σ k_s            # mixing by mistakes; uniform: Σ w_s / S; no correction anywhere: w stays

McDonald, Hall & Mann (2010), figure 3. If ŵ separates the data with margin γ and R is the largest length of (x, 1),
then from w = 0, for any mixing weights μ ≥ 0 that sum to 1, Σ_passes Σ_shards μ·k ≤ (R/γ)² (their theorem 3). So there
are at most (R/γ)² passes with mistakes when mixing by mistakes, and S·(R/γ)² with equal weights. All corrections
together may be more than (R/γ)²: shards correct side by side what one would have put right for all.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["mix"]


def mix(vectors: list[npt.NDArray[np.float64]], shares: list[int]) -> npt.NDArray[np.float64]:
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
