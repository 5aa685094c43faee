"""Poisson regression. z is −x where y = 0; where y > 0, x is an equality: its mean must neither vanish nor grow.

It matters only whether y is 0: any y ≥ 0 will do (PPML), and exposures change nothing.
"""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.tables import Named
from rosenblatt.regressions.machinery.counts import CountRegression, one_z_a_row, with_effects
from rosenblatt.regressions.machinery.given import Given, ModelColumns, given_numbers, refuse_where
from rosenblatt.regressions.machinery.libraries import of_family, offset_of, statsmodels, unequal, weights_of
from rosenblatt.regressions.machinery.regression import Asked, ModelWords, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import CountFamily, Outcomes

__all__ = ["REGRESSION", "Poisson"]


_ANY_DISPERSION = (
    "The verdict is about the coefficients, whatever the dispersion; whether that stays finite was not asked."
)
_COUNT_PART = (
    "Only the part of the counts was asked: where it has no estimate, the model has none; else ask of the inflation, "
    'rb.existence(exog_infl, y == 0, model="logistic", fit_intercept=False).'
)


def _poisson_arguments(model: Any, y: Any) -> dict[str, Any] | None:
    """A negative binomial model has the same directions: where y = 0 the mean may vanish, elsewhere it must not."""
    poisson, negative = (of_family(model, family) for family in ("Poisson", "NegativeBinomial"))
    if not poisson and not negative:
        return None
    about: dict[str, Any] = {"model": "poisson", "y": np.asarray(y), "fit_intercept": False, "counted": poisson}
    return about | offset_of(model) | unequal(weights_of(model, len(y)))


def _dispersed_arguments(model: object, y: object) -> dict[str, Any]:
    return {**(_poisson_arguments(model, y) or {}), "counted": False, "notes": [_ANY_DISPERSION]}


def _inflated_arguments(model: object, y: object) -> dict[str, Any]:
    """A direction of the Poisson model raises this likelihood too, whatever the inflation: P(0) grows along it."""
    return {**(_poisson_arguments(model, y) or {}), "counted": False, "notes": [_COUNT_PART]}


def _grouped_arguments(model: Any, y: object) -> dict[str, Any]:
    """Given the totals of the groups, a Poisson model with an effect for each; of the groups that the model has kept.

    A group without a count says nothing.
    """
    kept = [k for k, one in enumerate(model._endog_grp) if np.sum(one) > 0]
    parts = {name: [np.asarray(getattr(model, name)[k]) for k in kept] for name in ("_endog_grp", "_exog_grp")}
    sizes = [len(one) for one in parts["_endog_grp"]]
    names = [str(name) for name in model.exog_names or []]
    X = np.vstack(parts["_exog_grp"]).astype(np.float64)
    arguments: dict[str, Any] = {
        "model": "poisson",
        "X": Named(X, names if len(names) == X.shape[1] else [f"x{j}" for j in range(X.shape[1])]),
        "y": np.concatenate(parts["_endog_grp"]).astype(np.float64),
        "fixed_effects": [Named(np.repeat(kept, sizes), ["group"])],
        "counted": False,
    }
    offsets = getattr(model, "_offset", None)
    return arguments | ({"offset": np.concatenate([offsets[k] for k in kept])} if offsets else {})


def _of_fepois(fitted: Any, X: object, y: object) -> Asked:
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


class Poisson(CountRegression):
    """A count with mean exposure·e^(x·w)."""

    name = "poisson"
    roles = taking(target="number", offset="number", exposure="number", fixed_effects="groups")
    words = ModelWords(
        "counts",
        certain="are separated, every estimate gives them mean 0",
        every="every row has count 0, and mean 0 fits best.",
        ratio="rate ratio",
    )
    libraries = (
        statsmodels(_poisson_arguments, "GLM", "Poisson")
        | statsmodels(_dispersed_arguments, "NegativeBinomial", "NegativeBinomialP")
        | statsmodels(_inflated_arguments, "ZeroInflatedPoisson")
        | statsmodels(_grouped_arguments, "ConditionalPoisson")
        | {("pyfixest", "Fepois"): _of_fepois}
    )

    @property
    def family(self) -> CountFamily:
        """Counts without a limit."""
        return "poisson"

    def read(self, given: Given) -> ModelColumns:
        """Counts, or any numbers from 0 on."""
        y = given_numbers(given.columns["y"], "y")
        refuse_where(y < 0, y, "y", "a count is not negative")
        if "exposure" in given.columns:
            exposure = given_numbers(given.columns["exposure"], "exposure")
            refuse_where(exposure <= 0, exposure, "exposure", "it must be above 0")
        return with_effects(given, {"y": y})

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """−x where y = 0; elsewhere an equality."""
        return replace(one_z_a_row(values, columns), equal=columns.arrays["y"] > 0)

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """One count a row."""
        y = columns.arrays["y"][rows.row]
        return Outcomes("poisson", np.where(y > 0, 1.0, -1.0), y, np.full(len(y), inf))

    def trials(self, columns: ModelColumns) -> Floats:
        """There is no limit."""
        return np.full(len(columns.arrays["y"]), inf)


REGRESSION = Poisson()
