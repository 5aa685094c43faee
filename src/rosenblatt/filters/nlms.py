"""NLMS: a step that does not depend on how loud the input is."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT, POSITIVE, POSITIVE_OR_NONE, START, one_of
from rosenblatt.filters.machinery.stepping import OnlineFilter, shares
from rosenblatt.filters.theory.stability import NORMALISED

__all__ = ["NLMS"]


@dataclass(eq=False, repr=False)
class NLMS(OnlineFilter):
    """Normalised least mean squares.

    *Algorithm.* y = w·x, e = d − y, w += η/(ε + ‖x‖²)·e·x*. With η = 1 and ε = 0 the new weights answer the sample
    exactly, by the shortest way there. ε is `eps` times the mean of ‖x‖² from the first sample to this one: the same
    signals in volts and in microvolts are filtered alike. While all input so far is zero, no step is taken.

    *Stability.* 0 < η < 2, whatever the input's power; ε only keeps a quiet passage from a division by almost nothing.
    A larger η warns.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.5
        The step.
    eps : float, default 1e-3
        ε, as a share of the running mean of ‖x‖².
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    eps_absolute : float, optional
        ε itself, in the squared unit of the input, in place of `eps`; padasip's `eps`.
    freeze : "geigel", optional
        Hold the weights still while somebody else is heard: while the desired signal is louder than `freeze_at` times
        the loudest value of the regressor, and for `taps` samples after it (see `FilterRun.frozen`).
    freeze_at : float, default 0.5
        That threshold. The default expects an echo at least 6 dB below the loudspeaker.

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

    _bound: ClassVar[tuple[float, str]] = NORMALISED

    taps: int = field(default=8, metadata=COUNT)
    eta: float = field(default=0.5, metadata=POSITIVE)
    eps: float = field(default=1e-3, metadata=POSITIVE)
    start: Any = field(default="zeros", metadata=START)
    eps_absolute: float | None = field(default=None, metadata=POSITIVE_OR_NONE)
    freeze: str | None = field(default=None, metadata=one_of("geigel", None))
    freeze_at: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import Normalized

        return Normalized(float(self.eta), *shares(self.eps, self.eps_absolute))

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], Floats]:
        return np.empty((0, 0), dtype=dtype), np.zeros(2)
