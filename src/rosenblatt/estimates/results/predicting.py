"""Predictions with intervals: means with limits of 0 and 1, probabilities of classes, relative hazards."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, softmax

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.numbers import exact_rows
from rosenblatt.estimates.between import densities_of, shares_of
from rosenblatt.estimates.design import BetweenDesign, ChoiceDesign, CountDesign, Estimable, RiskDesign
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.maximum import LimitingFit, half_quantile
from rosenblatt.estimates.optimum import minimise
from rosenblatt.estimates.profile import ends
from rosenblatt.regressions import ModelRows, Values
from rosenblatt.threads import one_thread
from rosenblatt.verdicts.existence import strict_rows

__all__ = ["AfterFirth", "Predictions", "predicted", "predicted_by_firth"]

AfterFirth = Literal["firth", "flic", "flac"]
_NONE = "predictions of {model} models are not worked out for single rows: take result.params."
_INFINITE = (
    "predictions of {model} models are worked out where the estimate exists, and here it is infinite: drop the "
    "separated rows or columns first, or take result.test() and the finite coefficients."
)


@dataclass(frozen=True)
class Predictions:
    """Of each row the mean, and an interval for it; a row in the separated part has a limit, and one end alone.

    NaN where the data do not say it: every value fits as well as any other. Where there are `classes`, each is an array
    of rows and classes.
    """

    mean: Floats
    lower: Floats
    upper: Floats
    classes: tuple[str, ...] = ()

    def shown(self, interval: bool) -> Any:
        """What `predict` hands out: an array, or a frame where there are classes or intervals."""
        if not self.classes and not interval:
            return self.mean
        import pandas as pd

        parts = {"mean": self.mean, "lower": self.lower, "upper": self.upper}
        if not self.classes:
            return pd.DataFrame(parts)
        if not interval:
            return pd.DataFrame(self.mean, columns=list(self.classes))
        index = pd.MultiIndex.from_product([range(len(self.mean)), self.classes], names=["row", "class"])
        return pd.DataFrame({name: part.ravel() for name, part in parts.items()}, index)


def predicted(limiting: LimitingFit, X: Floats | None, offset: Floats | None, level: float) -> Predictions:
    """Predictions for the rows of the fit (X None), or for others."""
    design = limiting.design
    if isinstance(design, RiskDesign | ChoiceDesign) or (isinstance(design, BetweenDesign) and design.columns.against):
        return _of_other_models(limiting, X, offset, level)
    linked = isinstance(design, BetweenDesign) and design.link is not None and not design.regression.words.compared
    if not linked and not (isinstance(design, CountDesign) and design.regression.by_row):
        raise ValueError(_NONE.format(model=design.regression.name))
    if design.columns.effects and (linked or X is not None):
        raise ValueError("predictions beside fixed effects are for the rows of the fit: leave X out.")
    own = design.terms.X if isinstance(design, CountDesign) else design.given.values.X
    rows = own if X is None else X
    if rows.shape[1] != own.shape[1]:
        raise ValueError(f"X must have the {own.shape[1]} columns of the fit; it has {rows.shape[1]}.")
    Z = np.hstack([rows, np.ones((len(rows), int(design.columns.bias)))])
    beside = design.given.offset if X is None else np.zeros(len(rows)) if offset is None else offset
    s = Z[:, limiting.columns] @ limiting.weights + beside
    spread = np.sqrt(np.einsum("ij,jk,ik->i", Z[:, limiting.columns], limiting.inner, Z[:, limiting.columns]))
    reach = limiting.quantile(level, Z) * spread
    lower, upper = s - reach, s + reach
    if not isinstance(design, CountDesign):
        if design.verdict.kind != "overlap":
            raise ValueError(f"predictions with the {design.link} link are worked out where the estimate exists.")
        mean, low, high = (shares_of(design.link or "logit", one) for one in (s, lower, upper))
        return Predictions(mean, low, high)
    if design.verdict.kind != "overlap":
        up, down = _directions(limiting, design, Z, X is None)
        for k in np.flatnonzero(up | down):
            lower[k], upper[k] = (-inf, inf) if up[k] and down[k] else _one_end(limiting, design, Z[k], up[k], level)
            lower[k], upper[k] = lower[k] + beside[k], upper[k] + beside[k]
        s = np.where(up & down, nan, np.where(up, inf, np.where(down, -inf, s)))
    of: Callable[[Floats], Floats] = np.exp if design.terms.family == "poisson" else expit
    return Predictions(of(s), of(lower), of(upper))


def _of_other_models(limiting: LimitingFit, X: Floats | None, offset: Floats | None, level: float) -> Predictions:
    """The probability of each class, or the hazard relative to a row of means, where the estimate exists."""
    design = limiting.design
    hazard, several = design.regression.name == "cox", isinstance(design, ChoiceDesign)
    if not hazard and not design.columns.against:
        raise ValueError(_NONE.format(model=design.regression.name))
    if design.verdict.kind != "overlap":
        raise ValueError(_INFINITE.format(model=design.regression.name))
    if several and (offset is not None or np.any(design.given.offset)):
        raise ValueError("predictions of classes with an offset are not worked out: leave the offset out of the fit.")
    own = design.given.values.X
    rows = own if X is None else X
    if rows.shape[1] != own.shape[1]:
        raise ValueError(f"X must have the {own.shape[1]} columns of the fit; it has {rows.shape[1]}.")
    weights, V = np.zeros(design.d), np.zeros((design.d, design.d))
    weights[limiting.columns], V[np.ix_(limiting.columns, limiting.columns)] = limiting.weights, limiting.inner
    quantile = float(limiting.quantile(level, np.ones((1, design.d)))[0])
    if hazard:
        Z = rows - own.mean(axis=0)
        beside = design.given.offset if X is None else 0.0 if offset is None else offset
        s, reach = Z @ weights + beside, quantile * np.sqrt(np.einsum("ij,jk,ik->i", Z, V, Z))
        return Predictions(np.exp(s), np.exp(s - reach), np.exp(s + reach))
    if not isinstance(design, BetweenDesign):
        share, slopes = _by_choice(rows, weights, design)
    else:
        beside = design.given.offset if X is None else 0.0 if offset is None else np.asarray(offset)
        share, slopes = _by_threshold(rows, weights, beside, design)
    # intervals are those of log(p/(1 − p)), so that they stay between 0 and 1
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.log(share) - np.log1p(-share)
        reach = quantile * np.sqrt(np.einsum("ikj,jl,ikl->ik", slopes, V, slopes)) / (share * (1.0 - share))
    return Predictions(
        share, expit(s - reach), expit(s + reach), tuple(design.columns.entry.get("levels", design.columns.against))
    )


def _by_choice(rows: Floats, weights: Floats, design: Estimable) -> tuple[Floats, Floats]:
    """The probability of each class of a multinomial model in each row, and its derivatives."""
    Z = np.hstack([rows, np.ones((len(rows), int(design.columns.bias)))])
    many = len(weights) // Z.shape[1]
    s = np.column_stack([np.zeros(len(Z)), Z @ weights.reshape(many, -1).T])
    share = softmax(s, axis=1)
    one = np.eye(many + 1)[:, 1:] - share[:, None, 1:]
    slopes = share[:, :, None, None] * one[:, :, :, None] * Z[:, None, None, :]
    return share, slopes.reshape(len(Z), many + 1, -1)


def _by_threshold(
    rows: Floats, weights: Floats, beside: Floats | float, design: BetweenDesign
) -> tuple[Floats, Floats]:
    """The same of ordered levels: P(at most level k) = F(threshold k − response)."""
    n, p, link = len(rows), rows.shape[1], design.terms.link
    s = weights[None, p:] - (rows @ weights[:p] + beside)[:, None]
    below = np.pad(shares_of(link, s), ((0, 0), (1, 1)), constant_values=(0.0, 1.0))
    dense, many = densities_of(link, s), len(weights) - p
    slopes = np.zeros((n, many + 2, len(weights)))
    slopes[:, 1:-1, :p] = -dense[:, :, None] * rows[:, None, :]
    slopes[:, np.arange(1, many + 1), np.arange(p, p + many)] = dense
    return np.diff(below, axis=1), np.diff(slopes, axis=1)


def predicted_by_firth(
    limiting: LimitingFit, values: Floats, X: Floats | None, offset: Floats | None, how: AfterFirth
) -> Floats:
    """Probabilities after Firth's estimates, which are drawn towards one half; FLIC and FLAC have their mean right.

    FLIC estimates the intercept anew by maximum likelihood; FLAC all coefficients, of the rows and of pseudo-rows that
    stand for the penalty and have an intercept of their own (Puhr, Heinze, Nold, Lusa and Geroldinger 2017).
    """
    design = limiting.design
    if not isinstance(design, CountDesign) or design.terms.family != "binomial" or not design.terms.bias:
        raise ValueError("predictions after Firth's estimates are for logistic and binomial models with an intercept.")
    own = design.terms
    Z = np.hstack([own.X, np.ones((len(own.X), 1))])
    if how == "flic":
        s, y = Z @ values + own.offset, own.weights @ own.y

        from scipy.optimize import brentq

        def over(shift: float) -> float:
            return float(own.weights @ (own.trials * expit(s + shift)) - y)

        reach = float(np.abs(s).max()) + 40.0
        values = values + np.append(np.zeros(own.X.shape[1]), brentq(over, -reach, reach, xtol=1e-13))
    elif how == "flac":
        values = _augmented(design)
    new = Z if X is None else np.hstack([X, np.ones((len(X), 1))])
    return np.asarray(expit(new @ values + (own.offset if X is None else 0.0 if offset is None else offset)))


def _augmented(design: CountDesign) -> Floats:
    """FLAC's coefficients: each row again, with half a success and half a failure, as often as its leverage says."""
    problem = design.problem(design.everything)
    firth = minimise(problem.likelihood.with_penalty(), problem.likelihood.start)
    loss = firth.of
    assert isinstance(loss, Likelihood)
    assert firth.leverages is not None
    n, twice = len(loss.Z), np.tile(np.arange(len(loss.Z)), 2)
    again = np.repeat([0.0, 1.0], n)
    part = replace(
        loss.with_penalty(False),
        Z=np.asfortranarray(np.column_stack([loss.Z[twice], again])),
        weights=np.concatenate([loss.weights, loss.weights * firth.leverages]),
        offset=loss.offset[twice],
        y=np.concatenate([loss.y, np.full(n, 0.5)]),
        trials=np.concatenate([loss.trials, np.ones(n)]),
    )
    found = np.zeros(design.d)
    found[problem.columns] = problem.coordinates.weights(minimise(part, part.start).v[:-1])
    return found


