"""The convergence theorem in numbers: how many corrections a run can make, and between which curves ‖w‖² must stay.

Let z = y·(x, 1), let ŵ separate, δ = min ŵ·z and ε = max‖z‖². Every correction adds at least ηδ to ŵ·w, and at most η²ε
to ‖w‖², because a mistake has w·z ≤ 0. So after k corrections from w(0)

    max(0, ŵ·w(0) + kηδ)² / ‖ŵ‖²  ≤  ‖w(k)‖²  ≤  ‖w(0)‖² + kη²ε .

The left side is a parabola in k and the right side is a line, so k cannot be larger than the larger root. From w(0) = 0
the root is (R/γ)² with R² = ε and γ = δ/‖ŵ‖ (Novikoff 1962). With a `margin` > 0 a run also corrects rows that have
w·z > 0, and no such bound holds.

For K classes that learn together (Kesler's construction) the same theorem holds for longer vectors. Then ŵ holds the
weights of all classes. A row of class y and a wrong class k give a z with (x, 1) in the place of y and −(x, 1) in the
place of k. So ŵ·z = ŵ_y·(x, 1) − ŵ_k·(x, 1), and ε = max 2‖(x, 1)‖².
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Integers, Labels, Signs
from rosenblatt.data.numbers import Rows, as_rows, label_values, pieces, signs_of
from rosenblatt.exact import integers
from rosenblatt.learners.runs.examples import Examples
from rosenblatt.models import JointTrace, Trace

__all__ = ["Bounds", "ConvergenceCurve", "convergence", "mistake_bound", "perceptron_criterion", "perceptron_gradient"]


def __dir__() -> list[str]:
    return __all__


Weights = npt.ArrayLike | Sequence[Fraction]

_EXTRA_BITS = 128  # of the rational number that stands for an irrational length
_BLOCK_VALUES = 1 << 18


@checked
def mistake_bound(
    X: Any,
    y: Any,
    w_star: Any,
    start: Any = None,
    eta: float = 1.0,
    fit_intercept: bool = True,
    *,
    sample_weight: Any = None,
    normalize: bool = False,
) -> int:
    """The largest number of corrections a perceptron can make before it separates, proved by one separating vector.

    The arithmetic is exact: every float is taken as the rational number that it is. The bound holds for any order and
    any tie rule, but not with a margin.

    Parameters
    ----------
    X, y : rows and labels
        The data. One class alone counts as +1: then the rows are z already (P ∪ −N). With K > 2 classes the bound is
        that of `Perceptron(multiclass="kesler")`.
    w_star : array of d numbers, the bias last; for K > 2 classes (K, d)
        A vector with y·(w·x + b) > 0 on every row. For K classes: weights that give each row's own class the highest
        score, one row per class in the order of the sorted labels. Floats, integers or fractions. The larger their
        margin, the smaller the bound.
    start : array of the same shape, optional
        w(0); zeros if not given.
    eta : float
        The step.
    fit_intercept : bool
        Whether the last weight is a bias.
    sample_weight : array, optional
        Row weights. They scale the steps, so R and γ are those of the scaled vectors. A row of weight zero is absent.
    normalize : bool
        Bound a run on z/‖z‖ instead of z.

    Examples
    --------
    >>> mistake_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], w_star=[2, 2, -3])
    51
    >>> mistake_bound([[0], [1], [2]], ["a", "b", "c"], w_star=[[-2, 2], [0, 1], [2, -2]])
    170
    """
    rows = as_rows(X)
    problem: Extremes | JointExtremes
    if len(label_values(y)) > 2:
        problem = JointExtremes(rows, np.asarray(y), w_star, fit_intercept, sample_weight, normalize)
    else:
        problem = Extremes(rows, signs_of(y, rows.n), w_star, fit_intercept, sample_weight, normalize)
    if not 0 < eta < np.inf:
        raise ValueError(f"eta must be positive and finite; it is {eta}.")
    w0 = _weights_as_fractions("start", np.zeros(len(problem.w)) if start is None else start, len(problem.w))
    delta, epsilon, eta_exact = problem.delta(), problem.epsilon(), Fraction(eta)
    ahead = sum((a * b for a, b in zip(problem.w, w0, strict=True)), Fraction(0))
    w_sq = sum((v * v for v in problem.w), Fraction(0))
    # (ahead + nηδ)² ≤ ‖ŵ‖²·(‖w0‖² + nη²ε):  a·n² + b·n + c ≤ 0
    a = (eta_exact * delta) ** 2
    b = 2 * eta_exact * delta * ahead - w_sq * eta_exact**2 * epsilon
    c = ahead**2 - w_sq * sum((v * v for v in w0), Fraction(0))
    scale = lcm(a.denominator, b.denominator, c.denominator)
    A, B, C = int(a * scale), int(b * scale), int(c * scale)
    return (isqrt(B * B - 4 * A * C) - B) // (2 * A)


@dataclass(frozen=True)
class Bounds:
    """The theorem's bounds after any number k of corrections, also after more than a run made."""

    along: float  # ŵ·w(0)
    gain: float  # ηδ: a correction adds at least this to ŵ·w
    begin: float  # ‖w(0)‖²
    growth: float  # η²ε: a correction adds at most this to ‖w‖²
    w_star_sq: float  # ‖ŵ‖²

    def lower(self, k: Integers | Floats | int) -> Floats:
        """A lower bound on ‖w(k)‖²: zero as long as ŵ·w may be negative, then a parabola."""
        return np.asarray(np.maximum(0.0, self.along + k * self.gain) ** 2 / self.w_star_sq)

    def upper(self, k: Integers | Floats | int) -> Floats:
        """An upper bound on ‖w(k)‖²: a straight line."""
        return np.asarray(self.begin + k * self.growth)

    def cos(self, k: Integers | Floats | int) -> Floats:
        """A lower bound on the cosine: −1 as long as ŵ·w may be negative; NaN where w = 0, which has no angle."""
        ahead = self.along + k * self.gain
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(ahead < 0, -1.0, ahead / np.sqrt(self.upper(k) * self.w_star_sq))


