"""A perceptron's own run on the data that a verdict is about."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.arrays import Floats, Signs
from rosenblatt.context import Context, Unfinished

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from rosenblatt.learners.runs import Run

__all__ = ["Trial", "try_perceptron"]

_WORK = 2_000_000_000  # values looked at: a second or two
_ENOUGH = 1000  # passes at most on data that no hyperplane separates
_MOST = 1_000_000  # passes at most on separable data
_SMALL = 1 << 22  # values that lie in a cache, so that a shuffled order costs nothing
_LEAST = 0.1  # seconds that a run has on large data, at the least
_PATIENCE = 10.0  # seconds that it has on small data, where its work takes less, unless signs must be found exactly
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
    X: "Floats | csr_array", signs: Signs, kind: str, intercept: bool, seconds: float | None, taken: float | None = None
) -> Trial | None:
    """Run a perceptron for a second or two; None where the verdict is unknown, or time is over.

    On data that no hyperplane separates it cannot stop by itself, and has a pocket. On large data it may take a tenth
    of the time that the verdict has `taken`, and is cut then. On small data its work is limited, so that it does the
    same every time; it is cut only where each sign must be found in exact arithmetic.
    """
    if kind == "unknown" or (seconds is not None and seconds <= 0.0):  # a first run would even compile
        return None
    from rosenblatt.learners.runs import AsRead, Looking

    context, seen = Context.of(seconds), list["Run"]()
    values = getattr(X, "nnz", None) or X.shape[0] * max(1, X.shape[1])
    budget = context.within(_PATIENCE if taken is None or values <= _SMALL else max(_LEAST, taken / 10))

    def watch(run: "Run") -> None:
        context.check()
        seen[:] = [run]
        budget.check()

    try:
        run = _perceptron_run(X, signs, intercept, values, separable=kind == "complete").finish(Looking(watch))
    except (Unfinished, ValueError):  # or its weights overflowed
        if not seen or budget.left != 0.0 or context.left == 0.0:
            return None
        made = seen[0].mistakes_per_pass
        return Trial(_CUT, len(made), int(seen[0].clock.corrections), made[-1] if made else 0, None)
    made, wrong = run.mistakes_per_pass, run.examples.count(run.weights, run.settings.errors)[0]
    return Trial(str(run.said_as_read(AsRead(run.examples.rows))), len(made), run.n_updates, made[-1], wrong)


def _perceptron_run(X: "Floats | csr_array", signs: Signs, intercept: bool, values: int, *, separable: bool) -> "Run":
    """The run that `Perceptron(random_state=0)` makes, without the estimator: that would load all of scikit-learn."""
    import numpy as np

    from rosenblatt.data.numbers import as_rows
    from rosenblatt.kernels.kinds import Rosenblatt
    from rosenblatt.learners.runs import Examples, Run, Settings

    rows = as_rows(X)
    settings = Settings(
        order="shuffled" if values <= _SMALL else "cyclic",
        seed=int(np.random.RandomState(0).randint(0, 2**63, dtype=np.int64)),
        pocket=not separable,
        max_passes=int(max(1, min(_MOST if separable else _ENOUGH, _WORK // values))),
    )
    examples = Examples(rows, signs, np.empty(0), intercept, rows.radius_sq(intercept))
    return Run(examples, Rosenblatt(1.0, *settings.ties, False), settings, np.zeros(examples.d))
