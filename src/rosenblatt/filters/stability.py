"""What theory says before a filter runs: how large the step may be, how fast it learns, how well it ends.

Regressors are taken as independent of each other and Gaussian (for the bounds and LMS) or as pointing in all directions
alike (for NLMS). Those of a delay line are neither, yet for small steps the numbers hold to a few per cent.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.base import AdaptiveFilter
from rosenblatt.filters.inputs import as_numbers, refuse_nonfinite, taps_fit
from rosenblatt.filters.leaky_lms import LeakyLMS
from rosenblatt.filters.lms import LMS
from rosenblatt.filters.nlms import NLMS

__all__ = ["SteadyState", "correlation", "max_step", "predicted_mse", "time_constant"]


def correlation(u: Any, taps: int | None = None) -> npt.NDArray[Any]:
    """The input's correlation matrix R = E[x*xᵀ], taps × taps.

    Parameters
    ----------
    u : array of n samples, or n × p
        A signal, whose delay line the regressors are; or rows of regressors.
    taps : int
        For a signal; rows have as many as columns.

    Examples
    --------
    >>> from rosenblatt.filters import correlation
    >>> correlation([1.0, -1.0, 1.0, -1.0], taps=2)
    array([[ 1.  , -0.75],
           [-0.75,  1.  ]])
    """
    u = as_numbers(u, "u")
    refuse_nonfinite(u, "u")
    u = u.astype(np.complex128 if u.dtype.kind == "c" else np.float64)
    if u.ndim == 2:
        if taps not in (None, u.shape[1]):
            raise ValueError(
                f"the rows of u have {u.shape[1]} columns, which are the taps; taps={taps} contradicts them."
            )
        return np.asarray(u.conj().T @ u / len(u))
    if taps is None:
        raise ValueError("taps is missing: how many present and past values of the signal does the filter weigh?")
    taps_fit(taps, len(u))
    lags = np.array([np.vdot(u[: len(u) - k], u[k:]) for k in range(taps)]) / len(u)  # E[u*(n−k) u(n)]
    place = np.subtract.outer(np.arange(taps), np.arange(taps))  # R[i, j] = E[u*(n−i) u(n−j)]
    return np.asarray(np.where(place >= 0, lags[abs(place)], lags[abs(place)].conj()))


def max_step(u: Any, taps: int | None = None, sense: str = "mean square") -> float:
    """The largest stable step η of LMS on this input.

    Parameters
    ----------
    u, taps
        The input, as in `correlation`.
    sense : {"mean square", "mean"}, default "mean square"
        "mean": the weights converge on average for η < 2/λmax, λ the eigenvalues of the input's correlation. "mean
        square": the error's power stays finite as well, for η below the solution of Σ ηλ/(2 − 2ηλ) = 1 (complex input:
        Σ ηλ/(2 − ηλ) = 1), which is a little under 2/Σλ = 2/(taps · power).

    Returns
    -------
    float
        inf for an input that is zero throughout.

    References
    ----------
    Feuer & Weinstein (1985), Convergence analysis of LMS filters with uncorrelated Gaussian data.
    Horowitz & Senne (1981), Performance advantage of complex LMS for controlling narrow-band adaptive arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import max_step
    >>> u = np.random.default_rng(0).normal(size=100_000)      # white, of power 1
    >>> round(max_step(u, taps=8), 2), round(max_step(u, taps=8, sense="mean"), 1)   # 2/(taps + 2) and 2
    (0.2, 2.0)
    """
    if sense not in ("mean", "mean square"):
        raise ValueError(f'sense={sense!r} must be "mean square" or "mean".')
    eigenvalues, again = _eigenvalues(u, taps)
    top = float(eigenvalues.max())
    if top == 0.0:
        return float("inf")
    if sense == "mean":
        return 2.0 / top
    low, high = 0.0, 2.0 / (again * top)  # Σ grows from 0 to infinity in between
    for _ in range(100):
        eta = (low + high) / 2
        low, high = (eta, high) if _noise_gain(eigenvalues, eta, again) < 1 else (low, eta)
    return low


def time_constant(u: Any, taps: int | None = None, *, eta: float) -> npt.NDArray[np.float64]:
    """How many samples LMS needs to come e times nearer to the solution, along each eigenvector of the input.

    1/(η·λ), λ the eigenvalues of the input's correlation, from the fastest to the slowest; the squared error falls
    twice as fast. With white input of power one, all of them are near 1/η: the memory of the filter. The spread between
    the first and the last is why coloured input is learned slowly (and why `RLS`, which has no such spread, exists).

    Parameters
    ----------
    u, taps
        The input, as in `correlation`.
    eta : float
        The step.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import time_constant
    >>> u = np.random.default_rng(0).normal(size=100_000)
    >>> time_constant(u, 3, eta=0.01).round(-1)
    array([100., 100., 100.])
    """
    if not eta > 0:
        raise ValueError(f"eta={eta!r} must be a positive number.")
    eigenvalues, _ = _eigenvalues(u, taps)
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (eta * eigenvalues[::-1]))


class SteadyState(NamedTuple):
    """What a filter ends up with.

    mse            mean squared error, in the long run
    excess         what it has above the noise: gradient noise and lag
    misadjustment  excess / noise
    """

    mse: float
    excess: float
    misadjustment: float


def predicted_mse(filter: AdaptiveFilter, u: Any, noise: float, drift: float = 0.0) -> SteadyState:  # noqa: A002
    """The mean squared error that LMS or NLMS ends up with, by theory.

    A filter that never stops learning never stops erring: each correction carries the noise of its sample into the
    weights (more with a large step), and where the system drifts the weights lag behind (more with a small step).

    Parameters
    ----------
    filter : LMS or NLMS
        Its taps, eta and eps count; its state does not.
    u : array of n samples, or n × taps
        The input.
    noise : float
        Power of what no filter can explain, the smallest mean squared error possible.
    drift : float, default 0
        If the system's weights take a random walk: the variance of each weight's move, per sample.

    Returns
    -------
    SteadyState
        mse, excess, misadjustment; inf where the step is not stable.

    References
    ----------
    Haykin, Adaptive Filter Theory, ch. 6. Sayed, Adaptive Filters (2008), part IV.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LMS, NLMS, predicted_mse
    >>> u = np.random.default_rng(0).normal(size=100_000)
    >>> round(predicted_mse(LMS(taps=10, eta=0.02), u, noise=0.1).misadjustment, 2)    # about η·taps·power/2
    0.11
    >>> round(predicted_mse(NLMS(taps=50, eta=0.5), u, noise=0.1).misadjustment, 2)    # about η/(2 − η)
    0.35
    """
    if not (noise > 0 and drift >= 0):
        raise ValueError(f"noise={noise!r} must be a positive power and drift={drift!r} no negative one.")
    if isinstance(filter, NLMS):
        excess = _nlms_excess(filter, u, noise, drift)
    elif isinstance(filter, LMS) and not isinstance(filter, LeakyLMS):
        excess = _lms_excess(filter, u, noise, drift)
    else:
        raise TypeError(f"there is a prediction for LMS and NLMS, not for {type(filter).__name__}.")
    return SteadyState(noise + excess, excess, excess / noise)


def _lms_excess(lms: LMS, u: Any, noise: float, drift: float) -> float:
    """J = (S·noise + T)/(1 − S): S the gradient noise, T the lag, both over the eigenvalues."""
    eigenvalues, again = _eigenvalues(u, lms.taps)
    if again * lms.eta * eigenvalues.max() >= 2:
        return float("inf")
    gain = _noise_gain(eigenvalues, lms.eta, again)
    lag = float(np.sum(drift / (lms.eta * (2 - again * lms.eta * eigenvalues))))
    return (gain * noise + lag) / (1 - gain) if gain < 1 else float("inf")


def _nlms_excess(nlms: NLMS, u: Any, noise: float, drift: float) -> float:
    """From the balance of ‖w̃‖²: what a step takes away on average equals what noise and drift put in."""
    u = as_numbers(u, "u")
    refuse_nonfinite(u, "u")
    power = np.abs(u.astype(np.complex128 if u.dtype.kind == "c" else np.float64)) ** 2
    if u.ndim == 1:
        taps_fit(nlms.taps, len(u))
        total = np.concatenate([[0.0], np.cumsum(power)])
        lengths = total[nlms.taps :] - total[: -nlms.taps]
    else:
        lengths = power.sum(axis=1)
    eta, scaled = nlms.eta, lengths / (nlms.eps + lengths)
    inverse = np.where(lengths > 0, scaled / (nlms.eps + lengths), 0.0)
    taken = 2 * eta * scaled.mean() - eta**2 * (scaled**2).mean()
    put_in = eta**2 * noise * inverse.mean() + nlms.taps * drift
    return float(put_in / taken * lengths.mean()) if taken > 0 else float("inf")


def _eigenvalues(u: Any, taps: int | None) -> tuple[npt.NDArray[np.float64], int]:
    """Eigenvalues of the correlation, ascending; 2 for real input, whose fourth moments count twice, 1 for complex."""
    R = correlation(u, taps)
    return np.maximum(np.linalg.eigvalsh(R), 0.0), 1 if R.dtype.kind == "c" else 2


def _noise_gain(eigenvalues: npt.NDArray[np.float64], eta: float, again: int) -> float:
    """S = Σ ηλ/(2 − again·ηλ): how much of the error's power the corrections put back into the error."""
    return float(np.sum(eta * eigenvalues / (2 - again * eta * eigenvalues)))
