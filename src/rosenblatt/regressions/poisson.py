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
from rosenblatt.regressions.machinery.terms import CountFamily, Outcomes, poisson_moments

__all__ = ["REGRESSION", "Poisson"]


def _poisson_arguments(model: Any, y: Any) -> dict[str, Any] | None:
    if not of_family(model, "Poisson"):
        return None
    weights = unequal(weights_of(model, len(y)))
    return {"model": "poisson", "y": np.asarray(y), "fit_intercept": False, **offset_of(model), **weights}


def _of_fepois(fitted: Any, X: Any, y: Any) -> Asked:
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
    libraries = statsmodels(_poisson_arguments, "GLM", "Poisson") | {("pyfixest", "Fepois"): _of_fepois}

    @property
    def family(self) -> CountFamily:
        """Counts without a limit."""
        return poisson_moments

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
        return Outcomes(poisson_moments, np.where(y > 0, 1.0, -1.0), y, np.full(len(y), inf))

    def trials(self, columns: ModelColumns) -> Floats:
        """There is no limit."""
        return np.full(len(columns.arrays["y"]), inf)


REGRESSION = Poisson()
