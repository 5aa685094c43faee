"""`rosenblatt estimate`: after the verdict, one table of estimates."""

from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import READING, Json, Missing, TableOptions, takes_table
from rosenblatt.cli.output import DONE, LIMIT

if TYPE_CHECKING:
    from rosenblatt.estimates.estimating import Wanted
    from rosenblatt.estimates.table import Estimates

__all__ = ["command"]


class Outcomes(StrEnum):
    """What kind of outcome the target is."""

    logistic = "logistic"
    binomial = "binomial"
    poisson = "poisson"
    multinomial = "multinomial"
    cox = "cox"


class Ties(StrEnum):
    """How events at the same time are taken."""

    efron = "efron"
    breslow = "breslow"


def _column(name: str, text: str) -> Any:
    return typer.Option(name, help=text, metavar="COL")


@takes_table
def command(
    table: TableOptions,
    model: Annotated[
        Outcomes,
        typer.Option(
            help="What the target is: two classes, successes of --trials, a count, several classes; or --time."
        ),
    ] = Outcomes.logistic,
    formula: Annotated[
        str | None,
        typer.Option(
            help="Instead of --target: outcome and terms as in R (needs formulaic).", metavar="'Y ~ A + C(B)'"
        ),
    ] = None,
    trials: Annotated[
        str | None, _column("--trials", "Of a binomial model: the column of the numbers of trials.")
    ] = None,
    offset: Annotated[str | None, _column("--offset", "A column that is added to the responses.")] = None,
    exposure: Annotated[str | None, _column("--exposure", "A column whose logarithm is added to them.")] = None,
    time: Annotated[str | None, _column("--time", "Of a Cox model: the column of times.")] = None,
    event: Annotated[str | None, _column("--event", "Of a Cox model: whether there was an event then.")] = None,
    entry: Annotated[str | None, _column("--entry", "Of a Cox model: since when a row was at risk.")] = None,
    strata: Annotated[str | None, _column("--strata", "Of a Cox model: the column of strata.")] = None,
    ties: Annotated[Ties | None, typer.Option(help="Of a Cox model: events at the same time.")] = None,
    level: Annotated[float, typer.Option(help="Of the intervals.", metavar="PART")] = 0.95,
    exponentiate: Annotated[
        bool, typer.Option("--exponentiate", help="Show odds ratios (of counts: rate ratios).")
    ] = False,
    firth: Annotated[bool, typer.Option("--firth/--no-firth", help="Whether to show Firth's estimates too.")] = True,
    exact: Annotated[
        bool, typer.Option("--exact", help="Of small tables: also the exact estimates, intervals and p-values.")
    ] = False,
    intercept: Annotated[
        bool, typer.Option("--intercept/--no-intercept", help="Whether the model has an intercept.")
    ] = True,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds for the verdict, and for each exact analysis (exit 3).", min=0.0, metavar="SECONDS"),
    ] = None,
    json: Json = False,
    latex: Annotated[bool, typer.Option("--latex", help="The table for LaTeX (booktabs).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table for Markdown.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this file.", metavar="FILE")
    ] = None,
) -> int:
    """Estimate a regression, and say what is proved.

    Of each coefficient: whether its estimate is finite, the maximum-likelihood estimate, its profile-likelihood
    interval (with an infinite end where that is the truth), Firth's estimate, interval and p-value.

    For example:
      rosenblatt estimate study.csv --target died
      rosenblatt estimate study.csv --target died --exponentiate --level 0.9
      rosenblatt estimate study.csv --formula 'died ~ age + C(centre)'
      rosenblatt estimate gp.csv --target visits --model poisson --exposure time
      rosenblatt estimate flowers.csv --target species --model multinomial
      rosenblatt estimate trial.csv --model cox --time months --event died
      rosenblatt estimate mice.csv --target dead --model binomial --trials size
      rosenblatt estimate pilot.csv --target died --exact
      rosenblatt estimate study.csv --target died --latex -o table.tex

    Exit codes: 0 done, 2 bad input,
    3 a limit was hit before the answer was known.
    """
    from rosenblatt.cli.output import complain
    from rosenblatt.data.files import make_ready
    from rosenblatt.estimates.design import Undecided
    from rosenblatt.estimates.estimating import Wanted

    if json + latex + markdown > 1:
        raise ValueError("say one of --json, --latex and --markdown.")
    make_ready(output, inputs=table.files)
    wanted = Wanted(level, firth, exact, exponentiate, time_limit, ties and ties.value)
    columns = {"trials": trials, "offset": offset, "exposure": exposure}
    survival = {"time": time, "event": event, "entry": entry, "groups": strata}
    if model is not Outcomes.cox and any(survival.values()):
        raise ValueError("--time, --event, --entry and --strata are for --model cox.")
    try:
        if formula is not None and model is Outcomes.cox:
            raise ValueError("a Cox model takes no formula here: say --time, --event and --features.")
        if formula is not None:
            found = _by_formula(table, formula, model.value, intercept, columns, wanted)
        elif model is Outcomes.cox:
            found = _by_times(table, columns | survival, wanted)
        else:
            found = _by_table(table, model.value, intercept, columns, wanted)
    except Undecided as why:
        complain(str(why))
        return LIMIT
    _show(found, str(table.data or "the query"), json, latex, markdown, output)
    return DONE


