"""A table that has been read: rows of numbers with labels, in memory or on disk, and where they come from."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.data.numbers import Origin, Rows, as_rows, data_digest
from rosenblatt.data.readers import Progress
from rosenblatt.data.tables.encoding import Encoding
from rosenblatt.data.tables.opening import open_table
from rosenblatt.data.tables.store import Store
from rosenblatt.data.tables.table import Table
from rosenblatt.data.wording import count

__all__ = ["Loaded", "open_alike"]


@dataclass(frozen=True)
class Loaded:
    """Rows, their labels as −1/+1, their weights, and how they were read."""

    where: str
    X: Any
    signs: Any
    weights: Any
    encoding: Encoding
    numbers: Any  # of the rows, as the data count them, from 1; None if that is their place in X
    ids: Any = None  # what the data call the rows, where a column does
    dropped: int = 0  # rows of the data that are not in X; counted only where a table is read as another was
    origin: Origin = Origin()  # noqa: RUF009 (a tuple); what the floats of X do not tell

    @classmethod
    def of_table(cls, table: Table, progress: Callable[[int], None] | None = None) -> "Loaded":
        """All rows of a table, in memory."""
        X, y, weights = table.arrays(progress)
        origin = table.rows().origin
        return cls(table.name, X, y, weights, table.encoding, table.row_numbers, table.ids, origin=origin)

    @classmethod
    def of_store(cls, store: Store, where: str) -> "Loaded":
        """The rows of a store, on disk."""
        numbers = store.row_numbers if "row_numbers" in store.schema["arrays"] else None
        return cls(where, store.X, store.y, store.weights, store.encoding, numbers, origin=store.rows().origin)

    @property
    def rows(self) -> Rows:
        """X as its numbers were written."""
        rows = copy(as_rows(self.X))
        rows.origin = self.origin
        return rows

    def with_both_classes(self) -> "Loaded":
        """The same, refused where a class has no row: all its rows may have had weight zero."""
        for name in (name for name, number in self.sizes().items() if number == 0):
            raise ValueError(f"{self.where} has no row of class {name} that counts: there is nothing to tell apart.")
        return self

    def with_dropped(self, table: Table) -> "Loaded":
        """The same, with the rows of the table counted that were left out."""
        if self.encoding.missing != "drop" and not self.encoding.weights and not self.encoding.counts:
            return self  # nothing can have been left out
        total, kept = table.rows_in_source, len(set(self.row_numbers(range(len(self.signs)))))
        return replace(self, dropped=0 if total is None else total - kept)

    @property
    def classes(self) -> tuple[str, ...]:
        """The negative and the positive class; where there are more, all classes, and `signs` has their numbers."""
        return self.encoding.classes

    @property
    def headline(self) -> str:
        """What an answer is about, in one line."""
        n, p = self.X.shape
        *first, last = (f"{name} ({number:,})" for name, number in self.sizes().items())
        sizes = f"{', '.join(first)} and {last}"
        return f"{self.where} · {count(n, 'row')} × {count(p, 'column')} · classes {sizes}"

    def to_json(self) -> dict[str, Any]:
        """What every answer says about its data."""
        n, p = self.X.shape
        positive = self.classes[1] if len(self.classes) == 2 else None
        return {"data": self.where, "n": n, "p": p, "classes": self.sizes(), "positive": positive}

    def sizes(self) -> dict[str, int]:
        """How many rows each class has."""
        if len(self.classes) > 2:
            counted = np.bincount(self.signs, minlength=len(self.classes)).tolist()
        else:
            positive = int((self.signs > 0).sum())
            counted = [len(self.signs) - positive, positive]
        return dict(zip(self.classes, counted, strict=True))

    @property
    def labels(self) -> Any:
        """The class of each row, by name."""
        codes = self.signs if len(self.classes) > 2 else (self.signs > 0).astype(np.intp)
        return np.array(self.classes)[codes]

    def row_names(self, rows: Any) -> list[Any]:
        """What the data call these rows of X: by the column that names them, else by their numbers."""
        return self.row_numbers(rows) if self.ids is None else [self.ids[i] for i in rows]

    def row_numbers(self, rows: Any) -> list[int]:
        """Which rows of the data these rows of X are, counted from 1, without the header."""
        return [int(i) + 1 if self.numbers is None else int(self.numbers[i]) for i in rows]

    def fingerprint(self) -> str:
        """A hash of values, as they were written, of labels and weights."""
        written = [column for part in self.origin.written or () for column in part.T]  # floats do not tell these
        return data_digest(as_rows(self.X), [self.signs, *([] if self.weights is None else [self.weights]), *written])


def open_alike(
    data: str, encoding: Encoding, kind: str | None = None, labels: bool = True, progress: Progress | None = None
) -> Table:
    """Open another table, or the store of one, to be read as the first table was read."""
    if not Store.is_store(data):
        return open_table(data, encoding=encoding, format=kind, labels=labels, progress=progress)
    store = Store.open(data)
    if store.encoding != encoding:
        raise ValueError(f"{data} is a store of a table that was read in another way: name the table itself.")
    return store
