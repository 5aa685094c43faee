"""The float programs that stand beside verdicts: HiGHS, on one thread, in dual form."""

from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

from benchmarks.timing import PROCESSOR, seconds

__all__ = ["CAP", "dual_program"]

CAP = 40.0  # seconds that the program is given


def dual_program(X: Any, y: np.ndarray) -> tuple[float, str | None]:
    """Σ λz = 0 with λ ≥ 1: seconds of processor time, and whether rows overlap; None where it was stopped.

    Of the forms of this question it is the quickest: as many rows as there are columns, and any λ that fits ends it.
    """
    signs = np.where(np.asarray(y) > 0, 1.0, -1.0)
    program, lp = highspy.Highs(), highspy.HighsLp()
    for option, value in {"output_flag": False, "threads": 1, "time_limit": CAP}.items():
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

    took = seconds(run, PROCESSOR)
    said = {highspy.HighsModelStatus.kOptimal: "overlap", highspy.HighsModelStatus.kInfeasible: "no overlap"}
    return took, said.get(program.getModelStatus())
