"""Logistic regression of counts: k successes of m trials. z is x where k > 0, and −x where k < m."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.regressions.machinery.counts import CountRegression, counted, signed_rows, with_effects
from rosenblatt.regressions.machinery.given import Given, ModelColumns, refuse_where
from rosenblatt.regressions.machinery.libraries import Shares, of_family, offset_of, statsmodels, unequal
from rosenblatt.regressions.machinery.regression import ModelWords, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import Outcomes

__all__ = ["REGRESSION", "Binomial"]


def _binomial_arguments(model: object, y: object) -> dict[str, Any] | None:
    """Shares of an unknown number of trials are not `counted`: for the verdict only none, some and all matter."""
    if not of_family(model, "Binomial") or (found := Shares.of(model, y)).two_classes:
        return None
    shares, trials, weights = found
    successes, whole = np.rint(shares * trials), np.rint(trials)
    counted = bool(np.all((np.abs(shares * trials - successes) <= 1e-9) & (trials == whole)))
    if not counted:
        successes, whole = np.where(shares == 0, 0.0, np.where(shares == 1, 2.0, 1.0)), np.full(len(shares), 2.0)
    more = {"fit_intercept": False, "counted": counted, **offset_of(model), **unequal((weights > 0) * 1.0)}
    return {"model": "binomial", "y": successes, "trials": whole, **more}


class Binomial(CountRegression):
    """k of m trials succeed, each with the probability 1/(1 + e^(−x·w))."""

    name = "binomial"
    roles = taking(target="number", trials="number", offset="number", fixed_effects="groups")
    needs = ("target", "trials")
    links = ("logit", "probit", "cloglog")
    words = ModelWords("successes of trials")
    libraries = statsmodels(_binomial_arguments, "Logit", "Probit", "GLM")

    def read(self, given: Given) -> ModelColumns:
        """Successes and trials."""
        k, m = counted(given.columns["y"], "y"), counted(given.columns["trials"], "trials")
        more = k > m
        refuse_where(more, k, "y", f"of {m[np.argmax(more)]:g} trials there cannot be more successes")
        return with_effects(given, {"y": k, "trials": m})

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """x where k > 0 (against 1), and −x where k < m (against 0)."""
        k, m = columns.arrays["y"], columns.arrays["trials"]
        some, others = np.flatnonzero(k > 0), np.flatnonzero(k < m)
        places, against = np.concatenate([some, others]), np.repeat([1, 0], [some.size, others.size])
        order = np.argsort(places, kind="stable")
        places, against = places[order], against[order]
        return signed_rows(values, columns, places, 2.0 * against - 1.0, against)

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """All successes of a row, and all failures."""
        k, m = columns.arrays["y"][rows.row], columns.arrays["trials"][rows.row]
        signs = np.where(rows.against > 0, 1.0, -1.0)
        return Outcomes("binomial", signs, np.where(signs > 0, k, 0.0), np.where(signs > 0, k, m - k))

    def trials(self, columns: ModelColumns) -> Floats:
        """How many there were."""
        return columns.arrays["trials"]


REGRESSION = Binomial()
