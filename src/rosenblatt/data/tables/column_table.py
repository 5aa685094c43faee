"""Tables whose columns DuckDB reads: each block is encoded when it is read; a value that has no code is refused."""

import itertools
import re
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags
from rosenblatt.data.numbers import Written
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted, unknown_column
from rosenblatt.data.roles import SEVERAL, Role
from rosenblatt.data.sql import (
    LONG,
    PLAIN,
    SHORT,
    CsvFile,
    Longer,
    Source,
    Writing,
    held_beside,
    held_columns,
    is_scanned,
    literal,
    look_at_digits,
    looks_like_number,
    may_be_long,
    refuse_long,
)
from rosenblatt.data.tables.encoding import ABSENT, UNKNOWN, Column, Encoding, Surprise
from rosenblatt.data.tables.learn import Depth, Learned, ReadingOptions, learned_from, refusal_of_missing
from rosenblatt.data.tables.role_columns import RoleColumns
from rosenblatt.data.tables.table import After, Arrays, Block, Named, Result, Table, fingerprint_of
from rosenblatt.data.understood import encoding_in_words, names_in_words, numerals_in_words
from rosenblatt.data.wording import is_number

__all__ = ["ColumnTable"]

_SAMPLE, _FEWEST, _SAMPLE_VALUES = 20_000, 500, 2_000_000  # rows of a first look; fewer where they are wide
_BLOCK_VALUES = 1 << 17  # values encoded at a time: a megabyte, so that they stay in the processor's cache
_FEW_LEVELS = 4
_MANY_ROWS = 20  # with so many rows, a text that differs in all of them is hardly a category

_ROWS_ARE_CALLED = {"id", "pid", "sid", "uid", "rowid", "rownames"}
# who or what the rows of a table are often several of
_SUBJECTS = {"subject", "subj", "patient", "participant", "person", "user", "speaker", "student", "family", "household"}
_SUBJECTS |= {
    "animal",
    "mouse",
    "rat",
    "cage",
    "litter",
    "sentence",
    "document",
    "cluster",
    "group",
    "grp",
    "g",
    "id",
    "pid",
    "sid",
}
_FEWEST_GROUPS, _FEWEST_CHANGES = 6, 3  # of values that each have one label, and of the label from value to value
_LOOKED_AT = 50, 20_000  # columns and rows up to which such columns are looked for


