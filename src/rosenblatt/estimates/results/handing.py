"""Beyond the table: the limiting model as a fitted object of statsmodels, and predictions with limits of 0 and 1."""

import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from keyword import iskeyword
from math import inf, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import chi2

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.numbers import exact_rows
from rosenblatt.estimates.between import shares_of
from rosenblatt.estimates.design import BetweenDesign, CountDesign, RiskDesign
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.maximum import LimitingFit
from rosenblatt.estimates.optimum import minimise
from rosenblatt.estimates.profile import ends
from rosenblatt.regressions import ModelRows, Values
from rosenblatt.threads import one_thread
from rosenblatt.verdicts.existence import strict_rows

if TYPE_CHECKING:
    from rosenblatt.estimates.formula import Encoded

__all__ = ["AfterFirth", "Predictions", "handed_over", "predicted", "predicted_by_firth"]

AfterFirth = Literal["firth", "flic", "flac"]


def handed_over(limiting: LimitingFit, encoded: "Encoded | None" = None) -> Any:
    """The limiting model, fitted by a library that people know: its rows, and its independent columns.

    statsmodels' GLM for logistic, binomial and Poisson models, pyfixest where there are effects; for Cox models
    statsmodels' PHReg, where rows have weights lifelines' CoxPHFitter. Models whose limit leaves out single comparisons
    of a row are in no library. Where there is one outcome a row, the GLM has a formula, that of the caller if it fits.
    """
    design = limiting.design
    if not limiting.columns.size:
        raise ValueError("there is no limiting model: no coefficient has a finite estimate.")
    if isinstance(design, RiskDesign) and not design.terms.together:
        return _weighted_hazards(limiting, design) if np.ptp(design.terms.weights) else _hazards(limiting, design)
    if isinstance(design, CountDesign) and design.regression.by_row:
        return (_beside_effects if _for_pyfixest(design) else partial(_counts, encoded=encoded))(limiting, design)
    raise ValueError(f"no library has the limiting model of {design.regression.name} regressions.")


def _for_pyfixest(design: CountDesign) -> bool:
    """Whether there are effects, and nothing that pyfixest does not take beside them."""
    own = design.terms
    simple = own.family == "poisson" or bool(np.all(own.trials == 1) and np.all(own.weights == 1))
    return bool(design.columns.effects) and simple and not own.offset.any()


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ImportError(f"limit needs {package}: pip install {package}") from None


def _identifiers(names: Sequence[str]) -> list[str]:
    """The names as formulas can have them, each once, and none of them y."""
    found = ["y"]
    for name in names:
        word = re.sub(r"\W+", "_", name).strip("_") or "x"
        word = f"x{word}" if word[0].isdigit() or iskeyword(word) else word
        while word in found:
            word += "_"
        found.append(word)
    return found[1:]


def _hazards(limiting: LimitingFit, design: RiskDesign) -> Any:
    pandas, sm = import_module("pandas"), _library("statsmodels.api")
    own, rows = design.terms, design.rows_of(limiting.places)
    about: dict[str, Any] = {"strata": limiting.places[rows], "ties": "efron" if own.efron else "breslow"}
    # PHReg has a row at risk at the time of its entry, too: R's coxph and we do not
    about["entry"] = None if own.entry is None else np.nextafter(own.entry[rows], inf)
    about["offset"] = own.offset[rows] if own.offset.any() else None
    X = pandas.DataFrame(own.X[np.ix_(rows, limiting.columns)], columns=[limiting.names[j] for j in limiting.columns])
    return sm.PHReg(own.time[rows], X, own.event[rows].astype(int), **about).fit(start_params=limiting.weights, disp=0)


def _weighted_hazards(limiting: LimitingFit, design: RiskDesign) -> Any:
    """By lifelines, which takes weights, and neither offsets nor Breslow's way with ties."""
    pandas, lifelines = import_module("pandas"), _library("lifelines")
    own, rows = design.terms, design.rows_of(limiting.places)
    tied = len(np.unique(own.time[rows][own.event[rows]])) < np.count_nonzero(own.event[rows])
    if own.offset.any() or (tied and not own.efron):
        raise ValueError("no library has a weighted Cox model with an offset, or with Breslow's ties.")
    names = _identifiers([limiting.names[j] for j in limiting.columns])
    data = pandas.DataFrame(own.X[np.ix_(rows, limiting.columns)], columns=names)
    beside = {"_time": own.time, "_event": own.event, "_weight": own.weights, "_stratum": limiting.places}
    beside |= {} if own.entry is None else {"_entry": own.entry}
    data = data.assign(**{name: values[rows] for name, values in beside.items()})
    entry = None if own.entry is None else "_entry"
    fit, about = lifelines.CoxPHFitter(), {"weights_col": "_weight", "strata": "_stratum", "entry_col": entry}
    with warnings.catch_warnings():  # weights that are not whole make its errors doubtful: it says so at every fit
        warnings.simplefilter("ignore")
        return fit.fit(data, "_time", "_event", initial_point=limiting.weights, **about)


