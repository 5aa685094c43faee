"""`rosenblatt estimate`: one table with the estimates of a regression, and what is proved about each."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.options import READING, Json, Missing, TableOptions, flag, option, takes_table
from rosenblatt.cli.output import DONE, LIMIT, complain, json_text, say, screen_width, waiting
from rosenblatt.cli.tables import load, open_as_told, tell
from rosenblatt.data.files import make_ready, write_whole

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table
    from rosenblatt.estimates.arguments import RowsGiven

__all__ = ["command"]

Outcomes = StrEnum("Outcomes", "logistic binomial poisson multinomial cox")  # what kind of outcome the target is
Ties = StrEnum("Ties", "efron breslow")  # how events at the same time are taken


@takes_table
def command(
    table: TableOptions,
    model: Annotated[
        Outcomes,
        option(
            "The regression: logistic (two classes), binomial (successes of --trials), poisson (counts), multinomial "
            "(three or more classes), cox (--time and --event)."
        ),
    ] = Outcomes.logistic,
    formula: Annotated[
        str | None, option("Instead of --target: outcome and terms as in R (needs formulaic).", "'Y ~ A + C(B)'")
    ] = None,
    trials: Annotated[str | None, option("binomial: the column of trials.", "COL")] = None,
    offset: Annotated[str | None, option("A column that is added to the linear predictor.", "COL")] = None,
    exposure: Annotated[str | None, option("A column whose logarithm is added to it.", "COL")] = None,
    time: Annotated[str | None, option("cox: the column of times.", "COL")] = None,
    event: Annotated[str | None, option("cox: 1 for an event, 0 for censored.", "COL")] = None,
    entry: Annotated[str | None, option("cox: when a row enters.", "COL")] = None,
    strata: Annotated[str | None, option("cox: the column of strata.", "COL")] = None,
    ties: Annotated[Ties | None, option("cox: how events at the same time are treated.")] = None,
    level: Annotated[float, option("The level of the intervals.", "PART")] = 0.95,
    exponentiate: Annotated[bool, flag("--exponentiate", "Show odds ratios (poisson: rate ratios).")] = False,
    firth: Annotated[bool, option("Whether to show Firth's estimates too.")] = True,
    exact: Annotated[
        bool, flag("--exact", "For small tables: also exact conditional estimates, intervals and p-values.")
    ] = False,
    intercept: Annotated[bool, option("Whether the model has an intercept.")] = True,
    time_limit: Annotated[
        float | None, option("Seconds for the verdict, and for each exact analysis (exit 3).", "SECONDS", min=0.0)
    ] = None,
    json: Json = False,
    latex: Annotated[bool, flag("--latex", "The table for LaTeX (booktabs).")] = False,
    markdown: Annotated[bool, flag("--markdown", "The table for Markdown.")] = False,
    output: Annotated[Path | None, option("Write it to this file.", "FILE", name="--output -o")] = None,
) -> int:
    """Estimate a regression, and say what is proved.

    For each coefficient: whether its estimate is finite, the maximum-likelihood estimate, its profile-likelihood
    interval (with an infinite end where that is the truth), and Firth's estimate, interval and p-value.

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
    from rosenblatt.estimates.design import Undecided
    from rosenblatt.estimates.estimating import Wanted, estimate_given
    from rosenblatt.regressions.machinery.regression import WrongArgument

    if json + latex + markdown > 1:
        raise ValueError("say one of --json, --latex and --markdown.")
    make_ready(output, inputs=table.files)
    wanted = Wanted(level, firth, exact, exponentiate, time_limit, ties and ties.value)
    columns = {"trials": trials, "offset": offset, "exposure": exposure}
    survival = {"time": time, "event": event, "entry": entry, "groups": strata}
    if model is not Outcomes.cox and any(survival.values()):
        raise ValueError("--time, --event, --entry and --strata are for --model cox.")
    if formula is not None and model is Outcomes.cox:
        raise ValueError("a Cox model takes no formula here: say --time, --event and --features.")
    if formula is not None:
        given, bias = _by_formula(table, formula, intercept, columns)
    elif model is Outcomes.cox:
        given, bias = _by_times(table, columns | survival), True
    else:
        given, bias = _by_table(table, model.value, intercept, columns), intercept
    try:
        with waiting("estimating"):
            found = estimate_given(given, model.value, bias, wanted)  # type: ignore[arg-type]
    except Undecided as why:
        complain(str(why))
        return LIMIT
    except WrongArgument as wrong:
        raise ValueError(wrong.in_options) from None
    _show(found, str(table.data or "the query"), json, latex, markdown, output)
    return DONE


