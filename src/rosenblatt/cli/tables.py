"""From what was said on the command line to rows of numbers: in memory where they fit, in a store where they do not."""

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import count, note
from rosenblatt.cli.waiting import Meter

if TYPE_CHECKING:
    from rosenblatt.data import Encoding, Store, Table

__all__ = [
    "Loaded",
    "from_store",
    "load",
    "load_alike",
    "load_store",
    "open_alike",
    "open_as_told",
    "with_both_classes",
]

_SHARE = 3  # reading may take that many times what the rows need, while arrays grow


@dataclass(frozen=True)
class Loaded:
    """Rows, their labels as −1/+1, their weights, and how they were read."""

    where: str
    X: Any
    signs: Any
    weights: Any
    encoding: "Encoding"
    numbers: Any  # of the rows, as the data count them, from 1; None if that is their place in X
    dropped: int = 0  # rows of the data that are not in X; counted only where a table is read as another was

    @property
    def classes(self) -> tuple[str, str]:
        """The negative and the positive class."""
        negative, positive = self.encoding.classes
        return negative, positive

    @property
    def headline(self) -> str:
        """What the answer is about, in one line."""
        n, p = self.X.shape
        sizes = " and ".join(f"{name} ({number:,})" for name, number in self.sizes().items())
        return f"{self.where} · {count(n, 'row')} × {count(p, 'column')} · classes {sizes}"

    def sizes(self) -> dict[str, int]:
        """How many rows each class has."""
        positive = int((self.signs > 0).sum())
        return dict(zip(self.classes, (len(self.signs) - positive, positive), strict=True))

    @property
    def labels(self) -> Any:
        """The class of each row, by name."""
        import numpy as np

        return np.array(self.classes)[(self.signs > 0).astype(np.intp)]

    def row_numbers(self, rows: Any) -> list[int]:
        """What the data call these rows of X: counted from 1, without the header."""
        return [int(i) + 1 if self.numbers is None else int(self.numbers[i]) for i in rows]

    def fingerprint(self) -> str:
        """Tells data apart, not adversaries: values, labels and weights."""
        import numpy as np

        h = hashlib.blake2b(digest_size=16)
        sparse = hasattr(self.X, "indptr")
        values = [self.X.data, self.X.indices, self.X.indptr] if sparse else [self.X]
        for part in [*values, self.signs, self.weights]:
            if part is not None:
                h.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        return h.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """What every answer says about its data."""
        n, p = self.X.shape
        return {"data": self.where, "n": n, "p": p, "classes": self.sizes(), "positive": self.classes[1]}


def load(options: TableOptions, intercept: bool = True) -> Loaded:
    """The rows that the options describe; what is wrong with them is refused in a sentence."""
    from rosenblatt.data import Store

    if options.data is not None and Store.is_store(options.data):
        return with_both_classes(from_store(_opened_store(options), options.data))
    table = open_as_told(options, intercept)
    if options.store is None and table.estimated_bytes * _SHARE <= _memory():
        return with_both_classes(_in_memory(table))
    gigabytes = table.estimated_bytes / 1e9
    why = f"the rows take about {gigabytes:.1f} GB, more than fits in memory"
    return with_both_classes(from_store(_store_of(table, options, why), table.name))


def load_store(options: TableOptions, intercept: bool = True) -> "tuple[Loaded, Store]":
    """The same, in a store in any case, for workers that see its folder."""
    from rosenblatt.data import Store

    if options.data is not None and Store.is_store(options.data):
        store = _opened_store(options)
        return with_both_classes(from_store(store, options.data)), store
    table = open_as_told(options, intercept)
    store = _store_of(table, options, "the workers of a cluster need the rows in a folder")
    return with_both_classes(from_store(store, table.name)), store


