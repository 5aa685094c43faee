"""Learners that minimise a loss by gradient descent, one example at a time or all at once."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.examples import Examples, norm_sq
from rosenblatt.learners.runs.goals import Goal
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.runs.steps import BatchRun
from rosenblatt.learners.shared.base import Beginning
from rosenblatt.learners.shared.online import OnlineClassifier
from rosenblatt.learners.shared.parameters import above
from rosenblatt.minimise import Columns
from rosenblatt.models.run_state import Units

__all__ = ["Minimizer"]

_LARGEST_GRAM = 2000  # columns: beyond, a bound on the curvature is cheaper than the curvature


def _by_row(model: "Minimizer") -> bool:
    """Whether the learner takes rows as they come."""
    if model.mode != "incremental":
        raise AttributeError(f'mode="{model.mode}" needs all rows at once; partial_fit needs mode="incremental".')
    return True


class Minimizer(OnlineClassifier):
    """Shared by `Adaline` and `Logistic`: a rule whose step is the negative slope of the loss."""

    # the loss curves at most this much along s: 1 for ½(y − s)², ¼ for the logistic loss
    _curvature: ClassVar[float]
    _corrects = False
    _rule_parameters = ("eta", "mode")
    _constraints: ClassVar[dict[str, list[Any]]] = {
        "eta": [above(0), StrOptions({"auto"})],
        "mode": [StrOptions({"incremental", "batch"})],
    }

    eta: float | Literal["auto"]
    mode: str
    tol: float
    regularizer: float = 0.0

    @abstractmethod
    def _rule(self, eta: float = 1.0) -> Any:
        """The kernels' rule with this step."""

    @abstractmethod
    def _goal(self, examples: Examples, columns: Columns | None) -> Goal:
        """What is minimised."""

    def _begin_all(self, each: list[Beginning]) -> list[Run | BatchRun]:
        first = each[0].examples
        columns = Columns.of(first.rows, first.bias) if self._goal(first, None).at_hand else None
        return [self._begin(at, columns) for at in each]

    def _begin(self, at: Beginning, columns: Columns | None = None) -> Run | BatchRun:
        examples, goal = at.examples, self._goal(at.examples, columns)
        if self.mode == "batch":
            steepest = self._curvature * largest_curvature(examples) + self.regularizer
            eta = float(self._step(steepest) if self.eta == "auto" else self.eta)
            how = {"rule": self._rule(), "eta": eta, "tol": self.tol, "ridge": float(self.regularizer)}
            return Descent(examples, at.start, self.max_passes, at.state, goal, **how)
        settings = Settings.of(self, seed=at.seed, detect_cycles=False, separate=False)
        heaviest = float(examples.weights.max()) if examples.weights.size else 1.0
        rule = self._rule(self._incremental_step(examples.radius_sq * heaviest, examples.n))
        return Run(examples, rule, settings, at.start, earlier=at.state, goal=goal)

    def _incremental_step(self, radius_sq: float, n: int = 0) -> float:
        """A small part of the step that would make the longest example exactly right; smaller for more examples.

        1/η is the memory. It should reach back over a good part of the examples; otherwise the last few decide.
        """
        curvature = self._curvature * radius_sq * max(10.0, n / 10)
        return self._step(curvature) if self.eta == "auto" else float(self.eta)

    @staticmethod
    def _step(curvature: float) -> float:
        """1/curvature; 1 where that is not a finite number above 0, as for rows of zeros and rows that are too long."""
        safe = 1.0 / curvature if curvature > 0 else np.inf
        return safe if np.isfinite(safe) and safe > 0 else 1.0

    def _stream_rule(self, rows: Rows, units: Units) -> Any:
        return self._rule(self._incremental_step(rows.radius_sq(self.fit_intercept)))

    @available_if(_by_row)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from some rows, as `Perceptron.partial_fit` does; only with mode="incremental"."""
        return super().partial_fit(X, y, classes, sample_weight)

    def _refuse_contradictions(self) -> None:
        if self.mode != "incremental" and self.average:
            raise ValueError(f'average=True is for mode="incremental"; a {self.mode} step has nothing to average over.')

    # the learner or mode that gets to the minimum where small steps do not
    _better: ClassVar[str]

    def _advice(self) -> str:
        if self.outcome_ == "RECEDING":
            return f"{self.outcome_.sentence} More passes cannot help; a ridge can: Logistic(regularizer=…)."
        if self.mode == "incremental":
            return f"{self.outcome_.sentence} A smaller eta with more passes comes nearer; {self._better} goes there."
        return f"{self.outcome_.sentence} Raise max_passes, or scale the columns of X; {self._better} needs neither."


@dataclass
class Descent(BatchRun):
    """Descent on all rows at once: w += η·(Σ step(y, s)·(x, 1) − δ·w), with s computed at fixed weights.

    The rule's step, at η = 1, is the negative slope of the loss. The ridge δ leaves the bias alone.
    """

    rule: Any = None
    eta: float = 1.0
    tol: float = 0.0
    ridge: float = 0.0

    def step(self) -> tuple[Floats, int, bool]:
        """One step down the slope."""
        slope, mistakes = self.examples.slope(self.rule, self.w)
        if self.ridge:
            slope[: self.examples.rows.p] -= self.ridge * self.w[: self.examples.rows.p]
        with np.errstate(over="ignore", invalid="ignore"):
            w = self.w + self.eta * slope
            move, size = self.eta**2 * norm_sq(slope), norm_sq(w)
            settled = move <= self.tol**2 * size < np.inf
        return w, mistakes, bool(settled) and (move == 0.0 or self._is_minimum(w))

    def _is_minimum(self, w: Floats) -> bool:
        """Whether w is proved to be near the minimum; a slow proof, tried at steps 1 … 9, 10, 20 … 90, 100 … only."""
        if self.goal is None or not self.goal.at_hand:
            return True
        steps = len(self.mistakes_per_pass) + 1
        return steps % 10 ** (len(str(steps)) - 1) == 0 and self.goal.near(self.goal.look(w))

    def _divergence(self) -> str:
        return (
            f"the descent diverged: eta={self.eta:.6g} is too large for these data; eta='auto' takes one that is not."
        )


def largest_curvature(examples: Examples) -> float:
    """The largest eigenvalue of Σ weight·z zᵀ, or a bound on it: the squared loss curves no more than this."""
    weights = examples.weights if examples.weights.size else np.ones(examples.n)
    if examples.d <= _LARGEST_GRAM:
        return float(np.linalg.eigvalsh(Columns.as_they_are(examples.rows, examples.bias).gram(weights))[-1])
    return float(weights.sum()) * examples.radius_sq
