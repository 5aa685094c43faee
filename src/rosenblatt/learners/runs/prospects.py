"""Whether a run can come to an end: are some weights right on every row? A short answer, in the time of some passes.

Newton's method goes to the minimum of the logistic loss of z = y·(x, 1). On its way it either meets weights that are
right on every row, or the rows' shares λ in the slope, Σ λ·z, tend to shares that add up to zero. A step gives new
shares λ − λ(1 − λ)·z·v, whose sum is zero but for rounding. Once they are all > 0, no weights are right on every row
(Gordan 1873), and rounding is no way out: shares λ·(1 − z·A⁻¹g), with g = Σ λ·z and A = Σ λ·z zᵀ, add up to zero
exactly, and are > 0 where every |z·A⁻¹g| < 1.
"""

from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import Rows, as_rows
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.minimise import UP, Columns, decrement, dependent_columns
from rosenblatt.threads import one_thread

__all__ = ["Prospect", "prospect"]

_STEPS_A_PASS, _FEWEST_STEPS, _MOST_STEPS = 4, 6, 40  # a step with d weights takes about as long as d/3 passes
_FEW_VALUES = 1 << 20  # values of the rows that stand for all where there are many
_DEPENDENT = 1e-5  # a Cholesky factor's least diagonal, of a matrix with ones on its own
_UNIT, _TINY = 2.0**-53, 1e-280  # below that, products lose digits


class Prospect(NamedTuple):
    """What is known: that some weights are right on every row, that none are, or that it takes too long to know."""

    kind: Literal["separable", "overlapping", "unknown"]
    corrections: float = np.inf  # (R/γ)², the mistake bound, of the weights that were found


@np.errstate(all="ignore")  # where float64 is left, nothing is proved
def prospect(examples: Examples, passes: int) -> Prospect | None:
    """Whether some weights are right on every row, proved; None where that is not known after so many passes' time.

    Some rows, evenly spread, stand for all where there are many: where none are right on these, none are on all.
    """
    K = examples.classes
    d = examples.d * (K - 1 if K > 1 else 1)
    steps = min(_STEPS_A_PASS * passes // d, _MOST_STEPS)
    if steps < _FEWEST_STEPS:
        return None
    few = max(1, _FEW_VALUES // (d * max(1, K - 1)))
    chosen = np.unique(np.linspace(0, examples.n - 1, min(examples.n, few)).astype(np.int64))
    if examples.weights.size:
        chosen = chosen[examples.weights[chosen] > 0]
    X, y = examples.take(chosen)
    columns = Columns.of(as_rows(X), examples.bias)
    Z = _in_coordinates(columns, X) * y[:, None] if K == 1 else _pairs(_in_coordinates(columns, X), y.astype(int), K)
    with one_thread():  # the matrices are small
        found = _newton(Z, steps)
    if not isinstance(found, np.ndarray):
        patient = steps == _MOST_STEPS and found is None
        if patient and K == 1 and _overlaps_independent(Z, columns, y):
            return Prospect("overlapping")
        return Prospect("overlapping") if found else Prospect("unknown") if patient else None
    w = columns.move(found.reshape(-1, examples.d))
    w = w[0] if K == 1 else np.vstack([w, np.zeros(examples.d)]) - w.sum(axis=0) / K
    if not examples.judge(w.ravel(), (True, True), enough=0).clean:
        return Prospect("unknown")
    margin = float((Z @ found).min()) / float(np.linalg.norm(w))
    return Prospect("separable", (1 + (K > 1)) * examples.radius_sq / margin**2)


def _newton(Z: Floats, steps: int) -> Floats | bool | None:
    """Weights that are right on every row of Z, as computed; True: there are none, proved; None: neither was found."""
    s, W, shares = np.zeros(len(Z)), np.zeros(Z.shape[1]), np.full(len(Z), 0.5)
    for _ in range(steps):
        slopes = shares * (1.0 - shares)
        v = _solved(Z.T @ (Z * slopes[:, None]), Z.T @ shares)
        if v is None:
            return None
        r = Z @ v
        balanced = shares - slopes * r
        if balanced.min() > 0.0 and _balance(Z, balanced):
            return True
        s += r
        W += v
        if s.min() > 0.0:
            return W
        shares = 1.0 / (1.0 + np.exp(s))
    return None


def _solved(A: Floats, g: Floats) -> Floats | None:
    """v with A·v = g; a column of zeros takes no step; None where columns depend on each other, or nearly do."""
    diagonal = A.diagonal()
    t = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    A = A * t * t[:, None]
    A[diagonal <= 0.0, diagonal <= 0.0] = 1.0
    L, v, failed = dposv(A, g * t, lower=1)
    if failed or not L.diagonal().min(initial=1.0) > _DEPENDENT:
        return None
    return np.asarray(v * t)


def _balance(Z: Floats, shares: Floats) -> bool:
    """Whether shares > 0 near these add up to zero exactly, Σ share·z = 0: proved, every rounding included."""
    Z = Z[:, Z.any(axis=0)]
    n, d = Z.shape
    rounding = (n + d + 64) * _UNIT * UP
    doubt = np.full(d, rounding * float(shares.sum()) * UP)
    A = Z.T @ (Z * shares[:, None])
    if A.diagonal().min(initial=1.0) < _TINY:
        return False
    found = decrement(A, Z.T @ shares, rounding, doubt)
    return found is not None and found.reach < 1.0


def _overlaps_independent(Z: Floats, columns: Columns, y: Floats) -> bool:
    """The same where columns are combinations of others, exactly: what the others balance, these balance too."""
    depends = dependent_columns(columns, np.ones(len(y), dtype=np.bool_))
    if not depends or not depends.exact:
        return False
    return _newton(np.delete(Z, depends.dropped, axis=1), _MOST_STEPS) is True


def _in_coordinates(columns: Columns, X: Floats) -> Floats:
    """The rows z' = (x − centre)·scale, and 1 for the bias: no value is above 1."""
    p = X.shape[1]
    Z = np.ones((len(X), columns.d))
    np.multiply(X - columns.centre if columns.centre.any() else X, columns.scale[:p], out=Z[:, :p])
    return Z


def _pairs(Z: Floats, own: Places, K: int) -> Floats:
    """Kesler's rows: z in the place of its own class, −z in that of another one; the last class has no place."""
    blocks = []
    for k in range(K):
        others = np.flatnonzero(own != k)
        pairs = np.zeros((len(others), K, Z.shape[1]))
        pairs[np.arange(len(others)), own[others]] = Z[others]
        pairs[:, k] = -Z[others]
        blocks.append(pairs[:, :-1].reshape(len(others), -1))
    return np.concatenate(blocks)
