"""Gradient descent on all rows at once: w += η·Σ step(y, s)·(x, 1), with s computed at fixed weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.learners.examples import Examples, norm_sq
from rosenblatt.learners.steps import BatchRun
from rosenblatt.newton.columns import gram

__all__ = ["Descent", "largest_curvature"]

_LARGEST_GRAM = 2000  # columns: beyond, a bound on the curvature is cheaper than the curvature


@dataclass
class Descent(BatchRun):
    """Batch descent with a rule of the kernels whose step, at η = 1, is the negative slope of the loss."""

    rule: Any = None
    eta: float = 1.0
    tol: float = 0.0

    def step(self) -> tuple[npt.NDArray[np.float64], int, bool]:
        """One step down the slope."""
        slope, mistakes = self.examples.slope(self.rule, self.w)
        with np.errstate(over="ignore", invalid="ignore"):
            w = self.w + self.eta * slope
            move, size = self.eta**2 * norm_sq(slope), norm_sq(w)
            settled = move <= self.tol**2 * size < np.inf
        return w, mistakes, bool(settled) and (move == 0.0 or self._is_minimum(w))

    def _is_minimum(self, w: npt.NDArray[np.float64]) -> bool:
        """Whether w, which hardly moved, is proved to be near the minimum; asked at steps 1 … 9, 10, 20 … 90, 100."""
        if self.goal is None or not self.goal.at_hand:
            return True
        steps = len(self.mistakes_per_pass) + 1
        return steps % 10 ** (len(str(steps)) - 1) == 0 and self.goal.near(self.goal.look(w))

    def _divergence(self) -> str:
        return (
            f"the descent diverged: eta={self.eta:.6g} is too large for these data; eta='auto' takes one that is not."
        )


def largest_curvature(examples: Examples) -> float:
    """The largest eigenvalue of Σ weight·z zᵀ, or a bound on it: the squared loss curves no more than this."""
    weights = examples.weights if examples.weights.size else np.ones(examples.n)
    if examples.d <= _LARGEST_GRAM:
        return float(np.linalg.eigvalsh(gram(examples.rows, weights, examples.bias))[-1])
    return float(weights.sum()) * examples.radius_sq
