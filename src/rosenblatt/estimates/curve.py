"""The profile likelihood of one coefficient as a curve: what the log-likelihood loses where it is held at a value."""

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.context import SILENT
from rosenblatt.estimates.arguments import BesideColumns, Missing, as_design, asked
from rosenblatt.estimates.design import Estimable
from rosenblatt.estimates.likelihood import AnyPoint
from rosenblatt.estimates.maximum import MaximumLikelihood, half_quantile
from rosenblatt.estimates.optimum import minimise
from rosenblatt.estimates.profile import held
from rosenblatt.regressions import ModelName
from rosenblatt.threads import one_thread

__all__ = ["ProfileCurve", "profile_curve"]

_POINTS = 121
_FLAT = 0.03  # a curve towards infinity looks flat once it is below this
_BEYOND = 0.35  # how far the curve goes on outside the interval, as a share of the interval


@dataclass(frozen=True)
class ProfileCurve:
    """Twice what the log-likelihood loses with the coefficient held at each of `values`.

    The interval has all values whose loss is not above `cut`.
    """

    name: str
    fate: str
    values: Floats
    losses: Floats
    cut: float
    level: float
    estimate: float
    lower: float
    upper: float


def profile_curve(
    X: Any,
    y: Any = None,
    coefficient: str | int = 0,
    model: ModelName = "logistic",
    *,
    level: float = 0.95,
    ties: str | None = None,
    data: Any = None,
    fit_intercept: bool = True,
    missing: Missing = "refuse",
    **columns: Any,
) -> ProfileCurve:
    """The curve of one coefficient, given by name or number; all other arguments are those of `estimate`."""
    given, bias = asked(X, y, BesideColumns(**columns), data, fit_intercept, missing)
    design, _ = as_design(given, model, bias, SILENT, ties)
    names = design.names
    if coefficient in [one.name for one in design.left_out]:
        raise ValueError(f"{coefficient} is left out: columns before it say the same.")
    j = _place(coefficient, names)
    if design.fates[j] in ("not identified", "undetermined"):
        raise ValueError(
            f"{names[j]} is {design.fates[j]}: its profile is flat, every value fits as well as any other."
        )
    with one_thread():
        return _profile_curve(design, names[j], j, level)


def _place(coefficient: str | int, names: list[str]) -> int:
    if isinstance(coefficient, int) and -len(names) <= coefficient < len(names):
        return coefficient % len(names)
    if coefficient not in names:
        raise ValueError(f"there is no coefficient {coefficient!r}; there are {', '.join(names)}.")
    return names.index(str(coefficient))


def _profile_curve(design: Estimable, name: str, j: int, level: float) -> ProfileCurve:
    cut = 2.0 * half_quantile(level)
    likely = MaximumLikelihood(design, cut / 2)
    lower, upper = (end.value for end in likely.interval(j))
    problem, start = likely.profiled(j)
    place = problem.place(j)
    scale, best = float(problem.coordinates.scale[place]), likely.point.loss
    first = minimise(problem.likelihood, start.v, place)
    low, high = _range(first, place, best, lower / scale, upper / scale)
    values, point, losses = np.linspace(low, high, _POINTS), first, []
    for b in values:
        point = held(point, place, float(b))
        losses.append(max(0.0, 2.0 * (point.loss - best)))
    estimate = likely.estimate(j)[0]
    return ProfileCurve(name, design.fates[j], values * scale, np.array(losses), cut, level, estimate, lower, upper)


def _range(point: AnyPoint, place: int, best: float, lower: float, upper: float) -> tuple[float, float]:
    """The values to draw: the interval and a little more; towards an infinite end, until the curve is flat."""
    if isfinite(lower) and isfinite(upper):
        beyond = _BEYOND * (upper - lower)
        return lower - beyond, upper + beyond
    sign, finite = (1.0, lower) if isfinite(lower) else (-1.0, upper)
    step = 1.0 / sqrt(max(float(point.information[place, place]), 1e-12))
    reach, point = step, held(point, place, finite)
    while reach < 1e3 * step:
        point = held(point, place, finite + sign * reach)
        if 2.0 * (point.loss - best) < _FLAT:
            break
        reach *= 1.5
    ends = (finite - sign * _BEYOND * reach, finite + sign * reach)
    return min(ends), max(ends)
