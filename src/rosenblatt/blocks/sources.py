"""Where shards come from: chunks of a Dask array, partitions of a Dask dataframe, files, stores, items of a list.

Each becomes a recipe, which a worker can follow again when the shard is lost with its worker.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask import delayed

from rosenblatt.blocks import shard
from rosenblatt.blocks.blocks import Blocks, Place
from rosenblatt.blocks.shard import ShardSurvey, read_arrays, read_parquet, read_store, read_table
from rosenblatt.context import SILENT, Context
from rosenblatt.data import Store
from rosenblatt.data.readers import Values, columns_of_folders, differing, folder_of, is_number, parquet_files
from rosenblatt.data.refusal import unlike

__all__ = ["NamedShard", "StoreSlice", "cut", "read", "recipes"]


class StoreSlice(NamedTuple):
    """Some rows of a store, opened where they are needed."""

    folder: str
    start: int
    stop: int


class NamedShard(NamedTuple):
    """Rows with labels and weights, and what they are called."""

    X: Any
    y: Any
    weights: Any
    where: str


def cut(store: Store, rows: int = 1_000_000) -> list[StoreSlice]:
    """A store as a list of shards of so many rows, the last one shorter; no row is read or copied.

    The size of the shards, not the number of workers, is what a result depends on.
    """
    if rows < 1:
        raise ValueError(f"rows is {rows}; a shard has at least one.")
    folder = os.path.abspath(store.folder)
    return [StoreSlice(folder, first, min(store.n, first + rows)) for first in range(0, store.n, rows)]


def recipes(X: Any, y: Any, columns: list[str] | None = None) -> list[Any]:
    """One lazy `Raw` per shard, in the order of the rows. `y` None: no labels are wanted."""
    if isinstance(X, da.Array):
        return _of_array(X, y)
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return _of_frame(X, y, columns)
    if isinstance(X, (str, os.PathLike)):
        return _of_files(_files(Path(X)), y, columns)
    items = list(X) if isinstance(X, (list, tuple)) else []
    if items and all(isinstance(item, (str, os.PathLike)) for item in items):
        return _of_files([Path(item) for item in items], y, columns)
    if items and all(isinstance(item, Store) for item in items):
        items = [StoreSlice(os.path.abspath(item.folder), 0, item.n) for item in items]
    if items and all(isinstance(item, StoreSlice) for item in items):
        _refuse_labels(y, "stores")
        return [delayed(read_store)(*item) for item in items]
    if items and all(isinstance(item, NamedShard) for item in items):
        return [delayed(read_arrays)(item.X, item.y, item.where, item.weights) for item in items]
    if items and all(isinstance(item, (list, tuple)) and len(item) in (2, 3) for item in items):  # the third: weights
        _refuse_labels(y, "(X, y) pairs")
        return [delayed(read_arrays)(item[0], item[1], f"item {s}", *item[2:]) for s, item in enumerate(items)]
    raise TypeError(
        f"X is a {type(X).__name__}; shards are chunks of a Dask array, partitions of a Dask dataframe, Parquet files "
        f"of a folder, a list of stores or of (X, y) pairs. Of an array, make dask.array.from_array(X, (rows, -1))."
    )


def _refuse_labels(y: Any, kind: str) -> None:
    if y is not None:
        raise ValueError(f"X is a list of {kind}, which have their labels with them: pass y=None.")


def _of_array(X: Any, y: Any) -> list[Any]:
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns; it has {X.ndim}.")
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    blocks = X.to_delayed().ravel().tolist()
    labels = [None] * len(blocks) if y is None else _labels(y, X.chunks[0])
    return [delayed(read_arrays)(a, b, f"chunk {s}") for s, (a, b) in enumerate(zip(blocks, labels, strict=True))]


def _labels(y: Any, lengths: tuple[Any, ...]) -> list[Any]:
    """y in pieces as long as the chunks of X."""
    known = not any(np.isnan(n) for n in lengths)
    if hasattr(y, "to_delayed") and not isinstance(y, da.Array):  # a Dask series
        parts = list(y.to_delayed())
        if len(parts) != len(lengths):
            raise ValueError(f"X has {len(lengths)} chunks and y {len(parts)} partitions: make them alike.")
        return parts
    if isinstance(y, da.Array):
        y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
        if known and not np.isnan(y.shape[0]) and y.shape[0] != sum(lengths):
            raise ValueError(f"X has {sum(lengths)} rows, but y has {y.shape[0]} labels.")
        y = y.rechunk((lengths,)) if known and not np.isnan(y.shape[0]) else y
        if len(y.chunks[0]) != len(lengths):
            raise ValueError(f"X has {len(lengths)} chunks and y {len(y.chunks[0])}: rechunk them alike.")
        return list(y.to_delayed().ravel().tolist())
    if not known:
        raise ValueError("the chunks of X have unknown lengths: call X.compute_chunk_sizes(), or give y as Dask array.")
    y = np.asarray(y)
    if len(y) != sum(lengths):
        raise ValueError(f"X has {sum(lengths)} rows, but y has {len(y)} labels.")
    return np.split(y, np.cumsum(lengths)[:-1])


def _of_frame(X: Any, y: Any, columns: list[str] | None) -> list[Any]:
    parts = X.to_delayed()
    if y is None or isinstance(y, str):
        if isinstance(y, str) and y not in X.columns:
            raise ValueError(f"X has no column {y!r}.")
        return [delayed(read_table)(part, y, columns, f"partition {s}") for s, part in enumerate(parts)]
    if not hasattr(y, "to_delayed") or y.npartitions != len(parts):
        raise ValueError(
            "with a Dask dataframe X, y is the name of a column, or a Dask series or array with the same partitions."
        )
    labels = np.ravel(y.to_delayed()).tolist()
    return [delayed(read_arrays)(a, b, f"partition {s}") for s, (a, b) in enumerate(zip(parts, labels, strict=True))]


def _files(folder: Path) -> list[Path]:
    found = [folder] if folder.is_file() else parquet_files(folder)
    if not found:
        raise ValueError(f"{folder} is not a folder with Parquet files.")
    return found


def _of_files(files: list[Path], y: Any, columns: list[str] | None) -> list[Any]:
    if y is not None and not isinstance(y, str):
        raise ValueError("with Parquet files, y is the name of the column that has the labels.")
    folders = [columns_of_folders(file) for file in files]
    asked = {*(columns or ()), y}
    added = [name for name in dict.fromkeys(name for one in folders for name in one) if name in asked]
    added += [name for name in differing(folders) if name not in added]
    kinds = {name: _kind(files, folders, name) for name in added}
    return [
        delayed(read_parquet)(os.path.abspath(file), y, columns, one, kinds)  # not resolved: links have other folders
        for file, one in zip(files, folders, strict=True)
    ]


def _kind(files: list[Path], folders: list[Values], name: str) -> type:
    """Whether folders write a column in whole numbers, numbers or texts; every file must have such a folder."""
    for file, one in zip(files, folders, strict=True):
        if name not in one:
            has = next(other for other, some in zip(files, folders, strict=True) if name in some)
            raise unlike(folder_of(has, name), str(file), name)
    values = [one[name] for one in folders]
    if any(value is not None and not is_number(value) for value in values):
        return str
    return int if all(value is not None and value.isdecimal() for value in values) else float


# ------------------------------------------------------------------------------------------------------------- reading


def read(
    place: Place, X: Any, y: Any, bias: bool, as_written: bool = False, context: Context = SILENT
) -> tuple[Blocks, list[ShardSurvey]]:
    """Shards of `Raw`, and what each shows when it is looked at, where it is; shards without rows are left out.

    A shard that is read again later, because its worker was lost, must be what it was. `as_written` allows numbers
    beyond float64 that are known as they are written.
    """
    where, raw = "reading the data", place.make(recipes(X, y))
    all_shards = Blocks(place, raw, [0] * len(raw), context)
    surveys: list[ShardSurvey] = all_shards.map(shard.survey, where, bias=bias, as_written=as_written)
    kept = [s for s, one in enumerate(surveys) if one.n]
    surveys = [surveys[s] for s in kept]
    if not surveys:
        raise ValueError("X has no rows.")
    for one in surveys:
        if one.p != surveys[0].p or one.names != surveys[0].names:
            raise ValueError(
                f"{one.where} has other columns than {surveys[0].where}: {one.p} and {surveys[0].p}, "
                f"{_first_difference(one.names, surveys[0].names)}."
            )
    found = Blocks(place, [raw[s] for s in kept], [one.n for one in surveys], context)
    return found.become(shard.known_again, where, [one.digest for one in surveys]), surveys


def _first_difference(a: list[str] | None, b: list[str] | None) -> str:
    if a is None or b is None:
        return "with and without names"
    return next((f"{u!r} where the other has {v!r}" for u, v in zip(a, b, strict=False) if u != v), "the rest missing")
