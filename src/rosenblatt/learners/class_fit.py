"""A fit of three or more classes of a table to the model's file: all classes at once, without a checkpoint."""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.loaded import Loaded
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.learners.table_fit import Judged, written_labels
from rosenblatt.models.saving import save

__all__ = ["ClassFit"]

_PIECE = 1 << 16  # rows judged at a time


class ClassFit:
    """One fit: its rows, its learner, its file. What it has in common with `TableFit` is called so there.

    `validation` is the part of the rows to be held out, or another table.
    """

    scaling = None
    trace = None

    def __init__(self, loaded: Loaded, model: Any, output: Path, validation: float | Loaded | None = None) -> None:
        self.loaded, self.model, self.output, self.validation = loaded, model, output, validation
        self.names = written_labels(loaded.classes)
        self.held_out = self._draw(validation) if isinstance(validation, float) else None

    def run(self) -> float:
        """Learn and write the model; returns the seconds it took."""
        began = time.monotonic()
        weights = self.loaded.weights
        if self.held_out is not None:
            weights = np.where(self.held_out, 0.0, 1.0 if weights is None else weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            self.model.fit(self.loaded.X, self.names[self.loaded.signs], sample_weight=weights)
        self.model.encoding_ = self.loaded.encoding
        save(self.model, self.output)
        return time.monotonic() - began

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from."""
        return self._judge(self.loaded, slice(None) if self.held_out is None else ~self.held_out)

    def judge_validation(self) -> Judged | None:
        """How it does on the others, if there are any."""
        if isinstance(self.validation, Loaded):
            return self._judge(self.validation, slice(None))
        return None if self.held_out is None else self._judge(self.loaded, self.held_out)

    def _draw(self, part: float) -> npt.NDArray[np.bool_]:
        """Which rows are held out."""
        held_out = np.random.default_rng(self.model.random_state).random(len(self.loaded.signs)) < part
        for code, name in enumerate(self.loaded.classes):
            if not np.any(~held_out & (self.loaded.signs == code)):
                told = Remedy("validation", f"{part:g}")
                raise Refused(told, f" leaves no row of class {name} to learn from: take less.")
        return held_out

    def _judge(self, loaded: Loaded, kept: Any) -> Judged:
        wrong = np.empty(len(loaded.signs), dtype=bool)
        for start in range(0, len(wrong), _PIECE):
            part = slice(start, start + _PIECE)
            wrong[part] = self.model.predict(loaded.X[part]) != self.names[loaded.signs[part]]
        return Judged(int(wrong[kept].size), int(np.count_nonzero(wrong[kept])))
