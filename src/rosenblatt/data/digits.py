"""Numbers with more digits than float64 tells apart: which columns have them, and what the digits are, all in SQL.

    short      no text of the column is longer than 15 characters, or it has a type that float64 holds
    shortest   each number is the shortest text of its float, as programs write floats: the floats say all
    long       some number is neither: the column travels as floats and as its digits (`readings.Written`)

Columns of the first kind cost a comparison a cell. In the others a text is compared with the one that DuckDB (as
Python) writes for its float, and only where it is another one it is taken apart, and compared by its value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.duck import Source
from rosenblatt.data.numerals import no_number
from rosenblatt.data.readings import FARTHEST, LONGEST, Written
from rosenblatt.data.refusal import Refused, Remedy, quoted

__all__ = ["LONG", "SHORT", "SHORTEST", "Longer", "Writing", "longest_text", "look_at_digits"]
__all__ += ["may_be_long", "refuse_long"]

SHORT, SHORTEST, LONG = "short", "shortest", "long"
_FEW = 15  # characters in which no number needs more digits than float64 tells apart
_TINY = "2.3e-308"  # below it, float64 has fewer digits
_WHOLE = 1 << 53
_HALF = "10000000000000000"
_NOTHING = 10**16  # the low digits of a number that has no parts
_INTEGERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


class Longer(Exception):
    """Some number is longer than the first look showed."""


def may_be_long(source: Source, i: int) -> bool:
    """Whether column i, of numbers, is of a kind that can hold numbers which float64 does not."""
    if i in source.numerals:
        return not source.numerals[i].date
    kind = source.types[i]
    wide = _DECIMAL.fullmatch(kind)
    return kind == "VARCHAR" or kind in _INTEGERS or (wide is not None and int(wide[1]) > _FEW)


def longest_text(text: str) -> str:
    """SQL for the length of the longest text of a column; much more than 15 where a number is tiny, or infinite."""
    number = f"TRY_CAST({text} AS DOUBLE)"
    return f"max(CASE WHEN {_odd(text, number)} OR NOT isfinite({number}) THEN 99 ELSE strlen({text}) END)"


def _odd(text: str, number: str) -> str:
    """SQL for whether a number may be another one than its text, though that is short and finite: 1e-400, +-1."""
    tiny = f"CASE WHEN abs({number}) < {_TINY} THEN contains(lower({text}), 'e') ELSE false END"
    return f"({tiny} OR {text} < ',')"  # before the comma are + and blanks, not - . 0 … 9


class Writing:
    """How some columns of numbers are written, and the query that takes them as they are written."""

    def __init__(self, source: Source, kinds: Mapping[int, str]) -> None:
        """`kinds` has columns that `may_be_long`, and what is known of them; others are read as float64."""
        self.source, self.kinds = source, dict(kinds)
        self.long = [i for i, kind in self.kinds.items() if kind == LONG]

    def number(self, i: int) -> str:
        """SQL for column i as float64, in `relation`."""
        return f"x{i}" if i in self.kinds else self.source.number(i)

    def relation(self, numbers: Sequence[int]) -> str:
        """The rows, with x, and what tells about the texts, of the columns of this writing."""
        others = [i for i in numbers if i not in self.kinds]
        rows = self.source.relation(others, list(self.kinds))
        if not self.kinds:
            return rows
        rows = _layer(rows, [one for i in self.kinds for one in self._texts(i)])
        rows = _layer(rows, [self._closer(i) for i in self.kinds])
        return _taken_apart(rows, [(f"b{i}", _bare(f"t{i}")) for i in self.long])

    def compared(self) -> str:
        """The rows of `relation` where texts that are not the shortest ones of their floats are taken apart."""
        columns = [i for i, kind in self.kinds.items() if kind == SHORTEST]
        other = {i: f"k{i} AND u{i} <> t{i}" for i in columns}
        rows = _layer(self.relation([]), [f"CASE WHEN k{i} THEN CAST(x{i} AS VARCHAR) END AS u{i}" for i in columns])
        taken = [(f"b{i}", f"CASE WHEN {other[i]} THEN {_bare(f't{i}')} END") for i in columns]
        return _taken_apart(
            rows, taken + [(f"v{i}", f"CASE WHEN {other[i]} THEN {_bare(f'u{i}')} END") for i in columns]
        )

    def other_text(self, i: int) -> str:
        """SQL for whether a number is not written as the shortest text of its float, in `relation`."""
        return f"CASE WHEN k{i} THEN CAST(x{i} AS VARCHAR) <> t{i} ELSE false END"

    def _texts(self, i: int) -> list[str]:
        """The text and the float of column i."""
        kind = self._type(i)
        text = f"c{i}" if kind == "VARCHAR" else f"CAST(c{i} AS VARCHAR)"
        if kind in _INTEGERS and self.kinds[i] != LONG:
            text = f"CASE WHEN {_beyond(i, kind)} THEN {text} END"
        number = f"CAST(c{i} AS DOUBLE)" if kind in _INTEGERS else f"CAST({text} AS DOUBLE)"
        return [f"{text} AS t{i}", f"{number} AS x{i}"]

    def _closer(self, i: int) -> str:
        """Whether the text of column i must be looked at."""
        kind = self._type(i)
        if kind in _INTEGERS:
            return f"{_beyond(i, kind)} AS k{i}"
        # in a scan, infinite numbers are found among the floats
        words = "" if self.kinds[i] == SHORT else f" OR NOT isfinite(x{i})"
        return f"(strlen(t{i}) > {_FEW} OR {_odd(f't{i}', f'x{i}')}{words}) AS k{i}"

    def _type(self, i: int) -> str:
        return "VARCHAR" if i in self.source.numerals else self.source.types[i]

    def unlike(self, i: int) -> str:
        """SQL for whether a number of a column is not the shortest text of its float, in `compared`."""
        return f"coalesce(b{i}_s || b{i}_d || 'e' || b{i}_e <> v{i}_s || v{i}_d || 'e' || v{i}_e, false)"

    def inexact(self, i: int) -> str:
        """SQL for whether a whole number is not exactly its float, in `relation`."""
        whole = f"k{i} AND isfinite(x{i}) AND NOT (contains(t{i}, '.') OR contains(t{i}, 'e') OR contains(t{i}, 'E'))"
        other = f"TRY_CAST(x{i} AS HUGEINT) <> TRY_CAST({_bare(f't{i}')} AS HUGEINT)"
        return f"CASE WHEN {whole} THEN coalesce({other}, true) ELSE false END"

    def surprises(self) -> list[str]:
        """SQL for 1 where a row contradicts what is known of the columns, else 0; empty where none can."""
        doubts = [f"k{i}" for i, kind in self.kinds.items() if kind == SHORT]
        doubts += [self.other_text(i) for i, kind in self.kinds.items() if kind == SHORTEST]
        return [f"CAST(coalesce({' OR '.join(doubts)}, false) AS INTEGER)"] if doubts else []

    def parts(self) -> list[str]:
        """SQL for the digits of the long columns: high, low and exponent of each; see `written`."""
        return [one for i in self.long for one in _parts(f"b{i}")]

    def written(self, parts: Sequence[npt.NDArray[Any]]) -> Written | None:
        """The digits of some rows, from `parts`."""
        if not parts:
            return None
        high, low, exponent = (np.column_stack(parts[k::3]).astype(np.int64) for k in range(3))
        if (low == _NOTHING).any():
            raise Longer
        return Written(high, low, exponent)


def _beyond(i: int, kind: str) -> str:
    """SQL for whether a whole number is beyond those that are all floats."""
    return f"c{i} > {_WHOLE}" if kind.startswith("U") else f"(c{i} > {_WHOLE} OR c{i} < -{_WHOLE})"


def _layer(rows: str, expressions: Iterable[str]) -> str:
    more = ", ".join(expressions)
    return f"(SELECT *, {more} FROM {rows})" if more else rows


def _bare(text: str) -> str:
    """A number's text in small letters, without blanks, + and _."""
    return f"translate(lower({text}), '_+ \t\n\x0b\x0c\r', '')"


