"""A perceptron's own run on the data that a verdict is about."""

import warnings
from dataclasses import dataclass
from typing import Any

from rosenblatt.context import Context, Unfinished

__all__ = ["Trial", "try_perceptron"]

_WORK = 2_000_000_000  # values looked at: a second or two
_ENOUGH = 1000  # passes at most on data that no hyperplane separates
_MOST = 1_000_000  # passes at most on separable data
_SMALL = 1 << 22  # values that lie in a cache, so that a shuffled order costs nothing


@dataclass(frozen=True)
class Trial:
    """A perceptron's run from w = 0: rows shuffled each pass, or in turn where there are very many."""

    outcome: str
    passes: int
    corrections: int
    mistakes: int  # in its last pass
    wrong: int  # examples that its last weights answer wrongly; with a pocket, its best weights

    @property
    def separated(self) -> bool:
        """Whether it found a hyperplane by itself."""
        return self.outcome == "SEPARATED"


def try_perceptron(X: Any, signs: Any, kind: str, intercept: bool, seconds: float | None) -> Trial | None:
    """Run a perceptron for a second or two; None where the verdict is unknown, or time is over.

    On data that no hyperplane separates it cannot stop by itself, and has a pocket.
    """
    if kind == "unknown" or (seconds is not None and seconds <= 0.0):  # a first fit would even compile
        return None
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.learners.perceptron import Perceptron
    from rosenblatt.learners.shared.watching import fit_watched

    context = Context.of(seconds)
    separable = kind == "complete"
    values = getattr(X, "nnz", None) or X.shape[0] * max(1, X.shape[1])
    model = Perceptron(
        order="shuffled" if values <= _SMALL else "cyclic",
        random_state=0,
        pocket=not separable,
        fit_intercept=intercept,
        max_passes=int(max(1, min(_MOST if separable else _ENOUGH, _WORK // values))),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            fit_watched(model, X, signs, watch=lambda run: context.check())
        except (Unfinished, ValueError):  # or its weights overflowed
            return None
    wrong = int(np.count_nonzero(model.predict(X) != signs))
    return Trial(str(model.outcome_), model.n_passes_, model.n_updates_, int(model.mistakes_per_pass_[-1]), wrong)
