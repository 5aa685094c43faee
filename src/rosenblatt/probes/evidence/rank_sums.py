"""How likely a rank sum as large is, if k of N rows are positive by chance: counted, or by a saddlepoint.

Which k rows are positive is equally likely for each choice; equal scores share their mean rank. Many equal scores (most
rows of a sparse column) and few positive rows make a tail much heavier than that of the normal distribution.

counted: rows away from the most frequent score are added one by one. ways[j, w] is the number of ways to choose j of
them with sum w; the other k − j positive rows have the most frequent score. Sums are put on a grid where they are many,
each rounded up, so p is never too small.

saddlepoint (Skovgaard 1987; Booth and Butler 1990): N coins with chance k/N, given that k of them show heads. Its error
is a few percent, however far out in the tail, where sums take many values; where they take few, they are counted.
"""

import numpy as np
from scipy.special import gammaln, ndtr

from rosenblatt.arrays import Flags, Floats, Places

__all__ = ["log_choices", "rank_sum_tail"]

_WORK = 10_000_000  # additions of a count
_CELLS = 150  # of the grid, for each positive row away from the most frequent score
_NEGLIGIBLE = 1e-13  # chance of more positive rows than are counted; it is added to p
_LEAST = 1e-12  # a tail that is not counted is not trusted below this
_STEPS = 60  # of Newton's method
_NEAR = 0.3  # so near to the mean, in deviations, the normal limit is good and the saddlepoint is not defined


def log_choices(n: Places | int, k: Places | int) -> Floats:
    """The log of the number of ways to choose k of n; −inf where there is none."""
    return np.asarray(gammaln(np.add(n, 1.0)) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0))


def rank_sum_tail(ranks: Floats, positive: Flags) -> float:
    """P(the rank sum of the positive rows ≥ what it is); NaN with one class only.

    >>> round(rank_sum_tail(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True])), 6)
    0.166667
    """
    N, k = len(ranks), int(np.count_nonzero(positive))
    if k in (0, N):
        return np.nan
    values = np.rint(2.0 * ranks).astype(np.int64)
    if 2 * k > N:  # the sum of the others is small where that of these is large
        values, positive, k = -values, ~positive, N - k
    scores, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(scores) == 1:
        return 1.0
    there = np.bincount(place[positive], minlength=len(scores))
    most = int(np.argmax(sizes))
    jumps, found = scores - scores[most], int((scores - scores[most]) @ there)
    counted = _counted(jumps, sizes, most, k, found)
    same = float(np.exp(log_choices(sizes, there).sum() - log_choices(N, k)))
    return max(_saddlepoint(values - values.mean(), k, positive) if counted is None else counted, same)


def _counted(jumps: Places, sizes: Places, most: int, k: int, found: int) -> float | None:
    """By dynamic programming; None where that would take long."""
    N, usual = int(sizes.sum()), int(sizes[most])
    away = N - usual
    j = np.arange(max(0, k - usual), min(k, away) + 1)
    chance = np.exp(log_choices(away, j) + log_choices(usual, k - j) - log_choices(N, k))
    beyond = np.cumsum(chance[::-1])[::-1]
    top = int(j[beyond > _NEGLIGIBLE][-1])
    ends = np.sort(np.repeat(np.delete(jumps, most), np.delete(sizes, most)))
    lowest, highest = int(np.minimum(ends[:top], 0).sum()), int(np.maximum(ends[len(ends) - top :], 0).sum())
    room = _WORK // max(1, away * (top + 1))
    step = max(1, -(-(highest - lowest + 1) // max(1, room)))
    if step > 1 and room < _CELLS * (top + 1):
        return None
    width, offset = (highest - lowest) // step + top + 3, -lowest // step + 1
    ways = np.zeros((top + 1, width))
    ways[0, offset] = 1.0
    for jump, size in zip(np.delete(jumps, most).tolist(), np.delete(sizes, most).tolist(), strict=True):
        cell = -(-jump // step)  # rounded up
        for _ in range(size):  # one row more: it is chosen, or not
            if cell >= 0:
                ways[1:, cell:] += ways[:-1, : width - cell]
            else:
                ways[1:, :cell] += ways[:-1, -cell:]
    rest = k - np.arange(top + 1)  # positive rows with the most frequent score; more than there are: no way, weight 0
    weights = np.exp(log_choices(usual, rest) - log_choices(N, k))
    tail = ways[:, offset + found // step :].sum(axis=1) @ weights
    return float(min(1.0, tail + (beyond[j > top].max(initial=0.0))))


def _saddlepoint(values: Floats, k: int, positive: Flags) -> float:
    """P(T ≥ t) for the sum T of k values of mean zero, with half a rank of continuity."""
    N = len(values)
    a = values / np.sqrt(np.mean(values**2))
    t = float(a[positive].sum()) - 1.0 / float(np.sqrt(np.mean(values**2)))
    part = k / N
    deviation = np.sqrt(part * (1 - part) * N * N / (N - 1))
    if t < _NEAR * deviation:
        return float(ndtr(-t / deviation))
    top = float(np.sort(a)[N - k :].sum())
    if t >= top:
        return _LEAST  # the chance of this very arrangement is the caller's
    x, target = np.array([0.0, t / deviation**2]), np.array([float(k), t])
    value, gradient, curvature = _cumulants(a, part, x, target)
    for _ in range(_STEPS):
        if np.all(np.abs(gradient) <= 1e-9 * (1.0 + np.abs(target))):
            break
        move, size = np.linalg.lstsq(curvature, gradient, rcond=None)[0], 1.0
        while size > 1e-6:
            tried = _cumulants(a, part, x - size * move, target)
            if tried[0] <= value + 1e-4 * size * -(gradient @ move):
                break
            size /= 2
        x = x - size * move
        value, gradient, curvature = tried
    w = float(np.sqrt(max(-2.0 * value, 0.0)))
    u = float(x[1] * np.sqrt(max(np.linalg.det(curvature), 0.0) / (N * part * (1 - part))))
    if w < 1e-3 or u <= 0:
        return float(ndtr(-t / deviation))
    tail = ndtr(-w) + np.exp(-w * w / 2) / np.sqrt(2 * np.pi) * (1 / u - 1 / w)
    return float(np.clip(tail, _LEAST, 1.0))


def _cumulants(a: Floats, part: float, x: Floats, target: Floats) -> tuple[float, Floats, Floats]:
    """K(s, t) − s·k − t·T with its gradient and curvature; K = Σ log(1 − p + p·exp(s + t·a))."""
    e = x[0] + x[1] * a + np.log(part / (1 - part))
    q = 1.0 / (1.0 + np.exp(-np.clip(e, -700, 700)))
    value = float(np.logaddexp(0.0, e).sum() + len(a) * np.log(1 - part) - x @ target)
    spread = q * (1 - q)
    mixed = float(spread @ a)
    gradient = np.array([q.sum(), q @ a]) - target
    return value, gradient, np.array([[spread.sum(), mixed], [mixed, spread @ (a * a)]])
