"""Predictions with intervals: means with limits of 0 and 1, probabilities of classes, relative hazards."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, nan
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, softmax

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.data.numbers import exact_rows
from rosenblatt.data.tables import Named
from rosenblatt.estimates.between import BetweenLoss, densities_of, shares_of
from rosenblatt.estimates.choices import Choices
from rosenblatt.estimates.design import BetweenDesign, ChoiceDesign, CountDesign, Estimable, RiskDesign, design_of
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.maximum import LimitingFit, MaximumLikelihood, half_quantile
from rosenblatt.estimates.optimum import HIDDEN, minimise
from rosenblatt.estimates.profile import ends
from rosenblatt.regressions import Given, ModelRows, Values
from rosenblatt.threads import one_thread
from rosenblatt.verdicts import Verdict
from rosenblatt.verdicts.existence import strict_rows

__all__ = ["AfterFirth", "Predictions", "predicted", "predicted_by_firth"]

AfterFirth = Literal["firth", "flic", "flac"]
_NONE = "predictions of {model} models are not worked out for single rows: take result.params."
_SAME, _STEPS = 1e-9, 500  # changes that count as none in a search for an end, and its steps
_LEAST = 1e-9  # a share of a pseudo-row that is not nothing
_FARTHEST = 40.0  # logarithm of the weight of a pseudo-row beyond which no end is looked for


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


def predicted(
    limiting: LimitingFit, X: Floats | None, offset: Floats | None, level: float, interval: bool = True
) -> Predictions:
    """Predictions for the rows of the fit (X None), or for others; an `interval` that is not asked for may be NaN."""
    design = limiting.design
    if isinstance(design, RiskDesign | ChoiceDesign) or (isinstance(design, BetweenDesign) and design.columns.against):
        return _of_other_models(limiting, X, offset, level, interval)
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


def _of_other_models(
    limiting: LimitingFit, X: Floats | None, offset: Floats | None, level: float, interval: bool
) -> Predictions:
    """The probability of each class, or the hazard relative to a row of means."""
    design = limiting.design
    hazard = design.regression.name == "cox"
    if not hazard and not design.columns.against:
        raise ValueError(_NONE.format(model=design.regression.name))
    if isinstance(design, ChoiceDesign) and (offset is not None or np.any(design.given.offset)):
        raise ValueError("predictions of classes with an offset are not worked out: leave the offset out of the fit.")
    own = design.given.values.X
    rows = own if X is None else np.asarray(X, dtype=np.float64)
    if rows.shape[1] != own.shape[1]:
        raise ValueError(f"X must have the {own.shape[1]} columns of the fit; it has {rows.shape[1]}.")
    weights, V = np.zeros(design.d), np.zeros((design.d, design.d))
    weights[limiting.columns], V[np.ix_(limiting.columns, limiting.columns)] = limiting.weights, limiting.inner
    quantile = float(limiting.quantile(level, np.ones((1, design.d)))[0])
    beside = design.given.offset if X is None else np.broadcast_to(0.0 if offset is None else offset, len(rows))
    if hazard:
        Z = rows - own.mean(axis=0)
        s, reach = Z @ weights + beside, quantile * np.sqrt(np.einsum("ij,jk,ik->i", Z, V, Z))
        grows = _growing(design, Z)
        s, reach = _limit_of(s, grows), np.where(grows == 0, reach, 0.0)
        lower, upper = s - reach, s + reach
        known = dict[bytes, float]()
        for k in np.flatnonzero(np.abs(grows) == 1) if interval else ():
            if (key := rows[k].tobytes()) not in known:
                known[key] = _hazard_end(limiting, rows[k], own.mean(axis=0), grows[k], level)
            end = known[key] + beside[k]
            lower[k], upper[k] = (end, inf) if grows[k] > 0 else (-inf, end)
        return Predictions(np.exp(s), np.exp(lower), np.exp(upper))
    if isinstance(design, ChoiceDesign):
        classes, (share, slopes) = design.columns.against, _by_choice(rows, weights, design, X is None)
    else:
        assert isinstance(design, BetweenDesign)
        classes = tuple(design.columns.entry["levels"][k] for k in _levels_between(design))
        share, slopes = _by_threshold(rows, weights, beside, design, X is None)
    # intervals are those of log(p/(1 − p)), so that they stay between 0 and 1
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.log(share) - np.log1p(-share)
        reach = quantile * np.sqrt(np.einsum("ikj,jl,ikl->ik", slopes, V, slopes)) / (share * (1.0 - share))
    lower, upper = expit(s - reach), expit(s + reach)
    if design.verdict.kind != "overlap" and interval:
        _set_far_ends(limiting, rows, beside, share, classes, (lower, upper), level)
    return Predictions(share, lower, upper, classes)


def _levels_between(design: BetweenDesign) -> Places:
    """The numbers of the levels that have thresholds: the first, the last, and those between that have rows."""
    return np.unique([0, len(design.columns.entry["levels"]) - 1, *design.columns.arrays["y"]])


def _by_choice(rows: Floats, weights: Floats, design: ChoiceDesign, own: bool) -> tuple[Floats, Floats]:
    """The probability of each class of a multinomial model in each row, and its derivatives.

    In the limit a class is left with nothing where the response of another one grows beyond its own.
    """
    Z = np.hstack([rows, np.ones((len(rows), int(design.columns.bias)))])
    many = len(weights) // Z.shape[1]
    s = np.column_stack([np.zeros(len(Z)), Z @ weights.reshape(many, -1).T])
    left, open_ = np.ones(s.shape, dtype=bool), np.zeros(len(Z), dtype=bool)
    if design.verdict.kind != "overlap" and own:
        made = design.regression.rows(design.given.values, design.columns)
        decided = ~np.isin(np.arange(len(made.row)), design.on_plane())
        left[made.row[decided], made.against[decided]] = False
    elif design.verdict.kind != "overlap":
        blocks = np.vstack([np.zeros((1, many)), np.eye(many)])
        pairs = list(combinations(range(many + 1), 2))
        each = [_growing(design, np.kron(blocks[a] - blocks[b], Z)) for a, b in pairs]
        for (a, b), grows in zip(pairs, each, strict=True):
            left[grows > 0, b], left[grows < 0, a] = False, False
        for (a, b), grows in zip(pairs, each, strict=True):  # between two that others leave nothing, it does not matter
            open_ |= np.isnan(grows) & left[:, a] & left[:, b]
    share = softmax(np.where(left, s, -inf), axis=1)
    share[open_] = np.where(left[open_], nan, 0.0)
    one = np.eye(many + 1)[:, 1:] - share[:, None, 1:]
    slopes = share[:, :, None, None] * one[:, :, :, None] * Z[:, None, None, :]
    return share, slopes.reshape(len(Z), many + 1, -1)


def _by_threshold(
    rows: Floats, weights: Floats, beside: Floats, design: BetweenDesign, own: bool
) -> tuple[Floats, Floats]:
    """The same of ordered levels: P(at most level k) = F(threshold k − response)."""
    n, p, link = len(rows), rows.shape[1], design.terms.link
    s = weights[None, p:] - (rows @ weights[:p] + beside)[:, None]
    many = len(weights) - p
    if design.verdict.kind != "overlap":
        Z = np.hstack([np.repeat(-rows, many, axis=0), np.tile(np.eye(many), (n, 1))])
        never = None
        if own:  # no direction takes a row out of its level
            level = np.searchsorted(_levels_between(design), design.columns.arrays["y"])
            never = np.where(np.arange(many) >= level[:, None], 1.0, -1.0).ravel()
        grows = _growing(design, Z, never).reshape(n, many)
        s = _limit_of(s, grows)
    far = np.isinf(s)
    below = np.pad(
        np.where(far, s > 0, shares_of(link, np.where(far, 0.0, s))), ((0, 0), (1, 1)), constant_values=(0.0, 1.0)
    )
    dense = np.where(far, 0.0, densities_of(link, np.where(far, 0.0, s)))
    slopes = np.zeros((n, many + 2, len(weights)))
    slopes[:, 1:-1, :p] = -dense[:, :, None] * rows[:, None, :]
    slopes[:, np.arange(1, many + 1), np.arange(p, p + many)] = dense
    return np.diff(below, axis=1), np.diff(slopes, axis=1)


def _set_far_ends(
    limiting: LimitingFit,
    rows: Floats,
    beside: Floats,
    share: Floats,
    classes: Sequence[str],
    both: tuple[Floats, Floats],
    level: float,
) -> None:
    """The one end of each interval whose probability is 0 or 1 in the limit."""
    lower, upper = both
    known = dict[tuple[bytes, int], float]()
    for i, k in np.argwhere((share == 0) | (share == 1)):
        lower[i, k], upper[i, k] = share[i, k], share[i, k]
        row = np.append(rows[i], beside[i])
        favoured = [k] if share[i, k] == 0 else [j for j in range(len(classes)) if j != k]
        if (key := (row.tobytes(), int(k))) not in known:
            known[key] = _most_likely(limiting, row, [classes[j] for j in favoured], half_quantile(level))
        if share[i, k] == 0:
            upper[i, k] = known[key]
        else:
            lower[i, k] = 1.0 - known[key]


def _most_likely(limiting: LimitingFit, row: Floats, favoured: Sequence[str], half: float) -> float:
    """The highest probability that a row is of one of these classes, among weights that the data do not reject.

    That is where the log-likelihood is `half` below its supremum. The weights are those of the most likely table that
    has the row once more in a favoured class, so often (λ) that the rest of the table is as unlikely as that. Of
    several classes each has a part of λ, its share of them all (as the EM algorithm would divide it).
    """
    design, many = limiting.design, len(favoured)
    given, named = design.given, design.regression.name == "ordinal"
    columns = {"y": np.array([*map(str, np.asarray(given.columns["y"]).tolist()), *favoured])}
    if np.any(given.offset) or row[-1]:
        columns["offset"] = np.append(given.offset, np.full(many, row[-1]))
    levels = design.columns.entry["levels"] if named else list(design.columns.against)
    choices = {**given.choices, "levels" if named else "classes": levels}
    X = Named(np.vstack([given.values.X, np.tile(row[:-1], (many, 1))]), given.names)
    longer = Given.of(X, columns, choices, np.append(given.weights, np.ones(many)))
    more = design_of(design.regression, longer, design.context, design.link)
    loss, target = more.problem(more.on_plane()).likelihood, limiting.highest[1] + half
    assert isinstance(loss, BetweenLoss | Choices)

    def weighted(table: float, extra: Floats) -> BetweenLoss | Choices:
        return replace(loss, weights=np.append(table * loss.weights[:-many], extra))

    def climbed(part: Floats) -> float:
        """The probability, from these first shares of the classes: Newton's steps for log λ, and shares anew."""
        v, logarithm = loss.start, 0.0
        for _ in range(_STEPS):
            point = minimise(weighted(1.0, np.exp(logarithm) * part), v)
            v, table = point.v, weighted(1.0, np.zeros(many)).at(point.v)
            short, rise = target - table.likelihood_loss, float(table.gradient @ point.solve(table.gradient))
            logs = np.array([-weighted(0.0, one).at(v).likelihood_loss for one in np.eye(many)])
            last, part = part, np.maximum(softmax(logs), _LEAST)
            if abs(short) < _SAME and np.abs(part - last).max() < _SAME:
                return float(np.exp(logs).sum())
            logarithm += float(np.clip(short / max(rise, 1e-300), -1.0, 1.0))
            if logarithm > _FARTHEST:
                return 1.0  # however sure the row is
        raise HIDDEN("the search for the end goes on and on")

    with suppress(HIDDEN), one_thread():
        return max(climbed(np.where(np.arange(many) == first, 1.0, 0.1)) for first in range(many))
    return nan


