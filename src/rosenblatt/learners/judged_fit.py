"""What fits of tables to a model's file share: steps before the learner, rows held out, and how the model does."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.loaded import Loaded
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.models.saving import save
from rosenblatt.models.steps import with_steps

__all__ = ["Judged", "JudgedFit", "draw_held_out", "places", "written_labels"]

_PIECE = 1 << 16  # rows judged at a time


class Judged(NamedTuple):
    """How a model does on some rows."""

    rows: int
    wrong: int


class JudgedFit:
    """A table, a learner, the model's file; `validation` is the part of the rows to be held out, or another table.

    `before` are steps that the rows go through first, such as scaling and features. They learn from the rows that the
    learner learns from, and are part of the model.
    """

    def __init__(
        self,
        loaded: Loaded,
        model: Any,
        output: Path,
        validation: float | Loaded | None = None,
        before: Sequence[Any] = (),
    ) -> None:
        self.loaded, self.model, self.output, self.validation = loaded, model, output, validation
        part = validation if isinstance(validation, float) else None
        self.held_out = None if part is None else draw_held_out(loaded, part, model.random_state)
        self.before = self._fit_steps(before)

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

    def write(self) -> None:
        """Write the model, with how its table was read."""
        self.model.encoding_ = self.loaded.encoding
        save(self.whole, self.output)

    def labels(self, loaded: Loaded) -> npt.NDArray[Any]:
        """The class of each row, as the model says it."""
        return np.asarray(written_labels(self.loaded.classes)[places(loaded)])

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from."""
        return self._judge(self.loaded, self.learned_from)

    def judge_validation(self) -> Judged | None:
        """How it does on the others, if there are any."""
        if isinstance(self.validation, Loaded):
            return self._judge(self.validation, slice(None))
        return None if self.held_out is None else self._judge(self.loaded, self.held_out)

    def _fit_steps(self, before: Sequence[Any]) -> list[Any]:
        """The steps, each learned from what those before it make of the rows to learn from."""
        if not before:
            return []
        rows = self.loaded.X[self.learned_from]
        for step in before:
            rows = step.fit(rows).transform(rows)
        return list(before)

    def _judge(self, loaded: Loaded, kept: Any) -> Judged:
        wrong, wanted, model = np.empty(len(loaded.signs), dtype=bool), self.labels(loaded), self.whole
        for start in range(0, len(wrong), _PIECE):
            part = slice(start, start + _PIECE)
            wrong[part] = model.predict(loaded.X[part]) != wanted[part]
        return Judged(int(wrong[kept].size), int(np.count_nonzero(wrong[kept])))


def draw_held_out(loaded: Loaded, part: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which rows are held out: about this part of them; some of every class are left to learn from."""
    found = places(loaded)
    held_out = np.random.default_rng(seed).random(len(found)) < part
    for place, name in enumerate(loaded.classes):
        if not np.any(~held_out & (found == place)):
            told = Remedy("validation", f"{part:g}")
            raise Refused(told, f" leaves no row of class {name} to learn from: take less.")
    return held_out


def places(loaded: Loaded) -> npt.NDArray[Any]:
    """The place of each row's class: two classes are −1 and +1 in a table, more are counted from 0."""
    return (loaded.signs > 0) * 1 if len(loaded.classes) == 2 else np.asarray(loaded.signs)


def written_labels(classes: tuple[str, ...]) -> Any:
    """The classes as whole numbers where they are written so, else as text."""
    numbers = [int(name) for name in classes if re.fullmatch(r"-?[0-9]{1,18}", name)]
    return np.array(numbers if [str(number) for number in numbers] == list(classes) else classes)
