"""Damped Newton's method, which is iteratively reweighted least squares: for the logistic loss and for Poisson's."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg.lapack import dposv
from scipy.sparse.linalg import lsmr

from rosenblatt.arrays import Floats
from rosenblatt.data.numbers import Rows
from rosenblatt.minimise.approach import Approach
from rosenblatt.minimise.columns import Columns
from rosenblatt.minimise.directions import SILENT
from rosenblatt.minimise.losses import LogisticLoss, Point

__all__ = ["NEAR", "Move", "Newton", "fit_logistic", "fit_poisson", "halved"]

P = TypeVar("P")

NEAR = 1e-12  # Q/(loss of w = 0) from which one more step is as exact as float64 allows: a step squares the error
_HALVINGS = 40
_NOTHING = 1e-14  # of Poisson's loss: a decrement this small beside it is the floor of float64
_MOST_STEPS = 100


class Move(NamedTuple):
    """One step of Newton's method."""

    point: Point  # where it led
    direction: Floats  # M × d, in the caller's coordinates; the full step, before any halving
    Q: float  # the decrement before the step, as a share of the loss of w = 0
    last: bool  # further steps gain nothing in float64


def halved(at: Callable[[Floats], P], w: Floats, step: Floats) -> Iterator[tuple[float, P]]:
    """The points after the step from w, after half of it, a quarter of it …, each with the part that was made."""
    for k in range(_HALVINGS):
        part = 0.5**k
        yield part, at(w + part * step)


class Newton:
    """Steps −H⁻¹g, halved until the loss falls; where columns depend on each other, the shortest such step.

    Where a matrix from all rows is dear, passes over the rows take the place of steps (`Approach`), for a loss that is
    to be within `tol` of its minimum.
    """

    def __init__(self, loss: LogisticLoss, tol: float = 1e-6) -> None:
        self.loss, self.tol = loss, tol
        self.dense = loss.dense

    def begin(self, W: Floats) -> Point:
        """The loss at W."""
        return self.loss.at(W, self.dense)

    def first(self, W: Floats, far: bool = True) -> Move:
        """The first step, from W: by passes to the neighbourhood of the minimum, if it is far and they are worth it."""
        if self.dense and (self.loss.part is None or not far):
            return self.step(self.begin(W))
        reached = Approach(self.loss, self.tol).go(W)
        if reached is None or not np.isfinite(reached.W).all():
            return self.step(self.begin(W))
        last = reached.near or (reached.stalled and not self.dense)
        if last and self.dense:
            gap = self.loss.proved(reached.W)[1]
            last = gap is not None and gap <= self.tol * self.loss.scale
        point = self.loss.near(reached.W) if last or not self.dense else self.loss.at(reached.W)
        return Move(point, np.zeros(W.shape), reached.Q, last)

    def step(self, point: Point) -> Move:
        """One step from `point`."""
        loss = self.loss
        if not self.dense:
            return self.first(point.W)
        v, free = self._solve(point)
        Q = float(-(v.ravel() @ point.gradient.ravel())) / max(loss.scale, np.finfo(np.float64).tiny)
        direction = loss.columns.move(v)
        if not free:
            direction = loss.shortest(direction)
        if loss.still >= Q:
            return Move(point, direction, Q, True)
        near = Q <= NEAR or Q * loss.scale <= loss.noise(point.W)
        for part, new in halved(loss.at, point.W, direction):
            if near or new.loss <= point.loss - 1e-4 * part * Q * loss.scale:
                return Move(new, direction, Q, near)
        return Move(point, direction, Q, True)

    def _solve(self, point: Point) -> tuple[Floats, bool]:
        """−H⁻¹g in the columns' coordinates, and whether the columns surely do not depend on each other."""
        g, H = point.gradient, point.curvature
        diagonal = H.diagonal()
        s = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        A, b = H * s * s[:, None], -g.ravel() * s
        A[s == 0, s == 0] = 1.0  # a column of zeros takes no step
        L, x, failed = dposv(A, b, lower=1)
        if not failed and L.diagonal().min(initial=1.0) > 1e-5:
            return (x * s).reshape(g.shape), bool(s.all())
        values, vectors = np.linalg.eigh(A)
        kept = values > values[-1] * SILENT
        inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
        return np.asarray((vectors @ (inverse * (vectors.T @ b)) * s).reshape(g.shape)), False


