"""Tables of sparse rows: LIBSVM text, or CSR in a .npz file."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.numbers import Rows, Survey
from rosenblatt.data.paths import SparseFile
from rosenblatt.data.readers import Chunk, LongWhole, label_text, not_held
from rosenblatt.data.refusal import Refused, Remedy, column_list
from rosenblatt.data.sql import read_ahead
from rosenblatt.data.tables.encoding import Column, Encoding, Surprise
from rosenblatt.data.tables.learn import ReadingOptions
from rosenblatt.data.tables.table import After, Arrays, Block, Result, Table, fingerprint_of
from rosenblatt.later import sparse as sp

__all__ = ["SparseTable"]

_MOST_COLUMNS = 1 << 26  # half a gigabyte of weights


class SparseTable(Table):
    """Sparse rows, a chunk at a time. The number of columns and the classes are known once all rows were read."""

    def __init__(
        self, rows: SparseFile, options: ReadingOptions, encoding: Encoding | None = None, labels: bool = True
    ) -> None:
        self._place, self._chunks = rows
        self.name = where = self._place.where
        self.options, self._labelled = options, labels
        self._size = self._place.path.stat().st_size
        if encoding is not None and [column.kind for column in encoding.columns] != ["sparse"]:
            needed = column_list(column.name for column in encoding.columns)
            raise Refused(f"{where} has sparse rows without column names, where the model needs {needed}.")
        for option in ("features", "drop", "categorical", "hashed", "weights", "counts"):
            if getattr(options, option):
                raise Refused(f"{where} has sparse rows without column names: {option} cannot be chosen.")
        if options.degree > 1:
            raise Refused(f"{where} has sparse rows: products of their columns are not made; leave degree at 1.")
        self._given, self.to_learn_from = encoding, encoding is None
        self._learned: Encoding | None = None
        self._single = False
        self._held: list[Chunk] | None = None

    @property
    def encoding(self) -> Encoding:
        """All columns are numbers, zero where they are not mentioned."""
        if self._given is not None:
            return self._given
        self.look_at_all_rows()
        assert self._learned is not None
        return self._learned

    @property
    def estimated_rows(self) -> int:
        """Estimated from the first chunk and the size of the file."""
        if self._n is not None:
            return self._n
        first = next(self._chunks(), None)
        return 0 if first is None else max(1, len(first.labels) * self._size // (12 * max(1, len(first.values))))

    @property
    def estimated_bytes(self) -> int:
        """About what the text takes: 12 bytes a value."""
        return self._size

    @property
    def fingerprint(self) -> str | None:
        """The file's path, size and time, and what was asked for."""
        if not self.steady_file:
            return None
        return fingerprint_of(self.steady_file, self.options, self._given, self._labelled)

    @property
    def steady_file(self) -> str:
        """The file, if nothing was fetched or unpacked."""
        return str(self._place.path) if self._place.keep is None else ""

    def look_at_all_rows(self) -> None:
        """Read all rows for their labels and indices."""
        if self._learned is not None:
            return
        labels, columns, printed, wholes = np.empty(0), 0, False, dict[int, LongWhole]()
        for chunk in self._rows():
            wholes = {one.column: one for one in chunk.wholes} | wholes
            self._single = chunk.single
            printed = printed or chunk.printed is not None
            labels = np.union1d(labels, chunk.labels)
            if len(labels) > 1000:
                raise Refused(f"{self.name} has more than 1000 different labels: they cannot be classes.")
            columns = max(columns, int(chunk.columns.max(initial=-1)) + 1)
            if columns > _MOST_COLUMNS and self._given is None:
                raise Refused(
                    f"{self.name} has a column {columns:,}, and at most {_MOST_COLUMNS:,} are taken: number those that "
                    f"occur from 1 on."
                )
        if not len(labels):
            raise Refused(f"{self.name} has no rows.")
        self._refuse_among_floats(wholes)
        if printed:
            self._refuse_other_formats(columns)
        if self._given is not None and columns > self._given.p:
            raise Refused(f"{self.name} has a column {columns}, where the model knows {self._given.p} columns.")
        self._learned = self._given or Encoding(
            (Column("x", "sparse", buckets=columns),),
            target="label",
            **self._class_fields([label_text(value) for value in labels]),
        )

    @property
    def single_columns(self) -> Flags | None:
        """All columns, where the data are float32."""
        self.look_at_all_rows()
        return np.ones(self.p, dtype=bool) if self._single else None

    def _refuse_among_floats(self, wholes: dict[int, LongWhole]) -> None:
        """Refuse whole numbers that are not exactly their floats, where others of the column are no decimals."""
        from rosenblatt.kernels.kinds import NONE

        if not wholes:
            return
        columns = np.array(sorted(wholes))
        for chunk in self._rows():
            kept = np.isin(chunk.columns, columns)
            values, places = chunk.values[kept], np.searchsorted(columns, chunk.columns[kept])
            for k in np.unique(places).tolist():
                some = np.ascontiguousarray(values[places == k]).reshape(-1, 1)
                if Survey.of(Rows(some)).places[0] == NONE:
                    one = wholes[int(columns[k])]
                    raise not_held(
                        f"{self.name}, line {one.line:,}",
                        f"the value of index {one.number}, beside longer ones,",
                        one.text,
                    )

    def _refuse_other_formats(self, columns: int) -> None:
        """Refuse values that are not in their shortest text, unless one format wrote all of their columns' floats."""
        from rosenblatt.kernels.decimals import narrow_formats

        formats, long = np.zeros(columns, dtype=np.uint8), np.zeros(columns, dtype=bool)
        for chunk in self._rows():
            if chunk.printed is not None:
                formats[chunk.columns[chunk.printed > 0]] = 3
        for chunk in self._rows():
            how = np.zeros(len(chunk.values), dtype=np.uint8) if chunk.printed is None else chunk.printed
            narrow_formats(chunk.values, chunk.columns, how, formats, long)
        row = 0
        for chunk in self._rows():
            if chunk.printed is not None:
                bad = np.flatnonzero((chunk.printed > 0) & ~((formats[chunk.columns] > 0) & long[chunk.columns]))
                if bad.size:
                    at = int(bad[0])
                    row += int(np.searchsorted(np.cumsum(chunk.lengths), at, side="right")) + 1
                    text = f"{chunk.values[at]:.{16 if chunk.printed[at] & 1 else 17}g}"
                    raise not_held(f"{self.name}, row {row:,}", f"the value of column {chunk.columns[at] + 1}", text)
            row += len(chunk.labels)

    def read_with(self, consume: Callable[[Iterator[Block]], Result], after: After = lambda: 0) -> Result:
        """Feed all blocks to `consume`."""
        self.look_at_all_rows()
        try:
            return super().read_with(consume, after)
        except Surprise:
            raise Refused(f"{self.name} has a label that the model does not know.") from None

    def _class_fields(self, texts: list[str]) -> dict[str, Any]:
        """The classes that these labels stand for; refused where they are not two, unless all were asked for."""
        positive = self.options.positive
        if positive is not None and positive not in texts:
            raise Refused(f"{self.name} has no label {positive!r}; its labels are {column_list(texts)}.")
        if len(texts) < 2:
            raise Refused(f"{self.name} has the label {texts[0]} in every row: there is nothing to tell apart.")
        if positive is None:
            if len(texts) > 2 and not self.options.every_class:
                raise Refused(
                    f"{self.name} has {len(texts)} labels ({column_list(texts, 5)}): say ",
                    Remedy("positive", "VALUE"),
                    " to tell one of them from the rest.",
                )
            return {"classes": tuple(texts)}
        others = [text for text in texts if text != positive]
        negative = others[0] if len(others) == 1 else f"not {positive}"
        return {"classes": (negative, positive), "rest": len(others) > 1}

    def _blocks(self) -> Iterator[Block]:
        encoding = self.encoding
        offset = 0
        for chunk in read_ahead(self._rows()):
            m = len(chunk.labels)
            indptr = np.concatenate([[0], np.cumsum(chunk.lengths)])
            X = sp.csr_matrix((chunk.values, chunk.columns, indptr), shape=(m, encoding.p))
            X.eliminate_zeros()
            y = self._signs(chunk.labels, encoding) if self._labelled else None
            yield Block(X, y, None, np.arange(offset + 1, offset + m + 1))
            offset += m

    def _signs(self, labels: Floats, encoding: Encoding) -> npt.NDArray[Any]:
        """−1/+1, or the numbers of the classes."""
        if encoding.rest:
            return np.where(labels == float(encoding.classes[1]), np.int8(1), np.int8(-1))
        known = np.array([float(text) for text in encoding.classes])
        order = np.argsort(known)
        at = order[np.minimum(np.searchsorted(known, labels, sorter=order), len(known) - 1)]
        if not np.array_equal(known[at], labels):
            raise Surprise("label")
        return (2 * at - 1).astype(np.int8) if len(known) == 2 else at.astype(np.int64)

    def arrays(self, progress: Callable[[int], None] | None = None) -> Arrays:
        """(X, y, None) in memory; the text is parsed once and looked at twice."""
        if self._arrays is None:
            self._held = list(self._chunks())
        try:
            return super().arrays(progress)
        finally:
            self._held = None

    def _rows(self) -> Iterator[Chunk]:
        return self._chunks() if self._held is None else iter(self._held)

    def _collect(self, blocks: Iterator[Block]) -> tuple[Any, Integers]:
        all_blocks = list(blocks)
        X = sp.vstack([block.X for block in all_blocks], format="csr") if all_blocks else None
        y = np.concatenate([block.y for block in all_blocks]) if self._labelled else None
        return (X, y, None), np.arange(1, sum(len(block.row_numbers) for block in all_blocks) + 1)
