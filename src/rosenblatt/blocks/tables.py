"""A folder of Parquet files as shards. A worker reads each with the encoding of the table, text columns included."""

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from dask import delayed

from rosenblatt.arrays import Integers, Signs
from rosenblatt.blocks.cluster import reach
from rosenblatt.blocks.shard import encoded_rows
from rosenblatt.blocks.sources import NamedShard
from rosenblatt.data import Encoding, open_table
from rosenblatt.data.numbers import Rows
from rosenblatt.data.readers import parquet_files

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Counted", "FileShard", "counted", "read_alike"]


class FileShard(NamedTuple):
    """A file's rows, as lazy values."""

    X: Any  # `Rows`
    y: Any
    weights: Any
    numbers: Any  # the rows' numbers in the file, from 1 (None: all are there, in place), and how many it has
    file: str
    names: list[str]

    @property
    def shard(self) -> NamedShard:
        """What `fit`, `predict` and `separability` take."""
        return NamedShard(self.X, self.y, self.weights, f"file {self.file}", self.names)


class Counted(NamedTuple):
    """Every row's side, and its number in the data; None where that number is its place."""

    n: int
    signs: Signs | None
    numbers: Integers | None


def read_alike(folder: str | os.PathLike[str], encoding: Encoding, labels: bool = True) -> list[FileShard]:
    """One shard for each Parquet file of a folder, in the order of their names; a worker reads it when it is needed."""
    described = encoding.to_json()
    read = delayed(_read, nout=4)
    return [
        FileShard(X, y, weights, numbers, file.name, list(encoding.features))
        for file in parquet_files(folder)
        # not resolved: folders may name columns, and links have others
        for X, y, weights, numbers in [read(os.path.abspath(file), described, labels)]
    ]


def counted(readings: list[FileShard], client: "Client | None") -> Counted:
    """Have the workers read all files, and collect the side and the number of every row."""
    lazy = [delayed(_summary)(one.X, one.y, one.numbers) for one in readings]
    place = reach(client)
    found: list[tuple[int, Any, Integers | None, int]] = place.bring(place.make(lazy), "reading the data")
    lengths, signs, numbers, totals = zip(*found, strict=True)
    n = sum(lengths)
    sides = None if signs[0] is None else np.concatenate(signs)
    if all(some is None for some in numbers):
        return Counted(n, sides, None)
    whole, first = [], 0
    for some, total in zip(numbers, totals, strict=True):
        whole.append(first + (np.arange(1, total + 1) if some is None else some))
        first += total
    return Counted(n, sides, np.concatenate(whole))


def _read(path: str, described: dict[str, Any], labels: bool) -> tuple[Any, Any, Any, tuple[Integers | None, int]]:
    encoding = Encoding.from_json(described)
    table = open_table(path, encoding=encoding, labels=labels, format="parquet")
    blocks = list(table.batches())
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(block.row_numbers for block in blocks)])
    y = np.concatenate([np.empty(0, dtype=np.int8), *(block.y for block in blocks)]) if labels else None
    weighted = labels and (encoding.weights is not None or encoding.counts is not None)
    weights = np.concatenate([np.empty(0), *(block.weights for block in blocks)]) if weighted else None
    total = table.estimated_rows  # counted, now that all were read
    in_place = np.array_equal(numbers, np.arange(1, total + 1))
    return encoded_rows(table, blocks), y, weights, (None if in_place else numbers, total)


def _summary(X: Rows, y: Signs | None, numbers: tuple[Integers | None, int]) -> tuple[int, Any, Integers | None, int]:
    return X.n, y, *numbers
