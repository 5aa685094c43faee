"""How a run ended, as an Outcome that says only what is proved: of a loss, and of the numbers as they are read.

Learners work on floats. Where a column is read as decimals (0.1 is one tenth), or has more digits than floats hold,
the rows that a person sees are not those that the learner saw. So an outcome that claims a proof is looked at once
more, at the end of a run: one survey of the columns, and exact arithmetic where rounding can matter.
"""

from dataclasses import replace
from decimal import ROUND_CEILING, Context
from functools import cached_property

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import BINARY, ExactColumns, Rows, Survey, decimal_of, exact_rows, pieces
from rosenblatt.learners.runs.examples import Examples, Ties
from rosenblatt.learners.runs.goals import Goal, Look
from rosenblatt.models import Hyperplane, JointWitness, Outcome, Witness

__all__ = [
    "PROVED",
    "AsRead",
    "computed",
    "count_wrong",
    "describe_end",
    "describe_no_minimum",
    "listed",
    "of_rounded",
    "receding",
    "where_loss_is",
]

PROVED = ("SEPARATED", "TIED", "RECEDING", "CYCLING")  # outcomes that claim a proof
AnyWitness = Witness | JointWitness | list[Witness | None] | None  # of one run, or of several
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

    def said(
        self, outcome: Outcome, examples: Examples, w: Floats, witness: AnyWitness = None, ties: Ties = _BOTH
    ) -> Outcome:
        """The outcome of a run that ended with w, as far as it is proved of the numbers as they are read."""
        collapsed = bool(self.written.origin.columns)  # different numbers may be the same float
        if examples.computed:
            return of_rounded(outcome) if collapsed and outcome in (*PROVED, "CONVERGED") else outcome
        if outcome == "CONVERGED" and collapsed:
            return of_rounded(outcome)
        if outcome not in PROVED:
            return outcome
        return outcome if self.holds(outcome, examples, w, witness, ties) else of_rounded(outcome)

    def holds(
        self, outcome: Outcome, examples: Examples, w: Floats, witness: AnyWitness = None, ties: Ties = _BOTH
    ) -> bool:
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


def _holds(outcome: Outcome, floats: Examples, read: Examples, w: Floats, witness: AnyWitness, ties: Ties) -> bool:
    """Whether the outcome is true of the numbers as they are read."""
    plane = outcome.hyperplane
    if outcome == "CYCLING":
        return isinstance(witness, Witness | JointWitness) and read.vanishing(witness)
    if outcome == "RECEDING":
        return _recedes(read, w if plane is None else _plane_weights(plane, read), plane is None)
    if outcome == "SEPARATED":
        return read.judge(w, _BOTH).clean
    alike = all(_alike_on_read(floats, read, w, one) for one in (ties, (True, False), (False, True)))
    return alike and (plane is None or read.judge(_plane_weights(plane, read), _BOTH).clean)


def _alike_on_read(floats: Examples, read: Examples, w: Floats, ties: Ties) -> bool:
    """Whether no row is on the wrong side, and as many are on the plane, by one rule for ties."""
    before, after = floats.judge(w, ties), read.judge(w, ties)
    return (before.clean, before.on_plane) == (after.clean, after.on_plane)


def _recedes(read: Examples, v: Floats, strictly: bool) -> bool:
    found = read.judge(v, _BOTH if strictly else _NONE)
    return found.clean and found.on_plane < read.present


def _plane_weights(plane: Hyperplane, examples: Examples) -> Floats:
    return np.append(plane.w, plane.b) if examples.bias else np.asarray(plane.w)


_NAMED = 4  # a sentence names so many columns, and counts the others


