"""`rosenblatt predict`: scores and labels for a table of any length, block by block."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rosenblatt.cli.options import WRITTEN, Cluster, TableOptions, argument, flag, option, takes_some
from rosenblatt.cli.output import DONE, counting, note, outputs
from rosenblatt.cli.streams import take_data
from rosenblatt.cli.tables import joined, open_like, spread_alike

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.learners.shared import Classifier
    from rosenblatt.models.answers import Answers

__all__ = ["command"]


@takes_some("id", *WRITTEN)
def command(
    table: TableOptions,
    model: Annotated[Path, argument("MODEL", "A model that `rosenblatt fit` wrote.")],
    output: Annotated[
        Path | None, option("Write .csv or .parquet; by default CSV to standard output.", "FILE", name="--output -o")
    ] = None,
    proba: Annotated[bool, flag("--proba", "Also write the probability of each class (logistic models).")] = False,
    cluster: Cluster = None,
) -> int:
    """Score and label every row of a table with a model.

    The table is read in the same way as the table that the model learned from: the same columns, categories and
    missing values. A table that does not fit is refused. The answer has the columns row (counted from 1), id (if the
    model's table was read with --id), score (w·x + b; with three or more classes one for each) and label. --proba adds
    a column probability=CLASS for each class.

    For example:
      rosenblatt predict ill.model patients.csv -o answers.csv
      rosenblatt predict ill.model patients.parquet -o answers.parquet --proba
      zcat patients.csv.gz | rosenblatt predict ill.model - | head
      rosenblatt predict m rows/ -o answers.parquet --cluster local
    """
    from rosenblatt.data.refusal import Refused
    from rosenblatt.models.answers import load_with_encoding, refuse_other_endings, write_answers

    if table.data is None:
        raise ValueError("say which data: a table with the model's columns, as in rosenblatt predict MODEL rows.csv.")
    outputs.make_ready(output, inputs=[model, *table.files])
    refuse_other_endings(output)
    learner, encoding = load_with_encoding(model)
    if proba:
        _refuse_scores(model, learner)
    quiet = output is None and sys.stdout.isatty()
    if output is None:
        take_data()
    try:
        with _answered(learner, table, encoding, proba, cluster) as (stream, expected):
            rows = write_answers(_with_count(stream, expected, quiet), output, learner.classes_)
    except Refused as why:  # the model says how the table is read: options that would change that do not exist
        raise ValueError(why.problem) from None
    if output is not None:
        note(f"{rows:,} rows scored and labelled in {output}.")
    return DONE


def _refuse_scores(path: Path, model: "Classifier") -> None:
    """Refuse --proba where the model's scores are no probabilities."""
    from rosenblatt.models.saving import learner_of

    if not hasattr(model, "predict_proba"):
        kind = type(learner_of(model)).__name__
        raise ValueError(
            f"{path} is a model of {kind}, whose scores are no probabilities: leave out --proba, or fit it with "
            f"--learner logistic."
        )


@contextmanager
def _answered(
    model: "Classifier", options: TableOptions, encoding: "Encoding", proba: bool, cluster: str | None
) -> "Iterator[tuple[Iterator[Answers], int]]":
    """The answers, computed here or shard by shard on a cluster; and about how many there are."""
    from rosenblatt.models.answers import answers

    if cluster is None:
        table = open_like(options, encoding, labels=False)
        yield answers(model, table, proba), table.estimated_rows
        return
    with joined(cluster) as client, spread_alike(options, encoding, client) as spread:
        from rosenblatt.distributed import answers_on  # needs Dask; `joined` has found that it is installed

        yield answers_on(model, spread.loaded, spread.shards, client, proba), spread.loaded.n


def _with_count(stream: "Iterator[Answers]", expected: int, quiet: bool) -> "Iterator[Answers]":
    """The same answers, while a line shows how many there were so far."""
    done = 0
    with counting("rows scored", expected, quiet) as progress:
        for block in stream:
            yield block
            done += len(block.rows)
            progress(done)
