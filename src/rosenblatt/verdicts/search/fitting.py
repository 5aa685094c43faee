"""Overlap proved by a fit in floats, every rounding bounded: no long number is needed (docs/explanation/fitting.md).

Rows z overlap exactly where some λ > 0 has Σ λz = 0. Minimise Σ φ(z·w), where −φ′ is

    λ(s) = 1/(1 + s) for s ≥ 0,    1 − s for s < 0.

At a minimum Σ λz = 0, and there is one exactly where the rows overlap. λ falls like 1/s, so rows far from the plane
keep a weight that rounding cannot take away; the residuals of a logistic regression fall like exp(−s).

Nothing has to converge. Any floats μ > 0 are a proof if the little that Σ μz is away from zero can be made up for:
with c ≤ the least eigenvalue of Σ zzᵀ, the vector μ − Z(ZᵀZ)⁻¹Zᵀμ vanishes exactly, and where √h·‖Zᵀμ‖/√c < μ on
every row it is positive: h ≤ min(‖z‖²/c, 1) is a row's leverage. The bounds hold for all numbers that the floats may
stand for, so for decimals too.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Matrix, Places
from rosenblatt.exact import primitive
from rosenblatt.later import linalg
from rosenblatt.minimise import UP, ProvedInverse, positive_solution, product
from rosenblatt.threads import aside
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search.basis import Basis

__all__ = ["LARGEST_FIT", "Fit", "Fitted", "Step", "combine_surely"]

LARGEST_FIT = 6000  # weights: a matrix of so many squared takes 300 MB, and its factorisation five seconds
_STEPS, _WIDE_STEPS, _WIDE = 60, 12, 400  # steps, and those of the fit with more than so many weights
_HALVINGS = 30
_UNIT = 2.0**-53
_READ = 4 * _UNIT  # how far a float may be from the number it stands for, and from its quotient by the row's length
_FAINTEST = 1e-200  # squared: the length of a column of unit rows below which underflow would have to be counted
_TINY = 1e-40  # above everything that underflow takes from scaled rows whose columns are longer, and from their sums
_MODEST = (1e-100, 1e100)  # weights between these are not underflow themselves
_KEPT = 1 << 24  # values that are kept scaled; more are scaled again at each step
_DEPENDENT = 1e-11  # the part of a column that others leave over, squared, from which it counts as computed from them
_CLEAR = 1e-20  # of as many values of rows of length one
_RELATIVE = 1e-8  # how far a factor may be from the short fraction that it is taken for
_SIMPLE = 10**4  # the largest denominator of such a fraction
_WIDEST_NULL, _FEW_NULL, _MOST_NULL = (
    1000,
    200,
    8,
)  # weights up to which longer ones are worked out; up to all; how many
_ALL_ROWS = 1 << 23  # values of all rows up to which independent ones are sought among all


class Fitted(NamedTuple):
    """A proof that rows overlap: λ > 0 with Σ λz = 0 lies within rounding of `weights`.

    The weights are of the unit rows of `points`, whose columns may be others than the table's; `rows` are the rows'
    numbers in the table.
    """

    points: Points
    rows: Places
    weights: Floats


class Step(NamedTuple):
    """What is known after a step of Newton's method."""

    u: Floats  # weights for scaled columns before the step
    direction: Floats  # what a full step adds to them
    responses: Floats  # of the unit rows, to u
    change: Floats  # what a full step adds to them
    weights: Floats | None  # those that prove overlap

    @property
    def separates(self) -> bool:
        """Whether all rows are on their side, as far as floats can tell."""
        return bool(self.responses.min() > 0)

    @property
    def staying(self) -> Places:
        """Rows that the fit does not run away from: where it has no minimum, a step doubles all other responses."""
        return np.flatnonzero(self.change < 0.5 * (1.0 + self.responses))


class _Point(NamedTuple):
    """The loss at some weights."""

    w: Floats
    s: Floats  # the rows' responses
    rates: Floats  # −φ′ = λ
    bends: Floats  # φ″
    loss: float


