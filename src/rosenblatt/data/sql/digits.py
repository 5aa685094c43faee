"""Numbers with more digits than float64 tells apart: which columns have them, and what the digits are.

    short      no text of the column is longer than 15 characters, or it has a type that float64 holds
    shortest   each number is the shortest text of its float, as programs write floats: the floats say all
    long       some number is neither: the column travels as floats and as its digits (`readings.Written`)

All is found in SQL. Columns of the first kind cost a comparison a cell. In the others a text is compared with the one
that DuckDB (as Python) writes for its float, and only where it is another one it is taken apart, and compared by its
value. In a plain text file that costs more than reading its floats: there a compiled loop looks at the bytes first
(`held_columns`), beside the reading, and only columns that it leaves in doubt take this way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import FileIO
from os.path import getsize, isfile
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.numbers import FARTHEST, LONGEST, Written
from rosenblatt.data.refusal import Refused, Remedy, quoted
from rosenblatt.data.sql.duck import CsvFile, Source, no_number

__all__ = ["LONG", "SHORT", "SHORTEST", "Longer", "Writing", "held_beside", "held_columns", "is_scanned"]
__all__ += ["longest_text", "look_at_digits", "may_be_long", "refuse_long"]

SHORT, SHORTEST, LONG = "short", "shortest", "long"
_FEW = 15  # characters in which no number needs more digits than float64 tells apart
_TINY = "2.3e-308"  # below it, float64 has fewer digits
_WHOLE = 1 << 53
_HALF = "10000000000000000"
_NOTHING = 10**16  # the low digits of a number that has no parts
_INTEGERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_DELIMITERS = ",;\t|"
_FAR = re.compile(r"[eE][-+]?\d\d\d")  # an exponent with which a number may be tiny or infinite
_SMALL_FILE = 1 << 18  # bytes, too few to load a compiled loop for
_PIECE, _LARGEST_PIECE = 1 << 18, 1 << 26  # bytes that the loop takes at a time; more where rows are longer
_PADDING = 32  # bytes behind a piece that the loop may touch
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
    return f"max(CASE WHEN {_may_differ(text, number)} OR NOT isfinite({number}) THEN 99 ELSE strlen({text}) END)"


def _may_differ(text: str, number: str) -> str:
    """SQL for whether a number may be another one than its text, though that is short and finite: 1e-400, +-1."""
    tiny = f"CASE WHEN abs({number}) < {_TINY} THEN contains(lower({text}), 'e') ELSE false END"
    return f"({tiny} OR {text} < ',')"  # before the comma are + and blanks, not - . 0 … 9


# --------------------------------------------------------------------------------------------------------------- bytes


def is_scanned(source: Source) -> bool:
    """Whether a compiled loop can look at the bytes of all fields, and is worth loading for them."""
    return _is_plain(source) and getsize(source.file) > _SMALL_FILE


def _is_plain(source: Source) -> bool:
    if not isinstance(source, CsvFile) or source.compression != "none" or source.delimiter not in _DELIMITERS:
        return False
    return isfile(source.file)  # where it is gone, the reader says so


class HeldColumns:
    """Columns that are presumed to be held, while a thread finds out whether they are."""

    def __init__(self, presumed: frozenset[int], found: "Future[frozenset[int]] | None" = None) -> None:
        self.presumed, self._found = presumed, found

    def disappoint(self, wait: bool = False) -> bool:
        """Whether some of the columns are not surely held; False where that is not known yet."""
        if self._found is None or not (wait or self._found.done()):
            return False
        return not self.presumed <= self._found.result()


@contextmanager
def held_beside(source: Source, columns: Iterable[int]) -> Iterator[HeldColumns]:
    """Those of the columns that may be presumed to be held; a thread looks at all fields while the rows are read."""
    columns = frozenset(columns)
    if not columns or not is_scanned(source):
        yield HeldColumns(columns & held_columns(source) if columns else columns)
        return
    ended = Event()
    with ThreadPoolExecutor(1, "looking at fields") as thread:
        try:
            found = thread.submit(held_columns, source, None, ended.is_set)
            yield HeldColumns(columns & _plain_columns(source), found)
        finally:
            ended.set()


def held_columns(source: Source, most: int | None = None, ended: Callable[[], bool] = lambda: False) -> frozenset[int]:
    """Columns of a text file whose numbers, if they are some, float64 surely holds; in about `most` bytes, or in all.

    None are where the file is not plain: the others may be held too, and SQL must find that out.
    """
    if not isinstance(source, CsvFile) or not _is_plain(source):
        return frozenset()
    if is_scanned(source):
        doubtful = _scan_fields(source, most, ended)
    else:
        doubtful = np.full(len(source.fields), not _all_held(source))
    fields = {f"c{i}": i for i in _plain_columns(source)}
    return frozenset(fields.values()) - {fields.get(source.fields[k], -1) for k in np.flatnonzero(doubtful)}


def _plain_columns(source: Source) -> frozenset[int]:
    """The columns that are fields of the file, and not numbers with marks of their own."""
    own = len(source.names) - len(source.constants)
    return frozenset(range(own)) - set(source.numerals)


def _all_held(source: CsvFile) -> bool:
    """Whether float64 surely holds all numbers of a small file."""
    with open(source.file, encoding="latin-1") as file:  # a byte is a character
        text = file.read()
    text = text.partition("\n")[2] if source.header else text
    if '"' in text or "+-" in text or _FAR.search(text):
        return False
    long = [field for field in text.replace(source.delimiter, "\n").split("\n") if len(field) > _FEW]
    try:
        return long == list(map(repr, map(float, long)))
    except ValueError:
        return False


def _scan_fields(source: CsvFile, most: int | None, ended: Callable[[], bool]) -> npt.NDArray[np.bool_]:
    """Which fields of the rows are doubtful."""
    from rosenblatt.kernels.fields import BLOCK, all_short, look_at_fields

    doubtful, delimiter = np.zeros(len(source.fields), dtype=bool), np.uint8(ord(source.delimiter))
    flags, header, seen = np.empty(BLOCK + 16, dtype=bool), source.header, 0
    with open(source.file, "rb", buffering=0) as file:
        lines = _Lines(file)
        while (stop := lines.fill()) and not doubtful.all() and (most is None or seen < most):
            done = stop
            if header:  # names may be long, or quoted
                done = look_at_fields(lines.text, stop, delimiter, 1, doubtful)
                doubtful[:], header = False, done == 0
            elif not all_short(lines.text, stop, delimiter, flags):
                done = look_at_fields(lines.text, stop, delimiter, stop, doubtful)
            if done < 0 or ended():
                doubtful[:] = True
            lines.drop(max(0, done))
            seen += done
    if stop == 0 and lines.filled:  # a quote is open at the end, or a line is too long for a table
        doubtful[:] = True
    return doubtful


class _Lines:
    """The bytes of a file, in pieces that end with a line."""

    def __init__(self, file: FileIO) -> None:
        self.file, self.filled, self.ended = file, 0, False
        self.text = np.zeros(_PIECE, dtype=np.uint8)  # `filled` bytes, and at least `_PADDING` more

    def fill(self) -> int:
        """Read on, and say where the last whole line ends; 0 at the end."""
        from rosenblatt.kernels.fields import line_end

        stop = 0
        while stop == 0 and not self.ended and len(self.text) <= _LARGEST_PIECE:
            if self.filled == len(self.text) - _PADDING:
                self.text = np.concatenate([self.text, np.zeros_like(self.text)])
            read = self.file.readinto(self.text[self.filled : -_PADDING].data)
            self.filled += read
            if read == 0:  # the last line may have no end
                self.ended = True
                self.text[self.filled] = ord("\n")
                self.filled += self.filled > 0
            stop = line_end(self.text, self.filled)
        return stop

    def drop(self, done: int) -> None:
        """Leave out what was looked at."""
        rest = self.filled - done
        self.text[:rest] = self.text[done : self.filled]
        self.filled = rest


# ----------------------------------------------------------------------------------------------------------------- SQL


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
            text = f"CASE WHEN {_not_in_floats(i, kind)} THEN {text} END"
        number = f"CAST(c{i} AS DOUBLE)" if kind in _INTEGERS else f"CAST({text} AS DOUBLE)"
        return [f"{text} AS t{i}", f"{number} AS x{i}"]

    def _closer(self, i: int) -> str:
        """Whether the text of column i must be looked at."""
        kind = self._type(i)
        if kind in _INTEGERS:
            return f"{_not_in_floats(i, kind)} AS k{i}"
        # in a scan, infinite numbers are found among the floats
        words = "" if self.kinds[i] == SHORT else f" OR NOT isfinite(x{i})"
        return f"(strlen(t{i}) > {_FEW} OR {_may_differ(f't{i}', f'x{i}')}{words}) AS k{i}"

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
        return [one for i in self.long for one in _digit_parts(f"b{i}")]

    def written(self, parts: Sequence[npt.NDArray[Any]]) -> Written | None:
        """The digits of some rows, from `parts`."""
        if not parts:
            return None
        high, low, exponent = (np.column_stack(parts[k::3]).astype(np.int64) for k in range(3))
        if (low == _NOTHING).any():
            raise Longer
        return Written(high, low, exponent)


def _not_in_floats(i: int, kind: str) -> str:
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


def _digit_parts(b: str) -> list[str]:
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
    return kinds | (_compared_by_value(source, doubtful, limit) if doubtful else {})


def _first(rows: str, limit: int | None) -> str:
    return rows if limit is None else f"(SELECT * FROM {rows} LIMIT {limit})"


def _compared_by_value(source: Source, columns: list[int], limit: int | None) -> dict[int, str]:
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
    row, text = source.first(condition, f"t{i}", writing.compared()) or (0, "")
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
    row, text = source.first(unlike, f"t{i}", writing.compared()) or (0, "")
    raise Refused(f"{source.where}: row {row:,}, column {quoted(source.names[i])} is {quoted(text)}, {why}: ", *ways)
