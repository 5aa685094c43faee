"""The squared and the logistic loss, with gradient, curvature and a proved distance from the minimum.

Logistic, of two classes or many: K classes have M = K − 1 weight vectors: class k < M responds with s_k = w_k·z, the
last one with 0, and p_k = e^(s_k)/(1 + Σ e^(s_l)). Two classes: p = σ(s) of the positive one. The loss is
−Σ c_i·log p_(y_i), plus ½·δ·Σ‖w‖² without the biases (K > 2: of weights moved so that all K vectors add up to zero,
which gives the least).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Integers, Places, Signs
from rosenblatt.minimise.columns import UP, Columns, block, row_ranges
from rosenblatt.minimise.directions import Dependence, dependent_columns, exact_signs
from rosenblatt.minimise.gap import ProvedInverse, decrement

__all__ = ["LogisticLoss", "Point", "RowTerms", "SquaredLoss"]


class SquaredLoss:
    """The squared loss of rows and their weights; labels are arguments of `at` and `gap`: many share one curvature."""

    def __init__(
        self, columns: Columns, weights: Floats | None = None, ridge: float = 0.0, free_bias: bool = False
    ) -> None:
        self.columns, self.ridge, self.free_bias = columns, ridge, free_bias and columns.bias
        self.held = np.ones(columns.d)  # which weights the ridge holds
        self.held[columns.d - self.free_bias :] = 0.0
        self.weights = np.ones(columns.rows.n) if weights is None or not weights.size else weights

    @cached_property
    def curvature(self) -> Floats:
        """Σ c·z' z'ᵀ, plus the ridge on every weight that it holds."""
        A = self.columns.gram(self.weights)
        if self.ridge:
            A += self.ridge * self.columns.ridge(self.held)
        return A

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others."""
        return dependent_columns(self.columns, self.weights > 0)

    def at(self, w: Floats, y: Signs) -> float:
        """The loss."""
        errors = y - self.columns.rows.respond(w)
        return float(0.5 * (self.weights @ (errors * errors)) + self._penalty(w))

    def _penalty(self, w: Floats) -> float:
        return 0.5 * self.ridge * float(w @ (self.held * w)) if self.ridge else 0.0

    def gap(self, w: Floats, y: Signs) -> float | None:
        """A proved bound on loss − minimum; None where there is no proof."""
        columns = self.columns
        errors = columns.rows.respond(w) - y
        eta = columns.doubt(w) + 2.0**-52
        off = np.abs(errors) + eta
        # the minimum is at least zero, so the whole loss is a bound too
        whole = (0.5 * float(self.weights @ (off * off)) + self._penalty(w)) * (UP + columns.rounding)
        (gradient,) = columns.transposed((self.weights * errors)[:, None])
        doubt = np.full(columns.d, float(self.weights @ (eta + columns.rounding * off)) * UP)
        if self.ridge:
            gradient += self.ridge * columns.inward(self.held * w)
            doubt += (columns.d + 16) * 2.0**-52 * self.ridge * columns.inward_size(np.abs(w))
        bounds = [whole, self._half(gradient, doubt, np.arange(columns.d))]
        if bounds[1] is None and not self.ridge and self.dependence and self.dependence.exact:
            bounds.append(self._half(gradient, doubt, np.setdiff1d(np.arange(columns.d), self.dependence.dropped)))
        known = [b for b in bounds if b is not None and np.isfinite(b)]
        return min(known, default=None)

    def _half(self, gradient: Floats, doubt: Floats, kept: Integers) -> float | None:
        rounding = self.columns.rounding + (self.columns.d + 16) * 2.0**-53
        found = decrement(self.curvature[np.ix_(kept, kept)], gradient[kept], rounding, doubt[kept])
        return None if found is None else 0.5 * found.Q * UP


_EXP = 64 * 2.0**-53  # bounds the relative error of a probability whose response is exact, if exp is within 8 ulp
_LARGEST_RESPONSE = 700.0  # beyond, probabilities underflow in float64
LARGEST = 3000  # weights up to which a matrix is formed
_DEAR = 2e8  # rows·weights²: from here the curvature of all rows takes longer than many passes
_PART_ROWS, _PART_TIMES = 1000, (20, 50)  # rows that stand for all: so many, and so many times the weights
_PART_SHARE = 40  # within these: one of so many
_STEEPEST = 0.5  # |z·u| up to which the corrected probabilities of `gap` are surely between 0 and 1