class Fit:
    """The fit to the unit rows of some points; `columns` are independent, and span the others on every row.

    `of` returns None where it is not for these rows: too many weights, numbers that floats do not hold, or columns that
    are neither independent nor shown to be dependent.
    """

    def __init__(self, points: Points, columns: Places, null: list[list[int]], inverse: ProvedInverse) -> None:
        self.points, self.columns, self.null, self._proved_inverse = points, columns, null, inverse
        self._whole = columns.size == points.d
        self._kept = list(self._cut()) if points.n * columns.size <= _KEPT or points.rows.sparse else None
        squares = np.concatenate([_squared_lengths(Z, inverse.s) for _, _, Z in self._blocks()])
        self._lengths = np.sqrt(squares) * UP + _TINY  # of the rows, scaled as the inverse is
        trace = float(np.trace(inverse.A)) * UP
        self._off = (_error_of_sums(points) + _READ) * np.sqrt(trace) * UP + _TINY * points.n
        # of the true rows: their least singular value is not farther from the floats' than the floats are from them
        self._least = max(0.0, np.sqrt(inverse.least) - _READ * np.sqrt(trace) * UP - _TINY * points.n) ** 2 / UP

    @classmethod
    def of(cls, points: Points) -> "Fit | None":
        """The fit, ready to be made."""
        if points.d > LARGEST_FIT or not points.modest or points.hidden or points.n < 2:
            return None
        gram = points.gram if points.gram is not None else _moment_matrix(points)
        columns, null = np.arange(points.d), list[list[int]]()
        inverse = _proved_inverse(gram, points)
        if inverse is None:
            found = _dependences(points, gram)
            if found is None:
                return None
            columns, null = found
            inverse = _proved_inverse(gram[np.ix_(columns, columns)], points)
        return None if inverse is None else cls(points, columns, null, inverse)

    @property
    def clear(self) -> bool:
        """Whether floats tell all columns apart but those that are exactly computed from others.

        Responses to a relation that holds to ten digits, or several, are below 10⁻¹² on rows of length ½ or more, so
        ZᵀZ would have as many eigenvalues below this; its part in independent columns has none.
        """
        least = self._least / float(np.max(self._proved_inverse.s)) ** 2
        return self.points.bias and least > _CLEAR * self.points.n * self.points.d

    def _blocks(self) -> Iterator[tuple[int, int, Any]]:
        """The unit rows in pieces, in the columns of the fit."""
        return iter(self._kept) if self._kept is not None else self._cut()

    def _cut(self) -> Iterator[tuple[int, int, Any]]:
        for first, stop, Z in self.points.blocks():
            yield first, stop, Z if self._whole else Z[:, self.columns]

    def _times(self, w: Floats) -> Floats:
        return np.concatenate([Z @ w for _, _, Z in self._blocks()])

    def _mixed(self, weights: Floats) -> Floats:
        total = np.zeros(self.columns.size)
        for first, stop, Z in self._blocks():
            total += Z.T @ weights[first:stop]
        return total

    def _bent(self, bends: Floats) -> Floats:
        """Σ bend·zzᵀ."""
        total = np.zeros((self.columns.size, self.columns.size))
        for first, stop, Z in self._blocks():
            total += product(Z, bends[first:stop])
        return total

    # -- the proof

    def proves(self, weights: Floats) -> bool:
        """Whether some λ > 0 has Σ λz = 0: the weights, changed by less than each of them is."""
        least, largest = _MODEST
        if not (self._least > 0 and weights.min() > least and weights.max() < largest):  # false for nan, too
            return False
        rest = float(np.linalg.norm(self._proved_inverse.s * self._mixed(weights))) * UP
        rest += self._off * float(np.linalg.norm(weights)) * UP
        root = np.sqrt(self._least) / UP
        # the leverage of a row, z·(ZᵀZ)⁻¹·z, is at most ‖z‖²/c, and never above 1
        return bool(np.all(np.minimum(self._lengths / root * UP, 1.0) * (rest / root * UP) < weights * (1.0 - 1e-9)))

    # -- the fit

    def _at(self, w: Floats, s: Floats) -> _Point:
        beyond = s >= 0
        t = np.where(beyond, s, 0.0)
        rates = np.where(beyond, 1.0 / (1.0 + t), 1.0 - s)
        losses = np.where(beyond, -np.log1p(t), s * (0.5 * s - 1.0))
        return _Point(w, s, rates, np.where(beyond, rates * rates, 1.0), float(losses.sum()))

    def steps(self) -> Iterator[Step]:
        """The steps, one after the other; the first is at w = 0."""
        point = self._at(np.zeros(self.columns.size), np.zeros(self.points.n))
        for _ in range(_STEPS if self.columns.size <= _WIDE else _WIDE_STEPS):
            self.points.context.check()
            gradient = self._mixed(point.rates)
            step = self._solve(self._bent(point.bends), gradient)
            if step is None:
                return
            change = self._times(step)
            # to first order these are the residuals at the end of the step, and Σ of them times z vanishes
            weights = point.rates - point.bends * change
            proof = weights if self.proves(weights) else None
            yield Step(self._wide(point.w), self._wide(step), point.s, change, proof)
            moved = self._moved(point, step, change, float(gradient @ step))
            if moved is None:
                return
            point = moved

    def _wide(self, w: Floats) -> Floats:
        """Weights for all columns."""
        u = np.zeros(self.points.d)
        u[self.columns] = w
        return u

    def _moved(self, point: _Point, step: Floats, change: Floats, slope: float) -> _Point | None:
        """The next point: the step, halved until the loss falls."""
        t = 1.0
        for _ in range(_HALVINGS):
            new = self._at(point.w + t * step, point.s + t * change)
            if new.loss <= point.loss - 1e-4 * t * slope:
                return new
            t /= 2
        return None

    def _solve(self, H: Floats, gradient: Floats) -> Floats | None:
        """H⁻¹·gradient; None where floats see no such thing."""
        scale = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
        H *= scale * scale[:, None]
        for ease in (1e-14, 1e-11):
            A = H.copy()
            A.flat[:: len(A) + 1] += ease

            def solved(A: Floats = A) -> Floats:
                return positive_solution(A, gradient * scale) * scale

            try:
                return solved() if len(A) <= 500 else aside(solved, self.points.context)
            except np.linalg.LinAlgError:
                continue
        return None


