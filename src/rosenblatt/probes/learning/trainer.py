"""One layer's rows, and every way to train probes on them: perceptron, logistic, mean difference, least squares."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places, Selection, Signs
from rosenblatt.probes.devices import cpu, gpu
from rosenblatt.probes.devices.arrays import Values, at_least, beside, float64, host, turned
from rosenblatt.probes.devices.training import Deal, Tick
from rosenblatt.probes.evidence.measuring import final_weights
from rosenblatt.probes.evidence.ranking import rank
from rosenblatt.probes.learning.closed_forms import (
    Axes,
    Moments,
    axes_of,
    class_means,
    least_squares,
    moments_of,
    ridges,
)
from rosenblatt.probes.learning.logistic import ProbeMinimum, minimise
from rosenblatt.probes.learning.scaling import ColumnScale, columns_of, scaled
from rosenblatt.threads import one_thread

__all__ = ["METHODS", "FittedProbes", "Trainer"]

METHODS = ("perceptron", "logistic", "mean-difference", "least-squares")
TOLERANCE = 1e-5  # of the gradient's length, logistic
_STRENGTHS = tuple(10.0**-k for k in range(-1, 7))  # λ; each starts where its neighbour ended
_USUAL = 0.01  # λ where there is nothing to choose on
_CLOSE = 1e-4  # of a loss: as near to its minimum a fit is made that only says how good λ is
_MOST_LOST = 3.0  # of a row: a probability of one in twenty
_FIRST = 2  # of them, before weaker and then stronger ones: few probes need the strongest or the weakest
_ENOUGH = 2  # a probe that was no better with so many λ in a row has had its best,
_CLEARLY = 1.0  # and so has one that was worse by so much, divided by the root of the rows
_MANY = 256  # columns
_KEPT = 1 << 27  # bytes
_GROUP = 64  # probes of one thread: their responses stay in its cache
_WORTH_COPYING = 0.9  # of the rows
_ON_DEVICE = 1 << 28  # responses at a time on a GPU

# λ, columns, where to start, and, where a rough answer is enough, how many columns learn from the same rows (else 0)
Solve = Callable[[Any, Any, Any, int], tuple[Any, Floats]]


@dataclass(frozen=True)
class FittedProbes:
    """Weights for the columns as they are (bias last, d × B), and how they came about.

    `mistakes_per_pass` passes × B and `passes` are a perceptron's, `gradient` the length of a logistic loss's, else
    empty, 0 and NaN; `strength` is λ, NaN where there is none; `choice` how good the probes were on the rows to choose
    on, trained without them: AUROC, or R² of numbers (NaN: nothing to choose).
    """

    weights: Floats
    mistakes_per_pass: npt.NDArray[np.int32]
    passes: Places
    gradient: Floats
    strength: Floats
    choice: Floats


@dataclass(frozen=True)
class Trainer:
    """The rows of a layer, and how to learn from them.

    `aside`: the part of each row in a cross-validation, −1 if it is never set aside; None where nothing is chosen.
    """

    X: Any
    device: str
    scale: bool
    passes: int
    deal: Deal | None
    average: bool
    l2: float | None
    aside: Places | None

    def fit(self, method: str, Y: npt.NDArray[Any], tick: Tick | None = None) -> FittedProbes:
        """Probes of labels Y: −1, +1, 0 for none; or numbers with NaN for none."""
        if method == "perceptron":
            return self._perceptron(Y, Y[:, :0], tick)[0]
        B, nothing = Y.shape[1], np.full(Y.shape[1], np.nan)
        if self.aside is not None:
            strength, choice = self._choose(method, Y, self.aside)
        else:
            strength, choice = np.full(B, _USUAL if self.l2 is None else self.l2), nothing
        weights, gradient = self._weights(method, Y, strength)
        penalised = strength if method in ("logistic", "least-squares") else nothing
        no_passes = np.zeros((0, B), dtype=np.int32), np.zeros(B, dtype=np.int64)
        return FittedProbes(weights, *no_passes, gradient, penalised, choice)

    def fit_with_controls(
        self, method: str, Y: Signs, others: Signs, tick: Tick | None = None
    ) -> tuple[FittedProbes, Floats]:
        """Probes of labels Y, and the weights of their controls, each trained as its probe was."""
        if method == "perceptron":
            return self._perceptron(Y, others, tick)
        fitted, copies = self.fit(method, Y, tick), others.shape[1] // Y.shape[1]
        if not copies:
            return fitted, fitted.weights[:, :0]
        strength = np.tile(np.nan_to_num(fitted.strength, nan=_USUAL), copies)
        return fitted, self._weights(method, others, strength)[0]

    @cached_property
    def columns(self) -> ColumnScale:
        """Means and deviations; the deviations are 1 where columns are not to be scaled."""
        found = columns_of(self.X)
        return found if self.scale else ColumnScale(found.mean, np.ones_like(found.mean))

    @cached_property
    def rows(self) -> Any:
        """Scaled rows."""
        return scaled(self.X, self.columns)

    @cached_property
    def axes(self) -> Axes:
        """Scaled rows in their principal axes."""
        return axes_of(self.rows)

    @cached_property
    def moments(self) -> Moments:
        """Scaled rows with their second moments."""
        return moments_of(self.rows)

    @cached_property
    def _copies(self) -> dict[bytes, Any]:
        """Rows of one side of a cross-validation, which are asked for with every λ."""
        return {}

    def _base(self, method: str, columns: int) -> Axes | Moments:
        """Few logistic probes of many columns need no axes, which would take longer than the probes."""
        p = self.X.shape[1]
        few = method == "logistic" and self.device == "cpu" and p >= _MANY and 4 * columns <= p
        return self.moments if few and "axes" not in self.__dict__ else self.axes

    # ------------------------------------------------------------------------------------------------------ perceptrons

    def _perceptron(self, Y: Signs, others: Signs, tick: Tick | None) -> tuple[FittedProbes, Floats]:
        """Probes, and the weights of their controls, in one run: rows are read once for all, and a GPU is kept busy."""
        B, nothing = Y.shape[1], np.full(Y.shape[1], np.nan)
        choice = nothing
        if self.aside is not None:
            apart = self.aside == 0  # one part alone: a run takes long
            without, x = np.where(apart[:, None], np.int8(0), Y), host(self.X[np.flatnonzero(apart)])
            w = self._passes(without, None)[0]
            choice = _goodness(x.astype(np.float64) @ w[:-1] + w[-1], Y[apart])
        weights, mistakes, passes = self._passes(np.hstack([Y, others]), tick)
        last = np.count_nonzero(mistakes[:, :B].any(axis=1)) + 1  # the pass in which the last of the probes was clean
        fitted = FittedProbes(weights[:, :B], mistakes[:last, :B], passes[:B], nothing, nothing, choice)
        return fitted, weights[:, B:]

    def _passes(self, Y: Signs, tick: Tick | None) -> tuple[Floats, npt.NDArray[np.int32], Places]:
        """Weights, mistakes of each pass, and passes made."""
        train = gpu.train if self.device == "cuda" else cpu.train
        rows = self.rows if self.scale else self.X  # not even centred: corrections are made on the values as given
        trained = train(rows, Y, self.passes, self.deal, self.average, tick)
        weights, passes = final_weights(trained, rows, Y, self.average, self.passes)
        return self.columns.fold(weights) if self.scale else weights, trained.mistakes, passes

    # ---------------------------------------------------------------------------------------------------- other methods

    def _weights(self, method: str, Y: npt.NDArray[Any], strength: Floats) -> tuple[Floats, Floats]:
        """Weights for the columns as they are, and the gradients' lengths."""
        base = self._base(method, Y.shape[1])
        raw, gradient = self._solver(method, Y, base)(strength, slice(None), None, 0)
        return self.columns.fold(base.back(raw)), gradient

    def _solver(self, method: str, Y: npt.NDArray[Any], base: Axes | Moments) -> Solve:
        """What finds weights in the axes' coordinates, and the gradients' lengths, for any λ."""
        nothing = np.full(Y.shape[1], np.nan)
        if method == "mean-difference":
            means = class_means(self.axes, Y)
            return lambda strength, columns, start, rough: (means[:, columns], nothing[columns])
        if method == "least-squares":
            prepared = ridges(self.axes, Y, _known(Y))

            def ridge(strength: Floats, columns: Selection, start: Values | None, rough: int) -> tuple[Any, Floats]:
                return least_squares(self.axes, prepared, np.broadcast_to(strength, nothing.shape))[:, columns], nothing

            return ridge
        return lambda strength, columns, start, rough: self._logistic(base, Y[:, columns], strength, start, rough)

    def _logistic(
        self, axes: Axes | Moments, Y: Signs, strength: Floats, start: Values | None, rough: int
    ) -> tuple[Any, Floats]:
        """In groups of probes, each by a thread of its own on the CPU."""
        B = Y.shape[1]
        strength = np.broadcast_to(strength, B)

        def part(cut: slice) -> ProbeMinimum:
            begin, labels, some = None if start is None else start[:, cut], Y[:, cut], axes
            rows = np.flatnonzero(labels.any(axis=1))
            if rows.size < _WORTH_COPYING * len(labels):  # rows without a label in any of these probes teach nothing
                labels, some = labels[rows], replace(axes, Z=self._rows_of(axes, rows) if rough else axes.Z[rows])
            return minimise(some, labels, strength[cut], begin, TOLERANCE, _CLOSE if rough else 0.0)

        size = _GROUP if self.device == "cpu" else max(_GROUP, _ON_DEVICE // len(Y))
        edges = range(0, B, rough or B or 1)  # those that learn from other rows are not put together on the CPU
        wide = size if self.device == "cuda" else min(size, rough or size)
        cuts = [
            slice(first, min(first + wide, edge + (rough or B)))
            for edge in edges
            for first in range(edge, min(B, edge + (rough or B)), wide)
        ]
        if self.device == "cuda":
            parts = list(map(part, cuts))
        else:
            from rosenblatt.learners.runs.crew import n_threads

            with one_thread(), ThreadPoolExecutor(n_threads(-1)) as pool:
                parts = list(pool.map(part, cuts))
        gradient = np.concatenate([host(one.gradient) for one in parts]).astype(np.float64)
        kept = slice(2 if rough else 1)  # weights, and with them what the next λ begins with
        join = axes.xp.concatenate
        return join([join([one.weights, one.slope][kept]) for one in parts], 1), gradient

    def _rows_of(self, axes: Axes | Moments, rows: Places) -> Any:
        """Some rows; kept where they are small."""
        if axes.Z.shape[1] * rows.size * axes.Z.dtype.itemsize > _KEPT:
            return axes.Z[rows]
        key = rows.tobytes()
        if key not in self._copies:
            self._copies[key] = axes.Z[rows]
        return self._copies[key]

    def _choose(self, method: str, Y: npt.NDArray[Any], aside: Places) -> tuple[Floats, Floats]:
        """λ that does best on rows set aside, part after part, unless it is given; how good the probes are there.

        By AUROC, accuracy and minus the loss, added (of numbers by R²): of few rows each alone is coarse. No row loses
        more than so much: where a few rows have large scores the loss would be theirs. Between the λ that were tried,
        a parabola through three of them says which is best.
        """
        B, missing = Y.shape[1], np.nan if Y.dtype.kind == "f" else 0
        parts = [np.flatnonzero(aside == part) for part in range(int(aside.max()) + 1)]
        without = np.hstack([np.where((aside == part)[:, None], missing, Y) for part in range(len(parts))])
        base = self._base(method, without.shape[1])
        solve, Z = self._solver(method, without.astype(Y.dtype), base), [base.Z[rows] for rows in parts]
        strengths = np.array(_STRENGTHS if self.l2 is None else [self.l2])[: 1 if method == "mean-difference" else None]
        found, choice, best = np.full((len(strengths), B), -np.inf), np.full(B, np.nan), np.full(B, -np.inf)
        first = min(_FIRST, len(strengths) - 1)
        begun: Any = None
        for way in (range(first, len(strengths)), range(first - 1, -1, -1)):
            active, start, worse = np.arange(B), begun, np.zeros(B, dtype=np.int64)
            for k in way:
                columns = (active + B * np.arange(len(parts))[:, None]).ravel()
                start, _ = solve(strengths[k], columns, start, len(active))
                begun = start if k == first else begun
                goods, rights = [], []
                for part, rows in enumerate(parts):
                    w, judged = start[:, part * len(active) : (part + 1) * len(active)], Y[rows][:, active]
                    S = float64(Z[part] @ w[: Z[part].shape[1]] + w[Z[part].shape[1]])
                    goods.append(_goodness(S, judged))
                    rights.append(_part_right(host(S), judged) - _lost(host(S), judged))
                good, right = _mean_of_known(np.array(goods)), _mean_of_known(np.array(rights))
                found[k, active] = np.nan_to_num(good) + np.nan_to_num(right)
                lost = best[active] - found[k, active]
                better = active[lost < 0]
                best[better], choice[better] = found[k, better], good[lost < 0]
                worse[active] = np.where(lost < 0, 0, worse[active] + 1)
                going = (worse[active] < _ENOUGH) & (lost < _CLEARLY / np.sqrt(len(Y)))
                start = start[:, np.flatnonzero(np.tile(going, len(parts)))]
                active = active[going]
                if not active.size:
                    break
        return _lowest(np.log(strengths), -found), choice


def _lowest(places: Floats, loss: Floats) -> Floats:
    """exp of the place with the smallest value, of each column; within half a step by the parabola of three values.

    Three digits: more would be those of rounding.
    """
    best = loss.argmin(axis=0)
    found = places[best].copy()
    inner = np.flatnonzero((best > 0) & (best < len(places) - 1))
    if inner.size:
        before, least, after = (loss[best[inner] + step, inner] for step in (-1, 0, 1))
        with np.errstate(invalid="ignore"):
            bend = before - 2 * least + after
            move = np.where(np.isfinite(bend) & (bend > 0), (before - after) / (2 * np.maximum(bend, 1e-300)), 0.0)
        found[inner] += np.clip(move, -0.5, 0.5) * (places[best[inner] + 1] - places[best[inner]])
    return np.array([float(f"{lam:.2e}") for lam in np.exp(found)])


def _mean_of_known(values: Floats) -> Floats:
    """The mean over the parts in which there is a value; NaN where there is none."""
    count = np.count_nonzero(~np.isnan(values), axis=0)
    found: Floats = np.where(count > 0, np.nansum(values, axis=0) / np.maximum(1, count), np.nan)
    return found


def _known(Y: npt.NDArray[Any]) -> Flags:
    """Where there is a label, or a number."""
    return np.asarray(~np.isnan(Y) if Y.dtype.kind == "f" else Y != 0)


def _part_right(S: Floats, Y: npt.NDArray[Any]) -> Floats:
    """The part of the labelled rows that is right; 0 of numbers."""
    if Y.dtype.kind == "f":
        return np.zeros(Y.shape[1])
    return np.asarray((Y * S > 0).sum(axis=0) / np.where((Y != 0).any(axis=0), (Y != 0).sum(axis=0), np.nan))


def _lost(S: Floats, Y: npt.NDArray[Any]) -> Floats:
    """The mean of log(1 + exp(−y·s)), of a row at most `_MOST_LOST`; 0 of numbers."""
    if Y.dtype.kind == "f":
        return np.zeros(Y.shape[1])
    losses = np.minimum(np.logaddexp(0.0, -Y * S), _MOST_LOST) * (Y != 0)
    return np.asarray(losses.sum(axis=0) / np.maximum((Y != 0).sum(axis=0), 1))


def _goodness(S: Values, Y: npt.NDArray[Any]) -> Floats:
    """AUROC of classes, R² of numbers; scores may lie on a device."""
    if Y.dtype.kind == "f":
        known = ~np.isnan(Y)
        off = np.where(known, Y - np.nanmean(np.where(known, Y, np.nan), axis=0), 0.0)
        error = np.where(known, Y - host(S), 0.0)
        return np.asarray(1.0 - (error**2).sum(axis=0) / np.maximum((off**2).sum(axis=0), 1e-300))
    positive, negative = (beside(turned(side) * 1.0, S) for side in (Y > 0, Y < 0))
    won, pairs = (rank(turned(S), positive, negative).wins * positive).sum(1), positive.sum(1) * negative.sum(1)
    return np.where(host(pairs) > 0, host(won / at_least(pairs)), np.nan)
