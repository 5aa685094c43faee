"""What a run proved of float64 is proved again of the numbers as they are read, or said of the rounded numbers.

Learners work on floats. Where a column is read as decimals (0.1 is one tenth), or has more digits than floats hold,
the rows that a person sees are not those that the learner saw. So an outcome that claims a proof is looked at once
more, at the end of a run: one survey of the columns, and exact arithmetic where rounding can matter.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import BINARY, ExactColumns, Rows, Survey, decimal_of, exact_rows, pieces
from rosenblatt.learners.runs.examples import Examples, Ties
from rosenblatt.models import Hyperplane, JointWitness, Outcome, Witness

__all__ = ["PROVED", "AsRead", "computed", "of_rounded"]

PROVED = ("SEPARATED", "TIED", "RECEDING", "CYCLING")  # outcomes that claim a proof
_BOTH: Ties = (True, True)
_NONE: Ties = (False, False)
_FEW = 4  # rows of the quick look
_LONG, _LARGE = 10**15, 1e15  # numbers that may not be told by their floats
_DOUBLE, _SINGLE = 2.0**-53, 2.0**-24  # how far a decimal is from its float, relative to its size


def computed(X: Rows) -> Rows:
    """Rows that were computed in floats: they are these floats, whatever decimals are near."""
    return X.read_as(ExactColumns((BINARY,) * X.p, (0,) * X.p))


def of_rounded(outcome: Outcome) -> Outcome:
    """The outcome, said of the rounded numbers."""
    return Outcome(str(outcome), f"of the rounded numbers: {outcome.sentence}", outcome.hyperplane)


class AsRead:
    """Rows as they were written, which are looked at only when an outcome asks for it."""

    def __init__(self, written: Rows) -> None:
        self.written = written

    @property
    def differs(self) -> bool:
        """Whether some number, as it is read, is not its float."""
        exact = None if self._read[0] is None else self._read[0].exact
        return exact is not None and bool(any(exact.powers) or exact.owner or exact.own)

    @cached_property
    def _read(self) -> tuple[Rows | None, float]:
        """The rows with their exact values, None where these are the floats; and how far floats are from these."""
        if self.written.exact is not None:
            return None, 0.0
        if _plainly_floats(self.written):
            return None, 0.0
        found = Survey.of(self.written)
        if not found.differ.any():
            return None, 0.0
        near = _SINGLE if (found.bits == 32).any() else _DOUBLE
        return exact_rows(self.written, found.readings(), found), np.inf if found.extreme.any() else near

    def said(self, outcome: Outcome, examples: Examples, w: Floats, witness: Any = None, ties: Ties = _BOTH) -> Outcome:
        """The outcome of a run that ended with w, as far as it is proved of the numbers as they are read."""
        collapsed = bool(self.written.origin.columns)  # different numbers may be the same float
        if examples.computed:
            return of_rounded(outcome) if collapsed and outcome in (*PROVED, "CONVERGED") else outcome
        if outcome == "CONVERGED" and collapsed:
            return of_rounded(outcome)
        if outcome not in PROVED:
            return outcome
        return outcome if self.holds(outcome, examples, w, witness, ties) else of_rounded(outcome)

    def holds(self, outcome: Outcome, examples: Examples, w: Floats, witness: Any = None, ties: Ties = _BOTH) -> bool:
        """Whether an outcome that is proved of the examples' floats is true of the numbers as they are read."""
        rows, slack = self._read
        if rows is None:
            return True
        # 0.1 as a weight is no tenth either: where rows lie on the plane, its decimals may be those that prove it
        reads = (replace(examples, read=rows, slack=2 * slack, decimal=decimal) for decimal in (False, True))
        return any(_holds(outcome, examples, read, w, witness, ties) for read in reads)


def _plainly_floats(rows: Rows) -> bool:
    """Whether a quick look shows that each column is whole numbers, or has a float that is no short decimal."""
    if rows.sparse or rows.kernel.X.dtype != np.float64 or rows.origin.columns or rows.origin.single is not None:
        return False
    first = rows.kernel.X[:_FEW].T.tolist()
    others = [j for j, x in enumerate(first) if all(abs(decimal_of(v)[0]) < _LONG for v in x)]
    for start, stop in pieces(rows.n, rows.p) if others else ():
        x = rows.kernel.X[start:stop] if len(others) == rows.p else rows.kernel.X[start:stop, others]
        if not np.array_equal(x, np.rint(x)) or np.abs(x).max(initial=0.0) > _LARGE:
            return False
    return True


def _holds(outcome: Outcome, floats: Examples, read: Examples, w: Floats, witness: Any, ties: Ties) -> bool:
    """Whether the outcome is true of the numbers as they are read."""
    plane = outcome.hyperplane
    if outcome == "CYCLING":
        return isinstance(witness, Witness | JointWitness) and read.vanishing(witness)
    if outcome == "RECEDING":
        return _recedes(read, w if plane is None else _joined(plane, read), plane is None)
    if outcome == "SEPARATED":
        return read.judge(w, _BOTH).clean
    alike = all(_same(floats, read, w, one) for one in (ties, (True, False), (False, True)))
    return alike and (plane is None or read.judge(_joined(plane, read), _BOTH).clean)


def _same(floats: Examples, read: Examples, w: Floats, ties: Ties) -> bool:
    """Whether no row is on the wrong side, and as many are on the plane, by one rule for ties."""
    before, after = floats.judge(w, ties), read.judge(w, ties)
    return (before.clean, before.on_plane) == (after.clean, after.on_plane)


def _recedes(read: Examples, v: Floats, strictly: bool) -> bool:
    found = read.judge(v, _BOTH if strictly else _NONE)
    return found.clean and found.on_plane < read.present


def _joined(plane: Hyperplane, examples: Examples) -> Floats:
    return np.append(plane.w, plane.b) if examples.bias else np.asarray(plane.w)
