"""A fit from the table to the model's file, with a checkpoint on the way."""

import re
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.cli.checkpoints import Checkpoint
from rosenblatt.cli.learners import LearnerName
from rosenblatt.cli.output import Page, count, note
from rosenblatt.cli.tables import Loaded, load_alike
from rosenblatt.cli.watching import Watcher
from rosenblatt.data.files import make_ready
from rosenblatt.data.rows import as_rows
from rosenblatt.learners.pausing import fit_watched
from rosenblatt.learners.scaling import Scaling, advise_scaling
from rosenblatt.models.saving import save

__all__ = ["Fitted", "Fitting", "Judged"]

_PIECE = 1 << 16  # rows judged at a time


@dataclass(frozen=True)
class Judged:
    """How a model does on some rows."""

    rows: int
    wrong: int

    def __str__(self) -> str:
        right = f" ({1 - self.wrong / self.rows:.2%} right)" if self.rows else ""
        return f"{self.wrong:,} of {count(self.rows, 'row')} wrong{right}"


class Fitting:
    """One fit: its data, its learner, its files."""

    def __init__(
        self,
        loaded: Loaded,
        model: Any,
        learner: str,
        output: Path,
        validation: str | None,
        trace: Path | None,
        scale: bool = False,
    ) -> None:
        self.loaded = loaded
        self.model, self.learner, self.output, self.trace = model, learner, output, trace
        self.held_out, self.other = self._validation(validation)
        self.scaling = self._scaling() if scale else None
        self.checkpoint = Checkpoint(output, lambda: self._identity(validation))

    def run(self, every: float, resume: bool) -> "Fitted":
        """Learn, or go on learning, and write the model."""
        interrupted = self.checkpoint.load() if self._may_begin(resume) else None
        began = time.monotonic()
        with Watcher(self.checkpoint, every, len(self.loaded.signs)) as watcher, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            X, signs, weights = self.loaded.X, self.loaded.signs, self._weights()
            rows = X if self.scaling is None else self.scaling.apply(X)
            names = self.loaded.encoding.features
            fit_watched(self.model, rows, signs, weights, watch=watcher, interrupted=interrupted, names=names)
            if self.scaling is not None:
                self.scaling.give_back(self.model, X, rows, signs, weights)
            seconds = time.monotonic() - began
            self._write()  # still watched: a signal now comes too late to lose the model
        return Fitted(self, seconds, interrupted is not None, self._judge_training(), self._judge_validation())

    def _may_begin(self, resume: bool) -> bool:
        """Whether there is a checkpoint to go on from; refuses to begin over one that nobody asked to resume."""
        make_ready(self.checkpoint.path)
        there = self.checkpoint.path.exists()
        if there and not resume:
            raise ValueError(
                f"{self.checkpoint.path} is there, from a fit that was interrupted: say --resume to go on with it, or "
                f"delete it to begin anew."
            )
        if resume and not there:
            note(f"there is no {self.checkpoint.path} to resume from: beginning at the beginning.")
        return there

    def _write(self) -> None:
        self.model.classes_ = _labels(self.loaded.classes)
        self.model.encoding_ = self.loaded.encoding
        if self.trace is not None:
            self.model.trace_.save(self.trace)
        save(self.model, self.output)
        self.checkpoint.remove()

    # -------------------------------------------------------------------------------------------------------- helpers

    def _validation(self, wanted: str | None) -> tuple[Any, Loaded | None]:
        """Which rows are held out, or another table."""
        if wanted is None:
            return None, None
        try:
            fraction = float(wanted)
        except ValueError:
            return None, load_alike(wanted, self.loaded.encoding)
        if not 0 < fraction < 1:
            raise ValueError(f"--validation {wanted}: a part of the rows lies between 0 and 1; or name a file.")
        held_out = np.random.default_rng(self.model.random_state).random(len(self.loaded.signs)) < fraction
        for sign, name in zip((-1, 1), self.loaded.classes, strict=True):
            if not np.any(~held_out & (self.loaded.signs == sign)):
                raise ValueError(f"--validation {wanted} leaves no row of class {name} to learn from: take less.")
        return held_out, None

    def _scaling(self) -> Scaling:
        """How the columns are brought to one size; refused where that means nothing, or copies what fits nowhere."""
        if self.learner in (LearnerName.logistic, LearnerName.least_squares):
            raise ValueError(f"--learner {self.learner} gives the same answers for any units: leave out --scale.")
        if self.trace is not None:
            raise ValueError("--trace records corrections of the rows as they are: leave out that, or --scale.")
        if as_rows(self.loaded.X).mapped:
            raise ValueError("--scale needs the rows in memory, and they are in a store: scale the table's columns.")
        weights = self._weights()
        present = None if weights is None else weights > 0
        return Scaling.of(self.loaded.X, present, centre=self.model.fit_intercept)

    def _weights(self) -> Any:
        """Row weights; a row that is held out weighs nothing."""
        if self.held_out is None:
            return self.loaded.weights
        weights = np.ones(len(self.held_out)) if self.loaded.weights is None else np.array(self.loaded.weights)
        weights[self.held_out] = 0.0
        return weights

    def _identity(self, validation: str | None) -> dict[str, Any]:
        """What a checkpoint must agree with to be of the same fit."""
        parameters = {name: value for name, value in self.model.get_params().items() if name != "n_jobs"}
        return {
            "the learner": self.learner,
            **{f"the parameter {name}": value for name, value in parameters.items()},
            "--validation": validation,
            "--scale": self.scaling is not None or None,  # older checkpoints do not know of it
            "the shape of the data": list(self.loaded.X.shape),
            "the content of the data": self.loaded.fingerprint(),
        }

    def _judge_training(self) -> Judged:
        kept = slice(None) if self.held_out is None else ~self.held_out
        return self._judge(self.loaded, kept)

    def _judge_validation(self) -> Judged | None:
        if self.other is not None:
            return self._judge(self.other, slice(None))
        return None if self.held_out is None else self._judge(self.loaded, self.held_out)

    def _judge(self, loaded: Loaded, kept: Any) -> Judged:
        mistaken = np.empty(len(loaded.signs), dtype=bool)
        positive = self.model.classes_[1]
        for start in range(0, len(mistaken), _PIECE):
            part = slice(start, start + _PIECE)
            said = np.where(self.model.predict(loaded.X[part]) == positive, 1, -1)
            mistaken[part] = said != loaded.signs[part]
        return Judged(int(mistaken[kept].size), int(np.count_nonzero(mistaken[kept])))


