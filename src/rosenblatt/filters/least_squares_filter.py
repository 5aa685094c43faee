"""The block solution: all samples at once, one Gauss-Newton step."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats
from rosenblatt.filters.machinery.base import COUNT_SQUARED, NOT_NEGATIVE, START, AdaptiveFilter, FilterRun
from rosenblatt.filters.machinery.inputs import Diverged
from rosenblatt.filters.machinery.memory import FilterMemory

__all__ = ["LeastSquaresFilter"]


@dataclass(eq=False, repr=False)
class LeastSquaresFilter(AdaptiveFilter):
    """Linear least squares on all samples so far.

    *Algorithm.* The cost ½Σ|d − w·x|² is quadratic, so one Gauss-Newton step from any w(0) is enough:
    w = w(0) + (XᴴX + δI)⁻¹Xᴴ(d − X·w(0)), which minimises Σ|d − w·x|² + δ‖w − w(0)‖². With δ = 0 it is the solution
    by the pseudo-inverse, of all solutions the nearest to w(0). XᴴX is never formed, because its condition number is
    the square of X's: the samples are rotated into a triangle R with RᴴR = XᴴX + δI, one after the other (Givens).

    *Stability.* There is no step and no feedback. `run` absorbs its samples, solves, and answers with the new weights:
    y is their fit, not a prediction. The weights after several calls are those of one call, bit for bit.

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    regularizer : float, default 0.0
        δ.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_, n_samples_
        As in `LMS`.

    References
    ----------
    Haykin, Neural Networks and Learning Machines, ch. 3. Golub & Van Loan, Matrix Computations, 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LeastSquaresFilter
    >>> u = np.random.default_rng(0).normal(size=20)
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[:20]
    >>> LeastSquaresFilter(taps=3).run(u, d).w.round(6)
    array([ 1.  , -0.5 ,  0.25])
    """

    taps: int = field(default=8, metadata=COUNT_SQUARED)
    regularizer: float = field(default=0.0, metadata=NOT_NEGATIVE)
    start: Any = field(default="zeros", metadata=START)

    def run(self, u: npt.ArrayLike, d: npt.ArrayLike) -> FilterRun:
        """Take these samples in beside all earlier ones, solve, and answer with the solution.

        Parameters
        ----------
        u : array of n samples, or n × taps
            A signal, or rows of regressors, as in `LMS.run`.
        d : array of n samples
            The desired signal.

        Returns
        -------
        FilterRun
            Fit y, error e = d − y, weights w; history is None.
        """
        from rosenblatt.kernels.filters import respond

        u, d = self._signals(u, d)
        memory = self._begun(u)
        earlier = memory.u.copy(), memory.d.copy(), memory.n
        self._absorb(memory, u, d)
        memory.u, memory.d, memory.n = earlier  # once more over the same samples, to answer
        y, done = np.empty_like(d), 0
        for piece in memory.pieces(u, d, 2.0 * self.taps):
            respond(*piece[:3], memory.w, y[done : done + piece.samples], 0, piece.samples)
            done += piece.samples
        return FilterRun(y, d - y, memory.w.copy(), None)

    def adapt(self, x: npt.ArrayLike, d: npt.ArrayLike) -> Any:
        """Take one regressor (`taps` values) in; returns the error of the weights as they were before."""
        x, d = self._signals(*self._sample(x, d))
        before = d[0] - self.predict(x[0])
        self._absorb(self._begun(x), x, d)
        return before

    def _absorb(self, memory: FilterMemory, u: npt.NDArray[Any], d: npt.NDArray[Any]) -> None:
        from rosenblatt.kernels.filters import absorb

        row = np.empty(self.taps + 1, dtype=memory.w.dtype)
        for piece in memory.pieces(u, d, 4.0 * self.taps * (self.taps + 8)):
            if not absorb(*piece[:4], memory.matrix, row, 0, piece.samples):
                self._memory = None
                raise Diverged("the sum of squares left the range of float64: scale the input, and begin again.")
        start = self._start_weights(memory.w.dtype)
        R, z = memory.matrix[:, : self.taps], memory.matrix[:, self.taps]
        step, *_ = np.linalg.lstsq(R, z - R @ start, rcond=None)
        memory.w = start + step

    def _new_matrix(self, dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], Floats]:
        """The triangle of the regulariser alone: √δ·(w − w(0)) = 0."""
        root = np.sqrt(self.regularizer)
        return np.column_stack([root * np.eye(self.taps), root * self._start_weights(dtype)]), np.empty(0)
