"""RLS: the least-squares solution, kept up to date."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

from rosenblatt.filters.online import OnlineFilter

__all__ = ["RLS"]

_GROWTH = 2.0**20  # how much less certain than at the beginning forgetting may leave the filter


class RLS(OnlineFilter):
    """Recursive least squares with exponential forgetting.

    *Algorithm.* After N samples w minimises Σ λᴺ⁻ⁿ|d(n) − w·x(n)|² + λᴺδ‖w − w(0)‖². With P the inverse of that sum's
    curvature: k = Px*/(λ + xᵀPx*), w += e·k, P = (P − kxᵀP)/λ; about 1.5·taps² multiplications a sample. P is kept in
    factors, P = U·D·Uᴴ (U triangular with ones on its diagonal, D diagonal and positive), so that rounding can take
    neither its symmetry nor its sign.

    *Stability.* For every 0 < λ ≤ 1. The textbook's P grows without end where the input says nothing new (silence, a
    constant): λ⁻ⁿ. Here no entry of D grows beyond 2²⁰/δ. The formula above therefore holds as long as no direction
    goes without input for about 14/(1 − λ) samples.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    forgetting : float in (0, 1], default 0.999
        λ. The memory is about 1/(1 − λ) samples; 1 forgets nothing.
    delta : float, default 0.01
        δ, what w(0) is worth. About a hundredth of the input's power, less with little noise.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "taps": [Interval(Integral, 1, None, closed="left")],
        "forgetting": [Interval(Real, 0, 1, closed="right")],
        "delta": [Interval(Real, 0, None, closed="neither")],
        "start": [StrOptions({"zeros"}), "array-like"],
    }

    def __init__(self, taps: int = 8, forgetting: float = 0.999, delta: float = 0.01, start: Any = "zeros") -> None:
        self.taps = taps
        self.forgetting = forgetting
        self.delta = delta
        self.start = start

    @property
    def P_(self) -> npt.NDArray[Any]:  # noqa: N802 (the lecture's name)
        """P = U·D·Uᴴ, the inverse of the weighted correlation matrix."""
        memory = self._memory
        matrix, D = (memory.matrix, memory.vector) if memory else self._new_matrix(np.dtype(np.float64))
        scaled = (np.triu(matrix.T, 1) + np.eye(self.taps)) * np.sqrt(D)
        P = scaled @ scaled.conj().T
        return np.asarray((P + P.conj().T) / 2)  # the product's own rounding

    def _rule(self) -> Any:
        from rosenblatt.kernels.filters import Recursive

        return Recursive(float(self.forgetting), _GROWTH / float(self.delta))

    @property
    def _cost(self) -> float:
        return 2.0 * self.taps * (self.taps + 8)

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        return np.zeros((self.taps, self.taps), dtype=dtype), np.full(self.taps, 1.0 / self.delta)

    def _scratch(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return np.empty((1, self.taps), dtype=dtype)
