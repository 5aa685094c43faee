"""What learners of hyperplanes share: the weights that they begin with, and the weights that they answer with."""

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self, cast

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.classifier import Beginning, Classifier
from rosenblatt.learners.shared.parameters import RandomState, Start
from rosenblatt.learners.shared.parts import from_parts, read_trace, to_parts
from rosenblatt.models import Hyperplane, RunState
from rosenblatt.models.run_state import scaled

__all__ = ["Beginning", "LinearClassifier", "dense"]

_FEW = 4096  # an X of at most so many values is answered by one call


class LinearClassifier(Classifier):
    """A learner with one weight vector (two classes), or with K of them (K > 2 classes)."""

    _linear = True

    fit_intercept: bool
    random_state: RandomState = None
    start: Start = "zeros"
    warm_start: bool = False

    _given: dict[str, Any] | None = None  # parts of w(0) that a call of `fit` was given
    coef_: Any  # an array; after `sparsify` a sparse matrix
    _stream: Any  # what `partial_fit` keeps between calls; a fit sets it to None
    _states: list[RunState]
    _running: Floats

    @property
    def _together(self) -> int:
        """How many weight vectors one run of the loop learns: K where K classes learn together, else 1."""
        return 1

    @property
    def _bias(self) -> bool:
        return self.fit_intercept

    @property
    def _one_class_will_do(self) -> bool:
        return not self.fit_intercept

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, coef_init: Any = None, intercept_init: Any = None
    ) -> Self:
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
        coef_init, intercept_init : arrays of the shapes of `coef_` and `intercept_`, optional
            w(0) of this fit in the place of `start`, as scikit-learn's linear classifiers take it; what is left out is
            zero.
        """
        given = {"coef_init": coef_init, "intercept_init": intercept_init}
        self._given = {name: value for name, value in given.items() if value is not None} or None
        try:
            return cast(Self, self._fit(X, y, sample_weight))
        finally:
            del self._given

    # ----------------------------------------------------------------------------------------------------- answering

    def decision_function(self, X: Any) -> Floats:
        """w·x + b for each row, computed as in training; with K > 2 classes one column each."""
        if self._may_answer_at_once(X):
            scores, _, finite = self._answer_at_once(X)
            if finite:  # then X is finite too: any NaN or inf, even times 0, would make the score NaN or inf
                return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)
        rows = checks.known_rows(self, X)
        responses = [rows.respond(np.append(w, b)) for w, b in zip(dense(self.coef_), self.intercept_, strict=True)]
        return responses[0] if len(responses) == 1 else np.column_stack(responses)

    def predict(self, X: Any) -> Any:
        """The class of each row: the second where w·x + b > 0 (≥ 0 with tie="positive"); with K > 2 the largest."""
        if self._may_answer_at_once(X) and len(self.classes_) > 1:
            _, answers, finite = self._answer_at_once(X)
            if finite:
                return self.classes_.take(answers)
        return super().predict(X)

    @property
    def hyperplane_(self) -> Hyperplane:
        """Where w·x + b = 0: normal vector, distances, sides (two classes only)."""
        check_is_fitted(self)
        if len(self.intercept_) != 1:
            number = len(self.intercept_)
            raise AttributeError(f"there are {number} hyperplanes, one per class: see coef_ and intercept_.")
        return Hyperplane(dense(self.coef_)[0], self.intercept_[0])

    @property
    def t_(self) -> int:
        """What scikit-learn calls so: the examples shown, plus one; corrections are `n_updates_`."""
        check_is_fitted(self)
        if self.__dict__.get("_stream") is not None:
            return int(self._stream.counts[0]) + 1
        if not self._states:
            raise AttributeError("t_ is not known of this model: n_passes_ and n_updates_ are.")
        return self.n_passes_ * self._states[0].n + 1

    def sparsify(self) -> Self:
        """Make `coef_` a sparse matrix, which is smaller where most weights are zero; answers stay the same."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Make `coef_` an array again."""
        check_is_fitted(self)
        self.coef_ = dense(self.coef_)
        return self

    # ------------------------------------------------------------------------------------------------------- helpers

    def _may_answer_at_once(self, X: object) -> bool:
        """Whether X is a few plain rows that need no checks: scikit-learn's checks take longer than the answer."""
        fitted = self.__dict__
        if type(X) is not np.ndarray or type(fitted.get("coef_")) is not np.ndarray or "feature_names_in_" in fitted:
            return False
        if "numba" not in sys.modules:  # it is not loaded for a few rows
            return False
        plain = X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous
        return bool(plain and 0 < X.size <= _FEW and X.shape[1] == self.n_features_in_ == self.coef_.shape[-1])

    def _answer_at_once(self, X: Floats) -> tuple[Any, Any, bool]:
        """Scores and classes of rows that need no checks, with the usual bits; and whether all scores are finite."""
        from rosenblatt.kernels.passes import answer_rows

        coef, n = self.coef_, len(X)
        scores, answers = np.empty((n, len(coef))), np.empty(n, dtype=np.int64)
        w = np.empty(X.shape[1] + 1)
        finite = answer_rows(X, coef, self.intercept_, True, self._zero_is_positive(), w, scores, answers)
        return scores, answers, finite

    def _beginnings(self, examples: Sequence[Examples], states: Sequence[RunState | None]) -> list[Beginning]:
        """Where the runs of all classes begin: first all w(0) are drawn, then all seeds."""
        k = len(examples)
        if type(self.random_state) is int and isinstance(self.start, str) and self.start == "zeros":
            random, seeds = None, _seeds(self.random_state, k)
        else:
            random = check_random_state(self.random_state)
        starts = self._starts(k * self._together, examples[0].rows.p, random).reshape(k, -1)
        if random is not None:
            seeds = random.randint(0, 2**63, size=k, dtype=np.int64).tolist()
        return [Beginning(*parts) for parts in zip(examples, starts, seeds, states, strict=True)]

    def _starts(self, k: int, p: int, random: np.random.RandomState | None) -> Floats:
        """w(0) of each of k runs."""
        shape = (k, p + self.fit_intercept)
        if self._given:
            return _start_from(self._given, shape, self.fit_intercept)
        if self.warm_start and hasattr(self, "_running") and self._running.shape == shape:
            return np.array(self._running)
        if isinstance(self.start, str):
            return (
                np.zeros(shape)
                if self.start == "zeros" or random is None
                else random.randint(-(2**24), 2**24, size=shape) / 2.0**24
            )
        given = np.array(self.start, dtype=np.float64, ndmin=2)
        if given.shape != shape or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {shape[0]} × {shape[1]} finite weights (the bias last); "
                f"it has shape {np.shape(self.start)}."
            )
        return given

    def _earlier(self, runs: int, rows: Rows) -> list[RunState | None]:
        """For `warm_start`, the state in which each run ended; None for a run that cannot go on from it."""
        states = self.__dict__.get("_states", [])
        if self._given or not self.warm_start or len(states) != runs:
            return [None] * runs
        return [state if self._can_go_on(state, rows) else None for state in states]

    def _can_go_on(self, state: RunState, rows: Rows) -> bool:
        """Whether a run on these rows can go on from the state: then average and trace must be of the whole run."""
        same_shape = state.n == rows.n and state.start.shape == (self._together * (rows.p + self.fit_intercept),)
        averages = bool(getattr(self, "average", False)) and not getattr(self, "pocket", False)
        if not same_shape or averages != ("average" in state.vectors):
            return False
        if not getattr(self, "trace", False):
            return True
        trace = read_trace(state, self._together)
        return trace is not None and np.array_equal(
            trace.bind(rows).weights_at(len(trace)).ravel(), scaled(state.vectors["w"], state.units.unit)
        )

    def _keep(self, runs: list[Any]) -> None:
        self._stream = None
        self._states = [run.state() for run in runs]
        running = np.vstack([run.running for run in runs])
        self._running = running.reshape(len(running) * self._together, -1)
        self._set_weights(np.vstack([run.weights for run in runs]))

    def _set_weights(self, weights: Floats) -> None:
        weights = weights.reshape(len(weights) * self._together, -1)
        self.coef_ = weights[:, :-1] if self.fit_intercept else weights
        self.intercept_ = weights[:, -1] if self.fit_intercept else np.zeros(len(weights))

    _to_parts = to_parts
    _from_parts = classmethod(from_parts)


