"""Fitted models of other libraries: their data, as arguments of `existence`.

A model is recognised by the names of its class and library, so no library is imported, and none need be installed. Each
regression says in `libraries` which classes mean it, and how such a fit is read.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Floats
from rosenblatt.data.tables import Named
from rosenblatt.regressions.machinery.regression import REGRESSIONS, Asked, Reader

__all__ = [
    "Shares",
    "from_sklearn",
    "labelled",
    "of_family",
    "offset_of",
    "question_of",
    "statsmodels",
    "unequal",
    "weights_of",
]

_CURVES = ("Logit", "Probit", "CLogLog", "LogLog", "Cauchy")  # all rise from 0 to 1, so the verdict is the same
_LINKS = {"Binomial": _CURVES, "Poisson": ("Log",), "NegativeBinomial": ("Log",)}  # of a GLM's families
_CALLED = {"sklearn": "scikit-learn", "sksurv": "scikit-survival", "Fepois": "fepois"}


def question_of(fitted: object, X: object, y: object) -> Asked:
    """What was fitted, and to which data; X and y are those that the object has not kept."""
    for model in (fitted, getattr(fitted, "model", fitted)):  # results of statsmodels have the model as an attribute
        for kind in type(model).__mro__:
            library = kind.__module__.partition(".")[0]
            readers = [one.libraries.get((library, kind.__name__)) for one in REGRESSIONS.values()]
            for reader in filter(None, readers):
                if (asked := reader(model, X, y)) is not None:
                    regularized = type(fitted).__name__.startswith(("L1", "Regularized"))  # of statsmodels
                    return replace(asked, penalty="fit_regularized") if regularized else asked
            if library == "statsmodels":  # a class made from a known one is another model: a GEE is made from GLM
                break
    raise TypeError(
        f"check_fitted does not know a {type(fitted).__module__}.{type(fitted).__qualname__}. It knows {_all_known()}; "
        f"of other models ask rb.existence(X, y, model=…) with the data."
    )


def _all_known() -> str:
    """All classes that are known, by their libraries."""
    classes: dict[str, dict[str, None]] = {}
    for one in REGRESSIONS.values():
        for library, name in one.libraries:
            classes.setdefault(_CALLED.get(library, library), {})[_CALLED.get(name, name)] = None
    *first, last = (f"{library}' {', '.join(names)}" for library, names in sorted(classes.items(), reverse=True))
    return " and ".join([", ".join(first), last]).replace("learn'", "learn's").replace("pyfixest'", "pyfixest's")


# -------------------------------------------------------------------------------------------------------- statsmodels


Arguments = Callable[[Any, Any], dict[str, Any] | None]  # of a model of statsmodels and its outcome


def statsmodels(arguments: Arguments, *names: str) -> dict[tuple[str, str], Reader]:
    """The readers of classes of statsmodels; `arguments` is None where a fit is another model's."""
    return {("statsmodels", name): partial(_from_statsmodels, name, arguments) for name in names}


def _from_statsmodels(name: str, arguments: Arguments, model: Any, X: object, y: object) -> Asked | None:
    """Any model of statsmodels. Its intercept is a column of the design, so `existence` adds none."""
    if X is None and model.exog is None:
        raise TypeError(f"this {name} has no data any more: give its design matrix and outcome, as X and y.")
    found = arguments(model, y if y is not None else model.endog)
    if found is None:
        return None
    found = {"X": X if X is not None else _design(model), **found}
    counted, notes = found.pop("counted", True), found.pop("notes", [])
    link = type(model.family.link).__name__ if name == "GLM" else name
    return Asked(name, found, notes=notes, finite_part=counted and link in ("Logit", "Log", "Poisson"))


def _design(model: Any) -> Named:
    """The design with the names of its columns; an ordinal model's names have those of thresholds at their end."""
    exog = np.asarray(model.exog, dtype=np.float64)
    names = [str(name) for name in model.exog_names or []][: exog.shape[1]]
    return Named(exog, names if len(names) == exog.shape[1] else [f"x{j}" for j in range(exog.shape[1])])


