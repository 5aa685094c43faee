"""NLMS: a step that does not depend on how loud the input is."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from rosenblatt.filters.lms import LMS
from rosenblatt.filters.online import OnlineFilter

__all__ = ["NLMS"]


class NLMS(OnlineFilter):
    """Normalised least mean squares.

    *Algorithm.* y = w·x, e = d − y, w += η/(ε + ‖x‖²)·e·x*. With η = 1 and ε = 0 the new weights answer the sample
    exactly, by the shortest way there.

    *Stability.* 0 < η < 2, whatever the input's power; ε only keeps a quiet input from a division by nothing. A larger
    η warns.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.5
        The step.
    eps : float, default 1e-3
        ε. Choose it well below the regressors' squared length, taps · input power.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Nagumo & Noda (1967), A learning method for system identification. Haykin, Adaptive Filter Theory, ch. 7.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import NLMS
    >>> u = np.random.default_rng(0).normal(size=2000)
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[:2000]
    >>> filter = NLMS(taps=3)
    >>> error = [abs(filter.run(u[k : k + 500], d[k : k + 500]).e).max() for k in range(0, 2000, 500)]
    >>> filter.w_.round(6), bool(error[-1] < 1e-9)
    (array([ 1.  , -0.5 ,  0.25]), True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LMS._parameter_constraints,
        "eps": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, taps: int = 8, eta: float = 0.5, eps: float = 1e-3, start: Any = "zeros") -> None:
        self.taps = taps
        self.eta = eta
        self.eps = eps
        self.start = start

    def _rule(self) -> Any:
        from rosenblatt.kernels.filters import Normalized

        return Normalized(float(self.eta), float(self.eps))

    def _largest_step(self, power: Callable[[], float]) -> tuple[float, str]:
        return 2.0, "the bound of every normalised step"