def describe_end(
    goal: Goal | None,
    examples: Examples,
    w: Floats,
    after: str,
    *,
    settled: bool = False,
    fixed_step: bool = False,
    solved: bool = False,
    reason: str = "",
    note: str = "",
) -> Outcome:
    """The outcome of a run that ended at w; `after` says how many passes or steps it made.

    RECEDING where w separates and the loss has no minimum then (logistic without a ridge); otherwise SEPARATED where
    every sign is certified; otherwise CONVERGED where the minimum is proved to be near; otherwise BUDGET. `settled`: a
    pass hardly moved w; `solved`: w solves a system of equations, and more passes would not move it.
    """
    wrong = count_wrong(examples, w)
    sides = _rows_on_sides(wrong, examples, after)
    if not wrong and goal is not None and not goal.has_minimum:
        return receding(goal, sides, w)
    look = goal.look(w) if goal is not None and goal.at_hand else None
    near = goal is not None and look is not None and goal.near(look)
    end = where_loss_is(goal, look, settled, fixed_step, reason, solved) + note
    return Outcome("SEPARATED" if not wrong else "CONVERGED" if near else "BUDGET", f"{sides}; {end}.")


def describe_no_minimum(goal: Goal, examples: Examples, w: Floats, after: str, v: Floats) -> Outcome:
    """RECEDING, proved by v."""
    return receding(goal, _rows_on_sides(count_wrong(examples, w), examples, after), v)


def receding(goal: Goal, sides: str, v: Floats, of_class: str = "") -> Outcome:
    """The loss has no minimum: z·v ≥ 0 on every row and > 0 on some."""
    p = goal.examples.rows.p
    bias = float(v[-1]) if goal.examples.bias else 0.0
    names = goal.examples.names or tuple(f"x{j}" for j in range(p))
    return Outcome(
        "RECEDING",
        f"{sides}; the loss has no minimum, proved exactly: it falls for ever {_growth(v[:p], bias, names)}{of_class}. "
        f"rb.separability(X, y, coefficients=True) says which coefficients are finite.",
        Hyperplane(v[:p], bias),
    )


def count_wrong(examples: Examples, w: Floats) -> int:
    """Examples on the wrong side or on the plane; 0 only where every sign is certified."""
    found = examples.judge(w, (True, True))
    return found.mistakes or found.exact_mistakes


def _rows_on_sides(wrong: int, examples: Examples, after: str) -> str:
    if not wrong:
        return f"all {examples.present} examples are on their side after {after}"
    return f"{wrong} of {examples.present} examples are not on their side after {after}"


def _growth(v: Floats, b: float, names: tuple[str, ...]) -> str:
    """Words for v: which coefficients grow along it, and which fall."""
    parts = []
    for sign, verb in ((1, "grow"), (-1, "fall")):
        moving = [names[j] for j in np.flatnonzero(np.sign(v) == sign)]
        moving += ["the intercept"] if np.sign(b) == sign else []
        if moving:
            parts.append(f"{listed(moving)} {verb}{'s' if len(moving) == 1 else ''}")
    return f"as {' and '.join(parts)}"


def listed(names: list[str]) -> str:
    """The first names, and how many more there are.

    >>> listed(["a"]), listed(["a", "b"]), listed(list("abcdefg"))
    ('a', 'a and b', 'a, b, c, d and 3 more')
    """
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def where_loss_is(
    goal: Goal | None,
    look: Look | None,
    settled: bool = False,
    fixed_step: bool = False,
    reason: str = "",
    solved: bool = False,
) -> str:
    """Words for where the loss is, and why the run stopped there."""
    stopped = f"{reason}; " if reason else ""
    if goal is None or look is None:
        if solved:
            return f"{stopped}how far the loss is from its minimum is not known"
        if settled:
            return f"{stopped}a pass hardly moves the weights; how near the minimum they are is not known"
        return f"{stopped}the weights were still moving"
    loss, distance = f"{goal.words}, {look.loss:.6g},", "not proved to be near a minimum"
    if look.gap is not None:
        if goal.near(look):
            minimum = "only minimum" if look.only else "minimum"
            return f"{loss} is within {at_most(look.gap)} of its {minimum}: proved {goal.proof}"
        distance = f"at most {at_most(look.gap)} above its minimum"
    if settled and fixed_step:
        stopped += "a pass hardly moves the weights, but a fixed step ends beside the minimum: "
    return f"{stopped}{loss} is {distance}"


def at_most(value: float) -> str:
    """A bound in two digits, rounded up, so that what is printed is still a bound.

    >>> at_most(0.1201), at_most(3.14e-12), at_most(1234.0), at_most(0.0)
    ('0.13', '3.2e-12', '1.3e+03', '0')
    """
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(value)):.2g}"
