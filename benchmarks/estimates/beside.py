"""Estimates beside those of R and of statsmodels, on real tables."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table
from rosenblatt.arrays import Floats
from rosenblatt.estimates.results.table import Estimates

__all__ = ["beside", "differences", "entries", "estimated", "from_statsmodels"]

_STORED = Path(__file__).parents[1] / "results" / "beside-r.json"
_KEYS = ("estimates", "errors", "log-likelihood", "profile ends", "Firth")


def entries() -> tuple[str, list[dict[str, Any]]]:
    """The versions of R and its packages, and each table with their numbers; made by beside.R."""
    stored = json.loads(_STORED.read_text())
    return stored["made_with"], stored["entries"]


def estimated(entry: dict[str, Any]) -> Estimates:
    """The same model by rosenblatt."""
    names = ("trials", "offset", "sample_weight", "groups", "time", "event", "entry", "ties", "link")
    given = {name: entry[name] for name in names if entry.get(name) is not None}
    given |= {"sample_weight": entry["weights"]} if entry.get("weights") is not None else {}
    return rb.estimate(np.array(entry["X"], dtype=float), entry.get("y"), entry["model"], **given)


def differences(entry: dict[str, Any], found: Estimates) -> dict[str, float]:
    """The largest difference of each kind of number that both have, where the estimate exists.

    Of estimates, ends and Firth's in R's standard errors, of errors as a share, of log-likelihoods as they are.
    """
    error, finite = _numbers(entry, "error"), np.isfinite(found.limiting.params)
    different = {
        "estimates": np.where(finite, (found.limiting.params - _numbers(entry, "estimate")) / error, np.nan),
        "errors": found.limiting.errors / error - 1.0,
    }
    if finite.all():
        different["log-likelihood"] = np.array([found.llf - entry["loglik"]])
    if entry.get("lower") is not None:
        ends = np.array([[one.lower.value, one.upper.value] for one in found.coefficients])
        theirs = np.column_stack([_numbers(entry, "lower"), _numbers(entry, "upper")])
        different["profile ends"] = np.where(finite[:, None], (ends - theirs) / error[:, None], np.nan)
    if entry.get("firth") is not None and found.penalised:
        ours = np.array([one.firth.value if one.firth else np.nan for one in found.coefficients])
        different["Firth"] = (ours - _numbers(entry, "firth")) / found.limiting.errors
    return {kind: float(np.nanmax(np.abs(some))) for kind, some in different.items() if np.isfinite(some).any()}


def _numbers(entry: dict[str, Any], name: str) -> Floats:
    return np.array(np.atleast_1d(entry[name]), dtype=float)


def from_statsmodels(entry: dict[str, Any], found: Estimates) -> float | None:
    """The largest difference from statsmodels' estimates, in standard errors; None where it has no such fit."""
    try:
        params = found.limit.params
    except ValueError:
        return None
    theirs = np.roll(params, -1) if "Intercept" in params else np.asarray(params)  # ours is the last
    columns = found.limiting.columns
    kept = np.isfinite(found.limiting.params[columns])
    different = (theirs - found.limiting.params[columns])[kept] / found.limiting.errors[columns][kept]
    return float(np.abs(different).max()) if kept.any() else None


@benchmark("beside")
def beside() -> None:
    """Estimates of real tables beside those of R and of statsmodels: the largest difference of every number.

    R's glm, confint and brglm2 (binary outcomes and counts), coxph, polr and clogit; the tables are those that come
    with R and its packages survival, MASS and brglm2, and their columns and R's numbers are stored with the script
    that made them, benchmarks/estimates/beside.R. Differences of estimates, ends and Firth's are in standard
    errors, those of errors are shares. R's confint draws a spline through some points of the profile, so its ends
    are true to about three digits; polr's errors come from differences, and are too. `∞`: how many coefficients
    have no finite estimate; R prints some large number for those, and they are left out. Behind statsmodels: its
    GLM or PHReg, fitted to the rows and columns of the limiting model.
    """
    made_with, stored = entries()
    print(f"{made_with}.\n")
    lines, worst = list[list[str]](), dict.fromkeys((*_KEYS, "statsmodels"), 0.0)
    for entry in stored:
        found = estimated(entry)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            different = differences(entry, found)
            python = from_statsmodels(entry, found)
        different |= {} if python is None else {"statsmodels": python}
        worst = {kind: max(most, different.get(kind, 0.0)) for kind, most in worst.items()}
        model = entry["model"] + (f", {entry['link']}" if entry.get("link") else "")
        infinite = int((~np.isfinite(found.limiting.params)).sum())
        told = [f"{different[kind]:.0e}" if kind in different else "" for kind in worst]
        lines.append([entry["name"], model, f"{found.n:,}", str(infinite or ""), *told])
    lines.append(["largest", "", "", "", *(f"{most:.0e}" for most in worst.values())])
    print_table(["table", "model", "rows", "∞", *worst], lines)
