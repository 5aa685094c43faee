"""What fits of tables to a model's file share: rows held out, and how the model does on them and on the others."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.loaded import Loaded
from rosenblatt.data.refusal import Refused, Remedy

__all__ = ["Judged", "JudgedFit", "written_labels"]

_PIECE = 1 << 16  # rows judged at a time


class Judged(NamedTuple):
    """How a model does on some rows."""

    rows: int
    wrong: int


class JudgedFit:
    """A table, a learner, the model's file; `validation` is the part of the rows to be held out, or another table."""

    def __init__(self, loaded: Loaded, model: Any, output: Path, validation: float | Loaded | None = None) -> None:
        self.loaded, self.model, self.output, self.validation = loaded, model, output, validation
        self.held_out = self._draw(validation) if isinstance(validation, float) else None

    def labels(self, loaded: Loaded) -> npt.NDArray[Any]:
        """The class of each row, as the model says it."""
        return np.asarray(written_labels(self.loaded.classes)[_places(loaded)])

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
        places = _places(self.loaded)
        held_out = np.random.default_rng(self.model.random_state).random(len(places)) < part
        for place, name in enumerate(self.loaded.classes):
            if not np.any(~held_out & (places == place)):
                told = Remedy("validation", f"{part:g}")
                raise Refused(told, f" leaves no row of class {name} to learn from: take less.")
        return held_out

    def _judge(self, loaded: Loaded, kept: Any) -> Judged:
        wrong, wanted = np.empty(len(loaded.signs), dtype=bool), self.labels(loaded)
        for start in range(0, len(wrong), _PIECE):
            part = slice(start, start + _PIECE)
            wrong[part] = self.model.predict(loaded.X[part]) != wanted[part]
        return Judged(int(wrong[kept].size), int(np.count_nonzero(wrong[kept])))


def _places(loaded: Loaded) -> npt.NDArray[Any]:
    """The place of each row's class: two classes are −1 and +1 in a table, more are counted from 0."""
    return (loaded.signs > 0) * 1 if len(loaded.classes) == 2 else np.asarray(loaded.signs)


def written_labels(classes: tuple[str, ...]) -> Any:
    """The classes as whole numbers where they are written so, else as text."""
    numbers = [int(name) for name in classes if re.fullmatch(r"-?[0-9]{1,18}", name)]
    return np.array(numbers if [str(number) for number in numbers] == list(classes) else classes)
