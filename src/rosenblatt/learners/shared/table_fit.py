"""A fit from a table to the model's file: steps before the learner, rows held out, checkpoints, counts of errors."""

import re
import time
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arrays import Flags, Matrix
from rosenblatt.data.files import is_stream
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.data.tables import Table
from rosenblatt.learners.runs.ending import computed, of_rounded
from rosenblatt.learners.runs.progress import Watch, Watcher, fit_watched
from rosenblatt.learners.shared.scaling import Scaling
from rosenblatt.models.run_state import Checkpoint
from rosenblatt.models.saving import save, with_steps

if TYPE_CHECKING:
    from rosenblatt.learners.shared.classifier import Classifier

__all__ = ["Judged", "TableFit", "draw_held_out", "places", "written_labels"]

_PIECE = 1 << 16  # rows judged at a time


class Judged(NamedTuple):
    """How many rows a model was tried on, and how many of them it answered wrongly."""

    rows: int
    wrong: int


class TableFit:
    """A table, a learner, the model's file; `validation` is the part of the rows to be held out, or another table.

    `before` are steps that the rows go through first, such as scaling and features. They are fitted to the rows that
    the learner learns from, and are part of the model. With `scale` the learner sees columns of one size, and its
    weights are given back for the columns as they are. `about` holds options that must be the same when the fit goes on
    from a checkpoint.
    """

    def __init__(
        self,
        loaded: Table,
        model: "Classifier",
        output: Path,
        validation: float | Table | None = None,
        trace: Path | None = None,
        scale: bool = False,
        about: dict[str, Any] | None = None,
        before: Sequence[Any] = (),
    ) -> None:
        self.model: Any = model  # a learner of any kind
        self.loaded, self.output, self.validation = loaded, output, validation
        part = validation if isinstance(validation, float) else None
        self.held_out = None if part is None else draw_held_out(loaded, part, getattr(model, "random_state", 0))
        self.before = self._fit_steps(before)
        self.trace = trace
        self.scaling = self._scaling() if scale else None
        beside = Path("model") if is_stream(output) else output  # a device has no file beside it
        self.checkpoint = Checkpoint(beside.with_name(beside.name + ".checkpoint"), self._identity)
        self._about = about or {}

    # ------------------------------------------------------------------------------------------------------- learning

    def run(self, every: float, show: Watch) -> float:
        """Learn two classes, or go on learning, and write the model; returns the seconds it took.

        A checkpoint is saved every so many seconds; `show(run)` is called about twenty times a second. If there is a
        checkpoint of an interrupted fit, this fit goes on from it.
        """
        kept = self.checkpoint.load()
        began = time.monotonic()
        with Watcher(self.checkpoint, every, show) as watcher, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            signs, weights = self.loaded.y, self._weights
            rows = self.rows if self.scaling is None else self.scaling.apply(self.loaded.X)
            how: dict[str, Any] = {"watch": watcher, "interrupted": kept.get(0), "names": self.names}
            fit_watched(self.model, rows, signs, weights, **how, written=self._written(rows))
            if self.scaling is not None:
                self.scaling.give_back(self.model, self.loaded.rows(), rows, signs, weights)
            self._say_of_rounded()
            seconds = time.monotonic() - began
            self._write_all()  # still watched: a signal now comes too late to lose the model
        return seconds

    def run_classes(self) -> float:
        """The same for three or more classes: all at once, without a checkpoint."""
        began = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            rows = self.rows
            labels, names = self.labels(self.loaded), self.names
            self.model._fit(rows, labels, self._weights, names=names, written=self._written(rows))
            self._say_of_rounded()
        self._write()
        return time.monotonic() - began

    # --------------------------------------------------------------------------------------------------- the result

    @property
    def whole(self) -> Any:
        """The learner with the steps before it: what is written, and what answers."""
        return with_steps(self.before, self.model)

    @property
    def rows(self) -> Any:
        """The table's rows as the learner sees them."""
        X = self.loaded.X
        for step in self.before:
            X = step.transform(X)
        return X

    @property
    def names(self) -> list[str] | None:
        """What sentences call the columns that the learner sees; None where they are features without names."""
        names = self.loaded.encoding.features
        return names if all(hasattr(step, "scale_") for step in self.before) else None

    @property
    def learned_from(self) -> Any:
        """Which rows the learner learns from."""
        return slice(None) if self.held_out is None else ~self.held_out

    def labels(self, loaded: Table) -> npt.NDArray[Any]:
        """The class of each row, as the model says it."""
        return np.asarray(written_labels(self.loaded.classes)[places(loaded)])

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from."""
        return self._judge(self.loaded, self.learned_from)

    def judge_validation(self) -> Judged | None:
        """How the model does on the rows of `validation`; None where there are none."""
        if isinstance(self.validation, Table):
            return self._judge(self.validation, slice(None))
        return None if self.held_out is None else self._judge(self.loaded, self.held_out)

    # -------------------------------------------------------------------------------------------------------- helpers

    def _written(self, rows: "Matrix | Rows") -> Rows:
        """What the learner's rows are: the table's numbers as they were written, or floats that were computed."""
        return computed(as_rows(rows)) if self.before or self.scaling is not None else self.loaded.rows()

    def _say_of_rounded(self) -> None:
        """Features of numbers that floats do not hold are features of rounded numbers, and so is what is proved."""
        if self.before and self.loaded.rows().origin.columns and self.model.outcome_ not in ("BUDGET", "ONLINE"):
            self.model.outcome_ = of_rounded(self.model.outcome_)

    def _write(self) -> None:
        """Write the model, with how its table was read."""
        self.model.encoding_ = self.loaded.encoding
        save(self.whole, self.output)

    def _write_all(self) -> None:
        """Write the model and its trace; the checkpoint is not needed any more."""
        self.model.classes_ = written_labels(self.loaded.classes)
        if "n_jobs" in self.model.get_params():
            self.model.set_params(n_jobs=None)  # the threads were this run's: they change nothing of the model
        if self.trace is not None:
            self.model.trace_.save(self.trace)
        self._write()
        self.checkpoint.remove()

    def _scaling(self) -> Scaling:
        """How the columns are brought to one size."""
        present = None if self._weights is None else self._weights > 0
        return Scaling.of(self.loaded.X, present, centre=self.model._bias)

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
            "the content of the data": self.loaded.digest(),
        }

    def _fit_steps(self, before: Sequence[Any]) -> list[Any]:
        """The steps, each learned from what those before it make of the rows to learn from."""
        if not before:
            return []
        rows = self.loaded.X[self.learned_from]
        for step in before:
            rows = step.fit(rows).transform(rows)
        return list(before)

    def _judge(self, loaded: Table, kept: Flags | slice) -> Judged:
        wrong, wanted, model = np.empty(len(loaded.y), dtype=bool), self.labels(loaded), self.whole
        for start in range(0, len(wrong), _PIECE):
            part = slice(start, start + _PIECE)
            wrong[part] = model.predict(loaded.X[part]) != wanted[part]
        return Judged(int(wrong[kept].size), int(np.count_nonzero(wrong[kept])))


def draw_held_out(loaded: Table, part: float, seed: int) -> Flags:
    """Which rows are held out: about this part of them. Refuses to hold out all rows of a class."""
    classes = places(loaded)
    held_out = np.random.default_rng(seed).random(len(classes)) < part
    for place, name in enumerate(loaded.classes):
        if not np.any(~held_out & (classes == place)):
            option = Remedy("validation", f"{part:g}")
            raise Refused(option, f" leaves no row of class {name} to learn from: take less.")
    return held_out


def places(loaded: Table) -> npt.NDArray[Any]:
    """The number of each row's class, from 0: in a table two classes are −1 and +1, more are numbered already."""
    return (loaded.y > 0) * 1 if len(loaded.classes) == 2 else np.asarray(loaded.y)


def written_labels(classes: tuple[str, ...]) -> Any:
    """The classes as whole numbers where they are written so, else as text."""
    numbers = [int(name) for name in classes if re.fullmatch(r"-?[0-9]{1,18}", name)]
    return np.array(numbers if [str(number) for number in numbers] == list(classes) else classes)
