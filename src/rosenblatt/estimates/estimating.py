"""`estimate`: every coefficient's fate, its maximum-likelihood estimate, Firth's, and an interval for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import nan
from time import monotonic
from typing import Any, Literal, TypeVar, get_args

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats
from rosenblatt.context import Context, Unfinished
from rosenblatt.estimates.arguments import BesideColumns, RowsGiven, as_design, asked
from rosenblatt.estimates.design import CountDesign, Estimable, Undecided
from rosenblatt.estimates.exact_conditional import Exact, ExactDesign
from rosenblatt.estimates.maximum import Errors, LimitingFit, MaximumLikelihood, Robust, half_quantile, unknown_interval
from rosenblatt.estimates.penalised import PenalisedLikelihood
from rosenblatt.estimates.profile import End
from rosenblatt.estimates.results.table import Estimate, Estimates, Penalised
from rosenblatt.regressions import Link, ModelName, WrongArgument, grouped, regression_of
from rosenblatt.threads import each, one_thread

__all__ = ["Wanted", "estimate", "estimate_given"]

_FEW_CLUSTERS = 50  # up to which they are left out one by one, however many rows there are
_LOOKS = 5e3  # operations that a look at a row's value is worth
_MOST = 1e11  # operations for errors by what leaving each cluster out changes

Value = TypeVar("Value")


@dataclass(frozen=True)
class Wanted:
    """What a table of estimates should have; the fields are arguments of `estimate`, described there."""

    level: float = 0.95
    firth: bool = True
    exact: bool = False
    exponentiate: bool = False
    time_limit: float | None = None
    ties: str | None = None
    robust: Robust | None = None
    link: Link | None = None

    def __post_init__(self) -> None:
        if self.robust is not None and self.robust not in get_args(Robust):
            raise ValueError(f"robust is {self.robust!r}; it must be one of {', '.join(get_args(Robust))}.")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1; it is {self.level}.")


@checked
def estimate(
    X: Any,
    y: Any = None,
    model: ModelName | None = None,
    *,
    data: Any = None,
    trials: Any = None,
    offset: Any = None,
    exposure: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    event: Any = None,
    entry: Any = None,
    fixed_effects: Any = None,
    items: Any = None,
    ties: str | None = None,
    fit_intercept: bool = True,
    level: float = 0.95,
    firth: bool = True,
    exact: bool = False,
    exponentiate: bool = False,
    missing: Literal["refuse", "drop"] = "refuse",
    time_limit: float | None = None,
    robust: Robust | None = None,
    cluster: Any = None,
    link: Link | None = None,
    positive: Any = None,
) -> Estimates:
    """A table of estimates: of each coefficient its proved fate, its estimates and their intervals.

    Parameters
    ----------
    X, y : rows of numbers, and two classes ("logistic"), successes ("binomial", of `trials`), counts ("poisson") or
        several classes ("multinomial"; the first is the reference). "cox" takes `time` and `event` instead of y;
        "ordinal" and "sequential" (continuation ratio) take ordered levels, "paired" who won. Where none is named it
        is "logistic", or "cox" where there are times.
        X may also be a table of `rb.data.open_table`, without y: it has its own classes, weights, names and levels; or
        a formula, as "died ~ age + C(centre)", of the columns of `data` (needs formulaic: rosenblatt[formula]).
    data : frame, Arrow table or dictionary of columns
        With a formula. `trials`, `offset`, `exposure` and `sample_weight` may then be names of its columns. A dot in a
        formula stands for all columns that have no other part.
    offset, exposure : array, optional
        Added to the responses; an exposure is the exponential of an offset.
    sample_weight : array, optional
        How often each row counts; a row of weight 0 is absent.
    groups : array, or the name of a column, optional
        Rows of one group (a patient, a firm) are related: errors are robust, and clustered by these. Of the models
        that have sets of their own they are those: "conditional", and the strata of "cox".
    time, event, entry, ties : optional
        For a Cox model: until when each row was followed; 1 if that was an event, else 0; since when it was at risk;
        and "efron" or "breslow".
    fixed_effects : columns, optional
        Sets of effects, one for each value of a column ("logistic", "binomial", "poisson"); a formula says them behind
        a bar, "y ~ x | firm + year". Shown are the other coefficients.
    items : two columns, optional
        Of a paired model without X: who is a, and who is b; each item but the first has a weight.
    fit_intercept : bool
        Whether the model has an intercept; a formula says so itself, a Cox model has none.
    level : float
        The level of the intervals, between 0 and 1.
    firth : bool
        Whether to add Firth's estimates, with penalised profile intervals and p-values.
    exact : bool
        Whether to add the exact conditional analysis, for small tables of a logistic or binomial model: the
        median-unbiased estimate, the exact interval and p-value. Where there are more than 200,000 different totals to
        count, the table says so instead.
    exponentiate : bool
        Whether to show exponentials of the coefficients: odds ratios, rate ratios (counts) or hazard ratios (Cox).
    missing : "refuse" or "drop"
        What to do with rows of a formula's data that lack a value.
    time_limit : float, optional
        Seconds for all of it. Numbers that are not found by then are missing, and the table says so; where the verdict
        is not found, that is an error.
    robust : "HC0", "HC1", "HC2" or "HC3", optional
        Standard errors that hold where the variance is not the model's, as R's sandwich has them, of the limiting
        model's rows; intervals are Wald's then, and there are no Firth's estimates. A Poisson model of values that are
        not whole takes "HC1" by itself. With groups "HC1" is what most packages have (CR1), and too small where there
        are few groups; "HC3" is taken by itself, by what leaving each group out changes (CR3), unless groups are so
        many (thousands, of other models than logistic, binomial and Poisson) that it would take minutes.
    cluster : array, or the name of a column, optional
        The same as `groups`, by the name that it has elsewhere; where a model has sets or strata, beside these.
    link : "logit", "probit" or "cloglog", optional
        Of what the response is a quantile: logistic and binomial models have all three (standard errors by the expected
        information, as R's glm has them), "ordinal" has the first two. There are no Firth's estimates with the others.
    positive : label, optional
        "logistic": the class whose odds these are. Otherwise the second in order; of ⊕ and ⊖, C1 and C2 the first.

    Examples
    --------
    >>> X, y = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]], [0, 1, 0, 1, 1, 1]
    >>> table = estimate(X, y)
    >>> [(one.name, one.fate) for one in table.coefficients]
    [('x0', '+inf'), ('x1', 'finite'), ('(1)', 'finite')]
    """
    columns = BesideColumns(
        trials, offset, exposure, sample_weight, groups, time, event, entry, fixed_effects, items, cluster
    )
    given, bias = asked(X, y, columns, data, fit_intercept, missing, positive)
    wanted = Wanted(level, firth, exact, exponentiate, time_limit, ties, robust, link)
    try:
        return estimate_given(given, model, bias, wanted)
    except WrongArgument as wrong:
        if wrong.argument != "levels":
            raise
        of_itself = "give y as numbers, or as an ordered Categorical"  # the command line lists the levels
        raise TypeError(f"model={model!r} cannot tell the order of the levels of y: {of_itself}.") from None


def estimate_given(given: RowsGiven, model: ModelName | None, bias: bool, wanted: Wanted) -> Estimates:
    """The table of estimates of rows and outcomes that `asked` has read."""
    began = monotonic()
    model = model or given.usual_model
    given = _related(given, model)
    half = half_quantile(wanted.level)
    with one_thread():  # the matrices are small: threads would wait for each other
        design, outcome = as_design(given, model, bias, Context.of(wanted.time_limit), wanted.ties, wanted.link)
        if wanted.exponentiate and design.link == "probit":
            raise ValueError("exponentiate: e to a coefficient of a probit model is no ratio; leave it out.")
        counted = ExactDesign(design, wanted.level) if wanted.exact else None
        likelihood = MaximumLikelihood(design, half, design.names)
        limiting = LimitingFit(likelihood, _errors(design, given, wanted))
        wald = None if limiting.robust is None else limiting.wald(wanted.level)
        # Jeffreys' prior and its intervals are those of the model whose variance robust errors do not believe in
        penalised = PenalisedLikelihood(design, half) if wanted.firth and wald is None and design.jeffreys else None
        rows = _with_left_out(_rows(likelihood, penalised, counted, given.levels, wald), design)
    if not any(one.late for one in rows):
        design.context.deadline = None  # what is read of the result later takes its time
    about, plane = (design.regression, wanted.level, design.verdict), design.rows_of(likelihood.plane).size
    maxima = () if penalised is None else penalised.maxima
    found = Estimates(rows, *about, monotonic() - began, outcome, design.n, plane, wanted.exponentiate, limiting)
    return replace(found, maxima=maxima, encode=given.encode)


def _related(given: RowsGiven, model: ModelName) -> RowsGiven:
    """The same, where `groups` of a model that has no sets of its own are what its errors are clustered by."""
    columns = given.columns
    if columns.groups is None or "groups" in regression_of(model).roles:
        return given
    if columns.cluster is not None:
        raise ValueError("groups and cluster are two names for the rows that are related: say one of them.")
    called = {"cluster": given.called.get("groups", "groups"), **given.called}
    return replace(given, columns=replace(columns, groups=None, cluster=columns.groups), called=called)


def _errors(design: Estimable, given: RowsGiven, wanted: Wanted) -> Errors | None:
    """How errors are to be robust: as was asked, or as values of a Poisson model need it that are no counts."""
    cluster, fractions = given.columns.cluster, design.fractional
    if cluster is None:
        return Errors(wanted.robust) if wanted.robust else Errors("HC1") if fractions else None
    called = str(given.called.get("cluster") or "cluster")
    codes, _ = grouped(cluster, called)
    if len(codes) != len(given.y if given.y is not None else given.columns.time):
        raise ValueError(f"{called} must have one value for each row; it has {len(codes)}.")
    places = design.given.places
    name = str(getattr(cluster, "name", None) or called)
    many = int(codes.max(initial=0)) + 1
    counts = isinstance(design, CountDesign)
    work = many * (min(len(codes) / many, design.d) if counts else design.d) ** 3
    if not counts and many > _FEW_CLUSTERS:  # all rows are looked at for each cluster
        work += many * len(codes) * design.d * _LOOKS
    kind: Robust = wanted.robust or ("HC3" if work < _MOST else "HC1")
    return Errors(kind, codes if places is None else codes[places], name)


def _rows(
    likelihood: MaximumLikelihood,
    penalised: PenalisedLikelihood | None,
    counted: ExactDesign | None,
    references: Mapping[str, str],
    wald: Floats | None = None,
) -> list[Estimate]:
    """A row for each coefficient: first all likelihoods, then Firth's, then exact ones, as far as time allows."""
    design, size = likelihood.design, likelihood.problem.likelihood.size
    names, fates = [design.names[j] for j in design.shown], design.fates

    def in_time(work: Callable[[int], Value], otherwise: Callable[[str], Value]) -> list[tuple[Value, bool]]:
        """What the work finds for each coefficient, or what stands there, and whether time was over."""

        def one(j: int) -> tuple[Value, bool]:
            try:
                return work(j), False
            except (Unfinished, Undecided):
                return otherwise(fates[j]), True

        first = one(0)  # computes what all coefficients share, before threads would do it several times
        return [first, *each(one, range(1, len(names)), size)]

    values = in_time(likelihood.estimate, lambda _: (nan, None))
    if wald is None:
        intervals = in_time(likelihood.interval, unknown_interval)
    else:
        intervals = [((End.found(low), End.found(high)), False) for low, high in wald.tolist()]
    firth: list[tuple[Penalised | None, bool]] = [(None, False)] * len(names)
    exact: list[tuple[Exact | None, bool]] = [(None, False)] * len(names)
    if penalised is not None:
        firth = in_time(penalised.estimate, lambda _: Penalised(nan, None, nan, nan, nan))
    if counted is not None:
        exact = in_time(counted.estimate, lambda _: Exact(nan, nan, nan, nan))
    rows = list[Estimate]()
    for j, name in enumerate(names):
        (value, error), (lower, upper) = values[j][0], intervals[j][0]
        late = any(part[j][1] for part in (values, intervals, firth, exact))
        of_class = name.split(": ", 1)[1] if likelihood.design.blocks > 1 else name
        inference = (firth[j][0], references.get(of_class, ""), exact[j][0])
        rows.append(Estimate(name, fates[j], value, error, lower, upper, *inference, late=late))
    return rows


def _with_left_out(rows: list[Estimate], design: Estimable) -> list[Estimate]:
    """The rows with those of columns that were left out, in their places."""
    width, whole = len(rows) // design.blocks, list[Estimate]()
    for block in range(design.blocks):
        part = rows[block * width : (block + 1) * width]
        of_class = f"{design.columns.against[block + 1]}: " if design.blocks > 1 else ""
        for one in design.left_out:
            ends = End.at_infinity(-1.0), End.at_infinity(1.0)
            name = of_class + one.name
            part.insert(one.column, Estimate(name, "not identified", nan, None, *ends, None, left_out=True))
        whole += part
    return whole
