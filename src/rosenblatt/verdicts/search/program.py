"""The linear-programming solver (HiGHS) as the search uses it: silent, one thread, tight tolerances, a time limit."""

from threading import Event
from typing import Any

import highspy
import numpy as np
from scipy.sparse import csr_array

from rosenblatt.arrays import Floats
from rosenblatt.context import Context
from rosenblatt.threads import aside

__all__ = ["add_rows", "prefer_interior", "prefer_primal", "run", "solver"]

_SHORT = 10_000  # values up to which a program takes milliseconds, no longer than to start a thread
_ROWS = 256  # rows that are added at a time
_TOLERANCE = 1e-10  # the tightest that the solver allows


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


def prefer_interior(program: highspy.Highs) -> None:
    """Use the interior-point method with crossover: several times as fast on thousands of sparse columns."""
    program.setOptionValue("solver", "ipm")
    program.setOptionValue("presolve", "on")


def prefer_primal(program: highspy.Highs) -> None:
    """Use the primal simplex method, which begins where the last run ended."""
    program.setOptionValue("solver", "simplex")
    program.setOptionValue("presolve", "off")
    program.setOptionValue("simplex_strategy", 4)


def add_rows(program: highspy.Highs, A: csr_array | Floats, low: Floats, high: Floats, context: Context) -> None:
    """Add rows with low ≤ a·x ≤ high, of an array or CSR; a few at a time, as many dense rows take long."""
    for first in range(0, A.shape[0], _ROWS):
        context.check()
        some = slice(first, first + _ROWS)
        part = csr_array(A[some])
        starts, indices = part.indptr[:-1].astype(np.int32), part.indices.astype(np.int32)
        program.addRows(part.shape[0], low[some], high[some], part.nnz, starts, indices, part.data)


def run(program: highspy.Highs, context: Context) -> bool:
    """Solve. Returns whether an optimum was reached; raises Unfinished where time is over."""
    if program.getNumNz() <= _SHORT:
        program.run()
    else:
        _run_aside(program, context)
    context.check()
    return bool(program.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _run_aside(program: highspy.Highs, context: Context) -> None:
    """Solve in a thread; where time is over the solver is told to stop, which it asks about at each of its steps."""
    stop = Event()

    def interrupt(event: Any) -> None:
        event.data_in.user_interrupt = stop.is_set()

    asking = (program.cbSimplexInterrupt, program.cbIpmInterrupt)
    for one in asking:
        one.subscribe(interrupt)
    aside(program.run, context, stop.set)
    for one in asking:
        one.unsubscribe(interrupt)
