"""Logistic regression for many probes at once: L-BFGS, all probes side by side, each with its own steps.

Each probe minimises mean log(1 + exp(−y·s)) + λ/2·‖w‖² over its labelled rows, on scaled columns, the bias free. The
two products X·W and Xᵀ·R of an evaluation are made for all probes together. The first guess of the curvature is known:
in principal axes it is c·(mean square) + λ with c = mean p(1 − p), so a probe needs about ten evaluations, whatever the
columns' correlations. The loss is convex, so slopes along a step are enough to judge it: the step is taken if the slope
at its end is at most half of that at its start; if not, the secant's step is taken.

A probe is finished when the gradient's length is at most `tolerance`.

References
----------
Nocedal and Wright (2006), Numerical Optimization, algorithm 7.4. Byrd, Nocedal and Schnabel (1994).
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import Values, at_least, host
from rosenblatt.probes.learning.closed_forms import Axes

__all__ = ["ProbeMinimum", "minimise"]

_MEMORY = 6
_STEPS = 200


class ProbeMinimum(NamedTuple):
    """Weights (d × B, in the axes' coordinates), and the gradient's length of each probe."""

    weights: Any
    gradient: Any


class _Loss(NamedTuple):
    """Gradients of some probes: their labels Y, each one's λ and number of labels."""

    axes: Axes
    Y: Any
    strength: Any
    count: Any

    def part(self, some: Places) -> "_Loss":
        """Of these probes only."""
        return _Loss(self.axes, _columns(self.Y, some), self.strength[some], self.count[some])

    def gradient(self, W: Values) -> Any:
        """Of the losses at W; bias last."""
        xp, Z, Y = self.axes.xp, self.axes.Z, self.Y
        S = Z @ W[:-1]
        S += W[-1]
        S *= Y
        with np.errstate(over="ignore"):
            xp.exp(S, out=S)
        S += 1.0
        R = xp.divide(Y, S, out=S)  # y·σ(−y·s)
        G = xp.empty_like(W)
        G[:-1] = self.strength * W[:-1] - (Z.T @ R) / self.count
        G[-1] = -R.sum(0) / self.count
        return G

    def curvature(self) -> Any:
        """The first guess, (p + 1) × B: of the loss at w = 0 with the best bias."""
        part = (self.Y.sum(0) / self.count + 1.0) / 2.0  # of positive labels; in the precision of the rows
        c = part * (1.0 - part) + 0.01
        squares = self.axes.squares[:, None] * c + self.strength
        return self.axes.xp.concatenate([squares, c[None]])


def minimise(
    axes: Axes, Y: Signs, strength: Floats | float, start: Values | None = None, tolerance: float = 1e-5
) -> ProbeMinimum:
    """From labels (n × B: −1, +1, 0 for none) and λ of each probe; `start`: weights to begin with."""
    xp, B = axes.xp, Y.shape[1]
    labels, strengths = axes.labels(Y), axes.labels(np.broadcast_to(np.asarray(strength, dtype=np.float64), B))
    loss = _Loss(axes, labels, strengths, at_least(abs(labels).sum(0)))
    W = xp.zeros_like(loss.curvature()) if start is None else start + 0.0
    final, length = xp.zeros_like(W), xp.zeros_like(W[0])
    index = np.arange(B)
    memory: list[tuple[Any, Any, Any]] = []
    G = loss.gradient(W)
    for step in range(_STEPS + 1):
        size = host((G * G).sum(0)) ** 0.5
        done = (size <= tolerance) | (step == _STEPS)
        if done.any():
            ended = np.flatnonzero(done)
            final[:, index[ended]], length[index[ended]] = W[:, ended], (G * G).sum(0)[ended] ** 0.5
            left = np.flatnonzero(~done)
            if not left.size:
                break
            index, W, G = index[left], _columns(W, left), _columns(G, left)
            loss = loss.part(left)
            memory = [(_columns(s, left), _columns(y, left), rho[left]) for s, y, rho in memory]
        direction = _direction(xp, G, memory, loss.curvature())
        W, G, pair = _full_or_secant(xp, loss, W, G, direction)
        memory = [*memory[1 - _MEMORY :], pair]
    return ProbeMinimum(final, length)


def _direction(xp: ModuleType, G: Values, memory: list[tuple[Any, Any, Any]], curvature: Values) -> Any:
    """−H·G by the two loops over the last steps."""
    q, alphas = G + 0.0, []
    for s, y, rho in reversed(memory):
        alpha = rho * (s * q).sum(0)
        q -= alpha * y
        alphas.append(alpha)
    q /= curvature
    if memory:
        s, y, rho = memory[-1]
        gamma = (s * y).sum(0) / (y * y / curvature).sum(0)
        q *= xp.where(rho > 0, gamma, xp.ones_like(gamma))  # how far off the guess was in the last step
    for (s, y, rho), alpha in zip(memory, reversed(alphas), strict=True):
        q += s * (alpha - rho * (y * q).sum(0))
    return -q


def _full_or_secant(
    xp: ModuleType, loss: _Loss, W: Values, G: Values, direction: Values
) -> tuple[Any, Any, tuple[Any, Any, Any]]:
    """The full step; where more than half of the slope is left after it, the secant's step, three times at most."""
    slope = (G * direction).sum(0)
    new = W + direction
    G_new = loss.gradient(new)
    there = (G_new * direction).sum(0)
    for _ in range(3):
        far = np.flatnonzero(host(there > -0.5 * slope))  # slope < 0
        if not far.size:
            break
        v, before, after = direction[:, far], slope[far], there[far]
        moved = (new - W)[:, far] * (before / (before - after))
        new[:, far] = W[:, far] + moved
        G_new[:, far] = loss.part(far).gradient(_columns(new, far))
        there[far] = (G_new[:, far] * v).sum(0)
    s, y = new - W, G_new - G
    product = (s * y).sum(0)
    good = product > 1e-12 * (y * y).sum(0) ** 0.5 * (s * s).sum(0) ** 0.5
    rho = xp.where(good, 1.0 / xp.where(good, product, xp.ones_like(product)), xp.zeros_like(product))
    return new, G_new, (s, y, rho)


def _columns(values: Values, some: Places) -> Any:
    """Some columns, in C order: products of arrays in another order take twice as long."""
    return np.ascontiguousarray(values[:, some]) if isinstance(values, np.ndarray) else values[:, some]
