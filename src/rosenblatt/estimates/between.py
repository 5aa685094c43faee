"""The loss of outcomes between two thresholds: ordered levels, and successes with a link that is not the logit.

An outcome of weight c adds −c·log P, P = F(a) − F(b), where a or b may be infinite. All three F have log-concave
densities, so P is log-concave in (a, b) (Prékopa 1973), and the loss is convex. The density f is e^log f, and where f
and P underflow their quotient does not: everything is computed from logarithms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log, pi, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.special import log_expit, log_ndtr

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.likelihood import AnyPoint, Loss
from rosenblatt.regressions import Link
from rosenblatt.threads import once

__all__ = ["BetweenLoss", "densities_of", "shares_of"]

_HALF_LOG_TWO_PI = 0.5 * log(2.0 * pi)
_FAR = 700.0  # responses beyond are as certain as floats can say


class _Curve(NamedTuple):
    """A distribution function by its logarithms; `bend` is (log f)', the derivative of the density's logarithm."""

    below: Callable[[Floats], Floats]  # log F
    above: Callable[[Floats], Floats]  # log(1 − F)
    density: Callable[[Floats], Floats]  # log f
    bend: Callable[[Floats], Floats]


def _log_of_shortfall(x: Floats) -> Floats:
    """log(1 − e^x) for x < 0."""
    with np.errstate(divide="ignore"):
        return np.where(x > -0.6931, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


_CURVES: Mapping[Link, _Curve] = MappingProxyType(
    {
        "logit": _Curve(
            log_expit,
            lambda s: log_expit(-s),
            lambda s: log_expit(s) + log_expit(-s),
            lambda s: -np.tanh(s / 2),
        ),
        "probit": _Curve(
            log_ndtr,
            lambda s: log_ndtr(-s),
            lambda s: -0.5 * s * s - _HALF_LOG_TWO_PI,
            lambda s: -s,
        ),
        "cloglog": _Curve(
            lambda s: _log_of_shortfall(-np.exp(np.minimum(s, _FAR))),
            lambda s: -np.exp(np.minimum(s, _FAR)),
            lambda s: s - np.exp(np.minimum(s, _FAR)),
            lambda s: -np.expm1(np.minimum(s, _FAR)),
        ),
    }
)


def shares_of(link: Link, s: Floats) -> Floats:
    """The probability of success at each response."""
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(_CURVES[link].below(s)))


def densities_of(link: Link, s: Floats) -> Floats:
    """The derivative of `shares_of`."""
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(_CURVES[link].density(s)))


@dataclass(frozen=True)
class BetweenLoss(Loss):
    """`Z` has a row for each comparison, `weights` one for each outcome; −1 in `upper` or `lower`: no threshold."""

    upper: Places
    lower: Places
    link: Link
    expected: bool

    @property
    def start(self) -> Floats:
        """The shortest weights with a − b = 1 for each outcome between two thresholds."""
        two = (self.upper >= 0) & (self.lower >= 0)
        apart = np.column_stack([self.Z, self.offset])[self.upper[two]]
        apart = np.unique(apart + np.column_stack([self.Z, self.offset])[self.lower[two]], axis=0)
        return np.asarray(np.linalg.lstsq(apart[:, :-1], 1.0 - apart[:, -1], rcond=None)[0])

    def at(self, v: Floats) -> "BetweenPoint":
        """Everything there is to know at these weights."""
        self._look()
        r = np.append(self.Z @ v + self.offset, np.inf)
        return BetweenPoint(self, v, r[self.upper], -r[self.lower])


@dataclass(frozen=True)
class BetweenPoint(AnyPoint):
    """The loss at the weights v: each outcome between a (perhaps +∞) and b (perhaps −∞)."""

    of: BetweenLoss
    v: Floats
    a: Floats
    b: Floats

    @once
    def logs(self) -> Floats:
        """log P of each outcome, from the tail in which F has its digits."""
        curve = _CURVES[self.of.link]
        found = np.zeros(len(self.a))
        over, under = np.isfinite(self.a), np.isfinite(self.b)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            found[over & ~under] = curve.below(self.a[over & ~under])
            found[under & ~over] = curve.above(self.b[under & ~over])
            a, b = self.a[over & under], self.b[over & under]
            right = b > 0  # log(e^large − e^small) of the tail beside zero
            large = np.where(right, curve.above(b), curve.below(a))
            small = np.where(right, curve.above(a), curve.below(b))
            found[over & under] = np.where(
                a > b, large + _log_of_shortfall(np.minimum(small - large, -1e-300)), -np.inf
            )
        return found

    @once
    def likelihood_loss(self) -> float:
        """The negative log-likelihood."""
        counted = self.of.weights > 0
        return -float(self.of.weights[counted] @ self.logs[counted])

    @property
    def loss_error(self) -> float:
        """About how far rounding may have moved the loss."""
        return float(self.of.weights @ (1.0 + np.abs(self.logs))) * (self.of.d + 16 + sqrt(len(self.logs))) * 2.0**-53

    def _pushes(self, s: Floats) -> tuple[Floats, Floats]:
        """f(s)/P and f'(s)/P of each outcome; 0 where the threshold is infinite."""
        curve, here = _CURVES[self.of.link], np.isfinite(s) & (self.of.weights > 0)
        push, bend = np.zeros((2, len(s)))
        with np.errstate(under="ignore", over="ignore"):
            push[here] = np.exp(curve.density(s[here]) - self.logs[here])
        bend[here] = push[here] * curve.bend(s[here])
        return push, bend

    @once
    def _both(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        return self._pushes(self.a), self._pushes(self.b)

    @property
    def scores(self) -> Floats:
        """Of each outcome, the gradient of its part of the loss."""
        Z = np.vstack([self.of.Z, np.zeros(self.of.d)])
        (pa, _), (pb, _) = self._both
        c = self.of.weights
        return np.asarray(-(c * pa)[:, None] * Z[self.of.upper] - (c * pb)[:, None] * Z[self.of.lower])

    def part(self, units: Places) -> tuple[Floats, Floats]:
        """Some outcomes, with the comparisons that they have."""
        of = self.of
        places, new = np.unique(np.append([of.upper[units], of.lower[units]], -1), return_inverse=True)
        upper, lower = new[:-1].reshape(2, -1) - 1  # −1 is the first
        places = places[1:]
        some = replace(
            of, Z=of.Z[places], offset=of.offset[places], weights=of.weights[units], upper=upper, lower=lower
        )
        found = some.at(self.v)
        return found.information, found.gradient

    @once
    def gradient(self) -> Floats:
        """−Σ c·(f(a)·z_a + f(b)·z_b)/P, as −b is z_b·v."""
        return np.asarray(self.of.Z.T @ self._gathered(-self._both[0][0], -self._both[1][0]))

    def _gathered(self, upper: Floats, lower: Floats) -> Floats:
        """For each comparison, the sum over the outcomes that have it, each with its weight."""
        total, c = np.zeros(len(self.of.Z) + 1), self.of.weights
        np.add.at(total, self.of.upper, c * upper)
        np.add.at(total, self.of.lower, c * lower)
        return total[:-1]

    @once
    def observed(self) -> Floats:
        """The second derivatives of the loss: Σ c·(g gᵀ − (f'(a)·z_a z_aᵀ − f'(b)·z_b z_bᵀ)/P) with g the push."""
        (pa, da), (pb, db) = self._both
        Z, of = self.of.Z, self.of
        H = Z.T @ (Z * self._gathered(pa * pa - da, pb * pb + db)[:, None])
        two = np.flatnonzero((of.upper >= 0) & (of.lower >= 0))
        mixed = (Z[of.upper[two]] * (of.weights * pa * pb)[two, None]).T @ Z[of.lower[two]]
        return np.asarray(H + mixed + mixed.T)

    @once
    def information(self) -> Floats:
        """The expected second derivatives where standard errors are by these, else the observed ones."""
        if not self.of.expected:
            return self.observed
        # an outcome above a threshold, and one below it: f²/(F·(1 − F)) for each trial, of which this is one's share
        curve, Z = _CURVES[self.of.link], self.of.Z
        s = np.where(np.isfinite(self.a), self.a, self.b)
        with np.errstate(under="ignore", over="ignore"):
            each = np.exp(2.0 * curve.density(s) - curve.below(s) - curve.above(s))
        above = np.isfinite(self.a)
        return np.asarray(Z.T @ (Z * self._gathered(np.where(above, each, 0.0), np.where(above, 0.0, each))[:, None]))

    @property
    def full_curvature(self) -> Floats | None:
        """The observed second derivatives, where these are not the information."""
        return self.observed if self.of.expected else None
