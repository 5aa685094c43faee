"""One layer's rows, and every way to train probes on them: perceptron, logistic, mean difference, least squares."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Places, Signs
from rosenblatt.probes.devices import cpu, gpu
from rosenblatt.probes.devices.arrays import at_least, beside, float64, host, softplus, turned
from rosenblatt.probes.devices.training import Deal, Tick
from rosenblatt.probes.evidence.measuring import final_weights
from rosenblatt.probes.evidence.ranking import rank
from rosenblatt.probes.learning.closed_forms import Axes, axes_of, class_means, least_squares
from rosenblatt.probes.learning.logistic import STRENGTHS, ProbeMinimum, minimise
from rosenblatt.probes.learning.scaling import ColumnScale, columns_of, scaled

__all__ = ["METHODS", "FittedProbes", "Trainer"]

METHODS = ("perceptron", "logistic", "mean-difference", "least-squares")
TOLERANCE = 1e-5  # of the gradient's length, logistic
_GROUP = 64  # probes of one thread: their responses stay in its cache


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
    """The rows of a layer, and how to learn from them. `aside`: the rows to choose on; None where nothing is chosen."""

    X: Any
    device: str
    scale: bool
    passes: int
    deal: Deal | None
    average: bool
    l2: float | None
    aside: Flags | None

    def fit(self, method: str, Y: npt.NDArray[Any], tick: Tick | None = None) -> FittedProbes:
        """Probes of labels Y: −1, +1, 0 for none; or numbers with NaN for none."""
        if method == "perceptron":
            return self._perceptron(Y, Y[:, :0], tick)[0]
        B, nothing = Y.shape[1], np.full(Y.shape[1], np.nan)
        if self.aside is not None:
            strength, choice = self._choose(method, Y, self.aside)
        else:
            strength, choice = np.full(B, STRENGTHS[2] if self.l2 is None else self.l2), nothing
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
        strength = np.tile(np.nan_to_num(fitted.strength, nan=STRENGTHS[2]), copies)
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

    # ------------------------------------------------------------------------------------------------------ perceptrons

    def _perceptron(self, Y: Signs, others: Signs, tick: Tick | None) -> tuple[FittedProbes, Floats]:
        """Probes, and the weights of their controls, in one run: rows are read once for all, and a GPU is kept busy."""
        B, nothing = Y.shape[1], np.full(Y.shape[1], np.nan)
        choice = nothing
        if self.aside is not None:
            without, x = np.where(self.aside[:, None], np.int8(0), Y), host(self.X[np.flatnonzero(self.aside)])
            w = self._passes(without, None)[0]
            choice = _goodness(x.astype(np.float64) @ w[:-1] + w[-1], Y[self.aside])
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
        raw, gradient = self._solve(method, Y, strength)
        return self.columns.fold(self.axes.back(raw)), gradient

    def _solve(self, method: str, Y: npt.NDArray[Any], strength: Floats, start: Any = None) -> tuple[Any, Floats]:
        """Weights in the axes' coordinates, and the gradients' lengths; `start`: weights that logistic begins with."""
        nothing = np.full(Y.shape[1], np.nan)
        if method == "mean-difference":
            return class_means(self.axes, Y), nothing
        if method == "least-squares":
            return least_squares(self.axes, Y, _known(Y), strength), nothing
        return self._logistic(Y, strength, start)

    def _logistic(self, Y: Signs, strength: Floats, start: Any) -> tuple[Any, Floats]:
        """In groups of probes, each by a thread of its own on the CPU."""
        axes, B = self.axes, Y.shape[1]

        def part(cut: slice) -> ProbeMinimum:
            begin = None if start is None else start[:, cut]
            return minimise(axes, Y[:, cut], strength[cut], begin, TOLERANCE)

        if self.device == "cuda":
            parts = [part(slice(0, B))]
        else:
            from threadpoolctl import threadpool_limits

            from rosenblatt.learners.runs.crew import n_threads

            with threadpool_limits(1, "blas"), ThreadPoolExecutor(n_threads(-1)) as pool:
                parts = list(pool.map(part, [slice(first, first + _GROUP) for first in range(0, B, _GROUP)]))
        gradient = np.concatenate([host(one.gradient) for one in parts]).astype(np.float64)
        return axes.xp.concatenate([one.weights for one in parts], 1), gradient

    def _choose(self, method: str, Y: npt.NDArray[Any], aside: Flags) -> tuple[Floats, Floats]:
        """λ with the smallest loss on the rows set aside, unless it is given; and how good the probes are there."""
        without, B, judged = Y.copy(), Y.shape[1], Y[aside]
        without[aside] = np.nan if Y.dtype.kind == "f" else 0
        Z, known = self.axes.Z[np.flatnonzero(aside)], _known(judged)
        targets, counts = (beside(part, Z) for part in (np.where(known, judged, 0.0), known * 1.0))
        strengths = STRENGTHS if self.l2 is None else (self.l2,)
        best, strength = np.full(B, np.inf), np.full(B, strengths[0])
        start, scores = None, None
        for lam in strengths[:1] if method == "mean-difference" else strengths:
            start, _ = self._solve(method, without, np.full(B, lam), start)
            S = float64(Z @ start[:-1] + start[-1])
            each = softplus(-targets * S) if method == "logistic" else (targets - S) ** 2
            loss = host((each * counts).sum(0) / at_least(counts.sum(0)))
            better = loss < best
            best, strength = np.where(better, loss, best), np.where(better, lam, strength)
            scores = S if scores is None else self.axes.xp.where(beside(better, S), S, scores)
        return strength, _goodness(scores, judged)


def _known(Y: npt.NDArray[Any]) -> Flags:
    """Where there is a label, or a number."""
    return np.asarray(~np.isnan(Y) if Y.dtype.kind == "f" else Y != 0)


def _goodness(S: Any, Y: npt.NDArray[Any]) -> Floats:
    """AUROC of classes, R² of numbers; scores may lie on a device."""
    if Y.dtype.kind == "f":
        known = ~np.isnan(Y)
        off = np.where(known, Y - np.nanmean(np.where(known, Y, np.nan), axis=0), 0.0)
        error = np.where(known, Y - host(S), 0.0)
        return np.asarray(1.0 - (error**2).sum(axis=0) / np.maximum((off**2).sum(axis=0), 1e-300))
    positive, negative = (beside(turned(side) * 1.0, S) for side in (Y > 0, Y < 0))
    won, pairs = (rank(turned(S), positive, negative).wins * positive).sum(1), positive.sum(1) * negative.sum(1)
    return np.where(host(pairs) > 0, host(won / at_least(pairs)), np.nan)
