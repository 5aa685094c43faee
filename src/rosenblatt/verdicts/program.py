"""The linear-programming solver (HiGHS) as all candidates use it: silent, one thread, tight, and in time."""

import time
from typing import Any

import highspy

__all__ = ["limit_time", "prefer_interior", "prefer_primal", "solver"]


def solver(deadline: float | None = None, tolerance: float = 1e-10) -> Any:
    """A solver without a problem."""
    made: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": tolerance,
        "dual_feasibility_tolerance": tolerance,
    }
    for option, value in options.items():
        made.setOptionValue(option, value)
    limit_time(made, deadline)
    return made


def prefer_interior(program: Any) -> None:
    """An interior-point method, brought to a vertex: several times as fast on thousands of sparse columns."""
    program.setOptionValue("solver", "ipm")
    program.setOptionValue("presolve", "on")


def prefer_primal(program: Any) -> None:
    """The primal simplex method, which begins where the last run ended."""
    program.setOptionValue("solver", "simplex")
    program.setOptionValue("presolve", "off")
    program.setOptionValue("simplex_strategy", 4)


def limit_time(program: Any, deadline: float | None) -> None:
    """Let the next run end by the deadline."""
    if deadline is not None:
        left = max(0.1, deadline - time.monotonic())
        program.setOptionValue("time_limit", program.getRunTime() + left)  # its clock never stops
