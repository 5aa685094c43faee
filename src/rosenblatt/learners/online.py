"""Learners that also take their rows as they come."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.data.rows import Rows
from rosenblatt.learners import checks
from rosenblatt.learners.base import LinearClassifier
from rosenblatt.learners.settings import Settings
from rosenblatt.learners.stream import Stream
from rosenblatt.models import Outcome

__all__ = ["OnlineClassifier"]


class OnlineClassifier(LinearClassifier):
    """A learner with `partial_fit`."""

    average: bool = False

    @abstractmethod
    def _stream_rule(self, rows: Rows) -> Any:
        """The kernels' rule for a stream, given its first rows."""

    def _stream_settings(self) -> Settings:
        """The settings of a stream."""
        return Settings(ties=(True, True), average=self.average, detect_cycles=False)

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
            stream = self._begin_stream(len(targets), rows)
        stream.learn(self, rows, targets, weights)
        return self

    def _begin_stream(self, k: int, rows: Rows) -> Stream:
        """Go on from the weights of an earlier fit, or begin from `start`."""
        random = check_random_state(self.random_state)
        starts = self._running if hasattr(self, "_running") else self._starts(k * self._together, rows.p, random)
        single_rows = len(self.classes_) == 2 and not self.class_weight
        codes = dict(zip(self.classes_.tolist(), (-1, 1), strict=True)) if single_rows else {}
        stream = self._stream = Stream(starts.reshape(k, -1), self._stream_settings(), self._stream_rule(rows), codes)
        stream.attach(self)
        self._states = []
        self.n_passes_, self.mistakes_per_pass_ = 0, np.empty(0, dtype=np.int64)
        self.outcome_ = Outcome("ONLINE", "learned from a stream; nobody has looked at all the data at once.")
        self.trace_ = self.witness_ = None
        return stream
