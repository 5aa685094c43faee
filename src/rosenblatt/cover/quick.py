"""Separable or not, for thousands of labelings: an answer in float arithmetic with a proof, else the exact verdict.

Yes: a linear program finds a hyperplane, and its signs are certified row by row. No: the d + 1 rows that bind the
program have a mixture Σ λ z = 0, Σ λ = 1, with λ > 0. The λ are computed in floats, with a proved bound on their
distance from the exact ones (Rump's method: R ≈ M⁻¹ with ‖I − RM‖ < 1); if each is larger than that, the exact ones are
positive.
"""

import numpy as np
from scipy.optimize import linprog

from rosenblatt.arrays import Floats, Signs
from rosenblatt.exact import row_signs
from rosenblatt.verdicts import separability

__all__ = ["separable", "separable_all"]

_UNIT = 2.0**-53
_TINY, _HUGE = 2.0**-300, 2.0**300  # numbers in between: no product underflows or overflows


def separable(X: Floats, y: Signs, fit_intercept: bool) -> bool | None:
    """Whether y·(w·x + b) > 0 is possible for every row, proved; None where even the exact verdict is unknown.

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> separable(X, np.array([-1, 1, 1, 1]), True), separable(X, np.array([-1, 1, 1, -1]), True)
    (True, False)
    """
    Z = (np.column_stack([X, np.ones(len(X))]) if fit_intercept else X) * y[:, None]
    sizes = np.abs(Z)
    if np.all((sizes == 0) | ((sizes > _TINY) & (sizes < _HUGE))):
        exponents = np.frexp(sizes.max(axis=1, initial=0.0))[1]
        answer = _by_floats(np.ldexp(Z, -exponents[:, None]))  # rows of about one, without rounding
        if answer is not None:
            return answer
    kind = separability(X, y, fit_intercept=fit_intercept, margin=False, numbers="binary").kind  # floats, as above
    return None if kind == "unknown" else kind == "complete"


def _by_floats(Z: Floats) -> bool | None:
    """max t with z·u ≥ t and |u| ≤ 1; None where nothing is proved."""
    n, d = Z.shape
    solved = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-Z, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * d + [(None, None)],
    )
    if solved.status != 0:
        return None
    u = solved.x[:-1]
    if np.min(Z @ u) > 0 and np.all(row_signs(Z, u) > 0):
        return True
    binding = np.flatnonzero(solved.ineqlin.marginals < -1e-12)
    return False if len(binding) == d + 1 and _mixture_is_positive(Z[binding]) else None


def _mixture_is_positive(B: Floats) -> bool:
    """Whether the d + 1 rows have exactly one mixture that vanishes, and it is positive: proved, or False."""
    m = len(B)
    M = np.vstack([B.T, np.ones(m)])
    target = np.append(np.zeros(m - 1), 1.0)
    try:
        R = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return False
    mixture = R @ target
    with np.errstate(over="ignore", invalid="ignore"):
        error = (m + 2) * _UNIT * 1.01  # of a sum of m products, relative to the sum of their sizes
        slip = np.abs(np.eye(m) - R @ M) + error * (np.abs(R) @ np.abs(M) * 1.01 + np.eye(m))
        contraction = slip.sum(axis=1).max() * 1.01
        rest = np.abs(target - M @ mixture) + error * (np.abs(M) @ np.abs(mixture) * 1.01 + target)
        distance = (np.abs(R) @ rest).max() * 1.02 / (1 - contraction) if contraction < 1 else np.inf
    return bool(np.isfinite(distance) and mixture.min() > distance)


def separable_all(X: Floats, labelings: Signs, fit_intercept: bool, n_jobs: int | None) -> list[bool | None]:
    """`separable` of many labelings, in `n_jobs` processes."""
    from joblib import Parallel, delayed, effective_n_jobs

    workers = min(effective_n_jobs(n_jobs), len(labelings))
    pieces = np.array_split(labelings, 4 * workers)
    found = Parallel(n_jobs=workers)(delayed(_some)(X, piece, fit_intercept) for piece in pieces)
    return [answer for part in found for answer in part]


def _some(X: Floats, labelings: Signs, fit_intercept: bool) -> list[bool | None]:
    return [separable(X, y, fit_intercept) for y in labelings]
