"""Multinomial and Cox likelihoods by their definitions, row by row: slow, and independent of the package."""

from itertools import combinations
from math import exp, inf, log

import numpy as np
from scipy.optimize import minimize

__all__ = ["SlowChoices", "slow_conditional", "slow_cox", "slow_multinomial"]


class SlowChoices:
    """Sets of (weight of the set, rows z, weights of rows), of which the first row was chosen."""

    def __init__(self, sets, d):
        self.sets, self.d = sets, d

    def moments(self, v):
        """The loss, its gradient and its second derivatives."""
        loss, g, H = 0.0, np.zeros(self.d), np.zeros((self.d, self.d))
        for c, rows, parts in self.sets:
            s = [float(np.dot(z, v)) + log(part) for z, part in zip(rows, parts, strict=True)]
            top = max(s)
            e = [exp(one - top) for one in s]
            total = sum(e)
            loss += c * (top + log(total) - (s[0] - log(parts[0])))
            mean = sum(p * z for p, z in zip(e, rows, strict=True)) / total
            g += c * (mean - rows[0])
            H += c * (sum(p * np.outer(z, z) for p, z in zip(e, rows, strict=True)) / total - np.outer(mean, mean))
        return loss, g, H

    def loss(self, v):
        return self.moments(v)[0]

    def penalised(self, v):
        loss, _, H = self.moments(v)
        sign, size = np.linalg.slogdet(H)
        return loss - 0.5 * size if sign > 0 else inf

    def least(self, value, fixed=None, at=0.0, start=None):
        """The least value over all weights but the fixed one, by a method that is not ours."""
        free = [j for j in range(self.d) if j != fixed]
        full = np.zeros(self.d) if start is None else np.array(start, dtype=float)
        if fixed is not None:
            full[fixed] = at

        def held(some):
            full[free] = some
            return value(full)

        def slope(some):
            full[free] = some
            return self.moments(full)[1][free]

        if not free:
            return value(full)
        slopes = slope if value == self.loss else None
        return float(minimize(held, full[free], jac=slopes, method="BFGS", options={"gtol": 1e-7}).fun)


def slow_multinomial(X, y, bias=True):
    Z = [[*x, 1.0] if bias else list(x) for x in X]
    classes = sorted(set(y))
    width = len(Z[0])
    d = width * (len(classes) - 1)

    def row(x, k):
        z = np.zeros(d)
        if k:
            z[(k - 1) * width : k * width] = x
        return z

    sets = []
    for x, label in zip(Z, y, strict=True):
        own = classes.index(label)
        rows = [row(x, own), *(row(x, k) for k in range(len(classes)) if k != own)]
        sets.append((1.0, rows, [1.0] * len(classes)))
    return SlowChoices(sets, d)


def slow_cox(X, time, event, ties="efron", entry=None, strata=None):
    n = len(time)
    entry = [-inf] * n if entry is None else entry
    strata = [0] * n if strata is None else strata
    sets = []
    for t, s in sorted({(time[i], strata[i]) for i in range(n) if event[i]}):
        risk = [i for i in range(n) if strata[i] == s and entry[i] < t <= time[i]]
        tied = [i for i in risk if event[i] and time[i] == t]
        for k, i in enumerate(tied):
            part = 1.0 - k / len(tied) if ties == "efron" else 1.0
            others = [j for j in risk if j != i]
            parts = [part, *(part if j in tied else 1.0 for j in others)]
            sets.append((1.0, [np.array(X[j], dtype=float) for j in (i, *others)], parts))
    return SlowChoices(sets, len(X[0]))


def slow_conditional(X, y, groups, offset):
    """Of each set all ways to choose as many rows as there are cases, the cases first."""
    sets = []
    for group in sorted(set(groups)):
        rows = [i for i in range(len(y)) if groups[i] == group]
        cases = tuple(i for i in rows if y[i])
        ways = [cases, *(way for way in combinations(rows, len(cases)) if way != cases)]
        sums = [np.sum([X[i] for i in way], axis=0) if way else np.zeros(len(X[0])) for way in ways]
        sets.append((1.0, sums, [exp(sum(offset[i] for i in way)) for way in ways]))
    return SlowChoices(sets, len(X[0]))