@lru_cache(1024)
def _seeds(random_state: int, k: int) -> list[int]:
    """The seeds of k runs that draw no start; a generator of random numbers takes long to begin."""
    found: list[int] = check_random_state(random_state).randint(0, 2**63, size=k, dtype=np.int64).tolist()
    return found


def _start_from(given: dict[str, Any], shape: tuple[int, int], bias: bool) -> Floats:
    """w(0) as `fit` was given it: `coef_init` and `intercept_init`."""
    start, p = np.zeros(shape), shape[1] - bias
    if "intercept_init" in given and not bias:
        raise ValueError("intercept_init is given, but with fit_intercept=False there is no intercept.")
    for name, place in (("coef_init", start[:, :p]), ("intercept_init", start[:, p:])):
        found = np.asarray(given.get(name, place), dtype=np.float64)
        if found.size != place.size or not np.isfinite(found).all():
            wanted = " × ".join(map(str, place.shape))
            raise ValueError(f"{name} must hold {wanted} finite numbers; its shape is {found.shape}.")
        place[:] = found.reshape(place.shape)
    return start


def dense(weights: Floats | sp.csr_matrix) -> Floats:
    """Weights as an array, also where `sparsify` was called."""
    return weights if isinstance(weights, np.ndarray) else np.asarray(weights.toarray())
