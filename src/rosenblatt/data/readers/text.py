"""What a text file looks like: compression, encoding, delimiter, and the names in its header."""

import csv
import gzip
import io
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from rosenblatt.data.readers.formats import Place, Told
from rosenblatt.data.readers.packed import check_whole, compression_of, zstd_lines
from rosenblatt.data.refusal import Refused, Remedy, check_names, quoted
from rosenblatt.data.sql import MISSING_WORDS, CsvFile, connect
from rosenblatt.data.understood import header_in_words
from rosenblatt.data.wording import is_number

__all__ = ["USUAL", "first_lines", "is_row_index", "named", "open_csv"]

_HEAD, _LONGEST_HEADER = 1 << 16, 1 << 24  # bytes that are looked at, and those that a first line may have
USUAL = ",|;\t"  # delimiters; of two that fit equally well the later one: commas are also in numbers and in names
_FEW = 50  # rows that tell the delimiter
_INDEX = re.compile(r"Unnamed: \d+|__index_level_\d+__")  # what pandas calls the index of a frame in a file


def first_lines(path: Path, where: str) -> str:
    """The first lines of a text file, whole lines only where there are more."""
    compression = check_whole(path, where)
    if compression == "zstd":
        return "".join(zstd_lines(path, where, 100)).removeprefix("\ufeff")
    with gzip.open(path) if compression == "gzip" else open(path, "rb") as file:
        raw = file.read(_HEAD)
        if b"\n" not in raw and b"\r" not in raw:
            raw += file.readline(_LONGEST_HEADER)
        cut = file.read(1)
    if b"\x00" in raw:
        remedy = Remedy("charset", "utf-16-le")
        raise Refused(
            f"{where} is not a text file: it holds zero bytes; if it is UTF-16 without its mark, say ", remedy, "."
        )
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


def open_csv(place: Place, told: Told) -> CsvFile:
    """A CSV or TSV file as a source. Its first line has the names; without a header, it may be the first row."""
    path, where = place.path, place.where
    text = first_lines(path, where)
    if not text.strip():
        raise Refused(f"{where} is empty: a table begins with a line of column names.")
    if told.header and not text.splitlines()[0].strip():
        raise Refused(f"{where} begins with an empty line: its first line must hold the column names.")
    delimiter = "\t" if told.delimiter == "\\t" else told.delimiter or _delimiter(text, path)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise Refused(f"a delimiter is one character, and not a quote: {quoted(delimiter)} is not.")
    rows = _first_rows(text, delimiter)
    header = told.header is not False and not all(is_number(name) for name in rows[0])
    if told.header and not header:
        raise Refused(
            f"{where} has no header: its first line is all numbers; put a line of column names first, or say ",
            Remedy("header", "False"),
            ".",
        )
    if told.header and told.delimiter is None:
        _check_header(text, rows, where)
    names = rows[0] if header else unnamed(len(rows[0]), told)
    places = named(names, where)
    fields = [f"nameless{k}" for k in range(len(names))]
    for i, k in enumerate(places):
        fields[k] = f"c{i}"
    lines = text.splitlines()[1:] or [text]
    return CsvFile(
        where,
        connect(),
        "",
        [names[k] for k in places],
        ["VARCHAR"] * len(places),
        text=True,
        file=str(path),
        delimiter=delimiter,
        compression=compression_of(path),
        na=told.na,
        notes=header_in_words(
            sorted(set(range(len(names))) - set(places)), list(filter(_is_fraction, names)) if header else []
        ),
        line_bytes=1 + sum(map(len, lines)) // len(lines),  # of a line in the mean
        header=header,
        fields=tuple(fields),
        in_quotes=_in_quotes(text, delimiter, names),
    )


def unnamed(columns: int, told: Told) -> list[str]:
    """The names of columns in a file without a header: c1 and so on; where nothing was said of one, 0 and so on."""
    return [str(k) if told.header is None else f"c{k + 1}" for k in range(columns)]


