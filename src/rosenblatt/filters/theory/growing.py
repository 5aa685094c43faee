"""Whether the weights of LMS grow on a signal, measured on that signal.

The errors of the weights follow w ← (I − ηx*xᵀ)w, whatever d is: that is LMS with d = 0. Textbooks take regressors as
independent and Gaussian. Those of a delay line are not: loud stretches come together, and a step far below the
textbook's `max_step` may multiply the weights there again and again. So the product is followed over the signal itself.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.filters.lms import LMS
from rosenblatt.filters.machinery.inputs import as_numbers, refuse_nonfinite, taps_fit

__all__ = ["Growth", "growth", "safe_step"]

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


def growth(u: Any, taps: int | None = None, *, eta: float) -> Growth:
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


def safe_step(u: Any, taps: int | None = None) -> float:
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
    power = float(np.mean(np.abs(u) ** 2))
    if not power:
        return float("inf")
    low, high = 0.0, 2.0 / (size * power)
    while growth(u, size, eta=high).safe:
        low, high = high, 2 * high
    while not low:
        low = high / 2
        if not growth(u, size, eta=low).safe:
            low, high = 0.0, low
    while high > _PRECISION * low:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if growth(u, size, eta=middle).safe else (low, middle)
    return low


def _taps(u: Any, taps: int | None) -> int:
    if u.ndim == 2:
        return int(u.shape[1])
    if taps is None:
        raise ValueError("taps is missing: how many present and past values of the signal does the filter weigh?")
    taps_fit(taps, len(u))
    return int(taps)


def _followed(u: Any, taps: int, eta: float, seed: int) -> Growth:
    """One start, its weights made short again and again, so that they stay in the range of float64."""
    start = np.random.default_rng(seed).normal(size=taps)
    learner = LMS(taps, eta, start=start / np.linalg.norm(start))
    learner._silent = True  # a step that is too large is what is looked for
    length, least, rise = 0.0, 0.0, 0.0
    nothing = np.zeros(_LOOKS, dtype=u.dtype)
    for first in range(0, len(u), _LOOKS):
        part = u[first : first + _LOOKS]
        try:
            norm = float(np.linalg.norm(learner.run(part, nothing[: len(part)]).w))
        except OverflowError:
            return Growth(float("inf"), float("inf"))
        if norm == 0 or not np.isfinite(norm):
            return Growth(float("-inf"), rise) if norm == 0 else Growth(float("inf"), float("inf"))
        length += float(np.log(norm))
        learner._memory.w /= norm
        least, rise = min(least, length), max(rise, length - least)
    return Growth(length / len(u), rise)
