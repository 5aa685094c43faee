"""Theory of LMS: how large its step may be, and how fast it learns.

The theory takes regressors as independent of each other and Gaussian. Those of a delay line are not independent, yet
for small steps the numbers hold to a few per cent.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.inputs import as_numbers, refuse_nonfinite, taps_fit

__all__ = [
    "NORMALISED",
    "correlation",
    "correlation_eigenvalues",
    "energy",
    "even_step",
    "fourth_moment_factor",
    "largest_step",
    "max_step",
    "noise_gain",
    "step_in_mean_square",
    "time_constant",
]

NORMALISED = 2.0, "the largest stable step of every normalised filter"  # whatever the input


def correlation(u: npt.ArrayLike, taps: int | None = None) -> npt.NDArray[Any]:
    """The input's correlation matrix R = E[x*xᵀ], taps × taps.

    Parameters
    ----------
    u : array of n samples, or n × p
        A signal, whose delay line the regressors are; or rows of regressors.
    taps : int
        How many values of a signal the filter weighs. Of rows it is the number of columns, and may be left out.

    Examples
    --------
    >>> from rosenblatt.filters import correlation
    >>> correlation([1.0, -1.0, 1.0, -1.0], taps=2)
    array([[ 1.  , -0.75],
           [-0.75,  1.  ]])
    """
    from scipy.linalg import toeplitz

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
    return np.asarray(toeplitz(lags))  # R[i, j] = E[u*(n−i) u(n−j)]: its first row is the conjugate of its first column


@checked
def max_step(u: Any, taps: int | None = None, sense: str = "mean square", leak: float = 0.0) -> float:
    """The textbook's largest stable step η of LMS (with a leak: of LeakyLMS), for an input of this correlation.

    It holds for regressors that are independent of each other and Gaussian. Those of a delay line are not, and on
    coloured, heavy-tailed or sparse signals a step of a tenth of it may diverge: `safe_step` measures on the signal.

    Parameters
    ----------
    u, taps
        The input, as in `correlation`.
    sense : {"mean square", "mean"}, default "mean square"
        "mean": the weights converge on average for η < 2/(λmax + leak), λ the eigenvalues of the input's correlation.
        "mean square": the error's power stays finite as well. Without a leak that is for η below the solution of
        Σ ηλ/(2 − 2ηλ) = 1 (complex input: Σ ηλ/(2 − ηλ) = 1). It is below 2/Σλ = 2/(taps · power): a little for white
        input, down to a third of it if a single eigenvalue is not zero.
    leak : float, default 0
        The leak of `LeakyLMS`.

    Returns
    -------
    float
        inf for an input that is zero throughout, if there is no leak.

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
    if not leak >= 0:
        raise ValueError(f"leak={leak!r} must be a number that is not negative.")
    if sense == "mean square":
        return step_in_mean_square(u, taps, leak=leak)
    top = float(correlation_eigenvalues(u, taps)[0].max()) + leak
    return 2.0 / top if top else float("inf")


@checked
def time_constant(u: Any, taps: int | None = None, *, eta: float) -> Floats:
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
    eigenvalues, _ = correlation_eigenvalues(u, taps)
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (eta * eigenvalues[::-1]))


_MANY = 512  # taps; the eigenvalues of so many take too long