def _taken_apart(rows: str, texts: Sequence[tuple[str, str]]) -> str:
    """The rows, with sign (_s), digits (_d) and exponent (_e) of numbers; NULL where there is no text.

    A word, such as nan, has no digits, as 0 has none.
    """
    names = [name for name, _ in texts]
    steps = (
        [f"{sql} AS {name}" for name, sql in texts],
        [f"ltrim(split_part({b}, 'e', 1), '-') AS {b}_m" for b in names]
        + [
            f"CASE WHEN contains({b}, 'e') THEN TRY_CAST(split_part({b}, 'e', 2) AS INTEGER) ELSE 0 END AS {b}_p"
            for b in names
        ],
        [f"CASE WHEN contains({b}, 'n') THEN '' ELSE ltrim(replace({b}_m, '.', ''), '0') END AS {b}_l" for b in names],
        [f"rtrim({b}_l, '0') AS {b}_d" for b in names],
        [
            f"CASE WHEN {b}_d = '' THEN 0 "
            f"ELSE {b}_p - strlen(split_part({b}_m, '.', 2)) + strlen({b}_l) - strlen({b}_d) END AS {b}_e"
            for b in names
        ]
        + [f"CASE WHEN {b}_d <> '' AND starts_with({b}, '-') THEN '-' ELSE '' END AS {b}_s" for b in names],
    )
    for step in steps:
        rows = _layer(rows, step)
    return rows


