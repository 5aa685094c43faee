"""A fit from two classes of a table to the model's file, with a checkpoint beside it and rows to judge the model on."""

import time
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.files import is_stream
from rosenblatt.data.loaded import Loaded
from rosenblatt.learners.judged_fit import JudgedFit, written_labels
from rosenblatt.learners.pausing import fit_watched
from rosenblatt.learners.progress import Watch
from rosenblatt.learners.scaling import Scaling
from rosenblatt.learners.watching import Watcher
from rosenblatt.models.checkpoint import Checkpoint

__all__ = ["TableFit"]


class TableFit(JudgedFit):
    """One fit: its rows, its learner, its files. Interrupted, it goes on from the checkpoint that is there, if one is.

    With `scale` the learner sees columns of one size, and its weights are given back to the columns as they are.
    `about` says how the fit was asked for, where that must be the same when it goes on.
    """

    def __init__(
        self,
        loaded: Loaded,
        model: Any,
        output: Path,
        validation: float | Loaded | None = None,
        trace: Path | None = None,
        scale: bool = False,
        about: dict[str, Any] | None = None,
        before: Sequence[Any] = (),
    ) -> None:
        super().__init__(loaded, model, output, validation, before)
        self.trace = trace
        self.scaling = self._scaling() if scale else None
        beside = Path("model") if is_stream(output) else output  # a device has no file beside it
        self.checkpoint = Checkpoint(beside.with_name(beside.name + ".checkpoint"), self._identity)
        self._about = about or {}

    def run(self, every: float, show: Watch) -> float:
        """Learn, or go on learning, and write the model; returns the seconds it took.

        A checkpoint is saved every so many seconds; `show(run)` is called about twenty times a second.
        """
        kept = self.checkpoint.load()
        began = time.monotonic()
        with Watcher(self.checkpoint, every, show) as watcher, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            X, signs, weights = self.loaded.X, self.loaded.signs, self._weights
            rows = self.rows if self.scaling is None else self.scaling.apply(X)
            fit_watched(self.model, rows, signs, weights, watch=watcher, interrupted=kept.get(0), names=self.names)
            if self.scaling is not None:
                self.scaling.give_back(self.model, X, rows, signs, weights)
            seconds = time.monotonic() - began
            self._write()  # still watched: a signal now comes too late to lose the model
        return seconds

    # -------------------------------------------------------------------------------------------------------- helpers

    def _scaling(self) -> Scaling:
        """How the columns are brought to one size."""
        present = None if self._weights is None else self._weights > 0
        return Scaling.of(self.loaded.X, present, centre=self.model.fit_intercept)

    @cached_property
    def _weights(self) -> Any:
        """Row weights; a row that is held out weighs nothing."""
        if self.held_out is None:
            return self.loaded.weights
        weights = np.ones(len(self.held_out)) if self.loaded.weights is None else np.array(self.loaded.weights)
        weights[self.held_out] = 0.0
        return weights

    def _identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with to be of the same fit."""
        parameters = {name: value for name, value in self.model.get_params().items() if name != "n_jobs"}
        return {
            **self._about,
            **{f"the parameter {name}": value for name, value in parameters.items()},
            "the shape of the data": list(self.loaded.X.shape),
            "the content of the data": self.loaded.fingerprint(),
        }

    def _write(self) -> None:
        self.model.classes_ = written_labels(self.loaded.classes)
        if self.trace is not None:
            self.model.trace_.save(self.trace)
        self.write()
        self.checkpoint.remove()
