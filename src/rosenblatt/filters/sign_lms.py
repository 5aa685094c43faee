"""Sign LMS: corrections that look at signs only."""

from dataclasses import dataclass, field
from typing import Any

from rosenblatt.filters.machinery.base import COUNT, POSITIVE, START, one_of
from rosenblatt.filters.machinery.stepping import OnlineFilter

__all__ = ["SignLMS"]


@dataclass(eq=False, repr=False)
class SignLMS(OnlineFilter):
    """Least mean squares with signs in place of numbers.

    *Algorithm.* y = w·x, e = d − y, then by variant

    - "error": w += η·sgn(e)·x*, one step down the slope of |e|: outliers in d weigh no more than other samples;
    - "data":  w += η·e·sgn(x)*;
    - "sign-sign": w += η·sgn(e)·sgn(x)*, for hardware without a multiplier.

    sgn(0) = 0; of a complex number, sgn is taken of the real and the imaginary part.

    *Stability.* "error" and "sign-sign" never settle: the weights end up jittering by about η around the solution, for
    every η; choose it small against the weights. "data" wants about 0 < η < 2/Σ|x|. The step has a unit: for the
    same signals in a unit c times smaller, "error" and "data" need η/c; "sign-sign" alone does not.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.001
        The step.
    variant : {"error", "data", "sign-sign"}, default "error"
        Whose sign is taken: the error's, the input's, or both.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Sayed, Adaptive Filters (2008), ch. 12.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import SignLMS
    >>> u = np.random.default_rng(0).normal(size=5000)
    >>> d = np.convolve(u, [1.0, -0.5])[:5000]
    >>> d[::50] += 1000                                   # outliers
    >>> SignLMS(taps=2, eta=0.002).run(u, d).w.round(1)
    array([ 1. , -0.5])
    """

    taps: int = field(default=8, metadata=COUNT)
    eta: float = field(default=0.001, metadata=POSITIVE)
    variant: str = field(default="error", metadata=one_of("error", "data", "sign-sign"))
    start: Any = field(default="zeros", metadata=START)

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import SignData, SignError, SignSign

        return {"error": SignError, "data": SignData, "sign-sign": SignSign}[self.variant](float(self.eta))
