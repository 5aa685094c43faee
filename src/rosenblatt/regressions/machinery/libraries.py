"""Fitted models of other libraries: their data, as arguments of `existence`.

A model is recognised by the names of its class and library, so no library is imported, and none need be installed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.tables import Named

__all__ = ["Asked", "question_of"]

_CURVES = ("Logit", "Probit", "CLogLog", "LogLog", "Cauchy")  # all rise from 0 to 1, so the verdict is the same


@dataclass(frozen=True)
class Asked:
    """A question about a fitted model: its name, the arguments of `existence`, and what a warning must add."""

    name: str
    arguments: dict[str, Any]
    penalty: str = ""  # its strength, where the fit maximises a penalised likelihood
    notes: list[str] = field(default_factory=list)
    finite_part: bool = True  # whether `existence` fits the same model, so that its finite part is that of the fit


def question_of(fitted: Any, X: Any, y: Any) -> Asked:
    """What was fitted, and to which data; X and y are those that the object has not kept."""
    for model in (fitted, getattr(fitted, "model", fitted)):  # results of statsmodels have the model as an attribute
        for kind in type(model).__mro__:
            library = kind.__module__.partition(".")[0]
            if (library, kind.__name__) in _READERS:
                asked = _READERS[library, kind.__name__](model, X, y)
                regularized = type(fitted).__name__.startswith(("L1", "Regularized"))  # of statsmodels
                return replace(asked, penalty="fit_regularized") if regularized else asked
            if library == "statsmodels":  # a class made from a known one is another model: a GEE is made from GLM
                break
    raise TypeError(
        f"check_fitted does not know a {type(fitted).__module__}.{type(fitted).__qualname__}. It knows statsmodels' "
        f"{', '.join(_STATSMODELS)}, scikit-learn's LogisticRegression, lifelines' CoxPHFitter and pyfixest's fepois; "
        f"of other models ask rb.existence(X, y, model=…) with the data."
    )


# -------------------------------------------------------------------------------------------------------- statsmodels


def _from_statsmodels(name: str, model: Any, X: Any, y: Any) -> Asked:
    """Any model of statsmodels. Its intercept is a column of the design, so `existence` adds none."""
    if X is None and model.exog is None:
        raise TypeError(f"this {name} has no data any more: give its design matrix and outcome, as X and y.")
    rows = X if X is not None else _design(model)
    outcome = y if y is not None else model.endog
    arguments = {"X": rows, **_STATSMODELS[name](model, outcome)}
    counted = arguments.pop("counted", True)
    link = type(model.family.link).__name__ if name == "GLM" else name
    return Asked(name, arguments, finite_part=counted and link in ("Logit", "Log", "Poisson"))


def _design(model: Any) -> Named:
    """The design with the names of its columns; an ordinal model's names have those of thresholds at their end."""
    exog = np.asarray(model.exog, dtype=np.float64)
    names = [str(name) for name in model.exog_names or []][: exog.shape[1]]
    return Named(exog, names if len(names) == exog.shape[1] else [f"x{j}" for j in range(exog.shape[1])])


def _shares(model: Any, y: Any) -> dict[str, Any]:
    """Two classes; or successes, as shares from 0 to 1 or in two columns (successes, failures).

    Shares of an unknown number of trials are not `counted`: for the verdict only none, some and all matter.
    """
    counts = np.asarray(y, dtype=np.float64)
    weights, trials = _weights(model, len(counts)), np.asarray(getattr(model, "n_trials", 1.0), dtype=np.float64)
    if counts.ndim == 2:
        trials = counts.sum(axis=1)
        counts = counts[:, 0] / trials
    if not np.all((counts >= 0) & (counts <= 1)):
        raise ValueError("a share of successes lies between 0 and 1, and one of y does not.")
    common = {"fit_intercept": False, **_offset(model)}
    trials = trials * weights
    if np.all((counts == 0) | (counts == 1)):
        return {"model": "logistic", "y": counts.astype(np.int64), **common, **_unequal(trials)}
    successes, whole = np.rint(counts * trials), np.rint(trials)
    exact = (np.abs(counts * trials - successes) <= 1e-9) & (trials == whole)
    counted = bool(np.all(exact))
    if not counted:
        successes, whole = np.where(counts == 0, 0, np.where(counts == 1, 2, 1)), np.full(len(counts), 2)
    common |= {"counted": counted, **_unequal((weights > 0) * 1.0)}
    return {"model": "binomial", "y": successes, "trials": whole, **common}


