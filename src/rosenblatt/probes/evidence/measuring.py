"""Trained weights on rows: right and wrong answers, margins, and certified signs.

Responses are computed in float64 on the caller's values, whatever the precision of the training.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.exact import row_signs
from rosenblatt.probes.devices.arrays import beside, float64, host, numpy_or_torch
from rosenblatt.probes.devices.training import Trained

__all__ = ["Score", "count_columns", "final_weights", "score"]

_PIECE = 1 << 22  # responses made at a time


class Score(NamedTuple):
    """Of each probe on some rows: how many have a label, a label of +1, a wrong answer, and its margin.

    `hidden` counts rows that are not on their side in exact arithmetic though float64 sees no mistake at all; it is
    computed where SEPARATED is to be claimed. `margin` is the smallest y·s/‖(w, b)‖: negative where an answer is
    wrong, NaN for w = 0.
    """

    labelled: Places
    positive: Places
    wrong: Places
    hidden: Places
    margin: Floats

    @property
    def accuracy(self) -> Floats:
        """The part of the labelled rows that is right; a tie is wrong; NaN where no row has a label."""
        return np.asarray(1.0 - self.wrong / np.where(self.labelled, self.labelled, np.nan))


def score(X: Any, Y: Signs, weights: Floats, certify: bool = False) -> Score:
    """Answers of B probes (columns of weights, bias last) on the rows of X with labels Y."""
    B, d = weights.shape[1], len(weights)
    wrong, smallest = np.zeros(B, dtype=np.int64), np.full(B, np.inf)
    length = np.sqrt(np.sum(weights * weights, axis=0))
    unsure: list[tuple[int, int]] = []  # (row, probe)
    for rows, S, radius in _responses(X, weights):
        some, least = _judge(S, Y[rows])
        wrong += some
        smallest = np.minimum(smallest, least)
        if certify:
            doubt = 2.0 * (d + 16) * 2.0**-53 * radius * length + d * 5e-324
            for k in np.flatnonzero((least <= doubt) & (wrong == 0)).tolist():
                y = Y[rows, k]
                close = np.flatnonzero((y != 0) & (y * host(S[:, k]) <= doubt[k]))
                unsure += [(rows.start + i, k) for i in close.tolist()]
    hidden = np.zeros(B, dtype=np.int64)
    for j in {j for _, j in unsure if wrong[j] == 0}:
        some = np.array([i for i, k in unsure if k == j])
        hidden[j] = np.count_nonzero(row_signs(host(X[some]), weights[:, j]) * Y[some, j] <= 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = smallest / length
    return Score(count_columns(Y != 0), count_columns(Y > 0), wrong, hidden, margin)


def count_columns(there: Flags) -> Places:
    """How many values of each column are true."""
    # np.count_nonzero makes every value a 64-bit number first. Sums of 127 values fit into a byte, which is faster.
    bytes_, counts = there.view(np.int8), np.zeros(there.shape[1], dtype=np.int64)
    for first in range(0, len(there), 127):
        counts += bytes_[first : first + 127].sum(axis=0, dtype=np.int8)
    return counts


def _judge(S: Any, y: Signs) -> tuple[Places, Floats]:
    """Of each probe on some rows: wrong answers, and the smallest y·s (−inf if it is no number)."""
    xp, signs = numpy_or_torch(S), beside(y, S)
    with np.errstate(invalid="ignore", over="ignore"):
        agreement = xp.where(signs == 0, xp.inf, signs * S)
    least = xp.amin(xp.where(xp.isnan(agreement), -xp.inf, agreement), 0)
    return host((~(agreement > 0)).sum(0)), host(least)


def _responses(X: Any, weights: Floats) -> Iterator[tuple[slice, Any, float]]:
    """(rows, X̃·W, largest ‖x̃‖) piece by piece; on the GPU where X is there."""
    xp, W = numpy_or_torch(X), beside(weights, X)
    size = max(1, _PIECE // max(weights.shape))
    for first in range(0, X.shape[0], size):
        rows = slice(first, min(X.shape[0], first + size))
        x = float64(X[rows])
        with np.errstate(over="ignore", invalid="ignore"):
            S = x @ W[:-1] + W[-1]
            radius = float(xp.sqrt(1.0 + (x * x).sum(1)).max())
        yield rows, S, radius


def final_weights(trained: Trained, X: Any, Y: Signs, average: bool, limit: int) -> tuple[Floats, Places]:
    """The weights that the probes answer with, and the passes they made.

    The mean of the weights after each of t presentations is w − sums/t. Once a pass is clean, w stays, and passes go
    on until the mean is right too: y·(w·x̃) > y·(sums·x̃)/t on every row, which says how many they are.
    """
    passes = trained.passes
    if not average:
        return trained.weights, passes
    n, clean = X.shape[0], np.flatnonzero((trained.mistakes == 0).any(axis=0))
    if clean.size:
        needed = _presentations_needed(trained.weights[:, clean], trained.sums[:, clean], X, Y[:, clean])
        more = np.minimum(needed // n + 1, limit).astype(np.int64)
        passes = passes.copy()
        passes[clean] = np.minimum(limit, np.maximum(passes[clean], more))
    return trained.weights - trained.sums / (passes * n), passes


def _presentations_needed(weights: Any, sums: Any, X: Any, Y: Signs) -> Floats:
    """The largest of (sums·x̃)/(w·x̃) over the labelled rows of each probe."""
    needed = np.zeros(Y.shape[1])
    for (rows, S, _), (_, A, _) in zip(_responses(X, weights), _responses(X, sums), strict=True):
        y = Y[rows]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            times = np.where(y == 0, 0.0, (y * host(A)) / (y * host(S)))
        needed = np.maximum(needed, np.nan_to_num(times, nan=np.inf).max(axis=0))
    return needed
