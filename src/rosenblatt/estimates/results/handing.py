"""Beyond the table: the limiting model as a fitted object of a library that people know."""

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from keyword import iskeyword
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.estimates.design import CountDesign, RiskDesign
from rosenblatt.estimates.maximum import LimitingFit

if TYPE_CHECKING:
    from rosenblatt.estimates.formula import Encoded

__all__ = ["handed_over"]


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
    found = sm.PHReg(own.time[rows], X, own.event[rows].astype(int), **about).fit(start_params=limiting.weights, disp=0)
    return _with_errors(found, limiting)


def _with_errors(found: Any, limiting: LimitingFit, Z: Floats | None = None) -> Any:
    """The same fit of statsmodels with the table's robust errors; Z are our rows, where its columns are others."""
    if limiting.robust is not None:
        ours = np.eye(limiting.columns.size)
        theirs = ours if Z is None else np.linalg.lstsq(found.model.exog, Z, rcond=None)[0]  # our weights as theirs
        within = getattr(found, "_results", found)
        within.cov_params_default = theirs @ limiting.covariance[np.ix_(limiting.columns, limiting.columns)] @ theirs.T
        if isfinite(free := float(limiting.degrees[limiting.columns].min())):
            within.use_t, within.df_resid_inference = True, free
    return found


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
        found = sm.GLM(outcome, pandas.DataFrame(Z, columns=names), **about).fit(start_params=limiting.weights, **how)
        return _with_errors(found, limiting, Z)
    if encoded is not None:
        with suppress(Exception):  # patsy has other functions than formulaic
            found = sm.GLM.from_formula(*encoded.without(names, limiting.rows, y), **about).fit(**how)
            same = np.allclose(found.model.exog @ found.params.to_numpy(), Z @ limiting.weights, atol=1e-6)
            if len(found.params) == len(names) and same:
                return _with_errors(found, limiting, Z)
    constant = own.bias and limiting.columns[-1] == own.X.shape[1]
    plain = _identifiers(names[: len(names) - constant])
    data = pandas.DataFrame(Z[:, : len(plain)], columns=plain).assign(y=y)
    text = " + ".join([*plain, "1" if constant else "0"])
    start = np.roll(limiting.weights, int(constant))  # statsmodels' intercept is the first
    return _with_errors(sm.GLM.from_formula(f"y ~ {text}", data, **about).fit(start_params=start, **how), limiting, Z)
