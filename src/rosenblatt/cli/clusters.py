"""Rows on the workers of a Dask cluster: reaching it, and what its shards are for a table named on the command line."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rosenblatt as rb
from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import note
from rosenblatt.cli.tables import load_store, open_as_told
from rosenblatt.cli.waiting import waiting
from rosenblatt.data.loaded import Loaded, open_alike
from rosenblatt.data.owned_names import is_left_behind, new_mark

__all__ = ["Spread", "joined", "spread", "spread_alike"]

_PATIENCE = 60  # seconds for the first worker to come
_ROWS = 1_000_000
_BESIDE = ".rosenblatt-store-"


@dataclass(frozen=True)
class Spread:
    """A table in shards; of rows that are elsewhere, `loaded` has only labels and numbers."""

    loaded: Loaded
    shards: list[Any]  # what `rosenblatt.distributed` takes


@dataclass(frozen=True)
class _Elsewhere:
    """Stands for an X that is on the workers alone."""

    shape: tuple[int, int]


@contextmanager
def joined(cluster: str) -> Iterator[Any]:
    """A client of the cluster, which has workers; what Dask says to itself stays unsaid."""
    from rosenblatt.distributed.quiet import deaf_children, only_our_sentences

    with only_our_sentences(note):
        with waiting(f"reaching the cluster {cluster}"), deaf_children():
            client = rb.distributed.connect(cluster)
        with client:
            try:
                client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError:
                raise ConnectionError(
                    f"the cluster {cluster} has no workers, and none came in {_PATIENCE} s: start some with "
                    f"`dask worker`."
                ) from None
            try:
                yield client
            except RuntimeError as why:  # workers of another version, or killed by a shard
                raise ValueError(str(why)) from why


def spread(
    options: TableOptions, rows: int | None, client: Any, intercept: bool = True, multiclass: bool = True
) -> Spread:
    """The table that the options describe: a Parquet file is a shard, other tables become a store, cut into shards."""
    if not _is_folder_of_tables(options.data):
        loaded, store = load_store(options, intercept, multiclass)
        return Spread(loaded, rb.distributed.cut(store, rows or _ROWS))
    if rows is not None or options.store is not None:
        unwanted = "--store" if options.store is not None else "--shard-rows"
        raise ValueError(f"{options.data} is a folder, of which each Parquet file is a shard: leave out {unwanted}.")
    table = open_as_told(options, intercept, multiclass)
    with waiting(f"looking at {options.data}"):
        encoding = table.encoding
    found = _spread_folder(str(options.data), encoding, client)
    return Spread(found.loaded.with_both_classes(), found.shards)


@contextmanager
def spread_alike(data: str, encoding: "rb.data.Encoding", kind: str | None, client: Any) -> Iterator[Spread]:
    """Another table, without labels, read as one was read before; a store that this takes is removed at the end."""
    table = open_alike(data, encoding, kind, labels=False)
    if isinstance(table, rb.data.Store):
        yield Spread(Loaded.of_store(table, data), rb.distributed.cut(table, _ROWS))
    elif _is_folder_of_tables(data):
        yield _spread_folder(data, encoding, client, labels=False)
    else:
        with _beside(data) as folder:
            with waiting(f"writing the rows of {data} where workers can see them"):
                store = rb.data.Store.build(table, folder)
            yield Spread(Loaded.of_store(store, data), rb.distributed.cut(store, _ROWS))


@contextmanager
def _beside(data: str) -> Iterator[str]:
    """A folder beside a file, for a while."""
    parent = Path.cwd() if data == "-" else Path(data).absolute().parent
    for left in parent.glob(f"{_BESIDE}*"):
        if is_left_behind(left.name.removeprefix(_BESIDE)):
            shutil.rmtree(left, ignore_errors=True)
    folder = parent / f"{_BESIDE}{new_mark()}"
    try:
        folder.mkdir()
    except OSError:
        raise ValueError(
            f"{data}: its rows are to be written beside it, for the workers, and {parent} forbids it."
        ) from None
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_folder_of_tables(data: str | None) -> bool:
    return data is not None and os.path.isdir(data) and not rb.data.Store.is_store(data)


def _spread_folder(folder: str, encoding: "rb.data.Encoding", client: Any, labels: bool = True) -> Spread:
    from rosenblatt.distributed.tables import counted, read_alike

    readings = read_alike(folder, encoding, labels)
    with waiting(f"reading {folder}"):
        found = counted(readings, client)
    X = _Elsewhere((found.n, encoding.p))
    return Spread(Loaded(folder, X, found.signs, None, encoding, found.numbers), [one.shard for one in readings])
