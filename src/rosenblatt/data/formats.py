"""What a file is, and who opens it: one line a format. The name says which, unless the user or the first bytes do."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rosenblatt.data.duck import Source
from rosenblatt.data.file_asked import Place, Told
from rosenblatt.data.text import head

__all__ = ["FORMATS", "TEXTS", "Format", "format_by_content", "format_by_name", "open_format"]

PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")


@dataclass(frozen=True)
class Format:
    """How a format's files are called, and where its opener is; LIBSVM text has none, its rows are sparse."""

    endings: tuple[str, ...]
    opener: str = ""
    reads_packed: bool = False  # whether the opener reads .gz and .zst by itself
    is_database: bool = False  # whether it answers queries


FORMATS = {
    "csv": Format((".csv", ".tsv", ".tab", ".txt", ".data"), "text.open_csv", reads_packed=True),
    "parquet": Format((".parquet", ".pq"), "columnar.open_parquet"),
    "json": Format((".json",), "json_files.open_json", reads_packed=True),
    "jsonl": Format((".jsonl", ".ndjson"), "json_files.open_json", reads_packed=True),
    "excel": Format((".xlsx", ".xlsm", ".xlsb", ".xls"), "spreadsheets.open_sheet"),
    "ods": Format((".ods",), "spreadsheets.open_sheet"),
    "stata": Format((".dta",), "stat_files.open_stat"),
    "spss": Format((".sav", ".zsav"), "stat_files.open_stat"),
    "sas": Format((".sas7bdat",), "stat_files.open_stat"),
    "xport": Format((".xpt",), "stat_files.open_stat"),
    "duckdb": Format((".duckdb", ".ddb"), "databases.open_duckdb", is_database=True),
    "sqlite": Format((".sqlite", ".sqlite3", ".db3", ".db"), "databases.open_sqlite", is_database=True),
    "arrow": Format((".arrow", ".feather", ".ipc"), "columnar.open_arrow"),
    "npy": Format((".npy",), "numpy_files.open_npy"),
    "npz": Format((".npz",), "numpy_files.open_npz"),
    "libsvm": Format((".libsvm", ".svm", ".svmlight")),
}
TEXTS = ("csv", "json", "jsonl")  # of which the characters' encoding matters
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
    """What the ending of a file's name says, endings of compression aside."""
    suffixes = [suffix for suffix in (one.lower() for one in Path(name).suffixes) if suffix not in PACKED]
    return next((known for known, one in FORMATS.items() if suffixes and suffixes[-1] in one.endings), None)


def format_by_content(path: Path, where: str) -> str:
    """What the first bytes say; text is JSON or CSV."""
    with open(path, "rb") as file:
        start = file.read(16)
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start.startswith(b"PK\x03\x04"):
        return _in_zip(path) or "npz"
    for magic, name in _MAGIC.items():
        if start.startswith(magic):
            return name
    return "jsonl" if head(path, where).lstrip().startswith(("{", "[")) else "csv"


def _in_zip(path: Path) -> str | None:
    """Which of the formats that are ZIP files it is."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    return next((kind for mark, kind in _IN_ZIP.items() if any(name.startswith(mark) for name in names)), None)


def open_format(place: Place, told: Told) -> Source:
    """A file of one of the formats that have columns."""
    module, _, function = FORMATS[place.kind].opener.partition(".")
    source: Source = getattr(import_module(f"rosenblatt.data.{module}"), function)(place, told)
    return source
