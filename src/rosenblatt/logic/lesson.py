"""A perceptron learns a gate from the rows of its truth table, and every correction is shown."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.wording import aligned
from rosenblatt.learners.perceptron import Perceptron
from rosenblatt.logic.expressions import as_table
from rosenblatt.logic.gates import Gate
from rosenblatt.logic.truth_table import TruthTable
from rosenblatt.models.trace import Trace

__all__ = ["Lesson", "learn"]


@dataclass(frozen=True)
class Lesson:
    """A perceptron's run on a truth table.

    Attributes
    ----------
    table : TruthTable
        What was to be learned.
    model : Perceptron
        Fitted; `model.outcome_` says how it ended.
    gate : Gate or None
        What it learned, if it separates all rows.
    """

    table: TruthTable
    model: Perceptron
    gate: Gate | None

    @property
    def trace(self) -> Trace:
        """The corrections."""
        assert isinstance(self.model.trace_, Trace)
        return self.model.trace_

    def __str__(self) -> str:
        """One line a correction: the row, what was wanted, the weights and the bias after it."""
        trace = self.trace
        after = trace.weights_at(np.arange(1, len(trace) + 1)) if len(trace) else np.empty((0, self.table.n + 1))
        ends = np.searchsorted(trace.pass_ends, np.arange(len(trace)), side="right") + 1
        names = self.table.variables
        head = ["pass", " ".join(names), "wanted", *(f"w_{name}" for name in names), "bias"]
        rows = [
            [str(p), " ".join(map(str, self.table.inputs[r])), str(int(self.table.values[r])), *(f"{v:g}" for v in w)]
            for p, r, w in zip(ends, trace.rows, after, strict=True)
        ]
        shown = [head, *(rows if len(rows) <= 40 else [*rows[:20], ["…"] * len(head), *rows[-19:]])]
        learned = [f"The gate learned: {self.gate.formula(self.table.variables)}"] if self.gate is not None else []
        return "\n".join(
            [*aligned(shown, words=()), "", f"{self.model.outcome_.name}: {self.model.outcome_.sentence}", *learned]
        )


def learn(f: Any, variables: Sequence[str] | None = None, **parameters: Any) -> Lesson:
    """Let a perceptron learn a Boolean function from the rows of its truth table, and record every correction.

    Parameters
    ----------
    f : str, sequence of 2^n values, TruthTable, Gate, Network, or callable
        See `synthesize`. A function that no gate computes makes the run cycle, which proves that no gate does.
    variables : names, optional
        See `rosenblatt.logic.as_table`.
    **parameters
        Of `rosenblatt.Perceptron`; by default the rows of the table are shown in turn.

    Examples
    --------
    >>> from rosenblatt.logic import OR
    >>> print(learn(OR()))
    pass  a b  wanted  w_a  w_b  bias
       1  0 0       0    0    0    -1
       1  0 1       1    0    1     0
       1  1 0       1    1    1     1
       2  0 0       0    1    1     0
       3  0 0       0    1    1    -1
       3  0 1       1    1    2     0
       4  0 0       0    1    2    -1
       4  1 0       1    2    2     0
       5  0 0       0    2    2    -1
    <BLANKLINE>
    SEPARATED: all 4 examples are on their side after 9 corrections.
    The gate learned: 2·a + 2·b ≥ 2
    """
    table = as_table(f, variables)
    if table.values.all() or not table.values.any():
        raise ValueError(f"this function is {int(table.values[0])} on every row: there is nothing to learn.")
    model = Perceptron(**{"order": "cyclic", "trace": True, "average": False, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the lesson says how it ended
        model.fit(table.inputs.astype(float), table.values.astype(int))
    return Lesson(table, model, _learned(table, model) if model.outcome_.name == "SEPARATED" else None)


def _learned(table: TruthTable, model: Perceptron) -> Gate:
    """The gate with the learned weights. Its threshold is the smallest response to a true row."""
    weights = [Fraction(float(v)) for v in model.coef_[0]]
    responses = [sum(w for w, x in zip(weights, row, strict=True) if x) for row in table.inputs[table.values]]
    return Gate(weights, min(responses))
