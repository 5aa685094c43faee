"""`estimate`: every coefficient's fate, its maximum-likelihood estimate, Firth's, and an interval for each."""

import time
from typing import Any

from scipy.stats import chi2

from rosenblatt.data.table import Table
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven, as_design, given_table, given_values
from rosenblatt.estimates.design import Design
from rosenblatt.estimates.formula import given_formula
from rosenblatt.estimates.maximum import MaximumLikelihood
from rosenblatt.estimates.penalised import PenalisedLikelihood
from rosenblatt.estimates.table import Estimate, Estimates
from rosenblatt.verdicts.threads import one_thread

__all__ = ["estimate", "estimate_given", "given_of"]


def estimate(
    X: Any,
    y: Any = None,
    model: str = "logistic",
    *,
    data: Any = None,
    trials: Any = None,
    offset: Any = None,
    exposure: Any = None,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    level: float = 0.95,
    firth: bool = True,
    exponentiate: bool = False,
    missing: str = "refuse",
    time_limit: float | None = None,
) -> Estimates:
    """One honest table: of each coefficient what is proved, and the numbers that go with it.

    Parameters
    ----------
    X, y : rows of numbers, and two classes ("logistic"), successes ("binomial", of `trials`) or counts ("poisson")
        X may also be a table of `rb.data.open_table`, without y: it has its own classes, weights, names and levels; or
        a formula, as "died ~ age + C(centre)", of the columns of `data` (needs formulaic: rosenblatt[formula]).
    data : frame, Arrow table or dictionary of columns
        With a formula. `trials`, `offset`, `exposure` and `sample_weight` may then be names of its columns.
    offset, exposure : array, optional
        Added to the responses; an exposure is the exponential of an offset.
    sample_weight : array, optional
        How often each row counts; 0: it is absent.
    level : float
        Of the intervals.
    firth : bool
        Also Firth's estimates, with penalised profile intervals and p-values.
    exponentiate : bool
        Show odds ratios (of counts: rate ratios), which are the exponentials of the coefficients.
    missing : "refuse" or "drop"
        Of a formula's data: what to do with rows that lack a value.
    time_limit : float, optional
        Seconds for the verdict.

    Examples
    --------
    >>> X, y = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], [0, 1, 0, 1, 1, 1]
    >>> table = estimate(X, y)
    >>> [(one.name, one.fate) for one in table.coefficients]
    [('x0', '+inf'), ('x1', 'finite'), ('(1)', 'finite')]
    """
    columns = BesideColumns(trials, offset, exposure, sample_weight)
    given, fit_intercept = given_of(X, y, data, columns, fit_intercept, missing)
    return estimate_given(
        given,
        model,
        fit_intercept=fit_intercept,
        level=level,
        firth=firth,
        exponentiate=exponentiate,
        time_limit=time_limit,
    )


def estimate_given(
    given: RowsGiven,
    model: str,
    *,
    fit_intercept: bool = True,
    level: float = 0.95,
    firth: bool = True,
    exponentiate: bool = False,
    time_limit: float | None = None,
) -> Estimates:
    """The same of rows and outcomes that are there already."""
    began = time.monotonic()
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; it is {level}.")
    design, outcome = as_design(given, model, fit_intercept, time_limit)
    names = given.coefficients(design)
    half = float(chi2.ppf(level, 1)) / 2
    with one_thread():  # the matrices are small: threads would wait for each other
        rows = _rows(design, names, given, half, firth)
    plane, seconds = len(design.on_plane()), time.monotonic() - began
    return Estimates(rows, model, level, design.verdict, seconds, outcome, len(design.y), plane, exponentiate)


def given_of(
    X: Any, y: Any, data: Any, columns: BesideColumns, intercept: bool, missing: str
) -> tuple[RowsGiven, bool]:
    """Rows and outcomes, whatever they came in; and whether there is an intercept."""
    if isinstance(X, str):
        return _by_formula(X, y, data, columns, intercept, missing)
    if data is not None:
        raise TypeError("data goes with a formula: estimate('died ~ age', data=data).")
    given = given_table(X, y, columns) if isinstance(X, Table) else given_values(X, y, columns)
    return given, intercept


def _by_formula(
    text: str, y: Any, data: Any, columns: BesideColumns, intercept: bool, missing: str
) -> tuple[RowsGiven, bool]:
    """What a formula says, and whether it has an intercept."""
    if y is not None:
        raise TypeError("a formula names its outcome: leave y out.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing must be 'refuse' or 'drop'; it is {missing!r}.")
    return given_formula(text, data, columns, missing)


def _rows(design: Design, names: list[str], given: RowsGiven, half: float, firth: bool) -> list[Estimate]:
    likelihood = MaximumLikelihood(design, half)
    penalised = PenalisedLikelihood(design, half) if firth else None
    return [
        Estimate(
            name,
            design.fates[j],
            *likelihood.estimate(j),
            *likelihood.interval(j),
            None if penalised is None else penalised.estimate(j),
            given.levels.get(name, ""),
        )
        for j, name in enumerate(names)
    ]
