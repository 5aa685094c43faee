"""A perceptron's own run on the data that a verdict is about."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.context import Context, Unfinished

if TYPE_CHECKING:
    from rosenblatt.learners.runs import Run

__all__ = ["Trial", "try_perceptron"]

_WORK = 2_000_000_000  # values looked at: a second or two
_ENOUGH = 1000  # passes at most on data that no hyperplane separates
_MOST = 1_000_000  # passes at most on separable data
_SMALL = 1 << 22  # values that lie in a cache, so that a shuffled order costs nothing
_LEAST = 0.1  # seconds that a run has on large data, at the least
_CUT = "CUT"


@dataclass(frozen=True)
class Trial:
    """A perceptron's run from w = 0: rows shuffled each pass, or in turn where there are very many."""

    outcome: str
    passes: int
    corrections: int
    mistakes: int  # in its last pass
    wrong: int | None  # examples that its last weights answer wrongly; with a pocket, its best weights; None: cut

    @property
    def cut(self) -> bool:
        """Whether its time was over before it ended."""
        return self.outcome == _CUT

    @property
    def separated(self) -> bool:
        """Whether it found a hyperplane by itself."""
        return self.outcome == "SEPARATED"


def try_perceptron(
    X: Any, signs: Any, kind: str, intercept: bool, seconds: float | None, taken: float | None = None
) -> Trial | None:
    """Run a perceptron for a second or two; None where the verdict is unknown, or time is over.

    On data that no hyperplane separates it cannot stop by itself, and has a pocket. On large data it may take a tenth
    of the time that the verdict has `taken`, and is cut then; on small data its work alone is limited, so that it does
    the same every time.
    """
    if kind == "unknown" or (seconds is not None and seconds <= 0.0):  # a first fit would even compile
        return None
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.learners.perceptron import Perceptron
    from rosenblatt.learners.shared.watching import fit_watched

    context, seen = Context.of(seconds), list["Run"]()
    separable = kind == "complete"
    values = getattr(X, "nnz", None) or X.shape[0] * max(1, X.shape[1])
    model = Perceptron(
        order="shuffled" if values <= _SMALL else "cyclic",
        random_state=0,
        pocket=not separable,
        fit_intercept=intercept,
        max_passes=int(max(1, min(_MOST if separable else _ENOUGH, _WORK // values))),
    )
    budget = context if taken is None or values <= _SMALL else context.within(max(_LEAST, taken / 10))

    def watch(run: "Run") -> None:
        context.check()
        seen[:] = [run]
        budget.check()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            fit_watched(model, X, signs, watch=watch)
        except (Unfinished, ValueError):  # or its weights overflowed
            if not seen or budget.left != 0.0 or context.left == 0.0:
                return None
            made = seen[0].mistakes_per_pass
            return Trial(_CUT, len(made), int(seen[0].clock.corrections), made[-1] if made else 0, None)
    wrong = int(np.count_nonzero(model.predict(X) != signs))
    return Trial(str(model.outcome_), model.n_passes_, model.n_updates_, int(model.mistakes_per_pass_[-1]), wrong)