def combine_surely(points: Points, rows: Places, c: Floats) -> bool:
    """Whether Σ μz = t·c for some μ > 0 on these rows and t > 0; c is for scaled columns. False also where floats fail.

    Of as many rows as weights: floats μ solve it but for a rest ρ, and Zᵀδ = ρ has |δ| ≤ ‖ρ‖/σ, with σ the least
    singular value of Z. Where that is below all μ, μ + δ is positive and solves it exactly.
    """
    if not points.modest or points.hidden or rows.size != points.d:
        return False
    Z, error = points.unit_rows(rows), (rows.size + 32) * _UNIT * UP
    gram = Z.T @ Z
    inverse = ProvedInverse.of(gram, error) if gram.diagonal().min() >= _FAINTEST else None
    if inverse is None:
        return False
    mu, size = np.linalg.solve(Z.T, c), np.sqrt(float(inverse.A.trace()) * UP) * UP
    least, largest = _MODEST
    sigma = (np.sqrt(inverse.least) - _READ * size - _TINY * rows.size) / UP
    if not (sigma > 0 and mu.min() > least and mu.max() < largest):
        return False
    rest = float(np.linalg.norm(inverse.s * (c - Z.T @ mu))) + 2 * _UNIT * float(np.linalg.norm(inverse.s * c))
    rest = rest * UP + ((error + _READ) * size + _TINY * rows.size) * float(np.linalg.norm(mu)) * UP + _TINY
    return bool(rest / sigma * UP < mu.min() * (1.0 - 1e-9))


def _error_of_sums(points: Points) -> float:
    """The relative error of a sum over all rows, in any order."""
    return (points.n + 32) * _UNIT * UP


