"""λ > 0 on every row of a plane with Σ λ z = 0, in short whole numbers: one linear program and one exact solve.

Give every row of the plane the same share. What their sum is off by, −Σ z, is sought as a combination of few rows with
factors e ≥ 0; a vertex of that program has at most as many rows as the plane has dimensions, and they are independent.
So e is the solution of one square system: quotients of determinants, as short as such numbers can be expected to be.
"""

from typing import Any

import highspy
import numpy as np
from scipy.sparse import csc_array

from rosenblatt.verdicts.basis import Basis
from rosenblatt.verdicts.points import Floats, Places, Points
from rosenblatt.verdicts.program import solver

__all__ = ["vanishing"]

_TINY = 1e-9  # the weight of rows that the program leaves out, beside those it takes


def vanishing(
    points: Points, plane: Places, chosen: Places, deadline: float | None
) -> tuple[dict[int, int], int, Basis] | None:
    """(λ, base, basis): λ is `base` on every row of the plane, and more or less on the rows of the basis.

    `chosen` are rows of the plane that have a mixture of their own and span the others. None where floats misled.
    """
    basis = Basis.of(points, chosen)
    sums = points.sums(plane)
    if any(sums):
        scale = np.ldexp(1.0, -points.exponents)  # of the unit rows' columns
        off = np.array([-float(s) for s in sums]) * scale / plane.size
        e = _combination(points.unit_rows(chosen)[:, basis.columns], off[basis.columns], deadline)
        if e is None:
            return None
        basis = Basis.of(points, chosen, e / max(e.max(), 1e-300) + _TINY)
    x, base = basis.factors([-s for s in sums])
    common = int(np.gcd.reduce(np.array([base, *x], dtype=object)))
    x, base = [v // common for v in x], base // common
    if any(v <= -base for v in x):
        return None
    mixture = {int(i): v for i, v in zip(basis.rows, x, strict=True) if v} or {int(plane[0]): 0}
    return None if any(points.mixed(mixture, base, plane)) else (mixture, base, basis)


def _combination(A: Floats, target: Floats, deadline: float | None) -> Floats | None:
    """e ≥ 0 with Σ e·a = target and Σ e small, at a vertex."""
    program: Any = solver(deadline)
    lp = highspy.HighsLp()
    n, r = A.shape
    columns = csc_array(A.T)
    lp.num_col_, lp.num_row_ = n, r
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.ones(n), np.zeros(n), np.full(n, highspy.kHighsInf)
    lp.row_lower_ = lp.row_upper_ = target
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = columns.indptr, columns.indices, columns.data
    program.passModel(lp)
    program.run()
    if program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(program.getSolution().col_value)
