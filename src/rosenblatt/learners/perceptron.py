"""The perceptron: correct after each mistake, stop when there is none, and say which of the two happened."""

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.labels import signs
from rosenblatt.data.rows import Rows
from rosenblatt.learners import checks
from rosenblatt.learners.crew import Crew, n_threads
from rosenblatt.learners.examples import Examples, Ties
from rosenblatt.learners.run import Run, Settings, finish_all
from rosenblatt.learners.stream import Stream
from rosenblatt.models import Hyperplane, Outcome, Trace, Witness

__all__ = ["Perceptron"]

_TIES: dict[str, Ties] = {"mistake": (True, True), "correct": (False, False), "positive": (False, True)}

# The same algorithm in five lectures' dialects.
_RECIPES: dict[str, dict[str, Any]] = {
    "stein": {"start": "random", "order": "random", "tie": "positive"},
    "cyclic": {"start": "random", "order": "cyclic", "tie": "correct"},
    "rosenblatt62": {"start": "zeros", "order": "cyclic", "tie": "mistake", "eta": 1.0},
    "unit": {"start": "random", "order": "random", "tie": "correct", "eta": 1.0, "normalize": True},
    "signum": {"start": "zeros", "order": "cyclic", "tie": "mistake"},
}


class Perceptron(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Rosenblatt's perceptron, with the truth about its convergence.

    For each example shown, s = w·x + b; if y·s ≤ 0 that is a mistake, and it is corrected: w += η·y·x, b += η·y. A fit
    stops after a pass without a mistake. If a hyperplane separates the classes with margin γ and R is the largest
    length of (x, 1), there are at most (R/γ)² corrections from w = 0 (Novikoff 1962; `rb.theory.mistake_bound`).

    `outcome_` says how the fit ended: SEPARATED (every sign certified), TIED, CYCLING (proof that nothing separates the
    classes) or BUDGET. Any other end than SEPARATED warns.

    Parameters
    ----------
    eta : float, default 1.0
        The step η. From w = 0 and without a margin it scales w and changes nothing else.
    order : {"cyclic", "shuffled", "random"}, default "cyclic"
        Rows in turn; in a new permutation each pass; drawn with replacement.
    start : {"zeros", "random"} or array of shape (d,) or (K, d), default "zeros"
        w(0), the bias last. Random weights are multiples of 2^-24 in [-1, 1).
    tie : {"mistake", "correct", "positive"}, default "mistake"
        What s = 0 is: a mistake; correct; or an answer, the second class.
    normalize : bool, default False
        Learn from z/‖z‖ instead of z = (x, 1).
    margin : float, default 0.0
        With m > 0, y·s ≤ m·‖(w, b)‖ is a mistake too. The mistake bound does not hold then.
    fit_intercept : bool, default True
        Whether to learn b.
    max_passes : int, default 1000
        Stop after so many sweeps (BUDGET).
    max_updates : int, optional
        Stop after so many corrections (BUDGET).
    patience : int, optional
        Stop when no pass has beaten the fewest mistakes for so many passes (BUDGET).
    average : bool, default False
        Return the mean of the weights over all presentations (Freund & Schapire 1999): steadier on overlapping data.
    pocket : bool, default False
        Return the best weights seen (Gallant 1990): each pass the ones with the longest run of right answers are
        counted on all rows, and kept if they err less. In `partial_fit`, where nobody sees all rows, the longest run
        alone decides.
    class_weight : dict or "balanced", optional
        Factors for the steps of each class.
    random_state : int, RandomState or None
        Seeds `order` and `start`. An int gives the same run on every platform.
    n_jobs : int, optional
        Threads. More than one changes no bit of the result: classes are learned side by side; with two classes, other
        threads look ahead while mistakes are rare (not with `margin`).
    warm_start : bool, default False
        Start from the weights of the previous fit.
    trace : bool, default False
        Record every correction in `trace_`.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, p), (1,); with K > 2 classes (K, p), (K,)
        w and b, float64.
    classes_ : array
        Sorted labels; `classes_[1]` is the positive one.
    hyperplane_ : Hyperplane
        w·x + b = 0, with distances and sides (two classes).
    outcome_ : Outcome
        How the fit ended; `str()` is the name, `.sentence` the explanation. With K > 2 the worst of `outcomes_`.
    n_passes_, n_updates_ : int
        Passes begun, corrections made (of all classes together).
    mistakes_per_pass_ : array of shape (passes,) or (passes, K)
        Mistakes in each pass.
    trace_ : Trace or None, or a list of them
        The corrections, with `trace=True`.
    witness_ : Witness or None, or a list of them
        With CYCLING: λ > 0 on rows with Σ λ y (x, 1) = 0, the proof.

    References
    ----------
    Rosenblatt (1962), Principles of Neurodynamics, ch. 5. Novikoff (1962), On convergence proofs for perceptrons.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = rb.Perceptron().fit(X, y)
    >>> model.outcome_
    <SEPARATED: all 4 examples are on their side after 18 corrections.>
    >>> model.predict([[1, 1], [0, 1]])
    array([1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "eta": [Interval(Real, 0, None, closed="neither")],
        "order": [StrOptions({"cyclic", "shuffled", "random"})],
        "start": [StrOptions({"zeros", "random"}), "array-like"],
        "tie": [StrOptions(set(_TIES))],
        "normalize": ["boolean"],
        "margin": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_passes": [Interval(Integral, 1, None, closed="left")],
        "max_updates": [None, Interval(Integral, 1, None, closed="left")],
        "patience": [None, Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "pocket": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
        "warm_start": ["boolean"],
        "trace": ["boolean"],
    }

    _stream: Stream | None
    _running: npt.NDArray[np.float64]
    trace_: Trace | list[Trace | None] | None
    witness_: Witness | list[Witness | None] | None

    def __init__(
        self,
        eta: float = 1.0,
        order: str = "cyclic",
        start: Any = "zeros",
        tie: str = "mistake",
        normalize: bool = False,
        margin: float = 0.0,
        fit_intercept: bool = True,
        max_passes: int = 1000,
        max_updates: int | None = None,
        patience: int | None = None,
        average: bool = False,
        pocket: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        trace: bool = False,
    ) -> None:
        self.eta = eta
        self.order = order
        self.start = start
        self.tie = tie
        self.normalize = normalize
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.max_updates = max_updates
        self.patience = patience
        self.average = average
        self.pocket = pocket
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.trace = trace

    @classmethod
    def from_recipe(cls, recipe: str, **overrides: Any) -> Self:
        """The perceptron of one lecture: "stein", "cyclic", "rosenblatt62", "unit" or "signum".

        `overrides` are parameters of the constructor; with "signum" the step is 2·eta, since its w += η·[d − y]·x has
        d − y = ±2.
        """
        if recipe not in _RECIPES:
            raise ValueError(f"no recipe is called {recipe!r}; they are {', '.join(map(repr, _RECIPES))}.")
        parameters = _RECIPES[recipe] | overrides
        if recipe == "signum":
            parameters["eta"] = 2 * parameters.get("eta", 1.0)
        return cls(**parameters)

    @classmethod
    def from_sklearn(cls, estimator: Any) -> Self:
        """The same configuration as a `sklearn.linear_model.Perceptron` (unfitted); what has no counterpart is refused.

        max_iter, eta0, shuffle, fit_intercept, class_weight, random_state, n_jobs and warm_start carry over. `tol` with
        `n_iter_no_change` becomes `patience`, which watches mistakes instead of the loss.
        """
        theirs = estimator.get_params()
        for name in ("penalty", "early_stopping"):
            if theirs.get(name):
                raise ValueError(
                    f"{name}={theirs[name]!r} has no counterpart in a perceptron that stops at zero mistakes."
                )
        return cls(
            eta=theirs["eta0"],
            order="shuffled" if theirs["shuffle"] else "cyclic",
            fit_intercept=theirs["fit_intercept"],
            max_passes=theirs["max_iter"],
            patience=None if theirs["tol"] is None else theirs["n_iter_no_change"],
            class_weight=theirs["class_weight"],
            random_state=theirs["random_state"],
            n_jobs=theirs["n_jobs"],
            warm_start=theirs["warm_start"],
        )

    # ------------------------------------------------------------------------------------------------------- learning

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn until no mistake is made or a limit is reached.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, p)
            Rows of numbers, float32 or float64 used as they are.
        y : array of n labels
            Two or more classes.
        sample_weight : array of n numbers, optional
            Factors for the steps; a row of weight zero is absent.
        """
        self._refuse_contradictions()
        rows, y = checks.training_data(self, X, y, reset=True)
        self.classes_ = checks.classes_of(y)
        weights = checks.step_weights(self.class_weight, sample_weight, y, rows.n)
        radius_sq = rows.radius_sq(self.fit_intercept, checks.column_name(self))
        targets = self._targets(y)
        random = check_random_state(self.random_state)
        starts = self._starts(len(targets), rows.p, random)
        seeds = random.randint(0, 2**63, size=len(targets), dtype=np.int64)
        threads = n_threads(self.n_jobs)
        runs = [
            Run(
                Examples(rows, target, weights, self.fit_intercept, radius_sq),
                self._rule(),
                self._settings(int(seed)),
                start,
                Crew(threads if len(targets) == 1 else 1),
            )
            for target, start, seed in zip(targets, starts, seeds, strict=True)
        ]
        finish_all(runs, threads)
        self._report(runs)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some rows, each shown once in the order given; the outcome is ONLINE.

        Chunks of any size, down to single rows, give the weights that one pass over all rows gives, bit for bit.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n, p)
            The next rows.
        y : array of n labels
            Their classes.
        classes : array, needed on the first call
            All labels that will ever come.
        sample_weight : array of n numbers, optional
            Factors for the steps.
        """
        stream: Stream | None = self.__dict__.get("_stream")
        if stream is not None and classes is None and sample_weight is None and stream.learn_row(self, X, y):
            return self
        self._validate_params()
        if self.class_weight == "balanced":
            raise ValueError(
                'class_weight="balanced" needs all labels at once; for partial_fit give a dict of weights instead.'
            )
        self._refuse_contradictions()
        rows, y = checks.training_data(self, X, y, reset=not hasattr(self, "classes_"))
        self.classes_ = checks.known_classes(self, classes, y)
        weights = checks.step_weights(self.class_weight, sample_weight, y, rows.n)
        rows.radius_sq(self.fit_intercept, checks.column_name(self))
        targets = self._targets(y)
        if stream is None:
            stream = self._begin_stream(len(targets), rows.p)
        stream.learn(self, rows, targets, weights)
        return self

    # ------------------------------------------------------------------------------------------------------ answering

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """w·x + b for each row, computed as in training; with K > 2 classes one column each."""
        check_is_fitted(self)
        rows = checks.known_rows(self, X)
        rows.radius_sq(False, checks.column_name(self))
        responses = [self._respond(rows, k) for k in range(self.coef_.shape[0])]
        return responses[0] if len(responses) == 1 else np.column_stack(responses)

    def predict(self, X: Any) -> Any:
        """The class of each row: the second where w·x + b > 0 (≥ 0 with tie="positive"); with K > 2 the largest."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[np.argmax(scores, axis=1)]
        positive = scores >= 0 if self.tie == "positive" else scores > 0
        return self.classes_[positive.astype(np.intp)]

    @property
    def hyperplane_(self) -> Hyperplane:
        """Where w·x + b = 0: normal vector, distances, sides (two classes only)."""
        check_is_fitted(self)
        if len(self.coef_) != 1:
            raise AttributeError(f"there are {len(self.coef_)} hyperplanes, one per class: see coef_ and intercept_.")
        return Hyperplane(self.coef_[0], self.intercept_[0])

    # -------------------------------------------------------------------------------------------------------- helpers

    def _begin_stream(self, k: int, p: int) -> Stream:
        """Go on from the weights of an earlier fit, or begin from `start`."""
        random = check_random_state(self.random_state)
        starts = self._running if hasattr(self, "_running") else self._starts(k, p, random)
        settings = replace(self._settings(0), trace=False, detect_cycles=False, max_updates=None, patience=None)
        single_rows = k == 1 and not self.class_weight and not self.margin
        codes = dict(zip(self.classes_.tolist(), (-1, 1), strict=True)) if single_rows else {}
        stream = self._stream = Stream(starts, settings, self._rule(), codes)
        stream.attach(self)
        self.n_passes_, self.mistakes_per_pass_ = 0, np.empty(0, dtype=np.int64)
        self.outcome_ = Outcome("ONLINE", "learned from a stream; nobody has looked at all the data at once.")
        self.trace_ = self.witness_ = None
        return stream

    def _respond(self, rows: Rows, k: int) -> npt.NDArray[np.float64]:
        w = self.coef_[k]
        return rows.respond(np.append(w, self.intercept_[k]) if self.fit_intercept else np.ascontiguousarray(w))

    def _refuse_contradictions(self) -> None:
        if self.average and self.pocket:
            raise ValueError("average and pocket each return weights of their own: choose one of them.")

    def _rule(self) -> Any:
        from rosenblatt.kernels.rows import Rosenblatt, WideMargin

        common = (float(self.eta), *_TIES[self.tie], bool(self.normalize))
        return WideMargin(*common, float(self.margin)) if self.margin else Rosenblatt(*common)

    def _settings(self, seed: int) -> Settings:
        return Settings(
            ties=_TIES[self.tie],
            order=self.order,
            seed=seed,
            average=self.average,
            pocket=self.pocket,
            trace=self.trace,
            detect_cycles=not self.normalize,
            max_passes=self.max_passes,
            max_updates=self.max_updates,
            patience=self.patience,
        )

    def _targets(self, y: Any) -> list[npt.NDArray[np.int8]]:
        """Labels as −1/+1: of the second class against the first, or of each of K > 2 against the rest."""
        positive = [self.classes_[1]] if len(self.classes_) == 2 else self.classes_
        return [signs(y, label) for label in positive]

    def _starts(self, k: int, p: int, random: np.random.RandomState) -> npt.NDArray[np.float64]:
        """w(0) of each of k runs."""
        shape = (k, p + self.fit_intercept)
        if self.warm_start and hasattr(self, "_running") and self._running.shape == shape:
            return np.array(self._running)
        if isinstance(self.start, str):
            if self.start == "zeros":
                return np.zeros(shape)
            return random.randint(-(2**24), 2**24, size=shape) / 2.0**24
        given = np.array(self.start, dtype=np.float64, ndmin=2)
        if given.shape != shape or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {shape[0]} × {shape[1]} finite weights (the bias last); "
                f"it has shape {np.shape(self.start)}."
            )
        return given

    def _report(self, runs: list[Run]) -> None:
        """Set the attributes that a fit leaves, and warn where it did not separate."""
        self._stream = None
        self._running = np.array([run.memory.w for run in runs])
        self._set_weights(np.array([run.weights for run in runs]))
        outcomes = [run.outcome for run in runs if run.outcome is not None]
        traces: list[Trace | None] = [run.trace for run in runs]
        witnesses: list[Witness | None] = [run.witness for run in runs]
        self.n_passes_ = max(run.n_passes for run in runs)
        self.n_updates_ = sum(run.n_updates for run in runs)
        counts = np.zeros((self.n_passes_, len(runs)), dtype=np.int64)
        for k, run in enumerate(runs):
            counts[: run.n_passes, k] = run.mistakes_per_pass
        several = len(runs) > 1
        if several:
            self.outcomes_ = [
                Outcome(str(o), f"class {c!r} against the rest: {o.sentence}")
                for o, c in zip(outcomes, self.classes_.tolist(), strict=True)
            ]
            outcomes = self.outcomes_
        self.outcome_ = max(outcomes, key=lambda outcome: outcome.rank)
        self.mistakes_per_pass_ = counts if several else counts[:, 0]
        self.trace_ = (traces if several else traces[0]) if self.trace else None
        self.witness_ = witnesses if several else witnesses[0]
        if self.outcome_ != "SEPARATED":
            warnings.warn(self._advice(), ConvergenceWarning, stacklevel=4)

    def _advice(self) -> str:
        if self.outcome_ == "TIED":
            return f"{self.outcome_.sentence} Use tie='mistake' to move the hyperplane off them."
        steadier = "" if self.average or self.pocket else " For a good compromise use average=True or pocket=True."
        if self.outcome_ == "CYCLING":
            return f"{self.outcome_.sentence}{steadier}"
        return f"{self.outcome_.sentence} More passes may help if a hyperplane exists (max_passes).{steadier}"

    def _set_weights(self, weights: npt.NDArray[np.float64]) -> None:
        self.coef_ = weights[:, :-1] if self.fit_intercept else weights
        self.intercept_ = weights[:, -1] if self.fit_intercept else np.zeros(len(weights))

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
