"""`rosenblatt check`: can a hyperplane tell the two classes apart? With proof."""

import time
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.check_model import check_model
from rosenblatt.cli.check_words import CheckAnswer
from rosenblatt.cli.options import (
    Cluster,
    Formula,
    Groups,
    Intercept,
    Json,
    ModelOptions,
    ShardRows,
    TableOptions,
    flag,
    option,
    refuse,
    takes_table,
)
from rosenblatt.cli.output import DONE, LIMIT, NO, Page, complain, deciding, outputs, print_json, waiting
from rosenblatt.cli.report import write as write_page
from rosenblatt.cli.tables import MOST_CLASSES, joined, load_formula, load_grouped, spread
from rosenblatt.cli.warmup import seconds_compiling, wait_for_loop
from rosenblatt.context import Context
from rosenblatt.data.refusal import SeveralClasses

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table
    from rosenblatt.verdicts import Trial

__all__ = ["command"]

Numbers = StrEnum("Numbers", "decimal binary")  # what 0.1 is in a column of decimals


@takes_table
def command(
    table: TableOptions,
    asked: ModelOptions,
    formula: Formula = None,
    certificate: Annotated[
        Path | None, option("Write the proof to this file; anybody can check it with `rosenblatt verify`.", "FILE")
    ] = None,
    report: Annotated[
        Path | None, option("Also write everything to this HTML file, as `rosenblatt report` does.", "FILE")
    ] = None,
    coefficients: Annotated[
        bool, flag("--coefficients", "Say for each coefficient of a logistic regression whether it is finite.")
    ] = False,
    intercept: Intercept = True,
    time_limit: Annotated[float | None, option("Give up after so many seconds (exit 3).", "SECONDS", min=0.0)] = None,
    exit_code: Annotated[bool, flag("--exit-code", "Exit 1 unless the classes are completely separable.")] = False,
    numbers: Annotated[
        Numbers, option("What 0.1 is in a column of decimals: one tenth, or the float64 nearest to it.")
    ] = Numbers.decimal,
    drop_separated: Annotated[
        Path | None, option("Write a copy of the table without the rows that are predicted with certainty.", "FILE")
    ] = None,
    trial: Annotated[bool, flag("--trial/--no-trial", "Also let a perceptron try.")] = True,
    groups: Groups = None,
    cluster: Cluster = None,
    shard_rows: ShardRows = None,
    json: Json = False,
) -> int:
    """Prove whether a hyperplane can tell the two classes apart.

    The answer is decided in exact arithmetic, without a tolerance. It also says how long a perceptron may take, whether
    random labels would be separable too, which rows decide, and whether the maximum-likelihood estimate of a logistic
    regression exists.

    For example:
      rosenblatt check survey.csv --target churn
      rosenblatt check survey.csv --target churn --drop id --missing drop
      rosenblatt check iris.csv --target species --positive setosa
      rosenblatt check study.parquet --target ill --coefficients
      rosenblatt check sonar.csv --target y --certificate sonar.json
      rosenblatt check sonar.csv --target y --report sonar.html
      rosenblatt check visits.csv --target relapse --groups patient
      rosenblatt check rows/ --target y --cluster local
      rosenblatt check trade.csv --target exports --model poisson
      rosenblatt check trial.csv --model cox --time days --event died
      rosenblatt check study.csv --formula 'died ~ age + C(centre)'

    Exit codes: 0 decided, 1 not completely separable and --exit-code was given,
    2 bad input, 3 a limit was hit before the answer was known.
    """
    from rosenblatt.data.paths import is_read_once  # slow to load

    outputs.make_ready(certificate, report, drop_separated, inputs=table.files)
    began, compiled = time.monotonic(), seconds_compiling()
    wanted: dict[str, Any] = {"fit_intercept": intercept, "coefficients": coefficients}
    wanted |= {"time_limit": time_limit, "numbers": numbers.value}
    run, loaded = None, None
    if two_classes := drop_separated is None and formula is None and asked == ModelOptions("logistic"):
        asked = ModelOptions()
    if formula is not None:
        unfit = {"certificate": certificate, "drop_separated": drop_separated, "cluster": cluster, "report": report}
        refuse("is for a table without a formula or a model.", groups=groups)
        refuse("is about the columns of a file, and a formula computes others: leave one of them out.", **unfit)
        asked, loaded = _read_formula(table, formula, asked, wanted)
    elif asked.given or drop_separated is not None:
        refuse(
            "is for two classes: leave it out, or leave the model out.", cluster=cluster, report=report, groups=groups
        )
    elif cluster is None:
        refuse("goes with --cluster.", shard_rows=shard_rows)
        try:
            loaded, wanted["groups"] = load_grouped(table, intercept, groups)
        except SeveralClasses as why:
            once = is_read_once(str(table.data))  # which cannot be read again
            if two_classes or once or why.number > MOST_CLASSES or report is not None:
                raise
            asked = ModelOptions("multinomial")
    else:
        refuse("is for one machine: leave out that, or --cluster.", report=report, groups=groups)
    if asked.given or drop_separated is not None:
        return _code(check_model(table, asked, wanted, certificate, drop_separated, json, loaded), exit_code)
    if loaded is not None:
        verdict, run = _decide_here(loaded, wanted, trial)
    else:
        assert cluster is not None
        loaded, verdict = _decide_on_cluster(cluster, table, shard_rows, wanted)
    unwritten = ""
    if certificate is not None and verdict.certificate is not None:
        try:
            verdict.certificate.about(loaded.encoding).save(certificate)
        except ValueError as why:  # floats prove the verdict, and whole numbers would be too long
            certificate, unwritten = None, str(why)
    # compiling is left out: the program says at its end how long that took
    seconds = max(0.0, time.monotonic() - began - (seconds_compiling() - compiled))
    _show_answer(CheckAnswer(loaded, verdict, run, coefficients, certificate, seconds), report, intercept, json)
    if unwritten:
        complain(unwritten)
        return LIMIT
    return _code(verdict, exit_code)