def _one_end(limiting: LimitingFit, design: CountDesign, z: Floats, up: bool, level: float) -> tuple[float, float]:
    """The profile interval of a response that runs to +∞ (`up`) or −∞, whose other end is finite.

    In other columns that response is a weight: x − x_z beside an intercept, which it replaces; else one column does it.
    """
    own, p = design.terms, design.terms.X.shape[1]
    if own.bias:
        k, X = p, own.X - z[:p]
    else:
        k = int(np.argmax(np.abs(z)))
        X = own.X - np.outer(own.X[:, k] / z[k], z)
        X[:, k] = own.X[:, k] / z[k]
    made = _with_row(design, z, True)
    held = np.ones(len(made.row), dtype=bool)
    held[strict_rows(made, design.context)] = False
    plane = np.unique(made.row[:-1][held[:-1]])  # a row of some successes has two z
    problem = replace(design, terms=replace(own, X=X)).problem(plane, k)
    place = problem.place(k)
    start = problem.likelihood.at(problem.likelihood.start)
    half = half_quantile(level)
    with one_thread():
        low, high = ends(start, place, *limiting.highest, half, low=up, high=not up)
    scale = float(problem.coordinates.scale[place])
    return low.value * scale, high.value * scale


def _directions(limiting: LimitingFit, design: CountDesign, Z: Floats, own: bool) -> tuple[Flags, Flags]:
    """Whether along some direction of recession the response of a row grows, and whether it falls: exactly.

    Of the fit's `own` rows the limiting model's do neither, and the others do what they did. Another row z joins those
    of the model: if some direction has z·v > 0 then, it grows along that one.
    """
    found = np.zeros((2, len(Z)), dtype=bool)
    if own:
        found[:] = ~np.isin(np.arange(len(Z)), limiting.places)
        return found[0] & (design.terms.y > 0), found[1] & (design.terms.y == 0)
    different, place = np.unique(Z, axis=0, return_inverse=True)
    for k, z in enumerate(different):
        for side, sign in enumerate((1.0, -1.0)):
            made = _with_row(design, sign * z, False)
            found[side, place.ravel() == k] = len(made.row) - 1 in strict_rows(made, design.context)
    return found[0], found[1]


def _with_row(design: CountDesign, z: Floats, equal: bool) -> ModelRows:
    """The rows of the model and another one, perhaps as an equation: whole numbers, as the others are."""
    made = design.regression.rows(Values.of(exact_rows(design.given.rows)), design.columns)
    if made.low is not None:
        raise ValueError("predictions beside numbers that floats do not hold are not worked out.")
    whole = z * np.array([ten / made.one for ten in made.tens])
    whole = np.where(np.abs(whole - np.rint(whole)) < 1e-9 * np.abs(whole), np.rint(whole), whole)
    more = sp.csr_array(whole[None, :])
    Z = sp.csr_array(sp.vstack([made.Z, more])) if sp.issparse(made.Z) else np.vstack([made.Z, whole])
    flags = np.append(made.equal, equal), np.append(made.row, len(made.row)), np.append(made.against, -1)
    return replace(made, Z=Z, equal=flags[0], row=flags[1], against=flags[2])
