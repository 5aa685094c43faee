"""A perceptron's own run on the data that a verdict is about, and the convergence theorem around it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Floats, Integers, Signs
from rosenblatt.context import Context, Unfinished
from rosenblatt.data.numbers import as_rows
from rosenblatt.models import Trace
from rosenblatt.theory import Extremes, convergence, mistake_bound
from rosenblatt.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from rosenblatt.learners.runs import Run

__all__ = ["TheoremCurves", "Trial", "separating_vector", "theorem_of", "try_perceptron"]

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


# -------------------------------------------------------------------------------------------------------------- theorem


@dataclass(frozen=True)
class TheoremCurves:
    """‖w(k)‖² and the angle to w* at some k, and the numbers that give the theorem's bounds at every k.

    The lower bound is max(0, ahead + k·gain)², the upper one begin + k·growth.
    """

    k: Integers
    norm_sq: Floats
    begin: float
    growth: float | None = None  # of a perceptron
    cos: Floats | None = None  # this and the next three: only where w* is known
    ahead: float | None = None
    gain: float | None = None
    bound: int | None = None


def separating_vector(verdict: Verdict) -> list[int]:
    """The whole numbers w, bias last, that prove a verdict of complete separation."""
    if verdict.kind != "complete" or verdict.certificate is None:
        raise ValueError(f"the theorem needs a separating hyperplane, and there is none here. {verdict.sentence}")
    return [int(v, 16) for v in verdict.certificate.content["w"]]


def theorem_of(
    trace: Trace,
    X: Floats,
    y: Signs,
    verdict: Verdict | None,
    growth: float | None,
    eta: float,
    normalize: bool,
    samples: int,
) -> TheoremCurves:
    """The curves at about `samples` values of k, evenly and geometrically spaced; with bounds if `verdict` has a w*.

    `growth` is η²·max‖z‖²; None for learners to which the theorem does not apply.
    """
    K = len(trace)
    k = np.unique(np.concatenate([np.linspace(0, K, samples), np.geomspace(1, max(1, K), samples)]).astype(np.int64))
    k, begin = k[k <= K], float(trace.start @ trace.start)
    if growth is None or not K or verdict is None or verdict.kind != "complete":
        weights = trace.weights_at(k)
        return TheoremCurves(k, np.sum(weights * weights, axis=1), begin, growth)
    w_star = _about_one(separating_vector(verdict))
    curve = convergence(trace, X, y, w_star)
    least = Extremes(as_rows(X), y, w_star, True, normalize=normalize).delta()  # over all rows, as the bound is
    length = curve.bounds.w_star_sq**0.5
    bound = mistake_bound(X, y, w_star, trace.start, eta, normalize=normalize)
    ahead, gain = curve.bounds.along / length, eta * float(least) / length
    return TheoremCurves(k, curve.norm_sq[k], begin, growth, curve.cos[k], ahead, gain, bound)


def _about_one(whole: list[int]) -> list[Fraction]:
    """The vector divided by a power of two, not rounded: a float next to it need not separate."""
    size = 1 << max(abs(v).bit_length() for v in whole)
    return [Fraction(v, size) for v in whole]
