"""Slow and independent: likelihoods in 120 digits (Arb), by Newton's method without any idea of separation.

Where a likelihood has no maximum, Newton's steps go on for ever and the loss comes nearer to its limit by a factor e
a step. So the least loss is found to 25 digits in either case, and nothing needs to be known of planes and fates.
"""

from contextlib import contextmanager
from itertools import product
from math import exp

import numpy as np
from flint import arb, arb_mat, ctx

__all__ = ["Slow", "by_all_labelings", "half_quantile", "tail_share"]

BITS = 400
ENOUGH = 1e-27  # Newton's decrement
MOST = 200


@contextmanager
def _digits():
    before, ctx.prec = ctx.prec, BITS
    try:
        yield
    finally:
        ctx.prec = before


def half_quantile(level):
    """Half the quantile of χ² with one degree of freedom: erf(√half) = level."""
    with _digits():
        low, high = arb(0), arb(30)
        for _ in range(120):
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if middle.sqrt().erf() < arb(level) else (low, middle)
        return low


class Slow:
    """Rows with a 1 at their end where there is a bias; y successes of m trials, or counts."""

    def __init__(self, X, y, trials=None, weights=None, offset=None, bias=True, model="logistic"):
        n = len(y)
        self.Z = [[arb(float(v)) for v in row] + [arb(1)] * bias for row in X]
        self.d = len(self.Z[0])
        ones = [1] * n
        columns = (y, ones if trials is None else trials, ones if weights is None else weights)
        self.y, self.m, self.c = ([arb(float(v)) for v in column] for column in columns)
        self.o = [arb(float(v)) for v in ([0] * n if offset is None else offset)]
        self.moments = _poisson if model == "poisson" else _binomial

    def rows(self, w):
        """z, then loss, residual, variance and its derivative, of each row."""
        for z, y, m, c, o in zip(self.Z, self.y, self.m, self.c, self.o, strict=True):
            s = o + sum((a * b for a, b in zip(z, w, strict=True)), arb(0))
            yield z, *(c * value for value in self.moments(s, y, m))

    def loss(self, w):
        with _digits():
            return sum((row[1] for row in self.rows(w)), arb(0))

    def information(self, found, free):
        return arb_mat([[sum((V * z[i] * z[j] for z, _, _, V, _ in found), arb(0)) for j in free] for i in free])

    def least(self, fixed=None, value=0.0, start=None):
        """The least loss, or its infimum, over all weights but the fixed one; and where it was found."""
        with _digits():
            free = [j for j in range(self.d) if j != fixed]
            w = [arb(0)] * self.d if start is None else list(start)
            if fixed is not None:
                w[fixed] = arb(value)
            if not free:
                return self.loss(w), w
            for _ in range(MOST):
                found = list(self.rows(w))
                loss = sum((row[1] for row in found), arb(0))
                g = arb_mat([[sum((row[2] * row[0][i] for row in found), arb(0))] for i in free])
                step = _solved(self.information(found, free), -g)
                Q = -(step.transpose() * g)[0, 0]
                if Q < ENOUGH:
                    return loss, w
                w = self._descend(w, free, step, loss, Q)
            raise AssertionError("Newton's method did not end")

    def _descend(self, w, free, step, loss, Q):
        longest = max(float(abs(step[a, 0])) for a in range(len(free)))
        t = arb(min(1.0, 3.0 / max(longest, 1e-300)))  # no leap into the dark
        while True:
            new = list(w)
            for a, j in enumerate(free):
                new[j] = (new[j] + t * step[a, 0]).mid()
            if self.loss(new) <= loss - arb("1e-4") * t * Q or t < 1e-12:
                return new
            t /= 2

    # Firth

    def penalised_loss(self, w):
        with _digits():
            found = list(self.rows(w))
            return sum((row[1] for row in found), arb(0)) - self.information(found, range(self.d)).det().log() / 2

    def penalised_score(self, w):
        """Of the penalised likelihood: Σ (c·(y − mean) + ½·c·V'·z·I⁻¹·z)·z."""
        found = list(self.rows(w))
        inverse = self.information(found, range(self.d)).inv()
        score = [arb(0)] * self.d
        for z, _, residual, _, V1 in found:
            row = arb_mat([z])
            factor = V1 * (row * inverse * row.transpose())[0, 0] / 2 - residual
            score = [a + factor * b for a, b in zip(score, z, strict=True)]
        return score

    def root(self, start, fixed=None):
        """A root of the penalised score near `start`, over all weights but the fixed one."""
        with _digits():
            w, h = [arb(float(v)) for v in start], arb("1e-20")
            free = [j for j in range(self.d) if j != fixed]
            for _ in range(60 * bool(free)):
                score = self.penalised_score(w)
                columns = []
                for j in free:
                    other = self.penalised_score([v + h * (k == j) for k, v in enumerate(w)])
                    columns.append([(other[i] - score[i]) / h for i in free])
                move = arb_mat(columns).transpose().solve(arb_mat([[-score[i]] for i in free]))
                for a, j in enumerate(free):
                    w[j] = (w[j] + move[a, 0]).mid()
                if all(abs(move[a, 0]) < 1e-20 for a in range(len(free))):
                    return w
            assert not free, "no root"
            return w


def _binomial(s, y, m):
    e = (-abs(s)).exp()
    large, small = 1 / (1 + e), e / (1 + e)
    p, q = (large, small) if s >= 0 else (small, large)
    zero = arb(0)
    loss = m * e.log1p() + (m - y) * (s if s >= 0 else zero) - y * (zero if s >= 0 else s)
    return loss, (m - y) * p - y * q, m * p * q, m * p * q * (q - p)


def _poisson(s, y, m):
    mean = s.exp()
    return mean - y * s, mean - y, mean, mean


def _solved(H, g):
    """H⁻¹g; a little is added to H where responses are so large that 120 digits do not tell it from a singular one."""
    try:
        return H.solve(g)
    except ZeroDivisionError:
        size, trace = H.nrows(), sum((H[i, i] for i in range(H.nrows())), arb(0))
        more = arb_mat([[trace / 1000 if i == j else 0 for j in range(size)] for i in range(size)])
        return (H + more).solve(g)


def by_all_labelings(X, y, j):
    """How often each total of column j occurs among the labelings that have the observed other totals."""
    others = [k for k in range(X.shape[1]) if k != j]
    goal = np.round(y @ X, 9)
    counts: dict[float, int] = {}
    for labels in product((0, 1), repeat=len(y)):
        totals = np.round(np.array(labels) @ X, 9)
        if np.array_equal(totals[others], goal[others]):
            counts[float(totals[j])] = counts.get(float(totals[j]), 0) + 1
    return counts, float(goal[j])


def tail_share(counts, observed, beta, up):
    weights = {t: c * exp(beta * (t - observed)) for t, c in counts.items()}
    return sum(v for t, v in weights.items() if (t >= observed if up else t <= observed)) / sum(weights.values())
