"""To the minimum of a logistic loss by passes over the rows (L-BFGS), where a matrix from all rows is dear.

A step of Newton's method forms Σ f·z' z'ᵀ. Where there are many rows for the columns, some of them stand for all: the
minimum of their loss is the start, and their curvature is the first guess of all rows' curvature, by which L-BFGS
(Nocedal & Wright 2006, algorithm 7.4) corrects each slope. Where there are too many columns for any matrix, that guess
is a diagonal. Products are made in one thread, block by block: the bits do not depend on the number of cores.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rosenblatt.arrays import Floats
from rosenblatt.minimise.losses import LogisticLoss
from rosenblatt.threads import one_thread

__all__ = ["Approach", "Reached"]

_BLOCK_VALUES, _SPARSE_VALUES = 1 << 18, 1 << 21  # looked at together: a dense block stays in the processor's cache
_SHARE = 0.3  # of what is to be reached by the ridge's proof, from which it is tried; then a part of that, and so on
_UNPROVED = 1e-12  # the same where nothing will be proved: as near as steps of Newton's method come
_PAIRS = 10  # moves that L-BFGS remembers
_HALVINGS = 20
_THIN = 1e-10  # a pivot's share of its diagonal entry up to which columns may be dependent
_NEAR = 1e-10  # decrement beside the loss of w = 0 up to which to go on: a few more passes, ten digits of the loss
_START_STEPS, _START_NEAR = 8, 1e-2  # of Newton's method on some of the rows
_CALL_VALUES, _FEWEST, _MOST = 1 << 32, 20, 200  # passes of one call, so that it ends in a few seconds

Solve = Callable[[Floats], Floats]


class Reached(NamedTuple):
    """Where the passes led: weights, and the decrement there beside the loss of w = 0."""

    W: Floats
    Q: float
    near: bool  # enough for the proof that follows
    stalled: bool  # float64 sees no more progress


class Approach:
    """Passes to the neighbourhood of the minimum; `tol` as in `Goal`."""

    def __init__(self, loss: LogisticLoss, tol: float) -> None:
        self.loss, self.tol = loss, tol
        self.enough = _SHARE * tol * loss.scale  # of decrement and slope: from here the ridge's proof is tried

    def go(self, W: Floats) -> Reached | None:
        """From W; None where some of the rows cannot stand for all."""
        with one_thread():
            found = self._begin(W)
            return None if found is None else self._descend(*found)

    def _begin(self, W: Floats) -> tuple[Floats, Solve] | None:
        """The start, in the columns' coordinates, and the first guess of the inverse curvature."""
        from rosenblatt.minimise.solver import Newton

        loss = self.loss
        if loss.part is None:
            diagonal = self._diagonal()
            return self._inward(W), lambda G: G / diagonal
        some = loss.some(loss.part, loss.columns.rows.n / len(loss.part))
        newton = Newton(some)
        point = newton.begin(W)
        for _ in range(_START_STEPS):
            point, _, Q, last = newton.step(point)
            if last or Q <= _START_NEAR:
                break
        if not loss.regularizer and not some.misplaced(point.W):
            return None  # they are separable: there is no minimum to begin at
        try:
            factor = cho_factor(point.curvature, lower=True)
        except (LinAlgError, ValueError):  # dependent columns; weights that are not finite
            return None
        if (factor[0].diagonal() ** 2 <= _THIN * point.curvature.diagonal()).any():
            return None
        return self._inward(point.W), lambda G: np.asarray(cho_solve(factor, G.ravel())).reshape(G.shape)

    def _inward(self, W: Floats) -> Floats:
        """v with w = T v."""
        columns = self.loss.columns
        V = W / columns.scale
        if columns.bias:
            V[:, -1] += W[:, :-1] @ columns.centre
        return np.asarray(V)

    def _diagonal(self) -> Floats:
        """About the curvature's diagonal."""
        loss, columns = self.loss, self.loss.columns
        squares = np.zeros(columns.d)
        for inside, X in self._blocks():
            c = loss.weights[inside]
            squares[: columns.rows.p] += (X * X if isinstance(X, np.ndarray) else X.multiply(X)).T @ c
            squares[columns.rows.p :] += c.sum()
        steep = (1.0 - 1.0 / loss.K) / loss.K
        pull = loss.regularizer * loss.penalised * (1.0 - (1.0 / loss.K if loss.M > 1 else 0.0))
        found = steep * squares * columns.left**2 + pull * columns.scale**2
        return np.asarray(np.where(found > 0, found, 1.0))

    def _blocks(self) -> "Iterator[tuple[slice, Any]]":
        """The rows, minus their centre, in blocks."""
        columns = self.loss.columns
        values = _SPARSE_VALUES if columns.rows.sparse else _BLOCK_VALUES
        size, n = max(256, int(values / max(columns.rows.width, self.loss.M))), columns.rows.n
        return columns.moved((first, min(n, first + size)) for first in range(0, n, size))

    def look(self, V: Floats) -> tuple[float, Floats]:
        """The loss and its gradient, in the columns' coordinates: one pass."""
        loss, columns = self.loss, self.loss.columns
        p, W = columns.rows.p, columns.move(V)
        w = V[:, :p] * columns.left[:p]  # so that X·w is z'·v
        G, value = np.zeros(V.shape), 0.0
        for inside, X in self._blocks():
            c = loss.weights[inside]
            S = (X @ w[0])[:, None] if len(w) == 1 else X @ w.T
            if columns.bias:
                S += V[:, p:].T
            terms = loss.terms_of(S if loss.offset is None else S + loss.offset[inside, None], loss.codes[inside])
            value += float(c @ terms.losses)
            R = terms.residuals * c[:, None]
            G[:, :p] += (X.T @ R).T
            G[:, p:] += R.sum(axis=0)[:, None]
        pull = loss.pull(W)
        return value + 0.5 * float(W.ravel() @ pull.ravel()), G * columns.left + columns.inward(pull)

    def _descend(self, V: Floats, solve: Solve) -> Reached:
        """L-BFGS from V; `solve` is the first guess of the inverse curvature."""
        columns, scale = self.loss.columns, max(self.loss.scale, np.finfo(np.float64).tiny)
        value, G = self.look(V)
        moves, changes = list[Floats](), list[Floats]()
        most = min(_MOST, max(_FEWEST, int(_CALL_VALUES / (columns.rows.n * (columns.rows.width + 8 * self.loss.M)))))
        Q, near, stalled = np.inf, False, False
        for _ in range(most):
            step = -_corrected(G, moves, changes, solve)
            Q = -float(step.ravel() @ G.ravel())
            near, stalled = self._is_near(V, G, Q), not 1e-16 * scale < Q
            if near or stalled:
                break
            found = None
            for part in 0.5 ** np.arange(_HALVINGS):
                new = V + part * step
                loss, slope = self.look(new)
                if loss <= value - 1e-4 * part * Q + 1e-14 * abs(value):
                    found = new, loss, slope
                    break
            if found is None:
                stalled = True
                break
            if (found[0] - V).ravel() @ (found[2] - G).ravel() > 0:
                moves, changes = [*moves[1 - _PAIRS :], found[0] - V], [*changes[1 - _PAIRS :], found[2] - G]
            V, value, G = found
        return Reached(columns.move(V), Q / scale, near, stalled)

    def _is_near(self, V: Floats, G: Floats, decrement: float) -> bool:
        """Whether the minimum is near, as far as floats tell; with a ridge alone, whether the proof holds."""
        loss = self.loss
        if loss.part is not None:
            return decrement <= min(_NEAR, self.tol) * loss.scale
        if not loss.regularizer:
            return decrement <= _UNPROVED * loss.scale
        if max(decrement, loss.ridge_distance(G)) > self.enough:
            return False
        self.enough *= _SHARE  # the biases may have a larger part in the proof's bound
        gap = loss.proved(loss.columns.move(V))[1]
        return gap is None or gap <= self.tol * loss.scale


def _corrected(G: Floats, moves: list[Floats], changes: list[Floats], solve: Solve) -> Floats:
    """The inverse curvature that the moves so far tell of, times G (the two loops of L-BFGS)."""
    g = G.ravel().copy()
    pairs = [(s.ravel(), y.ravel(), float(s.ravel() @ y.ravel())) for s, y in zip(moves, changes, strict=True)]
    factors = []
    for s, y, product in reversed(pairs):
        factors.append(float(s @ g) / product)
        g -= factors[-1] * y
    g = solve(g.reshape(G.shape)).ravel()
    if pairs:
        _, y, product = pairs[-1]
        g = g * (product / float(y @ solve(y.reshape(G.shape)).ravel()))
    for (s, y, product), factor in zip(pairs, reversed(factors), strict=True):
        g = g + (factor - float(y @ g) / product) * s
    return g.reshape(G.shape)
