"""A file whose columns have several roles: most are features, coded as by `open_table`; others stay as they are.

For models with more columns than a target (counts, trials, times, sets), and for many targets at once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.numbers import Origin, Rows, Written
from rosenblatt.data.paths import Files, Told, found_files
from rosenblatt.data.readers import is_row_index
from rosenblatt.data.refusal import Refused, Remedy, quoted, unknown_column
from rosenblatt.data.sql import Source, refuse_long
from rosenblatt.data.tables.encoding import Column, Encoding
from rosenblatt.data.tables.learn import ReadingOptions, ordered_levels, refuse_hidden_numbers
from rosenblatt.data.tables.named_columns import columns_of, open_columns
from rosenblatt.data.understood import source_in_words
from rosenblatt.data.wording import text_of

__all__ = ["CodedTable"]


@dataclass(frozen=True)
class CodedTable:
    """X of the rows that have all values, and the columns that stand apart from it, by name."""

    where: str
    X: Floats
    apart: dict[str, npt.NDArray[Any]]
    numbers: Integers  # of the rows, as the file counts them, from 1
    dropped: int  # rows that lack a value
    coding: Encoding  # how X was made
    notes: list[str]  # how the file is written, in words, where it is unusual
    origin: Origin = Origin()  # noqa: RUF009 (a tuple); numbers of X that float64 does not hold

    def rows(self) -> Rows:
        """X, with what its floats do not tell of the numbers that they come from."""
        return Rows(np.ascontiguousarray(self.X), self.origin)

    @classmethod
    def read(
        cls,
        path: Files,
        apart: Collection[str],
        *,
        features: Collection[str] = (),
        leave_out: Collection[str] = (),
        may_lack: Collection[str] = (),
        missing: str = "refuse",
        reference: bool = True,
        compared: Collection[str] = (),
        categorical: Collection[str] = (),
        orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
        told: Told = Told(),  # noqa: B008 (it cannot change)
    ) -> "CodedTable":
        """Read a file; texts become a 0/1 column for each level but the first (for each, without `reference`).

        `apart`, `features`, `leave_out` and `categorical` are names of columns; `orders` has columns whose levels have
        an order. Missing values in the columns that `may_lack` them are ignored. Of the columns apart, numbers that
        float64 does not hold are refused; but times and names, which are only `compared`, where their floats differ.
        """
        source = open_columns(path, told=told)
        where = found_files(path)[1]
        for name in [*apart, *features, *leave_out, *categorical, *orders]:
            if name not in source.names:
                raise unknown_column(where, name, source.names)
        unused = {*source.names} - {*apart, *features} if features else {*leave_out} - {*apart}
        if len(unused) == len(source.names):
            raise Refused(f"{where} has no column left to learn from.")
        written: dict[str, Written] = {}
        options = ReadingOptions(
            None, decimal=told.decimal, thousands=told.thousands, categorical=(*categorical, *orders)
        )
        found = columns_of(source, [n for n in source.names if n not in unused], options, written=written)
        for name in {*written} & {*apart}:
            _check_apart(source, name, found[name], written[name], name in compared)
        others = [
            n for n in found if n not in {*apart, *leave_out} and (n in features if features else not is_row_index(n))
        ]
        if not others and may_lack:
            raise Refused(f"{where} has outcomes only: there is no column to explain them with.")
        kept = ~_lacking(where, {n: found[n] for n in [*others, *apart] if n not in may_lack}, missing)
        for name in {*categorical, *orders} & {*others}:
            found[name] = np.array([text_of(value) for value in found[name].tolist()], dtype=object)
        for name in others:
            if found[name].dtype == object and name not in {*categorical, *orders}:
                refuse_hidden_numbers(source, name, sorted({str(v) for v in found[name] if v is not None}))
        coded = [_coded(where, name, found[name][kept], reference, orders) for name in others]
        return cls(
            where,
            np.hstack([np.empty((int(kept.sum()), 0)), *(X for _, X in coded)]),
            {name: found[name][kept] for name in apart},
            np.flatnonzero(kept) + 1,
            int((~kept).sum()),
            Encoding(
                tuple(column for column, _ in coded),
                missing=missing,
                na=told.na,
                numerals=source.readings(),
                delimiter=getattr(source, "delimiter", ","),
            ),
            source_in_words(source),
            _origin([column for column, _ in coded], {n: found[n].dtype for n in others}, written, kept),
        )

    @property
    def features(self) -> list[str]:
        """Names of the columns of X."""
        return self.coding.features

    @property
    def references(self) -> list[str]:
        """The levels that have no column of X."""
        return self.coding.references


def _origin(columns: list[Column], types: dict[str, np.dtype[Any]], written: dict[str, Written], kept: Flags) -> Origin:
    """What the floats of X do not tell."""
    ends = np.cumsum([column.width for column in columns], dtype=int).tolist()
    places = [(end - 1, column.name) for end, column in zip(ends, columns, strict=True) if column.kind == "number"]
    single = np.zeros(ends[-1] if ends else 0, dtype=bool)
    single[[at for at, name in places if types[name] == np.float32]] = True
    long = [(at, written[name].take(kept)) for at, name in places if name in written]
    digits = Written(*map(np.column_stack, zip(*(one for _, one in long), strict=True))) if long else None
    return Origin(tuple(at for at, _ in long), digits, single if single.any() else None)


def _check_apart(source: Source, name: str, floats: Floats, written: Written, compared: bool) -> None:
    """Refuse numbers that float64 does not hold, or, of those that are only compared, two that it takes as one."""
    if not compared:
        why = "which float64 does not hold, as this column's numbers must be"
        refuse_long(source, source.place(name), why, "round it, or choose another unit.")
    known: dict[float, tuple[int, str]] = {}
    for row, (x, text) in enumerate(zip(floats.tolist(), written.shortened().texts(), strict=True), 1):
        first, other = known.setdefault(x, (row, text))
        if other != text:
            raise Refused(
                f"{source.where}: rows {first:,} and {row:,}, column {quoted(name)} are {other} and {text}, which "
                f"float64 takes as one number: choose another unit, or take a number away from all of them."
            )


def _lacking(where: str, columns: dict[str, npt.NDArray[Any]], missing: str) -> Flags:
    """Which rows lack a value; such rows are refused unless they may be dropped."""
    n = len(next(iter(columns.values()), ()))
    lacks = np.zeros(n, dtype=bool)
    first = ""
    for name, values in columns.items():
        lost = np.isnan(values) if values.dtype.kind == "f" else np.array([v is None for v in values], dtype=bool)
        first = first or (name if lost.any() else "")
        lacks |= lost
    if first and missing != "drop":
        told = f"{where}: {int(lacks.sum()):,} of {n:,} rows lack a value, the first in column {quoted(first)}: "
        raise Refused(f"{told}leave such rows out with ", Remedy("missing", "drop"), ".")
    if n and lacks.all():
        raise Refused(f"{where}: every row lacks a value in some column: leave columns out with ", _DROP, ".")
    return lacks


_DROP = Remedy("drop", "COLUMN")


def _coded(
    where: str, name: str, values: npt.NDArray[Any], reference: bool, orders: Mapping[str, Sequence[str]]
) -> tuple[Column, Floats]:
    """A column of numbers, or 0/1 columns for its levels, in the order that was said or in alphabetical order."""
    if values.dtype != object:
        return Column(name, "boolean" if values.dtype == bool else "number"), values.astype(np.float64)[:, None]
    found, codes = np.unique(values.astype(str), return_inverse=True)
    levels = ordered_levels(where, name, found.tolist(), orders.get(name), orders.get(name, ()))
    place = {level: k for k, level in enumerate(levels)}
    codes = np.array([place[level] for level in found], dtype=np.intp)[codes]
    column = Column(name, "category", levels, reference=reference)
    X = np.zeros((len(values), column.width))
    column.fill(X, codes)
    return column, X