def _parts(b: str) -> list[str]:
    """SQL for high, low (both with the sign) and exponent; 0 where nothing is written."""
    digits = f"CASE WHEN {b}_d = '' THEN 0 WHEN strlen({b}_d) <= {LONGEST} THEN CAST({b}_d AS HUGEINT) END"
    sign = f"CASE WHEN {b}_s = '-' THEN -1 ELSE 1 END"
    fits = f"(strlen({b}_d) <= {LONGEST} AND abs({b}_e) <= {FARTHEST})"
    return [
        f"CAST(CASE WHEN {b} IS NULL OR NOT {fits} THEN 0 ELSE {sign} * (({digits}) // {_HALF}) END AS BIGINT)",
        f"CAST(CASE WHEN {b} IS NULL THEN 0 WHEN NOT coalesce({fits}, false) THEN {_NOTHING} "
        f"ELSE {sign} * (({digits}) % {_HALF}) END AS BIGINT)",
        f"CAST(CASE WHEN {b} IS NULL OR NOT coalesce({fits}, false) THEN 0 ELSE {b}_e END AS INTEGER)",
    ]


class _Found(NamedTuple):
    wrong: int  # texts that only DuckDB takes as numbers
    unlike: int
    inexact: int
    digits: int  # of the longest number that is not the shortest text of its float
    far: int  # the largest exponent of such a number
    lost: int  # exponents that are no numbers of 32 bits


def look_at_digits(source: Source, columns: Iterable[int], limit: int | None = None) -> dict[int, str]:
    """The kind of each of these columns, in the first `limit` rows or in all; too long a number is refused."""
    columns = [i for i in columns if may_be_long(source, i)]
    if not columns:
        return {}
    writing = Writing(source, dict.fromkeys(columns, SHORTEST))
    counts = [one for i in columns for one in (f"count_if(k{i})", f"count_if({writing.other_text(i)})")]
    answer = source.select(f"SELECT {', '.join(counts)} FROM {_first(writing.relation([]), limit)}")[0]
    kinds = {i: SHORTEST if closer else SHORT for i, closer in zip(columns, answer[::2], strict=True)}
    doubtful = [i for i, others in zip(columns, answer[1::2], strict=True) if others]
    return kinds | (_look_closer(source, doubtful, limit) if doubtful else {})


def _first(rows: str, limit: int | None) -> str:
    return rows if limit is None else f"(SELECT * FROM {rows} LIMIT {limit})"