def fit_logistic(
    rows: Rows, y: npt.NDArray[Any], weights: Floats | None, bias: bool, offset: Floats | None = None
) -> Floats:
    """The weights of the least logistic loss; where it has no minimum, weights at which float64 sees no more progress.

    y holds −1/+1; `offset` is added to the responses. The bias is the last weight.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.data.numbers.rows import as_rows
    >>> rows, y = as_rows(np.array([[0.0], [1.0], [2.0], [3.0]])), np.array([-1, 1, -1, 1])
    >>> fit_logistic(rows, y, None, True).round(4)
    array([ 0.9082, -1.3623])
    """
    columns = Columns.of(rows, bias)
    newton = Newton(LogisticLoss(columns, np.where(y > 0, 0, 1), 2, weights, offset=offset))
    point = newton.begin(np.zeros((1, columns.d)))
    for _ in range(_MOST_STEPS):
        point, _, _, last = newton.step(point)
        if last:
            break
    return np.asarray(point.W[0])


def fit_poisson(
    X: Floats | sp.csr_array, y: Floats, weights: Floats | None = None, offset: Floats | None = None
) -> Floats:
    """The w with the least Σ c·(e^s − y·s), s = X·w + offset; it must exist. Of several such w, a short one.

    X is an array or CSR. An intercept needs a column of ones.

    >>> X, y = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0, 5.0])
    >>> fit_poisson(X, y).round(4)  # the means are 2 and 5
    array([0.6931, 0.9163])
    """
    c, o = np.ones(len(y)) if weights is None else weights, np.zeros(len(y)) if offset is None else offset
    sizes = np.asarray(
        abs(X).max(axis=0).todense() if sp.issparse(X) else np.max(np.abs(X), axis=0, initial=0.0)
    ).ravel()
    sizes = np.where(sizes > 0, sizes, 1.0)
    X = sp.csr_array(X @ sp.diags_array(1 / sizes)) if sp.issparse(X) else X / sizes
    mean = (y + np.average(y, weights=c)) / 2  # the usual start: halfway between a row's count and the mean count
    w = _shortest(X, np.sqrt(c * mean), np.log(mean) - o)

    def at(w: Floats) -> float:
        with np.errstate(over="ignore"):  # an infinite loss is only larger than any other
            s = X @ w + o
            return float(np.sum(c * (np.exp(s) - y * s)))

    loss = at(w)
    for _ in range(_MOST_STEPS):
        mean = np.exp(np.minimum(X @ w + o, 700.0))
        step = _shortest(X, np.sqrt(c * mean), y / mean - 1)
        decrement = float(np.sum(c * mean * (X @ step) ** 2))
        found = next(((part, new) for part, new in halved(at, w, step) if new <= loss), None)
        if found is None:
            break
        w, before, loss = w + found[0] * step, loss, found[1]
        if decrement <= _NOTHING * (1 + abs(loss)) or loss == before:
            break
    return np.asarray(w / sizes)


def _shortest(X: Floats | sp.csr_array, roots: Floats, target: Floats) -> Floats:
    """The shortest v with the least ‖roots·(X·v − target)‖."""
    if sp.issparse(X):
        scaled = sp.csr_array(sp.diags_array(roots) @ X)
        return np.asarray(lsmr(scaled, roots * target, atol=1e-14, btol=1e-14, maxiter=20 * sum(X.shape))[0])
    return np.asarray(np.linalg.lstsq(X * roots[:, None], roots * target, rcond=None)[0])
