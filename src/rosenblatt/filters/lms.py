"""LMS: the linear neuron learns from every error."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from rosenblatt.filters.online import OnlineFilter

__all__ = ["LMS"]


class LMS(OnlineFilter):
    """Least mean squares: the filter of Widrow and Hoff.

    *Algorithm.* y = w·x, e = d − y, w += η·e·x* (x* is the conjugate, for complex signals). One step down the slope of
    e²/2. It is the rule of `Adaline`, with a signal in place of the labels: on the same rows both make the same
    corrections, bit for bit. Replace e by d − sgn(y) and it is the perceptron.

    *Stability.* In the mean square about 0 < η < 2/(taps · input power); `max_step` has the exact bounds. 1/η is the
    memory: the weights look back about 1/(η·eigenvalue) samples (`time_constant`), and the price of a short memory is
    the misadjustment, about η · taps · power / 2 (`predicted_mse`). A larger η warns.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.01
        The step.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_ : array of taps numbers
        The weights now.
    n_samples_ : int
        Samples seen.

    References
    ----------
    Widrow & Hoff (1960), Adaptive switching circuits. Haykin, Adaptive Filter Theory, ch. 6.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LMS
    >>> u = np.random.default_rng(0).normal(size=2000)
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[:2000]     # an unknown system
    >>> LMS(taps=3, eta=0.05).run(u, d).w.round(6)
    array([ 1.  , -0.5 ,  0.25])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "taps": [Interval(Integral, 1, None, closed="left")],
        "eta": [Interval(Real, 0, None, closed="neither")],
        "start": [StrOptions({"zeros"}), "array-like"],
    }

    def __init__(self, taps: int = 8, eta: float = 0.01, start: Any = "zeros") -> None:
        self.taps = taps
        self.eta = eta
        self.start = start

    def _rule(self) -> Any:
        from rosenblatt.kernels.filters import LeastMeanSquares

        return LeastMeanSquares(float(self.eta))

    def _largest_step(self, power: Callable[[], float]) -> tuple[float, str]:
        curvature = power()
        return (2.0 / curvature if curvature else float("inf")), "2/(mean squared length of the regressors)"
