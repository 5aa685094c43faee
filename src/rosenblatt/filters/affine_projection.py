"""Affine projection: every step answers for the last few samples together."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT, COUNT_SQUARED, POSITIVE, POSITIVE_OR_NONE, START
from rosenblatt.filters.machinery.stepping import OnlineFilter, shares
from rosenblatt.filters.theory.stability import NORMALISED

__all__ = ["AffineProjection"]


@dataclass(eq=False, repr=False)
class AffineProjection(OnlineFilter):
    """Affine projection: NLMS on several regressors at once, for inputs whose samples resemble each other.

    *Algorithm.* Let X hold the conjugates of the last `order` regressors in its columns, and e their errors with the
    present weights. Then w += η·X(XᴴX + εI)⁻¹e, with the ε of `NLMS`. With order = 1 it is `NLMS`. A sample takes
    about 3·order·taps multiplications: of XᴴX only the new row is computed, the rest is the old matrix, one place
    further.

    *Stability.* 0 < η < 2. A larger η warns. A larger order converges faster on coloured input and leaves more noise in
    the weights. Regressors that repeat each other (silence, a constant input) are left out of the solution.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.5
        The step.
    order : int, default 4
        How many regressors a step looks at.
    eps : float, default 1e-3
        ε, as a share of the running mean of ‖x‖².
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).
    eps_absolute : float, optional
        ε itself, in the squared unit of the input, in place of `eps`; padasip's `ifc`.

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Ozeki & Umeda (1984), An adaptive filtering algorithm using an orthogonal projection to an affine subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import NLMS, AffineProjection
    >>> u = np.cumsum(np.random.default_rng(0).normal(size=50))   # strongly coloured
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[:50]
    >>> w = np.array([1.0, -0.5, 0.25])
    >>> [float(abs(f.run(u, d).w - w).max().round(3)) for f in (NLMS(3), AffineProjection(3, order=3))]
    [0.095, 0.0]
    """

    _bound: ClassVar[tuple[float, str]] = NORMALISED

    taps: int = field(default=8, metadata=COUNT)
    eta: float = field(default=0.5, metadata=POSITIVE)
    order: int = field(default=4, metadata=COUNT_SQUARED)
    eps: float = field(default=1e-3, metadata=POSITIVE)
    start: Any = field(default="zeros", metadata=START)
    eps_absolute: float | None = field(default=None, metadata=POSITIVE_OR_NONE)

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import Projection

        return Projection(float(self.eta), *shares(self.eps, self.eps_absolute), int(self.order))

    @property
    def _past(self) -> int:
        return self.order - 1

    @property
    def _cost(self) -> float:
        return 3.0 * self.order * self.taps + self.order**3

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], Floats]:
        return np.zeros((self.order, self.order), dtype=dtype), np.zeros(2)

    def _scratch(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return np.empty((self.order + 1, self.order), dtype=dtype)