@dataclass(frozen=True)
class ConvergenceCurve:
    """‖w(k)‖² between its bounds, and the angle to w*, for k = 0 … corrections.

    `lower` grows like k², `upper` like k; `cos` is at least `cos_bound`, which grows like √k and cannot pass 1.
    """

    k: Integers
    norm_sq: Floats
    lower: Floats
    upper: Floats
    cos: Floats  # NaN where w = 0
    cos_bound: Floats
    bound: int | None  # the mistake bound; None where the steps differ or there are none
    bounds: Bounds  # lower, upper and cos_bound beyond the corrections made


@checked
def convergence(trace: Trace, X: Any, y: Any, w_star: Any) -> ConvergenceCurve:
    """The theorem's curves for one recorded run on two classes (without a margin) and a separating `w_star`.

    If all steps of the run have one size η, δ and ε are taken over all rows. If they differ (row weights, `normalize`),
    δ and ε are taken over the corrections that were made.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> curve = convergence(rb.Perceptron(trace=True).fit(X, y).trace_, X, y, w_star=[2, 2, -3])
    >>> bool(np.all(curve.lower <= curve.norm_sq) and np.all(curve.norm_sq <= curve.upper))
    True
    """
    from rosenblatt.kernels.passes import walk

    if not isinstance(trace, Trace):
        raise TypeError(
            f"convergence takes one Trace, not a {type(trace).__name__}; of K > 2 classes, take trace_[k] with "
            f"y == classes_[k]."
        )
    if isinstance(trace, JointTrace):
        raise TypeError(
            "these curves are of one weight vector, and this trace is of several that learn together; mistake_bound "
            "has their bound."
        )
    rows = as_rows(X)
    d = trace.start.size
    problem = Extremes(rows, signs_of(y, rows.n), w_star, d > rows.p)
    w_hat = np.array([float(v) for v in problem.w])
    norm_sq, along = np.empty(len(trace) + 1), np.empty(len(trace) + 1)
    w = trace.start.copy()
    done = 0
    while done <= len(trace):  # a compiled call lasts a few milliseconds, so that Ctrl-C works
        stop = min(len(trace) + 1, done + max(1, (1 << 22) // d))
        walk(rows.kernel, trace.rows, trace.steps, w, w_hat, norm_sq, along, done, stop)
        done = stop
    k = np.arange(len(trace) + 1)
    sizes = np.abs(trace.steps)
    problem.delta()  # refuses a w_star that does not separate
    bound = None
    if len(trace) == 0:
        gain = growth = 0.0
    elif np.all(sizes == sizes[0]):
        eta = float(sizes[0])
        gain, growth = eta * float(problem.delta()), eta**2 * float(problem.epsilon())
        bound = mistake_bound(rows, y, w_star, trace.start, eta, d > rows.p)
    else:
        corrected, first = np.unique(trace.rows, return_index=True)
        block = rows.take(corrected)
        z = np.column_stack([block, np.ones(len(block))]) if d > rows.p else block
        z = z * trace.steps[first, None]
        gain, growth = float(np.min(z @ w_hat)), float(np.max(np.sum(z * z, axis=1)))
    w_hat_sq = float(np.sum(w_hat * w_hat))
    bounds = Bounds(float(along[0]), gain, float(norm_sq[0]), growth, w_hat_sq)
    with np.errstate(invalid="ignore", divide="ignore"):
        cos = along / np.sqrt(norm_sq * w_hat_sq)
    return ConvergenceCurve(k, norm_sq, bounds.lower(k), bounds.upper(k), cos, bounds.cos(k), bound, bounds)


# ------------------------------------------------------------------------------------------- the perceptron criterion


@checked
def perceptron_criterion(X: Any, y: Any, w: Any, fit_intercept: bool = True) -> float:
    """E(w) = −Σ y·(w·x + b) over the rows on the wrong side, the loss of a perceptron: piecewise linear, never < 0.

    Parameters
    ----------
    X, y : rows and labels of two classes
        The data. One class alone counts as +1.
    w : array of d numbers, the bias last
        The weights.
    fit_intercept : bool
        Whether the last weight is a bias.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> perceptron_criterion(X, y, [1, 1, -0.5])  # (0, 1) and (1, 0) are wrong by 0.5 each
    1.0
    >>> perceptron_criterion(X, y, [2, 2, -3])
    0.0
    """
    examples, w = _at(X, y, w, fit_intercept)
    return float(np.sum(np.maximum(0.0, -(examples.y * examples.rows.respond(w)))))


@checked
def perceptron_gradient(X: Any, y: Any, w: Any, fit_intercept: bool = True) -> Floats:
    """∇E(w) = −Σ y·(x, 1) over the mistakes y·(w·x + b) ≤ 0; `BatchPerceptron` steps against it.

    Where a row is on the plane, E has a corner and no gradient. There this is a subgradient, one of its slopes: the one
    with which a descent leaves w = 0. Parameters as in `perceptron_criterion`.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> perceptron_gradient(X, y, [1, 1, -0.5])
    array([1., 1., 2.])
    """
    from rosenblatt.kernels.kinds import Rosenblatt

    examples, w = _at(X, y, w, fit_intercept)
    return 0.0 - examples.slope(Rosenblatt(1.0, True, True, False), w)[0]


def _at(X: Any, y: npt.ArrayLike, w: npt.ArrayLike, fit_intercept: bool) -> tuple[Examples, Floats]:
    """The examples, and weights that fit them."""
    rows = as_rows(X)
    radius_sq = rows.radius_sq(fit_intercept)  # refuses NaN and inf
    examples = Examples(rows, signs_of(y, rows.n), np.empty(0), fit_intercept, radius_sq)
    weights = np.array(w, dtype=np.float64).ravel()
    if len(weights) != examples.d or not np.isfinite(weights).all():
        raise ValueError(f"w must be {examples.d} finite numbers, the bias last; it has {len(weights)}.")
    return examples, weights


def _weights_as_fractions(name: str, values: Weights, number: int) -> list[Fraction]:
    """So many weights as fractions; refuses another number of them, and what is not a finite number."""
    given = np.asarray(values, dtype=object).ravel()
    if len(given) != number:
        raise ValueError(f"{name} must have {number} weights, the bias last; it has {len(given)}.")
    try:
        return [Fraction(v) for v in given]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must have finite numbers; it is {values!r}.") from None


class Extremes:
    """δ = min ŵ·(s z) and ε = max‖s z‖² in exact rationals; s are row weights, 1/‖z‖ or one.

    A float pass finds the few rows that can be extreme; only those are looked at exactly.
    """

    def __init__(
        self,
        rows: Rows,
        y: Signs,
        w_star: Weights,
        fit_intercept: bool,
        sample_weight: npt.ArrayLike | None = None,
        normalize: bool = False,
    ) -> None:
        self.rows, self.y = rows, y
        self.d = rows.p + fit_intercept
        rows.radius_sq(fit_intercept)  # refuses NaN and inf
        self.normalize = normalize
        self.w = _weights_as_fractions("w_star", w_star, self.d)
        weights = np.broadcast_to(np.float64(1.0), rows.n) if sample_weight is None else sample_weight
        self.weights = np.asarray(weights, dtype=np.float64)
        if self.weights.shape != (self.rows.n,) or not np.all(self.weights >= 0) or not self.weights.any():
            raise ValueError(f"sample_weight must be {self.rows.n} numbers ≥ 0, not all zero.")

    def delta(self) -> Fraction:
        """The smallest gain; refuses a w_star that does not separate."""
        smallest, row = self.least()
        if smallest <= 0:
            raise ValueError(
                f"w_star does not separate the classes: y·(w·x + b) is not above 0 for row {row}; the bound needs it "
                f"above 0 for every row."
            )
        return smallest

    def least(self) -> tuple[Fraction, int]:
        """The smallest gain, whatever its sign, and the first row that has it."""
        return min(
            (min(values), int(rows[values.index(min(values))]))
            for rows, values in ((rows, self._gains(rows)) for rows in self._blocks(self._near_smallest_gain()))
        )

    def epsilon(self) -> Fraction:
        """The largest growth."""
        if self.normalize:
            return Fraction(max(self.weights)) ** 2
        return max(self._largest_growth(rows) for rows in self.longest())

    def longest(self) -> list[Integers]:
        """The rows that may have the largest growth, in blocks."""
        return self._blocks(self._near_largest_growth())

    def _near_smallest_gain(self) -> Integers:
        largest = max((abs(v) for v in self.w if v), default=Fraction(1))
        unit = Fraction(2) ** (largest.numerator.bit_length() - largest.denominator.bit_length())
        w = np.array([float(v / unit) for v in self.w])  # scaled to about 1: only the order of the rows matters here
        with np.errstate(all="ignore"):  # rows at the ends of float64's range, and of weight zero
            growths = [self._float_growths(*piece) for piece in pieces(self.rows.n, self.rows.width)]
            sizes = np.sqrt(np.concatenate(growths))
            gains = self.y * self.weights * self.rows.respond(w)
            doubt = 4 * (self.d + 16) * 2.0**-53 * sizes * np.sqrt(np.sum(w * w)) + self.d * 5e-324 * (1 + sizes)
            if self.normalize:
                lengths = sizes / np.where(self.weights > 0, self.weights, 1.0)
                gains, doubt = gains / lengths, doubt / lengths + 1e-12 * np.abs(gains / lengths)
            present = self.weights > 0
            cut = np.min((gains + doubt)[present])
            return np.flatnonzero(present & ~(gains - doubt > cut))

    def _near_largest_growth(self) -> Integers:
        """The rows that may have the largest growth, found piece by piece: large data leave no room for one array."""
        near, sizes = np.empty(0, dtype=np.int64), np.empty(0)
        for start, stop in pieces(self.rows.n, self.rows.width):
            near = np.concatenate([near, np.arange(start, stop)])
            sizes = np.concatenate([sizes, self._float_growths(start, stop)])
            kept = ~(sizes < np.max(sizes) * (1 - 8 * (self.d + 16) * 2.0**-53))
            near, sizes = near[kept], sizes[kept]
        return near

    def _float_growths(self, start: int, stop: int) -> Floats:
        from rosenblatt.kernels import plain

        out, part = np.empty(stop - start), self.rows.part(start, stop).kernel
        if plain.is_enough(part):
            squares = plain.squares
        else:
            from rosenblatt.kernels.passes import squares
        squares(part, float(self.d - self.rows.p), out, 0, stop - start)
        with np.errstate(over="ignore"):
            return np.asarray(out * self.weights[start:stop] ** 2)

    def _blocks(self, rows: Integers) -> list[Integers]:
        return np.array_split(rows, 1 + rows.size * self.d // _BLOCK_VALUES)

    def _augmented(self, rows: Integers) -> tuple[Any, int]:
        x = self.rows.take(rows)
        return integers(np.column_stack([x, np.ones(len(x))]) if self.d > self.rows.p else x)

    def _gains(self, rows: Integers) -> list[Fraction]:
        m, e = self._augmented(rows)
        scale = lcm(*(v.denominator for v in self.w))
        totals = m @ np.array([int(v * scale) for v in self.w], dtype=object)
        unit = Fraction(2) ** e / scale
        gains = [
            Fraction(int(total)) * unit * int(y) * Fraction(s)
            for total, y, s in zip(totals, self.y[rows], self.weights[rows], strict=True)
        ]
        if self.normalize:
            lengths = [sqrt_above(Fraction(int(q)) * Fraction(4) ** e) for q in (m * m).sum(axis=1)]
            gains = [gain / length for gain, length in zip(gains, lengths, strict=True)]
        return gains

    def _largest_growth(self, rows: Integers) -> Fraction:
        m, e = self._augmented(rows)
        weights, squares = self.weights[rows], (m * m).sum(axis=1)
        largest = {s: max(squares[weights == s]) for s in np.unique(weights)}  # fractions take time
        return max(Fraction(int(q)) * Fraction(4) ** e * Fraction(s) ** 2 for s, q in largest.items())


class JointExtremes:
    """The same δ and ε for K classes that learn together; the labels are any values, w_star has one row per class."""

    def __init__(
        self,
        rows: Rows,
        y: Labels,
        w_star: Weights,
        fit_intercept: bool,
        sample_weight: npt.ArrayLike | None,
        normalize: bool,
    ) -> None:
        self.classes = np.unique(y)
        W = np.asarray(w_star, dtype=object)
        if y.shape != (rows.n,):
            raise ValueError(f"y must hold one label for each of {rows.n} rows; it has shape {y.shape}.")
        if W.shape != (len(self.classes), rows.p + fit_intercept):
            raise ValueError(
                f"w_star must have one row of {rows.p + fit_intercept} weights, the bias last, for each of the "
                f"{len(self.classes)} classes of y; its shape is {W.shape}."
            )
        self.rows, self.labels, self.fit_intercept, self.normalize = rows, y, fit_intercept, normalize
        self.w = _weights_as_fractions("w_star", w_star, W.size)
        # refuses bad rows and bad weights too
        self.whole = Extremes(rows, np.ones(rows.n, dtype=np.int8), W[0], fit_intercept, sample_weight, normalize)

    def delta(self) -> Fraction:
        """The smallest lead of a row's own class over another; refuses a w_star that leaves some row no lead."""
        d = self.rows.p + self.fit_intercept
        W = [self.w[k * d : (k + 1) * d] for k in range(len(self.classes))]
        leads = []
        for y, label in enumerate(self.classes):
            own = np.flatnonzero((self.labels == label) & (self.whole.weights > 0))
            own_rows, signs = self.rows.subset(own), np.ones(len(own), dtype=np.int8)
            for k in range(len(W)):
                if own.size and k != y:
                    lead = [a - b for a, b in zip(W[y], W[k], strict=True)]
                    weights = self.whole.weights[own]
                    gain, row = Extremes(own_rows, signs, lead, self.fit_intercept, weights, self.normalize).least()
                    leads.append((gain, int(own[row])))
        smallest, row = min(leads)
        if smallest <= 0:
            raise ValueError(
                f"w_star does not separate the classes: in row {row} another class scores as much as the row's own "
                f"class, or more; the bound needs a lead on every row."
            )
        return smallest

    def epsilon(self) -> Fraction:
        """The largest growth: two classes move."""
        return 2 * self.whole.epsilon()


def sqrt_above(q: Fraction) -> Fraction:
    """A rational number at or just above √q, so that a gain divided by it is never too large; exact for squares."""
    if q == 0:
        return Fraction(1)
    over, under = isqrt(q.numerator), isqrt(q.denominator)
    if over * over == q.numerator and under * under == q.denominator:
        return Fraction(over, under)
    scale = 1 << (_EXTRA_BITS + max(0, q.denominator.bit_length() - q.numerator.bit_length()))
    return Fraction(isqrt(q.numerator * scale * scale // q.denominator) + 1, scale)
