"""Newton's method for Poisson's likelihood with a logarithmic link: iteratively reweighted least squares."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from rosenblatt.arrays import Floats

__all__ = ["fit_poisson"]

_STEPS = 100
_HALVINGS = 40
_NOTHING = 1e-14  # a decrement this small beside the loss is the floor of float64


def fit_poisson(X: Any, y: Floats, weights: Floats | None = None, offset: Floats | None = None) -> Floats:
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
    w = _squares(X, np.sqrt(c * mean), np.log(mean) - o)
    loss = _loss(X, y, c, o, w)
    for _ in range(_STEPS):
        mean = np.exp(np.minimum(X @ w + o, 700.0))
        step = _squares(X, np.sqrt(c * mean), y / mean - 1)
        decrement = float(np.sum(c * mean * (X @ step) ** 2))
        w, before = _moved(X, y, c, o, w, step, loss), loss
        loss = _loss(X, y, c, o, w)
        if decrement <= _NOTHING * (1 + abs(loss)) or loss >= before:
            break
    return np.asarray(w / sizes)


def _squares(X: Any, roots: Floats, target: Floats) -> Floats:
    """The shortest v with the least ‖roots·(X·v − target)‖."""
    if sp.issparse(X):
        scaled = sp.csr_array(sp.diags_array(roots) @ X)
        return np.asarray(lsmr(scaled, roots * target, atol=1e-14, btol=1e-14, maxiter=20 * sum(X.shape))[0])
    return np.asarray(np.linalg.lstsq(X * roots[:, None], roots * target, rcond=None)[0])


def _loss(X: Any, y: Floats, c: Floats, o: Floats, w: Floats) -> float:
    with np.errstate(over="ignore"):  # an infinite loss is only larger than any other
        s = X @ w + o
        return float(np.sum(c * (np.exp(s) - y * s)))


def _moved(X: Any, y: Floats, c: Floats, o: Floats, w: Floats, step: Floats, loss: float) -> Floats:
    """The weights after the step, which is halved until the loss is not larger than before."""
    for _ in range(_HALVINGS):
        if _loss(X, y, c, o, w + step) <= loss:
            return np.asarray(w + step)
        step = step / 2
    return w
