"""The perceptron criterion, minimised on all rows at once."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.learners.runs.steps import BatchRun
from rosenblatt.learners.shared.base import Beginning, LinearClassifier
from rosenblatt.learners.shared.parameters import ClassWeight, RandomState, Start
from rosenblatt.models import Outcome, RunState
from rosenblatt.models.run_state import Units, scaled

__all__ = ["BatchPerceptron"]


@dataclass(repr=False, eq=False)
class BatchPerceptron(LinearClassifier):
    """Descent on E(w) = −Σ y·(w·x + b) over the mistakes: w −= η·∇E(w), where ∇E(w) = −Σ y·(x, 1) over the mistakes.

    A mistake is y·s ≤ 0, so a tie is a mistake. (At a tie E has a corner; this takes one of its slopes there. With the
    other, the run would never leave w = 0.) A fit ends at a step that finds no mistake: SEPARATED, every sign
    certified. On separable data it gets there from any start and for any η, as `Perceptron` does. E(w) and ∇E(w) are
    `rb.theory.perceptron_criterion` and `rb.theory.perceptron_gradient`.

    Parameters
    ----------
    eta : float, default 1.0
        The step η. From w = 0 it scales w and changes nothing else.
    start : {"zeros", "random"} or array of shape (d,) or (K, d), default "zeros"
        w(0), the bias last.
    fit_intercept : bool, default True
        Whether to learn b.
    max_passes : int, default 1000
        Stop after so many steps (BUDGET). A step looks at all rows.
    class_weight : dict or "balanced", optional
        Factors for the rows of each class.
    random_state : int, RandomState or None, default 0
        Seeds `start`.
    warm_start : bool, default False
        Go on where the previous fit stopped.
    positive : label, optional
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_passes_, n_updates_, mistakes_per_pass_
        As in `Perceptron`; a pass is one step, and `mistakes_per_pass_` counts the mistakes that the step corrects.

    References
    ----------
    Duda, Hart & Stork (2001), Pattern classification, algorithm 3 of chapter 5 (batch perceptron).

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.BatchPerceptron().fit(X, y)
    >>> model.outcome_
    <SEPARATED: all 4 examples are on their side after 10 steps.>
    >>> model.mistakes_per_pass_
    array([4, 1, 2, 1, 1, 2, 1, 2, 1, 0])
    """

    _minds_sizes = True
    _usual = False

    eta: float = 1.0
    start: Start = "zeros"
    fit_intercept: bool = True
    max_passes: int = 1000
    class_weight: ClassWeight = None
    random_state: RandomState = 0
    warm_start: bool = False
    positive: Any = None

    def _begin(self, at: Beginning) -> BatchRun:
        units, start = Units.of(at.start, self.eta)
        state = at.state and at.state.with_step(self.eta)
        return _Descent(at.examples, start, self.max_passes, state, units=units if state is None else state.units)

    def _advice(self) -> str:
        return f"{self.outcome_.sentence} Whether a hyperplane exists is another question: rb.separability(X, y)."


@dataclass
class _Descent(BatchRun):
    """Steps down the slope of the criterion until there is no mistake."""

    units: Units = field(default_factory=Units)

    @property
    def weights(self) -> Floats:
        """The weights to answer with."""
        return scaled(self.w, self.units.unit)

    @property
    def running(self) -> Floats:
        """The weights to go on from."""
        return self.weights

    def state(self) -> RunState:
        """All that is needed to go on."""
        return replace(super().state(), units=self.units)

    def step(self) -> tuple[Floats, int, bool]:
        """One step; the last step finds no mistake and moves nothing."""
        from rosenblatt.kernels.kinds import Rosenblatt

        slope, mistakes = self.examples.slope(Rosenblatt(1.0, True, True, False), self.w)
        self._stuck = bool(mistakes) and not slope.any()
        with np.errstate(over="ignore", invalid="ignore"):
            return self.w + self.units.step * slope, mistakes, mistakes == 0 or self._stuck

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        if self.examples.judge(self.weights, (True, True)).clean:
            return Outcome("SEPARATED", f"all {self.examples.present} examples are on their side after {self._after}.")
        if settled and self._stuck:
            reason = "the corrections of all mistakes add up to zero, so no step moves the weights"
        elif settled:
            reason = "float64 sees no mistake, but in exact arithmetic there are some"
        return self._still_wrong(self._after, reason)