@dataclass(frozen=True)
class Fitted:
    """What came of a fit."""

    fitting: Fitting
    seconds: float
    resumed: bool
    training: Judged
    validation: Judged | None

    def show(self, page: Page) -> None:
        """Print it."""
        model, fitting = self.fitting.model, self.fitting
        page.headline(fitting.loaded.headline)
        page.answer(f"{model.outcome_}: {model.outcome_.sentence}")
        facts = [("learner", f"{fitting.learner}, {count(model.n_passes_, 'pass', 'passes')}")]
        if fitting.scaling is not None:
            facts.append(("columns", "scaled for learning; the model takes them as they are"))
        facts.append(("training", str(self.training)))
        if self.validation is not None:
            facts.append(("validation", str(self.validation)))
        if fitting.trace is not None:
            facts.append(("trace", f"{count(len(model.trace_), 'correction')} in {fitting.trace}"))
        facts += self._what_next()
        page.facts(facts)
        resumed = ", resumed" if self.resumed else ""
        where = fitting.loaded.where
        page.small_print(
            f"{self.seconds:.2f} s{resumed} · model in {fitting.output}; apply it with: rosenblatt predict "
            f"{fitting.output} {where}"
        )

    def _what_next(self) -> list[tuple[str, str]]:
        outcome, learner = self.fitting.model.outcome_, self.fitting.learner
        if outcome == "RECEDING" or (outcome == "BUDGET" and learner == "logistic"):
            advice = "rosenblatt check --coefficients says which coefficients are finite"
            return [("what next", f"{advice}; more passes would not help." if outcome == "RECEDING" else f"{advice}.")]
        if outcome != "BUDGET" or learner == "least-squares":
            return []
        if learner == "adaline":
            return [("what next", "--learner least-squares goes to the minimum in one step; more passes: --passes.")]
        advice = "rosenblatt check says whether a hyperplane exists at all"
        if self.fitting.learner == "perceptron":
            advice += "; where none does, --learner averaged or pocket finds a good compromise"
        return [("what next", f"{advice}; more passes: --passes."), *self._scale()]

    def _scale(self) -> list[tuple[str, str]]:
        """A word on columns of very different sizes."""
        fitting = self.fitting
        here = hasattr(fitting.loaded.X, "dtype")  # and not on the workers of a cluster alone
        if fitting.scaling is not None or not fitting.model._minds_sizes or not here:
            return []
        features = fitting.loaded.encoding.features
        sentence = advise_scaling(as_rows(fitting.loaded.X), lambda j: repr(features[j]), "--scale")
        return [("columns", sentence)] if sentence else []

    def to_json(self) -> dict[str, Any]:
        """The fields of schema rosenblatt-fit/1; docs/command-line.md says what they mean."""
        model, fitting = self.fitting.model, self.fitting
        return {
            **fitting.loaded.to_json(),
            "learner": fitting.learner,
            "scaled": fitting.scaling is not None,
            "outcome": str(model.outcome_),
            "sentence": model.outcome_.sentence,
            "passes": model.n_passes_,
            "corrections": model.n_updates_,
            "training": vars(self.training),
            "validation": self.validation and vars(self.validation),
            "model": str(fitting.output),
            "trace": fitting.trace and str(fitting.trace),
            "resumed": self.resumed,
            "seconds": self.seconds,
        }


def _labels(classes: tuple[str, str]) -> Any:
    """The classes as whole numbers where they are written so, else as text."""
    numbers = [int(name) for name in classes if re.fullmatch(r"-?[0-9]{1,18}", name)]
    return np.array(numbers if [str(number) for number in numbers] == list(classes) else classes)
