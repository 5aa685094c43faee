"""What all learners share: taking data in, one run per class, reporting how the runs ended, answering."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arrays import Floats, Labels
from rosenblatt.data.numbers import Rows, signs
from rosenblatt.learners.runs.crew import n_threads
from rosenblatt.learners.runs.ending import AsRead
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.progress import Progress, Watch
from rosenblatt.learners.runs.run import Run, finish_all
from rosenblatt.learners.runs.steps import BatchRun
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.foundation import Estimator, warn_of_end, with_callbacks
from rosenblatt.learners.shared.parameters import CONSTRAINTS, ClassWeight, explain_parameters
from rosenblatt.learners.shared.scaling import advise_scaling
from rosenblatt.models import JointWitness, Outcome, RunState, Trace, Witness

if TYPE_CHECKING:
    from rosenblatt.data.tables import Encoding

__all__ = ["Beginning", "Classifier"]


class Beginning(NamedTuple):
    """What a run begins with: its examples, w(0) and seed, and the state of an earlier run that it continues."""

    examples: Examples
    start: Floats
    seed: int
    state: RunState | None = None


class Classifier(Estimator):
    """A learner of two classes (one run) or of K > 2 classes (K runs, each class against the rest)."""

    class_weight: ClassWeight
    positive: Any = None  # the class that is +1
    max_passes: int
    n_jobs: int | None = None

    _constraints: ClassVar[dict[str, list[Any]]] = {}  # of this learner's own parameters
    _minds_sizes: ClassVar[bool] = False  # whether a run takes longer where columns differ in size
    _linear: ClassVar[bool] = False  # whether it learns weights of the columns
    _usual: ClassVar[bool] = True  # whether `compare` has it in its table without being asked
    _corrects: ClassVar[bool] = False  # whether it goes row by row until there is no mistake
    _in_one_step: ClassVar[bool] = False  # whether one step is the answer, and `max_passes` are not passes over rows

    encoding_: "Encoding"  # how the table of the fit was read, where there was one
    trace_: Trace | list[Trace | None] | None
    witness_: Witness | JointWitness | list[Witness | None] | None

    # ----------------------------------------------------------------------- for people who come from scikit-learn

    def __new__(cls, *values: object, **parameters: object) -> Self:
        """Refuse scikit-learn's names of parameters, and say what they are called here; `__init__` refuses the rest."""
        if sentence := explain_parameters(cls.__name__, parameters, cls._get_param_names()):
            raise TypeError(sentence)
        return super().__new__(cls)

    def set_params(self, **parameters: object) -> Self:
        """Set parameters by name, as in any scikit-learn estimator."""
        if sentence := explain_parameters(type(self).__name__, parameters, self._get_param_names()):
            raise ValueError(sentence)
        return super().set_params(**parameters)

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """The names of the parameters, in order; a fit asks several times, and reading a signature takes long."""
        return super()._get_param_names()

    @property
    def _parameter_constraints(self) -> dict[str, list[Any]]:
        """What scikit-learn checks of each parameter before a fit."""
        known = CONSTRAINTS | self._constraints
        return {name: known[name] for name in self._get_param_names() if name in known}

    @property
    def n_iter_(self) -> int:
        """What scikit-learn calls `n_passes_`."""
        return self.n_passes_

    # --------------------------------------------------------------------------------------- what a learner provides

    @abstractmethod
    def _begin(self, at: Beginning) -> Run | BatchRun:
        """A new run with this beginning."""

    @abstractmethod
    def _beginnings(self, examples: Sequence[Examples], states: Sequence[RunState | None]) -> list[Beginning]:
        """Where the runs of all classes begin."""

    @abstractmethod
    def _keep(self, runs: list[Any]) -> None:
        """Set the attributes that answers need (weights), and what a later fit needs to go on."""

    @property
    def _bias(self) -> bool:
        """Whether rows are (x, 1)."""
        return False

    @property
    def _one_class_will_do(self) -> bool:
        """Whether rows of one class alone are accepted: then they are y·x already."""
        return False

    def _earlier(self, runs: int, rows: Rows) -> list[RunState | None]:
        """The state of an earlier fit that each run continues; None for a run that begins anew."""
        return [None] * runs

    def _begin_all(self, each: list[Beginning]) -> list[Run | BatchRun]:
        """The runs of all classes; a learner whose classes share work, or are one problem, overrides this."""
        return [self._begin(at) for at in each]

    def _refuse_contradictions(self) -> None:
        """Raise where parameters exclude each other."""

    def _advice(self) -> str:
        """The warning of a fit that did not end well: how it ended, and what to do."""
        return str(self.outcome_.sentence)

    # ------------------------------------------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from all rows until the outcome is known.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, p)
            Rows of numbers, float32 or float64 used as they are.
        y : array of n labels
            Two or more classes. With fit_intercept=False one class will do, if the rows are y·x already (the lecture's
            P ∪ −N): all rows count as +1.
        sample_weight : array of n numbers, optional
            Factors for the steps; a row of weight zero is absent.
        """
        return cast(Self, self._fit(X, y, sample_weight))

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def _fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        watch: Watch | None = None,
        interrupted: RunState | None = None,
        names: Sequence[str] | None = None,
        written: Rows | None = None,
    ) -> Self:
        """`fit`, with someone to watch it; see `runs.fit_watched`. `written` is X as its numbers were written."""
        self._refuse_contradictions()
        self.__dict__.pop("encoding_", None)  # of the table of an earlier fit
        rows, y = checks.training_data(self, X, y, reset=True)
        self.classes_ = checks.classes_of(y, self._one_class_will_do, self.positive)
        weights = checks.step_weights(self.class_weight, sample_weight, y, rows.n)
        radius_sq = rows.radius_sq(self._bias, checks.column_name(self))
        known = getattr(self, "feature_names_in_", names)
        names = None if known is None else tuple(map(str, known))
        examples = [Examples(rows, target, weights, self._bias, radius_sq, names=names) for target in self._targets(y)]
        states = self._earlier(len(examples), rows) if interrupted is None else [interrupted]
        runs = self._begin_all(self._beginnings(examples, states))
        progress = Progress(self, len(runs), self.max_passes, X, y, sample_weight, watch)
        finish_all(runs, 1 if progress.watched or len(runs) == 1 else n_threads(self.n_jobs), progress)
        read = AsRead(rows if written is None else written)
        for run in runs:
            run.outcome = run.said_as_read(read)
        self._keep(runs)
        self._report(runs)
        progress.close()
        return self

    # ----------------------------------------------------------------------------------------------------- answering

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """The response to each row; with K > 2 classes one column each."""

    def predict(self, X: Any) -> Any:
        """The class of each row: the second where w·x + b > 0 (≥ 0 with tie="positive"); with K > 2 the largest."""
        if "classes_" not in vars(self):
            check_is_fitted(self)
        if len(self.classes_) == 1:
            raise ValueError(
                f"this model was learned from one class only, {self.classes_.tolist()[0]!r}, and has no other to "
                f"answer with: look at the sign of decision_function(X)."
            )
        return self._named(self.decision_function(X))

    # ------------------------------------------------------------------------------------------------------- helpers

    def _zero_is_positive(self) -> bool:
        return False

    def _named(self, scores: Floats) -> Any:
        """The class that each response stands for."""
        if scores.ndim == 2:
            return self.classes_[np.argmax(scores, axis=1)]
        positive = scores >= 0 if self._zero_is_positive() else scores > 0
        return self.classes_[positive.astype(np.intp)]

    def _targets(self, y: Labels) -> list[Labels]:
        """Labels as −1/+1: of the second class against the first, or of each of K > 2 against the rest."""
        positive = [self.classes_[1]] if len(self.classes_) == 2 else self.classes_
        return [signs(y, label) for label in positive]

    def _report(self, runs: list[Any]) -> None:
        """Set the attributes that say how a fit ended, and warn where it did not end well."""
        outcomes = [run.outcome for run in runs]
        self.n_passes_ = max(len(run.mistakes_per_pass) for run in runs)
        self.n_updates_ = sum(run.n_updates for run in runs)
        counts = np.zeros((self.n_passes_, len(runs)), dtype=np.int64)
        for k, run in enumerate(runs):
            counts[: len(run.mistakes_per_pass), k] = run.mistakes_per_pass
        several = len(runs) > 1
        if several:
            self.outcomes_ = [
                Outcome(str(o), f"class {c!r} against the rest: {o.sentence}", o.hyperplane)
                for o, c in zip(outcomes, self.classes_.tolist(), strict=True)
            ]
            outcomes = self.outcomes_
        self.outcome_ = max(outcomes, key=lambda outcome: (outcome.rank, outcome.hyperplane is None))
        self.mistakes_per_pass_ = counts if several else counts[:, 0]
        traces = [run.trace for run in runs]
        self.trace_ = None if traces[0] is None else traces if several else traces[0]
        witnesses = [run.witness for run in runs]
        self.witness_ = witnesses if several else witnesses[0]
        shifted = self.outcome_ == "TIED" and self.outcome_.hyperplane is not None  # separability is proved
        if self.outcome_ not in ("SEPARATED", "CONVERGED") and not shifted:
            advice = self._advice()
            if self._minds_sizes and self.outcome_ == "BUDGET":
                how = "for example with sklearn.preprocessing.StandardScaler"
                rows, name = runs[0].examples.rows, checks.column_name(self)
                advice = f"{advice} {advise_scaling(rows, name, how, self._bias)}".rstrip()
            warn_of_end(advice, (type(self).__name__, str(self.outcome_)), stacklevel=6)

    # ------------------------------------------------------------------------------------------------------ notebooks

    def _repr_html_inner(self) -> str:
        """scikit-learn's picture of an estimator, and under it how the fit ended."""
        shown = str(super()._repr_html_inner())
        outcomes = self.__dict__.get("outcomes_") or [self.__dict__.get("outcome_")]
        items = [f"<li><b>{o}</b>: {escape(o.sentence)}</li>" for o in outcomes if o is not None]
        return f"{shown}<ul class='rosenblatt-outcome'>{''.join(items)}</ul>" if items else shown

    def _repr_mimebundle_(self, **options: object) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**options))
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that X may be sparse."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
