"""Adaline: a linear neuron that learns from the size of its error, not from its mistakes."""

from dataclasses import dataclass
from typing import Any, Literal

from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import Goal, SquaredGoal
from rosenblatt.learners.shared.minimizer import Minimizer
from rosenblatt.learners.shared.parameters import ClassWeight, Order, RandomState, Start
from rosenblatt.minimise import Columns

__all__ = ["Adaline"]


@dataclass(repr=False, eq=False)
class Adaline(Minimizer):
    """Adaptive linear neuron: least mean squares on the labels −1/+1.

    Incremental (LMS): after every example, w += η·(y − s)·z with z = (x, 1). Batch: w += η·Σ (y − s)·z, which is
    gradient descent on ½Σ(y − s)². The squared loss looks at distances, not at sides. So its minimum may be a
    hyperplane with mistakes even where another hyperplane has none.

    Parameters
    ----------
    eta : float or "auto", default "auto"
        The step η. "auto" is 1/max‖z‖² divided by n/10, or by 10 where that is more (incremental); 1 over the largest
        eigenvalue of Σzzᵀ (batch); a tenth of 1/max‖z‖² of the first rows (`partial_fit`). 1/η is the memory: how far
        back in the examples the weights look.
    mode : {"incremental", "batch"}, default "incremental"
        One example at a time, or all at once.
    tol : float, default 1e-6
        Stop when a pass moves w by at most tol·‖w‖. With mode="batch" the loss must also be proved to be within
        tol·(the loss of w = 0) of its minimum (CONVERGED).
    order, start, fit_intercept, max_passes, average, class_weight, random_state, n_jobs, warm_start, positive
        As in `Perceptron`; order and average are for mode="incremental".

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`. `outcome_` is SEPARATED where every sign is certified; otherwise CONVERGED where the loss is
        proved to be near its minimum; otherwise BUDGET. One example at a time, a fixed step ends beside the minimum,
        the nearer the smaller the step: the sentence says how near.

    References
    ----------
    Widrow & Hoff (1960), Adaptive switching circuits.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.Adaline(mode="batch", tol=1e-12).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[1., 1.]]), array([-1.5]))
    """

    _curvature = 1.0
    _better = "LeastSquares()"

    eta: float | Literal["auto"] = "auto"
    mode: Literal["incremental", "batch"] = "incremental"
    tol: float = 1e-6
    order: Order = "shuffled"
    start: Start = "zeros"
    fit_intercept: bool = True
    max_passes: int = 1000
    average: bool = False
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    n_jobs: int | None = None
    warm_start: bool = False
    positive: Any = None

    def _rule(self, eta: float = 1.0) -> Any:
        from rosenblatt.kernels.kinds import LeastMeanSquares

        return LeastMeanSquares(eta)

    def _goal(self, examples: Examples, columns: Columns | None) -> Goal:
        return SquaredGoal(examples, self.tol, columns)