def load_alike(data: str, encoding: "Encoding", kind: str | None = None) -> Loaded:
    """The rows of another table, read as one was read before."""
    from rosenblatt.data import Store

    table = open_alike(data, encoding, kind)
    if isinstance(table, Store):
        return from_store(table, data)
    loaded = _in_memory(table)
    if encoding.missing != "drop" and not encoding.weights and not encoding.counts:
        return loaded  # nothing can have been left out
    total, kept = table.rows_in_source, len(set(loaded.row_numbers(range(len(loaded.signs)))))
    return replace(loaded, dropped=0 if total is None else total - kept)


def open_alike(data: str, encoding: "Encoding", kind: str | None = None, labels: bool = True) -> "Table":
    """Another table, or a store of one, to be read as one was read before."""
    from rosenblatt.data import Store, open_table

    if not Store.is_store(data):
        return open_table(data, encoding=encoding, format=kind, labels=labels)
    store = Store.open(data)
    if store.encoding != encoding:
        raise ValueError(f"{data} is a store of a table that was read in another way: name the table itself.")
    return store


def _in_memory(table: "Table") -> Loaded:
    with Meter(f"rows read from {table.name}", table.estimated_rows) as meter:
        X, y, weights = table.arrays(meter.show)
    return Loaded(table.name, X, y, weights, table.encoding, table.row_numbers)


def with_both_classes(loaded: Loaded) -> Loaded:
    """Rows without weight, and dropped ones, may have been all there was of a class."""
    for name, number in loaded.sizes().items():
        if number == 0:
            raise ValueError(f"{loaded.where} has no row of class {name} that counts: there is nothing to tell apart.")
    return loaded


def open_as_told(options: TableOptions, intercept: bool = True, multiclass: bool = False) -> "Table":
    """The table that the options describe, not read yet."""
    from rosenblatt.data import open_table

    if options.data is None and options.sql is None:
        raise ValueError("say which data: a file, as in rosenblatt check data.csv --target COLUMN, or --sql QUERY.")
    return open_table(
        path=options.data,
        sql=options.sql,
        target=options.target,
        positive=options.positive,
        features=options.features or None,
        drop=options.drop,
        categorical=options.categorical,
        hash_columns=options.hash,
        na=options.na,
        missing=options.missing.value,
        weights=options.weights,
        counts=options.counts,
        degree=options.degree,
        intercept=intercept,
        multiclass=multiclass,
        table=options.table,
        delimiter=options.delimiter,
        format=options.format,
    )


# ---------------------------------------------------------------------------------------------------------- in a store


def from_store(store: "Store", where: str) -> Loaded:
    """The rows of a store, on disk."""
    numbers = store.row_numbers if "row_numbers" in store.schema["arrays"] else None
    return Loaded(where, store.X, store.y, store.weights, store.encoding, numbers)


def _opened_store(options: TableOptions) -> "Store":
    """A store that was named as the data: how it is to be read was said when it was built."""
    from rosenblatt.data import Store

    if replace(options, data=None, target=None) != TableOptions():
        raise ValueError(f"{options.data} is a store, which was read once and for all: name it and nothing else.")
    store = Store.open(str(options.data))
    if options.target not in (None, store.encoding.target):
        raise ValueError(
            f'{options.data} is a store whose target is "{store.encoding.target}", not "{options.target}".'
        )
    return store


def _store_of(table: "Table", options: TableOptions, why: str) -> "Store":
    """The store of a table: the one there is, if it is of this table, unchanged; else a new one."""
    from rosenblatt.data import Refused, Store

    if options.store is None and (options.data is None or options.data == "-"):
        raise ValueError(f"{why}: say --store FOLDER.")
    folder = Path(options.store or f"{Path(str(options.data))}.store")
    if Store.is_store(folder):
        try:
            store = Store.open(folder)
        except Refused as why:
            note(f"{why} It is built again now.")
        else:
            if store.is_of(table):
                return store
    with Meter(f"rows written to {folder}", table.estimated_rows) as meter:
        return Store.build(table, folder, progress=meter.show)


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
