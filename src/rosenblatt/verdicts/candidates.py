"""Candidates by float arithmetic: a direction that may separate, or rows that may prove that none does.

Nothing here is believed: what comes out is checked in exact arithmetic or given up.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

__all__ = ["candidate"]

_ROUNDS = 60
_EASE = 1e-9  # a row this much below the optimum is violated


def candidate(A: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """(u, rows): u for max t, a·u ≥ t‖a‖, |u| ≤ 1, and the rows that hold it back. A is overwritten (rows normalised).

    Least squares separates easy data outright. Otherwise a linear program on few rows is solved, all rows are scanned
    with its answer, the worst are added, and so on until none is violated.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", A, A))
    A /= np.where(lengths > 0, lengths, 1.0)[:, None]
    u = _least_squares(A)
    responses = A @ u
    if responses.min() > 0:
        return u, np.empty(0, dtype=np.int64)
    size = 2 * A.shape[1] + 10
    chosen = _smallest(responses, size)
    binding = np.arange(len(chosen))
    for _ in range(_ROUNDS):
        u, t, binding = _program(A[chosen])
        responses = A @ u
        worst = _smallest(responses, size)
        fresh = np.setdiff1d(worst[responses[worst] < t - _EASE], chosen)
        if not fresh.size:
            break
        chosen = np.concatenate([chosen, fresh])
    return u, chosen[binding]


def _smallest(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Where the k smallest values are, smallest first."""
    places = np.argpartition(values, k)[:k] if k < len(values) else np.arange(len(values))
    return places[np.argsort(values[places], kind="stable")]


def _least_squares(A: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """About the smallest u with A u ≈ 1, by the smaller of the two Gram matrices."""
    n, r = A.shape
    if n < r:
        gram = A @ A.T
        gram.flat[:: n + 1] += 1e-10
        return np.asarray(A.T @ np.linalg.solve(gram, np.ones(n)))
    gram = A.T @ A
    gram.flat[:: r + 1] += 1e-10 * n
    return np.asarray(np.linalg.solve(gram, A.sum(axis=0)))


def _program(unit: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float, Any]:
    """max t with unit·u ≥ t, |u| ≤ 1: u, t, and the rows with a positive multiplier."""
    n, r = unit.shape
    solved = linprog(
        np.append(np.zeros(r), -1.0),
        A_ub=np.column_stack([-unit, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * r + [(None, None)],
        method="highs-ds",
    )
    if solved.status != 0:
        return np.zeros(r), 0.0, np.arange(n)
    return solved.x[:-1], float(solved.x[-1]), np.flatnonzero(solved.ineqlin.marginals < -1e-12)
