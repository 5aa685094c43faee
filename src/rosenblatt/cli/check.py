"""`rosenblatt check`: can a hyperplane tell the two classes apart? With proof."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import (
    Cluster,
    Json,
    Numbers,
    ShardRows,
    TableOptions,
    refuse_with_cluster,
    refuse_without_cluster,
    takes_table,
)
from rosenblatt.cli.output import DONE, LIMIT, NO

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
    intercept: Annotated[
        bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane may miss the origin.")
    ] = True,
    time_limit: Annotated[
        float | None, typer.Option(help="Give up after so many seconds (exit 3).", min=0.0, metavar="SECONDS")
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 unless the classes are completely separable.")
    ] = False,
    numbers: Annotated[
        Numbers, typer.Option(help="What 0.1 is in a column of decimals: one tenth, or the float64 nearest to it.")
    ] = Numbers.decimal,
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

    Exit codes: 0 decided, 1 not completely separable and --exit-code was given,
    2 bad input, 3 a limit was hit before the answer was known.
    """
    from rosenblatt.cli import verdict_words
    from rosenblatt.cli.output import Page, print_json
    from rosenblatt.cli.report import write as write_page
    from rosenblatt.cli.tables import load
    from rosenblatt.cli.waiting import deciding, waiting
    from rosenblatt.data.files import make_ready
    from rosenblatt.verdicts.decision import separability
    from rosenblatt.verdicts.trial import try_perceptron

    make_ready(certificate, report, inputs=table.files)
    began = time.monotonic()
    trial = None
    if cluster is None:
        refuse_without_cluster(shard_rows=shard_rows)
        loaded = load(table, intercept)
        deadline = None if time_limit is None else time.monotonic() + time_limit
        with deciding(time_limit) as progress:
            verdict = separability(
                loaded.X,
                loaded.signs,
                fit_intercept=intercept,
                coefficients=coefficients,
                time_limit=time_limit,
                numbers=numbers.value,
                progress=progress,
            )
        with waiting("a perceptron tries"):
            trial = try_perceptron(loaded.X, loaded.signs, verdict.kind, intercept, _left(deadline))
    else:
        refuse_with_cluster(coefficients=coefficients, report=report)
        loaded, verdict = _decide_on_cluster(cluster, table, shard_rows, intercept, time_limit, numbers.value)
    if certificate is not None and verdict.certificate is not None:
        verdict.certificate.about(loaded.encoding).save(certificate)
    said = verdict_words.Answer(loaded, verdict, trial, coefficients, certificate, time.monotonic() - began)
    if report is not None:
        with waiting("writing the report"):
            write_page(report, loaded, verdict, intercept=intercept)
    if json:
        print_json("rosenblatt-check/1", said.to_json())
    else:
        page = Page()
        said.show(page)
        if report is not None:
            page.small_print(f"report: {report}, one file to open in a browser")
    return _code(verdict, exit_code)


def _decide_on_cluster(
    cluster: str, table: TableOptions, rows: int | None, intercept: bool, time_limit: float | None, numbers: str
) -> tuple[Any, Any]:
    """The rows, as far as they are here, and the verdict."""
    from rosenblatt.cli.clusters import joined, spread
    from rosenblatt.cli.waiting import waiting

    with joined(cluster) as client:
        from rosenblatt.distributed import separability  # needs Dask, which is known to be there now

        found = spread(table, rows, client, intercept)
        with waiting("deciding"):
            verdict = separability(
                found.shards, None, client, fit_intercept=intercept, time_limit=time_limit, numbers=numbers
            )
    return found.loaded, verdict


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _code(verdict: Any, exit_code: bool) -> int:
    if verdict.kind == "unknown":
        return LIMIT
    return NO if exit_code and verdict.kind != "complete" else DONE