def _poisson(model: Any, y: Any) -> dict[str, Any]:
    weights = _unequal(_weights(model, len(y)))
    return {"model": "poisson", "y": np.asarray(y), "fit_intercept": False, **_offset(model), **weights}


def _weights(model: Any, n: int) -> Any:
    """The weights of the rows, which a GLM alone may have."""
    given = [getattr(model, name, None) for name in ("freq_weights", "var_weights")]
    return np.prod([np.ones(n), *(np.asarray(some, dtype=np.float64) for some in given if some is not None)], axis=0)


def _unequal(weights: Any) -> dict[str, Any]:
    """The weights as an argument, where they differ from 1."""
    return {} if np.all(weights == 1) else {"sample_weight": weights}


def _offset(model: Any) -> dict[str, Any]:
    """The offset plus the exposure, of which statsmodels keeps the logarithm."""
    given = [getattr(model, name, None) for name in ("offset", "exposure")]
    parts = [np.asarray(some, dtype=np.float64) for some in given if some is not None]
    return {"offset": sum(parts)} if parts else {}


def _glm(model: Any, y: Any) -> dict[str, Any]:
    family, link = type(model.family).__name__, type(model.family.link).__name__
    known = {"Binomial": _CURVES, "Poisson": ("Log",)}
    if link not in known.get(family, ()):
        raise ValueError(
            f"this GLM has the family {family} and the link {link}; decided are Poisson with Log, and Binomial with "
            f"{', '.join(_CURVES[:-1])} or {_CURVES[-1]}."
        )
    return _shares(model, y) if family == "Binomial" else _poisson(model, y)


def _multinomial(model: Any, y: Any) -> dict[str, Any]:
    labels = [str(label) for _, label in sorted(model._ynames_map.items())]
    return {"model": "multinomial", "y": _labelled(model, y, labels), "classes": labels, "fit_intercept": False}


def _ordinal(model: Any, y: Any) -> dict[str, Any]:
    labels = [str(label) for label in model.labels]
    return {"model": "ordinal", "y": _labelled(model, y, labels), "levels": labels}


def _labelled(model: Any, y: Any, labels: list[str]) -> Any:
    """The labels of the outcome; the model itself keeps their numbers."""
    return np.array(labels, dtype=object)[np.asarray(y, dtype=np.int64)] if y is model.endog else y


def _phreg(model: Any, y: Any) -> dict[str, Any]:
    event = np.ones(len(y), dtype=np.int64) if model.status is None else np.asarray(model.status)
    given = {"entry": model.entry, "groups": model.strata}
    there = {name: np.asarray(column) for name, column in given.items() if column is not None}
    return {"model": "cox", "time": np.asarray(y), "event": event, **there}


def _conditional(model: Any, y: Any) -> dict[str, Any]:
    return {"model": "conditional", "y": np.asarray(y), "groups": np.asarray(model.groups)}


_STATSMODELS: dict[str, Callable[[Any, Any], dict[str, Any]]] = {
    "Logit": _shares,
    "Probit": _shares,
    "GLM": _glm,
    "Poisson": _poisson,
    "MNLogit": _multinomial,
    "OrderedModel": _ordinal,
    "PHReg": _phreg,
    "ConditionalLogit": _conditional,
}


# ------------------------------------------------------------------------------------------------------- scikit-learn


def _from_sklearn(fitted: Any, X: Any, y: Any) -> Asked:
    if X is None or y is None:
        raise TypeError("LogisticRegression keeps no data: give the rows and labels it was fitted to, as X and y.")
    if not hasattr(fitted, "classes_"):
        raise ValueError(f"this {type(fitted).__name__} is not fitted yet: call fit first.")
    n, p = X.shape if sp.issparse(X) else np.shape(X)
    if p != fitted.n_features_in_ or np.shape(y) != (n,):
        raise ValueError(
            f"this model was fitted to {fitted.n_features_in_} columns and one label a row; X and y differ."
        )
    other = np.flatnonzero(~np.isin(np.asarray(y), fitted.classes_))
    if other.size:
        label, known = np.asarray(y)[other[0]], ", ".join(map(str, fitted.classes_))
        raise ValueError(f"y has the label {label} in row {other[0]}; this model was fitted to the labels {known}.")
    several = len(fitted.classes_) > 2
    if several and (fitted.solver == "liblinear" or getattr(fitted, "multi_class", "") == "ovr"):
        raise ValueError(
            "this LogisticRegression has learned each class against the rest: ask of each, rb.existence(X, y == label)."
        )
    strength = getattr(fitted, "C", getattr(fitted, "C_", None))  # C_ where cross-validation chose it
    free = fitted.penalty in (None, "none") or bool(np.all(np.isinf(np.asarray(strength, dtype=np.float64))))
    arguments = {"X": X, "y": np.asarray(y), "model": "multinomial" if several else "logistic"}
    name = type(fitted).__name__
    return Asked(name, arguments | {"fit_intercept": fitted.fit_intercept}, "" if free else f"C={strength}")


