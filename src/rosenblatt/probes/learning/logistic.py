"""Logistic regression for many probes at once: L-BFGS, all probes side by side, each with its own steps.

Each probe minimises mean log(1 + exp(−y·s)) + λ/2·‖w‖² over its labelled rows, on scaled columns, the bias free. The
two products X·W and Xᵀ·R of an evaluation are made for all probes together. The first guess of the curvature is known:
it is c·(second moments) + λ with c about mean p(1 − p), so a probe needs about ten evaluations, whatever the columns'
correlations. The loss is convex, so slopes along a step are enough to judge it: the step is taken if the slope at its
end is at most half of that at its start; if not, the secant's step is taken.

A probe is finished when the gradient's length is at most `tolerance`; or, where that is enough, when the loss is within
`close` of its minimum, by λ alone or by what the last steps say of the curvature.

References
----------
Nocedal and Wright (2006), Numerical Optimization, algorithm 7.4. Byrd, Nocedal and Schnabel (1994).
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import Values, at_least, host
from rosenblatt.probes.learning.closed_forms import Axes, Curvature, Moments

__all__ = ["ProbeMinimum", "minimise"]

_MEMORY = 6
_BENT = 0.5  # of p(1 − p) with the best bias alone: where responses tell the classes apart, the loss bends less
_STEPS = 200


class ProbeMinimum(NamedTuple):
    """Weights (d × B, in the axes' coordinates), lengths of the gradients, and the gradients without λ (d × B)."""

    weights: Any
    gradient: Any
    slope: Any


class _Loss(NamedTuple):
    """Gradients of some probes: their labels Y, each one's λ, number of labels, and p(1 − p) with the best bias."""

    axes: Axes | Moments
    Y: Any
    strength: Any
    count: Any
    bend: Any

    @classmethod
    def of(cls, axes: Axes | Moments, Y: Signs, strength: Floats) -> "_Loss":
        """From labels −1, +1, 0 for none."""
        labels = axes.labels(Y)
        count = at_least(abs(labels).sum(0))
        part = (labels.sum(0) / count + 1.0) / 2.0  # of positive labels; in the precision of the rows
        return cls(axes, labels, axes.labels(strength), count, part * (1.0 - part) + 0.01)

    def part(self, some: Places) -> "_Loss":
        """Of these probes only."""
        return _Loss(self.axes, _columns(self.Y, some), *(one[some] for one in self[2:]))

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

    def guess(self) -> Curvature:
        """The inverse of about the curvature at the minimum."""
        return self.axes.guess(_BENT * self.bend, self.strength)


def minimise(
    axes: Axes | Moments,
    Y: Signs,
    strength: Floats | float,
    start: Values | None = None,
    tolerance: float = 1e-5,
    close: float = 0.0,
) -> ProbeMinimum:
    """From labels (n × B: −1, +1, 0 for none) and λ of each probe; `start`: weights, and below them their `slope`."""
    xp, B = axes.xp, Y.shape[1]
    loss = _Loss.of(axes, Y, np.broadcast_to(np.asarray(strength, dtype=np.float64), B))
    if start is None:
        slope = xp.concatenate([axes.Z.T @ loss.Y, loss.Y.sum(0)[None]]) / (-2 * loss.count)
        W = xp.zeros_like(slope)
    else:
        W, slope = start[: len(start) // 2] + 0.0, start[len(start) // 2 :]
    final, length, slopes = xp.zeros_like(W), xp.zeros_like(W[0]), xp.zeros_like(W)
    index, guess = np.arange(B), loss.guess()
    memory: list[_Pair] = []
    G = slope + 0.0
    G[:-1] += loss.strength * W[:-1]
    P = guess(G)
    for step in range(_STEPS + 1):
        size, direction = host((G * G).sum(0)) ** 0.5, _direction(xp, G, P, memory)
        done = (size <= tolerance) | (step == _STEPS)
        if close:
            done |= size <= (2 * close * host(loss.strength)) ** 0.5
            done |= host((G * direction).sum(0)) >= (-2 * close if memory else 0.0)
        if done.any():
            ended = np.flatnonzero(done)
            final[:, index[ended]], length[index[ended]] = W[:, ended], (G * G).sum(0)[ended] ** 0.5
            slopes[:, index[ended]] = G[:, ended]
            left = np.flatnonzero(~done)
            if not left.size:
                break
            index, (W, G, P, direction) = index[left], (_columns(one, left) for one in (W, G, P, direction))
            loss = loss.part(left)
            guess = loss.guess()
            memory = [_Pair._make([*(_columns(one, left) for one in pair[:3]), pair.rho[left]]) for pair in memory]
        W, G_new, s, rho = _full_or_secant(xp, loss, W, G, direction)
        P_new = guess(G_new)
        memory = [*memory[1 - _MEMORY :], _Pair(s, G_new - G, P_new - P, rho)]
        G, P = G_new, P_new
    slopes[:-1] -= axes.labels(np.broadcast_to(np.asarray(strength, dtype=np.float64), B)) * final[:-1]
    return ProbeMinimum(final, length, slopes)


class _Pair(NamedTuple):
    """A step s, the gradient's change y, the guess times y, and 1/s·y (0: not to be used)."""

    s: Any
    y: Any
    guessed: Any
    rho: Any


def _direction(xp: ModuleType, G: Values, P: Values, memory: list[_Pair]) -> Any:
    """−H·G by the two loops over the last steps; P is the guess times G, which makes one product of a whole step."""
    q, guessed, alphas = G + 0.0, P + 0.0, []
    for pair in reversed(memory):
        alpha = pair.rho * (pair.s * q).sum(0)
        q -= alpha * pair.y
        guessed -= alpha * pair.guessed
        alphas.append(alpha)
    if memory:
        s, y, product, rho = memory[-1]
        gamma = (s * y).sum(0) / (y * product).sum(0)
        guessed *= xp.where(rho > 0, gamma, xp.ones_like(gamma))  # how far off the guess was in the last step
    for pair, alpha in zip(memory, reversed(alphas), strict=True):
        guessed += pair.s * (alpha - pair.rho * (pair.y * guessed).sum(0))
    return -guessed


def _full_or_secant(xp: ModuleType, loss: _Loss, W: Values, G: Values, direction: Values) -> tuple[Any, Any, Any, Any]:
    """Weights, gradient, step and 1/s·y after the full step.

    Where more than half of the slope is left after it, the secant's step is taken, three times at most.
    """
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
    return new, G_new, s, rho


def _columns(values: Values, some: Places) -> Any:
    """Some columns, in C order: products of arrays in another order take twice as long."""
    return np.ascontiguousarray(values[:, some]) if isinstance(values, np.ndarray) else values[:, some]
