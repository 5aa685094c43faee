"""The formats of files, a line each; what a reader is given: what the user said (`Told`), and the file (`Place`)."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.data.sql import Source

__all__ = [
    "FORMATS",
    "TEXTS",
    "Format",
    "Place",
    "Progress",
    "Told",
    "format_by_content",
    "format_by_name",
    "open_format",
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
    "npz": Format((".npz",), "numpy_files.open_npz"),
    "libsvm": Format((".libsvm", ".svm", ".svmlight")),
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
