"""Rows in, scores and labels out, a block at a time."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from rosenblatt.cli.clusters import joined, spread_alike
from rosenblatt.cli.tables import open_alike
from rosenblatt.cli.waiting import Meter
from rosenblatt.data import Encoding
from rosenblatt.data.duck import connect, literal
from rosenblatt.data.files import Replacement
from rosenblatt.models.saving import load

__all__ = ["Answers", "answers", "answers_of_cluster", "load_with_encoding", "predict"]

_HEADER = ("row", "score", "label")
_ENDINGS = (".csv", ".parquet")


class Answers(NamedTuple):
    """To some rows."""

    rows: Any
    scores: Any
    labels: Any


def load_with_encoding(path: Path) -> tuple[Any, Encoding]:
    """A model and how its table was read."""
    if not path.is_file():
        raise ValueError(f"{path} does not exist." if not path.exists() else f"{path} is not a file.")
    model = load(path)
    if not hasattr(model, "encoding_"):
        raise ValueError(
            f"{path} was not learned from a table, so nothing says what its columns are: use rb.load and .predict."
        )
    return model, model.encoding_


def answers(model: Any, table: Any, quiet: bool = False) -> Iterator[Answers]:
    """Answers to all rows of a table."""
    with Meter("rows scored", table.estimated_rows, quiet) as meter:
        for block in table.batches():
            scores = model.decision_function(block.X)
            yield Answers(block.row_numbers, scores, model._named(scores))
            meter.add(len(scores))


def answers_of_cluster(
    cluster: str, model: Any, data: str, encoding: Encoding, kind: str | None, quiet: bool = False
) -> Iterator[Answers]:
    """The same, worked out by the workers, shard by shard."""
    with joined(cluster) as client, spread_alike(data, encoding, kind, client) as spread:
        from rosenblatt.distributed.prediction import blocks  # needs Dask, which is known to be there now

        loaded, done = spread.loaded, 0
        with Meter("rows scored", loaded.X.shape[0], quiet) as meter:
            for scores in blocks(model, spread.shards, client, "decision_function"):
                rows = np.array(loaded.row_numbers(range(done, done + len(scores))), dtype=np.int64)
                yield Answers(rows, scores, model._named(scores))
                done += len(scores)
                meter.add(len(scores))


def predict(path: Path, data: str, output: Path | None, kind: str | None = None, cluster: str | None = None) -> int:
    """Write the answers where they belong, whole or not at all; returns their number."""
    if output is not None and output.suffix not in _ENDINGS:
        raise ValueError(f"{output}: say .csv or .parquet; the ending decides what is written.")
    model, encoding = load_with_encoding(path)
    quiet = output is None and sys.stdout.isatty()
    if cluster is None:
        stream = answers(model, open_alike(data, encoding, kind, labels=False), quiet)
    else:
        stream = answers_of_cluster(cluster, model, data, encoding, kind, quiet)
    if output is None:
        return _write_csv(stream, sys.stdout)
    with Replacement(output) as temporary:
        with open(temporary, "w", newline="", encoding="utf-8") as file:
            rows = _write_csv(stream, file)
        if output.suffix == ".parquet":
            _to_parquet(temporary, "BIGINT" if model.classes_.dtype.kind == "i" else "VARCHAR")
    return rows


def _write_csv(stream: Iterator[Answers], file: IO[str]) -> int:
    """Nothing is written before the first block was read without complaint."""
    writer, rows = csv.writer(file, lineterminator="\n"), 0
    block = next(stream, None)
    writer.writerow(_HEADER)
    while block is not None:
        writer.writerows(zip(*(column.tolist() for column in block), strict=True))
        rows += len(block.rows)
        block = next(stream, None)
    return rows


def _to_parquet(temporary: str, label: str) -> None:
    """Exchange a CSV file for a Parquet one of the same name."""
    columns = f"{{'row': 'BIGINT', 'score': 'DOUBLE', 'label': '{label}'}}"
    read = f"read_csv({literal(temporary)}, header=true, auto_detect=false, delim=',', quote='\"', columns={columns})"
    with Replacement(temporary) as other:
        connect().execute(f"COPY (FROM {read}) TO {literal(other)} (FORMAT parquet)")