@dataclass(frozen=True)
class Point:
    """The loss at some weights; gradient and curvature are in the coordinates of `Columns`."""

    W: Floats  # M × d, in the caller's coordinates
    loss: float
    P: Floats  # n × M
    residuals: Floats  # n × M: p − (1 where it is the class), without cancellation
    others: Floats  # n: the probability of all classes but the row's own
    gradient: Floats  # M × d
    curvature: Floats  # M·d × M·d, or empty where it was not asked for


class RowTerms(NamedTuple):
    """What each row contributes at some weights."""

    P: Floats  # n × M
    P0: Floats  # n: of the class that responds with 0
    residuals: Floats
    others: Floats
    losses: Floats


def _two_class_terms(s: Floats, codes: Integers) -> RowTerms:
    """The same for two classes, in fewer passes over the numbers."""
    ahead, first = s > 0, codes == 0
    with np.errstate(under="ignore"):
        e = np.exp(-np.abs(s))
    total = 1.0 + e
    P, P0 = np.where(ahead, 1.0, e) / total, np.where(ahead, e, 1.0) / total
    others, residuals = np.where(first, P0, P), np.where(first, -P0, P)
    losses = np.log1p(e) + np.where(ahead == first, 0.0, np.abs(s))
    return RowTerms(P[:, None], P0, residuals[:, None], others, losses)


