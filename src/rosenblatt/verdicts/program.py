"""The linear-programming solver (HiGHS) as all candidates use it: silent, one thread, tight, and in time."""

from threading import Event
from typing import Any

import highspy
import numpy as np
from scipy.sparse import csr_array

from rosenblatt.arrays import Floats
from rosenblatt.verdicts.clock import check
from rosenblatt.verdicts.threads import aside

__all__ = ["add_rows", "prefer_interior", "prefer_primal", "run", "solver"]

_SHORT = 10_000  # values up to which a program takes milliseconds, as a thread does
_ROWS = 256  # that are added at a time
_TOLERANCE = 1e-10  # the tightest that the solver takes


def solver() -> Any:
    """A solver without a problem."""
    made: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": _TOLERANCE,
        "dual_feasibility_tolerance": _TOLERANCE,
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


def add_rows(program: Any, A: Any, low: Floats, high: Floats, deadline: float | None) -> None:
    """Add rows with low ≤ a·x ≤ high, of an array or CSR; a few at a time, as dense ones take long."""
    for first in range(0, A.shape[0], _ROWS):
        check(deadline)
        some = slice(first, first + _ROWS)
        part = csr_array(A[some])
        starts, indices = part.indptr[:-1].astype(np.int32), part.indices.astype(np.int32)
        program.addRows(part.shape[0], low[some], high[some], part.nnz, starts, indices, part.data)


def run(program: Any, deadline: float | None) -> bool:
    """Solve by the deadline: whether it came to an optimum; Unfinished where time was over first."""
    if program.getNumNz() <= _SHORT:
        program.run()
    else:
        _run_aside(program, deadline)
    check(deadline)
    return bool(program.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _run_aside(program: Any, deadline: float | None) -> None:
    """In a thread, which is told to stop when time is over: the solver asks whether to, at every step of its own."""
    stop = Event()

    def interrupt(event: Any) -> None:
        event.data_in.user_interrupt = stop.is_set()

    asking = (program.cbSimplexInterrupt, program.cbIpmInterrupt)
    for one in asking:
        one.subscribe(interrupt)
    aside(program.run, deadline, stop.set)
    for one in asking:
        one.unsubscribe(interrupt)