def _squared_lengths(Z: Matrix, s: Floats) -> Floats:
    squares = Z.multiply(Z) if hasattr(Z, "multiply") else Z * Z
    return np.asarray(squares @ (s * s))


def _moment_matrix(points: Points) -> Floats:
    total = np.zeros((points.d, points.d))
    for _, _, Z in points.blocks():
        points.context.check()
        total += product(Z, np.ones(Z.shape[0]))
    return total


def _proved_inverse(gram: Floats, points: Points) -> ProvedInverse | None:
    if not len(gram) or gram.diagonal().min() < _FAINTEST:
        return None
    if len(gram) <= 500:
        return ProvedInverse.of(gram, _error_of_sums(points))
    return aside(lambda: ProvedInverse.of(gram, _error_of_sums(points)), points.context)


# -- columns that depend on each other


def _dependences(points: Points, gram: Floats) -> tuple[Places, list[list[int]]] | None:
    """Independent columns, and for each other one a whole-numbered v with z·v = 0 on every row; None: not shown."""
    diagonal = gram.diagonal()
    scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    scaled = gram * scale * scale[:, None]
    L, order, rank, _ = aside(lambda: linalg.lapack.dpstrf(scaled, tol=_DEPENDENT, lower=1), points.context)
    order = order.astype(np.int64) - 1
    kept, dropped = order[:rank], order[rank:]
    L = np.tril(L[:rank, :rank])
    factors = np.zeros((rank, dropped.size))
    if rank:
        right = scaled[np.ix_(kept, dropped)]
        factors = linalg.solve_triangular(L.T, linalg.solve_triangular(L, right, lower=True), lower=False)
    null = []
    for j, v in zip(dropped.tolist(), factors.T, strict=True):
        u = np.zeros(points.d)
        u[kept], u[j] = -v * scale[kept], scale[j] or 1.0
        w = _short_along(points, u, j)
        if w is None:
            return _worked_out(points, kept)
        null.append(w)
    return (np.sort(kept), null) if points.vanish(null) else _worked_out(points, kept)


def _short_along(points: Points, u: Floats, j: int) -> list[int] | None:
    """The short whole numbers along u, which is for scaled columns; None where they are not short. They are 1 at j."""
    felt = np.abs(u)
    used = np.flatnonzero(felt > _RELATIVE * felt.max())
    factors = np.ldexp(u[used] / u[j], points.exponents[j] - points.exponents[used])
    near = np.rint(factors)
    if np.abs(near).max() <= _SIMPLE and np.all(np.abs(near - factors) <= _RELATIVE * np.abs(factors)):
        w = [0] * points.d
        for k, a in zip(used.tolist(), near.tolist(), strict=True):
            w[k] = int(a)
        return primitive(w)
    fractions = {}
    for k, f in zip(used.tolist(), factors.tolist(), strict=True):
        short = Fraction(f).limit_denominator(_SIMPLE)
        if abs(float(short) - f) > _RELATIVE * abs(f):
            return None
        fractions[k] = short
    common = lcm(*(f.denominator for f in fractions.values()))
    w = [0] * points.d
    for k, short in fractions.items():
        w[k] = int(short * common)
    return primitive(w)


def _worked_out(points: Points, kept: Places) -> tuple[Places, list[list[int]]] | None:
    """The same in whole numbers of any length: an exact solution for each column that others span."""
    missing = points.d - kept.size
    if points.d > _WIDEST_NULL or (points.d > _FEW_NULL and missing > _MOST_NULL):
        return None
    size = points.n if points.n * points.d <= _ALL_ROWS else 4 * points.d
    rows = np.sort(np.random.default_rng(0).choice(points.n, min(points.n, size), replace=False))
    basis = Basis.of(points, rows)
    if basis.rows.size != kept.size:
        return None
    null = []
    for j in np.setdiff1d(np.arange(points.d), basis.columns).tolist():
        v = basis.pass_through([int(k == j) for k in range(points.d)])
        null.append(v)
    if not all(map(any, null)) or not points.vanish(null):
        return None
    return np.sort(np.array(basis.columns, dtype=np.int64)), null
