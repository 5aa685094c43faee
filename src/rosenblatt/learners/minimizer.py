"""Learners that minimise a loss by gradient descent, one example at a time or all at once."""

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from rosenblatt.data.rows import Rows
from rosenblatt.learners.base import Beginning, LearnerRun
from rosenblatt.learners.descent import Descent, largest_curvature
from rosenblatt.learners.examples import Examples
from rosenblatt.learners.goals import Goal
from rosenblatt.learners.online import OnlineClassifier
from rosenblatt.learners.run import Run
from rosenblatt.learners.settings import Settings
from rosenblatt.newton import Columns

__all__ = ["Minimizer"]


class Minimizer(OnlineClassifier):
    """Shared by `Adaline` and `Logistic`: a rule whose step is the negative slope of the loss."""

    # the loss curves at most this much along s: 1 for ½(y − s)², ¼ for the logistic loss
    _curvature: ClassVar[float]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = OnlineClassifier._parameter_constraints | {
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "mode": [StrOptions({"incremental", "batch"})],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        eta: float | str = "auto",
        mode: str = "incremental",
        tol: float = 1e-6,
        order: str = "cyclic",
        start: Any = "zeros",
        fit_intercept: bool = True,
        max_passes: int = 1000,
        average: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.eta = eta
        self.mode = mode
        self.tol = tol
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.average = average
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    @abstractmethod
    def _rule(self, eta: float) -> Any:
        """The kernels' rule with this step."""

    @abstractmethod
    def _goal(self, examples: Examples, columns: Columns | None) -> Goal:
        """What is minimised."""

    def _begin_all(self, each: list[Beginning]) -> list[LearnerRun]:
        first = each[0].examples
        columns = Columns.of(first.rows, first.bias) if self._goal(first, None).at_hand else None
        return [self._begin(at, columns) for at in each]

    def _begin(self, at: Beginning, columns: Columns | None = None) -> LearnerRun:
        examples, goal = at.examples, self._goal(at.examples, columns)
        if self.mode == "batch":
            eta = self._step(self._curvature * largest_curvature(examples)) if self.eta == "auto" else self.eta
            rule = self._rule(1.0)
            return Descent(examples, at.start, self.max_passes, at.state, goal, rule=rule, eta=float(eta), tol=self.tol)
        settings = Settings(
            ties=(True, True),
            order=self.order,
            seed=at.seed,
            average=self.average,
            detect_cycles=False,
            max_passes=self.max_passes,
            separate=False,
            tol=self.tol,
        )
        heaviest = float(examples.weights.max()) if examples.weights.size else 1.0
        rule = self._rule(self._incremental_step(examples.radius_sq * heaviest, examples.n))
        return Run(examples, rule, settings, at.start, earlier=at.state, goal=goal)

    def _incremental_step(self, radius_sq: float, n: int = 0) -> float:
        """A small part of the step that would make the longest example exactly right; the more examples, the smaller.

        1/η is the memory: it should span a good part of the examples, or the last few decide.
        """
        curvature = self._curvature * radius_sq * max(10.0, n / 10)
        return self._step(curvature) if self.eta == "auto" else float(self.eta)

    @staticmethod
    def _step(curvature: float) -> float:
        """1/curvature; 1 where that is not a finite number above 0, as for rows of zeros and rows that are too long."""
        safe = 1.0 / curvature if curvature > 0 else np.inf
        return safe if np.isfinite(safe) and safe > 0 else 1.0

    def _stream_rule(self, rows: Rows) -> Any:
        if self.mode != "incremental":
            raise ValueError(f'mode="{self.mode}" needs all rows at once; partial_fit needs mode="incremental".')
        return self._rule(self._incremental_step(rows.radius_sq(self.fit_intercept)))

    def _refuse_contradictions(self) -> None:
        if self.mode != "incremental" and self.average:
            raise ValueError(f'average=True is for mode="incremental"; a {self.mode} step has nothing to average over.')

    # the learner or mode that reaches the minimum where small steps do not
    _better: ClassVar[str]

    def _advice(self) -> str:
        if self.outcome_ == "RECEDING":
            return f"{self.outcome_.sentence} More passes cannot help; a ridge can: Logistic(regularizer=…)."
        if self.mode == "incremental":
            return f"{self.outcome_.sentence} A smaller eta with more passes comes nearer; {self._better} goes there."
        return f"{self.outcome_.sentence} Raise max_passes, or scale the columns of X; {self._better} needs neither."