def _check_header(text: str, rows: list[list[str]], where: str) -> None:
    """Refuse a first line that cannot hold the names of the columns, and say what it seems to be instead."""
    first, *others = rows
    line, fields = text.splitlines()[0], len(first)
    if re.fullmatch(r"\S+( +\d+:\S+)+\s*", line):
        raise Refused(f"{where} looks like LIBSVM text: say ", Remedy("format", "libsvm"), ".")
    if re.fullmatch(r"sep=.", line.strip()):
        raise Refused(f"{where} begins with {quoted(line)}, which only Excel understands: remove that line.")
    if fields > 1 and others and all(len(row) == fields + 1 for row in others) and any(row[-1] for row in others):
        raise Refused(
            f"{where}: every row has one field more than the first line has names, as R writes names of rows: put a "
            f"name for the first column at the beginning of the first line."
        )
    if fields > 1 or not others:
        return
    words = {len(row[0].split()) for row in rows}
    if words == {len(line.split())} != {1} and any(map(is_number, others[0][0].split())):
        if re.search(r"(?m)^ |  | $|\t", text):
            raise Refused(f"{where}: its fields are separated by several blanks: put one comma or one tab for them.")
        raise Refused(f"{where}: its fields are separated by blanks: say ", Remedy("delimiter", " "), ".")
    counts = [{len(row) for row in _first_rows(text, delimiter)[1:]} for delimiter in USUAL]
    most = max((max(count) for count in counts if len(count) == 1), default=1)
    if most > 1 and len(others) > 1:
        raise Refused(
            f"{where}: its first line ({quoted(line)}) is one field, and the next has {most}: the first line must hold "
            f"the column names; remove what stands before them."
        )


def named(names: Sequence[str], where: str) -> list[int]:
    """The places of the columns that have a name, which must differ; the others cannot be asked for."""
    places = [k for k, name in enumerate(names) if name.strip()]
    if not places:
        raise Refused(f"{where} has no column names in its first line.")
    check_names([names[k] for k in places], where)
    return places


def is_row_index(name: str) -> bool:
    """Whether pandas calls the index of a frame so, in a file that it wrote or in a frame that it read.

    >>> is_row_index("Unnamed: 0"), is_row_index("__index_level_0__"), is_row_index("index")
    (True, True, False)
    """
    return _INDEX.fullmatch(name) is not None


def _delimiter(text: str, path: Path) -> str:
    """The one that cuts most rows into as many fields as the header, and the header into most fields.

    A tab where the file is called .tsv; a comma where the header is one field.
    """
    if ".tsv" in path.suffixes or ".tab" in path.suffixes:
        return "\t"

    def fit(delimiter: str) -> tuple[int, int, int]:
        header, *rows = _first_rows(text, delimiter)
        alike = sum(len(row) == len(header) for row in rows)
        return (alike, len(header), USUAL.index(delimiter)) if len(header) > 1 else (-1, 0, 0)

    return max(USUAL, key=fit)


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    """The fields of the header and of the first rows."""
    csv.field_size_limit(max(_LONGEST_HEADER, csv.field_size_limit()))  # with another delimiter a line is one field
    rows = (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row)
    return list(islice(rows, _FEW)) or [[""]]


def _in_quotes(text: str, delimiter: str, names: Sequence[str]) -> frozenset[str]:
    """The columns whose numbers stand in quotes, where a number of another column does not: so R writes a factor."""
    rows = islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE), 1, _FEW)
    whole = [row for row in rows if len(row) == len(names)]  # not those with a delimiter in a text
    columns = [[value for value in values if value not in ("", *MISSING_WORDS)] for values in zip(*whole, strict=True)]
    bare = any(is_number(value) for values in columns for value in values)
    quoted_numbers = [bool(values) and all(map(_is_number_in_quotes, values)) for values in columns]
    return frozenset(name for name, found in zip(names, quoted_numbers, strict=False) if found and bare)


def _is_number_in_quotes(text: str) -> bool:
    return len(text) > 2 and text[0] == text[-1] == '"' and is_number(text[1:-1])


def _is_fraction(text: str) -> bool:
    """Whether a text is a number and not a whole one, which may be a year."""
    return "." in text and is_number(text)
