"""Leaky LMS: weights that nothing holds up fall back to zero."""

from dataclasses import dataclass, field
from typing import Any

from rosenblatt.filters.lms import LMS
from rosenblatt.filters.machinery.base import NOT_NEGATIVE

__all__ = ["LeakyLMS"]


@dataclass(init=False, eq=False, repr=False)
class LeakyLMS(LMS):
    """Least mean squares with a leak.

    *Algorithm.* y = w·x, e = d − y, w = (1 − η·leak)·w + η·e·x*: one step down the slope of e²/2 + leak·‖w‖²/2. Where
    the input says nothing, in silence or in directions it never takes, weights do not drift but return to zero. The
    price is a bias: it settles at (R + leak·I)⁻¹p instead of R⁻¹p.

    *Stability.* In the mean square for 0 < η < `max_step(u, taps, leak=leak)`. A larger η warns. The unit of the step
    is one over the input's power, that of the leak is the power: the same signals in other units need other numbers.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.01
        The step.
    leak : float, default 1e-3
        The regulariser; 0 is LMS.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Mayyas & Aboulnasr (1997), Leaky LMS algorithm: MSE analysis for Gaussian data.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LeakyLMS
    >>> filter = LeakyLMS(taps=1, eta=0.1, leak=1.0)
    >>> filter.run(np.ones(200), np.ones(200)).w.round(6)     # halfway: (1 + leak) w = 1
    array([0.5])
    >>> filter.run(np.zeros(200), np.zeros(200)).w.round(6)   # silence
    array([0.])
    """

    leak: float = field(default=1e-3, metadata=NOT_NEGATIVE)

    def __init__(self, taps: int = 8, eta: float = 0.01, leak: float = 1e-3, start: Any = "zeros") -> None:
        super().__init__(taps, eta, start)
        self.leak = leak

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import Leaky

        return Leaky(float(self.eta), 1.0 - float(self.eta) * float(self.leak))

    @property
    def _leak(self) -> float:
        return float(self.leak)
