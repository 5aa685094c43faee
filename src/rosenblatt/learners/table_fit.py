"""A fit from two classes of a table to the model's file, with a checkpoint beside it and rows to judge the model on."""

import re
import time
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.files import is_stream
from rosenblatt.data.loaded import Loaded
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.learners.pausing import fit_watched
from rosenblatt.learners.progress import Watch
from rosenblatt.learners.scaling import Scaling
from rosenblatt.learners.watching import Watcher
from rosenblatt.models.checkpoint import Checkpoint
from rosenblatt.models.saving import save

__all__ = ["Judged", "TableFit", "written_labels"]

_PIECE = 1 << 16  # rows judged at a time


class Judged(NamedTuple):
    """How a model does on some rows."""

    rows: int
    wrong: int


class TableFit:
    """One fit: its rows, its learner, its files. Interrupted, it goes on from the checkpoint that is there, if one is.

    `validation` is the part of the rows to be held out, or another table; `about` says how the fit was asked for, where
    that must be the same when it goes on.
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
    ) -> None:
        self.loaded, self.model, self.output, self.trace = loaded, model, output, trace
        self.validation = validation
        self.held_out = self._draw(validation) if isinstance(validation, float) else None
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
            rows = X if self.scaling is None else self.scaling.apply(X)
            names = self.loaded.encoding.features
            fit_watched(self.model, rows, signs, weights, watch=watcher, interrupted=kept.get(0), names=names)
            if self.scaling is not None:
                self.scaling.give_back(self.model, X, rows, signs, weights)
            seconds = time.monotonic() - began
            self._write()  # still watched: a signal now comes too late to lose the model
        return seconds

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from."""
        return self._judge(self.loaded, slice(None) if self.held_out is None else ~self.held_out)

    def judge_validation(self) -> Judged | None:
        """How it does on the others, if there are any."""
        if isinstance(self.validation, Loaded):
            return self._judge(self.validation, slice(None))
        return None if self.held_out is None else self._judge(self.loaded, self.held_out)

    # -------------------------------------------------------------------------------------------------------- helpers

    def _draw(self, part: float) -> npt.NDArray[np.bool_]:
        """Which rows are held out."""
        held_out = np.random.default_rng(self.model.random_state).random(len(self.loaded.signs)) < part
        for sign, name in zip((-1, 1), self.loaded.classes, strict=True):
            if not np.any(~held_out & (self.loaded.signs == sign)):
                told = Remedy("validation", f"{part:g}")
                raise Refused(told, f" leaves no row of class {name} to learn from: take less.")
        return held_out

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
        self.model.encoding_ = self.loaded.encoding
        if self.trace is not None:
            self.model.trace_.save(self.trace)
        save(self.model, self.output)
        self.checkpoint.remove()

    def _judge(self, loaded: Loaded, kept: Any) -> Judged:
        mistaken = np.empty(len(loaded.signs), dtype=bool)
        positive = self.model.classes_[1]
        for start in range(0, len(mistaken), _PIECE):
            part = slice(start, start + _PIECE)
            said = np.where(self.model.predict(loaded.X[part]) == positive, 1, -1)
            mistaken[part] = said != loaded.signs[part]
        return Judged(int(mistaken[kept].size), int(np.count_nonzero(mistaken[kept])))


def written_labels(classes: tuple[str, ...]) -> Any:
    """The classes as whole numbers where they are written so, else as text."""
    numbers = [int(name) for name in classes if re.fullmatch(r"-?[0-9]{1,18}", name)]
    return np.array(numbers if [str(number) for number in numbers] == list(classes) else classes)
