"""The rescaled perceptron: where the plain one would need too many corrections, stretch the space and try again."""

import tempfile
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows, as_rows, pieces
from rosenblatt.data.wording import count
from rosenblatt.learners.runs.clock import Settings
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.runs.steps import BatchRun
from rosenblatt.learners.shared.base import Beginning, LinearClassifier
from rosenblatt.learners.shared.parameters import ClassWeight
from rosenblatt.minimise import block
from rosenblatt.models import Outcome

__all__ = ["RescaledPerceptron"]


@dataclass(repr=False, eq=False)
class RescaledPerceptron(LinearClassifier):
    """Perceptron phases in a space that is stretched between them.

    A plain perceptron may need (R/γ)² corrections, which can be exponentially many in the length of the data. A phase
    here makes at most `phase_updates` corrections on z/‖z‖. If it has not separated, the example that was corrected
    most, a (of length 1), shows where the cone of separating vectors is thin, and the space is stretched there: z
    becomes (I − ½ a aᵀ)·z. So the number of phases grows only with log(1/γ). At the end the weights are carried back to
    the data as given, and every sign is certified there.

    Parameters
    ----------
    max_passes : int, default 1000
        Phases.
    phase_updates : int, optional
        Corrections a phase, at most 10^9; 10·d² + 20 if not given.
    fit_intercept : bool, default True
        Whether to learn b.
    class_weight : dict or "balanced", optional
        A weight of zero leaves a class's rows out; other weights change nothing here.
    positive : label, optional
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_, classes_, outcome_, n_updates_
        As in `Perceptron`; `n_passes_` counts phases, `mistakes_per_pass_` their corrections.

    References
    ----------
    Peña & Soheili (2016), A deterministic rescaled perceptron algorithm, Mathematical Programming 155; after Dunagan &
    Vempala (2004).

    Examples
    --------
    >>> import rosenblatt as rb
    >>> import numpy as np
    >>> turns = np.array([0.0, 2.0, 4.1])                   # three directions that almost cancel
    >>> X = np.column_stack([np.cos(turns), np.sin(turns), np.full(3, 1e-6)]) * [[1], [1], [-1]]
    >>> y = [1, 1, 0]                                       # the plain one needs millions of corrections
    >>> model = rb.RescaledPerceptron(fit_intercept=False).fit(X, y)
    >>> str(model.outcome_), model.n_updates_ < 10_000
    ('SEPARATED', True)
    """

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "phase_updates": [None, Interval(Integral, 1, 10**9, closed="both")]  # more would never end
    }

    _usual = False

    max_passes: int = 1000
    phase_updates: int | None = None
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    positive: Any = None

    def _begin(self, at: Beginning) -> "Phases":
        updates = self.phase_updates or 10 * at.examples.d**2 + 20
        return Phases(at.examples, at.start, self.max_passes, at.state, phase_updates=updates)

    def _advice(self) -> str:
        return f"{self.outcome_.sentence} Whether a hyperplane exists is another question: rb.separability(X, y)."


@dataclass
class Phases(BatchRun):
    """Perceptron phases on z·B, B the stretching so far."""

    resumable: ClassVar[bool] = False

    phase_updates: int = 0
    made: int = 0
    fewest: int | None = None  # mistakes of the best weights so far

    def __post_init__(self) -> None:
        super().__post_init__()
        self.B: Floats = np.eye(self.examples.d)
        self.stretched = _room(self.examples.present, self.examples.d, self.examples.rows.mapped)

    def _stretch(self) -> Rows:
        """The rows (z/‖z‖)·B of all examples that are present."""
        examples, at = self.examples, 0
        for first, stop in pieces(examples.n, 4 * examples.d):  # four copies at a time
            Z = block(examples.rows, first, stop, examples.bias)
            Z = (Z.toarray() if examples.rows.sparse else Z) * examples.y[first:stop, None]
            if examples.weights.size:
                Z = Z[examples.weights[first:stop] > 0]
            length = np.linalg.norm(Z, axis=1)[:, None]
            self.stretched[at : at + len(Z)] = (Z / np.where(length > 0, length, 1.0)) @ self.B
            at += len(Z)
        return as_rows(self.stretched)

    @property
    def n_updates(self) -> int:
        """Corrections of all phases together."""
        return self.made

    def step(self) -> tuple[Floats, int, bool]:
        """One phase, then one stretch; the run ends where the weights separate the data as given."""
        from rosenblatt.kernels.kinds import Rosenblatt

        stretched = self._stretch()
        ones = np.ones(stretched.n, dtype=np.int8)
        examples = Examples(stretched, ones, np.empty(0), False, stretched.radius_sq(False))
        settings = Settings(trace=True, detect_cycles=False, max_passes=10**9, max_updates=self.phase_updates)
        run = Run(examples, Rosenblatt(1.0, True, True, True), settings, np.zeros(self.examples.d)).finish()
        self.made += run.n_updates
        w = self.B @ run.running
        judgement = self.examples.judge(w, (True, True))
        if judgement.clean:
            return w, 0, True
        if self.fewest is not None and judgement.mistakes >= self.fewest:
            w = self.w  # keep the best weights so far, for data that cannot be separated
        else:
            self.fewest = judgement.mistakes
        assert run.trace is not None
        most = int(np.argmax(np.bincount(run.trace.rows, minlength=stretched.n)))
        a = stretched.take([most])[0]
        length = float(np.linalg.norm(a))
        if length > 0:  # a row of zeros, without an intercept, shows no direction
            a = a / length
            self.B = self.B - 0.5 * np.outer(self.B @ a, a)
            self.B /= np.max(np.abs(self.B))
        return w, run.n_updates, False

    def _outcome(self, settled: bool, reason: str) -> Outcome:
        made, phases = count(self.made, "correction"), count(len(self.mistakes_per_pass), "phase")
        if settled:
            return Outcome(
                "SEPARATED", f"all {self.examples.present} examples are on their side after {made}, {phases}."
            )
        return self._still_wrong(phases, reason)


def _room(n: int, d: int, on_disk: bool) -> Floats:
    """Room for n × d numbers: memory, or a temporary file where the data themselves are in a file."""
    if not on_disk or not n:
        return np.empty((n, d))
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=np.float64, mode="w+", shape=(n, d))
