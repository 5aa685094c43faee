"""The shortest weights where rows are fewer than weights. Most rows take part then, so all are active at first.

min ‖Σ μ z‖²/2 − Σ μ over μ ≥ 0, by block principal pivoting (Júdice & Pires 1994) on the Gram matrix: rows whose
multiplier is negative leave, rows whose response is below 1 come in, all at once. A street has one equation more,
Σ μ y = 0, whose multiplier is the bias.
"""

from functools import partial

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.context import Context
from rosenblatt.threads import aside
from rosenblatt.verdicts.margins.shortest import Weights
from rosenblatt.verdicts.points import Points

__all__ = ["all_rows"]

_ROUNDS = 30
_PATIENCE = 3  # rounds in which all may change although no fewer are wrong
_EASE = 1e-9


def all_rows(points: Points, street: bool) -> Weights | None:
    """The weights, and rows with their multipliers; None where that fails. Raises Unfinished where time is over."""
    return aside(partial(_all_rows, points, street), points.context)


@np.errstate(all="ignore")
def _all_rows(points: Points, street: bool) -> Weights | None:
    n = points.n
    Z, y = points.floats(np.arange(n)), points.y.astype(np.float64)
    if street:  # as Σ μ y = 0, the origin may be moved: between the classes, rounding errors are smallest
        X = Z * y[:, None]
        Z -= y[:, None] * ((X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2)
        Z[:, -1] = 0.0
    gram = Z @ Z.T
    gram.flat[:: n + 1] *= 1 + 1e-13
    mu = _multipliers(gram, y * np.sqrt(np.trace(gram) / n), street, points.context)
    if mu is None:
        return None
    rows = np.flatnonzero(mu > 0)
    return Weights(Z[rows].T @ mu[rows], rows, mu[rows])


def _multipliers(gram: Floats, side: Floats, street: bool, context: Context) -> Floats | None:
    n = len(gram)
    active, mu = np.ones(n, dtype=bool), np.zeros(n)
    fewest, patience = n + 1, _PATIENCE
    for _ in range(_ROUNDS):
        context.check()
        mu[:] = 0.0
        try:
            mu[active], bias = _equations(gram[np.ix_(active, active)], side[active], street)
        except np.linalg.LinAlgError:
            return None
        wrong = np.where(active, mu < 0, gram @ mu + side * bias < 1 - _EASE)
        count = int(np.count_nonzero(wrong))
        if not count:
            return mu
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience:
            patience -= 1
        else:  # to exchange all wrong rows may cycle; to exchange the last one cannot
            wrong[: np.flatnonzero(wrong)[-1]] = False
        active ^= wrong
    return None


def _equations(gram: Floats, side: Floats, street: bool) -> tuple[Floats, float]:
    """The multipliers and the bias of active rows, on all of which the response is 1."""
    k = len(gram)
    if not street:
        return np.asarray(np.linalg.solve(gram, np.ones(k))), 0.0
    system = np.block([[gram, side[:, None]], [side[None, :], np.zeros((1, 1))]])
    found = np.linalg.solve(system, np.append(np.ones(k), 0.0))
    return found[:-1], float(found[-1])