def _hazard_end(limiting: LimitingFit, x: Floats, mean: Floats, sign: float, level: float) -> float:
    """The one end of the interval of (x − mean)·w, which runs to +∞ or −∞: as `_most_likely` finds it.

    Here the table has one more stratum of both rows, in which the one of the lesser hazard had its event.
    """
    design = limiting.design
    assert isinstance(design, RiskDesign)
    given, z, target = design.given, x - mean, limiting.highest[1] + half_quantile(level)
    columns = {
        name: np.append(np.asarray(value, dtype=np.float64), [0.0, 0.0])
        for name, value in given.columns.items()
        if name in ("offset", "entry")
    }
    columns["time"] = np.append(np.asarray(given.columns["time"], dtype=np.float64), [1.0, 1.0])
    columns["event"] = np.append(design.terms.event, [1, 0]).astype(np.int64)
    columns["groups"] = np.append(design.terms.strata, np.repeat(design.terms.strata.max() + 1, 2))
    X, verdict = np.vstack([given.values.X, [mean, x] if sign > 0 else [x, mean]]), list[Verdict]()
    logarithm = 0.0
    with suppress(HIDDEN), one_thread():
        for _ in range(_STEPS):
            weight = float(np.exp(logarithm))
            longer = Given.of(Named(X, given.names), columns, given.choices, np.append(given.weights, [weight] * 2))
            more = design_of(design.regression, longer, design.context)
            if verdict:
                more.__dict__["verdict"] = verdict[0]  # it does not depend on weights
            verdict[:] = [more.verdict]
            fit = LimitingFit(MaximumLikelihood(more, half_quantile(level)))
            told = z[fit.columns]
            end = float(told @ fit.weights)
            extra = logarithm + float(
                np.logaddexp(0.0, sign * end)
            )  # both rows count `weight` times among those at risk
            short, push = target - (fit.highest[1] - weight * extra), weight * float(expit(sign * end))
            if abs(short) < _SAME:
                return end
            logarithm += float(np.clip(short / max(push * push * float(told @ fit.inner @ told), 1e-300), -1.0, 1.0))
            if logarithm > _FARTHEST:
                return -sign * inf
    return nan


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
    made = _and_rows(design, z[None, :], True)
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
    if own:
        grows = ~np.isin(np.arange(len(Z)), limiting.places)
        return grows & (design.terms.y > 0), grows & (design.terms.y == 0)
    found = _growing(design, Z)
    return (found > 0) | np.isnan(found), (found < 0) | np.isnan(found)


