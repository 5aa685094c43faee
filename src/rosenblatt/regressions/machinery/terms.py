"""A likelihood as estimates take it: counts, sets of which one alternative was chosen, or events among rows at risk.

Two families of counts: successes of trials with logit link (logistic regression), and counts with log link (Poisson).
`kernels.likelihood` has their losses. In both the variance V has |V'| ≤ V and |V''| ≤ V in the response s, so that
V(s + t) is between e^(−|t|)·V(s) and e^|t|·V(s). The proofs of `optimum` and `penalised` rest on that.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.later import sparse as sp
from rosenblatt.regressions.machinery.given import Given
from rosenblatt.regressions.machinery.rows import ModelRows, signed

__all__ = ["LARGEST", "BetweenTerms", "ChoiceTerms", "CountFamily", "CountTerms", "Link", "Outcomes", "RiskTerms"]
__all__ += ["Terms", "refuse_large"]

LARGEST = 40_000_000  # comparisons × coefficients


CountFamily = Literal["binomial", "poisson"]
Link = Literal["logit", "probit", "cloglog"]  # of the probability that a response stands for


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
    set has their mean weight. A row of weight ω counts ω times. Where events come `together`, all of a stratum were
    chosen at once, given how many they are.
    """

    X: Floats
    offset: Floats
    weights: Floats
    time: Floats
    event: Flags
    entry: Floats | None
    strata: Places
    efron: bool
    together: bool = False


@dataclass(frozen=True)
class BetweenTerms:
    """Each outcome has the probability F(a) − F(b): it lies between two thresholds, of which one may be infinite.

    Each row of Z is a comparison with one threshold, decided with certainty where z·w grows for ever: a = z·w + offset
    of the comparison `upper`, and −b = z·w + offset of the comparison `lower`; −1 where there is none.
    """

    Z: Floats
    offset: Floats
    upper: Places
    lower: Places
    weights: Floats  # of each outcome
    row: Places  # the caller's row of each outcome
    link: Link
    expected: bool  # whether standard errors are by the expected information, as those of linear models' kin are


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

    def between(self, rows: ModelRows, given: Given, link: Link) -> BetweenTerms:
        """The likelihood of the same outcomes with another link: each is above its threshold, or below it."""
        Z = rows.Z.toarray() if sp.issparse(rows.Z) else rows.Z
        at, above, each = rows.row, self.signs > 0, np.arange(len(self.y))
        times = np.where(above, self.y, self.trials - self.y) * given.weights[at]
        sides = np.where(above, each, -1), np.where(above, -1, each)
        return BetweenTerms(Z + 0.0, self.signs * given.offset[at], *sides, times, at, link, True)


Terms = CountTerms | ChoiceTerms | RiskTerms | BetweenTerms


def refuse_large(comparisons: int, weights: int, instead: str = "rb.existence decides larger ones.") -> None:
    """Refuse more comparisons than memory should hold; `instead` says who takes them."""
    if comparisons * weights > LARGEST:
        raise ValueError(
            f"estimates of such a model are for {LARGEST:,} comparisons times coefficients at most; "
            f"here are {comparisons:,} times {weights:,}. {instead}"
        )
