"""Logistic regression: the soft neuron."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.learners.minimizer import Minimizer

__all__ = ["Logistic"]


class Logistic(Minimizer):
    """P(y = 1 | x) = σ(w·x + b), by gradient descent on the logistic loss Σ log(1 + e^(−y·s)), without a penalty.

    Incremental: after every example, w += η·y·σ(−y·s)·z with z = (x, 1). Batch: the same sum over all examples. On
    separable data the loss has no minimum and the weights grow without end, ever more slowly.

    Parameters
    ----------
    eta : float or "auto", default "auto"
        The step. Automatic: 4/max‖z‖², divided by n/10 or at least 10 (incremental); 4 over the largest eigenvalue of
        Σzzᵀ (batch); a tenth of 4/max‖z‖² of the first rows (`partial_fit`).
    mode : {"incremental", "batch"}, default "incremental"
        One example at a time, or all at once.
    tol : float, default 1e-6
        Stop when a pass moves w by at most tol·‖w‖ (CONVERGED).
    order, start, fit_intercept, max_passes, average, class_weight, random_state, n_jobs, warm_start
        As in `Perceptron`; order and average are for mode="incremental".

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`. `outcome_` is SEPARATED where every sign is certified, else CONVERGED or BUDGET.

    References
    ----------
    Cox (1958), The regression analysis of binary sequences.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = rb.Logistic(mode="batch", tol=1e-9, max_passes=10_000).fit(X, y)
    >>> str(model.outcome_), model.predict_proba([[1.5]]).round(6)
    ('CONVERGED', array([[0.5, 0.5]]))
    """

    _curvature = 0.25

    def _rule(self, eta: float) -> Any:
        from rosenblatt.kernels.rows import Sigmoid

        return Sigmoid(eta)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probability of each class; with K > 2 classes the one-against-the-rest probabilities, made to sum to one."""
        from rosenblatt.kernels.rows import logistic_all

        scores = self.decision_function(X)
        flat = np.empty(scores.size)
        logistic_all(np.ascontiguousarray(scores).ravel(), flat)
        if scores.ndim == 1:
            return np.column_stack([1.0 - flat, flat])
        p = flat.reshape(-1, len(self.classes_))
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
