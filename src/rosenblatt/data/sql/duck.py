"""DuckDB as the reader of files, queries and frames: columns by position, batches through Arrow, no guessing.

DuckDB's own guesses are switched off: its CSV reader makes one column of ragged rows, renames duplicate names, and
turns a column of numbers into text, or a text into a number (0x10 is 16), without a word. Here delimiter, header and
types are given, and what does not fit them is an error that `explained` puts into a sentence.
"""

import os
import re
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rosenblatt.data.refusal import Refused, Remedy, check_names, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from rosenblatt.data.sql.numerals import Numerals

__all__ = ["CsvFile", "Source", "answered", "confined", "connect", "described", "explained", "from_query", "identifier"]
__all__ += ["is_nan", "kind_of", "literal", "no_number", "pattern_free", "read_ahead", "write_rows"]

Item = TypeVar("Item")

_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL")
_PLAIN_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?")
_DELIVERED = {"double": np.float64, "int32": np.int32, "int64": np.int64}  # by a scan
_OTHERS = {"BOOLEAN": "boolean", "VARCHAR": "text", "ENUM": "text", "UUID": "text", '"NULL"': "text"}


def connect() -> Any:
    """The DuckDB of this process, in memory (starting one takes 50 ms)."""
    return _of_process(os.getpid())


@cache
def _of_process(process: int) -> Any:
    import duckdb

    return _in_utc(duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}))


def confined(database: str = ":memory:", reaches: str | None = None) -> Any:
    """A DuckDB of its own for what strangers wrote: whatever it is asked, it reaches this file and nothing else.

    A database file, opened for reading only, has its author's views and macros: they could read other files, fetch
    from elsewhere, load extensions, or take tables out of the variables of this program.
    """
    import duckdb

    within: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    within["python_enable_replacements"] = False
    if database != ":memory:":  # here, since a SET would confine whoever else has the file open in this process
        within["enable_external_access"] = False
    connection = _in_utc(duckdb.connect(database, read_only=database != ":memory:", config=within))
    if reaches is not None:
        connection.execute(f"SET allowed_paths = [{literal(reaches)}]")
    if database == ":memory:":
        connection.execute("SET enable_external_access = false")
    with suppress(duckdb.InvalidInputException):  # it is locked already where this process opens the file again
        connection.execute("SET lock_configuration = true")
    return connection


def _in_utc(connection: "DuckDBPyConnection") -> Any:
    """Set the time zone: otherwise the hour of a moment would depend on the machine."""
    import duckdb

    with suppress(duckdb.Error):  # a DuckDB without time zones has none to set
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """The name of a column or a table in SQL."""
    return '"' + name.replace('"', '""') + '"'


def is_nan(number: str) -> str:
    """Whether a number is NaN, in SQL. DuckDB answers isnan() by a Parquet file's statistics, which leave NaN out."""
    return f"CAST({number} AS VARCHAR) IN ('nan', '-nan')"


def no_number(text: str) -> str:
    """SQL for whether a text is no number, though DuckDB takes it as one: +-1, nan(1)."""
    return f"(contains({text}, '+-') OR contains({text}, '('))"


def kind_of(type_name: str) -> str:
    """What a type of DuckDB holds: number, boolean, text, or "" for nothing that can be used."""
    plain = type_name.partition("(")[0]
    return "number" if _NUMBERS.fullmatch(plain) else _OTHERS.get(plain, "")


