"""What a reader is given: what the user said (`Told`), the file (`Place`), its format, and what its folders say."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.sql import Source, literal

__all__ = [
    "FORMATS",
    "TEXTS",
    "Format",
    "Place",
    "Progress",
    "Told",
    "Values",
    "columns_of_folders",
    "differing",
    "folder_of",
    "format_by_content",
    "format_by_name",
    "open_format",
    "refuse_contradiction",
    "set_aside",
]

PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")


Progress = Callable[[int, int | None], None]  # bytes fetched, and all of them where that is known


@dataclass(frozen=True)
class Told:
    """What the user said of the files."""

    format: str | None = None
    table: str | None = None  # which of several tables
    sql: str | None = None
    delimiter: str | None = None
    charset: str | None = None
    na: tuple[str, ...] = ()  # texts that stand for a missing value
    zero_based: bool = False
    progress: Progress | None = None
    decimal: str | None = None
    thousands: str | None = None
    deadline: float | None = None  # on the clock of `time.monotonic`: until when a view may be computed
    header: bool | None = True  # whether the first line of a text file holds names; None: as it looks


@dataclass(frozen=True)
class Place:
    """A file on this machine, unpacked as far as its reader needs it, and what is known about it."""

    path: Path
    where: str  # what the user calls it
    kind: str = ""  # one of FORMATS
    called: str = ""  # the name whose ending tells the format
    inner: str | None = None  # the table, sheet or file inside it that is meant
    keep: Any = None  # a temporary file, which must not be removed before this
    origin: str = ""  # the user's own file, whose change is a change of the data


@dataclass(frozen=True)
class Format:
    """The endings of a format's files, and the function that opens them (LIBSVM has none: its rows are sparse)."""

    endings: tuple[str, ...]
    opener: str = ""
    reads_packed: bool = False  # whether the opener reads .gz and .zst by itself
    is_database: bool = False  # whether it answers queries
    has_parts: bool = False  # whether it may hold several tables
    may_be_sparse: bool = False  # whether it may hold sparse rows, whose columns have no names


FORMATS = {
    "csv": Format((".csv", ".tsv", ".tab", ".txt", ".data"), "text.open_csv", reads_packed=True),
    "parquet": Format((".parquet", ".pq"), "columnar.open_parquet"),
    "json": Format((".json",), "json_files.open_json", reads_packed=True),
    "jsonl": Format((".jsonl", ".ndjson"), "json_files.open_json", reads_packed=True),
    "excel": Format((".xlsx", ".xlsm", ".xlsb", ".xls"), "spreadsheets.open_sheet", has_parts=True),
    "ods": Format((".ods",), "spreadsheets.open_sheet", has_parts=True),
    "stata": Format((".dta",), "stat_files.open_stat"),
    "spss": Format((".sav", ".zsav"), "stat_files.open_stat"),
    "sas": Format((".sas7bdat",), "stat_files.open_stat"),
    "xport": Format((".xpt",), "stat_files.open_stat"),
    "rds": Format((".rds", ".rda", ".rdata"), "stat_files.open_r", reads_packed=True, has_parts=True),
    "duckdb": Format((".duckdb", ".ddb"), "databases.open_duckdb", is_database=True, has_parts=True),
    "sqlite": Format((".sqlite", ".sqlite3", ".db3", ".db"), "databases.open_sqlite", is_database=True, has_parts=True),
    "arrow": Format((".arrow", ".feather", ".ipc"), "columnar.open_arrow"),
    "npy": Format((".npy",), "numpy_files.open_npy"),
    "npz": Format((".npz",), "numpy_files.open_npz", may_be_sparse=True),
    "libsvm": Format((".libsvm", ".svm", ".svmlight"), may_be_sparse=True),
}
FOREIGN = ("excel", "ods", "stata", "spss", "sas", "xport", "rds")  # whose libraries may come to grief: see `apart`
TEXTS = ("csv", "json", "jsonl")  # text, which may have another encoding than UTF-8
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\x93NUMPY": "npy",
    b"SQLite format 3\x00": "sqlite",
    b"$FL2": "spss",
    b"$FL3": "spss",
    b"<stata_dta>": "stata",
    b"\xd0\xcf\x11\xe0": "excel",
}
_IN_ZIP = {"X.npy": "npz", "indptr.npy": "npz", "xl/": "excel", "content.xml": "ods"}


def format_by_name(name: str) -> str | None:
    """The format by the ending of a file's name, without endings of compression; None where it tells nothing."""
    suffixes = [suffix for suffix in (one.lower() for one in Path(name).suffixes) if suffix not in PACKED]
    return next((known for known, one in FORMATS.items() if suffixes and suffixes[-1] in one.endings), None)


def format_by_content(path: Path, where: str) -> str:
    """The format by the first bytes; text is JSON or CSV."""
    from rosenblatt.data.readers.text import first_lines  # which needs the names above

    with open(path, "rb") as file:
        start = file.read(16)
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start.startswith(b"PK\x03\x04"):
        return _in_zip(path) or "npz"
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    return "jsonl" if first_lines(path, where).lstrip().startswith(("{", "[")) else "csv"


