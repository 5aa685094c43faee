"""A likelihood as estimates take it: counts, sets of which one alternative was chosen, or events among rows at risk.

Two families: successes of trials with logit link (logistic regression), and counts with log link (Poisson).

For a row with response s they give its part of the loss (the negative log-likelihood without constants), its mean, and
the variance V with its first two derivatives in s. In both families |V'| ≤ V and |V''| ≤ V, so that V(s + t) is between
e^(−|t|)·V(s) and e^|t|·V(s). The proofs of `optimum` and `penalised` rest on that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.regressions.machinery.given import Given
from rosenblatt.regressions.machinery.rows import ModelRows, signed

__all__ = ["LARGEST", "ChoiceTerms", "CountFamily", "CountTerms", "Moments", "Outcomes", "RiskTerms", "Terms"]
__all__ += ["binomial_moments", "poisson_moments", "refuse_large"]

LARGEST = 40_000_000  # comparisons × coefficients


class Moments(NamedTuple):
    """What a family computes from responses s; each field has one number for each row."""

    loss: Floats
    size: Floats  # the sum of the sizes of the loss's terms, which bounds its rounding error
    residual: Floats  # mean − y
    doubtful: Floats  # the same sum for the residual
    V: Floats
    V1: Floats  # V'
    V2: Floats  # V''


CountFamily = Callable[[Floats, Floats, Floats], Moments]  # of responses, counts and trials


def binomial_moments(s: Floats, y: Floats, trials: Floats) -> Moments:
    """Counts of successes in so many trials, with probability 1/(1 + e^(−s))."""
    failures, above = trials - y, s >= 0
    with np.errstate(under="ignore"):
        size = np.abs(s)
        e = np.exp(-size)
        large = 1.0 / (1.0 + e)
        small = e * large
        p, q = np.where(above, large, small), np.where(above, small, large)
        # log1p(e) for each trial, and |s| for each outcome that is the less likely one
        loss = trials * np.log1p(e) + np.where(above, failures, y) * size
        failed, succeeded, both = failures * p, y * q, small * large
        V = trials * both
        return Moments(loss, loss, failed - succeeded, failed + succeeded, V, V * (q - p), V * (1.0 - 6.0 * both))


def poisson_moments(s: Floats, y: Floats, trials: Floats) -> Moments:
    """A count with mean e^s."""
    with np.errstate(under="ignore", over="ignore"):
        mean = np.exp(s)
        return Moments(mean - y * s, mean + np.abs(y * s), mean - y, mean + y, mean, mean, mean)


@dataclass(frozen=True)
class CountTerms:
    """Each term has a count y of `trials`, and the response x·w + offset of a row x; a bias comes last."""

    family: CountFamily
    X: Floats
    y: Floats
    trials: Floats
    weights: Floats
    offset: Floats
    bias: bool
    row: Places  # the caller's row that each term comes from


@dataclass(frozen=True)
class ChoiceTerms:
    """Each set adds c·log Σ ω_a·e^(r_a·w), where r_a is the row of an alternative minus that of the chosen one.

    Alternatives are sorted by their set; the chosen one, whose r is 0, is not among them.
    """

    Z: Floats  # r of each alternative
    weights: Floats  # c of each set
    offset: Floats  # log ω of each alternative
    set_of: Places  # the set of each alternative, numbered from 0 without gaps
    own: Floats  # log ω of each set's chosen alternative


@dataclass(frozen=True)
class RiskTerms:
    """Each event was chosen among all rows at risk at its time in its stratum, with odds ω·e^(x·w + offset).

    Of d tied events Efron's likelihood takes a part away, event by event: in the k-th set they count 1 − k/d, and each
    set has their mean weight. A row of weight ω counts ω times.
    """

    X: Floats
    offset: Floats
    weights: Floats
    time: Floats
    event: Flags
    entry: Floats | None
    strata: Places
    efron: bool


class Outcomes(NamedTuple):
    """The outcomes of the rows z = ±x of a model of counts: of each its sign, and how often it was seen."""

    family: CountFamily
    signs: Floats  # 1 where z is x, −1 where it is −x
    y: Floats  # the count that goes with x
    trials: Floats  # of how many; inf where there is no limit

    def terms(self, rows: ModelRows, given: Given) -> CountTerms:
        """The likelihood of these outcomes, each a term."""
        X, at = signed(rows.Z, self.signs), rows.row
        dense = X.toarray() if sp.issparse(X) else X
        return CountTerms(self.family, dense, self.y, self.trials, given.weights[at], given.offset[at], False, at)


Terms = CountTerms | ChoiceTerms | RiskTerms


def refuse_large(comparisons: int, weights: int) -> None:
    """Refuse more comparisons than memory should hold."""
    if comparisons * weights > LARGEST:
        raise ValueError(
            f"estimates of such a model are for {LARGEST:,} comparisons times coefficients at most; "
            f"here are {comparisons:,} times {weights:,}. rb.existence decides larger ones."
        )
