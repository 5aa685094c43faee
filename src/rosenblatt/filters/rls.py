"""RLS: the least-squares solution, kept up to date."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT, PART_OR_ALL, POSITIVE, POSITIVE_OR_NONE, START, one_of
from rosenblatt.filters.machinery.inputs import zeros
from rosenblatt.filters.machinery.stepping import OnlineFilter, shares

__all__ = ["RLS"]

_GROWTH = 2.0**20  # forgetting may make the filter so many times less certain than it began, and no more


@dataclass(eq=False, repr=False)
class RLS(OnlineFilter):
    """Recursive least squares with exponential forgetting.

    *Algorithm.* After N samples w minimises Σ λᴺ⁻ⁿ|d(n) − w·x(n)|² + λᴺδ‖w − w(0)‖². With P the inverse of that sum's
    curvature: k = Px*/(λ + xᵀPx*), w += e·k, P = (P − kxᵀP)/λ; about 1.5·taps² multiplications a sample. P is kept in
    factors, P = U·D·Uᴴ (U triangular with ones on its diagonal, D diagonal and positive), so that rounding can take
    neither its symmetry nor its sign. N counts from the first regressor that is not zero, and δ is `delta` times its
    ‖x‖²: the same signals in volts and in microvolts are filtered alike.

    *Stability.* For every 0 < λ ≤ 1. The textbook's P grows without end where the input says nothing new (silence, a
    constant): λ⁻ⁿ. Here no entry of D is larger than 2²⁰/(delta · mean of ‖x‖² so far). The formula above therefore
    holds as long as no direction goes without input for about 14/(1 − λ) samples, and the first regressor's ‖x‖² is no
    less than a millionth of the mean.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    forgetting : float in (0, 1], default 0.999
        λ. The memory is about 1/(1 − λ) samples; 1 forgets nothing.
    delta : float, default 0.01
        δ, the weight of w(0), as a share of ‖x‖² of the first regressor that is not zero. With little noise, take less.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    delta_absolute : float, optional
        δ itself, in the squared unit of the input, in place of `delta`; padasip's `eps`. Then N counts from the first
        sample, and D stops at 2²⁰/δ.
    freeze, freeze_at
        As in `NLMS`.

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Haykin, Adaptive Filter Theory, ch. 10.
    Bierman (1977), Factorization Methods for Discrete Sequential Estimation, V.3.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import RLS
    >>> u = np.cumsum(np.random.default_rng(0).normal(size=50))   # coloured, and short
    >>> u = np.concatenate([u, np.zeros(100_000)])                # then silence: it keeps what it knows
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[: len(u)]
    >>> filter = RLS(taps=3, delta=1e-6)
    >>> filter.run(u[:50], d[:50]).w.round(6), filter.run(u[50:], d[50:]).w.round(6)
    (array([ 1.  , -0.5 ,  0.25]), array([ 1.  , -0.5 ,  0.25]))
    """

    taps: int = field(default=8, metadata=COUNT)
    forgetting: float = field(default=0.999, metadata=PART_OR_ALL)
    delta: float = field(default=0.01, metadata=POSITIVE)
    start: Any = field(default="zeros", metadata=START)
    delta_absolute: float | None = field(default=None, metadata=POSITIVE_OR_NONE)
    freeze: str | None = field(default=None, metadata=one_of("geigel", None))
    freeze_at: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    @property
    def P_(self) -> npt.NDArray[Any]:  # noqa: N802 (the lecture's name)
        """P = U·D·Uᴴ, the inverse of the weighted correlation matrix; it begins with the first input that is not 0."""
        memory = self._memory
        if memory is None or not memory.vector[0]:
            if self.delta_absolute is None:
                raise NotFittedError("this RLS has seen only zeros yet: P begins with the first input that is not 0.")
            return np.eye(self.taps) / self.delta_absolute
        scaled = (np.triu(memory.matrix.T, 1) + np.eye(self.taps)) * np.sqrt(memory.vector[: self.taps])
        P = scaled @ scaled.conj().T
        return np.asarray((P + P.conj().T) / 2)  # the product's own rounding

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import Recursive

        return Recursive(float(self.forgetting), *shares(self.delta, self.delta_absolute), _GROWTH)

    @property
    def _cost(self) -> float:
        return 2.0 * self.taps * (self.taps + 8)

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], Floats]:
        return zeros((self.taps, self.taps), dtype), np.zeros(self.taps + 2)

    def _scratch(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return np.empty((1, self.taps), dtype=dtype)
