"""Candidates by float arithmetic: a direction that may separate, or rows that may prove that none does.

Nothing here is believed: what comes out is checked in exact arithmetic or given up.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

__all__ = ["candidate"]

_ROUNDS = 60


def candidate(A: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """(u, rows): u for max t, a·u ≥ t‖a‖, |u| ≤ 1, and the rows that hold it back, by constraint generation.

    Least squares separates easy data outright. Otherwise a linear program on few rows is solved, all rows are scanned
    with its answer, the worst are added, and so on until none is violated.
    """
    lengths = np.linalg.norm(A, axis=1)
    unit = A / np.where(lengths > 0, lengths, 1.0)[:, None]
    u: Any = np.linalg.lstsq(unit, np.ones(len(unit)), rcond=None)[0]
    responses = unit @ u
    if responses.min() > 0:
        return u, np.empty(0, dtype=np.int64)
    r = A.shape[1]
    chosen = np.argsort(responses, kind="stable")[: 2 * r + 10]
    for _ in range(_ROUNDS):
        u, t, binding = _program(unit[chosen])
        responses = unit @ u
        worst = np.argsort(responses, kind="stable")[: 2 * r + 10]
        fresh = np.setdiff1d(worst[responses[worst] < t - 1e-9], chosen)
        if not fresh.size:
            return u, chosen[binding]
        chosen = np.concatenate([chosen, fresh])
    return u, chosen[binding]


def _program(unit: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float, Any]:
    """max t with unit·u ≥ t, |u| ≤ 1: u, t, and the rows with a positive multiplier."""
    n, r = unit.shape
    solved = linprog(
        np.append(np.zeros(r), -1.0),
        A_ub=np.column_stack([-unit, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * r + [(None, None)],
        method="highs",
    )
    if solved.status != 0:
        return np.zeros(r), 0.0, np.arange(n)
    return solved.x[:-1], float(solved.x[-1]), np.flatnonzero(solved.ineqlin.marginals < -1e-12)