def _beside_effects(limiting: LimitingFit, design: CountDesign) -> Any:
    """By pyfixest, which takes effects out of the other columns."""
    pandas, pyfixest = import_module("pandas"), _library("pyfixest")
    own, rows, p = design.terms, limiting.places, design.given.rows.p
    slopes = [j for j in limiting.columns if j < p]
    names = _identifiers([limiting.names[j] for j in slopes])
    sets = _identifiers([*names, *design.columns.entry["columns"]["fixed_effects"]])[len(names) :]
    data = pandas.DataFrame(own.X[np.ix_(rows, slopes)], columns=names).assign(y=own.y[rows])
    data = data.assign(**{name: codes[rows] for name, codes in zip(sets, design.columns.effects, strict=True)})
    robust, how = limiting.robust, dict[str, Any](fixef_rm="none", vcov="iid")
    if robust is not None:
        how["vcov"] = {"CRV1": "_cluster"} if robust.clusters is not None else "hetero"
        data = data if robust.clusters is None else data.assign(_cluster=robust.clusters[rows])
    text = f"y ~ {' + '.join(names)} | {' + '.join(sets)}"
    if own.family == "poisson":
        weighted = {"weights": "_weight", "weights_type": "fweights"} if np.any(own.weights != 1) else {}
        return pyfixest.fepois(text, data.assign(_weight=own.weights[rows]), **how, **weighted)
    return pyfixest.feglm(text, data, family="logit", **how)


def _counts(limiting: LimitingFit, design: CountDesign, encoded: "Encoded | None") -> Any:
    pandas, sm = import_module("pandas"), _library("statsmodels.api")
    own, rows = design.terms, limiting.places
    y, counted = own.y[rows], own.family == "poisson"
    about: dict[str, Any] = {"family": sm.families.Poisson() if counted else sm.families.Binomial()}
    about |= {"freq_weights": own.weights[rows]} if np.any(own.weights != 1) else {}
    about |= {"offset": own.offset[rows]} if own.offset.any() else {}
    robust, how = limiting.robust, dict[str, Any]()
    if robust is not None:
        how = {"cov_type": robust.kind}
        if robust.clusters is not None:
            how = {"cov_type": "cluster", "cov_kwds": {"groups": robust.clusters[rows]}}
    Z = np.hstack([own.X, np.ones((len(own.X), int(own.bias)))])[np.ix_(rows, limiting.columns)]
    names = [limiting.names[j] for j in limiting.columns]
    if not counted and np.any(own.trials[rows] != 1):
        outcome = np.column_stack([y, own.trials[rows] - y])
        return sm.GLM(outcome, pandas.DataFrame(Z, columns=names), **about).fit(start_params=limiting.weights, **how)
    if encoded is not None:
        with suppress(Exception):  # patsy has other functions than formulaic
            found = sm.GLM.from_formula(*encoded.without(names, limiting.rows, y), **about).fit(**how)
            same = np.allclose(found.model.exog @ found.params.to_numpy(), Z @ limiting.weights, atol=1e-6)
            if len(found.params) == len(names) and same:
                return found
    constant = own.bias and limiting.columns[-1] == own.X.shape[1]
    plain = _identifiers(names[: len(names) - constant])
    data = pandas.DataFrame(Z[:, : len(plain)], columns=plain).assign(y=y)
    text = " + ".join([*plain, "1" if constant else "0"])
    start = np.roll(limiting.weights, int(constant))  # statsmodels' intercept is the first
    return sm.GLM.from_formula(f"y ~ {text}", data, **about).fit(start_params=start, **how)


@dataclass(frozen=True)
class Predictions:
    """Of each row the mean, and an interval for it; a row in the separated part has a limit, and one end alone.

    NaN where the data do not say it: every value fits as well as any other.
    """

    mean: Floats
    lower: Floats
    upper: Floats


def predicted(limiting: LimitingFit, X: Floats | None, offset: Floats | None, level: float) -> Predictions:
    """Predictions for the rows of the fit (X None), or for others."""
    design = limiting.design
    linked = isinstance(design, BetweenDesign) and design.link is not None and not design.regression.words.compared
    if not linked and not (isinstance(design, CountDesign) and design.regression.by_row):
        raise ValueError("predictions are for logistic, binomial and Poisson models.")
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
        return Predictions(*(shares_of(design.link or "logit", one) for one in (s, lower, upper)))
    if design.verdict.kind != "overlap":
        up, down = _directions(limiting, design, Z, X is None)
        for k in np.flatnonzero(up | down):
            lower[k], upper[k] = (-inf, inf) if up[k] and down[k] else _one_end(limiting, design, Z[k], up[k], level)
            lower[k], upper[k] = lower[k] + beside[k], upper[k] + beside[k]
        s = np.where(up & down, nan, np.where(up, inf, np.where(down, -inf, s)))
    mean: Callable[[Floats], Floats] = np.exp if design.terms.family == "poisson" else expit
    return Predictions(mean(s), mean(lower), mean(upper))


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
    half = float(chi2.ppf(level, 1)) / 2
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