def step_in_mean_square(u: npt.ArrayLike, taps: int | None, power: float | None = None, leak: float = 0.0) -> float:
    """`max_step` in the mean square; `power`: the sum of the eigenvalues, if it is another one than that of u.

    Of a long filter not by its eigenvalues. R is a Toeplitz matrix, and with s = factor·η/2 the gain is
    (tr (I − sR)⁻¹ − taps)/factor; x, the first column of the inverse, is solved for by Levinson's recursion, and by the
    formula of Gohberg and Semencul the trace is Σ (taps − 2k)|x_k|²/x_0.
    """
    u = as_numbers(u, "u")
    if leak or u.ndim != 1 or taps is None or taps <= _MANY:
        eigenvalues, moment_factor = correlation_eigenvalues(u, taps)
        if power is not None and eigenvalues.any():
            eigenvalues *= power / eigenvalues.sum()
        return largest_step(eigenvalues, moment_factor, leak)
    from scipy.linalg import solve_toeplitz
    from scipy.optimize import brentq
    from scipy.sparse.linalg import LinearOperator, eigsh

    refuse_nonfinite(u, "u")
    taps_fit(taps, len(u))
    moment_factor = fourth_moment_factor(u)
    size = 1 << int(np.ceil(np.log2(len(u) + taps)))
    spectrum = np.fft.fft(u.astype(np.result_type(u, np.float64)), size)
    column: npt.NDArray[Any] = np.fft.ifft(np.abs(spectrum) ** 2)[:taps].conj() / len(u)  # R's first column
    column = column if u.dtype.kind == "c" else column.real
    if not column[0].real > 0:
        return float("inf")
    column *= (power or taps * column[0].real) / (taps * column[0].real)
    circle = np.fft.fft(np.concatenate([column, np.zeros(1), column[:0:-1].conj()]))

    def product(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        found = np.fft.ifft(circle * np.fft.fft(x.ravel(), 2 * taps))[:taps]
        return found if u.dtype.kind == "c" else found.real

    R = LinearOperator((taps, taps), matvec=product, dtype=column.dtype)
    start = np.random.default_rng(0).normal(size=taps)
    top = float(eigsh(R, k=1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)[0])

    def beyond(eta: float) -> float:
        """How far the gain is above 1."""
        column_of = -moment_factor * eta / 2 * column
        column_of[0] += 1.0
        x = solve_toeplitz(column_of, np.eye(1, taps)[0])
        trace = float(((taps - 2.0 * np.arange(taps)) @ np.abs(x) ** 2) / x[0].real)
        return (trace - taps) / moment_factor - 1.0

    high = 2.0 / (moment_factor * top * (1 + 1e-5))  # the gain is infinite a little above
    return high if beyond(high) < 0 else float(brentq(beyond, 1e-3 * high / taps, high, rtol=1e-9))


def largest_step(eigenvalues: Floats, moment_factor: int, leak: float = 0.0) -> float:
    """The step at which `noise_gain` reaches 1: the bound in the mean square."""
    high = min(even_step(float(value), 0, moment_factor, leak) for value in eigenvalues)  # the gain is infinite there
    if high == np.inf:
        return high
    low = 0.0
    for _ in range(100):
        eta = (low + high) / 2
        low, high = (eta, high) if noise_gain(eigenvalues, eta, moment_factor, leak) < 1 else (low, eta)
    return low


def even_step(eigenvalue: float, taps: int, moment_factor: int, leak: float = 0.0) -> float:
    """`largest_step` of `taps` equal eigenvalues.

    Of all inputs of one power, the white one allows the largest step, one with a single eigenvalue the smallest.
    """
    whole = eigenvalue + leak
    return 2 / (whole + (taps + moment_factor - 1) * eigenvalue * (eigenvalue / whole)) if whole else float("inf")


def correlation_eigenvalues(u: npt.ArrayLike, taps: int | None) -> tuple[Floats, int]:
    """Eigenvalues of the correlation, ascending, and the `fourth_moment_factor` of the input."""
    R = correlation(u, taps)
    return np.maximum(np.linalg.eigvalsh(R), 0.0), fourth_moment_factor(R)


def fourth_moment_factor(u: npt.NDArray[Any]) -> int:
    """2 for real input, 1 for complex input: E|u|⁴ = (1 + factor)·(E|u|²)² if u is Gaussian."""
    return 1 if u.dtype.kind == "c" else 2


def noise_gain(eigenvalues: Floats, eta: float, moment_factor: int, leak: float = 0.0) -> float:
    """The share of the error's power that corrections put back into it; without a leak Σ ηλ/(2 − moment_factor·ηλ)."""
    positive = eigenvalues[eigenvalues > 0]
    idle = leak * (2 - eta * leak) / positive
    return float(np.sum(eta * positive / (idle + 2 * (1 - eta * leak) - moment_factor * eta * positive)))


def energy(u: npt.NDArray[Any]) -> float:
    """Σ|u|² without a copy; einsum, because the threads that BLAS wakes for a dot product cost more than they help."""
    letters = "ij"[: u.ndim]
    parts = (u.real, u.imag) if u.dtype.kind == "c" else (u,)
    return float(sum(np.einsum(f"{letters},{letters}->", part, part, dtype=np.float64) for part in parts))
