"""Least squares in one step: Gauss and Newton on a linear neuron."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator, lsmr
from sklearn.utils._param_validation import Interval, StrOptions

from rosenblatt.data.rows import pieces
from rosenblatt.learners.base import LinearClassifier
from rosenblatt.learners.examples import Examples
from rosenblatt.learners.steps import Steps, block, gram
from rosenblatt.models import RunState

__all__ = ["LeastSquares"]

_SMALL = 1 << 22  # values of Z up to which its singular values are computed: exact rank decisions, no squared condition
_LARGEST_GRAM = 4000  # columns up to which the normal equations are formed


class LeastSquares(LinearClassifier):
    """Minimise ½Σ(y − s)² on the labels −1/+1 by Gauss-Newton steps w += (ZᵀZ + δI)⁻¹ Zᵀ(y − Zw), z = (x, 1).

    With δ = 0 one step from any start is the least-squares solution, of minimal change where the columns are dependent
    (the pseudo-inverse). With δ > 0 one step from zero is ridge regression (the bias is penalised like a weight), and
    repeated steps tend to least squares.

    Parameters
    ----------
    regularizer : float, default 0.0
        δ.
    max_passes : int, default 1
        Gauss-Newton steps.
    start : {"zeros", "random"} or array, default "zeros"
        w(0), the bias last.
    fit_intercept, class_weight, random_state, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`. `outcome_` is SEPARATED where every sign is certified, else CONVERGED.

    Notes
    -----
    Small data are solved by singular values; many rows by the normal equations, formed in one pass; very many columns
    by LSMR.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.LeastSquares().fit(X, y)
    >>> model.coef_.round(9), model.intercept_.round(9)
    (array([[1., 1.]]), array([-1.5]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "regularizer": [Interval(Real, 0, None, closed="left")],
        "max_passes": [Interval(Integral, 1, None, closed="left")],
        "start": [StrOptions({"zeros", "random"}), "array-like"],
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        regularizer: float = 0.0,
        max_passes: int = 1,
        start: Any = "zeros",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.regularizer = regularizer
        self.max_passes = max_passes
        self.start = start
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start

    def _begin(
        self, examples: Examples, start: npt.NDArray[np.float64], seed: int, state: RunState | None
    ) -> "GaussNewton":
        return GaussNewton(examples, start, self.max_passes, state, regularizer=float(self.regularizer))


@dataclass
class GaussNewton(Steps):
    """Gauss-Newton steps on one set of labels."""

    regularizer: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._solve = self._solver()

    def step(self) -> tuple[npt.NDArray[np.float64], int, bool]:
        """One step; the last one is where we wanted to go."""
        w = self.w + self._solve(self.examples.y - self.examples.rows.respond(self.w))
        return w, self.examples.count_mistakes(w, (True, True)), self.n_updates + 1 >= self.goal

    def _solver(self) -> Any:
        """r ↦ (ZᵀDZ + δI)⁺ ZᵀD r with D the row weights."""
        examples = self.examples
        rows, bias, d = examples.rows, examples.bias, examples.d
        weights = examples.weights if examples.weights.size else np.ones(rows.n)
        if rows.n * d <= _SMALL:
            root = np.sqrt(weights)
            Z = block(rows, 0, rows.n, bias)
            Z = (Z.toarray() if rows.sparse else Z) * root[:, None]
            u, s, vt = np.linalg.svd(Z, full_matrices=False)
            kept = s > s.max(initial=0.0) * max(Z.shape) * np.finfo(np.float64).eps
            inverse = np.where(kept, s, 0.0) / np.where(kept, s * s + self.regularizer, 1.0)
            return lambda r: vt.T @ (inverse * (u.T @ (root * r)))
        if d <= _LARGEST_GRAM:
            values, vectors = np.linalg.eigh(gram(rows, weights, bias))
            kept = values > values.max(initial=0.0) * d * np.finfo(np.float64).eps
            inverse = np.where(kept, 1.0, 0.0) / np.where(kept, values + self.regularizer, 1.0)
            return lambda r: vectors @ (inverse * (vectors.T @ self._transposed(weights * r)))
        root = np.sqrt(weights)
        operator = LinearOperator(
            (rows.n, d),
            matvec=lambda w: root * rows.respond(w.ravel()),
            rmatvec=lambda r: self._transposed(root * r.ravel()),
        )
        damp = self.regularizer**0.5
        return lambda r: lsmr(operator, root * r, damp=damp, atol=1e-14, btol=1e-14, maxiter=10 * d)[0]

    def _transposed(self, r: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Zᵀ r."""
        rows, bias = self.examples.rows, self.examples.bias
        total = np.zeros(self.examples.d)
        for first, stop in pieces(rows.n, rows.width):
            total += block(rows, first, stop, bias).T @ r[first:stop]
        return total