# ---------------------------------------------------------------------------------------------------------- lifelines


def _from_lifelines(fitted: Any, X: Any, y: Any) -> Asked:
    inner = getattr(fitted, "_model", fitted)
    if getattr(fitted, "baseline_estimation_method", "breslow") != "breslow":
        raise ValueError(
            "this CoxPHFitter has a parametric baseline; decided is the partial likelihood of Cox (breslow)."
        )
    if X is None or not hasattr(X, "columns") or y is not None:
        raise TypeError("CoxPHFitter keeps no covariates: give the table it was fitted to, as X, and no y.")
    design = inner.regressors.transform_df(X)["beta_"]
    strata = [inner.strata] if isinstance(inner.strata, str) else list(inner.strata or [])
    columns = {"time": inner.duration_col, "event": inner.event_col, "entry": inner.entry_col}
    columns["sample_weight"] = inner.weights_col
    given = {name: np.asarray(X[column]) for name, column in columns.items() if column is not None}
    given["event"] = np.asarray(given.get("event", np.ones(len(X))), dtype=np.int64)
    if strata:
        given["groups"] = np.unique(X[strata].to_numpy().astype(str), axis=0, return_inverse=True)[1].ravel()
    rows = Named(np.asarray(design, dtype=np.float64), [str(name) for name in design.columns])
    arguments = {"X": rows, "model": "cox", **given}
    penalised = np.any(np.asarray(inner.penalizer) != 0)
    return Asked(type(fitted).__name__, arguments, f"penalizer={inner.penalizer}" if penalised else "")


# ----------------------------------------------------------------------------------------------------------- pyfixest


def _from_fepois(fitted: Any, X: Any, y: Any) -> Asked:
    if getattr(fitted, "_data", None) is None:
        raise TypeError(
            "this fepois fit has no data any more: fit it with store_data=True, or ask rb.existence(X, y, "
            'model="poisson", fixed_effects=[…]).'
        )
    data = fitted._data
    both = fitted._model_spec.second_stage.get_model_matrix(data)
    names = [str(name) for name in fitted._coefnames]
    arguments: dict[str, Any] = {
        "X": Named(np.asarray(both.rhs[names], dtype=np.float64), names) if names else None,
        "model": "poisson",
        "y": np.asarray(both.lhs, dtype=np.float64).ravel(),
    }
    if fitted._fe is None:
        arguments["fit_intercept"] = False
    else:
        called = [name.strip() for name in fitted._fixef.split("+")]
        # a combination such as f^g is not a column of the table, but has codes
        arguments["fixed_effects"] = [
            data[name] if name in data.columns else Named(codes, [name])
            for name, codes in zip(called, np.asarray(fitted._fe).T, strict=True)
        ]
    if fitted._weights_name is not None:
        arguments["sample_weight"] = np.asarray(data[fitted._weights_name], dtype=np.float64)
    if getattr(fitted, "_offset_name", None) is not None:
        arguments["offset"] = np.asarray(data[fitted._offset_name], dtype=np.float64)
    dropped = int(fitted.n_separation_na or 0)
    rest = f"this is about the {len(data):,} that it kept."
    note = f"fepois dropped {dropped:,} row{'s' if dropped > 1 else ''} as separated before it fitted; {rest}"
    return Asked("fepois", arguments, notes=[note] if dropped else [])


_READERS: dict[tuple[str, str], Callable[[Any, Any, Any], Asked]] = {
    ("sklearn", "LogisticRegression"): _from_sklearn,
    ("lifelines", "CoxPHFitter"): _from_lifelines,
    ("pyfixest", "Fepois"): _from_fepois,
    **{("statsmodels", name): partial(_from_statsmodels, name) for name in _STATSMODELS},
}
