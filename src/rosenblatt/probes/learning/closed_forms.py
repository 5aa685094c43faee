"""The rows in their principal axes, from which least squares, logistic regression and class means are computed.

Correlated columns make the valley of a loss long and narrow, and a descent slow. In the axes of the rows' second
moments, X = Z·Vᵀ, curvatures are known beforehand: those of the mean squared loss are the eigenvalues, those of the
logistic loss about mean p(1 − p) times as large. One rotation serves all probes, in NumPy and in torch. Where columns
are many and probes few, the axes would take longer than the probes: there the rows stay as they are, and the second
moments plus λ are factorised once for each λ (`Moments`).

Probes that need no steps: the difference of the class means, and least squares with a ridge.

mean difference: w = μ₊ − μ₋, with the plane half way between the means.
least squares: minimises mean (y − s)² + λ‖w‖², bias free. In principal axes that is a division where every row has a
label; probes whose rows have gaps share one solution for each pattern of gaps.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Signs
from rosenblatt.probes.devices.arrays import RowSource, Values, at_least, beside, float64, host, like, numpy_or_torch

__all__ = ["Axes", "Curvature", "Moments", "Ridge", "axes_of", "class_means", "least_squares", "moments_of", "ridges"]

Curvature = Callable[[Any], Any]  # what is multiplied with a gradient, a column for each probe, for a first guess

_factoring = Lock()
_TINY = 1e-7  # times the largest curvature, added to all: weights along axes in which rows do not vary stay near 0


@dataclass(frozen=True)
class Axes:
    """Rows Z (n × p, mean 0), the axes V (p × p), and the mean squares of the columns of Z."""

    xp: Any  # numpy or torch
    Z: Any
    V: Any
    squares: Any

    def back(self, weights: Values) -> Any:
        """Weights in these axes (bias last) as float64 weights of the columns."""
        return np.asarray(host(self.xp.concatenate([self.V @ weights[:-1], weights[-1:]])), dtype=np.float64)

    def labels(self, Y: npt.NDArray[Any]) -> Any:
        """Labels (n × B) in the precision and the place of Z."""
        return like(beside(Y, self.Z), self.Z)  # converted on the device: signs travel as one byte each

    def guess(self, part: Values, strength: Values) -> Curvature:
        """The inverse of part·(mean squares) + λ, of each probe; of the bias that of part."""
        curvature = self.xp.concatenate([self.squares[:, None] * part + strength, part[None]])
        return lambda G: G / curvature


@dataclass(frozen=True)
class Moments:
    """Rows Z (n × p, mean 0) as they are, and their second moments ZᵀZ/n. In NumPy alone."""

    Z: Any
    moments: Floats
    xp: Any = np
    _factors: dict[int, Any] = field(default_factory=dict)  # those of moments + 2ᵏ

    def back(self, weights: Values) -> Any:
        """Weights as float64 numbers."""
        return weights.astype(np.float64)

    def labels(self, Y: npt.NDArray[Any]) -> Any:
        """Labels (n × B) in the precision of Z."""
        return like(Y, self.Z)

    def guess(self, part: Floats, strength: Floats) -> Curvature:
        """The inverse of part·(moments) + λ, of each probe; λ/part is rounded to a power of two, a factor for each."""
        powers = np.rint(np.log2(strength / part)).astype(int)
        groups = [(self._factor(int(k)), np.flatnonzero(powers == k)) for k in np.unique(powers)]

        def solve(G: Floats) -> Floats:
            from scipy.linalg import get_lapack_funcs

            found = np.empty_like(G)
            for factor, some in groups:
                (potrs,) = get_lapack_funcs(("potrs",), (factor,))
                found[:-1, some] = potrs(factor, G[:-1, some], lower=1)[0]
            found[-1] = G[-1]
            return np.asarray(found / part)

        return solve

    def _factor(self, power: int) -> Any:
        """Cholesky's factor of moments + 2ᵏ, in float64 (rounded moments may have eigenvalues just below 0)."""
        from scipy.linalg.lapack import dpotrf

        with _factoring:  # threads that want the same one wait for it
            if power not in self._factors:
                more, failed = 2.0**power, 1
                while failed:
                    whole = self.moments.astype(np.float64)
                    whole[np.diag_indices_from(whole)] += more
                    factor, failed = dpotrf(whole.T, lower=1, overwrite_a=1)
                    more = max(100.0 * more, _TINY * float(np.trace(self.moments)))
                self._factors[power] = np.asfortranarray(factor, dtype=self.Z.dtype)
            return self._factors[power]


