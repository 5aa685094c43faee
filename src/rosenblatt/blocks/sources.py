"""Where shards come from: chunks of a Dask array, partitions of a Dask dataframe, files, stores, a list, folders.

Each becomes a recipe, which a worker can follow again when the shard is lost with its worker.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed

from rosenblatt.arrays import Integers, Signs
from rosenblatt.blocks import shard
from rosenblatt.blocks.blocks import Blocks, Site
from rosenblatt.blocks.cluster import reach
from rosenblatt.blocks.shard import (
    ShardSurvey,
    encoded_rows,
    is_text,
    read_arrays,
    read_parquet,
    read_store,
    read_table,
)
from rosenblatt.context import SILENT, Context
from rosenblatt.data import Encoding, Store, open_table
from rosenblatt.data.numbers import Rows
from rosenblatt.data.paths import expanded, is_address
from rosenblatt.data.readers import Values, columns_of_folders, differing, folder_of, parquet_files
from rosenblatt.data.refusal import unlike
from rosenblatt.data.wording import is_number

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "Counted",
    "DataWanted",
    "FileShard",
    "NamedShard",
    "ShardsRead",
    "StoreSlice",
    "counted",
    "cut",
    "read",
    "read_alike",
    "recipes",
]


class StoreSlice(NamedTuple):
    """Some rows of a store, opened where they are needed."""

    folder: str
    start: int
    stop: int


class NamedShard(NamedTuple):
    """Rows with labels and weights, what they are called, and what their columns are called."""

    X: Any
    y: Any
    weights: Any
    where: str
    names: list[str] | None = None


class DataWanted(NamedTuple):
    """What of the data is wanted: labels and weights as values or as names of columns, and which columns."""

    y: Any = None
    weights: Any = None
    columns: list[str] | None = None  # None: all others
    encoding: Encoding | None = None  # how text columns become numbers; None: there are none

    def encoded(self, encoding: Encoding) -> "DataWanted":
        """The same of columns that an encoding knows."""
        return self._replace(columns=[column.name for column in encoding.columns], encoding=encoding)

    @property
    def roles(self) -> list[str]:
        """Columns that have labels or weights."""
        return [one for one in (self.y, self.weights) if isinstance(one, str)]


def cut(store: Store, rows: int = 1_000_000) -> list[StoreSlice]:
    """A store as a list of shards of so many rows, the last one shorter; no row is read or copied.

    The size of the shards, not the number of workers, is what a result depends on.
    """
    if rows < 1:
        raise ValueError(f"rows is {rows}; a shard has at least one.")
    folder = os.path.abspath(store.folder)
    return [StoreSlice(folder, first, min(store.n, first + rows)) for first in range(0, store.n, rows)]


def recipes(X: object, wanted: DataWanted) -> list[Any]:
    """One lazy `Raw` per shard, in the order of the rows."""
    tables = _tables(X, wanted)
    if tables is not None:
        described = None if wanted.encoding is None else wanted.encoding.to_json()
        return [delayed(read_table)(*one, wanted.columns, described) for one in tables]
    if isinstance(X, da.Array):
        return _of_array(X, wanted)
    items = list(X) if isinstance(X, (list, tuple)) else []
    if items and all(isinstance(item, Store) for item in items):
        items = [StoreSlice(os.path.abspath(item.folder), 0, item.n) for item in items]
    if items and all(isinstance(item, StoreSlice) for item in items):
        _refuse_labels(wanted, "stores")
        return [delayed(read_store)(*item) for item in items]
    if items and all(isinstance(item, NamedShard) for item in items):
        return [delayed(read_arrays)(item.X, item.y, item.where, item.weights, item.names) for item in items]
    if items and all(isinstance(item, (list, tuple)) and len(item) in (2, 3) for item in items):  # the third: weights
        _refuse_labels(wanted, "(X, y) pairs")
        return [delayed(read_arrays)(item[0], item[1], f"item {s}", *item[2:]) for s, item in enumerate(items)]
    raise TypeError(
        f"X is a {type(X).__name__}; shards are chunks of a Dask array, partitions of a Dask dataframe, Parquet files "
        f"of a folder, a list of stores or of (X, y) pairs. Of an array, make dask.array.from_array(X, (rows, -1))."
    )


def _refuse_labels(wanted: DataWanted, kind: str) -> None:
    if wanted.y is not None:
        raise ValueError(f"X is a list of {kind}, which have their labels with them: pass y=None.")
    if wanted.weights is not None:
        raise ValueError(f"X is a list of {kind}, which have their weights with them: pass sample_weight=None.")


def _of_array(X: da.Array, wanted: DataWanted) -> list[Any]:
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns; it has {X.ndim}.")
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    blocks, lengths = X.to_delayed().ravel().tolist(), X.chunks[0]
    y, weights = _pieces(wanted.y, "y", "labels", lengths), _pieces(wanted.weights, "sample_weight", "weights", lengths)
    each = enumerate(zip(blocks, y, weights, strict=True))
    return [delayed(read_arrays)(a, b, f"chunk {s}", c) for s, (a, b, c) in each]


def _pieces(values: Any, name: str, what: str, lengths: tuple[Any, ...]) -> list[Any]:
    """Labels or weights in pieces as long as the chunks of X; None for each where there are none."""
    if values is None:
        return [None] * len(lengths)
    known = not any(np.isnan(n) for n in lengths)
    if hasattr(values, "to_delayed") and not isinstance(values, da.Array):  # a Dask series
        parts = list(values.to_delayed())
        if len(parts) != len(lengths):
            raise ValueError(f"X has {len(lengths)} chunks and {name} {len(parts)} partitions: make them alike.")
        return parts
    if isinstance(values, da.Array):
        values = values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values
        if known and not np.isnan(values.shape[0]) and values.shape[0] != sum(lengths):
            raise ValueError(f"X has {sum(lengths)} rows, but {name} has {values.shape[0]} {what}.")
        values = values.rechunk((lengths,)) if known and not np.isnan(values.shape[0]) else values
        if len(values.chunks[0]) != len(lengths):
            raise ValueError(f"X has {len(lengths)} chunks and {name} {len(values.chunks[0])}: rechunk them alike.")
        return list(values.to_delayed().ravel().tolist())
    if not known:
        raise ValueError(
            f"the chunks of X have unknown lengths: call X.compute_chunk_sizes(), or give {name} as Dask array."
        )
    values = np.asarray(values)
    if len(values) != sum(lengths):
        raise ValueError(f"X has {sum(lengths)} rows, but {name} has {len(values)} {what}.")
    return np.split(values, np.cumsum(lengths)[:-1])


# -------------------------------------------------------------------------------------------------------------- tables


class _TableShard(NamedTuple):
    """A lazy pandas table; labels and weights are names of its columns, or lazy values."""

    table: Any
    where: str
    y: Any
    weights: Any


def _tables(X: object, wanted: DataWanted) -> list[_TableShard] | None:
    """The tables that a Dask dataframe or files consist of; None where X is neither."""
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return _of_frame(X, wanted)
    files = _files(X)
    return None if files is None else _of_files(files, wanted)


def _of_frame(X: Any, wanted: DataWanted) -> list[_TableShard]:
    parts = X.to_delayed()
    for name in wanted.roles:
        if name not in X.columns:
            raise ValueError(f"X has no column {name!r}.")
    labels, weights = _partitions(wanted.y, "y", parts), _partitions(wanted.weights, "sample_weight", parts)
    each = enumerate(zip(parts, labels, weights, strict=True))
    return [_TableShard(part, f"partition {s}", y, c) for s, (part, y, c) in each]


def _partitions(values: Any, name: str, parts: list[Any]) -> list[Any]:
    """Labels or weights for each partition: the name of a column, or lazy values."""
    if values is None or isinstance(values, str):
        return [values] * len(parts)
    if not hasattr(values, "to_delayed") or values.npartitions != len(parts):
        raise ValueError(
            f"with a Dask dataframe X, {name} is the name of a column, or a Dask series or array with the same "
            f"partitions."
        )
    return list(np.ravel(values.to_delayed()).tolist())


def _names_of_files(X: object) -> list[str]:
    """The files, folders, patterns and addresses that X names; none where X is something else."""
    names = [X] if isinstance(X, (str, os.PathLike)) else list(X) if isinstance(X, (list, tuple)) else []
    is_named = all(isinstance(name, (str, os.PathLike)) for name in names)
    return [os.fspath(name) for name in names] if is_named else []


def fetched_by_workers(X: Any) -> Any:
    """Parquet files at addresses (s3://…) as a Dask dataframe, for which each worker fetches its own; else X."""
    names = [name.removeprefix("file://") for name in _names_of_files(X)]
    if not any(map(is_address, names)):
        return names if isinstance(X, (list, tuple)) and names else names[0] if names else X
    names = [file for name in names for file in expanded(name)]
    if not all(map(is_address, names)):
        raise ValueError("files on this machine and addresses are not read together: copy them to one place.")
    try:
        return dd.read_parquet(names if len(names) > 1 else names[0])
    except (ImportError, OSError, ValueError) as error:  # the first says which package a store needs
        why = " ".join(str(error).rpartition("Original Message: ")[2].split()).rstrip(".")
        raise ValueError(f"{names[0]} cannot be read as Parquet files ({why or type(error).__name__}).") from None


def _files(X: object) -> list[Path] | None:
    """The Parquet files of a folder, of a pattern or of a list; None where X names no files."""
    names = _names_of_files(X)
    if not names:
        return None
    found, is_list = list[Path](), not isinstance(X, (str, os.PathLike))
    for given in names:
        for path in map(Path, expanded(os.fspath(given))):
            found += [path] if path.is_file() or (is_list and not path.is_dir()) else parquet_files(path)
        if not found:
            raise ValueError(f"{given} is not a folder with Parquet files.")
    return found


def _of_files(files: list[Path], wanted: DataWanted) -> list[_TableShard]:
    for values, name, what in ((wanted.y, "y", "labels"), (wanted.weights, "sample_weight", "weights")):
        if values is not None and not isinstance(values, str):
            raise ValueError(f"with Parquet files, {name} is the name of the column that has the {what}.")
    folders, kinds = [columns_of_folders(file) for file in files], _folder_kinds(files, wanted)
    asked = None if wanted.columns is None else [*wanted.columns, *wanted.roles]
    tables = [
        delayed(read_parquet)(os.path.abspath(file), asked, one, kinds)  # not resolved: links have other folders
        for file, one in zip(files, folders, strict=True)
    ]
    each = zip(files, tables, strict=True)
    return [_TableShard(table, f"file {file.name}", wanted.y, wanted.weights) for file, table in each]


def _folder_kinds(files: list[Path], wanted: DataWanted) -> dict[str, type]:
    """The columns that the names of folders add to the files, and what they hold."""
    folders = [columns_of_folders(file) for file in files]
    asked = {*(wanted.columns or ()), *wanted.roles}
    added = [name for name in dict.fromkeys(name for one in folders for name in one) if name in asked]
    added += [name for name in differing(folders) if name not in added]
    return {name: _type_in_folders(files, folders, name) for name in added}


def _type_in_folders(files: list[Path], folders: list[Values], name: str) -> type:
    """Whether folders write a column in whole numbers, numbers or texts; every file must have such a folder."""
    for file, one in zip(files, folders, strict=True):
        if name not in one:
            has = next(other for other, some in zip(files, folders, strict=True) if name in some)
            raise unlike(folder_of(has, name), str(file), name)
    values = [one[name] for one in folders]
    if any(value is not None and not is_number(value) for value in values):
        return str
    return int if all(value is not None and value.isdecimal() for value in values) else float


# --------------------------------------------------------------------------------------------------------------- texts


def _learned_encoding(place: Site, X: object, wanted: DataWanted, bias: bool) -> Encoding | None:
    """How the text columns of all shards become numbers, as `open_table` does it; None where there are none."""
    tables = _tables(X, wanted)
    names = [] if tables is None else [name for name in _text_columns(X, wanted) if name not in wanted.roles]
    if tables is None or not names:
        return None
    if not isinstance(wanted.y, str):
        raise ValueError(f"column {names[0]!r} has texts: then y must be the name of the column that has the labels.")
    lazy = [delayed(shard.levels)(one.table, one.where, wanted.roles, names) for one in tables]
    parts: list[Any] = place.bring(place.make(lazy), "reading the text columns")
    seen = shard.joined_levels(parts)
    several = int(seen[wanted.y].nunique()) > 2
    return open_table(frame=seen, target=wanted.y, weights=wanted.weights, intercept=bias, multiclass=several).encoding


def _text_columns(X: Any, wanted: DataWanted) -> list[str]:
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return [str(name) for name, kind in X.dtypes.items() if is_text(kind)]
    files = _files(X) or []
    empty = read_parquet(os.path.abspath(files[0]), None, {}, {}, rows=False)
    texts = [str(name) for name, kind in empty.dtypes.items() if is_text(kind)]
    return texts + [name for name, kind in _folder_kinds(files, wanted).items() if kind is str and name not in texts]


# ------------------------------------------------------------------------------------------------------------- reading


class ShardsRead(NamedTuple):
    """Shards of `Raw`, what each showed, and how text columns became numbers."""

    shards: Blocks
    surveys: list[ShardSurvey]
    encoding: Encoding | None


def read(
    place: Site, X: object, wanted: DataWanted, bias: bool, as_written: bool = False, context: Context = SILENT
) -> ShardsRead:
    """Have shards read and looked at, where they are; shards without rows are left out.

    A shard that is read again later, because its worker was lost, must be what it was. `as_written` allows numbers
    beyond float64 that are known as they are written.
    """
    X = fetched_by_workers(X)
    encoding, where = _learned_encoding(place, X, wanted, bias), "reading the data"
    raw = place.make(recipes(X, wanted if encoding is None else wanted.encoded(encoding)))
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
    return ShardsRead(found.become(shard.known_again, where, [one.digest for one in surveys]), surveys, encoding)


def _first_difference(a: list[str] | None, b: list[str] | None) -> str:
    if a is None or b is None:
        return "with and without names"
    return next((f"{u!r} where the other has {v!r}" for u, v in zip(a, b, strict=False) if u != v), "the rest missing")


# ----------------------------------------------------------------------------------------------- folders that are alike
# A folder of Parquet files as shards. A worker reads each with the encoding of the table, text columns included.


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
