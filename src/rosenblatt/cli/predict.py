"""`rosenblatt predict`: scores and labels of a table, row by row, however long it is."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.exits import DONE
from rosenblatt.cli.options import Cluster, Format

__all__ = ["command"]


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `rosenblatt fit` wrote.")],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A table with the model's columns; - reads standard input.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write .csv or .parquet; by default CSV to standard output.", metavar="FILE"
        ),
    ] = None,
    format: Format = None,  # noqa: A002 (the option's name)
    cluster: Cluster = None,
) -> int:
    """Score and label every row of a table with a model.

    The table is read the way the model's own was: the same columns, the same categories, the same missing values. One
    that does not fit is refused. The answer has three columns: row (counted from 1), score (w·x + b) and label.

    For example:
      rosenblatt predict ill.model patients.csv -o answers.csv
      rosenblatt predict ill.model patients.parquet -o answers.parquet
      zcat patients.csv.gz | rosenblatt predict ill.model - | head
      rosenblatt predict m rows/ -o answers.parquet --cluster local
    """
    from rosenblatt.cli.output import note
    from rosenblatt.cli.predictions import predict
    from rosenblatt.data.files import make_ready

    make_ready(output, inputs=[model, data])
    rows = predict(model, data, output, format, cluster)
    if output is not None:
        note(f"{rows:,} rows scored and labelled in {output}.")
    return DONE