class ColumnTable(Table):
    """A table whose columns DuckDB reads."""

    def __init__(
        self,
        source: Source,
        options: ReadingOptions,
        features: list[str],
        encoding: Encoding | None = None,
        labels: bool = True,
    ) -> None:
        self.name = source.where
        self.source, self.options, self._features, self._labelled = source, options, features, labels
        self.to_learn_from = encoding is None
        self._depth: Depth = {}
        self._role_columns = RoleColumns(source, options) if options.roles else None
        self._may_have_empty_levels = options.roles is not None and options.missing == "drop"
        self._settled = False  # whether it is known of all rows which numbers float64 does not hold
        if encoding is None:
            self._learn(max(_FEWEST, min(_SAMPLE, _SAMPLE_VALUES // len(source.names))))
        else:
            self._learned = Learned(encoding, 0, complete=True)

    @property
    def notes(self) -> list[str]:
        """What was understood of how the file is written."""
        return [*self.source.notes, *encoding_in_words(self.encoding), *self._names_in_words()]

    def _names_in_words(self) -> list[str]:
        """Text columns that are hardly categories: numbers that a file has as text, and names of rows."""
        if not self.to_learn_from:
            return []
        rows = self._learned.rows
        factors = [c for c in self.encoding.columns if c.kind == "category" and c.name not in self.options.categorical]
        numbers = [c.name for c in factors if all(map(_writes_number, c.levels)) and c.name not in self._ordered()]
        names = [c.name for c in factors if len(c.levels) == rows >= _MANY_ROWS]
        alike = [(c.name, text) for c in factors if c.name not in numbers and (text := self._like_a_number(c))]
        return names_in_words(numbers, names, alike, self._numbers_in_quotes(), self._numbers_of_rows())

    def _numbers_of_rows(self) -> list[str]:
        """Columns taken as numbers that are called as ids are, with another whole number in every row."""
        known = {*self.options.numbers, self.options.id}
        called = [c.name for c in self.encoding.columns if c.kind == "number" and c.name not in known]
        found = []
        for name in (one for one in called if _ROWS_ARE_CALLED & set(_words_of(one)[-1:])):
            i = self.source.place(name)
            c = self.source.number(i)
            relation = self.source.relation([i])
            asked = f"SELECT count(*), count(DISTINCT {c}), count_if({c} = floor({c})) FROM {relation}"
            rows, *alike = self.source.select(asked)[0]
            if rows >= _MANY_ROWS and alike == [rows, rows]:
                found.append(name)
        return found

    def _numbers_in_quotes(self) -> list[str]:
        """Columns taken as numbers, of which nobody said so, and which the file has in quotes, other numbers not."""
        in_quotes = self.source.in_quotes if isinstance(self.source, CsvFile) else frozenset()
        known = {*self.options.numbers, *self.options.categorical}
        return [c.name for c in self.encoding.columns if c.kind == "number" and c.name in in_quotes - known]

    def _like_a_number(self, column: Column) -> str:
        """The first text of a category that looks like a number and is none; "" where there is none."""
        alike = [level for level in column.levels if looks_like_number(level) and not _writes_number(level)]
        if not alike:
            return ""
        i = self.source.place(column.name)
        text = f"CAST(c{i} AS VARCHAR)"
        found = self.source.first(f"{text} IN ({', '.join(map(literal, alike))})", text)
        return str(found[1]) if found else alike[0]

    def _ordered(self) -> list[str]:
        """The columns whose values come with an order: they are names, even if they are numbers."""
        return [self.source.names[i] for i in self.source.levels]

    def column(self, role: Role) -> "Named | list[Named] | None":
        """The column of a role, for the rows of X; a list of a role of several; None where none has it."""
        if self._role_columns is None:
            return super().column(role)
        return self._role_columns.of(role, self.row_numbers)

    @property
    def target_levels(self) -> list[str] | None:
        """The target's values in the order that the data have for them: of a category, or of labels."""
        name = self.options.target
        return None if name is None else list(self.source.levels.get(self.source.place(name), ())) or None

    @property
    def called(self) -> dict[str, str | list[str]]:
        """The names of the columns that have a role; of a flag with its value."""
        found: dict[str, list[str]] = {}
        for one in self.options.roles or ():
            name = one.name if one.value is None else f"{one.name}={one.value}"
            found.setdefault("y" if one.role == "target" else one.role, []).append(name)
        return {argument: names if argument in SEVERAL else names[0] for argument, names in found.items()}

    def groups(self, name: str) -> npt.NDArray[Any]:
        """The group of each row of X: what a column of the data has there, as text; refused where one is missing."""
        if name not in self.source.names:
            raise unknown_column(self.name, name, list(self.source.names), " for the groups")
        if self.encoding.counts:
            raise Refused(f"{self.name}: groups are of single rows, and counts have several in a row.")
        named = self._texts(name)
        found = [named[row - 1] for row in self.row_numbers.tolist()]
        if None in found:
            row = self.row_numbers[found.index(None)]
            raise Refused(f"{self.name}: row {row:,} has no group in column {quoted(name)}.")
        return np.array(found)

    def likely_groups(self) -> str:
        """A column that repeats its values and looks like subjects, in a sentence; "" where there is none.

        It is called as they are; or each of its values has one label, which is not a matter of less and more.
        """
        columns = [name for name in self.source.names if name != self.encoding.target]
        called = [name for name in columns if _is_of_subjects(name)]
        for name, (different, known) in self._repeated(called).items():
            if 2 < different <= known / 2:
                return _as_groups(name, different, known)
        few = len(columns) <= _LOOKED_AT[0] and self.n <= _LOOKED_AT[1] and self.encoding.target
        for name, (different, known) in self._repeated(columns if few else []).items():
            if _FEWEST_GROUPS <= different <= known / 2 and self._changes(name) >= _FEWEST_CHANGES:
                return _as_groups(name, different, known, ", each with one label")
        return ""

    def _repeated(self, names: list[str]) -> dict[str, tuple[int, int]]:
        """How many different values each column has, and how many rows have one."""
        if not names:
            return {}
        asked = ", ".join(f"count(DISTINCT c{i}), count(c{i})" for i in map(self.source.place, names))
        found = [int(v) for v in self.source.select(f"SELECT {asked} FROM {self.source.relation()}")[0]]
        return dict(zip(names, zip(found[::2], found[1::2], strict=True), strict=True))

    def _changes(self, name: str) -> int:
        """How often the label changes from one value of a column to the next; 0 where a value has several labels."""
        c, y = (f"c{self.source.place(one)}" for one in (name, self.encoding.target or ""))
        text = f"CAST({c} AS VARCHAR)"
        asked = f"SELECT min({y}), count(DISTINCT {y}) FROM {self.source.relation()} WHERE {c} IS NOT NULL GROUP BY {c}"
        labels = self.source.select(f"{asked} ORDER BY TRY_CAST({text} AS DOUBLE), {text}")
        if any(many != 1 for _, many in labels):
            return 0
        return sum(a != b for (a, _), (b, _) in itertools.pairwise(labels))

    def _texts(self, name: str) -> list[str | None]:
        """A column of the data, as text."""
        i = self.source.place(name)
        return [row[0] for row in self.source.select(f"SELECT CAST(c{i} AS VARCHAR) FROM {self.source.relation()}")]

    def all_ids(self) -> npt.NDArray[Any] | None:
        """The names of all rows of the data; refused where one is missing or two are alike."""
        name = self.encoding.id
        if name is None or name not in self.source.names:
            return None
        if self._all_ids is not None:
            return self._all_ids
        names = self._texts(name)
        seen: dict[str, int] = {}
        for row, one in enumerate(names, 1):
            if one is None:
                raise Refused(f"{self.name}: row {row:,} has no name in column {quoted(name)}.")
            if seen.setdefault(one, row) != row:
                raise Refused(
                    f"{self.name}: column {quoted(name)} calls rows {seen[one]:,} and {row:,} both {quoted(one)}."
                )
        self._all_ids = np.array(names, dtype=object)
        return self._all_ids

    def _learn(self, limit: int | None) -> None:
        """Learn from some rows; where that raises a question, from all."""
        try:
            self._learned = learned_from(self.source, self.options, self._features, limit, self._depth)
            with_classes = self.options.classes_of is not None
            settled = self._learned.complete or not with_classes or len(self._learned.encoding.classes) > 1
        except Refused:
            if limit is None:
                raise
            settled = False  # all rows are counted before anything is refused
        if not settled:
            self._learned = learned_from(self.source, self.options, self._features, None, self._depth)
            limit = None
        if self._role_columns is not None:
            classes, rest = self._role_columns.classes, self._role_columns.rest
            self._learned.encoding = replace(self._learned.encoding, classes=classes, rest=rest)
        # of a file whose bytes are scanned, a first look has scanned some
        self._settled = self._learned.complete and (limit is None or not is_scanned(self.source))
        self._check_long()

    def _look_at_digits(self) -> None:
        """Look in all rows for numbers that float64 does not hold."""
        if not self._settled:
            held = held_columns(self.source)
            doubtful = [i for i in self._places_of_numbers(self._learned.encoding) if i not in held]
            self._learned.digits = look_at_digits(self.source, doubtful)
            self._settled = True
            self._check_long()

    def _places_of_numbers(self, encoding: Encoding) -> list[int]:
        """The columns of the source that are read as numbers: features, weights or counts."""
        features = [column.name for column in encoding.columns if column.kind == "number"]
        return [self.source.place(name) for name in features + self._factors]

    def _check_long(self) -> None:
        """Refuse numbers that float64 does not hold where only floats can be used."""
        encoding = self._learned.encoding
        means = [column.name for column in encoding.columns if column.mean is not None]
        for i in (i for i, kind in self._learned.digits.items() if kind == LONG):
            name = self.source.names[i]
            other = ("or say ", Remedy("drop", name), ".")
            if name in self._factors:
                refuse_long(self.source, i, "which float64 does not hold, as weights and counts must be", "round it.")
            if encoding.degree > 1:
                why = "which float64 does not hold: products of such columns are not exact"
                refuse_long(self.source, i, why, "round it, ", *other)
            if name in means:
                why = "which float64 does not hold, as a mean must be"
                ways = ("say ", Remedy("missing", "drop", "indicator"), ", round it, ", *other)
                refuse_long(self.source, i, why, *ways)

    @property
    def long_columns(self) -> tuple[int, ...]:
        """Columns of X with numbers that float64 does not hold."""
        self.look_at_all_rows()
        return tuple(at for at, _ in self._long_places(self._learned.encoding))

    def _long_places(self, encoding: Encoding) -> list[tuple[int, int]]:
        """The places of such columns in X, and in the source."""
        places = [(at, self.source.place(column.name)) for at, column in _numbers_in(encoding)]
        return [(at, i) for at, i in places if self._learned.digits.get(i) == LONG]

    @property
    def single_columns(self) -> Flags | None:
        """Which columns of X were float32."""
        encoding = self.encoding
        single = np.zeros(encoding.p, dtype=bool)
        for at, column in _numbers_in(encoding):
            i = self.source.place(column.name)
            single[at] = self.source.types[i] == "FLOAT" and i not in self.source.numerals and column.mean is None
        return single if single.any() else None

    @property
    def encoding(self) -> Encoding:
        """How the table is read, learned from all rows."""
        if self._may_have_empty_levels:
            self.arrays()
        self.look_at_all_rows()
        return self._learned.encoding

    def look_at_all_rows(self) -> None:
        """Look at all rows."""
        if not self._learned.complete:
            self._learn(None)
        self._look_at_digits()

    @property
    def estimated_rows(self) -> int:
        """From the file's size and its first lines, or counted where that costs nothing."""
        if self._n is not None:
            return self._n
        if self._learned.complete and self._learned.rows:
            return self._learned.rows
        return self.source.estimated_rows()

    @property
    def _expected_rows(self) -> int:
        return self.estimated_rows * 21 // 20 if isinstance(self.source, CsvFile) else 0

    @property
    def estimated_bytes(self) -> int:
        """About what X takes in memory, by the first look."""
        return self.estimated_rows * max(1, self._learned.encoding.p) * 8

    @property
    def rows_in_source(self) -> int | None:
        """All rows of the data, counted by another scan."""
        return self.source.count_rows()

    @property
    def fingerprint(self) -> str | None:
        """The file's path, size and time, and what was asked for."""
        if not self.source.origin:
            return None
        given = None if self.to_learn_from else self._learned.encoding
        several = self.options.every_class and len(self.encoding.classes) > 2  # two are read the same, asked so or so
        options = replace(self.options, every_class=several)
        query = self.source.query if self.source.asked is None else self.source.asked
        asked = (query + self.source.part, options, self._features, given, self._labelled)
        return fingerprint_of(self.source.origin, *asked)

    @property
    def steady_file(self) -> str:
        """The file, if it is no database, whose views may give their rows in any order."""
        return self.source.origin if self.source.steady else ""

    def as_read(self) -> object:
        """How the rows are encoded now, and which numbers travel as they are written."""
        encoding = self._learned.encoding
        return encoding.to_json(), self._long_places(encoding)

    def read_with(self, consume: Callable[[Iterator[Block]], Result], after: After = lambda: 0) -> Result:
        """Feed all blocks to `consume`."""
        while True:
            try:
                return consume(self._blocks(after()))
            except Longer:
                self._look_at_digits()
                continue
            except (Surprise, Refused) as trouble:
                if self._learned.complete:
                    raise self._refusal(trouble) from None
            self._learn(None)

    def arrays(self, progress: Callable[[int], None] | None = None) -> Arrays:
        """(X, y, weights) in memory. In a regression, levels of rows that were left out have no column."""
        if self._may_have_empty_levels:
            self._may_have_empty_levels = False
            X, y, weights = super().arrays(progress)
            self._learned.encoding, kept = self._learned.encoding.without_empty(X)
            self._arrays = np.ascontiguousarray(X[:, kept]), y, weights
        return super().arrays(progress)

    def batches(self, rows: int = 65_536) -> Iterator[Block]:
        """Blocks of at most `rows` rows, in order, without holding more than a few of them."""
        try:
            yield from super().batches(rows)
        except (Surprise, Refused) as trouble:
            raise self._refusal(trouble) from None

    # ------------------------------------------------------------------------------------------------------- reading

    def _blocks(self, after: int = 0) -> Iterator[Block]:
        encoding = self._learned.encoding
        step = max(256, _BLOCK_VALUES // max(1, encoding.p))
        offset = after
        width = len(encoding.columns) + self._with_target + len(self._factors)
        with held_beside(self.source, () if self._settled else self._presumed(encoding)) as held:
            writing = self._writing(encoding, held.presumed)
            doubts, parts = len(writing.surprises()), len(writing.parts())
            for batch in self._scan(encoding, writing, after):
                m = len(batch[0])
                if any(doubt.any() for doubt in batch[width : width + doubts]) or held.disappoint():
                    raise Longer
                for start in range(0, m, step):
                    part = [values[start : start + step] for values in batch]
                    written = writing.written(part[width + doubts : width + doubts + parts])
                    yield self._encoded(encoding, part[:width], offset + start, min(step, m - start), written)
                offset += m
            if held.disappoint(wait=True):
                raise Longer
        # no row contradicted the first look
        self._learned, self._settled = replace(self._learned, rows=offset, complete=True), True

    def _presumed(self, encoding: Encoding) -> list[int]:
        """The columns of numbers of which the first look knew nothing that float64 does not hold."""
        return [i for i in self._places_of_numbers(encoding) if i not in self._learned.digits]

    def _writing(self, encoding: Encoding, held: Collection[int]) -> Writing:
        """How the columns of numbers are written, as far as it is known."""
        kinds = self._learned.digits
        if self._settled:
            return Writing(self.source, {i: kind for i, kind in kinds.items() if kind == LONG})
        doubtful = [i for i in self._places_of_numbers(encoding) if may_be_long(self.source, i) and i not in held]
        return Writing(self.source, {i: kinds.get(i, SHORT) for i in doubtful})

    def _scan(self, encoding: Encoding, writing: Writing, after: int) -> Iterator[list[npt.NDArray[Any]]]:
        """Rows by DuckDB: numbers and codes of columns, codes of the target, weights or counts; digits."""
        expressions = [self._expression(column, writing) for column in encoding.columns]
        if self._with_target:
            i = self.source.place(encoding.target or "")
            code = _level(i, encoding.classes)
            if encoding.rest:
                code = f"CASE WHEN CAST(c{i} AS VARCHAR) = {literal(encoding.classes[1])} THEN 1 ELSE 0 END"
            expressions.append(_coded(i, code))
        expressions += [writing.number(self.source.place(name)) for name in self._factors]
        relation = writing.relation(self._places_of_numbers(encoding))
        relation = f"(SELECT * FROM {relation} OFFSET {after})" if after else relation
        expressions += writing.surprises() + writing.parts()
        return self.source.scan(expressions or ["0"], relation)  # a model may have no feature, and rows all the same

    @property
    def _with_target(self) -> bool:
        return self._labelled and self._learned.encoding.target is not None and self.options.roles is None

    @property
    def _factors(self) -> list[str]:
        """The columns of weights or counts."""
        encoding = self._learned.encoding
        return [name for name in (encoding.weights, *(encoding.counts or ())) if name] if self._labelled else []

    def _expression(self, column: Column, writing: Writing) -> str:
        i = self.source.place(column.name)
        if column.kind == "number":
            return writing.number(i)
        if column.kind == "boolean":
            text = f"lower(CAST(c{i} AS VARCHAR))"
            return _coded(i, f"CASE {text} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {UNKNOWN} END")
        if column.kind == "hash":
            return _coded(i, f"CAST('0x' || substr(md5(CAST(c{i} AS VARCHAR)), 1, 8) AS UINTEGER) % {column.buckets}")
        return _coded(i, _level(i, column.levels))

    def _encoded(
        self, encoding: Encoding, values: list[npt.NDArray[Any]], offset: int, m: int, written: Written | None
    ) -> Block:
        """Encode m rows, which begin after `offset` others: labelled, weighed and numbered."""
        width = len(encoding.columns)
        X, absent, doubt = encoding.block(values[:width], m)
        codes, factors = values[width] if self._with_target else None, values[width + self._with_target :]
        if codes is not None:
            if (codes == UNKNOWN).any():
                raise Surprise(encoding.target or "")
            absent |= codes == ABSENT
        for one in factors:
            absent |= np.isnan(one)
        if self._role_columns is not None:
            absent |= self._role_columns.lacking[offset : offset + m]
        if absent.any() and encoding.missing != "drop":
            raise Surprise("")
        numbers = np.arange(offset + 1, offset + 1 + len(absent))
        if doubt:
            wrong = ~np.isfinite(X) & ~absent[:, None]
            if not self._settled and np.isinf(X).any():  # 1e400 is a number too
                raise Longer
            if written is not None:  # a number may be finite that is written, and its float not
                wrong[:, [at for at, _ in self._long_places(encoding)]] &= (written.high == 0) & (written.low == 0)
            for i, j in np.argwhere(wrong)[:1]:
                self._refuse_infinite(encoding.features[j], int(numbers[i]))
        self._check_factors(encoding.counts is not None, factors, numbers, absent)
        y = None if codes is None else _class_labels(codes, encoding)
        if encoding.counts and factors:
            return _expanded(X, numbers, np.column_stack(factors), absent, written)
        if not factors and not absent.any():
            return Block(X, y, None, numbers, written)
        keep = ~absent & (factors[0] > 0) if factors else ~absent
        weights = factors[0][keep] if factors else None
        kept = written and written.take(keep)
        return Block(X[keep], None if y is None else y[keep], weights, numbers[keep], kept)

    def _check_factors(
        self, whole: bool, factors: list[npt.NDArray[Any]], numbers: npt.NDArray[Any], absent: Flags
    ) -> None:
        """Refuse weights that are negative or infinite, and counts (`whole`) that are not whole numbers either."""
        for name, one in zip(self._factors, factors, strict=True):
            wrong = ~absent & ((one < 0) | np.isinf(one) | (whole & (one != np.floor(one))))
            for i in np.flatnonzero(wrong)[:1]:
                should = "a count must be a whole number, 0 or more" if whole else "a weight must be 0 or more"
                raise Refused(
                    f"{self.name}: row {numbers[i]:,}, column {quoted(name)} is {one[i]:g}; {should} and finite."
                )

    # ------------------------------------------------------------------------------------------------------ refusing

    def _refuse_infinite(self, feature: str, row: int) -> None:
        written = ""
        i = self.source.place(feature) if feature in self.source.names else -1
        if i >= 0 and self.source.is_written(i):
            found = self.source.select(f"SELECT c{i} FROM {self.source.relation()} LIMIT 1 OFFSET {row - 1}")
            written = f" ({quoted(str(found[0][0]))})"
        what = "is" if feature in self.source.names else "(a product of columns) is"
        raise Refused(
            f"{self.name}: row {row:,}, column {quoted(feature)} {what} infinite or beyond float64{written}; "
            f"correct the value, or drop the row or the column."
        )

    def _refusal(self, trouble: Surprise | Refused) -> Refused:
        """The sentence for what stopped the reading, with the row, the column and the value where they can be found."""
        if isinstance(trouble, Refused):
            return self._not_a_number() or trouble
        if not trouble.column:
            return refusal_of_missing(self.source, self._learned.encoding, self.to_learn_from, self.options.roles or ())
        return self._unknown_value(trouble.column)

    def _not_a_number(self) -> Refused | None:
        """In a table read by a given encoding, the first value that should be a number and is not."""
        if self.to_learn_from:
            return None
        written = replace(self.source, numerals={})
        for column in self._learned.encoding.columns:
            i = self.source.place(column.name)
            if column.kind == "number" and self.source.types[i] == "VARCHAR":
                numerals = self.source.numerals.get(i, PLAIN)
                listed = ", ".join(map(literal, ("", *numerals.na)))
                wrong = f"c{i} IS NOT NULL AND c{i} NOT IN ({listed}) AND NOT ({numerals.fits(f'c{i}')})"
                found = written.first(wrong, f"c{i}")
                if found:
                    unusual = f" ({', '.join(numerals_in_words(numerals))})" if numerals != PLAIN else ""
                    expected = "dates, as 2024-01-31" if numerals.date else f"numbers{unusual}"
                    return Refused(
                        f"{self.name}: row {found[0]:,}, column {quoted(column.name)} is {quoted(found[1])}, where "
                        f"the model has {expected}."
                    )
        return None

    def _unknown_value(self, name: str) -> Refused:
        encoding, i = self._learned.encoding, self.source.place(name)
        column = next((column for column in encoding.columns if column.name == name), None)
        known = encoding.classes if column is None else column.levels or ("true", "false")
        text = f"CAST(c{i} AS VARCHAR)"
        if column is not None and column.kind == "boolean":
            text = f"lower({text})"
        listed = ", ".join(literal(level) for level in known)
        row, value = self.source.first(f"c{i} IS NOT NULL AND {text} NOT IN ({listed})", text) or (0, "")
        return Refused(
            f"{self.name}: row {row:,}, column {quoted(name)} is {quoted(value)}, which is not one of the "
            f"{len(known)} values known ({column_list(known)}): correct it, or leave the row out."
        )


def _as_groups(name: str, different: int, known: int, why: str = "") -> str:
    """What is said of a column that looks like groups."""
    has = f"column {name} has {different:,} different values in {known:,} rows{why}"
    return f"{has}: if rows of one {name} belong together, say --groups {shlex.quote(name)}."


def _is_of_subjects(name: str) -> bool:
    """Whether a column is called as subjects are."""
    words = _words_of(name)
    return bool(_SUBJECTS & {*words, *(word.removesuffix("id") for word in words)})


def _words_of(name: str) -> list[str]:
    """The words of a column's name: patientId, patient_id."""
    return re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())


def _writes_number(text: str) -> bool:
    """Whether a text is a number as files write them; Python reads digits of other scripts too."""
    return text.isascii() and is_number(text)


def _coded(i: int, code: str) -> str:
    """The code of a value of column i, in SQL; ABSENT where there is none."""
    return f"CAST(CASE WHEN c{i} IS NULL THEN {ABSENT} ELSE {code} END AS INTEGER)"


def _level(i: int, levels: tuple[str, ...]) -> str:
    """The number of a level, UNKNOWN for others."""
    if len(levels) <= _FEW_LEVELS:  # comparing takes less time than looking up
        cases = " ".join(f"WHEN {literal(level)} THEN {k}" for k, level in enumerate(levels))
        return f"CASE CAST(c{i} AS VARCHAR) {cases} ELSE {UNKNOWN} END" if levels else str(UNKNOWN)
    listed = ", ".join(literal(level) for level in levels)
    return f"coalesce(enum_code(TRY_CAST(CAST(c{i} AS VARCHAR) AS ENUM({listed}))), {UNKNOWN})"


def _class_labels(codes: npt.NDArray[np.int32], encoding: Encoding) -> npt.NDArray[Any]:
    """−1/+1 of two classes, the number of the class of more."""
    return (2 * codes - 1).astype(np.int8) if len(encoding.classes) == 2 else codes.astype(np.int64)


def _numbers_in(encoding: Encoding) -> list[tuple[int, Column]]:
    """The columns of numbers, with their places in X."""
    ends = itertools.accumulate(column.width for column in encoding.columns)
    places = [(end - column.width, column) for column, end in zip(encoding.columns, ends, strict=True)]
    return [(at, column) for at, column in places if column.kind == "number"]


def _expanded(
    X: npt.NDArray[Any], numbers: npt.NDArray[Any], pairs: npt.NDArray[Any], absent: Flags, written: Written | None
) -> Block:
    """A row for each outcome of a group that was counted, the success first, with its count as the weight."""
    pairs[absent] = 0.0
    taken, outcome = np.nonzero(pairs > 0)
    y = np.where(outcome == 0, 1, -1).astype(np.int8)
    return Block(X[taken], y, pairs[taken, outcome], numbers[taken], written and written.take(taken))