def moments_of(rows: RowSource) -> Moments:
    """Of scaled rows that lie in memory."""
    X = rows[0 : rows.shape[0]]
    return Moments(X, X.T @ X / X.dtype.type(X.shape[0]))


def axes_of(rows: RowSource) -> Axes:
    """The axes of scaled rows X: an array, a tensor, or an object that gives rows by slices."""
    xp, X = numpy_or_torch(rows), rows[0 : rows.shape[0]]
    values, V = xp.linalg.eigh(float64(X.T @ X) / X.shape[0])
    V = like(V, X)
    return Axes(xp, X @ V, V, like(values.clip(0.0), X))


def class_means(axes: Axes, Y: Signs) -> Any:
    """Weights in the axes' coordinates, bias last, of labels −1, +1, 0 for none."""
    signs = axes.labels(Y)
    rows = [(signs * signs + signs) / 2, (signs * signs - signs) / 2]  # 1 where the label is +1, and where it is −1
    counts = [of_class.sum(0) for of_class in rows]
    means = [axes.Z.T @ of_class / at_least(count) for of_class, count in zip(rows, counts, strict=True)]
    both = (counts[0] > 0) & (counts[1] > 0)  # with one class only the weights stay 0
    w = (means[0] - means[1]) * both
    b = -(w * (means[0] + means[1])).sum(0) / 2
    return axes.xp.concatenate([w, b[None]])


@dataclass(frozen=True)
class Ridge:
    """Least squares of some columns whose numbers are known on the same rows: one solution for every λ."""

    columns: Any
    squares: Any  # the rows' curvatures in their own axes
    turn: Any  # these axes; None: the axes of all rows
    product: Any  # Zᵀ(y − ȳ)/n there
    middle: Any  # of the rows
    mean: Any  # of the numbers

    def weights(self, lam: Values) -> Any:
        """Weights in the axes of all rows, bias last; λ of each column."""
        w = self.product / (self.squares[:, None] + lam + _TINY * self.squares.max())
        w = w if self.turn is None else self.turn @ w
        return numpy_or_torch(w).concatenate([w, (self.mean - self.middle @ w)[None]])


def ridges(axes: Axes, Y: npt.NDArray[Any], known: Flags) -> list[Ridge]:
    """Least squares of numbers or signs Y where they are `known`, one for each pattern of rows."""
    targets = axes.labels(np.where(known, Y, 0.0) if Y.dtype.kind == "f" else Y)  # signs are 0 where there is no label
    found = []
    for columns, rows in _patterns(known):
        y, Z, turn, squares = targets[:, columns], axes.Z, None, axes.squares
        middle = axes.xp.zeros_like(squares)
        if not rows.all():  # the rows that are left have principal axes of their own
            there = np.flatnonzero(rows)
            if not there.size:
                continue
            y, Z = y[there], Z[there]
            middle = Z.mean(0)
            Z = Z - middle
            values, turn = axes.xp.linalg.eigh(Z.T @ Z / len(there))
            squares = abs(values)
        mean = y.mean(0)
        product = Z.T @ (y - mean) / len(y)
        found.append(Ridge(columns, squares, turn, product if turn is None else turn.T @ product, middle, mean))
    return found


def least_squares(axes: Axes, found: list[Ridge], strength: Floats) -> Any:
    """Weights in the axes' coordinates, bias last; λ of each column. A column that is known nowhere has weights 0."""
    lam = axes.labels(strength)
    weights = axes.xp.zeros_like(axes.xp.concatenate([axes.squares, axes.squares[:1]]))[:, None] + 0.0 * lam
    for one in found:
        weights[:, one.columns] = one.weights(lam[one.columns])
    return weights


def _patterns(known: Flags) -> list[tuple[Any, Flags]]:
    """Columns that are known on the same rows, and these rows; most often these are all columns."""
    as_first = (known == known[:, :1]).all(axis=0)
    if as_first.all():
        return [(slice(None), known[:, 0])] if known.shape[1] else []
    patterns: dict[bytes, list[int]] = {}
    for j, column in enumerate(known.T):
        patterns.setdefault(b"" if as_first[j] else column.tobytes(), []).append(j)
    return [(columns, known[:, columns[0]]) for columns in patterns.values()]