def _in_zip(path: Path) -> str | None:
    """The format of a ZIP file, if it is one of those that are ZIP files inside."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    return next((kind for mark, kind in _IN_ZIP.items() if any(name.startswith(mark) for name in names)), None)


def open_format(place: Place, told: Told) -> Source:
    """Open a file of a format that has columns; by a child where that may end badly."""
    if told.header is False and place.kind not in ("csv", "excel", "ods"):
        raise Refused(f"{place.where} has names of its own: header=False is for text files and sheets without names.")
    if place.inner is not None and not FORMATS[place.kind].has_parts:
        raise Refused(f"{place.where} is one table, without one called {quoted(place.inner)}: leave that name out.")
    if place.kind not in FOREIGN:
        return opened(place, told)
    from rosenblatt.data.readers.apart import opened_apart

    return opened_apart(place, told)


def opened(place: Place, told: Told) -> Source:
    """What the opener of the format makes of the file."""
    module, _, function = FORMATS[place.kind].opener.partition(".")
    source: Source = getattr(import_module(f"rosenblatt.data.readers.{module}"), function)(place, told)
    return source


# -------------------------------------------------------------------------------------------------------------- folders
# Columns in the names of folders: the rows of year=2023/part.parquet have a column year, which is 2023. Values are
# texts whose looks decide what they are, as in a text file. Where all files of a table lie in the same such folder,
# its column is set aside: it tells no row from another, and becomes a column when it is asked for by its name.

_MISSING = ("", "__HIVE_DEFAULT_PARTITION__")  # how programs write that a value is missing

Values = dict[str, str | None]


def columns_of_folders(name: str | os.PathLike[str]) -> Values:
    """The columns that the folders of a path name, with their values; None is a missing one.

    >>> columns_of_folders("rows/year=2023/place=S%C3%A3o Paulo/part.parquet")
    {'year': '2023', 'place': 'São Paulo'}
    """
    found: Values = {}
    for folder in Path(os.path.normpath(os.path.dirname(os.fspath(name)))).parts:
        column, sign, written = folder.partition("=")
        if not sign or not column.strip():
            continue
        column, value = _decoded(column, folder), _decoded(written, folder)
        value_or_none = None if value in _MISSING else value
        if found.get(column, value_or_none) != value_or_none:
            raise Refused(
                f"{name}: two of its folders say what the column {quoted(column)} is, {quoted(str(found[column]))} and "
                f"{quoted(value)}: rename one."
            )
        found[column] = value_or_none
    return found


def _decoded(text: str, folder: str) -> str:
    """A name or a value without the signs (%2F) that stand for those which a folder's name may not have."""
    decoded = unquote(text)
    try:
        decoded.encode()
    except UnicodeEncodeError:
        decoded = "\x00"
    if "\x00" in decoded:
        raise Refused(f"the folder {quoted(folder)} names a column, and is not UTF-8 text: rename it.")
    return decoded


def folder_of(name: str | os.PathLike[str], column: str) -> str:
    """The folder of a path that says what a column is, as a sentence names it."""
    parts = Path(os.path.normpath(os.path.dirname(os.fspath(name)))).parts
    ends = [k for k, part in enumerate(parts) if unquote(part.partition("=")[0]) == column and "=" in part]
    return str(Path(*parts[: ends[-1] + 1])) if ends else column


def differing(all_values: Iterable[Values]) -> list[str]:
    """The columns of which files have different values, or which some files do not have."""
    found: dict[str, set[str | None]] = {}
    files = 0
    counts: dict[str, int] = {}
    for files, values in enumerate(all_values, 1):  # noqa: B007 (their number is wanted)
        for column, value in values.items():
            found.setdefault(column, set()).add(value)
            counts[column] = counts.get(column, 0) + 1
    return [column for column, different in found.items() if len(different) > 1 or counts[column] < files]


def set_aside(source: Source, name: str) -> None:
    """Note the values of a file's folders; a column of the file itself must not contradict them."""
    for column, value in columns_of_folders(name).items():
        if column in source.names:
            said = "NULL" if value is None else literal(value)
            refuse_contradiction(source, column, said, literal(name))
        else:
            source.aside[column] = value


def refuse_contradiction(source: Source, column: str, said: str, file: str) -> None:
    """Refuse a column of a file whose values are not what its folder says; `said` and `file` are SQL."""
    own = f"CAST(c{source.place(column)} AS VARCHAR)"
    number = f"TRY_CAST({own} AS DOUBLE) = TRY_CAST({said} AS DOUBLE)"  # 01 is 1
    same = f"({own} IS NOT DISTINCT FROM {said} OR coalesce({number}, false))"
    for name, value in source.select(f"SELECT {file}, {own} FROM {source.relation()} WHERE NOT {same} LIMIT 1"):
        what = "no value" if value is None else quoted(value)
        raise Refused(
            f"{name}: its column {quoted(column)} has {what} in a row, and its folder {folder_of(name, column)} says "
            f"otherwise: rename the folder or the column."
        )
