"""Passive-aggressive: the smallest step that makes the example right with a margin of one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.shared.base import Beginning
from rosenblatt.learners.shared.online import OnlineClassifier
from rosenblatt.learners.shared.parameters import ClassWeight, Order, RandomState, Start, above, carried_over

if TYPE_CHECKING:
    from sklearn.linear_model import PassiveAggressiveClassifier

__all__ = ["PassiveAggressive"]


@dataclass(repr=False, eq=False)
class PassiveAggressive(OnlineClassifier):
    """Passive where y·s ≥ 1; otherwise aggressive: w += τ·y·z with z = (x, 1) and loss = 1 − y·s.

    Variant "I": τ = min(C, loss/‖z‖²). Variant "II": τ = loss/(‖z‖² + 1/(2C)). With large C the step goes to the
    nearest weights with y·s = 1. ‖z‖² includes the 1 of the bias. A fit ends after a pass without a mistake (y·s ≤ 0).

    Parameters
    ----------
    C : float, default 1.0
        The larger C, the larger a step may be.
    variant : {"I", "II"}, default "I"
        "I" cuts the step at C, "II" softens it.
    order : {"cyclic", "shuffled", "random"}, default "shuffled"
        Rows in turn; in a new permutation each pass; drawn with replacement.
    start : {"zeros", "random"} or array, default "zeros"
        w(0), the bias last.
    fit_intercept : bool, default True
        Whether to learn b.
    max_passes : int, default 1000
        Stop after so many sweeps (BUDGET).
    patience : int, optional
        Stop when no pass has beaten the fewest mistakes for so many passes (BUDGET).
    average : bool, default False
        Return the mean of the weights over all presentations.
    class_weight, random_state, n_jobs, warm_start, positive
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`; `n_updates_` counts steps, `mistakes_per_pass_` only y·s ≤ 0.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), Online passive-aggressive algorithms, JMLR 7, figure 1.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(100, 3, 0.25, random_state=0)
    >>> rb.PassiveAggressive().fit(X, y).outcome_
    <SEPARATED: all 100 examples are on their side after 69 corrections.>
    """

    _minds_sizes = True
    _rule_parameters = ("C", "variant")

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [above(0)],
        "variant": [StrOptions({"I", "II"})],
    }

    C: float = 1.0
    variant: Literal["I", "II"] = "I"
    order: Order = "shuffled"
    start: Start = "zeros"
    fit_intercept: bool = True
    max_passes: int = 1000
    patience: int | None = None
    average: bool = False
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    n_jobs: int | None = None
    warm_start: bool = False
    positive: Any = None

    @classmethod
    def from_sklearn(cls, estimator: "PassiveAggressiveClassifier") -> Self:
        """The same configuration as a `sklearn.linear_model.PassiveAggressiveClassifier` (unfitted)."""
        from sklearn.linear_model import PassiveAggressiveClassifier

        ours = carried_over(estimator, PassiveAggressiveClassifier, cls, ("early_stopping",))
        theirs = estimator.get_params()
        variant = "II" if theirs["loss"] == "squared_hinge" else "I"
        return cls(**{**ours, "C": theirs["C"], "variant": variant, "average": bool(theirs["average"])})

    def _begin(self, at: Beginning) -> Run:
        settings = Settings.of(self, seed=at.seed, detect_cycles=False)
        return Run(at.examples, self._rule(), settings, at.start, earlier=at.state)

    def _rule(self) -> Any:
        from rosenblatt.kernels.kinds import Aggressive

        C = float(self.C)
        return Aggressive(C, 0.0) if self.variant == "I" else Aggressive(np.inf, 0.5 / C)

    def _advice(self) -> str:
        steadier = "" if self.average else " On overlapping data average=True is steadier."
        exists = "Whether a hyperplane exists is another question: rb.separability(X, y)."
        return f"{self.outcome_.sentence} {exists}{steadier}"
