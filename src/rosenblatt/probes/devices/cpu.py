"""The blocked perceptron on the CPU: matrix products by BLAS, the recurrence by one compiled kernel.

For a block of R rows with x̃ = (x, 1): S = X̃_b·W and G = X̃_b·X̃_bᵀ by matrix products; then down the rows, for all
probes at once, c_r = y_r where y_r·(S_r + Σ_{q<r} G_{rq}·c_q) ≤ 0, else 0; then W += X̃_bᵀ·C. That is the sequential
perceptron, to rounding.

Threads take groups of probes, each with BLAS on one thread: a BLAS that starts threads of its own inside them takes ten
times as long. A group goes through its rows in one compiled call: with a few calls for each block, sixteen threads
waited for the interpreter and took ten times as long as one. A plain loop over the rows, with the probes as vector
lanes, would be faster only below 16 columns, and there by little.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import RowSource
from rosenblatt.probes.devices.training import Deal, Tick, Trained, run

__all__ = ["train"]

_Weights = npt.NDArray[Any]  # float32 or float64

_GROUP = 256  # probes whose products are made together
_SLAB_BYTES = 1 << 27  # rows gathered at a time


def train(
    X: RowSource,
    Y: Signs,
    passes: int,
    deal: Deal | None = None,
    average: bool = False,
    tick: Tick | None = None,
    *,
    threads: int | None = None,
) -> Trained:
    """Train one probe for each column of Y (−1, +1, 0 for no label) on the rows of X, in the precision of X.

    X is an array or memory map of float32 or float64, or an object that gives such rows by slices and index arrays.
    `deal` gives the rows of a pass in their order (None: in turn).
    """
    import scipy.linalg.cython_blas  # noqa: F401 (the kernel calls it; threads can be limited only once it is loaded)
    from threadpoolctl import threadpool_limits

    from rosenblatt.learners.runs.crew import n_threads

    threads = threads or n_threads(-1)
    slab, B = _Slab(X), Y.shape[1]
    W = np.zeros((slab.d, B), slab.X.dtype)
    A = np.zeros((slab.d if average else 0, B), slab.X.dtype)
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        team = _Team(pool, threads, slab, W, A, Y)
        try:
            return run(team, B, slab.d, passes, deal, average, tick)
        finally:
            slab.closed[0] = True  # after an interruption the threads stop at their next block


class _Slab:
    """Rows (x, 1) in the order they are shown, as many as go into _SLAB_BYTES, cut into blocks with their G."""

    def __init__(self, X: RowSource) -> None:
        self.source, self.n, self.d = X, int(X.shape[0]), int(X.shape[1]) + 1
        self.R = 32 if self.d < 512 else 64
        size = min(self.n, max(self.R, _SLAB_BYTES // (self.d * X.dtype.itemsize)) // self.R * self.R)
        self.X = np.ones((max(1, size), self.d), dtype=X.dtype)
        self.G = np.empty((-(-len(self.X) // self.R), self.R, self.R), dtype=X.dtype)
        self.rows: Places = np.arange(0)
        self.closed = np.zeros(1, dtype=np.bool_)

    def fill(self, first: int, rows: Places | None) -> bool:
        """Take presentations first, first + 1, … of a pass; returns whether the rows are other ones than before."""
        last = min(self.n, first + len(self.X))
        wanted = np.arange(first, last) if rows is None else rows[first:last]
        if np.array_equal(wanted, self.rows):
            return False
        self.rows = np.ascontiguousarray(wanted, dtype=np.int64)
        self.X[: last - first, :-1] = self.source[first:last] if rows is None else self.source[self.rows]
        return True

    def gram(self, part: int, parts: int) -> None:
        """G of every `parts`-th block, from block `part` on; the last block may have fewer rows than R."""
        for first in range(part * self.R, self.rows.size, parts * self.R):
            X = self.X[first : min(first + self.R, self.rows.size)]
            np.matmul(X, X.T, out=self.G[first // self.R, : len(X), : len(X)])


class _Group:
    """Probes side by side: their weights, labels and mistakes, and room for a block's S and a correction's product.

    The width is a multiple of the kernel's lanes; the spare columns have no labels, so they learn nothing.
    """

    def __init__(self, W: npt.NDArray[Any], A: npt.NDArray[Any], Y: Signs, R: int) -> None:
        self.width = Y.shape[1]
        wide = _multiple(self.width)
        self.W, self.A, self.Y = (_widened(part, wide) for part in (W, A, Y))
        self.S, self.product = np.empty((R, wide), W.dtype), np.empty_like(self.W)
        self.mistakes = np.zeros(wide, dtype=np.int32)

    def sweep(self, slab: _Slab, t: int) -> None:
        """Learn from the rows of the slab, the first of which is presentation t."""
        from rosenblatt.kernels.probes import learn

        X = slab.X[: slab.rows.size]
        learn(X, slab.G, self.W, self.A, self.Y, slab.rows, t, self.S, self.product, self.mistakes, slab.closed)


class _Team:
    """All probes at work, in groups."""

    def __init__(self, pool: ThreadPoolExecutor, threads: int, slab: _Slab, W: _Weights, A: _Weights, Y: Signs) -> None:
        self.pool, self.threads, self.slab = pool, threads, slab
        each = min(_GROUP, _multiple(-(-Y.shape[1] // threads)))
        cuts = [slice(first, first + each) for first in range(0, Y.shape[1], each)]
        self.groups = [_Group(W[:, cut], A[:, cut], Y[:, cut], slab.R) for cut in cuts]

    def sweep(self, number: int, rows: Places | None) -> npt.NDArray[np.int32]:
        """Make a pass, slab after slab."""
        slab = self.slab
        for group in self.groups:
            group.mistakes[:] = 0
        for first in range(0, slab.n, len(slab.X)):
            if slab.fill(first, rows):
                list(self.pool.map(slab.gram, range(self.threads), [self.threads] * self.threads))
            work = [self.pool.submit(group.sweep, slab, number * slab.n + first) for group in self.groups]
            for done in work:
                done.result()
        return np.concatenate([group.mistakes[: group.width] for group in self.groups])

    def dismiss(self, columns: Places) -> None:
        """Strike out the labels of these columns: without labels nothing is corrected any more."""
        start = 0
        for group in self.groups:
            mine = columns[(columns >= start) & (columns < start + group.width)] - start
            group.Y[:, mine] = 0
            start += group.width

    def keep(self, columns: Places) -> "_Team":
        """A team of these columns."""
        parts = (self._joined(name)[:, columns] for name in ("W", "A", "Y"))
        return _Team(self.pool, self.threads, self.slab, *parts)

    def fetch(self, weights: Floats, sums: Floats, index: Places) -> None:
        """Copy what was learned."""
        weights[:, index], sums[:, index] = self._joined("W"), self._joined("A")

    def _joined(self, name: str) -> Any:
        return np.hstack([getattr(group, name)[:, : group.width] for group in self.groups])


def _multiple(width: int) -> int:
    """The next multiple of the kernel's lanes: a vector that is not full takes as long as a full one."""
    from rosenblatt.kernels.probes import LANES

    return -(-width // LANES) * LANES


def _widened(part: npt.NDArray[Any], wide: int) -> Any:
    """A copy in C order with columns of zeros on the right."""
    grown = np.zeros((len(part), wide), dtype=part.dtype)
    grown[:, : part.shape[1]] = part
    return grown
