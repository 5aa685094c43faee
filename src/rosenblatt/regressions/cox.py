"""Cox regression: each event is compared with all rows that are at risk at its time.

v is a direction of recession where x_i·v ≥ x_j·v for each event i and each j at risk at its time: the same stratum, and
entry_j < time_i ≤ time_j. In Breslow's and Efron's likelihood tied events are at risk for each other, so x·v is the
same for all of them: each is an equality with the one that entered first (or comes first in the table). The exact
likelihood does not compare tied events. These are far more pairs than needed: `risk_sets` finds few that say the same.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.data.tables import Named
from rosenblatt.regressions.conditional import cases_of
from rosenblatt.regressions.machinery.given import BadValue, Given, ModelColumns, given_numbers, grouped, refuse_where
from rosenblatt.regressions.machinery.libraries import statsmodels
from rosenblatt.regressions.machinery.regression import Asked, ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Names, Values
from rosenblatt.regressions.machinery.sets import AtRisk, Members, Pairs, between, risk_sets
from rosenblatt.regressions.machinery.terms import RiskTerms

__all__ = ["REGRESSION", "TIES", "Cox", "Survival", "rows", "ties_of"]

TIES = ("efron", "breslow", "exact")


class Survival(NamedTuple):
    """Of each row: until when it was followed, whether that was an event, since when, and its stratum (from 0)."""

    time: Floats
    event: Flags
    entry: Floats | None = None
    strata: Places | None = None

    @classmethod
    def of(cls, time: Floats, event: object, entry: Floats | None = None, strata: Places | None = None) -> "Survival":
        """Look at a caller's columns, whose times are finite numbers; refuses impossible ones."""
        refuse_where(time < 0, time, "time", "a time is not negative")
        if entry is not None and np.any(entry >= time):
            i = np.flatnonzero(entry >= time)[0]
            raise BadValue("entry", f"{entry[i]:g}", int(i), f"its time is {time[i]:g}, so it is never at risk")
        return cls(time, cases_of(event, "event", "an event"), entry, strata)


def ties_of(name: str | None) -> str:
    """The way to take ties: Efron's, where none is named."""
    if name is not None and name not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; it is {name!r}.")
    return name or TIES[0]


def rows(values: Values, survival: Survival, names: Names, ties: str = "efron") -> ModelRows:
    """The rows z: ties as equalities, then events against rows, then members of sets (late entry, exact ties)."""
    risk = AtRisk.of(*survival)
    events, members, tied = _untied(risk, ties == "exact")
    above, below = risk_sets(events, members, risk.first, risk.last)
    return between(values, above, below, names, tied, "set")


def _cox_arguments(model: Any, y: Any) -> dict[str, Any]:
    event = np.ones(len(y), dtype=np.int64) if model.status is None else np.asarray(model.status)
    given = {"entry": model.entry, "groups": model.strata}
    there = {name: np.asarray(column) for name, column in given.items() if column is not None}
    return {"model": "cox", "time": np.asarray(y), "event": event, **there}


def _of_lifelines(fitted: Any, X: Any, y: Any) -> Asked:
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


def _of_survival(fitted: Any, X: Any, y: Any) -> Asked:
    """A model of scikit-survival, whose outcome is an array of two fields: whether there was an event, and the time."""
    if X is None or getattr(getattr(y, "dtype", None), "names", None) is None or len(y.dtype.names) != 2:
        raise TypeError("CoxPHSurvivalAnalysis keeps no data: give X and y, the array of events and times, as fitted.")
    event, time = (np.asarray(y[name]) for name in y.dtype.names)
    arguments = {"X": X, "model": "cox", "time": time.astype(np.float64), "event": event.astype(np.int64)}
    penalised = np.any(np.asarray(fitted.alpha) != 0)
    return Asked(type(fitted).__name__, arguments, f"alpha={fitted.alpha}" if penalised else "")


class Cox(Regression):
    """Times until an event: each event was chosen among all rows at risk at its time, with e^(x·w) for odds."""

    name = "cox"
    roles = taking(groups="groups", time="number", event="flag", entry="number", offset="number")
    needs = ("time", "event")
    options = ("ties",)
    words = ModelWords("times until an event", compared="row at risk", ratio="hazard ratio")
    libraries = statsmodels(_cox_arguments, "PHReg") | {
        ("lifelines", "CoxPHFitter"): _of_lifelines,
        ("sksurv", "CoxPHSurvivalAnalysis"): _of_survival,
    }

    def read(self, given: Given) -> ModelColumns:
        """Times, events, entries, and the number of each row's stratum."""
        time = given_numbers(given.columns["time"], "time")
        entry = given_numbers(given.columns["entry"], "entry") if "entry" in given.columns else None
        known = Survival.of(time, given.columns["event"], entry)
        facts: dict[str, Any] = {"ties": ties_of(given.choices.get("ties"))}
        arrays: dict[str, Any] = {"time": time, "event": known.event.astype(np.int64)}
        if entry is not None:
            arrays["entry"] = entry
        if "groups" in given.columns:
            strata, facts["groups"] = grouped(given.columns["groups"], "groups")
            arrays = {"groups": strata} | arrays
        notes = () if known.event.any() else ("there are no events: the likelihood is constant",)
        return ModelColumns(arrays, tuple(given.names), facts | {"columns": {name: name for name in arrays}}, (), notes)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """Events against rows at risk, by few comparisons."""
        return rows(values, _survival(columns), columns.weights, columns.entry["ties"])

    def terms(self, given: Given, columns: ModelColumns) -> RiskTerms:
        """Each event was chosen among all rows at risk at its time, as R's coxph has it."""
        survival, ties = _survival(columns), columns.entry["ties"]
        if ties == "exact":
            raise ValueError("estimates of a Cox model are for ties='efron' or 'breslow'.")
        if not survival.event.any():
            raise ValueError("there are no events: the likelihood is constant, and there is nothing to estimate.")
        time, event, entry, strata = survival
        strata = np.zeros(len(time), dtype=np.int64) if strata is None else strata
        return RiskTerms(given.values.X, given.offset, given.weights, time, event, entry, strata, ties == "efron")

    def outcome(self, names: Mapping[str, str], columns: ModelColumns) -> str:
        """The event."""
        return names["event"]


def _survival(columns: ModelColumns) -> Survival:
    arrays = columns.arrays
    return Survival(arrays["time"], arrays["event"] > 0, arrays.get("entry"), arrays.get("groups"))


def _untied(risk: AtRisk, exact: bool) -> tuple[Members, Places, Pairs]:
    """The events of each time, the rows that they are compared with, and pairs of tied events (the first, another).

    The first of tied events entered first, so it stands for all. The exact likelihood keeps all of them.
    """
    everyone = np.arange(len(risk.first))
    if exact:
        return Members(risk.at, risk.event), everyone, Pairs(risk.event[:0], risk.event[:0])
    leads = np.diff(risk.at, prepend=-1) > 0
    leader, tied = risk.event[leads], risk.event[~leads]
    members = np.setdiff1d(everyone, tied, assume_unique=True)
    return Members(risk.at[leads], leader), members, Pairs(leader[risk.at[~leads]], tied)


REGRESSION = Cox()