@dataclass
class Source:
    """Columns c0, c1, … of anything DuckDB can select from."""

    where: str  # what the user calls it
    connection: Any
    query: str  # selects all columns
    names: list[str]
    types: list[str]
    text: bool = False  # whether values are written out, so that their looks decide what they are
    na: tuple[str, ...] = ()  # texts that stand for a missing value
    frames: dict[str, Any] = field(default_factory=dict, repr=False)  # what the query may select from
    file: str = ""  # the file it is read from, if it is one
    origin: str = ""  # the user's own file, if that is where it comes from: its change is a change of the data
    part: str = ""  # the table, sheet or file in it
    steady: bool = False  # whether its rows come in the same order whenever it is read
    asked: str | None = None  # what was asked of it, where the query does not say that
    numerals: "dict[int, Numerals]" = field(default_factory=dict)  # how columns write numbers, where that is unusual
    notes: list[str] = field(default_factory=list)  # what was understood of the file, in words
    written: frozenset[int] = frozenset()  # columns of which that is true where it is not true of all
    levels: dict[int, tuple[str, ...]] = field(default_factory=dict)  # of columns whose values have an order
    aside: dict[str, str | None] = field(default_factory=dict)  # columns that folders name, alike in all rows: `ask`
    constants: tuple[str | None, ...] = ()  # of those that were asked for, which are the last columns
    keep: Any = field(default=None, repr=False)  # what must live as long as this: a temporary file
    _places: dict[str, int] = field(default_factory=dict, repr=False)  # of the names

    def place(self, name: str) -> int:
        """Which column has this name, counted from 0; by a dictionary, since there may be thousands of names."""
        i = self._places.get(name)
        if i is None or self.names[i] != name:
            self._places = {known: k for k, known in enumerate(self.names)}
            i = self._places[name]
        return i

    def ask(self, names: Iterable[str | None]) -> None:
        """Make those of the names columns that were set aside."""
        for name in names:
            if name in self.aside:
                self.written |= {len(self.names)}
                self.names.append(name)
                self.types.append("VARCHAR")
                self.constants += (self.aside.pop(name),)

    def readings(self) -> "tuple[tuple[str, Numerals], ...]":
        """The columns that write numbers in an unusual way, by name, and how."""
        return tuple((self.names[i], numerals) for i, numerals in sorted(self.numerals.items()))

    def is_written(self, i: int) -> bool:
        """Whether the looks of column i decide what its values are."""
        return self.text or i in self.written

    def cursor(self) -> Any:
        """A connection for one query, which sees the frames."""
        cursor = self.connection.cursor()
        for name, frame in self.frames.items():
            cursor.register(name, frame)
        return cursor

    def relation(self, numbers: Sequence[int] = (), texts: Collection[int] = ()) -> str:
        """The rows as a FROM clause; `numbers` are the columns wanted as float64 only.

        A column with `numerals` is float64 in any case, or, if it is one of `texts`, the text of a plain number.
        """
        own = len(self.names) - len(self.constants)
        rows = self._rows([i for i in numbers if i not in self.numerals and i < own])
        if self.constants:
            rows = (
                f"(SELECT *, {', '.join(self._constant(i, numbers) for i in range(own, len(self.names)))} FROM {rows})"
            )
        read = [f"{one.sql(f'c{i}', as_text=i in texts)} AS c{i}" for i, one in self.numerals.items()]
        return f"(SELECT * REPLACE ({', '.join(read)}) FROM {rows})" if read else rows

    def _constant(self, i: int, numbers: Sequence[int]) -> str:
        """SQL for column i, which is the same in all rows."""
        value = self.constants[i - len(self.names)]
        said = "NULL" if value is None or value in self.na else literal(value)
        return f"CAST({said} AS {'DOUBLE' if i in numbers and i not in self.numerals else 'VARCHAR'}) AS c{i}"

    def _rows(self, numbers: Sequence[int]) -> str:
        """SQL for the rows as they are written, with NULL for missing values; without the constants."""
        rows = f"({self.query}\n) AS t({', '.join(f'c{i}' for i in range(len(self.names) - len(self.constants)))})"
        kept = [f"CASE WHEN {present} THEN c{i} END AS c{i}" for i, present in enumerate(self._present()) if present]
        return f"(SELECT * REPLACE ({', '.join(kept)}) FROM {rows})" if kept else rows

    def _present(self) -> list[str]:
        """For each column, SQL that is true for values not in `na`; "" for types that `na` has no values of."""
        texts, numbers = ", ".join(map(literal, self.na)), ", ".join(filter(_PLAIN_NUMBER.fullmatch, self.na))
        conditions = []
        for i, kind in enumerate(self.types[: len(self.types) - len(self.constants)]):
            listed = texts if kind == "VARCHAR" else numbers if kind_of(kind) == "number" else ""
            conditions.append(f"c{i} NOT IN ({listed})" if listed else "")
        return conditions

    def number(self, i: int) -> str:
        """SQL for column i as float64; a value that is no number is an error."""
        return f"CAST(c{i} AS DOUBLE)"

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        """The answer to a small query."""
        import duckdb

        try:
            cursor = self.cursor()
            return answered(cursor, lambda: list(cursor.execute(sql).fetchall()))
        except (duckdb.Error, RuntimeError) as error:
            raise self.refusal(error) from None

    def first(self, condition: str, value: str, relation: str | None = None) -> tuple[int, Any] | None:
        """The first row, counted from 1, where a condition on c0, c1, … holds, and an expression there."""
        found = self.select(
            f"SELECT number, value FROM (SELECT row_number() OVER () AS number, {value} AS value, {condition} AS found "
            f"FROM {relation or self.relation()}) WHERE found ORDER BY number LIMIT 1"
        )
        return found[0] if found else None

    def scan(self, expressions: list[str], relation: str) -> Iterator[list[npt.NDArray[Any]]]:
        """Batches of the expressions, each a DOUBLE (missing is NaN), an INTEGER or a BIGINT, in the order of the rows.

        `relation` is that of this source, or made of it.

        DuckDB works in the thread that asks for a batch, so a thread of its own asks.
        """
        return read_ahead(self._batches(expressions, relation))

    def _batches(self, expressions: list[str], relation: str) -> Iterator[list[npt.NDArray[Any]]]:
        import duckdb
        import nanoarrow

        try:
            query = f"SELECT {', '.join(expressions)} FROM {relation}"
            cursor = self.cursor()  # before DuckDB 1.5 a stream did not keep it alive
            stream = nanoarrow.c_array_stream(cursor.sql(query))
            for batch in stream:
                yield [_from_arrow(batch.child(i)) for i in range(batch.n_children)]
        except (duckdb.Error, RuntimeError, OSError) as error:  # nanoarrow reports errors of DuckDB as the last two
            raise self.refusal(error) from None

    def estimated_rows(self) -> int:
        """About how many rows there are; here counted, which costs little."""
        return self.count_rows()

    def count_rows(self) -> int:
        """Count all rows."""
        return int(self.select(f"SELECT count(*) FROM {self.relation()}")[0][0])

    def refusal(self, error: Exception) -> Refused | KeyboardInterrupt:
        """What DuckDB said, in a sentence; it calls Ctrl-C and other signals an error too."""
        return explained(self.where, str(error))


