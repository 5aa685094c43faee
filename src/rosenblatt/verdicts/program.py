"""The linear-programming solver (HiGHS) as all candidates use it: silent, one thread, tight, and in time."""

import time
from typing import Any

import highspy

__all__ = ["prefer_interior", "prefer_primal", "run", "solver"]


def solver(tolerance: float = 1e-10) -> Any:
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


def run(program: Any, deadline: float | None) -> bool:
    """Solve by the deadline: whether it came to an optimum."""
    _limit_time(program, deadline)
    program.run()  # not in a thread: one that is left behind aborts the process when Python ends
    return bool(program.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _limit_time(program: Any, deadline: float | None) -> None:
    """Let the next run end by the deadline."""
    if deadline is not None:
        left = max(0.1, deadline - time.monotonic())
        program.setOptionValue("time_limit", program.getRunTime() + left)  # its clock never stops
