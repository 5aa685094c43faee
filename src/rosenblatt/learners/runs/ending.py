"""How a learner that minimises a loss ended, as an Outcome that says only what is proved."""

from decimal import ROUND_CEILING, Context

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.learners.runs.goals import Goal, Look
from rosenblatt.models import Hyperplane, Outcome

__all__ = ["count_wrong", "describe_end", "describe_no_minimum", "listed", "receding", "where_loss_is"]

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
    sides = _sides(wrong, examples, after)
    if not wrong and goal is not None and not goal.has_minimum:
        return receding(goal, sides, w)
    look = goal.look(w) if goal is not None and goal.at_hand else None
    near = goal is not None and look is not None and goal.near(look)
    end = where_loss_is(goal, look, settled, fixed_step, reason, solved) + note
    return Outcome("SEPARATED" if not wrong else "CONVERGED" if near else "BUDGET", f"{sides}; {end}.")


def describe_no_minimum(goal: Goal, examples: Examples, w: Floats, after: str, v: Floats) -> Outcome:
    """RECEDING, proved by v."""
    return receding(goal, _sides(count_wrong(examples, w), examples, after), v)


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


def _sides(wrong: int, examples: Examples, after: str) -> str:
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
            return f"{loss} is within {at_most(look.gap)} of its minimum: proved {goal.proof}"
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