def _by_formula(
    table: TableOptions, formula: str, model: str, intercept: bool, columns: dict[str, Any], wanted: "Wanted"
) -> "Estimates":
    """A formula names everything itself, but for gaps and weights."""
    from rosenblatt.cli.tables import tell
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.data.named_columns import read_source
    from rosenblatt.data.understood import source_in_words
    from rosenblatt.estimates.arguments import BesideColumns, asked
    from rosenblatt.estimates.estimating import estimate_given

    free = ("data", "more", "missing", "weights", *READING)
    plain = TableOptions(**{name: getattr(table, name) for name in free})
    others = [f"--{one.name}" for one in fields(table) if getattr(table, one.name) != getattr(plain, one.name)]
    if others:
        raise ValueError(f"a formula names the columns and says what they are: leave {', '.join(others)} out.")
    if table.data is None:
        raise ValueError("say which data: a file, as in rosenblatt estimate data.csv --formula 'y ~ a'.")
    if table.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a formula, --missing is refuse or drop.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    data, source = read_source(table.path or "", told=table.told())
    tell(source.where, source_in_words(source))
    with waiting("estimating"):
        beside = BesideColumns(sample_weight=table.weights, **columns)
        given, bias = asked(formula, None, beside, data, missing=table.missing.value)
        return estimate_given(given, model, bias, wanted)


def _by_table(
    table: TableOptions, model: str, intercept: bool, columns: dict[str, Any], wanted: "Wanted"
) -> "Estimates":
    """Columns are coded as they are for a verdict; those that play a part of their own are taken out of X."""
    from rosenblatt.cli.tables import load, open_as_told
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.estimates.arguments import BesideColumns, RowsGiven
    from rosenblatt.estimates.estimating import estimate_given

    parts = [name for name in columns.values() if name is not None]
    if table.features and parts:
        table = replace(table, features=[*table.features, *(one for one in parts if one not in table.features)])
    if model == "logistic":
        loaded = load(table, intercept)
        X, y, weights, encoding = loaded.X, loaded.signs, loaded.weights, loaded.encoding
    else:
        opened = open_as_told(table, intercept, multiclass=True)
        X, codes, weights = opened.arrays()
        encoding = opened.encoding
        y = _outcomes(model, encoding.classes, opened.name, encoding.target)[codes]
    X, taken, names = _split(X, encoding.features, parts, str(table.data))
    given = RowsGiven(
        X,
        y,
        BesideColumns(sample_weight=weights, **{key: taken.get(name) for key, name in columns.items()}),
        names,
        encoding.target or "success",
        encoding.levels,
        (encoding.classes[0], encoding.classes[1]) if model == "logistic" else None,
    )
    with waiting("estimating"):
        return estimate_given(given, model, intercept, wanted)


def _by_times(table: TableOptions, columns: dict[str, Any], wanted: "Wanted") -> "Estimates":
    """A Cox model has columns instead of a target."""
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.data.coded import CodedTable, Named
    from rosenblatt.estimates.arguments import BesideColumns, RowsGiven
    from rosenblatt.estimates.estimating import estimate_given

    plain = TableOptions(data=table.data, missing=table.missing, features=table.features, drop=table.drop)
    others = [f"--{one.name}" for one in fields(table) if getattr(table, one.name) != getattr(plain, one.name)]
    if others:
        raise ValueError(f"a Cox model is read with --features, --drop and --missing: leave {', '.join(others)} out.")
    if table.data is None or columns["time"] is None or columns["event"] is None:
        raise ValueError(
            "say a file, --time and --event, as in rosenblatt estimate t.csv --model cox --time t --event d."
        )
    if table.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a Cox model, --missing is refuse or drop.")
    named = {argument: name for argument, name in columns.items() if name is not None}
    read = CodedTable.read(
        table.data,
        list(dict.fromkeys(named.values())),
        features=table.features,
        leave_out=table.drop,
        missing=table.missing.value,
        reference=True,
    )
    given = {argument: Named(read.apart[name], [name]) for argument, name in named.items()}
    with waiting("estimating"):
        return estimate_given(RowsGiven(read.X, None, BesideColumns(**given), read.features), "cox", False, wanted)


def _outcomes(model: str, texts: tuple[str, ...], where: str, target: str | None) -> Any:
    """Classes by their names, or counts."""
    import numpy as np

    if model == "multinomial":
        return np.array(texts, dtype=object)
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        raise ValueError(f'{where}: the target "{target}" must be a column of numbers for this model.') from None


def _split(X: Any, features: list[str], parts: list[str], where: str) -> tuple[Any, dict[str, Any], list[str]]:
    """X without the columns that play a part of their own, those columns, and the names of the others."""
    import numpy as np

    for name in parts:
        if name not in features:
            raise ValueError(f'{where}: "{name}" must be a column of numbers, and one that is not left out.')
    places = {name: features.index(name) for name in parts}
    kept = [j for j in range(len(features)) if j not in places.values()]
    dense = X if isinstance(X, np.ndarray) else np.asarray(X.todense() if hasattr(X, "todense") else X)
    return dense[:, kept], {name: dense[:, j] for name, j in places.items()}, [features[j] for j in kept]


def _show(found: "Estimates", where: str, json: bool, latex: bool, markdown: bool, output: Path | None) -> None:
    from rosenblatt.cli.output import json_text, say, screen_width
    from rosenblatt.data.files import write_whole
    from rosenblatt.estimates.layout import text

    if json:
        content = json_text(found.to_json() | {"data": where})
    elif latex or markdown:
        content = found.to_latex() if latex else found.to_markdown()
    else:
        content = text(found, None if output else screen_width())
    if output is not None:
        write_whole(output, (content + "\n").encode())
        say(f"written to {output}")
    elif json or latex or markdown:
        print(content)
    else:
        say(*content.splitlines())