def _by_formula(
    table: TableOptions, formula: str, intercept: bool, columns: dict[str, Any]
) -> "tuple[RowsGiven, bool]":
    """The rows that a formula describes, and whether it has an intercept."""
    from rosenblatt.data.tables import columns_in_floats, open_columns
    from rosenblatt.data.understood import source_in_words
    from rosenblatt.estimates.arguments import BesideColumns, asked

    if others := table.besides("data", "more", "missing", "weights", *READING):
        raise ValueError(f"a formula names the columns and says what they are: leave {', '.join(others)} out.")
    if table.data is None:
        raise ValueError("say which data: a file, as in rosenblatt estimate data.csv --formula 'y ~ a'.")
    if table.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a formula, --missing is refuse or drop.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    source = open_columns(table.path or "", told=table.told())
    data = columns_in_floats(source, table.told(), "rosenblatt check takes such numbers")
    tell(source.where, source_in_words(source))
    beside = BesideColumns(sample_weight=table.weights, **columns)
    return asked(formula, None, beside, data, missing=table.missing.value)


def _by_table(table: TableOptions, model: str, intercept: bool, columns: dict[str, Any]) -> "RowsGiven":
    """The rows of a table, coded as for a verdict; trials, offset and exposure are taken out of X."""
    from rosenblatt.data.numbers import float_rows
    from rosenblatt.data.tables import Named
    from rosenblatt.estimates.arguments import BesideColumns, RowsGiven

    beside = [name for name in columns.values() if name is not None]
    if table.features and beside:
        table = replace(table, features=(*table.features, *(name for name in beside if name not in table.features)))
    if model == "logistic":
        loaded = load(table, intercept)
        y = loaded.y
    else:
        loaded = open_as_told(table, intercept, multiclass=True)
        y = _outcomes(model, loaded)
    encoding = loaded.encoding
    rows = float_rows(Named(loaded.X, encoding.features, loaded.rows().origin), "an estimate")[1]
    X, taken, names = _split(rows.matrix, encoding.features, beside, str(table.data))
    return RowsGiven(
        X,
        y,
        BesideColumns(sample_weight=loaded.weights, **{key: taken.get(name) for key, name in columns.items()}),
        names,
        encoding.target or "success",
        encoding.levels,
        (encoding.classes[0], encoding.classes[1]) if model == "logistic" else None,
        {"y": encoding.target or "", **{key: name for key, name in columns.items() if name is not None}},
        loaded.row_numbers,
    )


def _by_times(table: TableOptions, columns: dict[str, Any]) -> "RowsGiven":
    """The rows of a Cox model, which has a column of times and one of events instead of a target."""
    from rosenblatt.data.numbers import float_rows
    from rosenblatt.data.tables import CodedTable, Named
    from rosenblatt.estimates.arguments import BesideColumns, RowsGiven

    if others := table.besides("data", "missing", "features", "drop"):
        raise ValueError(f"a Cox model is read with --features, --drop and --missing: leave {', '.join(others)} out.")
    if table.data is None or columns["time"] is None or columns["event"] is None:
        raise ValueError(
            "say a file, --time and --event, as in rosenblatt estimate t.csv --model cox --time t --event d."
        )
    if table.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a Cox model, --missing is refuse or drop.")
    named = {argument: name for argument, name in columns.items() if name is not None}
    apart = list(dict.fromkeys(named.values()))
    read = CodedTable.read(
        table.data,
        apart,
        features=table.features,
        leave_out=table.drop,
        missing=table.missing.value,
        compared=[name for argument, name in named.items() if argument != "event"],
    )
    given = {argument: Named(read.apart[name], [name]) for argument, name in named.items()}
    X = float_rows(Named(read.X, read.features, read.origin), "an estimate")[1]
    return RowsGiven(X, None, BesideColumns(**given), read.features, called=named, numbers=read.numbers)


def _outcomes(model: str, loaded: "Table") -> Any:
    """The target's values: names of classes, or counts."""
    try:
        return loaded.labels.astype(object if model == "multinomial" else float)
    except ValueError:
        target = loaded.encoding.target
        raise ValueError(f'{loaded.name}: the target "{target}" must be a column of numbers for this model.') from None


def _split(X: Any, features: list[str], beside: list[str], where: str) -> tuple[Any, dict[str, Any], list[str]]:
    """X without the columns `beside`, these columns by name, and the names of the columns that stay in X."""
    for name in beside:
        if name not in features:
            raise ValueError(f'{where}: "{name}" must be a column of numbers, and one that is not left out.')
    places = {name: features.index(name) for name in beside}
    kept = [j for j in range(len(features)) if j not in places.values()]
    dense = X.toarray() if hasattr(X, "toarray") else X
    return dense[:, kept], {name: dense[:, j] for name, j in places.items()}, [features[j] for j in kept]


def _show(found: "rb.Estimates", where: str, json: bool, latex: bool, markdown: bool, output: Path | None) -> None:
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
