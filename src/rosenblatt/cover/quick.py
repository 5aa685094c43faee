"""Separable or not, for thousands of labelings: an answer in float arithmetic with a proof, else the exact verdict.

Many labelings y of the same rows X̃ = (x, 1) share one factorisation X̃ = QR. A descent on the logistic loss of
all of them, side by side, gives one of two proofs.

Yes: weights whose responses have the right signs, further from 0 than rounding can have moved them.
No: λ > 0 with X̃ᵀμ = 0 for μ = y·λ: then no w has y·X̃w ≥ 0 but for 0 in every row. The slopes of the loss at its minimum
are such λ; floats leave r = X̃ᵀμ a little off 0. With N ≈ (X̃ᵀX̃)⁻¹ and E = I − X̃ᵀX̃N, ‖E‖ < 1, some s with
‖s‖ ≤ ‖r‖/(1 − ‖E‖) makes X̃ᵀ(μ − X̃Ns) = 0 exactly (‖·‖ the largest of the entries, of a matrix of its rows' sums). So
λ is positive still if λ_i > Σ_j|X̃N|_ij·‖s‖. N and E serve all labelings; every rounding is bounded.

What is left is decided one by one. Yes: a linear program finds a hyperplane; its signs are certified row by row. No:
the d + 1 rows that bind the program have a mixture Σ λ z = 0, Σ λ = 1, with λ > 0. The λ are computed in floats, with a
proved bound on their distance from the exact ones (Rump's method: R ≈ M⁻¹ with ‖I − RM‖ < 1); if each is larger than
that, the exact ones are positive.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from rosenblatt.arrays import Flags, Floats, Signs
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


_NEWTON = 12  # steps of Newton's method, after about d/2 that need no curvature: that of QᵀQ/4 is never too small
_TOGETHER = 1 << 22  # numbers that a step makes at a time
_STEEP = 30.0  # responses beyond this change no slope


def separable_all(X: Floats, labelings: Signs, fit_intercept: bool, n_jobs: int | None) -> list[bool | None]:
    """`separable` of many labelings; what cannot be proved for many at a time is decided in `n_jobs` processes.

    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> separable_all(X, np.array([[-1, 1, 1, 1], [-1, 1, 1, -1]]), True, None)
    [True, False]
    """
    from joblib import Parallel, delayed, effective_n_jobs

    found: list[bool | None] = [None] * len(labelings)
    left = np.arange(len(labelings))
    shared = _Shared.of(np.column_stack([X, np.ones(len(X))]) if fit_intercept else X)
    if shared is not None:
        size = max(1, _TOGETHER // (shared.rows.shape[0] * shared.rows.shape[1] ** 2))
        answers = np.concatenate([_together(shared, labelings[k : k + size]) for k in range(0, len(labelings), size)])
        found = [{1: True, -1: False}.get(answer) for answer in answers.tolist()]
        left = np.flatnonzero(answers == 0)
    workers = min(effective_n_jobs(n_jobs), len(left))
    if workers:
        pieces = np.array_split(left, 4 * workers)
        solved = Parallel(n_jobs=workers)(delayed(_one_by_one)(X, labelings[piece], fit_intercept) for piece in pieces)
        for j, answer in zip(left.tolist(), (answer for part in solved for answer in part), strict=True):
            found[j] = answer
    return found


def _one_by_one(X: Floats, labelings: Signs, fit_intercept: bool) -> list[bool | None]:
    return [separable(X, y, fit_intercept) for y in labelings]


class _Shared(NamedTuple):
    """What all labelings of the same rows share.

    `rows` X̃, each row and column in a unit (a power of two) that makes its largest number about one; `orthogonal` Q
    and `back` R⁻¹; `reach` at least Σ_j|X̃N|_ij; `wrong` at least the largest error of an entry of X̃ᵀμ for |μ| ≤ 1;
    `contraction` at least ‖E‖.
    """

    rows: Floats
    orthogonal: Floats
    back: Floats
    reach: Floats
    wrong: float
    contraction: float

    @classmethod
    def of(cls, Z: Floats) -> "_Shared | None":
        """None where rows are too few, too dependent or too far from one in size for one proof to serve all."""
        sizes = np.abs(Z)
        n, d = Z.shape
        if n <= d or not d or not np.all((sizes == 0) | ((sizes > _TINY) & (sizes < _HUGE))) or not sizes.any(1).all():
            return None
        rows = np.ldexp(Z, -np.frexp(sizes.max(axis=1))[1][:, None])
        rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])
        Q, R = np.linalg.qr(rows)
        if np.abs(np.diag(R)).min() < 1e-7:
            return None
        back = np.linalg.inv(R)
        N = back @ back.T
        error = (n + d + 4) * _UNIT * 1.01  # of sums of so many products, relative to the sum of their sizes
        product, size = rows @ N, np.abs(rows) @ np.abs(N)
        reach = (np.abs(product) + error * size).sum(axis=1) * 1.01
        slip = np.abs(np.eye(d) - rows.T @ product)
        slip += 1.01 * error * (np.abs(rows).T @ (np.abs(product) + size) + np.eye(d))
        contraction = float(slip.sum(axis=1).max() * 1.01)
        wrong = float(error * np.abs(rows).sum(axis=0).max() * 1.01)
        return cls(rows, Q, back, reach, wrong, contraction) if contraction < 0.5 else None


def _together(shared: _Shared, labelings: Signs) -> Signs:
    """1 for labelings that are separable, −1 for those that are not, each proved; 0 for the others."""
    Q, (n, d) = shared.orthogonal, shared.rows.shape
    found = np.zeros(len(labelings), dtype=np.int8)
    pairs = None
    left, y = np.arange(len(labelings)), labelings.astype(np.float64)
    u = y @ Q
    for step in range(_NEWTON + 4 + d // 2):
        response = y * (u @ Q.T)
        slope = 1.0 / (1.0 + np.exp(np.clip(response, -_STEEP, _STEEP)))
        no, yes = _none(shared, y, slope), _separated_by(shared, y, u)
        found[left[no]], found[left[yes]] = -1, 1
        going = ~(no | yes)
        left, y, u, slope = left[going], y[going], u[going], slope[going]
        if not left.size:
            break
        gain = (y * slope) @ Q
        if step < 4 + d // 2:
            u = u + 4.0 * gain
            continue
        pairs = (Q[:, :, None] * Q[:, None, :]).reshape(n, d * d) if pairs is None else pairs
        curvature = ((slope * (1.0 - slope)) @ pairs).reshape(-1, d, d) + 1e-10 * np.eye(d)
        u = u + np.linalg.solve(curvature, gain[:, :, None])[:, :, 0]
        u *= np.minimum(1.0, 1e3 / np.maximum(np.abs(u).max(axis=1, keepdims=True), 1e-300))
    return found


def _none(shared: _Shared, y: Floats, slope: Floats) -> Flags:
    """Where these slopes, brought to X̃ᵀμ ≈ 0, are λ that prove the labeling not separable."""
    Q, mu = shared.orthogonal, y * slope
    mu -= (mu @ Q) @ Q.T
    hopeful = np.flatnonzero((y * mu).min(axis=1) > 0)
    found = np.zeros(len(y), dtype=np.bool_)
    if hopeful.size:
        mu = mu[hopeful] / np.abs(mu[hopeful]).max(axis=1, keepdims=True)
        mu -= (mu @ Q) @ Q.T
        rest = np.abs(mu @ shared.rows).max(axis=1) + 1.01 * shared.wrong
        far = 1.01 * rest / (1.0 - shared.contraction)
        found[hopeful] = np.all(y[hopeful] * mu > 1.01 * far[:, None] * shared.reach, axis=1)
    return found


def _separated_by(shared: _Shared, y: Floats, u: Floats) -> Flags:
    """Where the weights R⁻¹u have every row on its side, beyond rounding."""
    d = u.shape[1]
    w = u @ shared.back.T
    hopeful = np.flatnonzero((y * (u @ shared.orthogonal.T)).min(axis=1) > 0)
    found = np.zeros(len(y), dtype=np.bool_)
    w = w[hopeful]
    doubt = 1.01 * (d + 4) * _UNIT * (np.abs(w) @ np.abs(shared.rows).T) + d * 1e-300
    found[hopeful] = np.all(y[hopeful] * (w @ shared.rows.T) > doubt, axis=1)
    return found