def _look_closer(source: Source, columns: list[int], limit: int | None) -> dict[int, str]:
    """The kinds of columns with texts that are not the shortest ones of their floats."""
    writing = Writing(source, dict.fromkeys(columns, SHORTEST))
    rows = _first(writing.compared(), limit)
    counts = []
    for i in columns:
        counts += [f"count_if(k{i} AND {no_number(f't{i}')})"]
        counts += [f"count_if({writing.unlike(i)})", f"count_if({writing.inexact(i)})"]
        counts += [f"max(strlen(b{i}_d))", f"max(abs(b{i}_e))", f"count_if(b{i} IS NOT NULL AND b{i}_e IS NULL)"]
    answer = source.select(f"SELECT {', '.join(counts)} FROM {rows}")[0]
    kinds, width = {}, len(_Found._fields)
    for at, i in enumerate(columns):
        found = _Found(*(value or 0 for value in answer[width * at : width * (at + 1)]))
        if found.wrong:
            _refuse(writing, i, f"k{i} AND {no_number(f't{i}')}", ", which is no number: correct it, or say ")
        if found.digits > LONGEST or found.far > FARTHEST or found.lost:
            fits = f"strlen(b{i}_d) <= {LONGEST} AND coalesce(abs(b{i}_e) <= {FARTHEST}, false)"
            most = f"a number has at most {LONGEST} digits, and an exponent of at most {FARTHEST}"
            _refuse(writing, i, f"b{i} IS NOT NULL AND NOT ({fits})", f"; {most}: round it, or say ")
        long = found.unlike or (found.inexact and _has_many_digits(writing, i, rows))
        kinds[i] = LONG if long else SHORTEST
    return kinds


def _has_many_digits(writing: Writing, i: int, rows: str) -> bool:
    """Whether some number of a column with whole numbers that are not their floats has more than 15 digits."""
    taken = _taken_apart(f"(SELECT t{i} FROM {rows} WHERE k{i})", [("w", _bare(f"t{i}"))])
    # a whole number that DuckDB's integers do not hold may be a float after all
    found = writing.source.select(f"SELECT max(strlen(w_d)), list(DISTINCT t{i}) FILTER (strlen(w) > 38) FROM {taken}")
    digits, texts = found[0]
    if digits <= _FEW:
        return False
    inexact = f"SELECT count_if({writing.inexact(i)} AND strlen({_bare(f't{i}')}) <= 38) FROM {rows}"
    wholes = [text for text in texts or () if re.fullmatch(r"\s*[-+]?[0-9_]+\s*", text)]
    return bool(writing.source.select(inexact)[0][0]) or any(int(text) != int(float(text)) for text in wholes)


def _refuse(writing: Writing, i: int, condition: str, why: str) -> None:
    """Refuse the first value of column i for which a condition holds."""
    source = writing.source
    found = source.select(
        f"SELECT number, t{i} FROM (SELECT row_number() OVER () AS number, t{i}, {condition} AS found "
        f"FROM {writing.compared()}) WHERE found ORDER BY number LIMIT 1"
    )
    row, text = found[0] if found else (0, "")
    name = source.names[i]
    raise Refused(
        f"{source.where}: row {row:,}, column {quoted(name)} is {quoted(text)}{why}",
        Remedy("categorical", name),
        " or ",
        Remedy("drop", name),
        ".",
    )


def refuse_long(source: Source, i: int, why: str, *ways: str | Remedy) -> None:
    """Refuse a long column where only floats can be used, and name its first number that is no float."""
    writing = Writing(source, {i: SHORTEST})
    unlike = f"({writing.unlike(i)} OR {writing.inexact(i)})"
    found = source.select(
        f"SELECT number, t{i} FROM (SELECT row_number() OVER () AS number, t{i}, {unlike} AS found "
        f"FROM {writing.compared()}) WHERE found ORDER BY number LIMIT 1"
    )
    row, text = found[0] if found else (0, "")
    raise Refused(f"{source.where}: row {row:,}, column {quoted(source.names[i])} is {quoted(text)}, {why}: ", *ways)