class LogisticLoss:
    """Σ c_i·(−log p) over rows with class codes 0 … M; class M is the one that responds with 0."""

    still = 0.0  # Q up to which no further step is made

    def __init__(
        self,
        columns: Columns,
        codes: Integers,
        classes: int = 2,
        weights: Floats | None = None,
        regularizer: float = 0.0,
        offset: Floats | None = None,
    ) -> None:
        self.columns, self.codes, self.K, self.M = columns, codes, classes, classes - 1
        self.weights = np.ones(columns.rows.n) if weights is None or not weights.size else weights
        self.regularizer, self.offset = regularizer, offset
        self.scale = float(self.weights.sum()) * float(np.log(classes))  # the loss of w = 0
        self.only = False  # whether a proof has shown that there is one minimum only: its matrix is definite
        self._near: Point | None = None  # the last ones that were asked for
        self._proved: tuple[Floats, tuple[float, float | None]] | None = None

    @property
    def dense(self) -> bool:
        """Whether a matrix with a row for each weight is formed."""
        return self.M * self.columns.d <= LARGEST

    # --------------------------------------------------------------------------------------------------------- at w

    def responses(self, W: Floats) -> Floats:
        """s, n × M."""
        S = np.column_stack([self.columns.rows.respond(w) for w in W])
        return S if self.offset is None else S + self.offset[:, None]

    def at(self, W: Floats, curvature: bool = True) -> Point:
        """Everything there is to know at these weights."""
        terms = self.row_terms(W)
        gradient, H = self._derivatives(terms, curvature)
        value = float(self.weights @ terms.losses)
        return self._with_ridge(Point(W, value, terms.P, terms.residuals, terms.others, gradient, H))

    def near(self, W: Floats) -> Point:
        """The same without curvature; the last one is kept, for the proof at the end of a run."""
        if self._near is None or not np.array_equal(self._near.W, W):
            self._near = self.at(W, False)
        return self._near

    def row_terms(self, W: Floats) -> RowTerms:
        """What each row contributes at these weights."""
        return self.terms_of(self.responses(W), self.codes)

    def terms_of(self, S: Floats, codes: Integers) -> RowTerms:
        """What rows of these classes contribute, given their responses."""
        if self.M == 1:
            return _two_class_terms(S[:, 0], codes)
        own = np.where(codes < self.M, S[np.arange(len(S)), np.minimum(codes, self.M - 1)], 0.0)
        top = np.maximum(S.max(axis=1, initial=0.0), 0.0)
        with np.errstate(under="ignore"):
            E, E0 = np.exp(S - top[:, None]), np.exp(-top)
            total = E.sum(axis=1) + E0
            P, P0 = E / total[:, None], E0 / total
        residuals = P.copy()
        mine = np.arange(self.M) == codes[:, None]
        others = np.where(mine, 0.0, P).sum(axis=1) + np.where(codes < self.M, P0, 0.0)
        residuals[mine] = -others[codes < self.M]
        losses = np.where(others < 0.5, -np.log1p(-np.minimum(others, 0.5)), np.log(total) + top - own)
        return RowTerms(P, P0, residuals, others, losses)

    def curvature_factors(self, terms: RowTerms, inside: slice) -> Iterator[tuple[int, int, Floats]]:
        """(k, l, f) with Σ f·z' z'ᵀ the curvature's part of classes k ≤ l; f ≥ 0 where k = l, else f ≤ 0."""
        c, p = self.weights[inside], terms.P[inside]
        rest = terms.P0[inside, None] + p @ (1.0 - np.eye(self.M))  # 1 − p without cancellation
        for k in range(self.M):
            for l in range(k, self.M):  # noqa: E741
                yield k, l, c * p[:, k] * (rest[:, k] if k == l else -p[:, l])

    def _with_ridge(self, point: Point) -> Point:
        if not self.regularizer:
            return point
        W, curvature = point.W, point.curvature
        if curvature.size:
            curvature = curvature + np.kron(self.mixing, self.columns.ridge(self.regularizer * self.penalised))
        penalty = 0.5 * float(W.ravel() @ self.pull(W).ravel())
        gradient = point.gradient + self.columns.inward(self.pull(W))
        return replace(point, loss=point.loss + penalty, gradient=gradient, curvature=curvature)

    def noise(self, W: Floats) -> float:
        """About the rounding error of the loss, where responses are small differences of large numbers."""
        size = max(self.columns.doubt(w) for w in W) / (self.columns.d + 16)
        return float(size * np.sqrt(self.weights @ self.weights))

    def _derivatives(self, terms: RowTerms, curvature: bool) -> tuple[Floats, Floats]:
        d, M = self.columns.d, self.M
        gradient = self.columns.transposed(terms.residuals * self.weights[:, None])
        if not curvature:
            return gradient, np.empty((0, 0))
        H = np.zeros((M, d, M, d))
        for k, l, factors in self.curvature_factors(terms, slice(None)):  # noqa: E741
            H[k, :, l, :] = H[l, :, k, :] = self.columns.gram(factors)
        return gradient, H.reshape(M * d, M * d)

    @cached_property
    def penalised(self) -> Floats:
        """1 for weights, 0 for the bias."""
        return np.append(np.ones(self.columns.rows.p), np.zeros(int(self.columns.bias)))

    @cached_property
    def mixing(self) -> Floats:
        """How the ridge couples the classes: K vectors that add up to zero, written as M."""
        return np.eye(self.M) - (1.0 / self.K if self.M > 1 else 0.0)

    def pull(self, W: Floats) -> Floats:
        """The ridge's gradient in the caller's coordinates."""
        return np.asarray(self.regularizer * (self.mixing @ W) * self.penalised)

    def misplaced(self, W: Floats) -> int:
        """Rows of positive weight whose class does not respond most."""
        S = np.column_stack([self.responses(W), np.zeros(self.columns.rows.n)])
        rows = np.arange(len(S))
        own = S[rows, self.codes].copy()
        S[rows, self.codes] = -np.inf
        return int(np.count_nonzero((own <= S.max(axis=1)) & (self.weights > 0)))

    def ahead(self, k: int, v: Floats) -> bool:
        """Whether v·z > 0 for every row of class k and positive weight, in exact arithmetic."""
        mine = (self.codes == k) & (self.weights > 0)
        return bool((exact_signs(self.columns, mine, v)[mine] > 0).all())

    # ------------------------------------------------------------------------------------------------- some of the rows

    @cached_property
    def part(self) -> Places | None:
        """Rows, evenly spread, whose curvature may stand for that of all; None where all rows are few enough."""
        n, size = self.columns.rows.n, self.M * self.columns.d
        few, many = (max(_PART_ROWS, times * size) for times in _PART_TIMES)
        m = min(max(few, n // _PART_SHARE), many)
        if not self.dense or n < 3 * m or n * size**2 < _DEAR:
            return None
        each = np.arange(m) * n // m  # one row drawn from each stretch: rows that repeat in turn are no trap
        return each + np.random.default_rng(0).integers(0, n // m, size=m)

    def some(self, chosen: Places, times: float = 1.0) -> "LogisticLoss":
        """The loss of these rows alone, each counted so many times."""
        columns = replace(self.columns, rows=self.columns.rows.subset(chosen))
        offset = None if self.offset is None else self.offset[chosen]
        weights = self.weights[chosen] * times
        return LogisticLoss(columns, self.codes[chosen], self.K, weights, self.regularizer, offset)

    # ------------------------------------------------------------------------------------------------------- the gap

    def proved(self, W: Floats) -> tuple[float, float | None]:
        """The loss at W, and a proved bound on its distance from the minimum; None where there is no proof.

        In the proof the corrections of the probabilities may be those of some rows alone, and all others stay as they
        are: then A is the curvature of some rows. It bounds less sharply, and costs next to nothing.
        """
        if self._proved is None or not np.array_equal(self._proved[0], W):
            self._proved = W, self._prove(W)
        return self._proved[1]

    def _prove(self, W: Floats) -> tuple[float, float | None]:
        if not self.dense and self.columns.rows.n:
            point = self.near(W)
            return point.loss, self._ridge_gap(point)
        if self.part is not None:
            point = replace(self.near(W), curvature=self.some(self.part).at(W).curvature)
            if (gap := self.gap(point)) is not None:
                return point.loss, gap
        point = self.at(W)
        return point.loss, self.gap(point)

    @cached_property
    def dependence(self) -> Dependence:
        """Columns that are combinations of others."""
        return dependent_columns(self.columns, self.weights > 0)

    def shortest(self, W: Floats) -> Floats:
        """The weights with the same responses as W whose norm is least, where columns depend on each other.

        The norm is that of weights for columns scaled to length one.
        """
        if self.regularizer or not self.dependence:
            return W
        return np.array([self.dependence.shortest(w, self._lengths) for w in W])

    @cached_property
    def _lengths(self) -> Floats:
        """The lengths of the caller's columns, a row of weight 2 counted twice; 1 for a column of zeros."""
        total = np.zeros(self.columns.d)
        scale = np.where(self.columns.largest > 0, self.columns.largest, 1.0)
        for first, stop in row_ranges(self.columns.rows):
            Z = block(self.columns.rows, first, stop, self.columns.bias) * (1.0 / scale)
            total += (Z * Z).T @ self.weights[first:stop]
        return np.where(total > 0, scale * np.sqrt(total), 1.0)

    def gap(self, point: Point) -> float | None:
        """A proved bound on loss − minimum, which proves that there is a minimum; None where there is no proof."""
        columns = self.columns
        found = self._bound(point, np.arange(columns.d))
        self.only = self.only or found is not None
        if found is None and not self.regularizer and self.dependence and self.dependence.exact:
            found = self._bound(point, np.setdiff1d(np.arange(columns.d), self.dependence.dropped))
        return None if found is None else self._true_distance(point, found)

    def _true_distance(self, point: Point, found: float) -> float | None:
        """The bound that holds for the exact responses, given the one for the probabilities as computed."""
        columns = self.columns
        eta = sum(columns.doubt(w) for w in point.W) * 2.0
        if eta > 1e-3 or self._largest_response(point) > _LARGEST_RESPONSE:
            return None
        relative = 3.0 * eta + _EXP
        off = relative * float(np.sqrt((self.K + 1) * self._doubted(point)[0])) * UP
        return float((np.sqrt(found * (1.0 + 4.0 * relative)) + off) ** 2 * UP)

    def ridge_distance(self, gradient: Floats) -> float:
        """‖g‖²/2δ for all K weight vectors, without the biases."""
        g = (gradient / self.columns.scale)[:, : self.columns.rows.p]
        last = float(np.sum(g.sum(axis=0) ** 2)) if self.M > 1 else 0.0
        return (float(np.sum(g * g)) + last) / (2.0 * self.regularizer)

    def _ridge_gap(self, point: Point) -> float | None:
        """A bound by passes alone: the ridge curves by δ in every direction, but for the biases.

        For probabilities q with Σ c(y − q) = 0 in every class, loss − minimum ≤ Σ c·KL(q‖p) + ‖Σ c(q − y)x + δw‖²/2δ.
        Here q = p + (diag p − ppᵀ)t, with the t that solves these equations, and KL ≤ χ².
        """
        if not self.regularizer:
            return None
        columns, M, bias = self.columns, self.M, self.columns.bias
        total, c = self._doubted(point)[1], self.weights
        sizes = self.regularizer * (np.abs(self.mixing) @ np.abs(point.W)) * self.penalised
        doubt = np.full((M, columns.d), columns.rounding * total * UP)
        doubt += (columns.d + self.K + 16) * 2.0**-52 * columns.inward_size(sizes)
        gradient, moved, more = point.gradient, 0.0, 0.0
        if bias:
            rounding = (len(c) + 32) * 2.0**-53 * UP
            B = np.diag(c @ point.P) - (point.P * c[:, None]).T @ point.P
            inverse = ProvedInverse.of(B, rounding)
            if inverse is None:
                return None
            g = gradient[:, -1]
            t = -np.linalg.solve(B, g)
            left = doubt[:, -1] + 2.0 * rounding * float(B.trace()) * np.abs(t).sum()
            (moved,), (reach,) = inverse.forms(g[:, None], doubt[:, -1])
            _, (slip,) = inverse.forms((g + B @ t)[:, None], left)  # how far t may be from the solution
            if not reach <= _STEEPEST or not np.isfinite(slip):
                return None
            change = point.P * (t - (point.P @ t)[:, None])
            gradient = gradient + columns.transposed(change * c[:, None])
            # |q − p| ≤ 2·p·max|t| and |z'| ≤ 1
            shares = np.append(c @ point.P, float(c.sum() - (c @ point.P).sum()) if M > 1 else 0.0)
            lengths = np.linalg.norm(1.0 / columns.scale[: columns.rows.p]) / np.sqrt(2.0 * self.regularizer)
            more = float(2.0 * (slip + columns.rounding * reach) * np.linalg.norm(shares) * lengths * UP)
        distance = self._true_distance(point, float(moved))
        if distance is None:
            return None
        ridge = np.sqrt(self.ridge_distance(gradient)) + np.sqrt(self.ridge_distance(doubt)) + more
        return float((distance + ridge**2 * (UP + 8.0 * columns.d * 2.0**-53)) * UP)

    def _doubted(self, point: Point) -> tuple[float, float]:
        """Σ c·(the probability of other classes), and Σ c·(the largest residual), over all rows."""
        return float(self.weights @ point.others), float(self.weights @ np.abs(point.residuals).max(axis=1))

    def _largest_response(self, point: Point) -> float:
        """The largest |response| of a row of positive weight."""
        return float(np.abs(self.responses(point.W)[self.weights > 0]).max(initial=0.0))

    def _bound(self, point: Point, kept: Integers) -> float | None:
        """A bound on Q over these columns; None where a corrected probability may be outside 0 … 1."""
        columns, d, M = self.columns, self.columns.d, self.M
        places = (np.arange(M)[:, None] * d + kept).ravel()
        total = self._doubted(point)[1]
        doubt = np.full((M, d), columns.rounding * total * UP)
        if self.regularizer:
            sizes = self.regularizer * (np.abs(self.mixing) @ np.abs(point.W)) * self.penalised
            doubt += (d + self.K + 16) * 2.0**-52 * columns.inward_size(sizes)
        found = decrement(
            point.curvature[np.ix_(places, places)],
            point.gradient.ravel()[places],
            columns.rounding + (d + self.K + 16) * 2.0**-53,
            doubt.ravel()[places],
        )
        return None if found is None or found.reach > _STEEPEST else found.Q
