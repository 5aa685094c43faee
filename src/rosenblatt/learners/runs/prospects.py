"""Whether a run can come to an end: are some weights right on every row? A short answer, in the time of some passes.

Newton's method goes to the minimum of the logistic loss of z = y·(x, 1). On its way it either meets weights that are
right on every row, or the rows' shares λ in the slope, Σ λ·z, tend to shares that add up to zero. A step gives new
shares λ − λ(1 − λ)·z·v, whose sum is zero but for rounding. Once they are all > 0, no weights are right on every row
(Gordan 1873), and rounding is no way out: shares λ·(1 − z·A⁻¹g), with g = Σ λ·z and A = Σ λ·z zᵀ, add up to zero
exactly, and are > 0 where every |z·A⁻¹g| < 1. Where classes touch, the shares of the rows beyond tend to zero: the
others are tried alone.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.data.numbers import as_rows
from rosenblatt.later import linalg
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.minimise import UP, Columns, ProvedInverse, dependent_columns
from rosenblatt.threads import one_thread

__all__ = ["Prospect", "prospect"]

_STEPS_A_PASS, _FEWEST_STEPS, _MOST_STEPS = 4, 8, 24  # a step with d weights takes about as long as d/3 passes
_FURTHER = 2  # steps after weights were found
_SMALL_WORK = 1 << 24  # products of numbers that may always be made: about a millisecond
_FEW = 16  # weights up to which NumPy will do: a small table need not load SciPy
_FEW_VALUES = 1 << 20  # values of the rows that stand for all where there are many
_DEPENDENT = 1e-5  # a Cholesky factor's least diagonal, of a matrix with ones on its own
_HARDLY = 1e-3  # a share that goes to zero is below
_UNIT, _TINY = 2.0**-53, 1e-280  # below that, products lose digits


class Prospect(NamedTuple):
    """What is known: that some weights are right on every row, that none are, or that it takes too long to know."""

    kind: Literal["separable", "overlapping", "unknown"]
    corrections: float = np.inf  # (R/γ)², the mistake bound, of the weights that were found


@np.errstate(all="ignore")  # where float64 is left, nothing is proved
def prospect(examples: Examples, passes: int, strictly: bool = True) -> Prospect | None:
    """Whether some weights are right on every row, proved; None where that is not known after so many passes' time.

    After more passes the answer is the same, if there was one: a run that goes on later asks again, and knows as much.
    Some rows, evenly spread, stand for all where there are many: where none are right on these, none are on all.
    `strictly`: whether a row on the plane is a mistake. Then some rows that balance are enough.
    """
    K = examples.classes
    d = examples.d * (K - 1 if K > 1 else 1)
    n, pairs = examples.n, max(1, K - 1)
    n = min(n, max(1, _FEW_VALUES // (d * pairs)))
    steps = min(max(affordable := _STEPS_A_PASS * passes // d, _SMALL_WORK // (n * pairs * d * d)), _MOST_STEPS)
    if steps < _FEWEST_STEPS:
        return None
    chosen = np.arange(n) * examples.n // n
    if examples.weights.size:
        chosen = chosen[examples.weights_of(chosen) > 0]
    if not chosen.size:
        return None
    X, y = examples.take(chosen)
    columns = Columns.of(as_rows(X), examples.bias)
    Z = _in_coordinates(columns, X)
    if K > 1:
        Z = _pairs(Z, y.astype(np.int64), K)
    else:
        Z *= y[:, None]  # in its place: fresh memory takes longer than the product
    kept = Z.any(axis=0)  # a column of zeros needs no weight

    def weights(v: Floats) -> Floats:
        """In the caller's coordinates; of K classes the shortest that have these differences."""
        full = np.zeros(d)
        full[kept] = v
        w = columns.move(full.reshape(-1, examples.d))
        return np.asarray(w[0]) if K == 1 else (np.vstack([w, np.zeros(examples.d)]) - w.sum(axis=0) / K).ravel()

    with one_thread():  # the matrices are small
        found = _newton(Z if kept.all() else Z[:, kept], steps, lambda v: float(np.linalg.norm(weights(v))))
        if isinstance(found, np.ndarray) and steps == _MOST_STEPS and K == 1:
            some = found > _HARDLY
            touch = strictly and some.any() and not some.all() and _some_overlap(Z[some], X[some], examples.bias)
            if touch or (affordable >= _MOST_STEPS and _overlaps_independent(Z, columns)):
                found = True
    if isinstance(found, np.ndarray):
        return Prospect("unknown") if affordable >= _MOST_STEPS else None
    if found is True:
        return Prospect("overlapping")
    v, margin = found
    if not examples.judge(weights(v), (True, True), enough=0).clean:
        return Prospect("unknown")
    return Prospect("separable", float(np.square(np.sqrt((1 + (K > 1)) * examples.radius_sq) / np.float64(margin))))