def _read_formula(
    table: TableOptions, formula: str, asked: ModelOptions, wanted: dict[str, Any]
) -> "tuple[ModelOptions, Table]":
    """The terms of a formula as a table, and the model that it is about: none where it has two classes."""
    from rosenblatt.estimates.formula import FormulaTable

    given, wanted["fit_intercept"] = load_formula(table, formula, wanted["fit_intercept"], asked)
    read, model = FormulaTable(given, str(table.data)), asked.model_or(given.usual_model)
    if model != "logistic" or len(read.classes) != 2:
        several = "multinomial" if model == "logistic" and len(read.classes) <= MOST_CLASSES else model
        return replace(asked, model=several), read
    return ModelOptions(), read


def _decide_here(loaded: "Table", wanted: dict[str, Any], trial: bool) -> "tuple[rb.Verdict, Trial | None]":
    """The verdict, and how a perceptron does on the same rows in the time that is left."""
    from rosenblatt.verdicts import try_perceptron

    limit = wanted["time_limit"]
    context = Context.of(limit)
    with deciding(limit) as progress:
        verdict = rb.separability(loaded.rows(), loaded.y, **wanted, progress=progress)
    # of long numbers a perceptron would learn from others than those that the verdict is about
    if not trial or loaded.rows().origin.columns:
        return verdict, None
    with waiting("a perceptron tries"):
        wait_for_loop(context.left)
        how = (verdict.kind, wanted["fit_intercept"], context.left, verdict.seconds)
        return verdict, try_perceptron(loaded.X, loaded.y, *how)


def _decide_on_cluster(
    cluster: str, table: TableOptions, rows: int | None, wanted: dict[str, Any]
) -> "tuple[Table, rb.Verdict]":
    """What this process knows of the rows, and the verdict."""
    with joined(cluster) as client:
        shared = spread(table, rows, client, wanted["fit_intercept"], multiclass=False)
        with waiting("deciding"):
            return shared.loaded, rb.distributed.separability(shared.shards, None, client, **wanted)


def _show_answer(said: CheckAnswer, report: Path | None, intercept: bool, json: bool) -> None:
    """Print the answer, for a program or for a person; write the report, if one was asked for."""
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


def _code(verdict: "rb.Verdict", exit_code: bool) -> int:
    if verdict.kind == "unknown":
        return LIMIT
    return NO if exit_code and verdict.kind != "complete" else DONE
