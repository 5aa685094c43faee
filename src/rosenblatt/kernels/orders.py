"""Orders of presentation: which row is shown at which time, and asking the memory for it early.

Times t count presentations from the start of the run. The row at time t depends on the seed and t alone, so a run can
be cut and resumed anywhere.
"""

import numpy as np
from numba.extending import overload

from rosenblatt.kernels.compile import INLINE, helper_inlined, kernel
from rosenblatt.kernels.instructions import prefetch
from rosenblatt.kernels.kinds import CSR, Cyclic, Dense, Random, Shuffled

__all__ = ["deal", "deal_pass", "fetch_ahead", "quiet_limit", "row_at", "uniform"]

_CACHED = 1 << 19  # bytes that a core's cache surely holds: nothing of them is asked for early
_SWAPS_AHEAD = 32  # presentations: a large permutation is in no cache


@kernel
def uniform(seed, t):
    """The t-th random number of a seed, in [0, 1), a multiple of 2^-53: SplitMix64 (Steele, Lea & Flood 2014).

    It depends on (seed, t) alone. So it is the same on every platform, and a run can resume with t and no other state.
    """
    z = np.uint64(seed) + (np.uint64(t) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def row_at(order, t, pass_start):
    """The row shown at presentation t."""


@overload(row_at, jit_options=INLINE)
def _row_at(order, t, pass_start):
    def cyclic(order, t, pass_start):
        return t - pass_start

    def shuffled(order, t, pass_start):
        return np.int64(order.permutation[t - pass_start])

    def random(order, t, pass_start):
        return np.int64(uniform(order.seed, t) * order.n)

    return {Cyclic: cyclic, Shuffled: shuffled, Random: random}[order.instance_class]


def deal(order, start, stop, pass_start):
    """Decide which rows presentations start..stop show; they lie in one pass and follow those decided before."""


@overload(deal, jit_options=INLINE)
def _deal(order, start, stop, pass_start):
    def nothing(order, start, stop, pass_start):
        pass

    def shuffle(order, start, stop, pass_start):
        rows = order.permutation
        if start == pass_start:
            for k in range(order.n):
                rows[k] = k
        early = stop - _SWAPS_AHEAD if order.n > _CACHED // 4 else start  # a short permutation is in the cache
        for t in range(start, stop):
            if t < early:
                prefetch(rows, np.uint64(_place_drawn(order, t + _SWAPS_AHEAD, pass_start)))
            k, other = np.uint64(t - pass_start), np.uint64(_place_drawn(order, t, pass_start))
            rows[k], rows[other] = rows[other], rows[k]

    return shuffle if order.instance_class is Shuffled else nothing


@helper_inlined
def _place_drawn(order, t, pass_start):
    """The place of the pass, from this one on, whose row is shown at presentation t."""
    k = t - pass_start
    return k + np.int64(uniform(order.seed, t) * (order.n - k))


@kernel
def deal_pass(order, pass_start):
    """Decide all rows of a pass."""
    deal(order, pass_start, pass_start + order.n, pass_start)


def quiet_limit(order):
    """After so many presentations without a mistake the caller looks at every row: random draws may miss some rows."""


@overload(quiet_limit, jit_options=INLINE)
def _quiet_limit(order):
    if order.instance_class is Random:
        return lambda order: np.int64(order.n)
    return lambda order: np.int64(1 << 62)


# ------------------------------------------------------------------------------------------------ rows ahead

# A row takes longer to arrive from memory than to be answered. The hardware guesses the next row where rows come in
# turn; it cannot guess permuted rows, nor where the values of a sparse row begin. Short rows are answered so quickly
# that many of them must be on their way at a time.
_SHORT = 512  # bytes
_SHORT_AHEAD, _LONG_AHEAD, _SPARSE_AHEAD = 64, 8, 3  # rows
_U = np.uint64


def fetch_ahead(rows, order, t, end, pass_start):
    """At presentation t, ask for the rows of a few presentations later, before `end`."""


@overload(fetch_ahead, jit_options=INLINE)
def _fetch_ahead(rows, order, t, end, pass_start):
    def nothing(rows, order, t, end, pass_start):
        pass

    def dense(rows, order, t, end, pass_start):
        ahead = _SHORT_AHEAD if rows.X.shape[1] * rows.X.itemsize <= _SHORT else _LONG_AHEAD
        if t + ahead < end and rows.X.size * rows.X.itemsize > _CACHED:
            i, p = _U(row_at(order, t + ahead, pass_start)), _U(rows.X.shape[1])
            for j in range(_U(0), p, _U(64 // rows.X.itemsize)):  # a cache line is 64 bytes
                prefetch(rows.X, i * p + j)
            prefetch(rows.X, i * p + p - _U(1))  # a row may begin and end within a line

    def sparse(rows, order, t, end, pass_start):
        if t + 2 * _SPARSE_AHEAD < end:  # first where the row begins, later its values
            prefetch(rows.indptr, _U(row_at(order, t + 2 * _SPARSE_AHEAD, pass_start)))
        if t + _SPARSE_AHEAD < end:
            i = row_at(order, t + _SPARSE_AHEAD, pass_start)
            for k in range(_U(rows.indptr[i]), _U(rows.indptr[i + 1]), _U(8)):
                prefetch(rows.data, k)
                prefetch(rows.indices, k)

    if rows.instance_class is Dense and order.instance_class is Cyclic:
        return nothing
    return {Dense: dense, CSR: sparse}[rows.instance_class]