@dataclass
class CsvFile(Source):
    """A text file with one delimiter, its first line the names (`header`) or the first row."""

    delimiter: str = ","
    compression: str = "none"
    line_bytes: int = 1
    header: bool = True
    fields: tuple[str, ...] = ()  # what each field of a line is called in SQL: c0, c1, …; others have no name
    in_quotes: frozenset[str] = frozenset()  # columns whose numbers are in quotes, where other numbers are not

    def _rows(self, numbers: Sequence[int]) -> str:
        """SQL for the rows; numbers are parsed by the CSV reader itself, everything else stays text."""
        wanted = {f"c{i}" for i in numbers}
        columns = ", ".join(f"'{name}': '{'DOUBLE' if name in wanted else 'VARCHAR'}'" for name in self.fields)
        missing = ", ".join(literal(text) for text in ("", *self.na))
        return (
            f"read_csv({literal(pattern_free(self.file))}, auto_detect=false, header={str(self.header).lower()}, "
            f"delim={literal(self.delimiter)}, quote='\"', escape='\"', comment='', nullstr=[{missing}], "
            f"compression='{self.compression}', columns={{{columns}}})"
        )

    def number(self, i: int) -> str:
        """Column i, which the CSV reader has parsed as a number already."""
        return f"c{i}"

    def estimated_rows(self) -> int:
        """From the file's size and the length of its first lines; text is taken to have been packed four to one."""
        size = os.path.getsize(self.file) * (1 if self.compression == "none" else 4)
        return max(1, size // max(1, self.line_bytes))


def from_query(
    query: str, where: str, na: tuple[str, ...], connection: "DuckDBPyConnection | None" = None, text: bool = False
) -> Source:
    """The rows a query selects."""
    return described(Source(where, connection or connect(), query.strip().rstrip(";"), [], [], text=text, na=na))


def described(source: Source) -> Source:
    """Ask DuckDB for names and types."""
    import duckdb

    try:
        cursor = source.cursor()
        relation = cursor.sql(source.query)
        if relation is None:
            raise Refused(f"{source.where}: the query selects nothing.")
        source.names, source.types = list(relation.columns), [str(kind) for kind in relation.types]
    except (duckdb.Error, RuntimeError) as error:  # a RuntimeError where a name is not text
        raise explained(source.where, str(error)) from None
    check_names(source.names, source.where)
    return source


def write_rows(what: str, path: str, options: str = "FORMAT parquet", connection: Any = None) -> None:
    """Write a table of DuckDB, or a query in brackets, into a file of ours that is still to be put in its place."""
    import duckdb

    try:
        writer = connection or connect()
        answered(writer, lambda: writer.execute(f"COPY {what} TO {literal(path)} ({options}, USE_TMP_FILE false)"))
    except (duckdb.Error, RuntimeError) as error:
        if "Query interrupted" in str(error):
            raise KeyboardInterrupt from None
        number = re.search(r'"errno":"(\d+)"', str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from None


def pattern_free(path: str) -> str:
    """A path in which DuckDB sees no pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _from_arrow(array: Any) -> npt.NDArray[Any]:
    """An Arrow column as a NumPy array on the same memory; a copy with NaN where numbers are missing."""
    view = array.view()
    values = np.frombuffer(view.buffer(1), dtype=_DELIVERED[view.storage_type])[
        array.offset : array.offset + array.length
    ]
    if array.null_count == 0 or array.length == 0:
        return values
    bits = np.frombuffer(view.buffer(0), dtype=np.uint8)
    present = np.unpackbits(bits, bitorder="little")[array.offset : array.offset + array.length].astype(bool)
    return np.where(present, values, np.nan)


def explained(where: str, said: str) -> Refused | KeyboardInterrupt:
    """The sentence for an error of DuckDB; it calls Ctrl-C and other signals an error too."""
    if "Query interrupted" in said:
        return KeyboardInterrupt()
    line = re.search(r"CSV Error on Line: (\d+)", said)
    at = f"{where}, line {int(line[1]):,}" if line else where
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if counts:
        return Refused(
            f"{at}: this row has {counts[2]} fields and the first line has {counts[1]}; correct the row, or quote a "
            f"field that holds the delimiter."
        )
    if any(word in said.lower() for word in ("unicode", "utf-8", "utf8")):
        remedy = Remedy("charset", "latin-1")
        return Refused(f"{at}: the text is not UTF-8; say how it is encoded, such as ", remedy, ".")
    if "unterminated quote" in said:
        return Refused(f'{at}: a quote (") is opened and never closed, or one inside of quotes is not doubled ("").')
    value = re.search(r"Could not convert string ['\"](.*?)['\"] to", said, re.S)
    if value:
        return Refused(f"{at}: {quoted(value[1])} is not a number.")
    if "state machine reached an invalid state" in said:
        return Refused(f"{where}: the ends of its lines are of different kinds (\\n, \\r\\n); make them all one.")
    if "Maximum line size" in said:
        return Refused(f"{at}: the line is too long for a table.")
    if re.search("disabled (by|through) configuration", said):
        outside = re.search(r'"(.*?)"', said)
        asked_for = f" ({quoted(outside[1])})" if outside else ""
        return Refused(
            f"{where}: a view or a query of this database asks for something outside of it{asked_for}, which is not "
            f"opened for it: copy those rows into a table of the database."
        )
    first = re.sub(r"^[\w ]+ Error:\s*", "", said.strip()).split("\n")[0].strip()
    return Refused(f"{where} cannot be read: {first.rstrip('.!')}.")


def answered(connection: Any, work: Callable[[], Item]) -> Item:
    """What `work` finds by a connection of DuckDB. It works in a thread of its own, so that a signal ends it at once.

    Where DuckDB hears of a signal by itself, it first waits for what its threads have begun, be it a scan of all rows.
    """
    found: list[tuple[Any, BaseException | None]] = []
    begun, unwanted = list[bool](), list[bool]()
    end = allocate_lock()  # a signal inside an Event or a Future can leave its lock taken for ever

    def ask() -> None:
        begun.append(True)
        try:
            found.append((None if unwanted else work(), None))
        except BaseException as error:
            found.append((None, error))
        end.release()

    end.acquire()
    try:
        start_new_thread(ask, ())
        while not end.acquire(timeout=0.1):  # a signal that comes just before one waits does not end the waiting
            pass
    except BaseException:  # a signal may come at any moment, also before the thread has begun
        unwanted.append(True)
        while begun and not found:
            connection.interrupt()  # again and again: the query may not have begun
            sleep(0.01)
        raise
    value, error = found[0]
    if error is not None:
        raise error
    return cast(Item, value)


def read_ahead(items: Iterator[Item], depth: int = 4) -> Iterator[Item]:
    """The same items in the same order, fetched by a thread of their own that is at most `depth` of them ahead.

    What the iterator raises is raised here, after the items before it.

    Examples
    --------
    >>> list(read_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end: Any = object()
    reader = ThreadPoolExecutor(1, "reading ahead")
    try:
        coming = deque(reader.submit(next, items, end) for _ in range(depth))
        while (item := coming.popleft().result()) is not end:
            coming.append(reader.submit(next, items, end))
            yield item
    finally:
        reader.shutdown(cancel_futures=True)
