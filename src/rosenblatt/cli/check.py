"""`rosenblatt check`: can a hyperplane tell the two classes apart? With proof."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import (
    Cluster,
    Intercept,
    Json,
    Numbers,
    ShardRows,
    TableOptions,
    refuse_with_cluster,
    refuse_without_cluster,
    takes_table,
)
from rosenblatt.cli.output import DONE, LIMIT, NO

if TYPE_CHECKING:
    from rosenblatt.cli.verdict_words import CheckAnswer
    from rosenblatt.data.loaded import Loaded
    from rosenblatt.verdicts.decision import Verdict
    from rosenblatt.verdicts.trial import Trial

__all__ = ["command"]


@takes_table
def command(
    table: TableOptions,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write the proof to this file; anyone can check it with `rosenblatt verify`.", metavar="FILE"
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Also write everything to this HTML file, as `rosenblatt report` does.", metavar="FILE"),
    ] = None,
    coefficients: Annotated[
        bool,
        typer.Option("--coefficients", help="Say of each coefficient of a logistic regression what becomes of it."),
    ] = False,
    intercept: Intercept = True,
    time_limit: Annotated[
        float | None, typer.Option(help="Give up after so many seconds (exit 3).", min=0.0, metavar="SECONDS")
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 unless the classes are completely separable.")
    ] = False,
    numbers: Annotated[
        Numbers, typer.Option(help="What 0.1 is in a column of decimals: one tenth, or the float64 nearest to it.")
    ] = Numbers.decimal,
    model: Annotated[
        str | None,
        typer.Option(
            help="Ask whether the estimate of another model exists: binomial, poisson, multinomial, ordinal, "
            "conditional, cox, paired; three or more classes are multinomial.",
            metavar="NAME",
        ),
    ] = None,
    trials: Annotated[str | None, typer.Option(help="binomial: the column of trials.", metavar="COL")] = None,
    exposure: Annotated[str | None, typer.Option(help="poisson: the column of exposures.", metavar="COL")] = None,
    fixed_effects: Annotated[
        str | None, typer.Option(help="Sets of effects, without a table of zeros and ones.", metavar="COL,COL")
    ] = None,
    strata: Annotated[
        str | None, typer.Option(help="conditional, cox: the column of sets or strata.", metavar="COL")
    ] = None,
    time_column: Annotated[str | None, typer.Option("--time", help="cox: the column of times.", metavar="COL")] = None,
    event: Annotated[str | None, typer.Option(help="cox: 1 for an event, 0 for censored.", metavar="COL")] = None,
    entry: Annotated[str | None, typer.Option(help="cox: when a row enters.", metavar="COL")] = None,
    ties: Annotated[str | None, typer.Option(help="cox: breslow, efron or exact.", metavar="NAME")] = None,
    levels: Annotated[
        str | None, typer.Option(help="ordinal: the levels in their order.", metavar="LOW,…,HIGH")
    ] = None,
    drop_separated: Annotated[
        Path | None,
        typer.Option(help="Write the table without the rows that are predicted with certainty.", metavar="FILE"),
    ] = None,
    cluster: Cluster = None,
    shard_rows: ShardRows = None,
    json: Json = False,
) -> int:
    """Prove whether a hyperplane can tell the two classes apart.

    The answer holds in exact arithmetic, without a tolerance. Also says how long a perceptron may take, what the answer
    is worth, which rows to look at, and whether the maximum-likelihood estimate of a logistic regression exists.

    For example:
      rosenblatt check survey.csv --target churn
      rosenblatt check survey.csv --target churn --drop id --missing drop
      rosenblatt check iris.csv --target species --positive setosa
      rosenblatt check study.parquet --target ill --coefficients
      rosenblatt check sonar.csv --target y --certificate sonar.json
      rosenblatt check sonar.csv --target y --report sonar.html
      rosenblatt check rows/ --target y --cluster local
      rosenblatt check trade.csv --target exports --model poisson
      rosenblatt check trial.csv --model cox --time days --event died

    Exit codes: 0 decided, 1 not completely separable and --exit-code was given,
    2 bad input, 3 a limit was hit before the answer was known.
    """
    from rosenblatt.cli.compiling import seconds_compiling
    from rosenblatt.cli.model_check import ModelOptions, check_model, has_named_columns, refuse_with_model
    from rosenblatt.cli.tables import MOST_CLASSES, load
    from rosenblatt.cli.verdict_words import CheckAnswer
    from rosenblatt.data.files import make_ready
    from rosenblatt.data.refusal import SeveralClasses

    make_ready(certificate, report, drop_separated, inputs=table.files)
    began, compiled = time.monotonic(), seconds_compiling()
    asked = ModelOptions(
        model, trials, exposure, strata, time_column, event, entry, ties, _listed(fixed_effects), _listed(levels)
    )
    asked = replace(asked, drop_separated=drop_separated)
    settings: dict[str, Any] = {
        "certificate": certificate,
        "coefficients": coefficients,
        "intercept": intercept,
        "time_limit": time_limit,
        "numbers": numbers.value,
        "json": json,
    }
    if asked.given:
        refuse_with_model(cluster=cluster, report=report)
        return _code(check_model(table, asked, **settings), exit_code)
    trial = None
    if cluster is None:
        refuse_without_cluster(shard_rows=shard_rows)
        try:
            loaded = load(table, intercept)
        except SeveralClasses as why:
            if why.number > MOST_CLASSES or report is not None or not has_named_columns(table):
                raise
            return _code(check_model(table, ModelOptions("multinomial"), **settings), exit_code)
        verdict, trial = _decide_here(loaded, intercept, coefficients, time_limit, numbers.value)
    else:
        refuse_with_cluster(report=report)
        wanted = {"coefficients": coefficients, "time_limit": time_limit, "numbers": numbers.value}
        loaded, verdict = _decide_on_cluster(cluster, table, shard_rows, fit_intercept=intercept, **wanted)
    if certificate is not None and verdict.certificate is not None:
        verdict.certificate.about(loaded.encoding).save(certificate)
    seconds = max(0.0, time.monotonic() - began - (seconds_compiling() - compiled))  # that is said by itself
    said = CheckAnswer(loaded, verdict, trial, coefficients, certificate, seconds)
    _tell(said, report, intercept, json)
    return _code(verdict, exit_code)


def _decide_here(
    loaded: "Loaded", intercept: bool, coefficients: bool, time_limit: float | None, numbers: str
) -> "tuple[Verdict, Trial | None]":
    """The verdict, and what a perceptron makes of the same rows in the time that is left."""
    from rosenblatt.cli.compiling import wait_for_loop
    from rosenblatt.cli.waiting import deciding, waiting
    from rosenblatt.verdicts.decision import separability
    from rosenblatt.verdicts.trial import try_perceptron

    deadline = None if time_limit is None else time.monotonic() + time_limit
    with deciding(time_limit) as progress:
        verdict = separability(
            loaded.X,
            loaded.signs,
            fit_intercept=intercept,
            coefficients=coefficients,
            time_limit=time_limit,
            numbers=numbers,
            progress=progress,
        )
    with waiting("a perceptron tries"):
        wait_for_loop(_left(deadline))
        return verdict, try_perceptron(loaded.X, loaded.signs, verdict.kind, intercept, _left(deadline))


def _decide_on_cluster(
    cluster: str, table: TableOptions, rows: int | None, *, fit_intercept: bool, **wanted: Any
) -> "tuple[Loaded, Verdict]":
    """The rows, as far as they are here, and the verdict."""
    from rosenblatt.cli.clusters import joined, spread
    from rosenblatt.cli.waiting import waiting

    with joined(cluster) as client:
        from rosenblatt.distributed import separability  # needs Dask, which is known to be there now

        found = spread(table, rows, client, fit_intercept, multiclass=False)
        with waiting("deciding"):
            verdict = separability(found.shards, None, client, fit_intercept=fit_intercept, **wanted)
    return found.loaded, verdict


def _tell(said: "CheckAnswer", report: Path | None, intercept: bool, json: bool) -> None:
    """The answer, for a program or for a person; and the report, if one was asked for."""
    from rosenblatt.cli.output import Page, print_json
    from rosenblatt.cli.report import write as write_page
    from rosenblatt.cli.waiting import waiting

    if report is not None:
        with waiting("writing the report"):
            write_page(report, said.loaded, said.verdict, intercept=intercept)
    if json:
        print_json("rosenblatt-check/1", said.to_json())
        return
    page = Page()
    said.show(page)
    if report is not None:
        page.small_print(f"report: {report}, one file to open in a browser")


def _listed(text: str | None) -> list[str]:
    """What stands between commas."""
    return [one.strip() for one in text.split(",") if one.strip()] if text else []


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _code(verdict: Any, exit_code: bool) -> int:
    if verdict.kind == "unknown":
        return LIMIT
    return NO if exit_code and verdict.kind != "complete" else DONE
