"""One layer's rows, and every way to train probes on them: perceptron, logistic, mean difference, least squares."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.probes import cpu, gpu
from rosenblatt.probes.axes import Axes, axes_of
from rosenblatt.probes.closed_forms import class_means, least_squares
from rosenblatt.probes.logistic import STRENGTHS, minimise
from rosenblatt.probes.measuring import final_weights
from rosenblatt.probes.ranking import at_least, beside, float64, host, rank, softplus
from rosenblatt.probes.scaling import ColumnScale, columns_of, scaled
from rosenblatt.probes.training import Deal, Tick

__all__ = ["METHODS", "FittedProbes", "Trainer"]

METHODS = ("perceptron", "logistic", "mean-difference", "least-squares")
TOLERANCE = 1e-5  # of the gradient's length, logistic
_GROUP = 64  # probes of one thread: their responses stay in its cache


@dataclass(frozen=True)
class FittedProbes:
    """Weights for the columns as they are (bias last, d × B), and how they came about.

    `mistakes` passes × B and `passes` are a perceptron's, `gradient` the length of a logistic loss's, else empty, 0 and
    NaN; `strength` is λ, NaN where there is none; `choice` how good the probes were on the rows to choose on, trained
    without them: AUROC, or R² of numbers (NaN: nothing to choose).
    """

    weights: npt.NDArray[np.float64]
    mistakes: npt.NDArray[np.int32]
    passes: npt.NDArray[np.int64]
    gradient: npt.NDArray[np.float64]
    strength: npt.NDArray[np.float64]
    choice: npt.NDArray[np.float64]

    def part(self, cut: slice) -> "FittedProbes":
        """Some of the probes."""
        mistakes = self.mistakes[:, cut]
        last = np.count_nonzero(mistakes.any(axis=1)) + 1  # the pass in which the last of these was clean
        return FittedProbes(
            self.weights[:, cut],
            mistakes[:last],
            self.passes[cut],
            self.gradient[cut],
            self.strength[cut],
            self.choice[cut],
        )


@dataclass(frozen=True)
class Trainer:
    """The rows of a layer, and how to learn from them. `aside`: those to choose on, None where nothing is chosen."""

    X: Any
    device: str
    scale: bool
    passes: int
    deal: Deal | None
    average: bool
    l2: float | None
    aside: npt.NDArray[np.bool_] | None

    def fit(
        self,
        method: str,
        Y: npt.NDArray[Any],
        strength: npt.NDArray[np.float64] | None = None,
        tick: Tick | None = None,
    ) -> FittedProbes:
        """Probes of labels Y (−1, +1, 0 for none; numbers with NaN for none), λ chosen unless it is given."""
        B, choice, start = Y.shape[1], np.full(Y.shape[1], np.nan), None
        if self.aside is not None and strength is None:
            strength, choice = self._choose(method, Y)
        if strength is None:
            strength = np.full(B, STRENGTHS[2] if self.l2 is None else self.l2)
        if method == "perceptron":
            return self._perceptron(Y, choice, tick)
        raw, gradient = self._solve(method, Y, strength, start)
        weights = self.columns.fold(self.axes.back(raw))
        penalised = strength if method in ("logistic", "least-squares") else np.full(B, np.nan)
        return FittedProbes(
            weights, np.zeros((0, B), dtype=np.int32), np.zeros(B, dtype=np.int64), gradient, penalised, choice
        )

    def fit_with_controls(
        self, method: str, Y: npt.NDArray[np.int8], others: npt.NDArray[np.int8], tick: Tick | None = None
    ) -> tuple[FittedProbes, npt.NDArray[np.float64]]:
        """Probes of labels Y, and the weights of their controls, each trained as its probe was."""
        B, copies = Y.shape[1], others.shape[1] // max(1, Y.shape[1])
        if not copies:
            return self.fit(method, Y, tick=tick), np.zeros((self.X.shape[1] + 1, 0))
        if method == "perceptron":  # one run for all of them: rows are read once, and a device has more to do
            choice = self._choose(method, Y)[1] if self.aside is not None else np.full(B, np.nan)
            both = self._perceptron(np.hstack([Y, others]), np.append(choice, np.full(copies * B, np.nan)), tick)
            return both.part(slice(0, B)), both.weights[:, B:]
        fitted = self.fit(method, Y, tick=tick)
        strength = np.tile(np.nan_to_num(fitted.strength, nan=STRENGTHS[2]), copies)
        return fitted, self.fit(method, others, strength).weights

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

    def _perceptron(self, Y: npt.NDArray[np.int8], choice: npt.NDArray[np.float64], tick: Tick | None) -> FittedProbes:
        train = gpu.train if self.device == "cuda" else cpu.train
        rows = self.rows if self.scale else self.X  # not even centred: the corrections are those of the values given
        trained = train(rows, Y, self.passes, self.deal, self.average, tick)
        weights, passes = final_weights(trained, rows, Y, self.average, self.passes)
        nothing = np.full(Y.shape[1], np.nan)
        weights = self.columns.fold(weights) if self.scale else weights
        return FittedProbes(weights, trained.mistakes, passes, nothing, nothing, choice)

    def _solve(
        self, method: str, Y: npt.NDArray[Any], strength: npt.NDArray[np.float64], start: Any
    ) -> tuple[Any, npt.NDArray[np.float64]]:
        """Weights in the axes' coordinates, and the gradients' lengths."""
        nothing = np.full(Y.shape[1], np.nan)
        if method == "mean-difference":
            return class_means(self.axes, Y), nothing
        if method == "least-squares":
            known = ~np.isnan(Y) if Y.dtype.kind == "f" else Y != 0
            return least_squares(self.axes, Y, known, strength), nothing
        return self._logistic(Y, strength, start)

    def _logistic(
        self, Y: npt.NDArray[np.int8], strength: npt.NDArray[np.float64], start: Any
    ) -> tuple[Any, npt.NDArray[np.float64]]:
        """In groups of probes, each by a thread of its own on the CPU."""
        if self.device == "cuda":
            found = minimise(self.axes, Y, strength, start, TOLERANCE)
            return found.weights, host(found.gradient).astype(np.float64)
        from threadpoolctl import threadpool_limits

        from rosenblatt.learners.crew import n_threads

        axes = self.axes
        cuts = [slice(first, first + _GROUP) for first in range(0, Y.shape[1], _GROUP)]
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(n_threads(-1)) as pool:
            parts = list(
                pool.map(
                    lambda cut: minimise(
                        axes, Y[:, cut], strength[cut], None if start is None else start[:, cut], TOLERANCE
                    ),
                    cuts,
                )
            )
        gradient = np.concatenate([host(part.gradient) for part in parts]).astype(np.float64)
        return axes.xp.concatenate([part.weights for part in parts], 1), gradient

    # -------------------------------------------------------------------------------------------------------- choosing

    def _choose(
        self, method: str, Y: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.float64]]:
        """λ with the smallest loss on the rows set aside, unless it is given; and how good the probes are there."""
        without, B = Y.copy(), Y.shape[1]
        without[self.aside] = np.nan if Y.dtype.kind == "f" else 0
        aside = np.flatnonzero(np.asarray(self.aside))
        if method == "perceptron":
            fitted = self._perceptron(without, np.full(B, np.nan), None)
            x = host(self.X[aside]).astype(np.float64)
            return None, _goodness(x @ fitted.weights[:-1] + fitted.weights[-1], Y[aside])
        Z, start, scores = self.axes.Z[aside], None, None
        known = ~np.isnan(Y[aside]) if Y.dtype.kind == "f" else Y[aside] != 0
        targets, counts = (beside(part, Z) for part in (np.where(known, Y[aside], 0.0), known * 1.0))
        strengths = STRENGTHS if self.l2 is None else (self.l2,)
        best, strength = np.full(B, np.inf), np.full(B, strengths[0])
        for lam in strengths if method != "mean-difference" else strengths[:1]:
            start, _ = self._solve(method, without, np.full(B, lam), start)
            S = float64(Z @ start[:-1] + start[-1])
            each = softplus(-targets * S) if method == "logistic" else (targets - S) ** 2
            loss = host((each * counts).sum(0) / at_least(counts.sum(0)))
            better = loss < best
            best, strength = np.where(better, loss, best), np.where(better, lam, strength)
            scores = S if scores is None else self.axes.xp.where(beside(better, S), S, scores)
        return strength, _goodness(scores, Y[aside])


def _goodness(S: Any, Y: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """AUROC of classes, R² of numbers; scores may lie on a device."""
    if Y.dtype.kind == "f":
        known = ~np.isnan(Y)
        off = np.where(known, Y - np.nanmean(np.where(known, Y, np.nan), axis=0), 0.0)
        error = np.where(known, Y - host(S), 0.0)
        return np.asarray(1.0 - (error**2).sum(axis=0) / np.maximum((off**2).sum(axis=0), 1e-300))
    positive, negative = (beside(np.ascontiguousarray(side.T) * 1.0, S) for side in (Y > 0, Y < 0))
    turned = np.ascontiguousarray(S.T) if isinstance(S, np.ndarray) else S.T.contiguous()
    won, pairs = (rank(turned, positive, negative).wins * positive).sum(1), positive.sum(1) * negative.sum(1)
    return np.where(host(pairs) > 0, host(won / at_least(pairs)), np.nan)
