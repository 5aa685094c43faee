"""Measured by running a filter: learning curves over many realisations, and how weights grow on a signal.

The errors of the weights follow w ← (I − ηx*xᵀ)w, whatever d is: that is LMS with d = 0. Textbooks take regressors as
independent and Gaussian. Those of a delay line are not: loud stretches come together, and a step far below the
textbook's `max_step` may multiply the weights there again and again. So the product is followed over the signal itself.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import frozen, pieces
from rosenblatt.filters.machinery.inputs import Diverged, as_numbers, refuse_nonfinite, taps_fit
from rosenblatt.filters.machinery.stepping import OnlineFilter

__all__ = ["Growth", "growth", "learning_curve", "safe_step"]

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
        raise Diverged(f"{type(filter).__name__} diverged on this input: take a smaller step.")
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


_LOOKS = 64  # samples between two looks at the weights' length, at most
_STARTS = 3  # random starts: a direction that grows is in each of them
_RISE = float(np.log(10.0))  # a safe step never makes an error of the weights more than ten times as long
_PRECISION = 1.02  # of a safe step


class Growth(NamedTuple):
    """How errors of the weights grow on a signal.

    `rate`: the mean of log(‖w(n + 1)‖/‖w(n)‖) over the signal; above 0 they grow without end. `rise`: the largest
    log(‖w(n)‖/‖w(m)‖), m < n: how far they grow on the way, at the most.
    """

    rate: float
    rise: float

    @property
    def safe(self) -> bool:
        """Whether errors shrink, and are nowhere multiplied by more than ten on the way."""
        return self.rate <= 0 and self.rise <= _RISE


def growth(u: npt.ArrayLike, taps: int | None = None, *, eta: float) -> Growth:
    """How errors of the weights of LMS grow on this signal, from random starts.

    Parameters
    ----------
    u, taps
        The input, as in `correlation`.
    eta : float
        The step.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import growth
    >>> u = np.random.default_rng(0).normal(size=20_000)
    >>> growth(u, 8, eta=0.05).safe, growth(u, 8, eta=0.5).safe
    (True, False)
    """
    if not eta > 0:
        raise ValueError(f"eta={eta!r} must be a positive number.")
    u = as_numbers(u, "u")
    refuse_nonfinite(u, "u")
    taps = _taps(u, taps)
    found = [_followed(u, taps, eta, seed) for seed in range(_STARTS)]
    return Growth(max(one.rate for one in found), max(one.rise for one in found))


def safe_step(u: npt.ArrayLike, taps: int | None = None) -> float:
    """The largest step of LMS that is safe on this signal: below it, errors of the weights do not grow.

    They shrink over the signal as a whole, and are nowhere multiplied by more than ten on the way. It is found by
    halving, to 2 %; inf for an input that is zero throughout. On another signal another step may be safe: measure it on
    as much as there is.

    Parameters
    ----------
    u, taps
        The input, as in `correlation`.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import max_step, safe_step
    >>> random = np.random.default_rng(0)
    >>> noise, u = random.normal(size=20_000), np.zeros(20_000)
    >>> for n in range(1, 20_000):                                   # neighbours are alike: 0.9 of the last value
    ...     u[n] = 0.9 * u[n - 1] + noise[n]
    >>> bool(safe_step(u, 8) < max_step(u, 8))
    True
    """
    u = as_numbers(u, "u")
    refuse_nonfinite(u, "u")
    size = _taps(u, taps)
    unit = float(np.abs(u).max(initial=0.0))
    if not unit:
        return float("inf")
    u = u / unit  # so that no square overflows
    low, high = 0.0, 2.0 / (size * float(np.mean(np.abs(u) ** 2)))
    while growth(u, size, eta=high).safe:
        low, high = high, 2 * high
    while not low:
        low = high / 2
        if not growth(u, size, eta=low).safe:
            low, high = 0.0, low
    while high > _PRECISION * low:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if growth(u, size, eta=middle).safe else (low, middle)
    return low / unit / unit


def _taps(u: npt.NDArray[Any], taps: int | None) -> int:
    if u.ndim == 2:
        return int(u.shape[1])
    if taps is None:
        raise ValueError("taps is missing: how many present and past values of the signal does the filter weigh?")
    taps_fit(taps, len(u))
    return int(taps)


def _followed(u: npt.NDArray[Any], taps: int, eta: float, seed: int) -> Growth:
    """One start, its weights made short again and again, so that they stay in the range of float64."""
    from rosenblatt.kernels.filter_rules import FilterState, PlainLMS
    from rosenblatt.kernels.filters import follow

    start = np.random.default_rng(seed).normal(size=taps).astype(np.complex128 if u.dtype.kind == "c" else np.float64)
    nothing = np.empty((0, 0), dtype=start.dtype)
    state = FilterState(start / np.linalg.norm(start), nothing, np.empty(0), nothing)
    n, (x, first, stride) = len(u), _regressors(u, taps)
    lengths = np.zeros(-(-n // _LOOKS))
    for begin, end in pieces(n, taps):
        if not follow(x, first, stride, PlainLMS(float(eta)), state, lengths, _LOOKS, begin, end):
            break
    else:
        if n % _LOOKS:
            lengths[-1] = np.linalg.norm(state.w)
    if not np.isfinite(lengths).all():
        return Growth(float("inf"), float("inf"))
    with np.errstate(divide="ignore"):
        logs = np.append(0.0, np.cumsum(np.log(lengths)))
    known = logs[: 1 + int(np.count_nonzero(lengths))] if not lengths.all() else logs
    rise = float((known - np.minimum.accumulate(known)).max())
    return Growth(float(logs[-1]) / n, rise)


def _regressors(u: npt.NDArray[Any], taps: int) -> tuple[npt.NDArray[Any], int, int]:
    """Input as the kernels take it: a flat array, where the first regressor is in it, and how far the next one."""
    if u.ndim == 2:
        return frozen(np.ascontiguousarray(u).reshape(-1)), 0, taps
    return frozen(np.concatenate([np.zeros(taps - 1, dtype=u.dtype), u])[::-1].copy()), len(u) - 1, -1
