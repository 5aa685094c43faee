"""A model's answers to a table of any length, block by block, and the file that they are written to."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rosenblatt.arrays import Floats, Labels, Places
from rosenblatt.data.files import Replacement
from rosenblatt.data.sql import literal, write_rows
from rosenblatt.data.tables import Encoding, Table
from rosenblatt.models.saving import learner_of, load

if TYPE_CHECKING:
    from rosenblatt.models.saving import Model

__all__ = ["Answers", "answered", "answers", "load_with_encoding", "refuse_other_endings", "write_answers"]

_ENDINGS = (".csv", ".parquet")


class Answers(NamedTuple):
    """The answers to some rows."""

    rows: Places
    scores: Floats
    labels: Labels
    ids: Labels | None = None  # the names of the rows, if a column has them
    probabilities: Floats | None = None  # of each class, if they are asked for

    def columns(self, classes: Labels) -> dict[str, Any]:
        """The columns that are written, in their order; with more than two classes there is a score for each class."""
        named = {} if self.ids is None else {"id": self.ids}
        scores = {"score": self.scores}
        if self.scores.ndim == 2:
            scores = {f"score={name}": self.scores[:, k] for k, name in enumerate(classes.tolist())}
        if self.probabilities is not None:
            scores |= {f"probability={name}": self.probabilities[:, k] for k, name in enumerate(classes.tolist())}
        return {"row": self.rows, **named, **scores, "label": self.labels}


def load_with_encoding(path: Path) -> tuple[Any, Encoding]:
    """A model and how its table was read."""
    if not path.is_file():
        raise ValueError(f"{path} does not exist." if not path.exists() else f"{path} is not a file.")
    model = load(path)
    if not hasattr(learner_of(model), "encoding_"):
        raise ValueError(
            f"{path} was not learned from a table, so nothing says what its columns are: use rb.load and .predict."
        )
    return model, learner_of(model).encoding_


def answers(model: "Model", table: Table, proba: bool = False) -> Iterator[Answers]:
    """Answers to all rows of a table, block by block; with `proba` the probabilities too."""
    names = table.all_ids()
    for block in table.batches():
        ids = None if names is None else names[block.row_numbers - 1]
        yield answered(model, block.row_numbers, model.decision_function(block.X), ids, proba)


def answered(model: "Model", rows: Places, scores: Floats, ids: Labels | None = None, proba: bool = False) -> Answers:
    """The answers that follow from the scores."""
    learner = learner_of(model)
    probabilities = learner._probabilities(scores) if proba else None
    return Answers(rows, scores, learner._named(scores), ids, probabilities)


def refuse_other_endings(output: Path | None) -> None:
    """Refuse a file name that does not end in .csv or .parquet."""
    if output is not None and output.suffix not in _ENDINGS:
        raise ValueError(f"{output}: say .csv or .parquet; the ending decides what is written.")


def write_answers(stream: Iterator[Answers], output: Path | None, classes: Labels) -> int:
    """Write the answers to a file, whole or not at all, or to standard output; returns their number."""
    if output is None:
        return _write_csv(stream, sys.stdout, classes)[0]
    with Replacement(output) as temporary:
        with open(temporary, "w", newline="", encoding="utf-8") as file:
            rows, header = _write_csv(stream, file, classes)
        if output.suffix == ".parquet":
            _to_parquet(temporary, header, "BIGINT" if classes.dtype.kind == "i" else "VARCHAR")
    return rows


def _write_csv(stream: Iterator[Answers], file: IO[str], classes: Labels) -> tuple[int, list[str]]:
    """Write all answers; returns the number of rows and the header. If the first block fails, nothing is written."""
    writer, rows = csv.writer(file, lineterminator="\n"), 0
    block = next(stream, None)
    header = ["row", "score", "label"] if block is None else list(block.columns(classes))
    writer.writerow(header)
    while block is not None:
        writer.writerows(zip(*(column.tolist() for column in block.columns(classes).values()), strict=True))
        rows += len(block.rows)
        block = next(stream, None)
    return rows, header


def _to_parquet(temporary: str, header: list[str], label: str) -> None:
    """Replace a CSV file by a Parquet file of the same name."""
    kinds = {"row": "BIGINT", "id": "VARCHAR", "label": label}
    columns = "{" + ", ".join(f"{literal(name)}: '{kinds.get(name, 'DOUBLE')}'" for name in header) + "}"
    read = f"read_csv({literal(temporary)}, header=true, auto_detect=false, delim=',', quote='\"', columns={columns})"
    with Replacement(temporary) as other:
        write_rows(f"(FROM {read})", other)
