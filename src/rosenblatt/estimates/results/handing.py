"""Beyond the table: the limiting model as a fitted object of statsmodels, and predictions with limits of 0 and 1."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan
from types import ModuleType
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from rosenblatt.arrays import Flags, Floats
from rosenblatt.data.numbers import exact_rows
from rosenblatt.estimates.design import CountDesign, RiskDesign
from rosenblatt.estimates.likelihood import Likelihood
from rosenblatt.estimates.maximum import LimitingFit
from rosenblatt.estimates.optimum import minimise
from rosenblatt.regressions import ModelRows, Values
from rosenblatt.verdicts.existence import strict_rows

__all__ = ["AfterFirth", "Predictions", "handed_over", "predicted", "predicted_by_firth"]

AfterFirth = Literal["firth", "flic", "flac"]


def handed_over(limiting: LimitingFit) -> Any:
    """The limiting model, fitted by statsmodels: its rows, and its independent columns.

    GLM for logistic, binomial and Poisson models, PHReg for Cox's. Models whose limit leaves out single comparisons of
    a row are in no library.
    """
    try:
        import pandas
        import statsmodels.api as sm
    except ImportError:
        raise ImportError("limit needs statsmodels: pip install statsmodels") from None
    columns = [limiting.names[j] for j in limiting.columns]
    frame = partial(pandas.DataFrame, columns=columns)
    if isinstance(limiting.design, RiskDesign):
        return _hazards(limiting, limiting.design, sm, frame)
    if isinstance(limiting.design, CountDesign) and limiting.design.regression.by_row:
        return _counts(limiting, limiting.design, sm, frame)
    raise ValueError(f"no library has the limiting model of a {limiting.design.regression.name} regression.")


def _hazards(limiting: LimitingFit, design: RiskDesign, sm: ModuleType, frame: Callable[..., Any]) -> Any:
    own, rows = design.terms, design.rows_of(limiting.places)
    if np.ptp(own.weights):
        raise ValueError("statsmodels' PHReg takes no weights: there is no limit of a weighted Cox model.")
    about: dict[str, Any] = {"strata": limiting.places[rows], "ties": "efron" if own.efron else "breslow"}
    # PHReg has a row at risk at the time of its entry, too: R's coxph and we do not
    about["entry"] = None if own.entry is None else np.nextafter(own.entry[rows], inf)
    about["offset"] = own.offset[rows] if own.offset.any() else None
    X = frame(own.X[np.ix_(rows, limiting.columns)])
    return sm.PHReg(own.time[rows], X, own.event[rows].astype(int), **about).fit(start_params=limiting.weights, disp=0)


def _counts(limiting: LimitingFit, design: CountDesign, sm: ModuleType, frame: Callable[..., Any]) -> Any:
    own, rows = design.terms, limiting.places
    Z = np.hstack([own.X, np.ones((len(own.X), int(own.bias)))])
    y, counted = own.y[rows], own.family == "poisson"
    outcome = y if counted or np.all(own.trials[rows] == 1) else np.column_stack([y, own.trials[rows] - y])
    about: dict[str, Any] = {"family": sm.families.Poisson() if counted else sm.families.Binomial()}
    about |= {"freq_weights": own.weights[rows]} if np.any(own.weights != 1) else {}
    about |= {"offset": own.offset[rows]} if own.offset.any() else {}
    model = sm.GLM(outcome, frame(Z[np.ix_(rows, limiting.columns)]), **about)
    robust, how = limiting.robust, dict[str, Any]()
    if robust is not None:
        how = {"cov_type": robust.kind}
        if robust.clusters is not None:
            how = {"cov_type": "cluster", "cov_kwds": {"groups": robust.clusters[rows]}}
    return model.fit(start_params=limiting.weights, **how)


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
    if not isinstance(design, CountDesign) or not design.regression.by_row:
        raise ValueError("predictions are for logistic, binomial and Poisson models.")
    own = design.terms
    rows = own.X if X is None else X
    if rows.shape[1] != own.X.shape[1]:
        raise ValueError(f"X must have the {own.X.shape[1]} columns of the fit; it has {rows.shape[1]}.")
    Z = np.hstack([rows, np.ones((len(rows), int(own.bias)))])
    s = Z[:, limiting.columns] @ limiting.weights + (own.offset if X is None else 0.0 if offset is None else offset)
    spread = np.sqrt(np.einsum("ij,jk,ik->i", Z[:, limiting.columns], limiting.inner, Z[:, limiting.columns]))
    reach = float(norm.ppf((1.0 + level) / 2)) * spread
    ends = [s, s - reach, s + reach]
    if design.verdict.kind != "overlap":
        up, down = _directions(design, Z)
        far = np.where(up & down, nan, np.where(up, inf, -inf))
        away = up | down
        # the limit is known, and no interval of the limiting model is about it
        ends = [
            np.where(away, far, s),
            *(
                np.where(away, np.where(np.isnan(far), far, side), end)
                for side, end in ((np.where(far > 0, nan, -inf), ends[1]), (np.where(far > 0, inf, nan), ends[2]))
            ),
        ]
    mean: Callable[[Floats], Floats] = np.exp if own.family == "poisson" else expit
    return Predictions(*(mean(one) for one in ends))


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


def _directions(design: CountDesign, Z: Floats) -> tuple[Flags, Flags]:
    """Whether along some direction of recession the response of a row grows, and whether it falls: exactly.

    A row z joins those of the model: if some direction has z·v > 0 then, it grows along that one.
    """
    made = design.regression.rows(Values.of(exact_rows(design.given.rows)), design.columns)
    scale = np.array([ten / made.one for ten in made.tens])
    found = np.zeros((2, len(Z)), dtype=bool)
    different, place = np.unique(Z, axis=0, return_inverse=True)
    for k, z in enumerate(different):
        whole = z * scale
        whole = np.where(np.abs(whole - np.rint(whole)) < 1e-9 * np.abs(whole), np.rint(whole), whole)
        for side, sign in enumerate((1.0, -1.0)):
            found[side, place.ravel() == k] = _can_grow(made, sign * whole, design)
    return found[0], found[1]


def _can_grow(made: ModelRows, z: Floats, design: CountDesign) -> bool:
    """Whether a direction of recession has z·v > 0."""
    import scipy.sparse as sp

    if made.low is not None:
        raise ValueError("predictions beside numbers that floats do not hold are not worked out.")
    Z = sp.csr_array(sp.vstack([made.Z, sp.csr_array(z[None, :])])) if sp.issparse(made.Z) else np.vstack([made.Z, z])
    more = replace(
        made,
        Z=Z,
        equal=np.append(made.equal, False),
        row=np.append(made.row, len(made.row)),
        against=np.append(made.against, -1),
    )
    return len(made.row) in strict_rows(more, design.context)
