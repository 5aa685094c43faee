"""`rosenblatt predict`: scores and labels for a table of any length, block by block."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rosenblatt.cli.options import Cluster, Format, argument, flag, option
from rosenblatt.cli.output import DONE, counting, fetching, note
from rosenblatt.cli.tables import joined, spread_alike

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.models.answers import Answers

__all__ = ["command"]


def command(
    model: Annotated[Path, argument("MODEL", "A model that `rosenblatt fit` wrote.")],
    data: Annotated[str, argument("DATA", "A table with the model's columns, of any format; - reads standard input.")],
    output: Annotated[
        Path | None, option("Write .csv or .parquet; by default CSV to standard output.", "FILE", name="--output -o")
    ] = None,
    proba: Annotated[bool, flag("--proba", "Also write the probability of each class (logistic models).")] = False,
    format: Format = None,  # noqa: A002 (the option's name)
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
    from rosenblatt.data.files import make_ready
    from rosenblatt.data.paths import plain_files
    from rosenblatt.data.refusal import Refused
    from rosenblatt.models.answers import load_with_encoding, refuse_other_endings, write_answers

    make_ready(output, inputs=[model, *plain_files(data)])
    refuse_other_endings(output)
    learner, encoding = load_with_encoding(model)
    if proba:
        _refuse_scores(model, learner)
    quiet = output is None and sys.stdout.isatty()
    try:
        with _answered(learner, data, encoding, format, proba, cluster) as (stream, expected):
            rows = write_answers(_counted(stream, expected, quiet), output, learner.classes_)
    except Refused as why:  # the model says how the table is read: options that would change that do not exist
        raise ValueError(why.problem) from None
    if output is not None:
        note(f"{rows:,} rows scored and labelled in {output}.")
    return DONE


def _refuse_scores(path: Path, model: Any) -> None:
    """Refuse --proba where the model's scores are no probabilities."""
    from rosenblatt.models.steps import learner_of

    if not hasattr(model, "predict_proba"):
        kind = type(learner_of(model)).__name__
        raise ValueError(
            f"{path} is a model of {kind}, whose scores are no probabilities: leave out --proba, or fit it with "
            f"--learner logistic."
        )


@contextmanager
def _answered(
    model: Any, data: str, encoding: "Encoding", kind: str | None, proba: bool, cluster: str | None
) -> "Iterator[tuple[Iterator[Answers], int]]":
    """The answers, computed here or shard by shard on a cluster; and about how many there are."""
    from rosenblatt.data.tables import open_alike
    from rosenblatt.models.answers import answers

    if cluster is None:
        with fetching() as progress:
            table = open_alike(data, encoding, kind, labels=False, progress=progress)
        yield answers(model, table, proba), table.estimated_rows
        return
    with joined(cluster) as client, spread_alike(data, encoding, kind, client) as spread:
        from rosenblatt.distributed import prediction  # needs Dask; `joined` has found that it is installed

        yield prediction.answers(model, spread.loaded, spread.shards, client, proba), spread.loaded.X.shape[0]


def _counted(stream: "Iterator[Answers]", expected: int, quiet: bool) -> "Iterator[Answers]":
    """The same answers, while a line shows how many there were so far."""
    done = 0
    with counting("rows scored", expected, quiet) as progress:
        for block in stream:
            yield block
            done += len(block.rows)
            progress(done)
