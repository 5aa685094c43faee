"""The float programs that stand beside verdicts: by HiGHS, on all rows."""

from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from benchmarks.timing import seconds

__all__ = ["dual_program", "strict_rows"]

_DUAL_CAP = 40.0  # seconds that a program is given
_STRICT_CAP = 60.0


def dual_program(X: Any, y: np.ndarray) -> tuple[float, str | None]:
    """Σ λz = 0 with λ ≥ 1: seconds of processor time, and whether rows overlap; None where it was stopped.

    Of the forms of this question it is the quickest: as many rows as there are columns, and any λ that fits ends it.
    """
    signs = np.where(np.asarray(y) > 0, 1.0, -1.0)
    program, lp = highspy.Highs(), highspy.HighsLp()
    for option, value in {"output_flag": False, "threads": 1, "time_limit": _DUAL_CAP}.items():
        program.setOptionValue(option, value)

    def run() -> None:
        A = sp.csr_array(sp.diags_array(signs) @ sp.hstack([sp.csr_array(X), np.ones((len(signs), 1))]))
        n, d = A.shape
        lp.num_col_, lp.num_row_ = n, d
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(n), np.ones(n), np.full(n, highspy.kHighsInf)
        lp.row_lower_ = lp.row_upper_ = np.zeros(d)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise  # rows of A are columns here
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
        program.passModel(lp)
        program.run()

    took = seconds(run)
    said = {highspy.HighsModelStatus.kOptimal: "overlap", highspy.HighsModelStatus.kInfeasible: "no overlap"}
    return took, said.get(program.getModelStatus())


def strict_rows(A: Any, E: Any = None) -> int | None:
    """max Σ t with A·w ≥ t, 0 ≤ t ≤ 1 and E·w = 0: how many t are 1, to a tolerance; None where the time is over."""
    m, d = A.shape
    equal = sp.csr_array((0, d)) if E is None else E
    program = {
        "A_ub": sp.hstack([-sp.csr_array(A), sp.eye_array(m)]),
        "b_ub": np.zeros(m),
        "A_eq": sp.hstack([equal, sp.csr_array((equal.shape[0], m))]),
        "b_eq": np.zeros(equal.shape[0]),
        "bounds": np.vstack([np.tile([-np.inf, np.inf], (d, 1)), np.tile([0.0, 1.0], (m, 1))]),
    }
    found = linprog(np.append(np.zeros(d), -np.ones(m)), **program, options={"time_limit": _STRICT_CAP})
    return int(np.count_nonzero(found.x[d:] > 0.5)) if found.status == 0 else None