def of_family(model: Any, family: str) -> bool:
    """Whether a GLM has this family, or the model is none; refuses families and links that are not decided."""
    if type(model).__name__ != "GLM":
        return True
    own, link = type(model.family).__name__, type(model.family.link).__name__
    if link not in _LINKS.get(own, ()):
        raise ValueError(
            f"this GLM has the family {own} and the link {link}; decided are Poisson and NegativeBinomial with "
            f"Log, and Binomial with {', '.join(_CURVES[:-1])} or {_CURVES[-1]}."
        )
    return own == family


def weights_of(model: object, n: int) -> Any:
    """The weights of the rows, which a GLM alone may have."""
    given = [getattr(model, name, None) for name in ("freq_weights", "var_weights")]
    return np.prod([np.ones(n), *(np.asarray(some, dtype=np.float64) for some in given if some is not None)], axis=0)


def unequal(weights: object) -> dict[str, Any]:
    """The weights as an argument, where they differ from 1."""
    return {} if np.all(weights == 1) else {"sample_weight": weights}


def offset_of(model: object) -> dict[str, Any]:
    """The offset plus the exposure, of which statsmodels keeps the logarithm."""
    given = [getattr(model, name, None) for name in ("offset", "exposure")]
    parts = [np.asarray(some, dtype=np.float64) for some in given if some is not None]
    return {"offset": sum(parts)} if parts else {}


def labelled(model: Any, y: object, labels: list[str]) -> Any:
    """The labels of the outcome; the model itself keeps their numbers."""
    return np.array(labels, dtype=object)[np.asarray(y, dtype=np.int64)] if y is model.endog else y


class Shares(NamedTuple):
    """Shares of successes, of how many trials (times the weights), and the weights of rows."""

    shares: Floats
    trials: Floats
    weights: Floats

    @classmethod
    def of(cls, model: object, y: object) -> "Shares":
        """Shares from 0 to 1, or counts in two columns (successes, failures)."""
        counts = np.asarray(y, dtype=np.float64)
        trials = np.asarray(getattr(model, "n_trials", 1.0), dtype=np.float64)
        if counts.ndim == 2:
            trials = counts.sum(axis=1)
            counts = counts[:, 0] / trials
        if not np.all((counts >= 0) & (counts <= 1)):
            raise ValueError("a share of successes lies between 0 and 1, and one of y does not.")
        weights = weights_of(model, len(counts))
        return cls(counts, trials * weights, weights)

    @property
    def two_classes(self) -> bool:
        """Whether no row has both successes and failures."""
        return bool(np.all((self.shares == 0) | (self.shares == 1)))


# ------------------------------------------------------------------------------------------------------- scikit-learn


def from_sklearn(model: str, several: bool) -> dict[tuple[str, str], Reader]:
    """The reader of a LogisticRegression of two classes, or of `several`."""
    return {("sklearn", "LogisticRegression"): partial(_from_sklearn, model, several)}


def _from_sklearn(model: str, wanted: bool, fitted: Any, X: Any, y: Any) -> Asked | None:
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
    if several != wanted:
        return None
    if several and (fitted.solver == "liblinear" or getattr(fitted, "multi_class", "") == "ovr"):
        raise ValueError(
            "this LogisticRegression has learned each class against the rest: ask of each, rb.existence(X, y == label)."
        )
    strength = getattr(fitted, "C", getattr(fitted, "C_", None))  # C_ where cross-validation chose it
    free = fitted.penalty in (None, "none") or bool(np.all(np.isinf(np.asarray(strength, dtype=np.float64))))
    arguments = {"X": X, "y": np.asarray(y), "model": model}
    name = type(fitted).__name__
    return Asked(name, arguments | {"fit_intercept": fitted.fit_intercept}, "" if free else f"C={strength}")
