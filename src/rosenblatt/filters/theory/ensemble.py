"""Learning curves: the error's power over time, averaged over many realisations."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.filters.machinery.inputs import as_numbers, refuse_nonfinite
from rosenblatt.filters.machinery.online import OnlineFilter

__all__ = ["learning_curve"]

_GROUP = 16  # realisations summed by one call: fixed, so that the sum does not depend on the number of threads


@checked
def learning_curve(
    filter: OnlineFilter,  # noqa: A002
    u: Any,
    d: Any,
    n_jobs: int | None = None,
) -> Floats:
    """E|e(n)|² over realisations: run a fresh copy of the filter on each of them, and average.

    Parameters
    ----------
    filter : LMS, NLMS, RLS, …
        Its parameters and `start` count; its state neither counts nor changes.
    u, d : arrays of shape (realisations, n)
        Input and desired signals, a realisation in each row.
    n_jobs : int, optional
        Threads; all cores by default, and for −1. The result does not depend on it.

    Returns
    -------
    array of n numbers
        The mean squared error at each sample.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LMS, learning_curve
    >>> rng = np.random.default_rng(0)
    >>> u = rng.normal(size=(400, 300))
    >>> d = u + 0.1 * rng.normal(size=u.shape)           # an unknown system: the signal itself, and noise
    >>> curve = learning_curve(LMS(taps=1, eta=0.05), u, d)
    >>> curve[[0, 299]].round(2)                         # from the power of d to that of the noise
    array([0.98, 0.01])
    """
    if not isinstance(filter, OnlineFilter):
        raise TypeError(
            f"a learning curve is for filters that learn sample by sample, not for {type(filter).__name__}."
        )
    filter._validate_params()
    u, d = as_numbers(u, "u"), as_numbers(d, "d")
    if u.ndim != 2 or u.shape != d.shape or not len(u):
        raise ValueError(f"u and d must have one shape (realisations, n); they have {u.shape} and {d.shape}.")
    for name, array in (("u", u), ("d", d)):
        refuse_nonfinite(array, name)
    dtype = np.result_type(u, d)
    threads = (os.cpu_count() or 1) if n_jobs in (None, -1) else n_jobs
    if threads < 1:
        raise ValueError(f"n_jobs={n_jobs} must be a number of threads, 1 or more; −1 is all cores.")
    groups = [slice(k, k + _GROUP) for k in range(0, len(u), _GROUP)]
    with ThreadPoolExecutor(threads) as pool:
        sums = list(pool.map(lambda k: _squares(filter, u[k].astype(dtype), d[k].astype(dtype)), groups))
    curve = np.zeros(u.shape[1])
    for squares in sums:
        curve += squares
    if not np.isfinite(curve).all():
        raise OverflowError(f"{type(filter).__name__} diverged on this input: take a smaller step.")
    return curve / len(u)


def _squares(filter: OnlineFilter, u: npt.NDArray[Any], d: npt.NDArray[Any]) -> Floats:  # noqa: A002
    """Σ|e(n)|² over some realisations."""
    from rosenblatt.kernels.filter_rules import FilterState
    from rosenblatt.kernels.filters import advance_all

    many, n = u.shape
    past = filter._past
    w = filter._start_weights(u.dtype)
    if w.dtype.kind == "c":
        u, d = (a.astype(np.result_type(a.dtype, np.complex64)) for a in (u, d))
    parts = (w, *filter._new_matrix(w.dtype), filter._scratch(w.dtype))
    state = FilterState(*(np.repeat(part[None], many, axis=0) for part in parts))
    x = np.concatenate([np.zeros((many, past + filter.taps - 1), dtype=u.dtype), u], axis=1)[:, ::-1].copy()
    wanted = np.concatenate([np.zeros((many, past), dtype=d.dtype), d], axis=1)
    squares = np.zeros(n)
    for start, stop in pieces(n, many * filter._cost):
        advance_all(frozen(x), n - 1, -1, frozen(wanted), past, filter._rule(), state, squares, start, stop)
    return squares
