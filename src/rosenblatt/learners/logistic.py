"""Logistic regression: a neuron that answers with a probability."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rosenblatt.arrays import Floats
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import LogisticGoal
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.runs.steps import BatchRun, JointSteps, NewtonSteps
from rosenblatt.learners.shared.base import Beginning
from rosenblatt.learners.shared.minimizer import Minimizer
from rosenblatt.learners.shared.parameters import ClassWeight, Order, RandomState, Start, carried_over, one_of
from rosenblatt.minimise import Columns

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

__all__ = ["Logistic"]

Mode = Literal["newton", "batch", "incremental"]


@dataclass(repr=False, eq=False)
class Logistic(Minimizer):
    """P(y = 1 | x) = σ(w·x + b), with the weights that minimise the logistic loss Σ log(1 + e^(−y·s)).

    Newton: w −= H⁻¹g on all examples; the step is halved until the loss falls (iteratively reweighted least squares).
    Units do not matter. The lectures' descents: incremental, w += η·y·σ(−y·s)·z with z = (x, 1) after every example;
    batch, the same sum over all examples. If some direction v has z·v ≥ 0 on every row and > 0 on some, as on separable
    data, the loss has no minimum and the weights grow without end: RECEDING. Newton's method ends at the first weights
    that separate, or where such a v is proved.

    Parameters
    ----------
    mode : {"newton", "batch", "incremental"}, default "newton"
        Newton's method; or the lectures' gradient descent on all examples at once, or one example at a time.
    multiclass : {"auto", "ovr", "multinomial"}, default "auto"
        K > 2 classes: each against the rest, or one joint softmax (mode="newton"). "auto" is joint with mode="newton",
        as in scikit-learn; on iris, each against the rest is right 0.05 less often (docs/numbers/accuracy.md).
    regularizer : float, default 0.0
        δ of a ridge ½·δ·‖w‖² that is added to the loss (not with mode="incremental"). The bias is not penalised:
        δ = 1/C is scikit-learn's LogisticRegression(C).
    eta : float or "auto", default "auto"
        The step of the descents. "auto" is 4/max‖z‖² divided by n/10, or by 10 where that is more (incremental); 4 over
        the largest eigenvalue of Σzzᵀ + 4δI (batch); a tenth of 4/max‖z‖² of the first rows (`partial_fit`).
    tol : float, default 1e-6
        CONVERGED: the loss is proved to be within tol·(the loss of w = 0) of its minimum. Newton's method goes on as
        far as float64 can. The descents stop when a pass moves w by at most tol·‖w‖; batch must be CONVERGED too.
    order, start, fit_intercept, max_passes, average, class_weight, random_state, n_jobs, warm_start, positive
        As in `Perceptron`; order and average are for mode="incremental".

    Attributes
    ----------
    coef_, intercept_, classes_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`.
    outcome_ : Outcome
        CONVERGED, RECEDING (`outcome_.hyperplane` is v) or BUDGET; with a ridge, SEPARATED where every sign is
        certified. The sentence has the loss and the proved distance from its minimum.

    Notes
    -----
    Where columns depend on each other, the weights are those of minimal norm for columns divided by their lengths.

    Where a matrix from all rows is dear, Newton's first step is an approach by passes over the rows: L-BFGS, begun at
    the minimum of some of the rows and led by their curvature; with more than 3,000 weights, by a diagonal. That makes
    it as fast as scikit-learn's lbfgs, and sparse rows may have any number of columns. It ends where the loss is within
    1e-10 of the loss of w = 0 (with more than 3,000 weights: where the proof reaches `tol`). What is proved then holds
    for all rows; without a matrix it takes a ridge.

    References
    ----------
    Cox (1958), The regression analysis of binary sequences. Albert & Anderson (1984), On the existence of maximum
    likelihood estimates in logistic regression models.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = rb.Logistic().fit(X, y)
    >>> str(model.outcome_), model.predict_proba([[1.5]]).round(6)
    ('CONVERGED', array([[0.5, 0.5]]))
    """

    _curvature = 0.25
    _better = 'mode="newton"'

    _constraints: ClassVar[dict[str, list[Any]]] = Minimizer._constraints | {
        "mode": [one_of(Mode)],
        "multiclass": [StrOptions({"auto", "ovr", "multinomial"})],
    }

    mode: Mode = "newton"
    multiclass: Literal["auto", "ovr", "multinomial"] = "auto"
    regularizer: float = 0.0
    eta: float | Literal["auto"] = "auto"
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

    @classmethod
    def from_sklearn(cls, estimator: "LogisticRegression") -> Self:
        """The same problem as a `sklearn.linear_model.LogisticRegression` (unfitted): its ridge, 1/C, and its classes.

        It is solved to the minimum by Newton's method; `solver`, `tol` and `max_iter` do not carry over.
        """
        from sklearn.linear_model import LogisticRegression

        ours = carried_over(estimator, LogisticRegression, cls, ("l1_ratio", "dual"))
        theirs = estimator.get_params()
        if theirs.get("penalty") in ("l1", "elasticnet"):
            raise ValueError(f"penalty={theirs['penalty']!r} has no counterpart in Logistic: its ridge is squared.")
        ours.pop("max_passes", None)
        plain = "penalty" in theirs and theirs["penalty"] is None
        return cls(**{**ours, "regularizer": 0.0 if plain else 1.0 / theirs["C"]})

    def _rule(self, eta: float = 1.0) -> Any:
        from rosenblatt.kernels.kinds import Sigmoid

        return Sigmoid(eta)

    @property
    def _joint(self) -> bool:
        """Whether K > 2 classes share one softmax."""
        return self.multiclass == "multinomial" or (self.multiclass == "auto" and self.mode == "newton")

    def _goal(self, examples: Examples, columns: Columns | None) -> LogisticGoal:
        return LogisticGoal(examples, self.tol, columns, self.mode == "newton", float(self.regularizer))

    def _begin(self, at: Beginning, columns: Columns | None = None) -> Run | BatchRun:
        if self.mode == "newton":
            return NewtonSteps(at.examples, at.start, self.max_passes, at.state, self._goal(at.examples, columns))
        return super()._begin(at, columns)

    def _begin_all(self, each: list[Beginning]) -> list[Run | BatchRun]:
        if not self._joint or len(each) == 1:
            return super()._begin_all(each)
        first, starts = each[0].examples, np.array([at.start for at in each])
        columns = Columns.of(first.rows, first.bias)
        goals = [self._goal(at.examples, columns) for at in each]
        return [JointSteps(first, starts, self.max_passes, None, goals[0], goals=goals, labels=self.classes_.tolist())]

    def _refuse_contradictions(self) -> None:
        super()._refuse_contradictions()
        if self.mode == "newton" and self.eta != "auto":
            raise ValueError(f'eta={self.eta:g} is a step of mode="batch" or mode="incremental"; Newton has none.')
        if self.mode == "incremental" and self.regularizer:
            raise ValueError(
                f'regularizer={self.regularizer:g} is for mode="newton" and mode="batch": one example at a time does '
                f"not know its part of the ridge."
            )
        if self.mode != "newton" and self.multiclass == "multinomial":
            raise ValueError(f'multiclass="multinomial" is for mode="newton"; mode="{self.mode}" has none.')

    def _advice(self) -> str:
        if self.outcome_ == "BUDGET" and self.mode == "newton" and not self.regularizer:
            return f"{self.outcome_.sentence} rb.separability(X, y, coefficients=True) says whether a minimum exists."
        return super()._advice()

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class.

        With K > 2 classes: the softmax of their responses, where they were learned jointly; otherwise the probabilities
        of each class against the rest, divided by their sum.
        """
        return self._probabilities(self.decision_function(X))

    def _probabilities(self, scores: Floats) -> Floats:
        """`predict_proba` of rows whose responses are known."""
        from rosenblatt.kernels.exponential import logistic_all

        if scores.ndim == 2 and self._joint:
            with np.errstate(under="ignore"):
                p = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(p / p.sum(axis=1, keepdims=True))
        flat = np.empty(scores.size)
        logistic_all(np.ascontiguousarray(scores).ravel(), flat)
        if scores.ndim == 1:
            return np.column_stack([1.0 - flat, flat])
        p = flat.reshape(-1, len(self.classes_))
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