def _newton(
    Z: Floats, steps: int, size: Callable[[Floats], float] = lambda v: 1.0
) -> tuple[Floats, float] | Literal[True] | Floats:
    """Weights that are right on every row of Z, as computed, and their margin for their `size`.

    True: there are none, proved. Where neither was found, the rows' shares. A few more steps widen the margin.
    """
    s, W, shares = np.zeros(len(Z)), np.zeros(Z.shape[1]), np.full(len(Z), 0.5)
    part = np.empty_like(Z)
    best: tuple[Floats, float] | None = None
    while steps:
        steps -= 1
        slopes = shares * (1.0 - shares)
        np.multiply(Z, np.sqrt(slopes)[:, None], out=part)
        v = _solved(part.T @ part, Z.T @ shares)  # a product of equal factors takes half the time
        if v is None:
            break
        r = Z @ v
        balanced = shares - slopes * r
        if best is None and balanced.min() > 0.0 and _balance(Z, balanced):
            return True
        s, W = s + r, W + v
        if s.min() > 0.0:
            margin = float(s.min() / np.float64(size(W)))
            if best is not None and margin <= best[1]:
                break
            steps = _FURTHER if best is None else steps
            best = W, margin
        shares = 1.0 / (1.0 + np.exp(s))
    return shares if best is None else best


def _solved(A: Floats, g: Floats) -> Floats | None:
    """v with A·v = g; None where columns depend on each other, or nearly do."""
    t = 1.0 / np.sqrt(A.diagonal())
    scaled = A * t * t[:, None]
    if len(A) <= _FEW:
        try:
            L, v = np.linalg.cholesky(scaled), np.linalg.solve(scaled, g * t)
        except np.linalg.LinAlgError:
            return None
    else:
        L, v, failed = linalg.lapack.dposv(scaled, g * t, lower=1)
        if failed:
            return None
    if not L.diagonal().min(initial=1.0) > _DEPENDENT:
        return None
    return np.asarray(v * t)


def _balance(Z: Floats, shares: Floats) -> bool:
    """Whether shares > 0 near these add up to zero exactly, Σ share·z = 0: proved, every rounding included."""
    n, d = Z.shape
    if not d:  # rows of zeros add up to zero with any shares
        return True
    if (A := Z.T @ (Z * shares[:, None])).diagonal().min() < _TINY:
        return False
    rounding = (n + d + 64) * _UNIT * UP
    inverse = ProvedInverse.of(A, rounding)
    if inverse is None:
        return False
    g = np.abs(Z.T @ shares) + rounding * float(shares.sum()) * UP  # |z_j| ≤ 1
    reach = float(np.linalg.norm(inverse.s)) * float(np.linalg.norm(g * inverse.s)) / inverse.least
    return reach * UP < 1.0


def _overlaps_independent(Z: Floats, columns: Columns) -> bool:
    """The same where columns are combinations of others, exactly: what the others balance, these balance too."""
    depends = dependent_columns(columns, np.ones(len(Z), dtype=np.bool_))
    others = np.setdiff1d(np.arange(columns.d), depends.dropped)
    return bool(depends) and depends.exact and _newton(Z[:, others], _MOST_STEPS) is True


def _some_overlap(Z: Floats, X: Floats, bias: bool) -> bool:
    """The same of some rows, where a column that is constant is a multiple of the bias's: all others have no share."""
    varies = (X[0] * bias != X).any(axis=0)
    return _newton(Z[:, np.append(varies, np.full(int(bias), True))], _MOST_STEPS) is True


def _in_coordinates(columns: Columns, X: Floats) -> Floats:
    """The rows z' = (x − centre)·scale, and 1 for the bias: no value is above 1."""
    p = X.shape[1]
    Z = np.empty((len(X), columns.d))
    np.multiply(X - columns.centre if columns.centre.any() else X, columns.scale[:p], out=Z[:, :p])
    Z[:, p:] = 1.0
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