def _growing(design: Estimable, Z: Floats, never: Floats | None = None) -> Floats:
    """Of each response z·w: 1 if it grows along a direction of recession, −1 if it falls, NaN if both, else 0: exactly.

    `never`, if known, has the sign of z·w that no direction makes negative.
    """
    found = np.zeros(len(Z))
    if design.verdict.kind == "overlap":
        return found
    if never is not None:  # such rows change no direction: all may be asked for at once
        made = _and_rows(design, never[:, None] * Z, False)
        grows = np.isin(np.arange(len(Z)) + len(made.row) - len(Z), strict_rows(made, design.context))
        return np.where(grows, never, 0.0)
    different, place = np.unique(Z, axis=0, return_inverse=True)
    for k, z in enumerate(different):
        up, down = (
            len(made.row) - 1 in strict_rows(made, design.context)
            for made in (_and_rows(design, sign * z[None, :], False) for sign in (1.0, -1.0))
        )
        found[place.ravel() == k] = nan if up and down else float(up) - float(down)
    return found


def _limit_of(s: Floats, grows: Floats) -> Floats:
    """The responses, infinite where they grow or fall; NaN where the data do not say which."""
    return np.where(grows == 0, s, np.where(np.isnan(grows), nan, np.copysign(inf, grows)))


def _and_rows(design: Estimable, Z: Floats, equal: bool) -> ModelRows:
    """The rows of the model and some more, perhaps as equations: whole numbers, as the others are."""
    made = design.regression.rows(Values.of(exact_rows(design.given.rows)), design.columns)
    if made.low is not None:
        raise ValueError("predictions beside numbers that floats do not hold are not worked out.")
    tens, many = np.array([ten / made.one for ten in made.tens[: Z.shape[1]]]), len(Z)
    whole = Z * tens
    whole = np.where(np.abs(whole - np.rint(whole)) < 1e-9 * np.abs(whole), np.rint(whole), whole)
    whole = np.hstack([whole, np.zeros((many, made.Z.shape[1] - whole.shape[1]))])  # beside the unknowns of sets
    joined = (
        sp.csr_array(sp.vstack([made.Z, sp.csr_array(whole)])) if sp.issparse(made.Z) else np.vstack([made.Z, whole])
    )
    flags = (np.append(made.equal, np.full(many, equal)), np.append(made.row, len(made.row) + np.arange(many)))
    return replace(made, Z=joined, equal=flags[0], row=flags[1], against=np.append(made.against, np.full(many, -1)))
