"""From what was said on the command line to rows of numbers: in memory where they fit, in a store where they do not."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import rosenblatt as rb
from rosenblatt.cli.options import READING, TableOptions
from rosenblatt.cli.output import note
from rosenblatt.cli.waiting import counting, fetching

if TYPE_CHECKING:
    from rosenblatt.data.loaded import Loaded

__all__ = ["MOST_CLASSES", "load", "load_alike", "load_store", "open_as_told", "tell"]

MOST_CLASSES = 20  # a target with more values is hardly one of classes, and is not taken as such unasked
_SAME = ("sql", "target", "positive", "drop", "id", "weights", "counts", "degree", *READING)  # as in `open_table`
_SHARE = 3  # reading may take that many times what the rows need, while arrays grow


def load(options: TableOptions, intercept: bool = True, multiclass: bool = False) -> "Loaded":
    """The rows that the options describe; what is wrong with them is refused in a sentence."""
    from rosenblatt.data.loaded import Loaded

    if (store := _named_store(options)) is not None:
        return Loaded.of_store(store, str(options.data)).with_both_classes()
    table = open_as_told(options, intercept, multiclass)
    if options.store is None and table.estimated_bytes * _SHARE <= _memory():
        loaded = _in_memory(table)
    else:
        why = f"the rows take about {table.estimated_bytes / 1e9:.1f} GB, more than fits in memory"
        loaded = Loaded.of_store(_store_of(table, options, why), table.name)
    _refuse_many_classes(loaded, options)
    tell(table.name, table.notes)
    return loaded.with_both_classes()


def _refuse_many_classes(loaded: "Loaded", options: TableOptions) -> None:
    """Refuse, as where two classes are needed, a target that is hardly a column of classes."""
    if len(loaded.classes) > MOST_CLASSES:
        open_as_told(options)


def load_store(
    options: TableOptions, intercept: bool = True, multiclass: bool = False
) -> "tuple[Loaded, rb.data.Store]":
    """The same, in a store in any case, for workers that see its folder."""
    from rosenblatt.data.loaded import Loaded

    if (store := _named_store(options)) is not None:
        return Loaded.of_store(store, str(options.data)).with_both_classes(), store
    table = open_as_told(options, intercept, multiclass)
    store = _store_of(table, options, "the workers of a cluster need the rows in a folder")
    loaded = Loaded.of_store(store, table.name).with_both_classes()
    _refuse_many_classes(loaded, options)
    return loaded, store


def tell(where: str, notes: list[str]) -> None:
    """What was understood of how a file is written, in one line."""
    if notes:
        note(f"{where}: {' · '.join(notes)}")


def load_alike(data: str, encoding: "rb.data.Encoding", kind: str | None = None) -> "Loaded":
    """The rows of another table, read as one was read before."""
    from rosenblatt.data.loaded import Loaded, open_alike

    with fetching() as progress:
        table = open_alike(data, encoding, kind, progress=progress)
    if isinstance(table, rb.data.Store):
        return Loaded.of_store(table, data)
    return _in_memory(table).with_dropped(table)


def _in_memory(table: "rb.data.Table") -> "Loaded":
    from rosenblatt.data.loaded import Loaded

    with counting(f"rows read from {table.name}", table.estimated_rows) as progress:
        return Loaded.of_table(table, progress)


def open_as_told(options: TableOptions, intercept: bool = True, multiclass: bool = False) -> "rb.data.Table":
    """The table that the options describe, not read yet."""
    if options.data is None and options.sql is None:
        raise ValueError("say which data: a file, as in rosenblatt check data.csv --target COLUMN, or --sql QUERY.")
    with fetching() as progress:
        return rb.data.open_table(
            path=options.path,
            features=options.features or None,
            categorical=options.factor_names,
            factors=options.factor_orders,
            numbers=options.number,
            dates={name: part or "days" for name, _, part in (one.partition("=") for one in options.date)},
            hash_columns=options.hash,
            missing=options.missing.value,
            intercept=intercept,
            multiclass=multiclass,
            progress=progress,
            **{name: getattr(options, name) for name in _SAME},
        )


# ---------------------------------------------------------------------------------------------------------- in a store


def _named_store(options: TableOptions) -> "rb.data.Store | None":
    """The store that was named as the data, if it is one: how it is to be read was said when it was built."""
    if options.data is None or not rb.data.Store.is_store(options.data):
        return None
    if options.besides("data", "target"):
        raise ValueError(f"{options.data} is a store, which was read once and for all: name it and nothing else.")
    store = rb.data.Store.open(options.data)
    if options.target not in (None, store.encoding.target):
        raise ValueError(
            f'{options.data} is a store whose target is "{store.encoding.target}", not "{options.target}".'
        )
    return store


def _store_of(table: "rb.data.Table", options: TableOptions, why: str) -> "rb.data.Store":
    """The store of a table: the one there is, if it is of this table, unchanged; else a new one."""
    if options.store is None and (options.more or not os.path.exists(options.data or "")):
        raise ValueError(f"{why}: say --store FOLDER.")
    folder = Path(options.store or f"{Path(str(options.data))}.store")
    if rb.data.Store.is_store(folder):
        try:
            store = rb.data.Store.open(folder)
        except rb.data.Refused as why:
            note(f"{why} It is built again now.")
        else:
            if store.is_of(table):
                return store
    with counting(f"rows written to {folder}", table.estimated_rows) as progress:
        return rb.data.Store.build(table, folder, progress=progress)


def _memory() -> int:
    """Bytes that are free, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            entries = dict(line.split(":", 1) for line in file)
        return int(entries["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    except (AttributeError, OSError, ValueError):
        return 4 << 30
