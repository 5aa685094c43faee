"""What a text file looks like: compression, encoding, delimiter, and the names in its header."""

import csv
import gzip
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rosenblatt.data.compression import check_whole, compression_of
from rosenblatt.data.duck import CsvFile, connect, literal, pattern_free
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.refusal import Refused, Remedy, quoted

__all__ = ["check_names", "head", "is_number", "open_csv", "zstd_lines"]

_HEAD = 1 << 16
_MANY = 10_000  # lines fetched at a time
_DELIMITERS = ",\t;|"


def head(path: Path, where: str) -> str:
    """The first lines of a text file, whole lines only where there are more."""
    compression = check_whole(path, where)
    if compression == "zstd":
        return "".join(zstd_lines(path, where, 100)).removeprefix("\ufeff")
    with gzip.open(path) if compression == "gzip" else open(path, "rb") as file:
        raw = file.read(_HEAD)
        cut = file.read(1)
    if b"\x00" in raw:
        raise Refused(f"{where} is not a text file: it holds zero bytes.")
    if cut:
        raw = raw[: raw.rfind(b"\n") + 1] or raw
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Refused(
            f"{where}, line {line:,}: the text is not UTF-8; say how it is encoded, such as ",
            Remedy("charset", "latin-1"),
            ".",
        ) from None


def zstd_lines(path: Path, where: str, most: int | None = None) -> Iterator[str]:
    """The lines of a text packed with Zstandard: Python reads none before 3.14; DuckDB does."""
    import duckdb

    file = literal(pattern_free(str(path)))
    query = (
        f"SELECT line FROM read_csv({file}, auto_detect=false, header=false, delim='\x1f', quote='', escape='', "
        f"compression='zstd', columns={{'line': 'VARCHAR'}}){'' if most is None else f' LIMIT {most}'}"
    )
    try:
        cursor = connect().cursor().execute(query)
        while lines := cursor.fetchmany(_MANY):
            yield from (f"{line or ''}\n" for (line,) in lines)
    except duckdb.Error:
        raise Refused(f"{where} is damaged: its compressed data end early or make no sense.") from None


def open_csv(place: Place, told: Told) -> CsvFile:
    """A CSV or TSV file as a source. Its first line has the names; without a header, it may be the first row."""
    path, where = place.path, place.where
    text = head(path, where)
    if not text.strip():
        raise Refused(f"{where} is empty: a table begins with a line of column names.")
    if not text.splitlines()[0].strip():
        raise Refused(f"{where} begins with an empty line: its first line must hold the column names.")
    delimiter = "\t" if told.delimiter == "\\t" else told.delimiter or _delimiter(text, path)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise Refused(f"a delimiter is one character, and not a quote: {quoted(delimiter)} is not.")
    names = _fields(text, delimiter)
    named = not all(is_number(name) for name in names)
    if told.header and not named:
        raise Refused(f"{where} has no header: its first line is all numbers; put a line of column names first.")
    names = names if named else [str(number) for number in range(len(names))]
    check_names(names, where)
    lines = text.splitlines()[1:] or [text]
    return CsvFile(
        where,
        connect(),
        "",
        names,
        ["VARCHAR"] * len(names),
        text=True,
        file=str(path),
        delimiter=delimiter,
        compression=compression_of(path),
        na=told.na,
        line_bytes=1 + sum(map(len, lines)) // len(lines),  # of a line in the mean
        header=named,
    )


def check_names(names: list[str], where: str) -> None:
    """Every column has a name of its own."""
    for name, times in Counter(names).items():
        if times > 1:
            raise Refused(f"{where} has {times} columns called {quoted(name)}: rename all but one.")
        if not name.strip():
            raise Refused(f"{where} has a column without a name (number {names.index(name) + 1}): give it one.")


def _delimiter(text: str, path: Path) -> str:
    """The one that cuts the header into most fields; a tab where the file is called .tsv."""
    if ".tsv" in path.suffixes or ".tab" in path.suffixes:
        return "\t"
    return max(_DELIMITERS, key=lambda delimiter: len(_fields(text, delimiter)))


def _fields(text: str, delimiter: str) -> list[str]:
    return next((row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row), [""])


def is_number(text: str) -> bool:
    """Whether a text is a number, NaN and infinity included."""
    try:
        float(text)
    except ValueError:
        return False
    return True
